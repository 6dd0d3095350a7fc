# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets for experiments, drawn at random with a given utilisation.

`laxity.analysis.task_sets` draws what runs; this draws what is only analysed: C, T, D, working set.
"""

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from laxity.analysis.periods import Periods, draw_period_ns, log_uniform
from laxity.analysis.task_model import Task
from laxity.analysis.utilisations import rand_fixed_sum, uunifast_discard
from laxity.model.experiment_spec import Deadlines, Generator

PPM = 1_000_000
_SIGNIFICANT_BITS = 5


@dataclass(frozen=True, slots=True)
class Recipe:
    """What sets are drawn from.

    Attributes:
        n_tasks: Of each set.
        working_set_bytes: Smallest and largest, log-uniform between; None: not known.
    """

    n_tasks: int
    generator: Generator
    periods: Periods
    deadlines: Deadlines
    working_set_bytes: tuple[int, int] | None


_SPLIT: Mapping[Generator, Callable[[int, float, random.Random], list[float]]] = MappingProxyType(
    {
        Generator.UUNIFAST_DISCARD: uunifast_discard,
        Generator.RAND_FIXED_SUM: rand_fixed_sum,
    }
)


def set_seed(seed: int, utilisation_ppm: int, number: int) -> int:
    """Give the seed of one set: any set can be drawn alone, so no order of drawing matters.

    Args:
        seed: Of the experiment.
        utilisation_ppm: Of the set, parts per million.
        number: Of the set among those of its utilisation.
    """
    text = f"laxity set {seed} {utilisation_ppm} {number}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def draw_set(recipe: Recipe, utilisation_ppm: int, seed: int) -> tuple[Task, ...]:
    """Draw a task set; the same arguments give the same one again.

    C is rounded down to whole nanoseconds, at least one: a set is never asked for more than the
    utilisation, which at 100 % would be another question, and for hardly less.

    Args:
        recipe: What is drawn from.
        utilisation_ppm: Of all tasks together, parts per million; above 1,000,000 for several CPUs.
        seed: From `set_seed`.

    Returns:
        Tasks of priority 0 on CPU 0, in the order in which they were drawn.

    Raises:
        ValueError: The tasks cannot have such a utilisation.
    """
    numbers = random.Random(seed)  # noqa: S311 - reproducible on purpose
    split = _SPLIT[recipe.generator]
    shares = split(recipe.n_tasks, utilisation_ppm / PPM, numbers)
    return tuple(_draw_task(recipe, index, share, numbers) for index, share in enumerate(shares))


def _draw_task(recipe: Recipe, index: int, share: float, numbers: random.Random) -> Task:
    period_ns = draw_period_ns(recipe.periods, numbers)
    wcet_ns = min(max(1, int(share * period_ns)), period_ns)
    deadline_ns = period_ns
    if recipe.deadlines is Deadlines.CONSTRAINED:
        deadline_ns = wcet_ns + int(numbers.random() * (period_ns - wcet_ns + 1))
    return Task(
        name=f"t{index}",
        wcet_ns=wcet_ns,
        period_ns=period_ns,
        deadline_ns=deadline_ns,
        working_set_bytes=_draw_working_set(recipe.working_set_bytes, numbers),
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
