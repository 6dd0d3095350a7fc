# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Costs of switching of a run, read once for the short answer and for the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laxity.core.units import format_duration_ns
from laxity.costs import model
from laxity.costs.switch import costs as switch
from laxity.costs.switch.costs import Cost, KernelCheck
from laxity.costs.switch.rows import IRQ, KERNEL, SPIN, Rows
from laxity.costs.switch.tick import RATES_HZ, Tick
from laxity.errors import RecordError
from laxity.jobs.run_data import RunData
from laxity.store.measurements import SwitchMeasurement
from laxity.store.run_directory import Run


@dataclass(frozen=True, slots=True)
class Switching:
    """What a run that measured switch found.

    Attributes:
        costs: In the order of tables.
        ticks: By CPU; a CPU where none was found has none.
        checks: Whether the kernel's part of a preemption is within what its tasks see.
        remarks: What was not measured, and why.
    """

    costs: tuple[Cost, ...] = ()
    ticks: tuple[tuple[int, Tick], ...] = ()
    checks: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def find(self, name: str, cpu: int, case: str | None) -> Cost | None:
        """Return one cost that goes to no other CPU; None: not measured."""
        return next(
            (
                one
                for one in self.costs
                if (one.place.name, one.place.cpu, one.place.case) == (name, cpu, case)
            ),
            None,
        )


def read_switch(run: Run) -> tuple[Switching, tuple[str, ...]]:
    """Read the costs of a run that measured switch, and what of it cannot be read."""
    try:
        rows = run.stream("switch")
        costs = switch.costs(rows, run.path.name)
    except RecordError as error:
        return Switching(), (str(error),)
    cpus = sorted({one.place.cpu for one in costs})
    found = tuple((cpu, tick) for cpu in cpus if (tick := switch.tick_of(rows, cpu)) is not None)
    checks = tuple(map(_check_text, switch.check_kernel(costs)))
    return Switching(costs, found, checks, _remarks(run, rows, costs)), ()


def _check_text(one: KernelCheck) -> str:
    relation = "≤" if one.holds else ">"
    doubt = "" if one.holds else ": this cannot be, so one of them is disturbed"
    return (
        f"CPU {one.cpu}, {one.case}: 2 · switch_kernel {format_duration_ns(one.both_switches_ns)} "
        f"{relation} preempt_in + preempt_out {format_duration_ns(one.preemption_ns)} "
        f"(medians){doubt}"
    )


def _remarks(run: Run, rows: Rows, costs: Sequence[Cost]) -> tuple[str, ...]:
    asked = run.manifest.measurement
    names = {one.place.name for one in costs}
    remarks = []
    quantities = asked.quantities if isinstance(asked, SwitchMeasurement) else []
    if "spin" in quantities and model.TICK not in names and len(rows):
        rates = ", ".join(str(rate) for rate in sorted(RATES_HZ))
        reason = _unseen(rows, SPIN) or (
            f"not found; gaps of the victim repeat at none of {rates} Hz (a kernel that "
            "stops its tick while one task runs has none)"
        )
        remarks.append(f"tick: {reason}")
    if "kernel" in quantities and model.SWITCH_KERNEL not in names and len(rows):
        reason = (
            _refusal(run, model.SWITCH_KERNEL)
            or _unseen(rows, KERNEL)
            or "not measured; the kernel recorded no preemption whole, or not twice"
        )
        remarks.append(f"switch_kernel: {reason}")
    if "irq" in quantities and model.IRQ not in names and len(rows):
        reason = _unseen(rows, IRQ) or "no window had exactly one gap and one interrupt at most"
        remarks.append(f"irq: {reason}")
    return tuple(remarks)


def _unseen(rows: Rows, quantity: int) -> str | None:
    """Say that nothing was observed, as of a run that ended before: that finds nothing."""
    if bool(np.any(rows["quantity"] == quantity)):
        return None
    return "not measured; the run has no observation of it"


def _refusal(run: Run, what: str) -> str | None:
    reasons = (one.reason for one in run.manifest.fallbacks if one.what == what)
    return next((f"not measured; {reason}" for reason in reasons), None)


def document(data: RunData) -> dict[str, Any]:
    """Write what costs.json does not hold, for programs."""
    found: Switching = data.findings
    return {
        "ticks": [
            {"cpu": cpu, "rate_hz": tick.rate_hz, "kind": data.kind, "n": tick.lengths_ns.size}
            for cpu, tick in found.ticks
        ],
        "checks": list(found.checks),
        "remarks": list(found.remarks),
    }
