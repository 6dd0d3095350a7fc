# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Samples of what one role of a probe took beyond another, and what may be said of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.costs import samples
from laxity.costs.model import Axes, Entry, Verdict
from laxity.costs.samples import Samples
from laxity.statistics import distribution
from laxity.statistics.distribution import Distribution

IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Excess:
    """What one role took beyond the median of the role that does nothing, nanoseconds.

    Attributes:
        samples_ns: In the order of the rows; negative where noise is larger than the cost.
        noise_floor_ns: Below this a median says nothing; None: too few observations to tell.
    """

    samples_ns: IntArray
    noise_floor_ns: int | None

    @property
    def samples(self) -> Samples:
        """The samples with their noise floor."""
        return Samples(self.samples_ns, self.noise_floor_ns)

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.samples.n

    @property
    def distribution(self) -> Distribution:
        """The samples, for quantiles."""
        return self.samples.distribution

    @property
    def median_ns(self) -> int:
        """Median, nearest rank."""
        return self.samples.median

    @property
    def max_ns(self) -> int:
        """Largest sample."""
        return self.samples.max

    @property
    def verdict(self) -> Verdict:
        """Whether the median stands out of the noise."""
        return self.samples.verdict

    @property
    def bound_ns(self) -> int:
        """Upper end of the 95 % interval of p90; the maximum where n does not support one."""
        return self.samples.bound

    @property
    def quantiles(self) -> dict[str, int]:
        """Quantiles that n supports with a 95 % interval."""
        return self.samples.quantiles


def excess(
    role_ns: IntArray, still_ns: IntArray, control_ns: IntArray, *, is_exact: bool = False
) -> Excess:
    """Compare a role with two that do nothing, the same twice; none may be empty.

    The noise floor is the larger of two: what the medians of the two that do nothing differ by
    (A/B/A control); and how far the median of the role may be too high, plus how far that of the
    others may be too low, by their 95 % intervals. Samples of two kinds, as of a CPU that is near
    at times and far at others, have a wide interval, but its upper half says nothing against them.
    `is_exact`: as `samples.least_floor`.
    """
    both = distribution.from_samples(np.concatenate([still_ns, control_ns]))
    role = distribution.from_samples(role_ns)
    still = both.quantile_ns(0.5)
    below = distribution.quantile_interval(role, 0.5)
    above = distribution.quantile_interval(both, 0.5)
    floor = None
    if below is not None and above is not None:
        apart = abs(samples.median(still_ns) - samples.median(control_ns))
        too_high = role.quantile_ns(0.5) - below.lower_ns
        widths = too_high + above.upper_ns - still
        floor = samples.least_floor(max(apart, widths), is_exact=is_exact)
    return Excess(samples_ns=role_ns - still, noise_floor_ns=floor)


def join(parts: Sequence[Excess]) -> Excess:
    """Join what several runs or places found: all samples, the largest noise floor."""
    joined = samples.join([one.samples for one in parts])
    return Excess(samples_ns=joined.values, noise_floor_ns=joined.noise_floor)


def entry(
    name: str,
    one: Excess,
    axes: Axes,
    runs: Sequence[str],
    points: Sequence[tuple[int, int]] = (),
) -> Entry:
    """Write an excess as an entry of a cost model."""
    return samples.entry(name, one.samples, axes, runs, points)
