# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether two samples may be of one distribution: the rank-sum test of Mann and Whitney.

"No difference" is never proven: beside the probability stands the shift of one against the other
with its 95 % interval, which says how large a difference may have gone unseen. It is
two formulas, for which loading SciPy would take 0.3 s.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
# Normal quantile of a two-sided 95 % interval.
_NORMAL = 1.959964
# Fewer in a sample, and the normal approximation is poor.
FEWEST = 8
# Pairs of samples that are looked at for the shift; more are thinned evenly.
_MOST_PAIRS = 4_000_000


@dataclass(frozen=True, slots=True)
class RankTest:
    """One sample against another.

    Attributes:
        n_first: Samples of the first.
        n_second: Samples of the second.
        p_value: Probability of ranks at least so far apart where both are of one distribution.
        is_larger_ratio: How often one of the first is larger than one of the second; a tie counts
            half. 0.5: no tendency.
        shift_ns: Median of all differences first - second (Hodges and Lehmann).
        low_ns: Lower end of its 95 % interval.
        high_ns: Upper end.
    """

    n_first: int
    n_second: int
    p_value: float
    is_larger_ratio: float
    shift_ns: int
    low_ns: int
    high_ns: int

    @property
    def is_different(self) -> bool:
        """Whether zero is outside the interval of the shift."""
        return not self.low_ns <= 0 <= self.high_ns


def compare_ranks(first_ns: IntArray, second_ns: IntArray) -> RankTest | None:
    """Compare two samples of independent observations.

    Args:
        first_ns: Nanoseconds, any order.
        second_ns: Likewise.

    Returns:
        None where a sample is too small for the normal approximation.

    Source:
        Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, sec. 4.1 (test, corrected for
        ties and continuity), 4.2 (shift) and 4.3 (its interval).
    """
    n_first, n_second = first_ns.size, second_ns.size
    if min(n_first, n_second) < FEWEST:
        return None
    both = np.sort(second_ns)
    below = np.searchsorted(both, first_ns, side="left")
    not_above = np.searchsorted(both, first_ns, side="right")
    larger = float((below + not_above).sum()) / 2
    spread = _spread(np.concatenate([first_ns, second_ns]), n_first * n_second)
    apart = max(abs(larger - n_first * n_second / 2) - 1 / 2, 0.0)
    first, second = _thinned(first_ns, second_ns)
    differences = np.sort((first[:, None] - second[None, :]).ravel())
    rank = max(int(_low_rank(first.size, second.size)), 1)
    return RankTest(
        n_first=n_first,
        n_second=n_second,
        p_value=math.erfc(apart / spread / math.sqrt(2)) if spread else 1.0,
        is_larger_ratio=larger / (n_first * n_second),
        shift_ns=int(differences[(differences.size - 1) // 2]),
        low_ns=int(differences[rank - 1]),
        high_ns=int(differences[-rank]),
    )


def _spread(both_ns: IntArray, n_pairs: int) -> float:
    """Return the standard deviation of the count of larger ones, corrected for ties."""
    n = both_ns.size
    _, ties = np.unique(both_ns, return_counts=True)
    tied = float((ties.astype(np.float64) ** 3 - ties).sum()) / (n * (n - 1))
    return math.sqrt(n_pairs / 12 * (n + 1 - tied))


def _low_rank(n_first: int, n_second: int) -> float:
    """Return the rank of the difference that is the lower end of the interval."""
    n_pairs = n_first * n_second
    return n_pairs / 2 + 1 / 2 - _NORMAL * math.sqrt(n_pairs * (n_first + n_second + 1) / 12)


def _thinned(first_ns: IntArray, second_ns: IntArray) -> tuple[IntArray, IntArray]:
    """Keep every k-th of the larger sample in order of size, so that few pairs remain."""
    larger, smaller = first_ns, second_ns
    if second_ns.size > first_ns.size:
        larger, smaller = second_ns, first_ns
    step = -(-larger.size * smaller.size // _MOST_PAIRS)
    kept = np.sort(larger)[step // 2 :: step]
    return (kept, smaller) if larger is first_ns else (smaller, kept)
