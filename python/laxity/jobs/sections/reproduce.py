# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How to do the same again."""

import shlex

from laxity.jobs.run_data import PageData
from laxity.page.blocks import Block, Code, Paragraph, Section, Table, text_cell


def build(page: PageData) -> Section:
    """Build the section."""
    manifest = page.manifest
    commit = f", commit {manifest.tool.commit}" if manifest.tool.commit else ""
    facts = [
        ("tool", f"{manifest.tool.name} {manifest.tool.version}{commit}"),
        ("started", manifest.started_at),
        ("finished", manifest.finished_at or "not known"),
        ("platform", manifest.platform),
        ("machine hash", _machine_hash(page) or "not known"),
        ("seed", "none" if manifest.seed is None else str(manifest.seed)),
    ]
    blocks: list[Block] = [
        Code(shlex.join(manifest.command_line), "Command line"),
        Table(
            "Origin", ("", ""), tuple((text_cell(name), text_cell(value)) for name, value in facts)
        ),
    ]
    specs = [(run.label, run.spec_text) for run in page.runs if run.spec_text]
    if page.spec_text:
        specs.insert(0, (manifest.name, page.spec_text))
    if specs:
        command = "run" if manifest.experiment is None else "experiment"
        text = f"every default written out; “laxity {command} FILE” takes it."
        blocks.append(Paragraph(f"The resolved experiment, {text}"))
    blocks += [Code(text.strip(), f"spec.toml of run “{label}”") for label, text in specs]
    return Section("reproduce", "How to reproduce", tuple(blocks))


def _machine_hash(page: PageData) -> str | None:
    hashes = [page.manifest.machine_hash, *(run.manifest.machine_hash for run in page.runs)]
    return next((one for one in hashes if one), None)
