# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From a task set and a cost model to the whole answer of `laxity bound`."""

from collections.abc import Iterator
from dataclasses import dataclass

from laxity.bounds.bound import bound_task_set
from laxity.bounds.bound_priorities import Prioritised, find_priorities, judge_found
from laxity.bounds.document import Answer, CostsUsed, Priorities
from laxity.bounds.members import BOUND_SCHEMA
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted, Choice, account
from laxity.bounds.setup import USUAL, Setup
from laxity.bounds.tasks import tasks_of
from laxity.bounds.verdicts import NOT_SCHEDULABLE, Verdict
from laxity.core.percent import format_percent
from laxity.core.schedulers import Scheduler
from laxity.core.task_set import TaskSet
from laxity.costs.model import Costs

_FOUND = (
    "the file gives no priorities; laxity run gives each task the same then, so this verdict holds "
    "once those found are written: --write-priorities FILE"
)
_NOT_FOUND = (
    "the file gives no priorities, and none were found with which all bounds keep their deadlines"
)
_IMPOSSIBLE = (
    "the file gives no priorities, and with none that differ are all deadlines kept, whatever the "
    "costs"
)
_STATED = (
    "not schedulable takes each stated wcet for a time that jobs do reach; a wcet with a margin in "
    "it proves no miss: name the run with wcet_from, and state the margin with --margin"
)
_EQUAL = "the file gives no priorities, and with this test none are looked for: all have the same"


@dataclass(frozen=True, slots=True)
class CostsGiven:
    """The costs of an answer.

    Attributes:
        model: What the platform costs; None: nothing, as the user said.
        path: Where it is from, as the user named it.
        choice: Which figure of each cost counts.
    """

    model: Costs | None
    path: str | None
    choice: Choice


def answer_task_set(task_set: TaskSet, given: CostsGiven, setup: Setup = USUAL) -> Answer:
    """Bound a task set, with priorities that are found where the file gives none.

    Args:
        task_set: At least one task.
        given: The costs.
        setup: Who schedules them.

    Raises:
        ConfigError: More tasks without priority than there are priorities.
    """
    accounted = _account(task_set, given, setup)
    found = None
    if not task_set.has_priorities and finds_priorities(setup):
        costs = PlatformCosts() if accounted is None else accounted.costs
        found = find_priorities(task_set, costs)
        task_set = found.task_set
        # Only now is it known who may be preempted.
        accounted = _account(task_set, given, setup)
    result = bound_task_set(task_set, accounted, setup)
    if found is not None:
        result = judge_found(result, found)
    priorities = _priorities(task_set, setup, found)
    return Answer(
        schema=BOUND_SCHEMA,
        verdict=result.verdict,
        scheduler=setup.scheduler,
        priorities=priorities,
        tasks=result.tasks,
        cpus=result.cpus,
        partition=result.partition,
        sensitivity=result.sensitivity,
        costs=_used(given, accounted),
        missing=() if accounted is None else accounted.missing,
        not_accounted=(
            *((_left_out(setup),) if accounted is None else accounted.not_accounted),
            *_isolating(task_set),
        ),
        notes=(
            *_notes(priorities),
            *_notes_on_stated(task_set, result.verdict),
            *result.notes,
            *(() if accounted is None else accounted.notes),
        ),
    )


def _isolating(task_set: TaskSet) -> Iterator[str]:
    """Name the tasks between whose jobs something is done that is in no wcet."""
    names = [one.name for one in task_set.tasks if one.is_isolated]
    if names:
        yield (
            f"what isolates the jobs of {', '.join(names)} from one another, a process for the "
            "next one for example: at the task's priority, it makes others later "
            "(laxity suite run says how long it takes)"
        )


def finds_priorities(setup: Setup) -> bool:
    """Tell whether priorities can be looked for with a test: it must not depend on their order."""
    return setup.scheduler is Scheduler.FIXED_PRIORITY and setup.fit is None and setup.sets is None


def _account(task_set: TaskSet, given: CostsGiven, setup: Setup) -> Accounted | None:
    if given.model is None:
        return None
    return account(given.model, tasks_of(task_set.tasks), given.choice, setup)


def _left_out(setup: Setup) -> str:
    """Say what --costs none leaves out."""
    blocks = "" if setup.sets is None else " but blocks that are loaded again"
    return f"all costs of the platform{blocks}: --costs none"


def _used(given: CostsGiven, accounted: Accounted | None) -> CostsUsed:
    if given.model is None or accounted is None:
        return CostsUsed(None, None, None, None, ())
    choice = given.choice
    return CostsUsed(
        path=given.path,
        machine_hash=given.model.machine_hash,
        use=choice.use,
        margin=format_percent(choice.margin_ppm),
        entries=accounted.used,
    )


def _priorities(task_set: TaskSet, setup: Setup, found: Prioritised | None) -> Priorities | None:
    if setup.scheduler.is_edf:
        return None
    if found is None:
        return "stated" if task_set.has_priorities else "equal"
    if found.is_found:
        return "found"
    return "impossible" if found.is_impossible else "not_found"


def _notes_on_stated(task_set: TaskSet, verdict: Verdict) -> Iterator[str]:
    """Say what a miss that follows from stated times rests on."""
    if verdict == NOT_SCHEDULABLE and any(task.observed_ns is None for task in task_set.tasks):
        yield _STATED


def _notes(priorities: Priorities | None) -> tuple[str, ...]:
    said = {
        "found": _FOUND,
        "not_found": _NOT_FOUND,
        "impossible": _IMPOSSIBLE,
        "equal": _EQUAL,
    }
    return (said[priorities],) if priorities in said else ()
