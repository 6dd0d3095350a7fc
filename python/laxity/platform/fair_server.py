# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The fair server of Linux: what ordinary tasks get on a CPU that real-time tasks keep busy.

Since 6.12 it stands in for real-time throttling: sched_rt_runtime_us limits no task any more (but
with CONFIG_RT_GROUP_SCHED), and an ordinary task that waits gets 50 ms of each second, unless
debugfs says otherwise for its CPU.

Source: kernel/sched/deadline.c (fair_server_init), kernel/sched/debug.c, commit 5f6bd380c7bd
"sched/rt: Remove default bandwidth control".
"""

import re

_FIRST = (6, 12)
_DIRECTORY = "/sys/kernel/debug/sched/fair_server"
USUAL_RUNTIME_NS, USUAL_PERIOD_NS = 50_000_000, 1_000_000_000


def has_fair_server(release: str) -> bool:
    """Tell whether a kernel has one, by its release: 6.12.3-rt5."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", release)
    return found is not None and (int(found[1]), int(found[2])) >= _FIRST


def runtime_file(cpu: int) -> str:
    """Name the file of what it gives on a CPU, in nanoseconds; 0: nothing."""
    return f"{_DIRECTORY}/cpu{cpu}/runtime"


def period_file(cpu: int) -> str:
    """Name the file of the time in which it gives that."""
    return f"{_DIRECTORY}/cpu{cpu}/period"
