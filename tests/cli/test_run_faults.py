# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Faults of workloads, users and machines: the message, the exit code, and nothing lost."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    CPU,
    FAULT,
    LAXITY,
    Outcome,
    aborted_job,
    children_of,
    environment,
    fault_spec,
    finish,
    is_alive,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    needs_root,
    needs_two_cpus,
    start,
)
from tests.cli.laxity_command import PATIENCE_S
from tests.waiting import wait_until

from laxity.core.streams import Cause, Status
from laxity.store.manifest import Displaced, Manifest

pytestmark = needs_fifo


def run_fault(tmp_path: Path, mode: str, number: int | None = None, **keys: str) -> Outcome:
    spec = fault_spec(tmp_path / "fault.toml", mode, number, **keys)
    return laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")


def only_task(tmp_path: Path):
    return manifest_of(tmp_path / "D").tasks[0]


def only_aborted(tmp_path: Path) -> np.ma.MaskedArray:
    """The aborted row; releases may pass while the process dies, so it need not be the last."""
    jobs = jobs_of(tmp_path / "D")
    return jobs[jobs["status"] == Status.ABORTED]


def wait_for_rows(tmp: Path) -> None:
    stream = tmp / "jobs.npy"
    # The header is 4096 bytes long.
    wait_until(lambda: stream.exists() and stream.stat().st_size > 4096, f"rows in {stream}")


def rows_account_for_every_release(directory: Path, manifest: Manifest) -> None:
    jobs = jobs_of(directory)
    task = manifest.tasks[0]
    assert list(jobs["job"]) == list(range(len(jobs)))
    assert task.released == len(jobs)
    assert task.counts.aborted == np.count_nonzero(jobs["status"] == Status.ABORTED)


def test_crash_after_17_jobs_keeps_them_and_the_aborted_one(tmp_path: Path):
    outcome = run_fault(tmp_path, "crash", 17, jobs="100")
    assert outcome.code == 1
    number = aborted_job(tmp_path / "D")
    assert f'task "fault": killed by signal 11 (SIGSEGV) in job {number};' in outcome.err
    jobs = jobs_of(tmp_path / "D")
    # The 18th job that ran: 17 finished, and all other releases before it were skipped.
    before = jobs["status"][:number]
    assert np.count_nonzero(before <= Status.MISSED) == 17
    assert np.count_nonzero(before == Status.SKIPPED) == number - 17
    aborted = only_aborted(tmp_path)
    assert list(aborted["cause"]) == [Cause.SIGNAL]
    assert np.ma.getmaskarray(aborted["finish_ns"]).all()
    assert not np.ma.getmaskarray(aborted["start_ns"]).any()
    assert manifest_of(tmp_path / "D").status == "failed"


def test_job_that_never_returns_is_killed_at_its_timeout(tmp_path: Path):
    # Far beyond what a loaded machine takes from the jobs before it.
    outcome = run_fault(tmp_path, "hang", 3, jobs="100", job_timeout='"1s"')
    assert outcome.code == 1
    number = aborted_job(tmp_path / "D")
    assert f"in job {number}: longer than its timeout of 1000 ms" in outcome.err
    assert np.count_nonzero(jobs_of(tmp_path / "D")["status"] <= Status.MISSED) == 3
    assert list(only_aborted(tmp_path)["cause"]) == [Cause.TIMEOUT]
    assert only_task(tmp_path).end_cause == "timeout"


def test_exit_in_a_job_is_told_with_its_code(tmp_path: Path):
    outcome = run_fault(tmp_path, "exit", 5, jobs="100")
    assert outcome.code == 1
    assert f"called exit(3) in job {aborted_job(tmp_path / 'D')};" in outcome.err
    assert np.count_nonzero(jobs_of(tmp_path / "D")["status"] <= Status.MISSED) == 5
    assert list(only_aborted(tmp_path)["cause"]) == [Cause.EXIT]


def test_workload_that_finds_its_own_result_wrong_says_why(tmp_path: Path):
    outcome = run_fault(tmp_path, "check", 5, jobs="100")
    assert outcome.code == 1
    assert "sum is 41, expected 42" in outcome.err


def test_init_that_fails_ends_the_run_before_any_release(tmp_path: Path):
    outcome = run_fault(tmp_path, "init-fails", jobs="100")
    assert outcome.code == 1
    assert "its init failed (benchmark_init returned -7)" in outcome.err
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "failed"
    assert manifest.clock.t0_ns is None


def test_words_of_a_workload_whose_init_fails_reach_the_user(tmp_path: Path):
    words = ["run", "mem", "1B", "-p", "1ms", "-t", "3", "-c", str(CPU)]
    outcome = laxity(*words, "--run-dir", tmp_path / "D", "--no-report")
    assert outcome.code == 1
    assert 'mem: SIZE "1B": is ' in outcome.err


def test_crash_in_teardown_keeps_all_jobs(tmp_path: Path):
    outcome = run_fault(tmp_path, "teardown-crash", jobs="50")
    assert outcome.code == 1
    assert "in its teardown" in outcome.err
    assert only_task(tmp_path).counts.aborted == 0
    assert only_task(tmp_path).started == 50


def test_workload_that_prints_much_neither_blocks_nor_fills_the_disk(tmp_path: Path):
    # A job prints 2000 lines of at least 43 bytes: 40 jobs print more than 3.4 MB.
    outcome = run_fault(tmp_path, "print", jobs="40", period='"20ms"')
    assert outcome.code == 0
    assert "nobody asked for" not in outcome.out
    log = tmp_path / "D" / "output.log"
    assert 1_000_000 < log.stat().st_size <= 1024 * 1024 + 100
    assert only_task(tmp_path).output_bytes > 3_400_000


def test_teardown_is_called_once_with_the_same_words_after_the_last_job(tmp_path: Path):
    """The words were freed before teardown read them (SIGSEGV)."""
    assert run_fault(tmp_path, "churn", 7, jobs="20").code == 0
    assert (tmp_path / "D" / "output.log").read_text() == "== fault ==\ntorn down after 20 jobs\n"


def test_value_that_a_workload_logs_stands_in_the_row_of_its_own_job(tmp_path: Path):
    """The value was read after the row was written: the last job's, or 0."""
    assert run_fault(tmp_path, "none", jobs="30").code == 0
    jobs = jobs_of(tmp_path / "D")
    started = jobs[jobs["status"] <= Status.MISSED]
    # The workload counts its jobs; after the n-th (from 0) it logs n + 1.
    assert list(started["jobs before(exp:n)"]) == [float(n + 1) for n in range(30)]


def test_status_is_arithmetic_on_the_nominal_release(tmp_path: Path):
    """A job of 4 µs was reported missed because its deadline timer was armed late."""
    spec = fault_spec(tmp_path / "s.toml", "alternate", 1500, jobs="400", deadline='"500us"')
    assert laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report").code == 0
    jobs = jobs_of(tmp_path / "D")
    manifest = manifest_of(tmp_path / "D")
    t0_ns = manifest.clock.t0_ns
    assert list(jobs["release_ns"]) == [t0_ns + n * 1_000_000 for n in range(len(jobs))]
    assert np.all(jobs["abs_deadline_ns"] == jobs["release_ns"] + 500_000)
    finished = ~np.ma.getmaskarray(jobs["finish_ns"])
    late = jobs["finish_ns"][finished] > jobs["abs_deadline_ns"][finished]
    assert list(jobs["status"][finished] == Status.MISSED) == list(late)
    # Every second job spins 1.5 ms: missed, and the next release is skipped.
    assert manifest.tasks[0].counts.missed >= 200
    assert manifest.tasks[0].counts.skipped >= 200


def test_release_that_finds_the_task_running_is_a_row_of_its_own(tmp_path: Path):
    """Periods lost to a long job were invisible: the next job's start counted as its release."""
    # C = 3.5 T: job 0 covers the releases 1, 2, 3; job 4 the releases 5, 6, 7 (design section 4).
    assert run_fault(tmp_path, "spin", 35_000, jobs="2", period='"10ms"').code == 0
    jobs = jobs_of(tmp_path / "D")
    rows_account_for_every_release(tmp_path / "D", manifest_of(tmp_path / "D"))
    assert list(jobs["status"][:4]) == [Status.MISSED, *[Status.SKIPPED] * 3]
    assert np.ma.min(jobs["start_ns"] - jobs["release_ns"]) >= 0


def test_queue_runs_every_job_and_leaves_the_rest_pending(tmp_path: Path):
    # C = 3.5 T, D = 4 T, two jobs: 0 met or missed by latency alone, 1 ends after 7 T > 5 T.
    outcome = run_fault(
        tmp_path, "spin", 35_000, jobs="2", period='"10ms"', deadline='"40ms"', overrun='"queue"'
    )
    assert outcome.code == 0
    jobs = jobs_of(tmp_path / "D")
    assert len(jobs) >= 7
    assert jobs["status"][1] == Status.MISSED
    assert set(jobs["status"][2:]) == {Status.PENDING}


@pytest.mark.parametrize(
    ("mode", "number", "blockings"), [("none", None, 0), ("block", None, 1), ("spin", 950, 0)]
)
def test_a_job_is_not_charged_the_sleep_before_it(
    tmp_path: Path, mode: str, number: int | None, blockings: int
):
    """Switches are read before the sleep, or behind it where the release is as near as 50 us."""
    assert run_fault(tmp_path, mode, number, jobs="30").code == 0
    jobs = jobs_of(tmp_path / "D")
    started = jobs[jobs["status"] <= Status.MISSED]["blockings"]
    assert np.ma.max(started) == blockings
    # A host that takes the CPU away between the arming of a timer and the switch lets the timer end
    # first: that sleep is none, and the job's count one lower or unknown.
    assert np.count_nonzero(np.ma.filled(started == blockings, False)) >= 28  # of 30


def test_memory_of_init_is_present_before_the_first_job(tmp_path: Path):
    """2048 page faults stood in the first job although memory was said to be locked."""
    outcome = laxity(
        "run", "mem", "-b", "8MiB", "-p", "50ms", "-t", "5", "-c", str(CPU),
        "--run-dir", tmp_path / "D", "--no-report",
    )  # fmt: skip
    assert outcome.code == 0
    if not only_task(tmp_path).memory_locked:
        pytest.skip("needs permission to lock memory")
    jobs = jobs_of(tmp_path / "D")
    # 8 MiB are 2048 pages of 4 KiB.
    assert np.ma.sum(jobs["minor_faults"]) < 20


@needs_two_cpus
def test_interference_takes_the_cpus_it_is_given_and_no_more(tmp_path: Path):
    """Starting co-runners looped for ever on two CPUs."""
    other = min(os.sched_getaffinity(0))
    outcome = laxity(
        "run", "empty", "-p", "1ms", "-t", "50", "-c", str(CPU),
        "--interfere", f"bandwidth read 1MiB@{other}", "--run-dir", tmp_path / "D", "--no-report",
    )  # fmt: skip
    assert outcome.code == 0
    (corunner,) = manifest_of(tmp_path / "D").corunners
    assert corunner.cpus == str(other)
    assert corunner.passes_before_t0 >= 1
    assert corunner.passes >= 1
    assert corunner.end_cause == "stopped"


@needs_two_cpus
def test_corunner_that_dies_ends_the_run_without_verdict(tmp_path: Path):
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"30s"')
    other = min(os.sched_getaffinity(0))
    with spec.open("a") as file:
        file.write(f'[[interfere]]\nworkload = "{FAULT}"\nargs = ["block"]\ncpus = "{other}"\n')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    (corunner,) = children_of(processes_of(process).supervisor, "harness=corunner")
    os.kill(corunner, signal.SIGSEGV)
    outcome = finish(process)
    assert outcome.code == 4
    assert "died: killed by signal 11 (SIGSEGV)" in outcome.err
    assert manifest_of(tmp_path / "D").corunners[0].end_cause == "signal"
    assert len(jobs_of(tmp_path / "D")) > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_is_kept_and_says_so(tmp_path: Path, number: signal.Signals):
    spec = fault_spec(tmp_path / "s.toml", "churn", duration='"60s"')
    process = start("run", spec, "--run-dir", tmp_path / "D")
    wait_for_rows(tmp_path / "D.tmp")
    time.sleep(0.2)
    process.send_signal(number)
    outcome = finish(process)
    assert outcome.code == 130
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "interrupted"
    assert manifest.exit_code == 130
    assert (tmp_path / "D" / "report.html").exists()
    rows_account_for_every_release(tmp_path / "D", manifest)


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


def end_soon(process: "subprocess.Popen[str]") -> Outcome:
    """Interrupt an endless run when what was done to it has been seen: that hides nothing."""
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    return finish(process)


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


def interrupt_many(tmp_path: Path, count: int) -> None:
    for n in range(count):
        spec = fault_spec(tmp_path / "s.toml", "churn", duration='"60s"', period='"300us"')
        process = start("run", spec, "--run-dir", tmp_path / f"D{n}", "--no-report")
        wait_for_rows(tmp_path / f"D{n}.tmp")
        time.sleep(0.01 * (n % 10))
        process.send_signal(signal.SIGINT)
        assert finish(process).code == 130
        manifest = manifest_of(tmp_path / f"D{n}")
        assert manifest.status == "interrupted"
        rows_account_for_every_release(tmp_path / f"D{n}", manifest)


def test_interrupt_in_the_middle_of_malloc_leaves_a_readable_run(tmp_path: Path):
    """15 of 40 interrupts crashed, because exit() ran inside the signal handler."""
    interrupt_many(tmp_path, 4)


@pytest.mark.serial
@pytest.mark.slow
def test_forty_interrupts_leave_forty_readable_runs(tmp_path: Path):
    interrupt_many(tmp_path, 40)


@dataclass(frozen=True)
class Processes:
    """The processes of one run. Other tests run the same programs at the same time."""

    caller: int
    supervisor: int
    drain: int
    task: int

    def are_gone(self) -> bool:
        return not any(is_alive(pid) for pid in (self.supervisor, self.drain, self.task))


def processes_of(process: "subprocess.Popen[str]") -> Processes:
    (supervisor,) = children_of(process.pid, "laxity-run --run-dir")
    (drain,) = children_of(supervisor, "laxity-run --run-dir")
    (task,) = children_of(supervisor, "harness=task")
    return Processes(process.pid, supervisor, drain, task)


def kill_and_read(tmp_path: Path, victim: str, name: str = "D") -> Manifest:
    """Kill one part of a run in its middle; return the manifest that a reader then sees."""
    directory = tmp_path / name
    spec = fault_spec(tmp_path / f"{name}.toml", "none", duration='"60s"', period='"500us"')
    process = start("run", spec, "--run-dir", directory, "--no-report", is_own_session=True)
    wait_for_rows(directory.with_name(f"{name}.tmp"))
    time.sleep(0.3)
    processes = processes_of(process)
    kill_part(victim, processes)
    process.communicate(timeout=PATIENCE_S)
    wait_until(processes.are_gone, "the end of all")
    shown = laxity("show", directory)
    assert shown.code == 0, shown.err
    manifest = manifest_of(directory)
    rows_account_for_every_release(directory, manifest)
    # 300 ms at 500 µs: what was in the ring is in the file.
    assert manifest.tasks[0].released >= 300
    return manifest


def kill_part(victim: str, processes: Processes) -> None:
    if victim == "group":
        os.killpg(processes.caller, signal.SIGKILL)
        return
    pids = {
        "harness": (processes.task,),
        "caller": (processes.caller,),
        "supervisor": (processes.supervisor,),
        # The drain process first: it would complete the run when it sees the others die.
        "everything": (processes.drain, processes.supervisor, processes.task, processes.caller),
    }
    for pid in pids[victim]:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("victim", "status"),
    [
        ("harness", "failed"),
        ("caller", "recovered"),
        ("group", "recovered"),
        ("supervisor", "recovered"),
        ("everything", "recovered"),
    ],
)
def test_kill_loses_nothing_that_was_in_the_ring(tmp_path: Path, victim: str, status: str):
    assert kill_and_read(tmp_path, victim).status == status


@pytest.mark.serial
@pytest.mark.slow
def test_twenty_kills_leave_twenty_readable_runs(tmp_path: Path):
    victims = ["harness", "caller", "group", "supervisor"]
    for n in range(20):
        kill_and_read(tmp_path, victims[n % len(victims)], f"D{n}")


def test_recovery_invents_no_release_after_the_death(tmp_path: Path):
    """Whoever looked later at a run that was killed saw more skipped releases."""
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"60s"', period='"500us"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report", is_own_session=True)
    wait_for_rows(tmp_path / "D.tmp")
    kill_part("everything", processes_of(process))
    process.communicate(timeout=PATIENCE_S)
    # Only now: on a loaded machine a process may still run for a moment after the signal was sent.
    killed_ns = time.monotonic_ns()
    time.sleep(1.0)
    assert laxity("show", tmp_path / "D").code == 0
    manifest = manifest_of(tmp_path / "D")
    assert manifest.clock.end_ns <= killed_ns
    rows_account_for_every_release(tmp_path / "D", manifest)


def test_workload_ended_by_somebody_else_is_no_complete_run(tmp_path: Path):
    """SIGTERM to the workload alone made a run of 20 s complete after 1 s, exit code 0."""
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"60s"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    os.kill(processes_of(process).task, signal.SIGTERM)
    outcome = finish(process)
    assert outcome.code == 1
    assert "ended by SIGTERM from outside" in outcome.err
    assert manifest_of(tmp_path / "D").status == "failed"


def test_abort_after_the_duration_covers_no_later_release(tmp_path: Path):
    outcome = run_fault(tmp_path, "hang", 0, duration='"100ms"', job_timeout='"500ms"')
    assert outcome.code == 1
    # 100 ms / 1 ms, whenever the job was killed.
    assert only_task(tmp_path).released == 100


def test_killed_drain_process_is_replaced_and_no_row_is_lost(tmp_path: Path):
    # The job of the release after 0.5 s lasts until we have killed: the run cannot end before.
    go_on = tmp_path / "go on"
    keys = {"duration": '"1500ms"', "period": '"500us"', "job_timeout": f'"{PATIENCE_S}s"'}
    spec = fault_spec(tmp_path / "s.toml", "wait", 300, go_on, **keys)
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    killed = processes_of(process)
    os.kill(killed.drain, signal.SIGKILL)

    def is_replaced() -> bool:
        return bool(set(children_of(killed.supervisor, "laxity-run --run-dir")) - {killed.drain})

    wait_until(is_replaced, "another drain process")
    go_on.touch()
    assert finish(process).code == 0
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "complete"
    # 1500 ms / 0.5 ms
    assert manifest.tasks[0].released == 3000
    rows_account_for_every_release(tmp_path / "D", manifest)


@needs_root
def test_full_output_ends_with_3_and_the_rows_survive(tmp_path: Path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=320k", "tmpfs", small],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip("needs permission to mount a tmpfs")
    try:
        spec = fault_spec(tmp_path / "s.toml", "none", duration='"20s"', period='"200us"')
        outcome = laxity("run", spec, "--run-dir", small / "D", "--no-report")
        assert outcome.code == 3
        assert "No space left on device" in outcome.err
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        shown = laxity("show", small / "D")
        assert shown.code == 0, shown.err
        manifest = manifest_of(small / "D")
        rows_account_for_every_release(small / "D", manifest)
        # More rows than would have fitted: 320 KiB hold fewer than 3300 rows of 100 bytes.
        assert manifest.tasks[0].released > 2000
    finally:
        subprocess.run(["umount", small], check=True)


def segment_of(tmp: Path) -> Path:
    wait_until((tmp / "segment").is_symlink, "a segment")
    return (tmp / "segment").readlink()


def many_tasks(path: Path, count: int) -> Path:
    """Write a spec of tasks with long names: more words than fit into one command line over ssh."""
    lines = ["schema = 1", "[run]", "jobs = 2"]
    for n in range(count):
        lines += ["[[task]]", f'name = "{"task" * 12}-{n}"', 'workload = "empty"', 'period = "2s"']
        lines += ['policy = "other"', 'stack = "64KiB"', 'heap = "64KiB"', f'cpus = "{CPU}"']
    path.write_text("\n".join(lines) + "\n")
    return path


def test_two_hundred_tasks_run_at_once(tmp_path: Path):
    """More than 64 were refused late, and many more did not fit into a command line."""
    spec = many_tasks(tmp_path / "many.toml", 200)
    # Two pipes for each of them are 800 open files.
    prefix = ("prlimit", "--nofile=256:4096")
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report", prefix=prefix)
    outcome = finish(process)
    assert outcome.code == 0, outcome.err
    manifest = manifest_of(tmp_path / "D")
    assert [task.started for task in manifest.tasks] == [2] * 200
    assert not (tmp_path / "D" / "plan").exists()


def test_too_few_open_files_for_all_tasks_are_said_before_the_run(tmp_path: Path):
    spec = many_tasks(tmp_path / "many.toml", 100)
    prefix = ("prlimit", "--nofile=128:128")
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report", prefix=prefix)
    outcome = finish(process)
    assert outcome.code == 3
    words = (
        "cannot make the pipes of 100 tasks and co-runners: Too many open files; raise ulimit -n"
    )
    assert words in outcome.err
    assert not (tmp_path / "D").exists()


def test_a_run_deleted_while_it_runs_leaves_no_segment(tmp_path: Path):
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"600s"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    segment = segment_of(tmp_path / "D.tmp")
    shutil.rmtree(tmp_path / "D.tmp")
    assert end_soon(process).code != 0
    wait_until(lambda: not segment.exists(), "the end of the segment")


def test_a_segment_whose_killed_run_was_deleted_is_removed_by_the_next_run(tmp_path: Path):
    """17 MB stayed in /dev/shm for good."""
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"60s"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report", is_own_session=True)
    wait_for_rows(tmp_path / "D.tmp")
    segment, processes = segment_of(tmp_path / "D.tmp"), processes_of(process)
    # Stopped, not killed: the supervisor would begin another one, which completes the run.
    os.kill(processes.drain, signal.SIGSTOP)
    for pid in (processes.caller, processes.supervisor, processes.task, processes.drain):
        os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=30)
    wait_until(processes.are_gone, "the end of all")
    words = ("run", "empty", "-p", "1ms", "-t", "3", "-c", str(CPU), "--no-report", "--run-dir")
    # It can still be recovered: nobody takes it away.
    assert laxity(*words, tmp_path / "E").code == 0
    assert segment.exists()
    shutil.rmtree(tmp_path / "D.tmp")
    assert laxity(*words, tmp_path / "F").code == 0
    assert not segment.exists()


@needs_root
def test_a_tmpfs_without_room_for_the_segment_is_told_as_such(tmp_path: Path):
    """It was told as "No such file or directory"."""
    words = ["run", "empty", "-p", "1ms", "-t", "3", "-c", str(CPU), "--no-report"]
    words += ["--run-dir", str(tmp_path / "D")]
    # A mount namespace of its own: nobody else sees the tiny file systems.
    script = 'for at in /dev/shm /run; do mount -t tmpfs -o size=64k tmpfs $at; done; exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", script, "sh", *LAXITY, *words]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if "unshare" in done.stderr:
        pytest.skip("needs permission for a mount namespace")
    assert done.returncode == 3
    assert "No space left on device; mount or enlarge /dev/shm" in done.stderr


@needs_root
def test_a_task_killed_for_want_of_memory_is_told_as_such(tmp_path: Path):
    """It was told as "killed by signal 9"."""
    group = Path("/sys/fs/cgroup/memory") / f"laxity-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(300 << 20))
    except OSError:
        pytest.skip("needs permission to make a control group of version 1")
    try:
        # 8 GiB, far beyond the limit; the harness itself needs less than 300 MiB.
        spec = tmp_path / "s.toml"
        spec.write_text(
            f'schema = 1\n[run]\njobs = 5\n[[task]]\nname = "big"\nworkload = "mem"\n'
            f'args = ["8GiB"]\nperiod = "100ms"\ncpus = "{CPU}"\n'
        )
        words = ["run", str(spec), "--run-dir", str(tmp_path / "D"), "--no-report"]
        script = f'echo $$ > {group}/cgroup.procs; exec "$@"'
        command = ["sh", "-c", script, "sh", *LAXITY, *words]
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "killed by the kernel for want of memory (oom_kill, signal 9)" in done.stderr
    finally:
        group.rmdir()


@needs_root
def test_fifo_without_permission_is_exit_3_and_leaves_no_run(open_path: Path):
    outcome = run_as_nobody(open_path)
    assert outcome.code == 3
    assert "--allow-unprivileged" in outcome.err
    assert list((open_path / "runs").iterdir()) == []


@needs_root
def test_output_below_a_closed_directory_is_a_usage_error(open_path: Path):
    """Permission denied was an internal error."""
    outcome = run_as_nobody(open_path, "--run-dir", "/root/D")
    assert outcome.code == 2
    assert "cannot be created (Permission denied)" in outcome.err


@needs_root
def test_group_without_real_time_budget_is_named_with_its_file(tmp_path: Path):
    group = Path("/sys/fs/cgroup/cpu") / f"laxity-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "cpu.rt_runtime_us").write_text("0")
    except OSError:
        pytest.skip("needs permission to make a control group of version 1")
    try:
        words = ["run", "empty", "-p", "1ms", "-t", "3", "-c", str(CPU)]
        words += ["--run-dir", str(tmp_path / "D"), "--no-report"]
        script = f'echo $$ > {group}/cgroup.procs; exec "$@"'
        command = ["sh", "-c", script, "sh", *LAXITY, *words]
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 3
        assert f"budget of this control group is 0 ({group}/cpu.rt_runtime_us)" in done.stderr
        assert not (tmp_path / "D").exists()
    finally:
        group.rmdir()


@pytest.mark.serial
@pytest.mark.slow
def test_hundred_thousand_jobs_have_a_row_for_every_release(tmp_path: Path):
    words = ["run", "empty", "-p", "100us", "-t", "100000", "-c", str(CPU), "-f", "90"]
    assert laxity(*words, "--run-dir", tmp_path / "D", "--no-report").code == 0
    directory = tmp_path / "D"
    manifest = manifest_of(directory)
    rows_account_for_every_release(directory, manifest)
    jobs = jobs_of(directory)
    task = manifest.tasks[0]
    assert task.started == 100_000
    assert np.all(np.diff(jobs["release_ns"]) == 100_000)
    finished = ~np.ma.getmaskarray(jobs["finish_ns"])
    late = jobs["finish_ns"][finished] > jobs["release_ns"][finished] + 100_000
    assert list(jobs["status"][finished] == Status.MISSED) == list(late)
    # A release is skipped if and only if it lies before the finish of the last job that ran.
    last_finish = np.maximum.accumulate(np.ma.filled(jobs["finish_ns"], 0))
    skipped = jobs["status"][1:] == Status.SKIPPED
    assert list(skipped) == list(jobs["release_ns"][1:] < last_finish[:-1])


@needs_root
def test_other_is_used_only_when_allowed_and_the_fallback_is_told(open_path: Path):
    outcome = run_as_nobody(open_path, "--allow-unprivileged")
    assert outcome.code == 0
    assert "used other instead" in outcome.err
    manifest = manifest_of(open_path / "runs" / "D")
    assert manifest.tasks[0].policy == "other"
    assert any("fifo" in fallback.what for fallback in manifest.fallbacks)


def run_as_nobody(directory: Path, *options: str) -> Outcome:
    runs = directory / "runs"
    runs.mkdir(mode=0o777)
    runs.chmod(0o777)
    words = ["run", "empty", "-p", "1ms", "-t", "20", "-c", str(CPU)]
    words += ["--run-dir", str(runs / "D"), "--no-report", *options]
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *LAXITY, *words]
    tried = subprocess.run(
        [*command[:4], *LAXITY, "--version"], env=environment(), capture_output=True, check=False
    )
    if tried.returncode:
        pytest.skip("needs a checkout that other users may read")
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.serial
@pytest.mark.slow
def test_sixty_seconds_of_overload_under_queue_survive_the_kernels_limit(tmp_path: Path):
    """RLIMIT_RTTIME kills a FIFO task that never sleeps; each of its jobs ends in time."""
    outcome = run_fault(
        tmp_path, "spin", 2000, duration='"60s"', deadline='"2ms"', overrun='"queue"',
        job_timeout='"1s"',
    )  # fmt: skip
    assert outcome.code == 0
    task = only_task(tmp_path)
    assert task.end_cause == "duration"
    assert task.released == 60_000
    # The soft limit is the timeout + 1 s = 2 s of processor time: about 30 pauses in 60 s.
    assert task.rttime_pauses >= 10
