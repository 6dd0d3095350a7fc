# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One figure of a baseline against the same figure of something new, and what that shows.

A difference counts where its 95 % interval, widened on both sides by the noise floor, leaves out
zero. Nothing measured is ever called "equal": what is not shown may be there. Figures of simulated
runs are exact, so that each difference is a fact, and none is "equal".
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["measured", "simulated", "modelled", "proven"]
Verdict = Literal[
    "longer",
    "shorter",
    "below_noise_floor",
    "no_difference_shown",
    "equal",
    "not_judged",
    "no_verdict",
]
LONGER: Verdict = "longer"
SHORTER: Verdict = "shorter"
BELOW_FLOOR: Verdict = "below_noise_floor"
NO_DIFFERENCE: Verdict = "no_difference_shown"
EQUAL: Verdict = "equal"
NOT_JUDGED: Verdict = "not_judged"
NO_VERDICT: Verdict = "no_verdict"

_PERCENT = 100
_FEWEST_RUNS = 2
_BETWEEN, _DRIFT = "between", "drift"
# Student's t, quantile 0.975, by degrees of freedom from 1 on; beyond them it changes little.
_STUDENT_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """One figure of one side; `low` and `high` are its own 95 % interval, None: it has none."""

    value: int
    n: int
    n_effective: int | None = None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class FloorPart:
    """Something that makes figures differ where nothing has changed."""

    what: str
    value: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of both sides; all in `unit`.

    Attributes:
        subject: Name of the task, or of the cost with its axes.
        quantity: `response`, ..., or the name of the cost.
        statistic: `median`, `p90`, `p99`, `p99.9`, `max`.
        unit: ns or ps.
        kind: measured, simulated, modelled (of estimated releases), proven; of both sides.
        base: Of the baseline; None: it has none.
        new: Of what is compared with it.
        shift: new - base.
        low: Lower end of the interval of the shift; None: it has none.
        high: Upper end.
        floor: The noise floor: the largest of its parts.
        floor_parts: What it was taken from.
        verdict: What is shown.
        reason: Why there is no verdict.
        axes: Of a cost: those that it depends on.
        is_exact: Nothing is random on either side: there is no interval and no noise floor.
        is_predicted: NEW simulated what BASE measured, and both are worth something.
        drift: The largest difference between parts of one run, of either side; None: too few jobs.
        parts_low: The least difference between a part of NEW and a part of BASE; None: too few.
        parts_high: The largest one.
    """

    subject: str
    quantity: str
    statistic: str
    unit: Literal["ns", "ps"]
    kind: Kind
    base: Point | None
    new: Point | None
    shift: int | None
    low: int | None
    high: int | None
    floor: int
    floor_parts: tuple[FloorPart, ...]
    verdict: Verdict
    reason: str | None = None
    axes: tuple[tuple[str, int | str], ...] = ()
    is_exact: bool = False
    is_predicted: bool = False
    drift: int | None = None
    parts_low: int | None = None
    parts_high: int | None = None

    @property
    def ratio(self) -> float | None:
        """NEW / BASE; None: one of them is not above 0."""
        if self.base is None or self.new is None or min(self.base.value, self.new.value) <= 0:
            return None
        return self.new.value / self.base.value

    @property
    def shift_percent(self) -> float | None:
        """The shift in percent of the baseline."""
        return self.in_percent(self.shift)

    @property
    def knows_scatter(self) -> bool:
        """Whether the noise floor holds what several runs of one side differ in."""
        return any(part.what.startswith(_BETWEEN) for part in self.floor_parts)

    @property
    def floor_without_drift(self) -> int:
        """The noise floor of parts of runs, between which drift is seen."""
        return largest(tuple(part for part in self.floor_parts if not part.what.startswith(_DRIFT)))

    def in_percent(self, value: int | None) -> float | None:
        """Return a difference in percent of the baseline; None unless that is above zero."""
        if value is None or self.base is None or self.base.value <= 0:
            return None
        return _PERCENT * value / self.base.value


def judge(low: int, high: int, floor: int) -> Verdict:
    """Say what an interval shows.

    Args:
        low: Lower end of the interval of a shift.
        high: Upper end.
        floor: Noise floor, at least 0, of the same unit.
    """
    if low - floor > 0:
        return LONGER
    if high + floor < 0:
        return SHORTER
    return NO_DIFFERENCE if low <= 0 <= high else BELOW_FLOOR


def judge_exact(shift: int) -> Verdict:
    """Say what an exact difference is."""
    return LONGER if shift > 0 else SHORTER if shift < 0 else EQUAL


def between_runs(values: Sequence[int]) -> tuple[FloorPart, ...]:
    """Say how far two runs of one side may differ, from several of them.

    The difference of two values of standard deviation s has one of s * sqrt(2); as s is estimated
    from n values, Student's t with n - 1 degrees of freedom makes it a limit of 95 %.

    Args:
        values: The same figure of the baseline and of runs made as it was.

    Returns:
        Nothing of a single run: its scatter is not known.
    """
    n = len(values)
    if n < _FEWEST_RUNS:
        return ()
    t = _STUDENT_T[min(n - 1, len(_STUDENT_T)) - 1]
    limit = math.ceil(t * math.sqrt(2) * statistics.stdev(values))
    return (FloorPart(f"{_BETWEEN} {n} runs of BASE", limit),)


def largest(parts: tuple[FloorPart, ...]) -> int:
    """Return the noise floor that its parts make."""
    return max((part.value for part in parts), default=0)
