# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Delays of a load between which its effect on a job is a line."""

from collections.abc import Callable

# Blin et al., 3.2: theirs go from 0 to 8000.
LONGEST_DELAY = 8_000


def refine(
    value: Callable[[int], int], tolerance: int, low: int = 0, high: int = LONGEST_DELAY
) -> None:
    """Evaluate a function at both ends and in the middle; halve where the chord is off there.

    Args:
        value: What to evaluate; it keeps what it has measured.
        tolerance: Largest distance of the middle from the chord.
        low: Smallest delay.
        high: Largest delay.
    """
    middle = (low + high) // 2
    if middle == low:
        return
    chord = value(low) + (value(high) - value(low)) * (middle - low) / (high - low)
    if abs(value(middle) - chord) > tolerance:
        refine(value, tolerance, low, middle)
        refine(value, tolerance, middle, high)
