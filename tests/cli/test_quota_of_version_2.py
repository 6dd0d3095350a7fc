# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A quota of a control group of version 2, in a virtual machine whose clock counts instructions."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import ROOT
from tests.cli.virtual_machine import WITH_PMU, Guest, run_guest
from tests.cross_builds import cross_build
from tests.jobs.left_runs import left_run

from laxity.cli.summary import summary_document
from laxity.core.streams import Status
from laxity.jobs.finish import finish_run
from laxity.jobs.run_once import store_groups
from laxity.platform.groups import GroupWatch
from laxity.store.hindrances import group_lines
from laxity.store.run_directory import NewRun, Run, open_run

CROSS = ROOT / "build-cross" / "aarch64"
GROUPS = "/sys/fs/cgroup"
# The quota is that of the slice; the program is in a group below it.
SLICE, APP = f"{GROUPS}/slice", f"{GROUPS}/slice/app"
QUOTA_US, PERIOD_US = 10_000, 100_000
JOBS = 40
# An instruction takes a nanosecond, a pass two instructions: 4 ms.
PASSES = 2_000_000
TASK = "--policy other --period 20ms --overrun queue --job-timeout 20s --deadline none"
# The bully computes for 2 s on the same CPU, outside of the group.
BULLY_PASSES = 1_000_000_000


def look(prefix: str, *more: str) -> list[str]:
    """Commands that print what laxity reads of both groups, and more."""
    names = ("cpu.max", "cpu.stat", "cgroup.events")
    return [
        f"look {prefix} {path}"
        for path in (*more, *(f"{group}/{name}" for group in (SLICE, APP) for name in names))
    ]


COMMANDS = [
    f"write {GROUPS}/cgroup.subtree_control +cpu",
    f"mkdir {SLICE}",
    f"write {SLICE}/cgroup.subtree_control +cpu",
    f"mkdir {APP}",
    # The period stays the kernel's 100 ms.
    f"write {SLICE}/cpu.max {QUOTA_US}",
    # The bully's weight is 100: it has the CPU only while the program must not have it.
    f"write {SLICE}/cpu.weight 10000",
    f"write {APP}/cgroup.procs 1",
    *look("before", "/proc/1/cgroup", "/proc/self/mountinfo"),
    f"/laxity-run --run-dir /run/D -- /counted_loop --arg {PASSES} --jobs {JOBS} {TASK} &",
    f"write {GROUPS}/cgroup.procs 1",
    f"/laxity-run --run-dir /run/B -- /bully --arg {BULLY_PASSES} --jobs 1 {TASK} &",
    "/laxity-trace --run-dir /run/T --duration 3s",
    *look("after"),
    f"write {APP}/cgroup.freeze 1",
    *look("frozen"),
]


def boot(folder: Path) -> Guest:
    cross_build("aarch64")
    native, loop = CROSS / "native", CROSS / "tests" / "native" / "counted_loop"
    programs = {f"/{name}": native / name for name in ("laxity-run", "laxity-trace")}
    guest = run_guest(
        WITH_PMU,
        folder,
        CROSS / "tests" / "native" / "guest_init",
        programs | {"/counted_loop": loop, "/bully": loop},
        [command.split() for command in COMMANDS],
    )
    assert guest.statuses == [0] * len(COMMANDS)
    return guest


def lay_out(guest: Guest, prefix: str, root: Path) -> None:
    """Write the files of one look below a root, as they lie in the guest."""
    for name, content in guest.files.items():
        if name.startswith(f"{prefix}/"):
            path = root / name.removeprefix(f"{prefix}/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def finished(guest: Guest, final: Path, watch: GroupWatch | None) -> Run:
    """Finish the guest's run as laxity does."""
    tmp = left_run(final.with_name(f"{final.name}.tmp"), None)
    for folder, names in (
        ("D", ("native.json", "jobs.npy", "histogram.npy")),
        ("T", ("trace.json", "sched.npy", "threads.npy")),
    ):
        for name in names:
            (tmp / name).write_bytes(guest.files[f"/run/{folder}/{name}"])
    if watch is not None:
        store_groups(NewRun(tmp, final, -1), watch)
    finish_run(tmp, has_survived=True, returncode=0)
    return open_run(final)


def names_of(trace: dict[str, Any]) -> list[str]:
    return [culprit["name"] for culprit in trace["preempted_by"]]


@pytest.mark.serial
@pytest.mark.slow
def test_program_that_a_quota_of_version_2_stopped_is_not_called_preempted(tmp_path: Path) -> None:
    guest = boot(tmp_path)
    root = tmp_path / "root"
    lay_out(guest, "before", root)
    watch = GroupWatch(root)
    watch.look([1])
    lay_out(guest, "after", root)
    run = finished(guest, tmp_path / "D", watch)
    (use,) = run.manifest.groups
    assert (use.path, use.quota_us, use.period_us) == (SLICE, QUOTA_US, PERIOD_US)
    assert run.manifest.notes == group_lines([use], is_estimated=False)

    # Jobs follow each other without a pause: the thread has lost what it did not execute.
    rows = run.stream("jobs")
    rows = rows[rows["status"] == Status.DONE]
    assert len(rows) == JOBS
    lost_ns = int(rows["finish_ns"][-1] - rows["start_ns"][0] - rows["exec_ns"].sum())
    # 160 ms of work are 16 portions of 10 ms, with a wait of at most 90 ms between two of them. The
    # first and the last portion may have served laxity-run, too.
    assert 14 <= use.throttled <= use.periods
    # At most one wait comes before the first job, and one after the last. 3 % of the loss are for
    # threads outside of the group, such as the recorder's.
    assert 0.97 * lost_ns <= use.throttled_ns <= lost_ns + 2 * 90_000_000

    (task,) = summary_document(run)["runs"][0]["tasks"]
    assert task["trace"]["jobs"] == JOBS
    assert task["trace"]["is_throttled_by_quota"]
    assert names_of(task["trace"]) == []
    # The same trace without the groups blames who had the CPU meanwhile.
    (task,) = summary_document(finished(guest, tmp_path / "E", None))["runs"][0]["tasks"]
    assert names_of(task["trace"])[0] == "bully"

    lay_out(guest, "frozen", root)
    watch.look([])
    assert [use.path for use in watch.uses() if use.is_frozen] == [APP]
