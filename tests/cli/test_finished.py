# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The end of a command that wrote a run: nothing that comes after it changes what it was."""

import signal
import subprocess
from pathlib import Path

import msgspec
import pytest
from tests.cli.commands import (
    fault_spec,
    finish,
    laxity,
    manifest_of,
    needs_fifo,
    needs_root,
    start,
)
from tests.cli.fault_runs import wait_for_rows
from tests.jobs.left_runs import left_run, native

from laxity.cli import finished
from laxity.cli.summary import summary_text
from laxity.errors import PlatformError
from laxity.jobs.finish import Finished, finish_run
from laxity.store.run_directory import open_run


def ended(tmp_path: Path, **fields: object) -> Finished:
    return finish_run(left_run(tmp_path / "D.tmp", native(**fields)), has_survived=True)


@pytest.mark.parametrize(("exit_code", "expected"), [(0, 130), (1, 1)])
def test_interrupt_during_the_report_says_that_the_run_is_stored(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    exit_code: int,
    expected: int,
):
    def interrupted(_: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(finished, "build_report", interrupted)
    done = ended(tmp_path, exit_code=exit_code)
    assert finished.show_finished(done, output_format="table", has_report=True) == expected
    path = tmp_path / "D"
    told = f"laxity: interrupted; the run is stored in {path}, laxity report {path} goes on\n"
    assert capsys.readouterr().err == told


def test_report_that_cannot_be_written_is_told_with_the_path_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def full(_: Path) -> Path:
        msg = "report.html: cannot be written; free space"
        raise PlatformError(msg)

    monkeypatch.setattr(finished, "build_report", full)
    assert finished.show_finished(ended(tmp_path), output_format="json", has_report=True) == 3
    message = f"free space; the run is stored in {tmp_path / 'D'}\n"
    assert capsys.readouterr().err.endswith(message)


def test_status_is_not_said_twice(tmp_path: Path):
    message = "interrupted by SIGINT; jobs up to then were kept"
    done = ended(tmp_path, status="interrupted", exit_code=130, message=message)
    assert summary_text(open_run(done.path)).splitlines()[0] == message


def test_bounds_of_buckets_are_marked_as_bounds(tmp_path: Path):
    # Buckets [1000, 1008), [1984, 2016), [2976, 3008); the median is the second of three.
    tmp = left_run(tmp_path / "D.tmp", native(), [1_000], keep="tail:1")
    text = summary_text(open_run(finish_run(tmp, has_survived=True).path))
    assert "≥ 1 µs  ≤ 2.02 µs" in " ".join(text.split("response time")[1].splitlines()[:1])
    assert "≤ 3.01 µs" in text
    assert "≤ ≥: ends of histogram buckets" in text


def test_exact_values_carry_no_mark(tmp_path: Path):
    text = summary_text(open_run(ended(tmp_path).path))
    assert "≤" not in text
    assert "≥" not in text


def test_missing_quantile_is_explained(tmp_path: Path):
    text = summary_text(open_run(ended(tmp_path).path))
    # ln(0.025) / ln(0.999) = 3687.04; for 0.99 367.04.
    assert "\n-: p99 needs 368 jobs, p99.9 needs 3688 jobs\n" in text


def test_how_not_met_is_counted_is_shown(tmp_path: Path):
    done = ended(tmp_path)
    (task,) = done.manifest.tasks
    counts = msgspec.structs.replace(
        task.counts, done=3, missed=1, skipped=2, aborted=0, pending=4, not_met=6
    )
    (tmp_path / "E").mkdir()
    text = "6 not met = 1 missed + 2 skipped + 0 aborted + 3 of 4 pending"
    done = ended(tmp_path / "E", tasks=[{"index": 0, "counts": msgspec.to_builtins(counts)}])
    assert text in summary_text(open_run(done.path))


@needs_fifo
def test_lost_connection_ends_the_run_as_sigterm_does(tmp_path: Path):
    spec = fault_spec(tmp_path / "s.toml", "churn", duration='"60s"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    process.send_signal(signal.SIGHUP)
    outcome = finish(process)
    assert outcome.code == 130
    assert outcome.out.splitlines()[-1] == str(tmp_path / "D")
    assert manifest_of(tmp_path / "D").status == "interrupted"


@needs_fifo
@needs_root
@pytest.mark.parametrize("room_kib", range(320, 345, 4))
def test_full_output_is_told_in_one_message_and_completed_later(tmp_path: Path, room_kib: int):
    """Which file meets the end of the space depends on the room: in pages, as tmpfs counts."""
    small = tmp_path / "small"
    small.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={room_kib}k", "tmpfs", str(small)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("needs permission to mount a tmpfs")
    try:
        spec = fault_spec(tmp_path / "s.toml", "none", duration='"20s"', period='"200us"')
        done = laxity("run", spec, "--run-dir", small / "D", "--no-report", "--quiet")
        # On a loaded machine the run may say as well that it stood still.
        said = [line for line in done.err.splitlines() if "stood still" not in line]
        assert (done.code, len(said)) == (3, 1), done.err
        shown = laxity("show", small / "D")
        assert (shown.code, shown.err.count("\n")) == (3, 1), shown.err
        assert "free space" in shown.err
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        shown = laxity("show", small / "D")
        assert (shown.code, shown.err) == (0, "")
        assert "completes the run" not in shown.out
    finally:
        subprocess.run(["umount", small], check=True)
