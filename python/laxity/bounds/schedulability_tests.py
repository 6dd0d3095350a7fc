# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Every schedulability test, registered once: for bounds, for partitions, and for drawn sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from types import MappingProxyType

from laxity.bounds import bound_edf, bound_fixed_priority
from laxity.bounds.bound_cache_sets import bound_by_cache_sets, find_late_by_sets
from laxity.bounds.bound_global import bound_global, find_unproven
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.sensitivity import find_late_response
from laxity.bounds.setup import Setup
from laxity.bounds.tasks import has_costs, share_turns
from laxity.bounds.verdicts import CpuBound, TaskBound
from laxity.core.schedulers import Scheduler, SetTest
from laxity.core.task_set import DeclaredTask
from laxity.tasksets.task_model import Task


def _never(_declared: Sequence[DeclaredTask], _costs: PlatformCosts) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulabilityTest:
    """What is asked of tasks; unless `bound` is, of those that the tests read, with all costs.

    Attributes:
        bound: Verdicts and response times, from above and from below; with them what is found of
            all tasks of a CPU together, if the test looks at them together. Costs None: one is
            missing.
        find_late: Names a task that is not proven to keep its deadline; None: there is none.
        is_proven: Of the tasks of one CPU, whether there is none, with fewest sums; None: as
            `find_late` has it.
        has_turns: Whether tasks that take turns delay others for a time that nothing bounds.
        covers_all: Whether it judges tasks of any deadline, jitter and blocking. Of other tests
            it is not told how far an answer is where the shortest tasks would not pass, either.
        why_no_response: Why a task that is schedulable may have no response time; empty: it goes
            without saying.
    """

    bound: Callable[
        [Sequence[DeclaredTask], PlatformCosts | None, Setup],
        tuple[tuple[TaskBound, ...], tuple[CpuBound, ...]],
    ]
    find_late: Callable[[Sequence[Task], PlatformCosts, Setup], str | None]
    is_proven: Callable[[Sequence[Task], PlatformCosts, Setup], bool] | None = None
    has_turns: Callable[[Sequence[DeclaredTask], PlatformCosts], bool] = _never
    covers_all: bool = False
    why_no_response: str = ""

    def keeps_deadlines(self, tasks: Sequence[Task], costs: PlatformCosts, setup: Setup) -> bool:
        """Tell whether the tasks of one CPU are proven to keep their deadlines."""
        if self.is_proven is not None:
            return self.is_proven(tasks, costs, setup)
        return self.find_late(tasks, costs, setup) is None


@dataclass(frozen=True, slots=True)
class DrawnTest:
    """How a drawn set is put to a test.

    Attributes:
        scheduler: Whose test.
        order: The task with the least figure gets the highest priority; None: they do not count.
        title: As tables and figures call it.
        meaning: For the report.
    """

    scheduler: Scheduler
    order: Callable[[Task], int] | None
    title: str
    meaning: str


def choose_test(setup: Setup) -> SchedulabilityTest:
    """Choose the test of tasks that run in a given way."""
    if setup.scheduler is Scheduler.FIXED_PRIORITY and setup.sets is not None:
        return _FIXED_PRIORITY_BY_SETS
    return _TESTS[setup.scheduler]


_FIXED_PRIORITY = SchedulabilityTest(
    bound=lambda declared, costs, _: (
        bound_fixed_priority.bound_fixed_priority(declared, costs),
        (),
    ),
    find_late=lambda tasks, costs, _: find_late_response(tasks, costs),
    is_proven=lambda tasks, costs, _: bound_fixed_priority.keeps_deadlines(tasks, costs),
    has_turns=lambda declared, costs: bool(bound_fixed_priority.take_turns(declared, costs)),
    covers_all=True,
)
_FIXED_PRIORITY_BY_SETS = SchedulabilityTest(
    bound=lambda declared, costs, setup: (bound_by_cache_sets(declared, costs, setup), ()),
    find_late=find_late_by_sets,
    has_turns=_FIXED_PRIORITY.has_turns,
)
_GLOBAL_EDF = SchedulabilityTest(bound=bound_global, find_late=find_unproven)
_TESTS: Mapping[Scheduler, SchedulabilityTest] = MappingProxyType(
    {
        Scheduler.FIXED_PRIORITY: _FIXED_PRIORITY,
        Scheduler.EDF: SchedulabilityTest(
            bound=bound_edf.bound_edf,
            find_late=bound_edf.find_late,
            is_proven=bound_edf.keeps_deadlines,
            why_no_response="their busy windows hold more releases than are looked at",
        ),
        Scheduler.GLOBAL_EDF: _GLOBAL_EDF,
        Scheduler.GLOBAL_FIXED_PRIORITY: replace(
            _GLOBAL_EDF,
            has_turns=lambda declared, costs: share_turns(declared) and has_costs(costs),
        ),
    }
)
DRAWN_TESTS: Mapping[SetTest, DrawnTest] = MappingProxyType(
    {
        SetTest.RATE_MONOTONIC: DrawnTest(
            Scheduler.FIXED_PRIORITY,
            attrgetter("period_ns"),
            "rate-monotonic",
            "fixed priorities, shorter periods higher; response time analysis",
        ),
        SetTest.DEADLINE_MONOTONIC: DrawnTest(
            Scheduler.FIXED_PRIORITY,
            attrgetter("deadline_ns"),
            "deadline-monotonic",
            "fixed priorities, shorter deadlines higher; response time analysis",
        ),
        SetTest.EDF: DrawnTest(
            Scheduler.EDF, None, "EDF", "earliest deadline first; processor demand"
        ),
    }
)
