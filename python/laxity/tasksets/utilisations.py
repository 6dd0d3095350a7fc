# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Utilisations of the tasks of a set, drawn at random so that they add up to a given total.

All are uniform over what is possible: of the points (u_1, …, u_n) with the given sum none is
likelier than another. Sums that are not uniform decide what an experiment shows (Bini, Buttazzo).

Only `random.Random.random` is used, the one method that is promised to give the same numbers in
every Python.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

# Draws before UUniFast-discard gives up. Emberson et al.: it serves while more than one of some
# hundreds is kept; beyond that RandFixedSum does the same without any waste.
MAX_TRIES = 10_000


def uunifast(n_tasks: int, total: float, numbers: random.Random) -> list[float]:
    """Split a utilisation uniformly (UUniFast).

    Args:
        n_tasks: At least 1.
        total: What they add up to; above 1 a single one may be above 1, too.
        numbers: Where random numbers come from.

    Source:
        Bini, Buttazzo, "Measuring the performance of schedulability tests", Real-Time Systems 30,
        2005, figure 2.
    """
    rest = total
    drawn = []
    for others in range(n_tasks - 1, 0, -1):
        next_rest = rest * numbers.random() ** (1 / others)
        drawn.append(rest - next_rest)
        rest = next_rest
    return [*drawn, rest]


def uunifast_discard(n_tasks: int, total: float, numbers: random.Random) -> list[float]:
    """Split a utilisation uniformly among tasks of which none needs more than a processor.

    Args:
        n_tasks: At least 1.
        total: What they add up to, at most `n_tasks`.
        numbers: Where random numbers come from.

    Raises:
        ValueError: `MAX_TRIES` draws all had a task above 1.

    Source:
        Davis, Burns, "Improved priority assignment for global fixed priority pre-emptive scheduling
        in multiprocessor real-time systems", Real-Time Systems 47, 2011: UUniFast, and what has a
        task above 1 is drawn again.
    """
    for _ in range(MAX_TRIES):
        drawn = uunifast(n_tasks, total, numbers)
        if max(drawn) <= 1:
            return drawn
    msg = f"{MAX_TRIES} draws of {n_tasks} tasks with utilisation {total:.4g} had one above 1"
    raise ValueError(msg)


def rand_fixed_sum(n_tasks: int, total: float, numbers: random.Random) -> list[float]:
    """Split a utilisation uniformly among tasks of which none needs more than a processor.

    The points of the unit cube with a given sum are cut into simplices of as many kinds as a table
    has columns. A walk through the table chooses a kind by its volume, the coordinates follow from
    the edges that it takes, and a permutation chooses among the simplices of that kind.

    Args:
        n_tasks: At least 1.
        total: What they add up to, from 0 to `n_tasks`.
        numbers: Where random numbers come from.

    Raises:
        ValueError: No such tasks exist.

    Source:
        Stafford, "Random vectors with fixed sum", 2006, as in Emberson, Stafford, Davis,
        "Techniques for the synthesis of multiprocessor tasksets", WATERS 2010, section III.
    """
    if not 0 <= total <= n_tasks:
        msg = f"{n_tasks} tasks of at most 1 cannot add up to {total:.4g}"
        raise ValueError(msg)
    column = min(int(total), n_tasks - 1)
    table = _transitions(n_tasks, total)
    rest, offset, scale = total, 0.0, 1.0
    drawn = []
    for others in range(n_tasks - 1, 0, -1):
        is_one = numbers.random() <= table[others - 1][column]
        shrink = numbers.random() ** (1 / others)
        offset += (1 - shrink) * scale * rest / (others + 1)
        scale *= shrink
        drawn.append(offset + scale * is_one)
        rest -= is_one
        column -= is_one
    drawn.append(offset + scale * rest)
    return _shuffled(drawn, numbers)


@lru_cache(maxsize=256)
def _transitions(n_tasks: int, total: float) -> Sequence[Sequence[float]]:
    """Tabulate how likely the next edge leads to 1, not to 0.

    Row i - 2 is of i coordinates. Volumes are kept relative to the largest one of their row: only
    ratios count, and the volumes themselves leave the range of floating point from some hundred
    tasks on.
    """
    floor = min(int(total), n_tasks - 1)
    above = [total - floor + i for i in range(n_tasks)]
    below = [floor + n_tasks - i - total for i in range(n_tasks)]
    volumes = [0.0, 1.0]
    table = []
    for size in range(2, n_tasks + 1):
        volumes = [*volumes, 0.0]
        to_zero = [volumes[i + 1] * above[i] for i in range(size)]
        to_one = [volumes[i] * below[n_tasks - size + i] for i in range(size)]
        sums = [zero + one for zero, one in zip(to_zero, to_one, strict=True)]
        table.append(
            [
                one / both if both > 0 else float(below[n_tasks - size + i] <= above[i])
                for i, (one, both) in enumerate(zip(to_one, sums, strict=True))
            ]
        )
        largest = max(sums)
        volumes = [0.0, *(one / largest for one in sums)]
    return table


def _shuffled(values: Sequence[float], numbers: random.Random) -> list[float]:
    """Permute uniformly; `random.shuffle` may differ between Pythons."""
    return [value for _, value in sorted((numbers.random(), value) for value in values)]
