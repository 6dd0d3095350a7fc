# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How far a verdict is from being another one: the largest factors on C, delta and gamma.

Each is varied alone. A larger one never makes a bound shorter, so bisection finds the largest with
which every bound keeps its deadline.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from laxity.bounds.overheads import PlatformCosts, load_cpus
from laxity.tasksets.task_model import Task

PPM = 1_000_000
# Beyond a thousand times nothing is learned, nor below a thousandth.
MAX_FACTOR_PPM = 1000 * PPM
# Thousandths: finer than any wcet is known.
STEP_PPM = 1000
_MAX_STEP = MAX_FACTOR_PPM // STEP_PPM
# Fewer than for a verdict, since each of some hundred trials may need them all.
_MAX_ITERATIONS = 20_000

# Names the first task whose bound is beyond its deadline; None: all are in time.
FindLate: TypeAlias = Callable[[Sequence[Task], PlatformCosts], str | None]


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor on one figure, up to which every bound keeps its deadline.

    Attributes:
        factor_ppm: Parts per million, in steps of `STEP_PPM`, on the safe side; None: no factor
            that was tried keeps all deadlines.
        critical_task: The one that is late one step further, with None at the best of all factors;
            None: none is, at the worst of all factors.
    """

    factor_ppm: int | None
    critical_task: str | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What may change before the first bound exceeds its deadline, one figure at a time.

    Attributes:
        wcet: The largest on C of all tasks; below 1,000,000: C has to shrink.
        delta: The largest on the cost of switches, 0 included; None: they cost nothing.
        gamma: The largest on every gamma, migration and block that is loaded again, 0 included;
            None: no task loads anything again.
        speed: The least speed at which all is in time: C / speed, all costs as they are. A cache
            miss and an interrupt do not take less time because the processor computes faster.
    """

    wcet: Factor
    delta: Factor | None
    gamma: Factor | None
    speed: Factor


def sensitivity(
    tasks: Sequence[Task], costs: PlatformCosts, find_late: FindLate | None = None
) -> Sensitivity:
    """Find the factors by bisection.

    Args:
        tasks: All of the set.
        costs: What counts beside them.
        find_late: The test; left out: response times of fixed priorities.
    """
    late = find_late or find_late_response
    delta = gamma = None
    if costs.switch_ns:
        delta = _largest(lambda ppm: late(tasks, _with_switch(costs, ppm)), 0)
    if any((*costs.gamma_ns.values(), *costs.migration_ns.values(), costs.block_reload_ns)):
        gamma = _largest(lambda ppm: late(tasks, _with_gamma(costs, ppm)), 0)
    return Sensitivity(
        wcet=_largest(lambda ppm: late(_with_wcet(tasks, ppm, PPM), costs), 1),
        delta=delta,
        gamma=gamma,
        speed=_least(lambda ppm: late(_with_wcet(tasks, PPM, ppm), costs)),
    )


def find_late_response(tasks: Sequence[Task], costs: PlatformCosts) -> str | None:
    """Name the first task whose response time is beyond its deadline, or was not found."""
    cpus = load_cpus(tasks, costs)
    for one in tasks:
        if not cpus[one.cpu].keeps_deadline(one, _MAX_ITERATIONS):
            return one.name
    return None


def _with_wcet(tasks: Sequence[Task], factor_ppm: int, speed_ppm: int) -> tuple[Task, ...]:
    return tuple(replace(one, wcet_ns=-(-one.wcet_ns * factor_ppm // speed_ppm)) for one in tasks)


def _with_switch(costs: PlatformCosts, factor_ppm: int) -> PlatformCosts:
    out_ns = costs.preempt_out_ns
    return replace(
        costs,
        switch_ns=_scale(costs.switch_ns, factor_ppm),
        preempt_out_ns=None if out_ns is None else _scale(out_ns, factor_ppm),
    )


def _with_gamma(costs: PlatformCosts, factor_ppm: int) -> PlatformCosts:
    return replace(
        costs,
        gamma_ns={name: _scale(ns, factor_ppm) for name, ns in costs.gamma_ns.items()},
        migration_ns={name: _scale(ns, factor_ppm) for name, ns in costs.migration_ns.items()},
        block_reload_ns=_scale(costs.block_reload_ns, factor_ppm),
    )


def _scale(value_ns: int, factor_ppm: int) -> int:
    return -(-value_ns * factor_ppm // PPM)


def _largest(late: Callable[[int], str | None], least_step: int) -> Factor:
    """Find the largest factor at which nothing is late; `late` takes parts per million."""
    if late(MAX_FACTOR_PPM) is None:
        return Factor(MAX_FACTOR_PPM, None)
    critical = late(least_step * STEP_PPM)
    if critical is not None:
        return Factor(None, critical)
    kept, failed = least_step, _MAX_STEP
    while failed - kept > 1:
        middle = (kept + failed) // 2
        if late(middle * STEP_PPM) is None:
            kept = middle
        else:
            failed = middle
    return Factor(kept * STEP_PPM, late(failed * STEP_PPM))


def _least(late: Callable[[int], str | None]) -> Factor:
    """Find the least factor at which nothing is late: the largest of the steps counted down."""
    turned = MAX_FACTOR_PPM + STEP_PPM
    found = _largest(lambda ppm: late(turned - ppm), 1)
    if found.factor_ppm is None:
        return found
    return Factor(turned - found.factor_ppm, found.critical_task)
