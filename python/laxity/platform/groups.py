# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the control groups of processes took from them: quotas that ran out, budgets, a freezer.

The kernel counts in cpu.stat how often and how long a quota kept a group from running. Groups of
what is measured are read before and after: the difference is a cause of its own.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from laxity.platform.facts import cgroup_directories, integer
from laxity.store.hindrances import GroupUse

_CONTROLLERS = frozenset({"", "cpu", "freezer"})
_NS_PER_US = 1000


class GroupWatch:
    """The control groups of processes, and those above them, from the first look at each on."""

    def __init__(self, root: Path = Path("/")) -> None:
        """Watch nothing yet; `root` holds proc and sys."""
        self._root = root
        self._before: dict[str, GroupUse] = {}
        self._last: dict[str, GroupUse] = {}

    def look(self, pids: Iterable[int]) -> None:
        """Read the groups of processes and those seen before; what is gone keeps its last look."""
        directories = dict.fromkeys(self._before)
        for pid in pids:
            directories |= dict.fromkeys(_directories_of(pid, self._root))
        for directory in directories:
            found = _read_group(directory, self._root)
            if found is not None:
                self._before.setdefault(directory, found)
                self._last[directory] = found

    def uses(self) -> list[GroupUse]:
        """Return what limited the groups between the first look at each and the last one."""
        found = [
            msgspec.structs.replace(
                last,
                periods=last.periods - before.periods,
                throttled=last.throttled - before.throttled,
                throttled_ns=last.throttled_ns - before.throttled_ns,
            )
            for directory, last in self._last.items()
            for before in [self._before[directory]]
        ]
        return [use for use in found if use.is_limited]


def groups_text(pid: int) -> str | None:
    """Return /proc/PID/cgroup; None: the process has ended, or this kernel has no groups."""
    return _text(Path(f"/proc/{pid}/cgroup"))


def own_group_watch() -> GroupWatch:
    """Watch the groups of this process, which what it starts inherits."""
    watch = GroupWatch()
    watch.look([os.getpid()])
    return watch


def _directories_of(pid: int, root: Path) -> Iterator[str]:
    mounts = _text(root / "proc/self/mountinfo") or ""
    groups = _text(root / f"proc/{pid}/cgroup") or ""
    for controller, directory in cgroup_directories(groups, mounts):
        if controller in _CONTROLLERS:
            yield directory


def _read_group(directory: str, root: Path) -> GroupUse | None:
    """Read a group of either version; None: it is gone, or limits nothing."""
    at = root / directory.lstrip("/")
    counts = _numbers(_text(at / "cpu.stat") or "")
    quota_us, period_us = _quota_us(at)
    state = _text(at / "freezer.state") or ""
    is_frozen = state == "FROZEN" or _numbers(_text(at / "cgroup.events") or "").get("frozen") == 1
    # The top of a hierarchy of version 1 has this file, and the budget of the whole machine.
    is_top = (at / "release_agent").exists()
    runtime_us = None if is_top else integer(_text(at / "cpu.rt_runtime_us"))
    rt_period_us = None if runtime_us is None else integer(_text(at / "cpu.rt_period_us"))
    if not at.is_dir():
        return None
    return GroupUse(
        path=directory,
        quota_us=quota_us,
        period_us=period_us,
        periods=counts.get("nr_periods", 0),
        throttled=counts.get("nr_throttled", 0),
        # Version 1 counts nanoseconds, version 2 microseconds.
        throttled_ns=counts.get("throttled_time", counts.get("throttled_usec", 0) * _NS_PER_US),
        rt_runtime_us=runtime_us,
        rt_period_us=rt_period_us,
        is_frozen=is_frozen,
    )


def _quota_us(at: Path) -> tuple[int | None, int | None]:
    """Return quota and period; no quota is None."""
    both = (_text(at / "cpu.max") or "").partition(" ")
    quota_us, period_us = integer(both[0]), integer(both[2])
    if not both[0]:
        quota_us = integer(_text(at / "cpu.cfs_quota_us"))
        period_us = integer(_text(at / "cpu.cfs_period_us"))
    return (None, None) if quota_us is None or quota_us < 0 else (quota_us, period_us)


def _numbers(text: str) -> dict[str, int]:
    found = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        with suppress(ValueError):
            found[name] = int(value)
    return found


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
