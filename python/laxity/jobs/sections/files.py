# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The raw files and their hashes."""

from laxity.jobs.run_data import PageData
from laxity.page.blocks import (
    Block,
    Cell,
    Paragraph,
    Section,
    Table,
    number_cell,
    show_count,
    text_cell,
)

_TEXT = (
    "Everything above is computed from these files and can be computed again. Check them with "
    "“laxity show”, or with sha256sum inside the run directory."
)


def build(page: PageData) -> Section:
    """Build the section."""
    blocks: list[Block] = [Paragraph(_TEXT)]
    places = [(run.label, run.manifest) for run in page.runs]
    if page.is_composite:
        places.insert(0, (page.manifest.name, page.manifest))
    for label, manifest in places:
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (
                text_cell(name),
                number_cell(_rows_of(name, manifest.tables)),
                Cell(digest, mark="hash"),
            )
            for name, digest in sorted(manifest.files.items())
        )
        if rows:
            blocks.append(Table(f"Files of run “{label}”", ("file", "rows", "SHA-256"), rows))
    if len(blocks) == 1:
        blocks.append(Paragraph("The manifest names no file.", "note"))
    return Section("files", "Raw files", tuple(blocks))


def _rows_of(name: str, tables: dict[str, int]) -> str:
    rows = tables.get(name.removesuffix(".npy")) if name.endswith(".npy") else None
    rows = tables.get(name, rows)
    return "no table" if rows is None else show_count(rows)
