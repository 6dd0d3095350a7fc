# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Suites on stdout: what came of each program of a run, what a vetting found."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns
from laxity.store.manifest import Manifest
from laxity.suites.data import times_of
from laxity.suites.result import Spread, SuiteDocument, SuiteProgram, VettingDocument
from laxity.suites.sanitize import TOLD

_HEADERS = (
    "program", "mode", "jobs", "right", "wrong", "missed", "kind", "min", "median", "p99", "max",
    "isolating",
)  # fmt: skip
_RIGHT = (2, 3, 4, 5, 7, 8, 9, 10, 11)
_UNKNOWN = "-"
_FOOTNOTE = (
    "min, median, p99, max: from start to finish, n = jobs (p99 needs 368); missed: of the "
    "deadline; isolating: mean, between jobs\n"
)


def suite_table(document: SuiteDocument) -> str:
    """Write a suite run for people: a row per program that ran, and what was left out."""
    rows = [_row(one) for one in document.programs if one.result is not None]
    parts = [format_table(_HEADERS, rows, _RIGHT), _FOOTNOTE] if rows else []
    left_out = [(one.program, one.left_out or "") for one in document.programs if one.left_out]
    not_reached = [
        (one.program, "the run ended before its turn")
        for one in document.programs
        if one.result is None and not one.left_out
    ]
    if left_out or not_reached:
        parts.append(
            ("\n" if rows else "") + format_table(("not run", "why"), left_out + not_reached)
        )
    return "".join(parts)


def _row(one: SuiteProgram) -> tuple[str, ...]:
    result, times = one.result, times_of(one)
    assert result is not None  # noqa: S101 - by the caller
    isolating = None if result.isolating is None else result.isolating.mean
    return (
        one.program,
        one.mode or _UNKNOWN,
        str(result.finished) if result.calls == 1 else f"{result.finished} of {result.calls} calls",
        _count(result.right),
        _count(result.wrong),
        str(result.missed),
        times.kind if times else _UNKNOWN,
        *(_time(value) for value in _values(times)),
        _time(isolating),
    )


def _values(times: Spread | None) -> tuple[int | None, ...]:
    return (None,) * 4 if times is None else (times.min, times.median, times.p99, times.max)


def _count(value: int | None) -> str:
    return _UNKNOWN if value is None else str(value)


def _time(time_ns: int | None) -> str:
    return _UNKNOWN if time_ns is None else format_duration_ns(time_ns)


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


def vetting_table(document: VettingDocument) -> str:
    """Write a vetting for people: a row per program."""
    rows = [
        (one.program, ", ".join(one.classes) or _UNKNOWN, one.mode or _UNKNOWN,
         _why(one.mode, one.verdict, one.evidence))
        for one in document.programs
    ]  # fmt: skip
    table = format_table(("program", "classes", "mode", "evidence"), rows)
    # Every place, not the first piece of evidence alone.
    found = [
        (one.program, words)
        for one in document.programs
        for words in one.evidence
        if words.startswith(TOLD)
    ]
    return table + ("\n" + format_table(("program", "found by sanitizers"), found) if found else "")


def _why(mode: str | None, verdict: str, evidence: Sequence[str]) -> str:
    return verdict if mode is None else (evidence[0] if evidence else "")
