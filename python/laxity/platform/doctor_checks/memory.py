# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Checks: does the kernel move or merge pages while we measure; which memory is there?"""

from __future__ import annotations

import re

from laxity.platform.doctor_checks.base import Context, Finding, check, missing
from laxity.platform.facts import Facts

_THP = "/sys/kernel/mm/transparent_hugepage/enabled"
_KSM = "/sys/kernel/mm/ksm/run"
_NUMA_BALANCING = "/proc/sys/kernel/numa_balancing"
_SWAPS = "/proc/swaps"


def _node_count(facts: Facts) -> int:
    return len(list(facts.matching(r"/sys/devices/system/node/node\d+/cpulist")))


@check(
    "transparent-hugepages",
    "transparent huge pages",
    severity="distorting",
    source=_THP,
    why="the kernel joins pages behind a task's back: page faults and stalls come at times of its"
    " choice",
)
def check_transparent_hugepages(facts: Facts, context: Context) -> Finding:
    """`always` lets khugepaged touch every program."""
    del context
    text = facts.text(_THP)
    setting = re.search(r"\[(\w+)\]", text or "")
    if setting is None:
        return missing(facts, _THP, "this kernel has none")
    if setting[1] != "always":
        return Finding("ok", setting[1])
    return Finding("warn", "always", f"echo madvise > {_THP}", f"echo always > {_THP}")


@check(
    "numa-balancing",
    "automatic NUMA balancing",
    severity="distorting",
    source=_NUMA_BALANCING,
    why="the kernel unmaps pages to see who uses them, then moves them: page faults inside jobs",
)
def check_numa_balancing(facts: Facts, context: Context) -> Finding:
    """Harmless with a single node."""
    del context
    value = facts.integer(_NUMA_BALANCING)
    if value is None:
        return missing(facts, _NUMA_BALANCING, "this kernel has none")
    if value == 0:
        return Finding("ok", "off")
    if _node_count(facts) <= 1:
        return Finding("ok", "on, but with one node it does nothing")
    undo = f"sysctl -w kernel.numa_balancing={value}"
    return Finding("warn", "on", "sysctl -w kernel.numa_balancing=0", undo)


@check(
    "page-merging",
    "merging of equal pages (KSM)",
    severity="distorting",
    source=_KSM,
    why="a kernel thread reads all mergeable memory, and the next write to a merged page faults",
)
def check_page_merging(facts: Facts, context: Context) -> Finding:
    """0 = stopped, 1 = runs, 2 = stopped and unmerged."""
    del context
    value = facts.integer(_KSM)
    if value is None:
        return missing(facts, _KSM, "this kernel has none")
    if value != 1:
        return Finding("ok", "off")
    return Finding("warn", "on", f"echo 2 > {_KSM}", f"echo 1 > {_KSM}")


@check(
    "swap",
    "swap",
    severity="distorting",
    source=_SWAPS,
    why="locked tasks stay in memory, but co-runners and the rest of the system are written out"
    " and read back",
)
def check_swap(facts: Facts, context: Context) -> Finding:
    """Every line below the heading of /proc/swaps is a swap area."""
    del context
    text = facts.text(_SWAPS)
    if text is None:
        return missing(facts, _SWAPS, "this kernel has none")
    areas = [line.split()[0] for line in text.splitlines()[1:] if line.split()]
    if not areas:
        return Finding("ok", "none")
    return Finding(
        "warn", ", ".join(areas), f"swapoff {' '.join(areas)}", f"swapon {' '.join(areas)}"
    )


@check(
    "numa-nodes",
    "NUMA nodes",
    severity="limiting",
    source="/sys/devices/system/node",
    why="with one node there is no remote memory: its cost cannot be measured here",
)
def check_numa_nodes(facts: Facts, context: Context) -> Finding:
    """How many nodes have CPUs or memory."""
    del context
    count = _node_count(facts)
    if count > 1:
        return Finding("ok", f"{count} nodes")
    return Finding(
        "absent", "one node: all memory is equally far" if count else "the kernel knows no nodes"
    )


@check(
    "cache-partitioning",
    "cache partitioning (resctrl)",
    severity="limiting",
    source="/sys/fs/resctrl/info, /proc/filesystems",
    why="with it the shared cache can be divided between tasks and the rest",
)
def check_cache_partitioning(facts: Facts, context: Context) -> Finding:
    """Intel RDT, AMD QoS, ARM MPAM: one file system for all."""
    del context
    resources = [m[1] for m in facts.matching(r"/sys/fs/resctrl/info/(\w+)/num_closids")]
    if resources:
        return Finding("ok", f"controls {', '.join(resources)}")
    if "resctrl" in (facts.text("/proc/filesystems") or "").split():
        mount = "mount -t resctrl resctrl /sys/fs/resctrl"
        return Finding("warn", "supported, not mounted", mount, "umount /sys/fs/resctrl")
    return Finding("absent", "neither processor nor kernel offers it")
