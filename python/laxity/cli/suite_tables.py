# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Suites on stdout: what came of each program of a run, what a vetting found."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from laxity.page.blocks import Paragraph, Section
from laxity.page.terminal import text_of
from laxity.store.manifest import Manifest
from laxity.suites import page, section, vetting_page, vetting_section
from laxity.suites.data import SuiteData
from laxity.suites.result import SuiteDocument, VettingDocument


def suite_text(data: SuiteData, changes: Iterable[str] = ()) -> str:
    """Write a suite run for people: a row per program, what was left out, what changed."""
    built = (section.build_fallbacks(data), section.build(data), section.build_left_out(data))
    return _text(page.sentences_of(data), built, changes)


def vetting_text(document: VettingDocument) -> str:
    """Write a vetting for people: a row per program, and what sanitizers found."""
    return _text(vetting_page.sentences_of(document), [vetting_section.build(document)])


def _text(
    sentences: Iterable[str], sections: Iterable[Section | None], changes: Iterable[str] = ()
) -> str:
    blocks = [block for one in sections if one is not None for block in one.blocks]
    return text_of([*map(Paragraph, sentences), *blocks, *map(Paragraph, changes)])


def suite_document(
    document: SuiteDocument, manifest: Manifest, path: Path | None
) -> dict[str, Any]:
    """Write a suite run for programs; times in ns.

    Args:
        document: Its table.
        manifest: Of the whole.
        path: Where it is; None: nothing was measured.
    """
    runs = [
        {
            **{key: getattr(one, key) for key in ("program", "convention", "classes", "mode")},
            **msgspec.to_builtins(one.result),
            "run_dir": None if path is None else str(path / "runs" / (one.run or "")),
        }
        for one in document.programs
        if one.result is not None
    ]
    left_out = [
        {"program": one.program, "reason": one.left_out, "exit_code": one.left_out_code}
        for one in document.programs
        if one.left_out is not None
    ]
    return {
        "run": None if path is None else str(path),
        "kind": manifest.kind,
        "status": manifest.status,
        "exit_code": manifest.exit_code,
        "message": manifest.message,
        "runs": runs,
        "left_out": left_out,
    }
