# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a bound says in words, the same on a terminal and in a report."""

from collections.abc import Callable
from dataclasses import dataclass

from laxity.bounds.document import Answer
from laxity.bounds.overheads import Breakdown
from laxity.bounds.sensitivity import MAX_FACTOR_PPM, STEP_PPM, Factor, Sensitivity
from laxity.core.cpus import format_cpus
from laxity.core.percent import show_percent


@dataclass(frozen=True, slots=True)
class PartOfWindow:
    """A part of a busy window: its name, its colour, its length in ns."""

    label: str
    ink: str
    of: Callable[[Breakdown], int]


# In the order in which they are stacked.
PARTS = (
    PartOfWindow("own execution", "execution", lambda parts: parts.wcet_ns),
    PartOfWindow("execution of other tasks", "latency", lambda parts: parts.interference_ns),
    PartOfWindow("contention", "contention", lambda parts: parts.contention_ns),
    PartOfWindow("switches (2 δ)", "rest", lambda parts: parts.delta_ns),
    PartOfWindow(
        "caches (\N{GREEK SMALL LETTER GAMMA})", "interfered", lambda parts: parts.gamma_ns
    ),
    PartOfWindow("migrations", "skipped", lambda parts: parts.migration_ns),
    PartOfWindow("interrupts", "missed", lambda parts: parts.interrupts_ns),
    PartOfWindow("blocking", "deadline", lambda parts: parts.blocking_ns),
    PartOfWindow("a switch under way", "muted", lambda parts: parts.switch_blocking_ns),
)
_LATE_ANYWAY = "is late by costs, blocking and jitter alone"


def reasons(answer: Answer) -> tuple[str, ...]:
    """Say why nothing more is proven, once: tasks judged together share the reason of their CPU."""
    of_cpus = {one.reason for one in answer.cpus}
    return (
        *(f"CPU {format_cpus(one.cpus)}: {one.reason}" for one in answer.cpus if one.reason),
        *(
            f"{one.name}: {one.reason}"
            for one in answer.tasks
            if one.reason and one.reason not in of_cpus
        ),
    )


def sensitivity_lines(found: Sensitivity) -> tuple[str, ...]:
    """Say what may change before the first bound exceeds its deadline, one figure at a time."""
    lines = [_wcet_line(found.wcet)]
    if found.delta is not None:
        lines.append(_cost_line(found.delta, "delta", "switches"))
    if found.gamma is not None:
        lines.append(_cost_line(found.gamma, "gamma", "cache reloads"))
    return (*lines, _speed_line(found.speed))


def _wcet_line(found: Factor) -> str:
    if found.factor_ppm is None:
        return f"no shorter wcet helps: {found.critical_task} {_LATE_ANYWAY}"
    factor = show_percent(found.factor_ppm)
    if found.factor_ppm == MAX_FACTOR_PPM:
        return f"all wcet may grow to {factor} and more"
    return f"all wcet may be {factor} of what is stated; then {found.critical_task} is late first"


def _cost_line(found: Factor, name: str, what: str) -> str:
    if found.factor_ppm is None:
        return f"no cheaper {what} help: {found.critical_task} is late without them"
    if found.factor_ppm == 0:
        return f"{what} must cost nothing: with any {name} {found.critical_task} is late"
    factor = show_percent(found.factor_ppm)
    if found.factor_ppm == MAX_FACTOR_PPM:
        return f"{name} may grow to {factor} and more"
    return f"{name} may be {factor} of what is counted; then {found.critical_task} is late first"


def _speed_line(found: Factor) -> str:
    if found.factor_ppm is None:
        return f"no faster processor helps: {found.critical_task} {_LATE_ANYWAY}"
    speed = show_percent(found.factor_ppm)
    if found.factor_ppm == STEP_PPM:
        return f"a processor of {speed} of the speed is fast enough, and perhaps a slower one"
    return f"a processor of {speed} of the speed is fast enough, if only C scales with it"
