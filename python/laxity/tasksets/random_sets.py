# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets drawn at random with a given utilisation: how any is, and those that are analysed.

What is drawn of a task that is only analysed stands here: C, T, D, working set. What is drawn of
one that runs stands in task_sets.py.
"""

import hashlib
import random
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from laxity.tasksets.experiment_spec import Deadlines, Experiment, Generator
from laxity.tasksets.periods import draw_period_ns, log_uniform
from laxity.tasksets.task_model import Task
from laxity.tasksets.utilisations import rand_fixed_sum, uunifast_discard

PPM = 1_000_000
Drawn = TypeVar("Drawn")
_SIGNIFICANT_BITS = 5


_SPLIT: Mapping[Generator, Callable[[int, float, random.Random], list[float]]] = MappingProxyType(
    {
        Generator.UUNIFAST_DISCARD: uunifast_discard,
        Generator.RAND_FIXED_SUM: rand_fixed_sum,
    }
)


def set_seed(seed: int, utilisation_ppm: int, number: int) -> int:
    """Return the seed of one set: any set can be drawn alone, so no order of drawing matters.

    Args:
        seed: Of the experiment.
        utilisation_ppm: Of the set, parts per million.
        number: Of the set among those of its utilisation.
    """
    text = f"laxity set {seed} {utilisation_ppm} {number}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def draw_set(experiment: Experiment, utilisation_ppm: int, seed: int) -> tuple[Task, ...]:
    """Draw a task set that is only analysed, as `draw_tasks` does.

    C is rounded down to whole nanoseconds, at least one: a set is never asked for more than the
    utilisation, which at 100 % would be another question, and for hardly less.

    Args:
        experiment: What is drawn from.
        utilisation_ppm: Above 1,000,000 for several CPUs.
        seed: From `set_seed`.

    Returns:
        Tasks of priority 0 on CPU 0, in the order in which they were drawn.
    """
    draw_task = partial(_draw_task, experiment)
    return draw_tasks(experiment.generator, experiment.tasks, utilisation_ppm, seed, draw_task)


def draw_tasks(
    generator: Generator,
    n_tasks: int,
    utilisation_ppm: int,
    seed: int,
    draw_task: Callable[[int, float, random.Random], Drawn],
) -> tuple[Drawn, ...]:
    """Split a utilisation, then draw each task; the same arguments give the same set again.

    Args:
        generator: How the utilisation is split.
        n_tasks: At least 1.
        utilisation_ppm: Of all tasks together, parts per million.
        seed: Any whole number from 0 on.
        draw_task: Draws one, given its place, its utilisation and where random numbers come from.

    Raises:
        ValueError: The tasks cannot have such a utilisation.
    """
    numbers = random.Random(seed)  # noqa: S311 - reproducible on purpose
    shares = _SPLIT[generator](n_tasks, utilisation_ppm / PPM, numbers)
    return tuple(draw_task(index, share, numbers) for index, share in enumerate(shares))


def _draw_task(experiment: Experiment, index: int, share: float, numbers: random.Random) -> Task:
    period_ns = draw_period_ns(experiment.periods, numbers)
    wcet_ns = min(max(1, int(share * period_ns)), period_ns)
    deadline_ns = period_ns
    if experiment.deadlines is Deadlines.CONSTRAINED:
        deadline_ns = wcet_ns + int(numbers.random() * (period_ns - wcet_ns + 1))
    return Task(
        name=f"t{index}",
        wcet_ns=wcet_ns,
        period_ns=period_ns,
        deadline_ns=deadline_ns,
        working_set_bytes=_draw_working_set(experiment.working_set_bytes, numbers),
    )


def _draw_working_set(range_bytes: tuple[int, int] | None, numbers: random.Random) -> int | None:
    if range_bytes is None:
        return None
    low, high = range_bytes
    drawn = int(log_uniform(low, high, numbers))
    return min(max(_rounded_up(drawn), low), high)


def possible_sizes(low_bytes: int, high_bytes: int) -> list[int]:
    """List the working sets that are drawn from a range: few, so that each costs one look-up."""
    sizes = [low_bytes]
    while sizes[-1] < high_bytes:
        sizes.append(min(_rounded_up(sizes[-1] + 1), high_bytes))
    return sizes


def _rounded_up(size_bytes: int) -> int:
    """Round up to `_SIGNIFICANT_BITS`, by a sixteenth at most."""
    step = 1 << max(0, size_bytes.bit_length() - _SIGNIFICANT_BITS)
    return -(-size_bytes // step) * step
