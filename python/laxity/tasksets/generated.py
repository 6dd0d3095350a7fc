# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets drawn at random: number, code and data size, miss ratio, cycle time, priorities.

Source: Sebek, "The real cost of task pre-emptions", section 3.1: "synthetically generated task sets
where the amount of tasks and the data and instruction size of all the tasks were generated.
Priorities, miss-ratio, cache locking and cycle time can also be set."
"""

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from laxity.tasksets.experiment_spec import Generator, LogUniform
from laxity.tasksets.locality import uses
from laxity.tasksets.periods import draw_period_ns
from laxity.tasksets.random_sets import draw_tasks

NS_PER_US = 1000
MAX_PASSES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a processor the tasks together are to take.

    Attributes:
        utilisation: Parts per million.
        uses_per_us: What the processor is taken to do: instructions and reads in a microsecond.
    """

    utilisation: int
    uses_per_us: int


@dataclass(frozen=True, slots=True)
class Request:
    """What is drawn from.

    Attributes:
        n_tasks: Number of tasks.
        line_bytes: Of a cache line.
        code_bytes: Whole lines; None: no code.
        code_ratio: Spatial miss ratio, parts per million.
        data_bytes: Whole lines; None: no data.
        data_ratio: Likewise.
        periods: Cycle times.
        work: Passes of each job, or the share of the processor that decides them.
        priorities: One for each task; empty: rate-monotonic from `highest_priority` down.
        highest_priority: Of the task of the shortest period.
    """

    n_tasks: int
    line_bytes: int
    code_bytes: Range | None
    code_ratio: Range
    data_bytes: Range | None
    data_ratio: Range
    periods: LogUniform
    work: Range | Share
    priorities: tuple[int, ...]
    highest_priority: int


@dataclass(frozen=True, slots=True)
class DrawnTask:
    """One task; sizes 0: none."""

    line_bytes: int
    code_bytes: int
    code_ratio: int
    data_bytes: int
    data_ratio: int
    passes: int
    period_ns: int
    priority: int

    @property
    def instructions(self) -> int:
        """Executed in generated code in one pass."""
        return uses(self.code_bytes, self.line_bytes, self.code_ratio)

    @property
    def reads(self) -> int:
        """Words of data read in one pass."""
        return uses(self.data_bytes, self.line_bytes, self.data_ratio)

    def utilisation(self, uses_per_us: int) -> Fraction:
        """Return its share of a processor that does so many uses in a microsecond; 1: all of it."""
        done = (self.instructions + self.reads) * self.passes
        return Fraction(done * NS_PER_US, uses_per_us * self.period_ns)


def draw_task_set(request: Request, seed: int) -> tuple[DrawnTask, ...]:
    """Draw a task set; the same request and seed give the same one again.

    Sizes and miss ratios are uniform; periods are log-uniform multiples of the shortest one. Under
    a `Share` the utilisations of the tasks are uniform among those that add up to the whole.

    Args:
        request: What is drawn from.
        seed: Any whole number from 0 on.

    Returns:
        The tasks, shortest period first.

    Raises:
        ValueError: A task would need more passes than a job can have.
    """
    # Without a utilisation the shares mean nothing.
    whole = request.work.utilisation if isinstance(request.work, Share) else 0
    draw_task = partial(_draw_task, request)
    drawn = draw_tasks(Generator.UUNIFAST_DISCARD, request.n_tasks, whole, seed, draw_task)
    ordered = sorted(drawn, key=lambda task: task.period_ns)
    # Left out: one level for each task, shorter periods first.
    priorities = request.priorities or [request.highest_priority - i for i in range(len(ordered))]
    return tuple(
        replace(task, priority=priority) for task, priority in zip(ordered, priorities, strict=True)
    )


def _draw_task(request: Request, _index: int, share: float, numbers: random.Random) -> DrawnTask:
    task = DrawnTask(
        line_bytes=request.line_bytes,
        code_bytes=_draw_size(request.code_bytes, request.line_bytes, numbers),
        code_ratio=_draw(request.code_ratio, numbers),
        data_bytes=_draw_size(request.data_bytes, request.line_bytes, numbers),
        data_ratio=_draw(request.data_ratio, numbers),
        passes=1,
        period_ns=draw_period_ns(request.periods, numbers),
        priority=request.highest_priority,
    )
    if isinstance(request.work, Range):
        passes = _draw(request.work, numbers)
    else:
        one_pass = float(task.utilisation(request.work.uses_per_us))
        passes = max(1, round(share / one_pass))
    if passes > MAX_PASSES:
        msg = f"a task would need {passes} passes a job"
        raise ValueError(msg)
    return replace(task, passes=passes)


def _draw(numbers_from: Range, numbers: random.Random) -> int:
    """Draw uniformly; only random() is promised to stay the same in every Python."""
    return numbers_from.low + int(numbers.random() * (numbers_from.high - numbers_from.low + 1))


def _draw_size(size_bytes: Range | None, line_bytes: int, numbers: random.Random) -> int:
    if size_bytes is None:
        return 0
    lines = Range(size_bytes.low // line_bytes, size_bytes.high // line_bytes)
    return _draw(lines, numbers) * line_bytes
