# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How much longer all tasks may run before a bound meets its deadline: the largest factor on C."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from laxity.analysis.overheads import PlatformCosts, with_overheads
from laxity.analysis.response_time import response_time
from laxity.analysis.task_model import Task

PPM = 1_000_000
# Beyond a thousand times nothing is learned.
MAX_FACTOR_PPM = 1000 * PPM
# Thousandths: finer than any wcet is known.
STEP_PPM = 1000
# Fewer than for a verdict, since each of some twenty trials may need them all.
_MAX_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The largest factor on all C with which every bound keeps its deadline.

    Attributes:
        factor_ppm: Parts per million, in steps of `STEP_PPM`, rounded down; below 1,000,000: C has
            to shrink; None: not even a thousandth of it keeps all deadlines.
        critical_task: The one that is late first; None: none is, up to `MAX_FACTOR_PPM`.
    """

    factor_ppm: int | None
    critical_task: str | None


def sensitivity(tasks: Sequence[Task], costs: PlatformCosts) -> Sensitivity:
    """Find the largest factor by bisection; a longer C never makes a bound shorter."""
    if _late(tasks, costs, MAX_FACTOR_PPM) is None:
        return Sensitivity(MAX_FACTOR_PPM, None)
    kept, failed = 0, MAX_FACTOR_PPM // STEP_PPM
    while failed - kept > 1:
        middle = (kept + failed) // 2
        if _late(tasks, costs, middle * STEP_PPM) is None:
            kept = middle
        else:
            failed = middle
    return Sensitivity(kept * STEP_PPM or None, _late(tasks, costs, failed * STEP_PPM))


def _late(tasks: Sequence[Task], costs: PlatformCosts, factor_ppm: int) -> str | None:
    """Name the first task whose bound is beyond its deadline; None: all are in time."""
    scaled = [replace(one, wcet_ns=-(-one.wcet_ns * factor_ppm // PPM)) for one in tasks]
    for one in scaled:
        loaded = with_overheads(one, scaled, costs)
        before = (*loaded.interfering, *loaded.interrupts)
        response_ns = response_time(loaded.task, before, _MAX_STEPS, one.deadline_ns).response_ns
        if response_ns is None or response_ns > one.deadline_ns:
            return one.name
    return None
