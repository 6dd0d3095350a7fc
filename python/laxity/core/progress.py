# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How far a command is and how long it still takes, on stderr, for every command from here.

On a terminal it is a bar that is drawn over, otherwise a line every 10 s. A time left is told where
it is planned or can be learned; where it cannot, nothing is.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from laxity.core.spec import SIMULATED, Spec
from laxity.core.standard_streams import draw_below, is_unicode
from laxity.core.units import exact_duration

LINE_EVERY_S = 10.0
# As often as laxity-run tells how far it is.
_DRAW_EVERY_S = 0.5
# Of what has passed less is learned by chance: the first jobs, a cold cache.
LEARN_S, LEARN_SHARE = 2.0, 0.02
_NS_PER_S, _NS_PER_MS = 1e9, 1e6
_BAR_CELLS = 20
# The word and three or four numbers.
_STATE_WORDS = (4, 5)
# So many aborted jobs, and no other that is over, are no accident.
_ABORTED_TO_TELL = 2
_BLOCKS, _PLAIN = ("█", "░"), ("#", "-")
# (up to this time, told in steps of, unit): nobody plans by more digits.
_STEPS_S = ((20, 1, "s"), (120, 5, "s"), (7200, 60, "min"), (math.inf, 1800, "h"))
_SECONDS_PER = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class State:
    """One progress line: `progress <started> <not_met> <elapsed_ns> [<aborted>]`.

    laxity-run tells all of it; where no job can be aborted, the last number is left out.
    """

    started: int
    not_met: int
    elapsed_ns: int
    aborted: int = 0


class Display(Protocol):
    """Shows the progress of one run."""

    def show(self, state: State) -> None:
        """Show a newer state."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def _no_lines() -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class _Part:
    """Which of the parts of a command runs; `after_s`: what is known of those after it."""

    said: str = ""
    after_s: float = 0.0
    is_after_known: bool = True


_WHOLE = _Part()
_PART: ContextVar[_Part] = ContextVar("part", default=_WHOLE)


@contextmanager
def part_of_whole(number: int, expected_s: Sequence[float | None]) -> Iterator[None]:
    """Let whatever runs within say which part of how many it is, and the time left of the whole.

    Parts have parts.

    Args:
        number: Of the part, from 1.
        expected_s: How long each part takes; None: not known before.
    """
    whole, after = _PART.get(), expected_s[number:]
    part = _Part(
        f"{whole.said}{number} of {len(expected_s)}: ",
        whole.after_s + sum(one or 0.0 for one in after),
        whole.is_after_known and None not in after,
    )
    token = _PART.set(part)
    try:
        yield
    finally:
        _PART.reset(token)


class Meter:
    """Shows how far something is."""

    def __init__(self, label: str, *, is_quiet: bool) -> None:
        """Take who tells it."""
        self._part = _PART.get()
        self.label = f"{self._part.said}{label}"
        self._is_quiet = is_quiet
        self.is_drawn = sys.stderr.isatty() and not is_quiet
        self._last_s = time.monotonic()
        self._learned_from: tuple[float, float] | None = None
        self._is_begun = False
        self._unwritten = ""

    def tell(self, text: str) -> None:
        """Tell something else, at once."""
        if not self._is_quiet:
            sys.stderr.write(f"{self.label}: {text}\n")

    def show(
        self,
        words: str,
        share: float | None = None,
        left_s: float | None = None,
        below: Callable[[], Sequence[str]] = _no_lines,
    ) -> None:
        """Show a newer state, unless one was shown a moment ago.

        Args:
            words: It.
            share: Of the time that is over, from 0 to 1; None: not known.
            left_s: How long the rest takes; None: learned from how fast the share grows.
            below: Makes further lines for a terminal.
        """
        if self._is_quiet:
            return
        now_s = time.monotonic()
        left = self.left(share, left_s)
        self._unwritten = f"{self.label}: {words}{left and f', {left}'}\n"
        if now_s - self._last_s < (_DRAW_EVERY_S if self.is_drawn else LINE_EVERY_S):
            return
        self._last_s = now_s
        self._is_begun = True
        if self.is_drawn:
            # What is at the end is cut off first.
            ahead = [
                self.label,
                *([] if share is None else [_bar(share)]),
                *([left] if left else []),
            ]
            draw_below([f"{' '.join(ahead)}: {words}", *below()])
        else:
            self._write()

    def left(self, share: float | None, left_s: float | None = None) -> str:
        """Say how long the rest takes, as of `show`; nothing where that is not known."""
        if left_s is None and share is not None:
            left_s = self._learn_left_s(time.monotonic(), share)
        return self._left_words(left_s)

    def close(self) -> None:
        """Leave the terminal as it was; what is no terminal does not end with a state of before."""
        if self._is_begun and self.is_drawn:
            draw_below([])
        elif self._is_begun:
            self._write()

    def _write(self) -> None:
        sys.stderr.write(self._unwritten)
        sys.stderr.flush()
        self._unwritten = ""

    def _learn_left_s(self, now_s: float, share: float) -> float | None:
        if share == 0 or self._learned_from is None:
            # What happens before it begins tells nothing of how fast it is.
            self._learned_from = (now_s, share)
        from_s, from_share = self._learned_from
        gained = share - from_share
        if now_s - from_s < LEARN_S or gained < LEARN_SHARE:
            return None
        return (now_s - from_s) / gained * (1 - share)

    def _left_words(self, left_s: float | None) -> str:
        whole_s = (left_s or 0.0) + self._part.after_s
        is_known = left_s is not None and self._part.is_after_known
        if whole_s < 1:
            return ""
        return f"{'about' if is_known else 'at least'} {rough_time(whole_s)} left"


class Countdown:
    """Tells how many of many are done, and how long the rest may take."""

    def __init__(self, label: str, what: str, *, is_quiet: bool) -> None:
        """Take who tells it, and what is counted, in the plural."""
        self._meter = Meter(label, is_quiet=is_quiet)
        self._what, self._n_all = what, 0
        self.tell = self._meter.tell
        self.close = self._meter.close

    def go_on(self, n_done: int, n_all: int) -> None:
        """Tell where it begins."""
        self._n_all = n_all
        if n_done:
            self.tell(f"{n_done} of {n_all} {self._what} are done already")

    def show(self, n_done: int, more: str = "") -> None:
        """Show how far it is; what was done before the first call tells nothing of the time."""
        words = f"{n_done} of {self._n_all} {self._what}{more}"
        self._meter.show(words, n_done / self._n_all if self._n_all else None)


def rough_time(duration_s: float) -> str:
    """Write a time as one says it: 43 s is `45 s`, 400 s is `7 min`."""
    _, step_s, unit = next(one for one in _STEPS_S if duration_s <= one[0])
    # Rounded first: 18.000001 s are not 19.
    n_steps = math.ceil(round(duration_s / step_s, 3))
    return f"{n_steps * step_s / _SECONDS_PER[unit]:g} {unit}"


def _bar(share: float) -> str:
    full, empty = _BLOCKS if is_unicode() else _PLAIN
    n = round(min(1.0, share) * _BAR_CELLS)
    return full * n + empty * (_BAR_CELLS - n)


def parse_state(line: bytes) -> State | None:
    """Read one progress line; None if it is torn or no progress line."""
    words = line.split()
    if len(words) not in _STATE_WORDS or words[0] != b"progress":
        return None
    if not all(word.isdigit() for word in words[1:]):
        return None
    return State(*(int(word) for word in words[1:]))


def show_newest(data: bytes, display: Display) -> bytes:
    """Show the newest state among complete lines; give back the incomplete one."""
    *lines, rest = data.split(b"\n")
    states = [state for line in lines if (state := parse_state(line))]
    if states:
        display.show(states[-1])
    return rest


def planned_s(spec: Spec) -> float | None:
    """Tell how long a run of this machine takes if its jobs keep their periods.

    Returns:
        Seconds; None if it lasts until it is interrupted, or is simulated.
    """
    ends_ns = [] if spec.duration_ns is None else [spec.duration_ns]
    if spec.jobs is not None:
        ends_ns.append(
            max(task.offset_ns + (spec.jobs - 1) * task.period_ns for task in spec.tasks)
        )
    is_known = ends_ns and not spec.platform.startswith(SIMULATED)
    return min(ends_ns) / _NS_PER_S if is_known else None


def done_share(state: State, spec: Spec) -> float | None:
    """Tell how much of a run is done.

    Returns:
        From 0 to 1; None if the run lasts until it is interrupted.
    """
    shares: list[float] = []
    if spec.jobs is not None:
        shares.append(state.started / (spec.jobs * len(spec.tasks)))
    if spec.duration_ns is not None:
        shares.append(state.elapsed_ns / spec.duration_ns)
    return min(1.0, max(shares)) if shares else None


def time_left_s(state: State, spec: Spec) -> float | None:
    """Tell how long the rest of a run takes, by its plan, or longer where its jobs are behind.

    Where a task is ahead of others, whose periods are longer, the jobs so far took less time than
    those to come: what they suggest is never more than the plan, unless jobs are late.
    """
    planned, share = planned_s(spec), done_share(state, spec)
    if planned is None or not share:
        return None
    elapsed_s = state.elapsed_ns / _NS_PER_S
    left_s = max(planned - elapsed_s, elapsed_s * (1 - share) / share)
    if spec.duration_ns is not None:
        left_s = min(left_s, spec.duration_ns / _NS_PER_S - elapsed_s)
    return max(0.0, left_s)


def describe_state(state: State, spec: Spec) -> str:
    """Say the state in words."""
    elapsed = f"{state.elapsed_ns / _NS_PER_S:.0f}s"
    if spec.platform.startswith(SIMULATED):
        # Virtual time passes slowly.
        elapsed = f"{state.elapsed_ns / _NS_PER_MS:.0f}ms"
    if spec.duration_ns is not None:
        elapsed += f" of {exact_duration(spec.duration_ns)}"
    jobs = f"{state.started} jobs"
    if spec.jobs is not None:
        jobs = f"{state.started} of {spec.jobs * len(spec.tasks)} jobs"
    words = f"{elapsed}, {jobs} started"
    if state.not_met or any(task.deadline_ns is not None for task in spec.tasks):
        words += f", {state.not_met} not met"
    return words


def _is_hopeless(state: State, spec: Spec) -> bool:
    """Tell whether no job has come to its end so far."""
    return state.aborted >= max(_ABORTED_TO_TELL, state.started - len(spec.tasks))


class RunDisplay:
    """Shows how far a run of periodic tasks is."""

    def __init__(
        self,
        spec: Spec,
        label: str,
        *,
        is_quiet: bool,
        below: Callable[[], Sequence[str]] = _no_lines,
    ) -> None:
        """Take the run, who tells it, and what makes further lines for a terminal."""
        self._spec, self._below = spec, below
        self._meter = Meter(label, is_quiet=is_quiet)
        self.close = self._meter.close
        self._is_told = False

    def show(self, state: State) -> None:
        """Show a newer state."""
        if not self._is_told and _is_hopeless(state, self._spec):
            self._is_told = True
            self._meter.tell(
                f"of {state.started} jobs that began {state.aborted} were aborted; does one end by "
                "itself, and within its job timeout? Ctrl+C ends the run and keeps them"
            )
        share, left_s = done_share(state, self._spec), time_left_s(state, self._spec)
        if left_s is not None:
            # Of its time, which its jobs need not share evenly.
            elapsed_s = state.elapsed_ns / _NS_PER_S
            share = elapsed_s / (elapsed_s + left_s) if elapsed_s else 0.0
        self._meter.show(describe_state(state, self._spec), share, left_s, self._below)
