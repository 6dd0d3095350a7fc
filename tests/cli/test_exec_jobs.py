# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs that are processes of a program which knows nothing of laxity (`run --exec`)."""

import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    Outcome,
    finish,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    processes_naming,
    start,
)
from tests.waiting import wait_until

from laxity.core.streams import Cause, Status

DYNAMIC = BUILT.tools / "tests" / "native" / "plain_program"
STATIC = BUILT.tools / "tests" / "native" / "plain_static_program"
# Both ways of holding a process.
BOTH = pytest.mark.parametrize("program", [DYNAMIC, STATIC], ids=["preloaded", "at exec"])


def run_exec(
    directory: Path, *words: str | Path, options: tuple[str, ...] = ("-p", "20ms", "-t", "3")
) -> Outcome:
    place = ("-c", str(CPU), "--run-dir", directory / "D")
    rest = ("--no-report", "--quiet", "--exec", *words)
    return laxity("run", "--policy", "other", *options, *place, *rest)


def printed(directory: Path) -> list[str]:
    return (directory / "D" / "output.log").read_text().splitlines()[1:]


@BOTH
def test_each_job_is_one_process_of_an_unchanged_program(tmp_path: Path, program: Path) -> None:
    outcome = run_exec(tmp_path, program, "print", "--period", "threads")
    assert outcome.code == 0, outcome.err
    assert "--period" not in outcome.out
    assert printed(tmp_path) == ["--period"] * 3
    jobs = jobs_of(tmp_path / "D")
    ran = jobs[jobs["status"] != Status.SKIPPED]
    assert len(set(ran["tid"].tolist())) == 3
    assert (ran["start_ns"] >= ran["release_ns"]).all()
    assert (ran["finish_ns"] > ran["start_ns"]).all()
    # Of all its threads.
    assert (ran["exec_ns"] > 0).all()
    assert (ran["minor_faults"] >= 0).all()
    assert (ran["preemptions"] >= 0).all()
    # The process's own end may be one of them or not: nobody can tell.
    assert ran["blockings"].mask.all()
    task = manifest_of(tmp_path / "D").tasks[0]
    assert (task.isolation, task.exec, task.memory) == ("exec", None, None)
    assert (task.workload, task.args) == (str(program), ["print", "--period", "threads"])
    assert task.isolating is not None
    assert task.isolating.n == 3


def test_a_build_below_a_path_with_a_blank_and_a_colon_holds_programs_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # LD_PRELOAD ends a path at either.
    elsewhere = tmp_path / "a blank:and a colon"
    for name in ("native/laxity-run", "native/laxity-facts", "workloads/program"):
        (elsewhere / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BUILT.tools / name, elsewhere / name)
    for path in (BUILT.tools / "workloads").glob("laxity-*.so"):
        shutil.copy(path, elsewhere / "workloads")
    monkeypatch.setattr("tests.cli.commands.BUILT", replace(BUILT, tools=elsewhere))
    outcome = run_exec(tmp_path, DYNAMIC, "variable", "LD_PRELOAD", "variable", "LAXITY_HOLD")
    assert outcome.code == 0, outcome.err
    assert printed(tmp_path) == ["LD_PRELOAD=unset", "LAXITY_HOLD=unset"] * 3
    assert not manifest_of(tmp_path / "D").fallbacks


def test_of_a_program_that_cannot_be_preloaded_it_is_said_what_its_jobs_hold(
    tmp_path: Path,
) -> None:
    run_exec(tmp_path, STATIC)
    fallbacks = [one.used for one in manifest_of(tmp_path / "D").fallbacks]
    assert fallbacks == ["begin at exec"]
    assert manifest_of(tmp_path / "D").tasks[0].memory_locked is False


@pytest.mark.parametrize(
    ("program", "words", "cause"),
    [
        (DYNAMIC, ("exit", "3"), Cause.EXIT),
        (STATIC, ("raise", str(int(signal.SIGSEGV))), Cause.SIGNAL),
        (DYNAMIC, ("raise", str(int(signal.SIGKILL))), Cause.KILLED),
    ],
    ids=["exit", "signal", "killed"],
)
def test_a_job_that_fails_is_aborted_with_its_cause_and_the_next_one_goes_on(
    tmp_path: Path, program: Path, words: tuple[str, ...], cause: Cause
) -> None:
    outcome = run_exec(tmp_path, program, "print", "here", *words)
    assert outcome.code == 1
    assert "3 of its jobs aborted, the first in job 0" in outcome.err
    jobs = jobs_of(tmp_path / "D")
    aborted = jobs[jobs["status"] == Status.ABORTED]
    assert aborted["cause"].tolist() == [cause] * 3
    assert not aborted["start_ns"].mask.any()
    assert aborted["finish_ns"].mask.all()
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "complete"
    assert manifest.tasks[0].counts.aborted == 3


@BOTH
def test_a_job_beyond_its_timeout_is_killed_and_the_next_one_goes_on(
    tmp_path: Path, program: Path
) -> None:
    options = ("-p", "20ms", "-t", "2", "--job-timeout", "100ms")
    outcome = run_exec(tmp_path, program, "loop", options=options)
    assert outcome.code == 1
    assert "(cause timeout)" in outcome.err
    jobs = jobs_of(tmp_path / "D")
    causes = jobs["cause"][jobs["status"] == Status.ABORTED].tolist()
    assert causes == [Cause.TIMEOUT] * 2


@needs_fifo
@pytest.mark.serial
def test_a_fifo_job_that_never_ends_is_killed_from_above_it(tmp_path: Path) -> None:
    options = ("-p", "50ms", "-t", "2", "--job-timeout", "200ms", "--policy", "fifo")
    outcome = run_exec(tmp_path, DYNAMIC, "loop", options=options)
    assert outcome.code == 1
    assert manifest_of(tmp_path / "D").tasks[0].counts.aborted == 2


@BOTH
def test_an_interrupt_in_a_job_keeps_its_row_and_leaves_no_process(
    tmp_path: Path, program: Path
) -> None:
    mark = f"mark-{os.getpid()}-{tmp_path.name}"
    options = ("-p", "20ms", "-c", str(CPU), "--policy", "other", "--run-dir", tmp_path / "D")
    process = start("run", *options, "--quiet", "--exec", program, "print", mark, "child", "loop")

    def is_looping() -> bool:
        # The process of the job, which loops, and its child.
        return len([pid for pid in processes_naming(mark) if _is(pid, program)]) == 2

    wait_until(is_looping, "the job loops")
    process.send_signal(signal.SIGINT)
    outcome = finish(process)
    assert outcome.code == 130, outcome.err
    jobs = jobs_of(tmp_path / "D")
    aborted = jobs[jobs["status"] == Status.ABORTED]
    assert aborted["cause"].tolist() == [Cause.INTERRUPT]
    assert manifest_of(tmp_path / "D").status == "interrupted"
    assert processes_naming(mark) == []


def test_a_kill_of_its_task_aborts_the_job_that_runs_and_leaves_no_process(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-{tmp_path.name}"
    options = ("-p", "20ms", "-c", str(CPU), "--policy", "other", "--run-dir", tmp_path / "D")
    process = start("run", *options, "--quiet", "--exec", DYNAMIC, "print", mark, "child", "loop")

    def jobs_running() -> list[int]:
        return [pid for pid in processes_naming(mark) if _is(pid, DYNAMIC)]

    wait_until(lambda: len(jobs_running()) == 2, "the job loops")
    workload = BUILT.tools / "workloads" / "program"
    for pid in processes_naming(mark):
        if _is(pid, workload):
            os.kill(pid, signal.SIGKILL)
    outcome = finish(process)
    assert outcome.code == 1
    assert "in job 0" in outcome.err
    jobs = jobs_of(tmp_path / "D")
    aborted = jobs[jobs["status"] == Status.ABORTED]
    assert aborted["cause"].tolist() == [Cause.KILLED]
    # Nobody is left who knows when it began: no figure.
    assert aborted["start_ns"].mask.all()
    assert processes_naming(mark) == []


def _is(pid: int, program: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink() == program.resolve()
    except OSError:
        return False


def test_what_a_job_has_started_ends_with_it(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-{tmp_path.name}"
    outcome = run_exec(tmp_path, DYNAMIC, "print", mark, "child")
    assert outcome.code == 0, outcome.err
    assert processes_naming(mark) == []


def test_a_program_finds_its_environment_as_if_nobody_held_it(tmp_path: Path) -> None:
    run_exec(tmp_path, DYNAMIC, "variable", "LD_PRELOAD", "variable", "LAXITY_HOLD")
    assert printed(tmp_path)[:2] == ["LD_PRELOAD=unset", "LAXITY_HOLD=unset"]


def test_each_job_reads_its_standard_input_from_the_beginning(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("one\ntwo\n")
    options = ("-p", "20ms", "-t", "2", "--stdin", str(tmp_path / "in"))
    assert run_exec(tmp_path, DYNAMIC, "read", options=options).code == 0
    assert printed(tmp_path) == ["one", "two"] * 2


def test_a_standard_input_that_is_not_there_is_refused_before_a_run_is_made(tmp_path: Path) -> None:
    options = ("-p", "20ms", "-t", "2", "--stdin", str(tmp_path / "no"))
    outcome = run_exec(tmp_path, DYNAMIC, "read", options=options)
    assert outcome.code == 2
    assert f'stdin "{tmp_path / "no"}": no file that can be read; correct the path' in outcome.err
    assert not (tmp_path / "D").exists()


def test_a_stored_run_of_a_program_can_be_run_again(tmp_path: Path) -> None:
    run_exec(tmp_path, DYNAMIC, "print", "again")
    spec = tmp_path / "D" / "spec.toml"
    outcome = laxity("run", spec, "--run-dir", tmp_path / "E", "--no-report", "--quiet")
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "E" / "output.log").read_text().count("again\n") == 3


def test_a_script_is_held_at_its_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\necho from the script\n")
    script.chmod(0o755)
    outcome = run_exec(tmp_path, script)
    assert outcome.code == 0, outcome.err
    assert printed(tmp_path) == ["from the script"] * 3


def test_less_snapshots_are_fewer_columns(tmp_path: Path) -> None:
    options = ("-p", "20ms", "-t", "2", "--snapshots", "cpu")
    assert run_exec(tmp_path, DYNAMIC, options=options).code == 0
    names = jobs_of(tmp_path / "D").dtype.names
    assert "exec_ns" in names
    assert "minor_faults" not in names


def test_words_for_a_workload_beside_a_program_are_refused(tmp_path: Path) -> None:
    outcome = laxity("run", "-p", "20ms", "-b", "x", "--exec", DYNAMIC)
    assert outcome.code == 2
    assert "-b: describes a workload; write the words behind the program" in outcome.err
    outcome = laxity("run", "mem", "-p", "20ms", "--exec", DYNAMIC)
    assert outcome.code == 2
    assert "mem is named too; remove one of them" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_program_with_other_rights_is_refused_not_run_without_them(tmp_path: Path) -> None:
    program = tmp_path / "other"
    program.write_bytes(DYNAMIC.read_bytes())
    program.chmod(0o4755)
    outcome = run_exec(tmp_path, program)
    assert outcome.code in {1, 3}
    assert "set-user-ID" in outcome.err


def test_a_program_that_never_ends_is_told_how_it_is_run_instead(tmp_path: Path):
    script = tmp_path / "loops"
    script.write_text("#!/bin/sh\nexec sleep 100\n")
    script.chmod(0o755)
    words = ("-p", "50ms", "-t", "2", "--job-timeout", "20ms", "--policy", "other")
    outcome = laxity(
        "run", *words, "--run-dir", tmp_path / "D", "--no-report", "--quiet", "--exec", script
    )
    assert outcome.code == 1
    assert "none ended within its job timeout. If the program makes jobs by itself" in outcome.out
