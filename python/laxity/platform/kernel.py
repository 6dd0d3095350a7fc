# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The kernel's settings and threads, seen below a root directory: "/", or a made-up one in tests.

Only `knobs` and `shield` change anything through it.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from laxity.core.cpus import parse_cpus

# include/linux/sched.h, field 9 of /proc/PID/stat.
_PF_KTHREAD = 0x00200000
_PF_NO_SETAFFINITY = 0x04000000
_STAT_FIELDS = 20
_DEAD = frozenset("ZXx")


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread of the machine; `start_ticks` tells it from a later one of the same number."""

    tid: int
    process: int
    parent: int
    session: int
    start_ticks: int
    is_dead: bool
    is_kernel: bool
    is_bound: bool


class Kernel:
    """Reads and writes what /proc and /sys show, and the CPUs of threads."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def path(self, name: str) -> Path:
        """Return the file that stands for an absolute path of the kernel."""
        return self.root / name.lstrip("/")

    def read(self, name: str) -> str:
        """Read a setting without the blanks around it.

        Raises:
            OSError: As `open`; a setting that is absent too.
        """
        return self.path(name).read_text(encoding="ascii", errors="replace").strip()

    def write(self, name: str, value: str) -> None:
        """Write a setting in one call; the kernel answers at once.

        Raises:
            OSError: There is no such setting, or the kernel refuses the value.
        """
        # No O_CREAT: what does not exist is not made.
        descriptor = os.open(self.path(name), os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(descriptor, value.encode("ascii") + b"\n")
        finally:
            os.close(descriptor)

    def interrupts(self) -> list[str]:
        """List the affinity files of all interrupts, by number."""
        numbers = sorted(
            int(path.parent.name)
            for path in self.path("/proc/irq").glob("*/smp_affinity_list")
            if re.fullmatch(r"[0-9]{1,9}", path.parent.name, re.ASCII)
        )
        return [f"/proc/irq/{number}/smp_affinity_list" for number in numbers]

    def threads(self) -> Iterator[Thread]:
        """Look at every thread; those that end meanwhile are left out."""
        for process in self._numbers(self.path("/proc")):
            for tid in self._numbers(self.path(f"/proc/{process}/task")):
                thread = self.thread(tid, process)
                if thread is not None:
                    yield thread

    def thread(self, tid: int, process: int | None = None) -> Thread | None:
        """Look at one thread; None if there is none, or it is unreadable.

        Args:
            tid: Its number.
            process: The process it belongs to; None: read from its status.

        Source:
            proc_pid_stat(5).
        """
        below = f"/proc/{tid}" if process is None else f"/proc/{process}/task/{tid}"
        try:
            stat = self.read(f"{below}/stat")
        except OSError:
            return None
        # The second field, the name, may hold blanks and parentheses: count from the last one.
        fields = stat.rpartition(")")[2].split()
        if len(fields) < _STAT_FIELDS:
            return None
        try:
            flags = int(fields[6])
            return Thread(
                tid=tid,
                process=tid if process is None else process,
                parent=int(fields[1]),
                session=int(fields[3]),
                start_ticks=int(fields[19]),
                is_dead=fields[0] in _DEAD,
                is_kernel=bool(flags & _PF_KTHREAD),
                is_bound=bool(flags & _PF_NO_SETAFFINITY),
            )
        except ValueError:
            return None

    def is_running(self, pid: int, start_ticks: int) -> bool:
        """Tell whether a process still lives; one that only waits to be reaped does not."""
        thread = self.thread(pid)
        return thread is not None and thread.start_ticks == start_ticks and not thread.is_dead

    def boot_id(self) -> str:
        """Name this boot of the machine; empty if the kernel does not say."""
        with suppress(OSError):
            return self.read("/proc/sys/kernel/random/boot_id")
        return ""

    def affinity(self, tid: int) -> frozenset[int]:
        """Ask on which CPUs a thread may run.

        Raises:
            OSError: It has ended, or is another user's.
        """
        return frozenset(os.sched_getaffinity(tid))

    def allowed(self, tid: int) -> frozenset[int]:
        """Ask on which CPUs a thread may run, those that are switched off now included.

        Raises:
            OSError: As `affinity`.
        """
        with suppress(OSError):
            for line in self.read(f"/proc/{tid}/status").splitlines():
                name, _, cpus = line.partition(":")
                if name == "Cpus_allowed_list":
                    return frozenset(parse_cpus(cpus.strip()))
        return self.affinity(tid)

    def set_affinity(self, tid: int, cpus: frozenset[int]) -> None:
        """Say on which CPUs a thread may run.

        Raises:
            OSError: It has ended, is another user's, or cannot be moved there.
        """
        os.sched_setaffinity(tid, cpus)

    def _numbers(self, directory: Path) -> list[int]:
        try:
            names = os.listdir(directory)  # noqa: PTH208 - names only, and thousands of them
        except OSError:
            return []
        return sorted(int(name) for name in names if name.isascii() and name.isdigit())
