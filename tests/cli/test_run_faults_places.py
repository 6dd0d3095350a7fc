# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks that are demoted or moved: no figure of theirs is one of what was asked for."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    CPU,
    FAULT,
    Outcome,
    children_of,
    fault_spec,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    needs_root,
    needs_two_cpus,
    start,
)
from tests.cli.fault_runs import (
    end_soon,
    only_task,
    processes_of,
    run_fault,
    wait_for_rows,
)

from laxity.store.manifest import Displaced

pytestmark = needs_fifo


OTHER_CPUS = os.sched_getaffinity(0) - {CPU}


# Who was started by nice(1) is demoted to that.
NICE = os.getpriority(os.PRIO_PROCESS, 0)


OTHER = f"other nice {NICE}" if NICE else "other"


def kinds_of(displaced: Iterable[Displaced]) -> dict[str, tuple[str, str]]:
    return {one.what: (one.planned, one.found) for one in displaced}


def test_a_job_that_demotes_its_task_ends_the_run_without_verdict(tmp_path: Path):
    """Nobody looked: 9 of 10 jobs ran under other while the manifest said fifo."""
    outcome = run_fault(tmp_path, "demote", 5, jobs="50")
    assert outcome.code == 4
    assert f'"fault" was found under {OTHER}, planned was fifo priority 50' in outcome.err
    manifest = manifest_of(tmp_path / "D")
    assert (manifest.status, manifest.exit_code) == ("complete", 4)
    (displaced,) = manifest.tasks[0].displaced
    assert (displaced.what, displaced.planned, displaced.found) == (
        "policy", "fifo priority 50", OTHER,
    )  # fmt: skip
    # Of the started jobs 0 to 49 the ones from 5 on ended so.
    assert displaced.jobs == 45
    assert "planned was fifo priority 50" in laxity("show", tmp_path / "D").out


@needs_two_cpus
def test_a_job_that_leaves_its_cpu_ends_the_run_without_verdict(tmp_path: Path):
    outcome = run_fault(tmp_path, "wander", 5, jobs="50")
    assert outcome.code == 4
    assert f'"fault": 45 jobs began or ended off CPUs {CPU}, the first was job ' in outcome.err
    found = {one.what: one for one in only_task(tmp_path).displaced}
    # Job 5 begins in its place and ends elsewhere, 6 to 49 begin there.
    assert {what: one.jobs for what, one in found.items()} == {"cpus": 45, "cpu_of_job": 45}
    assert {one.planned for one in found.values()} == {str(CPU)}


def disturb(tmp_path: Path, disturbance: Callable[[int], None], **keys: str) -> Outcome:
    """Do something to the task of a run in its middle."""
    spec = fault_spec(tmp_path / "s.toml", "none", None, duration='"600s"', period='"2ms"', **keys)
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    disturbance(processes_of(process).task)
    return end_soon(process)


def demote(pid: int) -> None:
    os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))


def test_a_task_demoted_from_outside_ends_the_run_without_verdict(tmp_path: Path):
    """`chrt -o` made 972 jobs late, and the run was complete with exit code 0."""
    outcome = disturb(tmp_path, demote)
    assert outcome.code == 4
    assert kinds_of(only_task(tmp_path).displaced) == {"policy": ("fifo priority 50", OTHER)}


def test_a_task_of_another_priority_ends_the_run_without_verdict(tmp_path: Path):
    def lower(pid: int) -> None:
        os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(49))

    assert disturb(tmp_path, lower).code == 4
    expected = {"policy": ("fifo priority 50", "fifo priority 49")}
    assert kinds_of(only_task(tmp_path).displaced) == expected


def test_a_reniced_task_of_policy_other_ends_the_run_without_verdict(tmp_path: Path):
    def renice(pid: int) -> None:
        os.setpriority(os.PRIO_PROCESS, pid, NICE + 5)

    assert disturb(tmp_path, renice, policy='"other"').code == 4
    assert kinds_of(only_task(tmp_path).displaced) == {"policy": (OTHER, f"other nice {NICE + 5}")}


@needs_two_cpus
def test_a_task_moved_from_outside_ends_the_run_without_verdict(tmp_path: Path):
    """A changed cpuset put 1760 of 3000 starts on a CPU outside the plan, without a word."""
    outcome = disturb(tmp_path, lambda pid: os.sched_setaffinity(pid, OTHER_CPUS))
    assert outcome.code == 4
    found = {one.what: one for one in only_task(tmp_path).displaced}
    assert set(found) == {"cpus", "cpu_of_job"}
    assert found["cpu_of_job"].planned == str(CPU)
    jobs = jobs_of(tmp_path / "D")
    elsewhere = (jobs["cpu_start"] != CPU) | (jobs["cpu_finish"] != CPU)
    assert found["cpu_of_job"].jobs == np.ma.sum(elsewhere)


@needs_two_cpus
def test_a_task_that_may_run_where_it_was_planned_is_in_its_place(tmp_path: Path):
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    outcome = disturb(tmp_path, lambda pid: os.sched_setaffinity(pid, {CPU}), cpus=f'"{cpus}"')
    assert outcome.code == 130, outcome.err
    assert only_task(tmp_path).displaced == []


def write_tasks(group: Path, pid: int) -> None:
    (group / "tasks").write_text(str(pid))


@needs_root
@needs_two_cpus
def test_a_task_moved_by_a_cpuset_ends_the_run_without_verdict(tmp_path: Path):
    group = Path("/sys/fs/cgroup/cpuset") / f"laxity-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"needs a cpuset of its own ({error.strerror})")
    try:
        (group / "cpuset.cpus").write_text(",".join(map(str, OTHER_CPUS)))
        (group / "cpuset.mems").write_text("0")
        outcome = disturb(tmp_path, lambda pid: write_tasks(group, pid))
    finally:
        group.rmdir()
    assert outcome.code == 4
    assert set(kinds_of(only_task(tmp_path).displaced)) == {"cpus", "cpu_of_job"}


@needs_two_cpus
def test_an_interrupt_does_not_hide_that_a_task_was_moved(tmp_path: Path):
    assert disturb(tmp_path, lambda pid: os.sched_setaffinity(pid, OTHER_CPUS)).code == 4
    manifest = manifest_of(tmp_path / "D")
    assert (manifest.status, manifest.exit_code) == ("interrupted", 4)


@needs_two_cpus
def test_a_corunner_that_was_moved_ends_the_run_without_verdict(tmp_path: Path):
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"600s"')
    other = min(OTHER_CPUS)
    with spec.open("a") as file:
        file.write(f'[[interfere]]\nworkload = "{FAULT}"\nargs = ["block"]\ncpus = "{other}"\n')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    (corunner,) = children_of(processes_of(process).supervisor, "harness=corunner")
    os.sched_setaffinity(corunner, {CPU})
    assert end_soon(process).code == 4
    (result,) = manifest_of(tmp_path / "D").corunners
    assert kinds_of(result.displaced) == {"cpus": (str(other), str(CPU))}


def test_a_program_that_demotes_itself_in_each_job_ends_the_run_without_verdict(tmp_path: Path):
    words = ("-p", "50ms", "-d", "none", "-t", "3", "-c", str(CPU), "--run-dir", tmp_path / "D")
    script = "exec chrt -o 0 true"
    outcome = laxity("run", *words, "--no-report", "--exec", "/bin/sh", "-c", script)
    assert outcome.code == 4
    (displaced,) = only_task(tmp_path).displaced
    assert (displaced.what, displaced.found, displaced.jobs) == ("policy", OTHER, 3)
