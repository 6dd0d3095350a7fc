# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Levels of the memory hierarchy as a curve of access times shows them.

A level is a plateau: sizes over at least an octave whose medians lie close together. Where its
medians begin to rise, the level is full. A chain of pointers in random order, each line used once
around, has the sharpest edges: an array a little larger than a cache with LRU replacement finds
nothing in it any more.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Agreement = Literal["agrees", "differs", "not_detected"]

# Medians of one plateau lie within this ratio; noise and a TLB's share are below, levels above it.
PLATEAU_RATIO = 1.25
# Neighbouring levels differ by more than this, or they are one: a slope cut into pieces.
LEVEL_RATIO = 1.5
# A cache that is full makes accesses so much slower, if the next level is much slower than that.
FULL_RATIO = 2.0
FEWEST_POINTS = 3
_OCTAVE = 2
# What a curve cannot show of caches that are as the platform file says.
_SIMULATED_CAUSES = (
    f"a level shows over an octave of sizes, where the next one is {LEVEL_RATIO:g} times as slow; "
    "a replacement that is not lru, a prefetcher and a partition of ways move its edge or hide it",
)
# A detected size this far from what is claimed is that of another level.
_SAME_LEVEL_RATIO = 4


@dataclass(frozen=True, slots=True)
class Point:
    """One size of a curve: n batches, the median access time and its 95 % interval, picoseconds."""

    size_bytes: int
    n: int
    median_ps: int
    lower_ps: int
    upper_ps: int


@dataclass(frozen=True, slots=True)
class Level:
    """One level that was detected.

    Attributes:
        points: Of its plateau, ascending.
        fits_bytes: Largest size that surely fits; None: the last level of the curve.
        full_bytes: Smallest size that surely does not; None: likewise, or the curve ends before.
    """

    points: tuple[Point, ...]
    fits_bytes: int | None
    full_bytes: int | None

    @property
    def latency_ps(self) -> int:
        """Median of the medians of its plateau (of an even number, the lower one)."""
        return _latency_ps(self.points)

    @property
    def n(self) -> int:
        """Batches on the plateau."""
        return sum(one.n for one in self.points)

    @property
    def latency_range_ps(self) -> tuple[int, int]:
        """From the smallest to the largest end of the 95 % intervals of its plateau."""
        return min(one.lower_ps for one in self.points), max(one.upper_ps for one in self.points)


@dataclass(frozen=True, slots=True)
class Claim:
    """A cache that the system says this CPU has."""

    level: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What may make a cache look other than it is.

    Attributes:
        is_virtual: The machine is virtual.
        has_huge_pages: The array lay in huge pages.
        is_shared: Other CPUs, or other guests of a host, may use the cache.
        spread_ratio: Largest p90 / p10 of sizes that should have fitted; None: not known.
        is_simulated: A platform file says what caches there are; there are no pages.
    """

    is_virtual: bool
    has_huge_pages: bool
    is_shared: bool
    spread_ratio: float | None
    is_simulated: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim beside what was detected; `found` is None where nothing near it was."""

    claim: Claim
    found: Level | None
    agreement: Agreement


def detect_levels(points: Sequence[Point]) -> tuple[Level, ...]:
    """Detect the levels that a curve shows.

    Args:
        points: Ascending by size, medians positive.

    Returns:
        Ascending; empty where nothing is level.
    """
    plateaus = _join(_plateaus(tuple(points)))
    following = [_latency_ps(plateau) for plateau in plateaus[1:]]
    if plateaus:
        # Where the curve still rises at its end, what follows the last plateau is at least so slow.
        following.append(points[-1].median_ps)
    return tuple(
        _level(points, plateau, after) for plateau, after in zip(plateaus, following, strict=True)
    )


def compare_levels(claims: Iterable[Claim], levels: Sequence[Level]) -> tuple[Comparison, ...]:
    """Put what the system claims beside what was detected.

    A level that holds no copy of the inner ones (an exclusive cache) adds to them, so a detected
    size agrees from the claim up to the sum of this claim and all inner ones.

    Args:
        claims: Data and unified caches of one CPU.
        levels: From `detect_levels`.

    Returns:
        One per claim, nearest first.
    """
    inner_bytes = 0
    free = [level for level in levels if level.fits_bytes is not None]
    found = []
    for claim in sorted(claims, key=lambda one: (one.level, one.size_bytes)):
        largest = claim.size_bytes + inner_bytes
        inner_bytes = largest
        match = _nearest(claim, free)
        if match is None:
            found.append(Comparison(claim, None, "not_detected"))
            continue
        free = free[free.index(match) + 1 :]
        is_within = (match.fits_bytes or 0) <= largest and (
            match.full_bytes is None or claim.size_bytes <= match.full_bytes
        )
        found.append(Comparison(claim, match, "agrees" if is_within else "differs"))
    return tuple(found)


def possible_causes(
    comparison: Comparison, largest_bytes: int, around: Circumstances
) -> tuple[str, ...]:
    """Say what may be behind a claim that was not confirmed; nothing where it agrees.

    Args:
        comparison: The claim and what was detected.
        largest_bytes: Largest array that was measured.
        around: What is known of the machine and the measurement.
    """
    if comparison.agreement == "agrees":
        return ()
    if comparison.claim.size_bytes >= largest_bytes:
        return ("no larger array was measured",)
    if around.is_simulated:
        return _SIMULATED_CAUSES
    spread = around.spread_ratio or 1.0
    causes = (
        (
            spread >= FULL_RATIO,
            f"others use it too: batches in arrays that should fit differ up to {spread:.1f} times "
            "(p90 / p10)",
        ),
        (around.is_shared, "it is shared, so that one CPU alone need not get all of it"),
        (
            around.is_virtual,
            "a virtual machine: what it is told of caches need not be what it gets",
        ),
        (
            not around.has_huge_pages,
            "in ordinary pages, the reach of the TLB and pages that collide (colours) are in the "
            "curve; compare --pages huge",
        ),
    )
    return tuple(text for is_so, text in causes if is_so)


def _nearest(claim: Claim, levels: Sequence[Level]) -> Level | None:
    near = [one for one in levels if _distance(claim, one) <= math.log(_SAME_LEVEL_RATIO)]
    return min(near, key=lambda one: _distance(claim, one), default=None)


def _distance(claim: Claim, level: Level) -> float:
    """Logarithm of the ratio of a claim to the nearer end of what was detected; 0 inside."""
    low = level.fits_bytes or 0
    high = level.full_bytes or claim.size_bytes
    if claim.size_bytes < low:
        return math.log(low / claim.size_bytes)
    return math.log(max(1.0, claim.size_bytes / high))


def _latency_ps(points: Sequence[Point]) -> int:
    medians = sorted(one.median_ps for one in points)
    return medians[(len(medians) - 1) // 2]


Plateau = tuple[Point, ...]


def _plateaus(points: Plateau) -> list[Plateau]:
    """Take the longest plateau, then the longest ones left and right of it."""
    runs = (_run_from(points, start) for start in range(len(points)))
    wide = [one for one in runs if _is_plateau(one)]
    if not wide:
        return []
    longest = max(wide, key=_octaves)
    start = points.index(longest[0])
    left, right = points[:start], points[start + len(longest) :]
    return [*_plateaus(left), longest, *_plateaus(right)]


def _run_from(points: Plateau, start: int) -> Plateau:
    """As many points as lie within the ratio of a plateau."""
    lowest = highest = points[start].median_ps
    end = start
    for one in points[start:]:
        lowest, highest = min(lowest, one.median_ps), max(highest, one.median_ps)
        if highest > PLATEAU_RATIO * lowest:
            break
        end += 1
    return points[start:end]


def _octaves(plateau: Plateau) -> float:
    return plateau[-1].size_bytes / plateau[0].size_bytes


def _is_plateau(run: Plateau) -> bool:
    return len(run) >= FEWEST_POINTS and _octaves(run) >= _OCTAVE


def _join(plateaus: Sequence[Plateau]) -> list[Plateau]:
    """Join neighbours that are too close to be two levels, or that no step parts."""
    joined: list[Plateau] = []
    for one in plateaus:
        if joined and (
            _latency_ps(one) < LEVEL_RATIO * _latency_ps(joined[-1])
            or one[0].median_ps <= PLATEAU_RATIO * joined[-1][-1].median_ps
        ):
            joined[-1] = (*joined[-1], *one)
        else:
            joined.append(one)
    return joined


def _level(points: Sequence[Point], plateau: Plateau, after_ps: int) -> Level:
    latency_ps = _latency_ps(plateau)
    ratio = after_ps / latency_ps
    if ratio < LEVEL_RATIO:
        return Level(plateau, None, None)
    fits_ps = latency_ps * min(PLATEAU_RATIO, ratio**0.25)
    full_ps = latency_ps * min(FULL_RATIO, ratio**0.5)
    # The last one: a smaller array that was slow was disturbed, for a larger one has fitted.
    fitting = [one for one in points if one.upper_ps <= fits_ps]
    fits = fitting[-1] if fitting else plateau[0]
    too_large = [
        one for one in points if one.size_bytes > fits.size_bytes and one.lower_ps > full_ps
    ]
    return Level(plateau, fits.size_bytes, too_large[0].size_bytes if too_large else None)
