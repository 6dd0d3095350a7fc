# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Work that is shared out, by the executors of `concurrent.futures`; none is made elsewhere.

Threads wait for programs that compute. Processes compute, and whatever ends the caller ends them.
"""

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from laxity.core.signals import END_SIGNALS
from laxity.errors import PlatformError

if TYPE_CHECKING:
    from concurrent.futures.process import ProcessPoolExecutor

Unit = TypeVar("Unit")
Result = TypeVar("Result")

# That a command may be asked for.
MOST_WORKERS = 4096
# How often the caller gets a chance to end.
_POLL_S = 0.2
# Threads beyond the number of CPUs: compilers of short files spend a quarter of their time on
# waiting, for files and for this process.
_WAITING = 2
# Units under way for each worker: the next one is there when the last one is done.
_AHEAD = 2
# How many a scheduler may come to have without asking for more: they are small.
_AHEAD_REMOTE = 256
_READ_BYTES = 1 << 16
# Of <linux/prctl.h>.
_PR_SET_PDEATHSIG = 1
# In a worker what it does with each unit: a fork hands it over, however large it is.
_WORK: list[Callable[[Any], Any]] = []


def n_cpus() -> int:
    """Count the CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def parallel(
    function: Callable[[Unit], Result], units: Iterable[Unit], n_at_once: int | None = None
) -> list[Result]:
    """Call a function that waits for programs once for each unit, several at a time.

    Args:
        function: Runs in a thread.
        units: What is worked on.
        n_at_once: Threads, at least 1; None: as many as keep the CPUs busy that we may use.

    Returns:
        The results in the order of the units.
    """
    with ThreadPoolExecutor(n_at_once or n_cpus() + _WAITING) as pool:
        return list(pool.map(function, units))


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does units of work.

    Attributes:
        count: Processes of this machine, at least 1.
        scheduler: Address of a Dask scheduler whose workers do them instead; None: there is none.
    """

    count: int = 1
    scheduler: str | None = None


def worked(
    work: Callable[[Unit], Result],
    units: Iterable[Unit],
    workers: Workers,
    is_ended: Callable[[], bool],
    not_inherited: Sequence[int] = (),
) -> Generator[tuple[Unit, Result], None, None]:
    """Do units of work in processes, and give each result as soon as it is there.

    Args:
        work: Runs in another process, a copy of this one; or, of a scheduler, on another machine,
            so that it and its units are what can be pickled.
        units: What is worked on; taken as workers become free.
        workers: Who does them.
        is_ended: Asked several times a second; once true, the rest is left undone.
        not_inherited: Descriptors that stay with the caller, such as its locks.

    Yields:
        Units with their results, in the order in which they are finished.

    Raises:
        PlatformError: A worker was killed, or the scheduler cannot be reached.
        ToolError: What a scheduler needs is not installed.
        Exception: As `work`.
    """
    if workers.scheduler is not None:
        from laxity.core.remote_executor import remote_executor  # noqa: PLC0415 - loads Dask

        with remote_executor(workers.scheduler) as pool:
            yield from _as_finished(
                lambda unit: pool.submit(work, unit), iter(units), _AHEAD_REMOTE, is_ended
            )
        return
    yield from _worked_here(work, units, workers.count, is_ended, not_inherited)


def _worked_here(
    work: Callable[[Unit], Result],
    units: Iterable[Unit],
    n_workers: int,
    is_ended: Callable[[], bool],
    not_inherited: Sequence[int],
) -> Generator[tuple[Unit, Result], None, None]:
    import multiprocessing  # noqa: PLC0415 - of no use to threads
    from concurrent.futures.process import (  # noqa: PLC0415 - with the above
        BrokenProcessPool,
        ProcessPoolExecutor,
    )

    others = multiprocessing.active_children()
    # Fork: the work, and all that it has loaded, need not be handed over.
    context = multiprocessing.get_context("fork")
    # None begins before all have let go of what is not inherited.
    begun = context.Barrier(n_workers)
    beginning = (work, os.getpid(), not_inherited, begun.wait)
    pool = ProcessPoolExecutor(n_workers, context, _begin, beginning)
    # The first call forks all of them.
    pool.submit(int)
    processes = [one for one in multiprocessing.active_children() if one not in others]
    read_unread = _read_unread(pool)
    is_broken = False
    try:
        yield from _as_finished(
            lambda unit: pool.submit(_do, unit), iter(units), _AHEAD * n_workers, is_ended
        )
    except BrokenProcessPool:
        # A SIGTERM that all processes of a group get ends the workers first.
        is_broken = not is_ended()
    finally:
        # What is under way is not waited for.
        for one in () if is_broken else processes:
            one.kill()
        read_unread()
        pool.shutdown()
    if is_broken:
        # The pool has ended all others by SIGTERM.
        codes = {one.exitcode for one in processes if one.exitcode} - {-signal.SIGTERM}
        code = next(iter(codes), -signal.SIGTERM)
        msg = (
            f"a worker process was ended from outside (exit code {code}); "
            "start the same command again"
        )
        raise PlatformError(msg)


def _read_unread(pool: "ProcessPoolExecutor") -> Callable[[], None]:
    """Return what reads the calls that no worker has read, until the pool has ended.

    Before Python 3.11.5 a pool waits for its calls to be written, for ever if they fill the pipe
    (gh-94777).
    """
    if sys.version_info >= (3, 11, 5):
        return lambda: None
    # Nothing public leads to it. Another descriptor, since the pool closes its own.
    calls_fd = pool._call_queue._reader.fileno()  # type: ignore[attr-defined] # noqa: SLF001
    unread = os.fdopen(os.dup(calls_fd), "rb")

    def read() -> None:
        with unread:
            while unread.read(_READ_BYTES):
                pass

    return Thread(target=read).start


def _as_finished(
    submit: Callable[[Unit], Future[Any]],
    units: Iterator[Unit],
    n_at_once: int,
    is_ended: Callable[[], bool],
) -> Iterator[tuple[Unit, Any]]:
    given: dict[Future[Any], Unit] = {}

    def give(count: int) -> None:
        given.update((submit(unit), unit) for unit in islice(units, count))

    give(n_at_once)
    while given:
        finished, _ = wait(given, _POLL_S, FIRST_COMPLETED)
        if is_ended():
            return
        give(len(finished))
        for one in finished:
            yield given.pop(one), one.result()


def _begin(
    work: Callable[[Any], Any],
    caller: int,
    not_inherited: Sequence[int],
    wait_for_others: Callable[[], int],
) -> None:
    """Make a process a worker that does not outlive its caller.

    Workers hold both ends of the pool's pipes, so these never tell that the caller is gone.
    """
    import ctypes  # noqa: PLC0415 - of workers only

    for fd in not_inherited:
        os.close(fd)
    for number in END_SIGNALS:
        # A terminal sends them to all; the caller decides when the work ends.
        signal.signal(number, signal.SIG_IGN)
    # By this the pool ends the workers that are left when one was killed.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != caller:
        # It was gone before the signal was asked for.
        os.kill(os.getpid(), signal.SIGKILL)
    _WORK.append(work)
    wait_for_others()


def _do(unit: Any) -> Any:  # noqa: ANN401 - whatever the work takes and gives
    return _WORK[-1](unit)
