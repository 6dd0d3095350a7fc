# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether migrated jobs differ from preempted ones, in words."""

from laxity.core.units import format_duration_ns
from laxity.statistics.rank_test import RankTest

_TINY_P = 1e-6


def event_words(test: RankTest | None, control: RankTest | None, n: tuple[int, int]) -> str:
    """Say whether migrated jobs take longer than preempted ones, how much, and how sure that is.

    Args:
        test: Migrated against preempted; None: too few.
        control: Preempted against preempted.
        n: How many migrated and how many preempted jobs there are.
    """
    counts = f"n = {n[0]} and {n[1]}"
    if test is None or control is None:
        return f"no verdict, too few jobs ({counts})"
    interval = (
        f"95 %: {format_duration_ns(test.low_ns)} to {format_duration_ns(test.high_ns)}; {counts}; "
        f"p {_p_words(test.p_value)}; longer in {100 * test.is_larger_ratio:.0f} % of all pairs"
    )
    if control.is_different and abs(control.shift_ns) >= abs(test.shift_ns):
        return (
            "no verdict, preempted jobs differ among themselves by "
            f"{format_duration_ns(control.shift_ns)} ({interval})"
        )
    if not test.is_different:
        return (
            "no difference can be told between a migrated job and a preempted one "
            f"(shift {format_duration_ns(test.shift_ns)}, {interval})"
        )
    word = "longer" if test.shift_ns > 0 else "shorter"
    return (
        f"a migrated job takes {format_duration_ns(abs(test.shift_ns))} {word} than a "
        f"preempted one (median shift, {interval})"
    )


def _p_words(p_value: float) -> str:
    return "< 0.000001" if p_value < _TINY_P else f"= {p_value:.2g}"
