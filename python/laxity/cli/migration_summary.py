# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The short answer after `laxity measure migration`."""

from dataclasses import asdict
from typing import Any

import msgspec

from laxity.analysis.migration import Migration
from laxity.cli.tables import format_table
from laxity.model.units import format_duration_ns, format_size_bytes
from laxity.report.migration_data import (
    Answer,
    Curve,
    answers,
    contradiction_words,
    contradictions_of,
    gamma_of,
    memory_words,
    topology_words,
    unsteady_words,
)
from laxity.report.run_data import RunData

_HEADERS = (
    "cpu",
    "pattern",
    "working set",
    "n",
    "migration, median",
    "p90",
    "max",
    "noise floor",
    "asleep as long",
    "there and back",
    "verdict",
)
_RIGHT = range(2, 10)
_VERDICTS = {"ok": "ok", "not_measurable": "not measurable", "no_verdict": "no verdict"}
_NONE = "-"


def migration_text(data: RunData) -> str:
    """Write what a migration costs, then the table, for people."""
    curves: tuple[Curve, ...] = data.findings
    machine = data.machine
    found = answers(curves, machine, gamma_of(data.manifest.measurement))
    lines = [line for one in found for line in (_line(one), one.gamma_words) if line]
    remarks = (memory_words(curves, machine), topology_words(machine), unsteady_words(curves))
    lines += [contradiction_words(one) for one in contradictions_of(curves)]
    lines += [line for line in remarks if line]
    rows = [_row(one) for curve in curves for one in curve.points]
    table = format_table(_HEADERS, rows, _RIGHT) if rows else ""
    return "".join(f"{line}\n" for line in lines) + table + _problems(data)


def migration_document(data: RunData) -> dict[str, Any]:
    """Write the answer for programs; figures themselves are in costs.json."""
    found = answers(data.findings, data.machine, gamma_of(data.manifest.measurement))
    withdrawn = [asdict(one) for one in contradictions_of(data.findings)]
    return {"migrations": [_document(one) for one in found], "contradicted_claims": withdrawn}


def _document(one: Answer) -> dict[str, Any]:
    return {
        "domain": one.domain,
        "case": one.case,
        "pairs": [list(pair) for pair in one.pairs],
        "kind": "measured",
        "unit": "ns",
        "move_median": one.move.median_ns,
        "working_sets": [
            {
                "working_set_bytes": size,
                "n": loss.n,
                "median": loss.median_ns,
                "noise_floor": loss.noise_floor_ns,
                "verdict": loss.verdict,
            }
            for size, loss in one.losses
        ],
        "gamma": [msgspec.to_builtins(known) for known in one.gamma],
    }


def _line(one: Answer) -> str:
    sizes = ", ".join(f"{format_size_bytes(size)} {one.shown(loss)}" for size, loss in one.losses)
    n = min(loss.n for _, loss in one.losses)
    return (
        f"one migration between {one.words}, {one.case.replace('_', ' ')}: {sizes} "
        f"(medians of n >= {n}, measured); the move itself {format_duration_ns(one.move.median_ns)}"
        f" (median, n = {one.move.n})"
    )


def _row(one: Migration) -> tuple[str, ...]:
    loss = one.loss
    return (
        f"{one.route.cpu}>{one.route.cpu_to}",
        one.route.case_name,
        format_size_bytes(one.route.working_set_bytes),
        str(loss.n),
        format_duration_ns(loss.median_ns),
        _shown(loss.quantiles.get("0.9")),
        format_duration_ns(loss.max_ns),
        _shown(loss.noise_floor_ns),
        format_duration_ns(one.sleep.median_ns),
        format_duration_ns(one.round_trip.median_ns),
        _VERDICTS[loss.verdict] + ("" if one.is_steady else ", not steady"),
    )


def _problems(data: RunData) -> str:
    return "".join(f"{problem}\n" for problem in data.problems)


def _shown(value_ns: int | None) -> str:
    return _NONE if value_ns is None else format_duration_ns(value_ns)
