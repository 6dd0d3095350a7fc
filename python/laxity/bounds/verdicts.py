# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What schedulability tests answer, and what a bound with the costs of a platform says.

Three answers, never two: "not schedulable" comes from what happens for certain, so a test that is
only sufficient, or lacks an input, says "not provable".
"""

from dataclasses import dataclass
from typing import Final, Literal

from laxity.bounds.overheads import Breakdown
from laxity.bounds.sensitivity import Sensitivity

SCHEDULABLE: Final = "schedulable"
NOT_SCHEDULABLE: Final = "not_schedulable"
NOT_PROVABLE: Final = "not_provable"
Verdict = Literal["schedulable", "not_schedulable", "not_provable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVerdict:
    """The answer for one task.

    Attributes:
        name: Of the task.
        verdict: The answer.
        response_time_ns: Bound, also beyond the deadline; None: the test gives none.
        deadline_ns: Of the task.
        test: Name of the test.
        source: Paper that it is from.
        exact: The bound is reached: whatever the verdict, it could not be the other one.
        reason: Why nothing is proven; None: it is, or the bound is beyond the deadline.
    """

    name: str
    verdict: Verdict
    response_time_ns: int | None
    deadline_ns: int
    test: str
    source: str
    exact: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVerdict:
    """The answer for a whole set, from a test that does not look at tasks one by one.

    Attributes:
        verdict: The answer.
        test: Name of the test.
        source: Paper that it is from.
        exact: The verdict is that of a test that is necessary as well as sufficient.
        interval_ns: Length of an interval in which the work that must be done exceeds the time;
            None: none was found, or the test knows no intervals.
        demand_ns: That work.
        reason: Why it is so where no interval says it; None: schedulable, or an interval does.
    """

    verdict: Verdict
    test: str
    source: str
    exact: bool
    interval_ns: int | None = None
    demand_ns: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBound:
    """What is proven of one task.

    Attributes:
        cpu: None: any of those in `SetBound.cpus`, or none had room for it.
        priority: None: it does not count.
        response_time_ns: The bound, also beyond the deadline; None: the busy window does not end,
            a cost is missing, or the test gives none.
        exact: The verdict could not be another one: of fixed priorities because the bound is
            reached, of EDF because the test of all tasks is necessary, too.
        jobs: Of the busy window, up to the one that responds last; response = jitter + window −
            (jobs − 1) · period.
        jitter_ns: With the timer latency.
        window_ns: Length of the busy window; `breakdown` says where it goes.
        reason: Why nothing, or not the contrary, is proven; None: schedulable.
    """

    name: str
    cpu: int | None
    priority: int | None
    verdict: Verdict
    response_time_ns: int | None
    deadline_ns: int
    period_ns: int
    test: str
    source: str
    exact: bool
    jobs: int | None
    jitter_ns: int
    window_ns: int | None
    breakdown: Breakdown | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuBound:
    """What is proven of all tasks together that share CPUs, by a test that looks at them together.

    Attributes:
        cpus: One, or all that the tasks may run on.
        exact: The verdict could not be the other one.
        utilisation_ppm: Of one CPU, without the platform's costs.
        interval_ns: Length of an interval with more work than time; None: there is none, or the
            test knows no intervals.
        demand_ns: That work.
        reason: Why nothing, or not the contrary, is proven; None: schedulable.
    """

    cpus: tuple[int, ...]
    verdict: Verdict
    test: str
    source: str
    exact: bool
    utilisation_ppm: int
    interval_ns: int | None
    demand_ns: int | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class TasksOfCpu:
    """The names of the tasks that a CPU was given, in the order in which they were placed."""

    cpu: int
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a partition put tasks; `unplaced`: no CPU had room for them."""

    fit: str
    cpus: tuple[TasksOfCpu, ...]
    unplaced: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetBound:
    """The verdict of a task set, and that of each task in the order of the file.

    Attributes:
        cpus: What was found of all tasks of a CPU together; empty: the tests look at single tasks.
        partition: None: tasks were not shared out.
        sensitivity: None: a cost is missing, tasks take turns, it is not known for these tests, or
            was not asked for.
    """

    verdict: Verdict
    tasks: tuple[TaskBound, ...]
    cpus: tuple[CpuBound, ...] = ()
    partition: Placement | None = None
    sensitivity: Sensitivity | None = None
    notes: tuple[str, ...] = ()
