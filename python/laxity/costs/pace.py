# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How far a measurement is, in time: its observations do not all take as long."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.progress import LEARN_S, LEARN_SHARE, Meter, State

_NS_PER_S = 10**9


@dataclass(frozen=True, slots=True)
class Pace:
    """What is known beforehand of how long observations take on a machine.

    Attributes:
        stretches: (how many observations, how long each takes against those of others), in the
            order in which they are made; empty: all are alike.
        after_s: What takes so long by plan follows, with nobody knows how many observations.
        budget_s: None begins after so long; None: there is no such limit.
        least_share: Of the observations, which are made whatever they take.
    """

    stretches: Sequence[tuple[float, float]] = ()
    after_s: float = 0.0
    budget_s: float | None = None
    least_share: float = 0.0


class ProbeDisplay:
    """Shows how far a measurement is."""

    def __init__(self, label: str, pace: Pace | None, *, is_quiet: bool) -> None:
        """Take who tells it; without a pace no time is told."""
        self._meter = Meter(label, is_quiet=is_quiet)
        self._pace = pace
        self._after_from_s: float | None = None
        self.close = self._meter.close

    def show(self, state: State) -> None:
        """Show a newer state; the second number of a probe is how many rows there are at most."""
        elapsed_s = state.elapsed_ns / _NS_PER_S
        share = left_s = None
        if self._pace is not None:
            left_s = self._left_s(self._pace, state.started, state.not_met, elapsed_s)
        if left_s is not None:
            share = elapsed_s / (elapsed_s + left_s)
        most = "" if self._pace is not None and self._pace.after_s else f" of {state.not_met}"
        words = f"{elapsed_s:.0f}s, {state.started}{most} observations"
        self._meter.show(words, share, left_s)

    def _left_s(self, pace: Pace, n_done: int, n_all: int, elapsed_s: float) -> float | None:
        stretches = pace.stretches or [(n_all, 1.0)]
        all_time = sum(n * each for n, each in stretches)
        time = _time_of(stretches, n_done)
        if elapsed_s < LEARN_S or time < LEARN_SHARE * all_time:
            return None
        if time >= all_time and pace.after_s:
            self._after_from_s = self._after_from_s or elapsed_s
            return max(0.0, self._after_from_s + pace.after_s - elapsed_s)
        left_s = elapsed_s / time * (all_time - time)
        if pace.budget_s is not None:
            least_s = elapsed_s / time * max(0.0, pace.least_share * all_time - time)
            left_s = min(left_s, max(pace.budget_s - elapsed_s, least_s))
        return left_s + pace.after_s


def _time_of(stretches: Sequence[tuple[float, float]], n_done: float) -> float:
    """Tell how long the first observations take, against others."""
    time = 0.0
    for n, each in stretches:
        time += min(n, n_done) * each
        n_done = max(0.0, n_done - n)
    return time
