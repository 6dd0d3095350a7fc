# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Machines that lack something: room, files, memory, permission."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from tests.cli.commands import (
    CPU,
    LAXITY,
    Outcome,
    environment,
    fault_spec,
    finish,
    laxity,
    manifest_of,
    needs_fifo,
    needs_root,
    start,
)
from tests.cli.fault_runs import (
    end_soon,
    processes_of,
    rows_account_for_every_release,
    wait_for_rows,
)
from tests.waiting import wait_until

pytestmark = needs_fifo


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
