# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Priorities for tasks of one processor that have none: Audsley's algorithm.

From the lowest level upwards, each level goes to a task that passes a test there, with all tasks
not placed yet above it. If the test reads only *which* tasks are above and which below, never their
order, and no task that passes at a level fails at a higher one, then the algorithm finds an order
wherever the test passes one.

Response times in which every job pays for the preemption it makes (overheads.py) do depend on the
order: of two tasks above, the upper one pays for what the lower one loads again. `keeps_deadline`
counts what no order exceeds, a job of a task above paying the largest gamma of any other task, and
of several above each for its wait; all else of it is the same in every order. A task may fail at a
higher level, though, where it comes to stand above one whose gamma or timer is dearer than all that
this one took from it before. So the search is sound, and finds an order at least wherever one keeps
the deadlines with every job paying the largest gamma of any other task, its wait, and the timers of
all tasks: that test has no such tasks.

Sources: Audsley, "On priority assignment in fixed priority scheduling" (2001, technical report
1991); the conditions: Davis and Burns, "Improved optimal priority assignment for global fixed
priority pre-emptive scheduling in multiprocessor real-time systems" (2011), section 4.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from laxity.bounds.overheads import PlatformCosts, load_cpu
from laxity.tasksets.task_model import Task

# Asked of a task, those above it and those below it, in any order; all of one processor.
LevelTest: TypeAlias = Callable[[Task, Sequence[Task], Sequence[Task]], bool]

# Levels that `prioritised` tells apart.
_TASK, _BELOW, _ABOVE = 1, 0, 2
# Fewer than for a verdict: n tasks need up to n² / 2 tests.
_MAX_STEPS = 20_000


def order_tasks(tasks: Sequence[Task], passes: LevelTest) -> tuple[Task, ...] | None:
    """Order the tasks of one processor, the highest priority first.

    Args:
        tasks: Their `priority` is not read. Of several that pass at a level the one with the
            largest D − J gets it, of equal ones the last.
        passes: Reads which tasks are above and below, not their order.

    Returns:
        None: at some level no task passes.

    Source:
        Audsley (2001).
    """
    above = list(by_deadline(tasks))
    below: list[Task] = []
    while above:
        chosen = next(
            (
                place
                for place in reversed(range(len(above)))
                if passes(above[place], above[:place] + above[place + 1 :], below)
            ),
            None,
        )
        if chosen is None:
            return None
        below.append(above.pop(chosen))
    return tuple(reversed(below))


def by_deadline(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Order tasks by D − J, the shortest first; of equal ones the order stays.

    Source:
        Optimal for D <= T without blocking: Zuhily and Burns, "Optimal (D − J)-monotonic priority
        assignment" (2007).
    """
    return tuple(sorted(tasks, key=lambda one: one.deadline_ns - one.jitter_ns))


def prioritised(order: Sequence[Task], highest: int) -> tuple[Task, ...]:
    """Return the first task the highest priority and each next one the next below."""
    return tuple(replace(one, priority=highest - place) for place, one in enumerate(order))


def keeps_deadline(costs: PlatformCosts) -> LevelTest:
    """Make the test of response times with all costs, never lower than in any order of those above.

    Args:
        costs: With gamma of every task, since each may come to be below another one.
    """

    def passes(task: Task, above: Sequence[Task], below: Sequence[Task]) -> bool:
        here = (
            replace(task, priority=_TASK),
            *(replace(one, priority=_ABOVE) for one in above),
            *(replace(one, priority=_BELOW) for one in below),
        )
        # Those above are of equal priority here, so that each may preempt every other task.
        cpu = load_cpu(here, costs)
        response_ns = cpu.response(here[0], _MAX_STEPS, task.deadline_ns).response_ns
        return response_ns is not None and response_ns <= task.deadline_ns

    return passes
