# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Work that is shared out to processes; whatever ends the caller ends them, too."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from laxity.errors import PlatformError
from laxity.runner.signals import END_SIGNALS

Unit = TypeVar("Unit")
Result = TypeVar("Result")

# How often the caller gets a chance to end.
_POLL_S = 0.2


def n_cpus() -> int:
    """Count the CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def worked(
    work: Callable[[Unit], Result],
    units: Iterable[Unit],
    n_workers: int,
    is_ended: Callable[[], bool],
    not_inherited: Sequence[int] = (),
) -> Generator[tuple[Unit, Result], None, None]:
    """Do units of work in processes, and give each result as soon as it is there.

    Args:
        work: Runs in another process, a copy of this one.
        units: What is worked on; taken as workers become free.
        n_workers: Processes, at least 1.
        is_ended: Asked several times a second; once true, the rest is left undone.
        not_inherited: Descriptors that stay with the caller. A worker outlives a killed caller by
            its unit, and would hold the caller's locks until then.

    Yields:
        Units with their results, in the order in which they are finished.

    Raises:
        PlatformError: A worker was killed.
        Exception: As `work`.
    """
    pool = _Pool(work, n_workers, not_inherited)
    try:
        yield from pool.results(iter(units), is_ended)
    finally:
        pool.end()


class _Failed:
    """What `work` raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class _Pool(Generic[Unit, Result]):
    def __init__(
        self, work: Callable[[Unit], Result], n_workers: int, not_inherited: Sequence[int]
    ) -> None:
        # Fork: the work, and all that it has loaded, need not be handed over.
        context = multiprocessing.get_context("fork")
        self._processes: dict[Connection, BaseProcess] = {}
        for _ in range(n_workers):
            ours, theirs = context.Pipe()
            # Ends of pipes would keep the other workers from seeing that the caller is gone.
            closed = [*not_inherited, *(one.fileno() for one in self._processes), ours.fileno()]
            process = context.Process(target=_serve, args=(work, theirs, closed), daemon=True)
            process.start()
            theirs.close()
            self._processes[ours] = process

    def results(
        self, units: Iterator[Unit], is_ended: Callable[[], bool]
    ) -> Iterator[tuple[Unit, Result]]:
        for one in self._processes:
            # It has let go of what is not inherited: nothing is given before all have.
            self._receive(one)
        busy: dict[Connection, Unit] = {}
        for one in self._processes:
            self._give_next(one, units, busy)
        while busy:
            if is_ended():
                return
            for ready in wait(list(busy), _POLL_S):
                if isinstance(ready, Connection):
                    done, result = busy.pop(ready), self._receive(ready)
                    self._give_next(ready, units, busy)
                    yield done, result

    def end(self) -> None:
        """End the workers: each ends when its pipe is closed, at the latest after its unit."""
        for one, process in self._processes.items():
            one.close()
            process.kill()
        for process in self._processes.values():
            process.join()

    def _give_next(
        self, one: Connection, units: Iterator[Unit], busy: dict[Connection, Unit]
    ) -> None:
        for unit in units:
            busy[one] = unit
            with suppress(BrokenPipeError):
                # If it has been killed, receiving tells.
                one.send(unit)
            return

    def _receive(self, one: Connection) -> Result:
        try:
            result: Result | _Failed = one.recv()
        except (EOFError, ConnectionResetError):
            process = self._processes[one]
            process.join()
            msg = (
                f"a worker process was ended from outside (exit code {process.exitcode}); "
                "start the same command again"
            )
            raise PlatformError(msg) from None
        if isinstance(result, _Failed):
            raise result.error
        return result


def _serve(
    work: Callable[[Unit], Result], caller: Connection, not_inherited: Sequence[int]
) -> None:
    """Do what is sent until the caller is gone."""
    for fd in not_inherited:
        os.close(fd)
    for number in END_SIGNALS:
        # A terminal sends them to all; the caller decides when the work ends.
        signal.signal(number, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        caller.send(None)  # ready
        while True:
            unit = caller.recv()
            try:
                result: Result | _Failed = work(unit)
            except Exception as error:  # noqa: BLE001 - handed on to the caller, who raises it
                result = _Failed(error)
            caller.send(result)
