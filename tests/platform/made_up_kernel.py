# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A made-up machine of two CPUs: files that stand for /proc and /sys, and threads to be moved."""

import errno
import os
from pathlib import Path

from typing_extensions import override

from laxity.platform.kernel import Kernel

RT_RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
DEFAULT_IRQ = "/proc/irq/default_smp_affinity"
WORKQUEUES = "/sys/devices/virtual/workqueue/cpumask"
# include/linux/sched.h
PF_KTHREAD = 0x00200000
PF_NO_SETAFFINITY = 0x04000000
# What this process is in the made-up machine.
OWN_START_TICKS = 1000


class MadeUpKernel(Kernel):
    """Settings are files below a root; CPUs of threads a table."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.cpus: dict[int, frozenset[int]] = {}
        self.refusals: dict[int | str, int] = {}
        self.put("/proc/sys/kernel/random/boot_id", "boot-1")
        self.put("/sys/devices/system/cpu/online", "0-1")
        self.put(RT_RUNTIME, "950000")
        self.put(DEFAULT_IRQ, "3")
        self.put(WORKQUEUES, "00000003")
        self.start(os.getpid(), start_ticks=OWN_START_TICKS, session=1)

    def put(self, name: str, text: str) -> None:
        """Make a setting, whoever asks."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")

    def start(self, tid: int, cpus: tuple[int, ...] = (0, 1), **fields: int) -> None:
        """Start a thread; its fields are those of `Thread`, and `flags`."""
        process = fields.get("process", tid)
        session = fields.get("session", process)
        begin = ["S", fields.get("parent", 1), process, session, 0, -1, fields.get("flags", 0)]
        fields_of_stat = [*begin, *[0] * 12, fields.get("start_ticks", 10)]
        stat = f"{tid} (a (strange) name) {' '.join(map(str, fields_of_stat))} 0 0"
        self.put(f"/proc/{process}/task/{tid}/stat", stat)
        # The kernel shows a thread there too, though it does not list it.
        self.put(f"/proc/{tid}/stat", stat)
        self.cpus[tid] = frozenset(cpus)

    def end(self, tid: int) -> None:
        """End a process."""
        for name in (f"/proc/{tid}/task/{tid}/stat", f"/proc/{tid}/stat"):
            self.path(name).unlink()
        del self.cpus[tid]

    @override
    def write(self, name: str, value: str) -> None:
        if name in self.refusals:
            raise OSError(self.refusals[name], "refused")
        super().write(name, value)

    @override
    def affinity(self, tid: int) -> frozenset[int]:
        if tid not in self.cpus:
            raise ProcessLookupError(errno.ESRCH, "gone")
        return self.cpus[tid]

    @override
    def set_affinity(self, tid: int, cpus: frozenset[int]) -> None:
        if tid in self.refusals:
            raise OSError(self.refusals[tid], "refused")
        self.affinity(tid)
        self.cpus[tid] = cpus
