# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Samples of one cost, what may be said of them, and the entries of a cost model made of them.

All probes share this: integers of any one unit, joined over runs, bounded over the working set.
"""

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from laxity.costs.model import Axes, Entry, Verdict
from laxity.statistics import distribution
from laxity.statistics.distribution import Distribution, Interval

IntArray: TypeAlias = NDArray[np.int64]
Points: TypeAlias = list[tuple[int, int]]
Unit: TypeAlias = Literal["ns", "ps"]
_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")

QUANTILES = (0.5, 0.9, 0.99)
# The bound leaves out what one sample in ten may be disturbed by, with 95 % confidence.
BOUND_QUANTILE = 0.9
# What a figure cannot resolve at least: times are whole units.
RESOLUTION = 1
_BEST_FIRST: tuple[Verdict, ...] = ("ok", "not_measurable", "no_verdict")


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of one cost; every figure is in their unit.

    Attributes:
        values: In the order of the rows; negative where noise is larger than the cost.
        noise_floor: Below this a median says nothing; 0: there is no noise; None: too few samples
            to tell.
    """

    values: IntArray
    noise_floor: int | None

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.values.size)

    @property
    def distribution(self) -> Distribution:
        """The samples, for quantiles; its nanoseconds are of the samples' unit."""
        return distribution.from_samples(self.values)

    @property
    def median(self) -> int:
        """Median, nearest rank."""
        return median(self.values)

    @property
    def max(self) -> int:
        """Largest sample."""
        return int(self.values.max())

    @property
    def verdict(self) -> Verdict:
        """Whether the median stands out of the noise; where there is none, every one does."""
        if self.noise_floor is None:
            return "no_verdict"
        is_told = self.noise_floor == 0 or self.median > self.noise_floor
        return "ok" if is_told else "not_measurable"

    @property
    def bound(self) -> int:
        """Upper end of the 95 % interval of p90; the maximum where n does not support one."""
        interval = distribution.quantile_interval(self.distribution, BOUND_QUANTILE)
        return max(0, self.max if interval is None else interval.upper_ns)

    @property
    def quantiles(self) -> dict[str, int]:
        """Quantiles that n supports with a 95 % interval."""
        samples = self.distribution
        return {
            str(q): samples.quantile_ns(q)
            for q in QUANTILES
            if distribution.supports_quantile(self.n, q)
        }


def median(values: IntArray) -> int:
    """Return the median of samples in any order, nearest rank; there must be one."""
    return distribution.from_samples(values).quantile_ns(0.5)


def median_interval(values: IntArray) -> Interval | None:
    """95 % interval of the median, in the unit of the samples; None: too few."""
    if not values.size:
        return None
    return distribution.quantile_interval(distribution.from_samples(values), 0.5)


def least_floor(floor: int, *, is_exact: bool) -> int:
    """Return a noise floor that is at least the resolution.

    Args:
        floor: What repetitions differ in.
        is_exact: Of a simulated platform: where repetitions differ in no more than the rounding of
            times, nothing that is drawn matters to them, and there is no noise.
    """
    if is_exact and floor <= RESOLUTION:
        return 0
    return max(RESOLUTION, floor)


def join(parts: Sequence[Samples]) -> Samples:
    """Join what several runs or places found: all samples, the largest noise floor."""
    floors = [one.noise_floor for one in parts if one.noise_floor is not None]
    return Samples(
        values=np.concatenate([one.values for one in parts]),
        noise_floor=max(floors, default=None),
    )


def join_names(runs: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Name every run once, in the order in which they come."""
    return tuple(dict.fromkeys(itertools.chain.from_iterable(runs)))


def group(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """Part items by key; keys and items stay in their order."""
    groups: dict[_Key, list[_Item]] = {}
    for one in items:
        groups.setdefault(key(one), []).append(one)
    return groups


def upper_bound(points: Iterable[tuple[int, int]]) -> Points:
    """Bound points from above: monotone, piecewise linear.

    From zero to the smallest measured one it is constant; it never falls, because a task may use
    any part of its working set.

    Args:
        points: (working set in bytes, or another axis; bound), any order, several per working set.

    Returns:
        One per working set, and one at zero, ascending.
    """
    largest: dict[int, int] = {}
    for x, bound in points:
        largest[x] = max(bound, largest.get(x, 0))
    xs = sorted(largest)
    bounds = list(itertools.accumulate((largest[x] for x in xs), max))
    return [(0, bounds[0]), *zip(xs, bounds, strict=True)]


def entry(
    name: str,
    one: Samples,
    axes: Axes,
    runs: Sequence[str],
    points: Sequence[tuple[int, int]] = (),
    *,
    unit: Unit = "ns",
) -> Entry:
    """Write samples as an entry of a cost model."""
    return Entry(
        name=name,
        kind="measured",
        unit=unit,
        n=one.n,
        quantiles=one.quantiles,
        max=one.max,
        noise_floor=one.noise_floor,
        verdict=one.verdict,
        runs=list(runs),
        axes=axes,
        points=list(points),
    )


def curve_entry(
    name: str,
    parts: Sequence[Samples],
    axes: Axes,
    runs: Sequence[str],
    points: Sequence[tuple[int, int]],
    *,
    unit: Unit = "ns",
) -> Entry:
    """Write what several working sets have in common; quantiles over them would mean nothing."""
    joined = join(parts)
    verdicts = {one.verdict for one in parts}
    return Entry(
        name=name,
        kind="measured",
        unit=unit,
        n=joined.n,
        quantiles={},
        max=joined.max,
        noise_floor=joined.noise_floor,
        verdict=next(word for word in _BEST_FIRST if word in verdicts),
        runs=list(runs),
        axes=axes,
        points=list(points),
    )
