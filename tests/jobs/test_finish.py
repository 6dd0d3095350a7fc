# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Finishing and recovering runs, at every point at which somebody may have died."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.jobs.left_runs import left_run, native, write_histogram, write_jobs

from laxity.errors import ConfigError, LaxityError, RecordError
from laxity.jobs import ends
from laxity.jobs.finish import finish_run, open_recovered, recover
from laxity.store import run_directory
from laxity.store.manifest import Clock, Counter, Counts, Faults, Memory, Writer
from laxity.store.native import NativeCorunner, NativeTask
from laxity.store.run_directory import open_run


def test_run_that_ended_well_is_whole_and_named(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native(), seed=7)
    (tmp / "segment").symlink_to("/nowhere/laxity-gone")
    finished = finish_run(tmp, has_survived=True, returncode=0)
    assert finished.path == tmp_path / "D"
    assert not tmp.exists()
    manifest = open_run(tmp_path / "D").manifest
    assert manifest == finished.manifest
    assert (manifest.status, manifest.exit_code) == ("complete", 0)
    assert manifest.tables == {"jobs.npy": 3, "histogram.npy": 3}
    assert manifest.writer is msgspec.UNSET
    names = {"histogram.npy", "jobs.npy", "machine.json", "spec.toml"}
    assert set(manifest.files) == names
    assert {path.name for path in (tmp_path / "D").iterdir()} == names | {"manifest.json"}
    assert open_run(tmp_path / "D").verify() == []


def test_both_halves_of_a_task_are_joined(tmp_path: Path):
    task = NativeTask(
        index=0,
        policy="fifo",
        released=9,
        started=8,
        counts=Counts(done=7, missed=1, skipped=1, not_met=2),
        end_ns=5,
        end_cause="jobs",
        memory_locked=True,
        faults_after_first_job=Faults(minor=1, major=0),
        memory=Memory(peak_bytes=100, limit_bytes=200),
        rttime_pauses=2,
        output_bytes=11,
    )
    corunner = NativeCorunner(index=0, policy="other", passes_before_t0=3, passes=40)
    left = native(tasks=[task], corunners=[corunner], counter=Counter(name="tsc", rate_hz=1))
    manifest = finish_run(left_run(tmp_path / "D.tmp", left), has_survived=True).manifest
    (joined,) = manifest.tasks
    assert (joined.name, joined.workload, joined.args) == ("mem", "mem", ["64KiB"])
    assert (joined.policy, joined.priority, joined.cpus) == ("fifo", 50, "1")
    assert (joined.period_ns, joined.deadline_ns) == (10_000_000, 10_000_000)
    assert (joined.released, joined.started, joined.counts.not_met) == (9, 8, 2)
    assert (joined.end_cause, joined.rttime_pauses, joined.output_bytes) == ("jobs", 2, 11)
    assert joined.memory == Memory(peak_bytes=100, limit_bytes=200)
    (beside,) = manifest.corunners
    assert (beside.workload, beside.cpus, beside.passes_before_t0, beside.passes) == (
        "bandwidth",
        "0",
        3,
        40,
    )
    assert manifest.counter == Counter(name="tsc", rate_hz=1)


def test_task_that_fell_back_to_other_has_no_priority(tmp_path: Path):
    left = native(tasks=[NativeTask(index=0, policy="other")])
    (task,) = finish_run(left_run(tmp_path / "D.tmp", left), has_survived=True).manifest.tasks
    assert (task.policy, task.priority) == ("other", None)


@pytest.mark.parametrize(
    ("status", "exit_code"), [("interrupted", 130), ("failed", 1), ("failed", 4), ("recovered", 4)]
)
def test_status_and_exit_code_are_those_of_laxity_run(tmp_path: Path, status: str, exit_code: int):
    left = native(status=status, exit_code=exit_code, message="why")
    manifest = finish_run(left_run(tmp_path / "D.tmp", left), has_survived=True).manifest
    assert (manifest.status, manifest.exit_code, manifest.message) == (status, exit_code, "why")


def test_run_whose_caller_died_is_recovered(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native(status="interrupted", exit_code=130))
    manifest = finish_run(tmp, has_survived=False).manifest
    assert (manifest.status, manifest.exit_code) == ("recovered", 130)


def refused(exit_code: int, t0_ns: int | None = None):
    return native(status="failed", exit_code=exit_code, clock=Clock(name="x", t0_ns=t0_ns))


@pytest.mark.parametrize("exit_code", [2, 3])
def test_run_refused_before_its_first_release_leaves_nothing(tmp_path: Path, exit_code: int):
    tmp = left_run(tmp_path / "D.tmp", refused(exit_code))
    finished = finish_run(tmp, has_survived=True, returncode=exit_code)
    assert finished.path is None
    assert finished.manifest.exit_code == exit_code
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("returncode", [1, -2, -11, None])
def test_run_that_never_began_leaves_nothing(tmp_path: Path, returncode: int | None):
    tmp = left_run(tmp_path / "D.tmp", None)
    (tmp / "jobs.npy").unlink()
    assert finish_run(tmp, has_survived=True, returncode=returncode).path is None
    assert list(tmp_path.iterdir()) == []


def test_run_refused_without_a_result_leaves_nothing(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", None)
    assert finish_run(tmp, has_survived=True, returncode=2).path is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("exit_code", "t0_ns"), [(3, 5), (1, None), (130, None), (4, None)])
def test_run_that_ended_otherwise_is_kept(tmp_path: Path, exit_code: int, t0_ns: int | None):
    # 3 after the first release: the output was full. 1: init failed, which is a result.
    tmp = left_run(tmp_path / "D.tmp", refused(exit_code, t0_ns))
    assert finish_run(tmp, has_survived=True).path == tmp_path / "D"


@pytest.mark.parametrize(
    ("returncode", "status", "exit_code"),
    [
        (5, "failed", 5),
        (0, "failed", 5),
        (-9, "recovered", 4),
        (-2, "interrupted", 130),
        (-15, "interrupted", 130),
    ],
)
def test_run_without_a_result_is_made_the_best_of(
    tmp_path: Path, returncode: int, status: str, exit_code: int
):
    # Rows: met, missed (11 ms > 10 ms), skipped.
    tmp = left_run(tmp_path / "D.tmp", None, [1_000, 11_000_000, None])
    manifest = finish_run(tmp, has_survived=True, returncode=returncode).manifest
    assert (manifest.status, manifest.exit_code) == (status, exit_code)
    (task,) = manifest.tasks
    assert task.counts == Counts(done=1, missed=1, skipped=1, not_met=2)
    # It was said to be "never released".
    assert (task.released, task.started) == (3, 2)
    assert manifest.clock is None


def test_run_without_a_result_that_kept_some_rows_says_so(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", None, [11_000_000], keep="misses")
    manifest = finish_run(tmp, has_survived=True, returncode=-9).manifest
    assert manifest.message.endswith(
        "; keep misses has left rows of some jobs alone: shares are of these"
    )


def test_run_whose_writer_died_before_its_spec_was_there_has_measured_nothing(tmp_path: Path):
    # An interrupted profile could not be finished, nor go on: "spec.toml: cannot be read".
    tmp = left_run(tmp_path / "D.tmp", None)
    (tmp / "spec.toml").rename(tmp / "spec.toml.new")
    (tmp / "jobs.npy").unlink()
    assert finish_run(tmp, has_survived=False).path is None
    assert not tmp.exists()


def test_finishing_twice_gives_the_same_run(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native())
    first = finish_run(tmp, has_survived=True)
    assert finish_run(tmp, has_survived=False) == first


def test_finisher_killed_before_the_rename_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tmp = left_run(tmp_path / "D.tmp", native())

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(run_directory, "rename_run", die)
        with pytest.raises(KeyboardInterrupt):
            finish_run(tmp, has_survived=True)
    # Its status was decided already: who finishes it now does not matter.
    manifest = finish_run(tmp, has_survived=False).manifest
    assert manifest.status == "complete"
    assert open_run(tmp_path / "D").verify() == []


def test_finisher_killed_before_the_manifest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tmp = left_run(tmp_path / "D.tmp", native())

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(run_directory, "hash_files", die)
        with pytest.raises(KeyboardInterrupt):
            finish_run(tmp, has_survived=True)
    assert finish_run(tmp, has_survived=True).manifest.status == "complete"


def test_unclosed_stream_counts_by_its_size(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native())
    with (tmp / "jobs.npy").open("ab") as file:
        file.write(b"torn")
    assert finish_run(tmp, has_survived=True).manifest.tables["jobs.npy"] == 3


@pytest.mark.parametrize("name", ["manifest.json", "native.json", "spec.toml"])
def test_damaged_document_is_told_and_nothing_is_lost(tmp_path: Path, name: str):
    tmp = left_run(tmp_path / "D.tmp", native())
    (tmp / name).write_text("{")
    with pytest.raises(RecordError, match=name):
        finish_run(tmp, has_survived=True)
    assert (tmp / "jobs.npy").exists()


def test_reader_finishes_what_everybody_left(tmp_path: Path):
    dead = Writer(pid=os.getpid(), start_ticks=1, boot_id=ends._boot_id())
    left_run(tmp_path / "D.tmp", native(), writer=dead)
    run = open_recovered(tmp_path / "D")
    assert run.manifest.status == "recovered"
    assert open_recovered(tmp_path / "D").manifest == run.manifest


def test_left_over_named_by_its_own_path_is_recovered(tmp_path: Path):
    left_run(tmp_path / "D.tmp", native())
    assert open_recovered(tmp_path / "D.tmp").path == tmp_path / "D"


def test_run_that_is_locked_is_never_touched(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native())
    lock_fd = run_directory.lock_directory(tmp)
    assert lock_fd is not None
    with pytest.raises(ConfigError, match=r"run .*/D.tmp: is still being written; wait until"):
        recover(tmp_path / "D")
    os.close(lock_fd)
    assert (tmp / "native.json").exists()
    recover(tmp_path / "D")
    assert (tmp_path / "D").is_dir()


def test_lock_lives_as_long_as_any_process_of_the_run(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native())
    lock_fd = run_directory.lock_directory(tmp)
    assert lock_fd is not None
    # As laxity-run: it inherits the descriptor; the process that took the lock then dies.
    heir = [sys.executable, "-c", "input()"]
    with subprocess.Popen(heir, stdin=subprocess.PIPE, pass_fds=[lock_fd]) as process:
        os.close(lock_fd)
        with pytest.raises(ConfigError, match=r"is still being written"):
            recover(tmp_path / "D")
        process.communicate(b"\n")
    recover(tmp_path / "D")


def test_run_whose_writer_lives_is_not_touched_where_locks_do_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fcntl, "flock", no_locks)
    left_run(tmp_path / "D.tmp", native(), writer=ends.this_writer())
    with pytest.raises(ConfigError, match=r"is still being written"):
        recover(tmp_path / "D")


def no_locks(*_: object):
    raise OSError(95, "Operation not supported")


@pytest.mark.parametrize("change", [{"start_ticks": 1}, {"boot_id": "another"}, {"pid": 2**22 + 1}])
def test_writer_of_another_time_is_not_taken_for_a_living_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
):
    monkeypatch.setattr(fcntl, "flock", no_locks)
    writer = msgspec.structs.replace(ends.this_writer(), **change)
    left_run(tmp_path / "D.tmp", native(), writer=writer)
    recover(tmp_path / "D")
    assert (tmp_path / "D").is_dir()


def test_left_over_without_a_manifest_is_told_and_removed(tmp_path: Path):
    (tmp_path / "D.tmp").mkdir()
    with pytest.raises(ConfigError, match=r"run .*/D: ended before its first release; nothing was"):
        open_recovered(tmp_path / "D")
    assert list(tmp_path.iterdir()) == []


def test_left_over_that_was_refused_is_told(tmp_path: Path):
    left_run(tmp_path / "D.tmp", refused(3))
    with pytest.raises(ConfigError, match=r"ended before its first release"):
        open_recovered(tmp_path / "D")


def test_run_of_several_runs_is_recovered_with_those_that_were_measured(tmp_path: Path):
    top = tmp_path / "D.tmp"
    left_run(top / "runs" / "alone.tmp", native())
    (top / "runs" / "interfered.tmp").mkdir()
    left = left_run(tmp_path / "other.tmp", None)
    manifest = run_directory.read_manifest(left)
    running = msgspec.structs.replace(manifest, kind="demo", runs=["alone", "interfered"])
    run_directory.write_document(top / "manifest.json", running)
    run = open_recovered(tmp_path / "D")
    assert (run.manifest.status, run.manifest.runs) == ("recovered", ["alone"])
    assert run.children[0].manifest.status == "recovered"
    assert run.verify() == []


def test_finisher_called_by_hand_needs_its_argument():
    done = subprocess.run(
        [sys.executable, "-m", "laxity.jobs.finish"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": "python"},
    )
    assert (done.returncode, done.stderr) == (2, "laxity finish: one argument is needed: DIR.tmp\n")


@pytest.mark.parametrize(
    ("limit", "responses_ns", "exit_code"),
    [
        # Limits are inclusive: the pair around each.
        ({"max_misses": 2}, [1_000], 0),
        ({"max_misses": 1}, [1_000], 1),
        ({"max_response": "5us"}, [1_000, 5_000], 0),
        ({"max_response": "5us"}, [1_000, 5_001], 1),
        # Nothing is known of a job that did not finish.
        ({"max_response": "5us"}, [], 4),
        ({"max_response": "5us"}, [None], 4),
    ],
)
def test_limits_of_the_spec_decide_the_exit_code(
    tmp_path: Path, limit: dict[str, object], responses_ns: list[int | None], exit_code: int
):
    # Whatever the rows say, laxity-run counted 2 not met: under `keep misses` rows do not tell.
    n_finished = sum(response_ns is not None for response_ns in responses_ns)
    task = NativeTask(index=0, released=3, counts=Counts(done=n_finished, skipped=2, not_met=2))
    tmp = left_run(tmp_path / "D.tmp", native(tasks=[task]), responses_ns, None, **limit)
    write_histogram(tmp, [])
    manifest = finish_run(tmp, has_survived=True).manifest
    assert (manifest.status, manifest.exit_code) == ("complete", exit_code)
    assert bool(manifest.message) == bool(exit_code)


@pytest.mark.parametrize(
    ("limit", "counts", "said"),
    [
        # Its deadline had not come; it may be missed yet. One that had is counted as not met.
        (
            {"max_misses": 2},
            Counts(done=1, pending=2, not_met=1),
            '1 job of task "mem" still pending',
        ),
        ({"max_response": "5us"}, Counts(done=1, aborted=1, not_met=1), "did not finish"),
        ({"max_response": "5us"}, Counts(done=1, pending=1), "did not finish"),
    ],
)
def test_jobs_of_which_nobody_knows_how_long_they_take_are_within_no_limit(
    tmp_path: Path, limit: dict[str, object], counts: Counts, said: str
):
    task = NativeTask(index=0, released=3, counts=counts)
    tmp = left_run(tmp_path / "D.tmp", native(tasks=[task]), [1_000], None, **limit)
    write_histogram(tmp, [])
    manifest = finish_run(tmp, has_survived=True).manifest
    assert manifest.exit_code == 4
    assert said in manifest.message


def test_message_of_a_violated_limit_names_both_figures(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native(), [5_001, 1, 1], max_response="5us")
    message = finish_run(tmp, has_survived=True).manifest.message
    assert message == "response time 5.001us is above the limit max_response 5us"


def test_response_known_only_by_its_bucket_is_not_named_as_one_that_occurred(tmp_path: Path):
    # The longest bucket is [2976, 3008).
    tmp = left_run(tmp_path / "D.tmp", native(), [], keep="tail:1", max_response="2us")
    message = finish_run(tmp, has_survived=True).manifest.message
    assert message == "response time of at least 2.976us is above the limit max_response 2us"


def test_response_is_exact_where_every_row_was_kept_after_all(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native(), keep="tail:9", max_response="2us")
    message = finish_run(tmp, has_survived=True).manifest.message
    assert message == "response time 3us is above the limit max_response 2us"


@pytest.mark.parametrize(("released", "exit_code"), [(0, 4), (1, 0)])
def test_limit_of_misses_without_a_release_gives_no_verdict(
    tmp_path: Path, released: int, exit_code: int
):
    left = native(tasks=[NativeTask(index=0, released=released)])
    tmp = left_run(tmp_path / "D.tmp", left, [], max_misses=0)
    manifest = finish_run(tmp, has_survived=True).manifest
    assert manifest.exit_code == exit_code
    message = 'max_misses 0: task "mem" had no release: no verdict'
    assert manifest.message == (message if exit_code else "")


def test_completed_run_does_not_advise_to_complete_it(tmp_path: Path):
    told = "cannot write D.tmp: full; free space, then `laxity show` completes the run"
    left = native(status="failed", exit_code=3, message=told)
    manifest = finish_run(left_run(tmp_path / "D.tmp", left), has_survived=False).manifest
    assert (manifest.exit_code, manifest.message) == (3, "cannot write D.tmp: full")


@pytest.mark.parametrize(("code", "exit_code"), [(3, 3), (2, 4)])
def test_recovery_that_fails_says_why_in_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, exit_code: int
):
    tool = tmp_path / "tools" / "native" / "laxity-run"
    tool.parent.mkdir(parents=True)
    tool.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo laxity-run 0.1.0; exit; }\n'
        f"echo 'laxity-run: D: free space' >&2; exit {code}\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "tools"))
    tmp = left_run(tmp_path / "D.tmp", None)
    (tmp / "segment").symlink_to(tool)
    with pytest.raises(LaxityError, match=r"cannot be completed: D: free space$") as caught:
        finish_run(tmp, has_survived=False)
    assert caught.value.exit_code == exit_code


@pytest.mark.parametrize(
    ("limit", "exit_code"),
    # The longest bucket is [2976, 3008): surely above 2975, surely not above 3007.
    [("2975ns", 1), ("2976ns", 4), ("3006ns", 4), ("3007ns", 0)],
)
def test_response_limit_is_judged_by_the_histogram_as_far_as_it_knows(
    tmp_path: Path, limit: str, exit_code: int
):
    tmp = left_run(tmp_path / "D.tmp", native(), [], keep="misses", max_response=limit)
    assert finish_run(tmp, has_survived=True).manifest.exit_code == exit_code


def test_failure_that_came_first_keeps_its_exit_code(tmp_path: Path):
    task = NativeTask(index=0, counts=Counts(aborted=1, not_met=1))
    left = native(status="failed", exit_code=4, tasks=[task])
    tmp = left_run(tmp_path / "D.tmp", left, max_misses=0)
    assert finish_run(tmp, has_survived=True).manifest.exit_code == 4


def test_lost_rows_leave_no_verdict(tmp_path: Path):
    left = native(tasks=[NativeTask(index=0, lost_rows=1)])
    manifest = finish_run(left_run(tmp_path / "D.tmp", left), has_survived=True).manifest
    assert manifest.exit_code == 4
    assert "1 rows were lost" in manifest.message


def test_made_up_rows_are_what_they_seem(tmp_path: Path):
    write_jobs(tmp_path, [None])
    assert (tmp_path / "jobs.npy").exists()
