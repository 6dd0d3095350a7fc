# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Control groups of both versions, before and after: quotas that ran out, budgets, freezers."""

from pathlib import Path

import pytest

from laxity.platform.groups import GroupWatch
from laxity.store.hindrances import GroupUse, group_lines

PID = 4711
V1 = "\n".join(
    f"3{i} 2 0:3{i} / /sys/fs/cgroup/{name} rw - cgroup cgroup rw,{name}"
    for i, name in enumerate(("cpu", "freezer", "memory"))
)
V2 = "30 2 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


@pytest.fixture
def v1(tmp_path: Path) -> Path:
    """A group below a slice; only the slice has a quota, which counts for all below it."""
    cpu = "/sys/fs/cgroup/cpu"
    files = {
        "/proc/self/mountinfo": V1,
        f"/proc/{PID}/cgroup": "3:memory:/x\n2:freezer:/app\n1:cpu:/slice/app",
        f"{cpu}/release_agent": "",
        f"{cpu}/cpu.cfs_quota_us": "-1",
        f"{cpu}/cpu.rt_runtime_us": "950000",
        f"{cpu}/slice/cpu.cfs_quota_us": "4000",
        f"{cpu}/slice/cpu.cfs_period_us": "100000",
        f"{cpu}/slice/cpu.stat": "nr_periods 10\nnr_throttled 3\nthrottled_time 500",
        f"{cpu}/slice/app/cpu.cfs_quota_us": "-1",
        f"{cpu}/slice/app/cpu.cfs_period_us": "100000",
        f"{cpu}/slice/app/cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0",
        "/sys/fs/cgroup/freezer/app/freezer.state": "THAWED",
    }
    write(tmp_path, files)
    return tmp_path


def test_quota_of_a_group_above_is_counted_from_the_first_look_on(v1: Path):
    watch = GroupWatch(v1)
    watch.look([PID])
    stat = "nr_periods 107\nnr_throttled 63\nthrottled_time 4500000500"
    write(v1, {"/sys/fs/cgroup/cpu/slice/cpu.stat": stat})
    watch.look([])
    # 107 - 10, 63 - 3, 4,500,000,500 - 500
    (use,) = watch.uses()
    assert use == GroupUse(
        path="/sys/fs/cgroup/cpu/slice",
        quota_us=4000,
        period_us=100_000,
        periods=97,
        throttled=60,
        throttled_ns=4_500_000_000,
    )
    assert group_lines([use], is_estimated=False) == [
        "control group /sys/fs/cgroup/cpu/slice was throttled in 60 of 97 periods, 4.50 s in all, "
        "by its quota (4000 us in 100000 us)"
    ]
    (line,) = group_lines([use], is_estimated=True)
    assert line.endswith("; an estimated period may be that of the quota")


def test_group_of_version_2_counts_microseconds(tmp_path: Path):
    group = "/sys/fs/cgroup/app"
    files = {
        "/proc/self/mountinfo": V2,
        f"/proc/{PID}/cgroup": "0::/app",
        "/sys/fs/cgroup/cpu.stat": "usage_usec 5",
        f"{group}/cpu.max": "5000 50000",
        f"{group}/cpu.stat": "usage_usec 1\nnr_periods 4\nnr_throttled 1\nthrottled_usec 10",
        f"{group}/cgroup.events": "populated 1\nfrozen 0",
    }
    write(tmp_path, files)
    watch = GroupWatch(tmp_path)
    watch.look([PID])
    stat = "usage_usec 9\nnr_periods 9\nnr_throttled 3\nthrottled_usec 90010"
    write(tmp_path, {f"{group}/cpu.stat": stat, f"{group}/cgroup.events": "frozen 1"})
    watch.look([])
    (use,) = watch.uses()
    assert (use.path, use.quota_us, use.period_us) == (group, 5000, 50_000)
    # 9 - 4, 3 - 1, (90010 - 10) us
    assert (use.periods, use.throttled, use.throttled_ns) == (5, 2, 90_000_000)
    assert use.is_frozen
    assert group_lines([use], is_estimated=False)[1] == f"control group {group} is frozen"


def test_version_2_without_a_quota_limits_nothing(tmp_path: Path):
    files = {
        "/proc/self/mountinfo": V2,
        f"/proc/{PID}/cgroup": "0::/app",
        "/sys/fs/cgroup/app/cpu.max": "max 100000",
        "/sys/fs/cgroup/app/cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_usec 0",
    }
    write(tmp_path, files)
    watch = GroupWatch(tmp_path)
    watch.look([PID])
    assert watch.uses() == []


def test_frozen_group_of_version_1_and_a_real_time_budget_are_told(v1: Path):
    files = {
        "/sys/fs/cgroup/freezer/app/freezer.state": "FROZEN",
        "/sys/fs/cgroup/cpu/slice/cpu.cfs_quota_us": "-1",
        "/sys/fs/cgroup/cpu/slice/app/cpu.rt_runtime_us": "400000",
        "/sys/fs/cgroup/cpu/slice/app/cpu.rt_period_us": "1000000",
    }
    write(v1, files)
    watch = GroupWatch(v1)
    watch.look([PID])
    budget, frozen = sorted(watch.uses(), key=lambda one: one.path)
    assert (budget.path, budget.rt_runtime_us) == ("/sys/fs/cgroup/cpu/slice/app", 400_000)
    assert (frozen.path, frozen.is_frozen) == ("/sys/fs/cgroup/freezer/app", True)


def test_group_that_is_gone_keeps_its_last_look(v1: Path):
    watch = GroupWatch(v1)
    watch.look([PID])
    stat = v1 / "sys/fs/cgroup/cpu/slice/cpu.stat"
    stat.write_text("nr_periods 20\nnr_throttled 5\nthrottled_time 900\n")
    watch.look([PID])
    for path in sorted((v1 / "sys/fs/cgroup/cpu/slice").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (v1 / "sys/fs/cgroup/cpu/slice").rmdir()
    watch.look([PID])
    (use,) = watch.uses()
    assert (use.periods, use.throttled, use.throttled_ns) == (10, 2, 400)
