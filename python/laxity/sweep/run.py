# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run a sweep: what is not done yet, shared out, stored in parts, joined.

Each experiment is simulated by itself, so neither the number of workers nor an interruption changes
the table. The same command goes on with what an interrupted or killed one has left.
"""

import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from laxity import __version__
from laxity.core.executor import Workers, worked
from laxity.core.signals import Forwarder
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, PlatformError, ToolError
from laxity.platform.simulated import SimulatedPlatform
from laxity.platform.streams import Program
from laxity.store.run_directory import lock_directory, write_document
from laxity.sweep.axes import column_of
from laxity.sweep.columns import INTEGER, TEXT, Column, Value
from laxity.sweep.experiment import (
    Experiment,
    Outcome,
    Resolver,
    changed_platform,
    is_recorded,
    record_stream,
    simulate,
)
from laxity.sweep.grid import Grid
from laxity.sweep.table import IDENTITY, RESULT, Layout, Parts, read_rows

Unit = TypeVar("Unit")
Result = TypeVar("Result")

DOCUMENT = "sweep.json"
PAGE = "sweep.html"
_SCHEMA = 1
DEFAULT_LIMIT = 100_000
_ADVICE = "name another directory by -o, or remove it"
MOST_IN_PART = 50
# Long experiments are kept before there are so many: a kill takes half a second, later a hundredth.
_PART_AFTER_S, _PART_SHARE = 0.5, 0.01


class SweepDocument(msgspec.Struct, frozen=True, kw_only=True):
    """sweep.json: which grid this is, and how far it came; `failed` null: it is not whole."""

    schema: int = _SCHEMA
    laxity: str
    grid: str
    experiments: int
    failed: int | None = None


class Display(Protocol):
    """Shows how far a sweep is."""

    def go_on(self, n_done: int, n_all: int) -> None:
        """Tell where it begins."""

    def record(self, n_programs: int) -> None:
        """Tell that streams are recorded first."""

    def show(self, n_done: int, n_failed: int) -> None:
        """Show how far it is."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class _Silent:
    def go_on(self, n_done: int, n_all: int) -> None:
        pass

    def record(self, n_programs: int) -> None:
        pass

    def show(self, n_done: int, n_failed: int) -> None:
        pass

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """What is swept, and where the table goes.

    Attributes:
        grid: The experiments.
        columns: Wanted of each.
        resolver: Makes experiments of points.
        platform_text: Of the first experiment.
        directory: Where sweep.parquet is written.
        workers: Who simulates.
        display: Shows progress.
    """

    grid: Grid
    columns: tuple[Column, ...]
    resolver: Resolver
    platform_text: bytes
    directory: Path = Path()
    workers: Workers = field(default_factory=Workers)
    display: Display = field(default_factory=_Silent)

    @property
    def identity(self) -> str:
        """What a directory of this sweep is known by."""
        return self.grid.identity(self.platform_text)


@dataclass(frozen=True, slots=True)
class Swept:
    """How a sweep ended.

    Attributes:
        n_all: Experiments of the grid.
        n_done: Those with a row.
        n_failed: Those whose row has an error.
        first_error: One of them; "": none failed.
    """

    n_all: int
    n_done: int
    n_failed: int
    first_error: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether there is a row of each."""
        return self.n_done == self.n_all


def run_sweep(request: SweepRequest, signals: Forwarder) -> Swept:
    """Do what is left of a sweep.

    Returns:
        How far it came: a sweep that is whole is left as it is.

    Raises:
        ConfigError: The directory holds something else, or a sweep that is whole of programs or
            platforms that have changed since, or the first experiment cannot be.
        PlatformError: The output is full, a worker was killed; the same command goes on.
        ToolError: Something is not built.
        RecordError: What is there is damaged.
    """
    lock_fd = _claim(request)
    try:
        stored = _stored(request)
        sweep = _Sweep(request, signals, lock_fd)
        if (request.directory / RESULT).is_file() and stored.failed is not None:
            sweep.check_unchanged()
            return Swept(stored.experiments, stored.experiments, stored.failed)
        return sweep.run()
    finally:
        os.close(lock_fd)


def layout_of(grid: Grid, columns: tuple[Column, ...]) -> Layout:
    """Tell the columns of a table."""
    axes = [(one.name, TEXT if one.is_text else INTEGER) for one in map(column_of, grid.axes)]
    return Layout(tuple(axes), columns)


def _claim(request: SweepRequest) -> int:
    """Make the directory, or take it over; return the descriptor of its lock."""
    directory = request.directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"-o {directory}: cannot be made ({error.strerror}); name another directory"
        raise ConfigError(msg) from error
    lock_fd = lock_directory(directory)
    if lock_fd is None:
        msg = f"-o {directory}: another laxity is writing it now; wait for its end"
        raise ConfigError(msg)
    return lock_fd


def _stored(request: SweepRequest) -> SweepDocument:
    """Read which grid the directory is of; an empty one becomes that of this grid.

    Raises:
        ConfigError: Of another one.
    """
    path = request.directory / DOCUMENT
    asked = SweepDocument(
        laxity=__version__,
        grid=request.identity,
        experiments=len(request.grid),
    )
    if not path.is_file():
        if any(request.directory.iterdir()):
            msg = f"-o {request.directory}: is not empty and holds no sweep; {_ADVICE}"
            raise ConfigError(msg)
        write_document(path, asked)
        return asked
    try:
        found = msgspec.json.decode(path.read_bytes(), type=SweepDocument)
    except (OSError, msgspec.DecodeError) as error:
        msg = f"-o {request.directory}: holds no sweep ({plain_words(error)}); {_ADVICE}"
        raise ConfigError(msg) from error
    if found.laxity != asked.laxity:
        msg = f"-o {request.directory}: was begun by laxity {found.laxity}; {_ADVICE}"
        raise ConfigError(msg)
    if found.grid != asked.grid:
        msg = f"-o {request.directory}: holds a sweep of another grid; {_ADVICE}"
        raise ConfigError(msg)
    return found


class _Sweep:
    """A sweep that is under way."""

    def __init__(self, request: SweepRequest, signals: Forwarder, lock_fd: int) -> None:
        self._request, self._signals, self._lock_fd = request, signals, lock_fd
        self._parts = Parts(request.directory, layout_of(request.grid, request.columns))
        self._axes = [column_of(axis) for axis in request.grid.axes]
        self._unwritten: list[Outcome] = []
        self._begun_s = self._written_s = time.monotonic()
        self._identities: dict[int, str] = {}
        self._programs: dict[Program, None] = {}
        self._todo: list[int] = []
        self._n_done = 0
        self._n_failed = 0
        self._first_error = ""

    def run(self) -> Swept:
        n_all = len(self._request.grid)
        try:
            self._plan()
            self._record()
            self._simulate()
        finally:
            self._write_part()
        if self._n_done == n_all:
            self._finish()
        return Swept(n_all, self._n_done, self._n_failed, self._first_error)

    def check_unchanged(self) -> None:
        """Refuse a table whose experiments would be others today.

        Raises:
            ConfigError: A program or a platform has changed.
        """
        directory = self._request.directory
        for number, row in enumerate(read_rows(directory)):
            if self._signals.has_received:
                return
            if row[IDENTITY] != self._resolve(number).identity:
                msg = (
                    f"-o {directory}: experiment {number} has changed since it was made there, its "
                    f"programs or its platform; {_ADVICE}"
                )
                raise ConfigError(msg)

    def _plan(self) -> None:
        """Resolve all experiments, and find out which are left."""
        done = self._parts.done()
        for number in range(len(self._request.grid)):
            if self._signals.has_received:
                return
            one = self._resolve(number)
            self._identities[number] = one.identity
            row = done.get(number)
            if row is not None and row[0] == one.identity:
                self._count(row[1])
            elif isinstance(one, Outcome):
                self._keep(one)
            else:
                self._todo.append(number)
                self._note_programs(one)
        self._request.display.go_on(self._n_done, len(self._request.grid))

    def _resolve(self, number: int) -> Experiment | Outcome:
        """Resolve a point; one that cannot be is a row with its error, unless it is the first."""
        try:
            return self._request.resolver.experiment(number)
        except ToolError:
            raise
        except (ConfigError, PlatformError) as error:
            if number == 0:
                raise
            return self._request.resolver.failed(number, error)

    def _note_programs(self, one: Experiment) -> None:
        platform = SimulatedPlatform(changed_platform(one.platform, ()), one.platform)
        for program in platform.all_programs_of(one.spec):
            if program is not None:
                self._programs[program] = None

    def _record(self) -> None:
        """Record the streams that are not there, before any experiment needs them."""
        programs = [one for one in self._programs if not is_recorded(one)]
        if programs:
            self._request.display.record(len(programs))
            for _ in self._worked(record_stream, iter(programs)):
                pass

    def _simulate(self) -> None:
        with closing(self._worked(simulate, self._left())) as results:
            try:
                for outcome in results:
                    self._keep(outcome)
                    self._request.display.show(self._n_done, self._n_failed)
            finally:
                self._request.display.close()

    def _left(self) -> Iterator[Experiment]:
        for number in self._todo:
            yield self._request.resolver.experiment(number)

    def _worked(
        self, work: Callable[[Unit], Result], units: Iterator[Unit]
    ) -> Generator[Result, None, None]:
        results = worked(
            work,
            units,
            self._request.workers,
            lambda: self._signals.has_received,
            not_inherited=[self._lock_fd],
        )
        with closing(results):
            for _, result in results:
                yield result

    def _keep(self, outcome: Outcome) -> None:
        self._unwritten.append(outcome)
        self._count(outcome.error)
        now_s = time.monotonic()
        is_due = now_s - self._written_s >= max(
            _PART_AFTER_S, _PART_SHARE * (now_s - self._begun_s)
        )
        if len(self._unwritten) >= MOST_IN_PART or is_due:
            self._write_part()

    def _count(self, error: str | None) -> None:
        self._n_done += 1
        if error is not None:
            self._n_failed += 1
            self._first_error = self._first_error or error

    def _write_part(self) -> None:
        if self._unwritten:
            self._parts.write([(one, self._axes_of(one.number)) for one in self._unwritten])
            self._unwritten = []
        self._written_s = time.monotonic()

    def _axes_of(self, number: int) -> list[Value]:
        point = self._request.grid.point(number)
        return [one.write(value) for one, value in zip(self._axes, point, strict=True)]

    def _finish(self) -> None:
        self._parts.join(self._identities)
        document = SweepDocument(
            laxity=__version__,
            grid=self._request.identity,
            experiments=self._n_done,
            failed=self._n_failed,
        )
        write_document(self._request.directory / DOCUMENT, document)
