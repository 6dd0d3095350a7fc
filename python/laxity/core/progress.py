# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Progress of a run on stderr: a bar on a terminal, a line every 10 s otherwise."""

import sys
import time
from dataclasses import dataclass
from typing import Protocol

from laxity.core.spec import SIMULATED, Spec
from laxity.core.standard_streams import overwrite_line, own_controls
from laxity.core.units import exact_duration, format_duration_ns
from laxity.core.wording import visible

LINE_EVERY_S = 10.0
_NS_PER_S, _NS_PER_MS = 1e9, 1e6


@dataclass(frozen=True, slots=True)
class State:
    """One progress line of laxity-run: `progress <started> <not_met> <elapsed_ns>`."""

    started: int
    not_met: int
    elapsed_ns: int


class Display(Protocol):
    """Shows the progress of one run."""

    def show(self, state: State) -> None:
        """Show a newer state."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class Countdown:
    """Tells how many of many are done, and how long the rest may take.

    A line every 10 s on stderr; on a terminal one line that is written over each second.
    """

    def __init__(self, label: str, what: str, *, is_quiet: bool) -> None:
        """Take who tells it, and what is counted, in the plural."""
        self._label, self._what, self._is_quiet = label, what, is_quiet
        self._is_terminal = sys.stderr.isatty()
        self._n_all = self._n_before = 0
        self._begun_s = self._last_s = time.monotonic()

    def go_on(self, n_done: int, n_all: int) -> None:
        """Tell where it begins."""
        self._n_all, self._n_before = n_all, n_done
        if n_done:
            self.tell(f"{n_done} of {n_all} {self._what} are done already")

    def tell(self, text: str) -> None:
        """Tell something else, at once."""
        if not self._is_quiet:
            sys.stderr.write(f"{self._label}: {text}\n")

    def show(self, n_done: int, more: str = "") -> None:
        """Show how far it is; what it did before it went on tells nothing of the time."""
        now_s = time.monotonic()
        if n_done == self._n_before + 1:
            self._begun_s = now_s
        if self._is_quiet or now_s - self._last_s < (1 if self._is_terminal else LINE_EVERY_S):
            return
        self._last_s = now_s
        text = f"{self._label}: {n_done} of {self._n_all} {self._what}{more}"
        n_since = n_done - self._n_before - 1
        if n_since > 0:
            left_s = (now_s - self._begun_s) / n_since * (self._n_all - n_done)
            text += f", {format_duration_ns(left_s * _NS_PER_S)} left"
        if self._is_terminal:
            overwrite_line(text)
        else:
            sys.stderr.write(f"{text}\n")


def parse_state(line: bytes) -> State | None:
    """Read one progress line; None if it is torn or no progress line."""
    words = line.split()
    if len(words) != 4 or words[0] != b"progress":  # noqa: PLR2004 - the word and three numbers
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
    return f"{elapsed}, {jobs} started, {state.not_met} not met"


def make_display(spec: Spec, label: str, *, is_quiet: bool) -> Display:
    """Choose how progress is shown: not at all, as a bar, or as lines."""
    if is_quiet:
        return _Nothing()
    if sys.stderr.isatty():
        return _Bar(spec, label)
    return _Lines(spec, label)


class _Nothing:
    def show(self, state: State) -> None:
        pass

    def close(self) -> None:
        pass


class _Lines:
    def __init__(self, spec: Spec, label: str) -> None:
        self._spec = spec
        self._label = label
        self._last_s = time.monotonic()
        self._is_begun = False
        self._unshown: State | None = None

    def show(self, state: State) -> None:
        self._unshown = state
        now_s = time.monotonic()
        if now_s - self._last_s >= LINE_EVERY_S:
            self._last_s = now_s
            self._is_begun = True
            self._write()

    def close(self) -> None:
        # A short run has shown nothing; a longer one must not end with a state that is past.
        if self._is_begun:
            self._write()

    def _write(self) -> None:
        if self._unshown is not None:
            sys.stderr.write(f"{self._label}: {describe_state(self._unshown, self._spec)}\n")
            sys.stderr.flush()
            self._unshown = None


class _Bar:
    def __init__(self, spec: Spec, label: str) -> None:
        # rich takes longer to load than a short command takes to run.
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

        self._spec = spec
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
            console=Console(file=own_controls(sys.stderr)),
            transient=True,
            # Redrawn only when something is new: no thread wakes up beside the measured CPUs.
            auto_refresh=False,
        )
        total = 1.0 if spec.jobs is not None or spec.duration_ns is not None else None
        self._bar = self._progress.add_task(visible(label), total=total, words="")
        self._progress.start()

    def show(self, state: State) -> None:
        self._progress.update(
            self._bar,
            completed=done_share(state, self._spec) or 0.0,
            words=describe_state(state, self._spec),
            refresh=True,
        )

    def close(self) -> None:
        self._progress.stop()
