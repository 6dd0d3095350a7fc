# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs that run already: found by number, by name or by control group, and how they end."""

import os
import re
import select
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from laxity.core.cpus import format_cpus
from laxity.core.wording import visible
from laxity.errors import ConfigError, NoVerdict, PlatformError, suggestion
from laxity.store.observation import Scheduling

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")
_NUMBER = re.compile(r"[0-9]{1,9}")
# The kernel cuts names of threads to so many characters.
_COMM_LENGTH = 15
_ENDED_STATES = frozenset("ZX")
# include/uapi/linux/sched.h; names of ours where we have them.
_POLICIES = {0: "other", 1: "fifo", 2: "rr", 3: "batch", 5: "idle", 6: "deadline", 7: "ext"}
_WITH_PRIORITY = frozenset({1, 2})
_LISTED = 10


@dataclass(frozen=True, slots=True)
class Process:
    """A process as /proc shows it. `words`: its command line; empty for threads of the kernel."""

    pid: int
    comm: str
    words: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """What a user may call it: its name, or the file that it was started as."""
        first = self.words[0] if self.words else self.comm
        return frozenset({self.comm, Path(first).name})

    @override
    def __str__(self) -> str:
        """Write number and command line."""
        text = " ".join(self.words) or self.comm
        return f"{self.pid} ({visible(text[:60])})"


@dataclass(frozen=True, slots=True)
class Target:
    """What is observed.

    Attributes:
        name: For the run.
        processes: At least one.
        cgroup: Directory of the control group; None: these processes alone.
    """

    name: str
    processes: tuple[Process, ...]
    cgroup: Path | None = None

    @property
    def pids(self) -> list[int]:
        """Numbers of the processes."""
        return [one.pid for one in self.processes]


def find_target(named: str, *, takes_all: bool = False, proc: Path = PROC) -> Target:
    """Find the processes that a user names.

    Args:
        named: A number, or a name as `ps -o comm` or the first word of the command line shows it.
        takes_all: Whether several of one name are all taken.
        proc: Where the kernel shows processes.

    Raises:
        ConfigError: There is none, or several and not all are wanted.
        NoVerdict: It has ended already and waits to be reaped.
    """
    if _NUMBER.fullmatch(named):
        return _target_of_number(int(named), proc)
    own = _ancestors(os.getpid(), proc)
    every = [one for one in _processes(proc) if one.pid not in own]
    found = [one for one in every if named in one.names or named[:_COMM_LENGTH] == one.comm]
    if not found:
        raise ConfigError(_why_not_found(named, every, proc))
    alive = [one for one in found if not _has_ended(one.pid, proc)]
    if not alive:
        msg = f"{found[0]} has ended and waits to be reaped; start it again"
        raise NoVerdict(msg)
    if len(alive) > 1 and not takes_all:
        listed = ", ".join(str(one) for one in alive[:_LISTED])
        more = f" and {len(alive) - _LISTED} more" if len(alive) > _LISTED else ""
        msg = (
            f'"{named}": {len(alive)} processes have this name: {listed}{more}; '
            "name one by its number, or give --all"
        )
        raise ConfigError(msg)
    return Target(alive[0].comm if len(alive) == 1 else named, tuple(alive))


def find_cgroup(named: str, *, root: Path = CGROUPS, proc: Path = PROC) -> Target:
    """Find the processes of a control group and of those below it.

    Args:
        named: Its directory, or its path below /sys/fs/cgroup.
        root: Where control groups are.
        proc: Where the kernel shows processes.

    Raises:
        ConfigError: There is no such group, or nothing runs in it.
    """
    directory = Path(named) if Path(named).is_absolute() else root / named
    if not (directory / "cgroup.procs").exists():
        msg = f"--cgroup {named}: is no control group; name a directory below {root}"
        raise ConfigError(msg)
    pids = members_of(directory)
    found = [one for pid in pids if (one := _process(pid, proc)) and not _has_ended(pid, proc)]
    if not found:
        msg = f"--cgroup {named}: nothing runs in it; start the program there first"
        raise ConfigError(msg)
    return Target(directory.name, tuple(found), directory)


def members_of(cgroup: Path) -> set[int]:
    """Return the processes of a control group and of those below it; none if it is gone."""
    pids: set[int] = set()
    with suppress(OSError):
        for path in cgroup.rglob("cgroup.procs"):
            with suppress(OSError):
                pids |= {int(word) for word in path.read_text().split()}
    # 0 stands for processes that this one cannot see.
    return pids - {0}


class Ends:
    """Tells when the last of some processes has ended."""

    def __init__(self, target: Target) -> None:
        """Begin to watch.

        Raises:
            NoVerdict: All have ended already.
            PlatformError: The kernel cannot watch processes, or forbids it.
        """
        self._cgroup = target.cgroup
        self._fds = set(_opened(target))
        self._poller = select.poll()
        for fd in self._fds:
            self._poller.register(fd, select.POLLIN)
        if not self._fds and self._cgroup is None:
            first = target.processes[0]
            msg = f"{first} has ended before it could be observed; start it again"
            raise NoVerdict(msg)

    def wait(self, timeout_s: float) -> bool:
        """Wait for an end.

        Args:
            timeout_s: For so long.

        Returns:
            Whether all have ended. A control group has ended when nothing runs in it.
        """
        for fd, _ in self._poller.poll(timeout_s * 1000):
            self._poller.unregister(fd)
            self._fds.discard(fd)
            os.close(fd)
        if self._cgroup is not None:
            return not members_of(self._cgroup)
        return not self._fds

    def close(self) -> None:
        """Watch no longer."""
        while self._fds:
            os.close(self._fds.pop())


def threads_of(pids: Iterable[int], proc: Path = PROC) -> list[int]:
    """List the threads of processes that live."""
    found: list[int] = []
    for pid in pids:
        with suppress(OSError):
            found += [int(path.name) for path in (proc / str(pid) / "task").iterdir()]
    return sorted(found)


def scheduling_of(tids: Iterable[int]) -> list[Scheduling]:
    """Look at how threads are scheduled; those that have ended are left out."""
    found: list[Scheduling] = []
    for tid in tids:
        with suppress(OSError):
            policy = os.sched_getscheduler(tid) & ~os.SCHED_RESET_ON_FORK
            priority = os.sched_getparam(tid).sched_priority
            found.append(
                Scheduling(
                    tid=tid,
                    policy=_POLICIES.get(policy, f"policy {policy}"),
                    priority=priority if policy in _WITH_PRIORITY else None,
                    cpus=format_cpus(sorted(os.sched_getaffinity(tid))),
                )
            )
    return found


def state_of(pid: int, proc: Path = PROC) -> str:
    """Return the letter by which the kernel shows what a process does; X: it has ended."""
    return _status(pid, proc).get("State", "X")[0]


def _target_of_number(pid: int, proc: Path) -> Target:
    one = _process(pid, proc)
    if one is None:
        raise ConfigError(_why_no_number(pid))
    leader = _status(pid, proc).get("Tgid", str(pid))
    if leader != str(pid):
        of = _process(int(leader), proc)
        msg = f"{pid} is a thread of process {of or leader}; name that, it is observed as a whole"
        raise ConfigError(msg)
    if _has_ended(pid, proc):
        parent = _status(pid, proc).get("PPid", "its parent")
        msg = f"process {one} has ended and waits to be reaped by {parent}; start it again"
        raise NoVerdict(msg)
    return Target(one.comm, (one,))


def _why_no_number(pid: int) -> str:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        pass
    except (PermissionError, OverflowError):
        return f"process {pid} is hidden from this user (/proc with hidepid); run as root"
    return f"no process {pid}; look it up with ps -e"


def _why_not_found(named: str, every: list[Process], proc: Path) -> str:
    for one in every:
        for tid in threads_of([one.pid], proc):
            if tid != one.pid and _status(tid, proc).get("Name") == named:
                return f'no process is called "{named}", but a thread of {one} is; name the process'
    known = {name for one in every for name in one.names}
    advice = suggestion(named, known, "look it up with ps -e")
    return f'no process is called "{named}"; {advice}'


def _processes(proc: Path) -> Iterator[Process]:
    for path in sorted(proc.iterdir()):
        if _NUMBER.fullmatch(path.name) and (one := _process(int(path.name), proc)):
            yield one


def _process(pid: int, proc: Path) -> Process | None:
    """Read one process; None if there is none."""
    try:
        comm = (proc / str(pid) / "comm").read_text(errors="replace").rstrip("\n")
        line = (proc / str(pid) / "cmdline").read_bytes()
    except OSError:
        return None
    words = tuple(word.decode(errors="replace") for word in line.rstrip(b"\0").split(b"\0"))
    return Process(pid, comm, words if line else ())


def _status(pid: int, proc: Path) -> dict[str, str]:
    """Read the status of a process or thread; empty if there is none."""
    try:
        text = (proc / str(pid) / "status").read_text(errors="replace")
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in lines}


def _has_ended(pid: int, proc: Path) -> bool:
    """Tell whether no thread of a process runs any more; its main thread may end first."""
    states = [_status(tid, proc).get("State", "X")[0] for tid in threads_of([pid], proc)]
    return all(state in _ENDED_STATES for state in states)


def _ancestors(pid: int, proc: Path) -> set[int]:
    """Return this process and those that started it: a shell's command line names what we look for.

    The shell itself is among them, which nobody observes by its name from within.
    """
    found: set[int] = set()
    while pid > 0 and pid not in found:
        found.add(pid)
        pid = int(_status(pid, proc).get("PPid", "0"))
    return found


def _opened(target: Target) -> Iterator[int]:
    for one in target.processes:
        try:
            yield os.pidfd_open(one.pid)
        except ProcessLookupError:
            continue
        except OSError as error:
            msg = f"process {one}: cannot be watched ({error.strerror}); use Linux 5.3 or later"
            raise PlatformError(msg) from error
