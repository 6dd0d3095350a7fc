# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How well a share is known that was counted on random samples; one figure for a whole curve."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
# The quantile of the normal distribution with 2.5 % above it.
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval of 95 % confidence; all from 0 to 1."""

    count: int
    n: int
    lower: float
    upper: float

    @property
    def value(self) -> float:
        """The share among the samples."""
        return self.count / self.n


def share_of(count: int, n: int) -> Share:
    """Estimate a share.

    Args:
        count: Samples that have the property.
        n: Samples, at least 1.

    Returns:
        The share with Wilson's interval, which neither leaves 0 to 1 nor shrinks to nothing where
        all samples agree.

    Raises:
        ValueError: There are no samples.

    Source:
        Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
        the American Statistical Association 22, 1927.
    """
    if not 0 <= count <= n or n == 0:
        msg = f"{count} of {n} is no share"
        raise ValueError(msg)
    share = count / n
    spread = _Z * _Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    lower = 0.0 if count == 0 else max(0.0, centre - half)
    upper = 1.0 if count == n else min(1.0, centre + half)
    return Share(count, n, lower, upper)


def weighted_share(utilisations: Sequence[float], shares: Sequence[float]) -> float | None:
    """Weigh shares by utilisation: sum u S(u) / sum u, the weighted schedulability of one curve.

    Args:
        utilisations: One for each share, from 0.
        shares: Of schedulable sets, from 0 to 1.

    Returns:
        From 0 to 1; None: all utilisations are 0.

    Source:
        Bastoni, Brandenburg, Anderson, "Cache-related preemption and migration delays: empirical
        approximation and impact on schedulability", OSPERT 2010, section 5.
    """
    whole = sum(utilisations)
    if whole == 0:
        return None
    return sum(u * share for u, share in zip(utilisations, shares, strict=True)) / whole
