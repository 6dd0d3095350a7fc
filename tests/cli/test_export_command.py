# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity export` as a whole command."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import BUILT, CPU, LAXITY, environment, jobs_of, laxity, manifest_of
from tests.cli.laxity_command import PATIENCE_S
from tests.export.perfetto_reader import Decoded, decode
from tests.report.run_builder import Made, ordinary_rows, write_composite, write_run

MARKER = BUILT.tools / "tests" / "native" / "marker"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("stored") / "D", Made(ordinary_rows(20)))


def in_shell(script: str, *words: str | Path) -> "subprocess.CompletedProcess[bytes]":
    """Run `laxity export perfetto "$1"`, in place of LAXITY, with redirections."""
    script = script.replace("LAXITY", '"$0" -P -m laxity export perfetto "$1"')
    # CPython 3.11 keeps the half of a module's bytecode that a limit on files let it write.
    variables = {**environment(), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        ["bash", "-c", script, sys.executable, *words],
        env=variables, capture_output=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_an_exported_run_agrees_with_its_streams(tmp_path: Path):
    spec = tmp_path / "marker.toml"
    spec.write_text(
        'schema = 1\n[run]\njobs = 50\ntrace = true\nevents = ["page-faults"]\n'
        'sample_bucket = "2ms"\n[[task]]\nname = "marker"\n'
        f'workload = "{MARKER}"\nargs = ["jobs"]\nperiod = "2ms"\ndeadline = "none"\n'
        f'policy = "other"\ncpus = "{CPU}"\n'
    )
    directory, output = tmp_path / "D", tmp_path / "D.pftrace"
    assert laxity("run", spec, "--run-dir", directory, "--no-report", "--quiet").code == 0
    outcome = laxity("export", "perfetto", directory, "-o", output)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    decoded = decode(output.read_bytes())
    jobs = jobs_of(directory)
    started = jobs[~np.ma.getmaskarray(jobs["start_ns"])]
    slices = [one for one in decoded.track("jobs", "task marker").slices if one.depth == 0]
    assert [one.begin_ns for one in slices] == started["release_ns"].tolist()
    assert [one.end_ns for one in slices] == started["finish_ns"].tolist()
    # Of each job the marks 1, 300 and 2 are phases, 7 is a probe whose value is the job's number.
    tid = int(started["tid"][0])
    phases = decoded.track(f"phases of thread {tid}").slices
    assert [one.name for one in phases] == ["phase 1", "phase 300", "phase 2"] * 50
    assert [one.args["value"] for one in decoded.track("probes").instants] == list(range(50))
    assert decoded.track("page-faults since t0").counts
    assert decoded.processes[tid] == "task marker"
    check_trace(directory, decoded)


def check_trace(directory: Path, decoded: Decoded) -> None:
    trace = manifest_of(directory).trace
    if trace.backend is None:
        return  # not permitted here
    assert decoded.running
    for cpu in {one.cpu for one in decoded.running}:
        here = [one for one in decoded.running if one.cpu == cpu]
        assert here[0].begin_ns <= trace.started_ns
        assert [one.end_ns for one in here[:-1]] == [one.begin_ns for one in here[1:]]
        assert here[-1].begin_ns <= trace.stopped_ns


def test_without_an_output_the_trace_goes_to_stdout(stored: Path):
    done = in_shell("LAXITY", stored)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(decode(done.stdout).track("jobs").slices) == 60


def test_an_existing_output_is_left_alone(stored: Path, tmp_path: Path):
    output = tmp_path / "trace"
    output.write_text("precious")
    outcome = laxity("export", "perfetto", stored, "-o", output)
    message = f"laxity export: -o {output}: exists; remove it or name another file\n"
    assert (outcome.code, outcome.err) == (2, message)
    assert output.read_text() == "precious"
    assert names_in(tmp_path) == ["trace"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing/trace", "No such file or directory"), ("x" * 300, "File name too long")],
)
def test_an_output_that_cannot_be_created_is_refused(
    stored: Path, tmp_path: Path, name: str, reason: str
):
    output = tmp_path / name
    outcome = laxity("export", "perfetto", stored, "-o", output)
    message = f"laxity export: -o {output}: cannot be created ({reason}); name another file\n"
    assert (outcome.code, outcome.err) == (2, message)
    assert names_in(tmp_path) == []


def test_a_full_output_is_the_machines_lack_and_leaves_nothing(stored: Path, tmp_path: Path):
    done = in_shell('ulimit -f 1; LAXITY -o "$2"', stored, tmp_path / "trace")
    assert done.returncode == 3
    assert b"cannot be written (File too large); free space or name another file" in done.stderr
    assert names_in(tmp_path) == []
    assert in_shell("LAXITY -o /dev/full", stored).returncode == 3
    assert in_shell("LAXITY >/dev/full", stored).returncode == 3


def test_a_reader_that_is_gone_or_a_closed_stdout_is_no_error(stored: Path):
    for script in ("LAXITY | head -c 10 >/dev/null; exit ${PIPESTATUS[0]}", "LAXITY >&-"):
        done = in_shell(script, stored)
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_gets_no_binary_data(stored: Path):
    ours, theirs = pty.openpty()
    words = [*LAXITY, "export", "perfetto", str(stored)]
    done = subprocess.run(
        words, stdout=theirs, stderr=subprocess.PIPE, text=True, env=environment(),
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert done.stderr == (
        "laxity export: this format is binary and standard output is a terminal; add -o FILE\n"
    )


def test_a_run_of_runs_names_one_to_choose(tmp_path: Path):
    made = Made(ordinary_rows(3))
    directory = write_composite(tmp_path / "D", {"alone": made, "interfered": made})
    outcome = laxity("export", "perfetto", directory)
    assert outcome.code == 2
    assert f"consists of 2 runs; name one of them: {directory}/runs/alone" in outcome.err
    assert laxity("export", "perfetto", directory / "runs" / "alone", "-o", "/dev/null").code == 0


def test_a_damaged_stream_is_no_verdict_and_leaves_no_output(tmp_path: Path):
    directory = write_run(tmp_path / "D", Made(ordinary_rows(3)))
    (directory / "jobs.npy").write_bytes(b"no stream")
    outcome = laxity("export", "perfetto", directory, "-o", tmp_path / "trace")
    assert outcome.code == 4
    assert "jobs.npy: not a NumPy file; the stream is damaged" in outcome.err
    assert names_in(tmp_path) == ["D"]


def test_an_unknown_format_and_a_missing_run_are_usage(stored: Path, tmp_path: Path):
    assert laxity("export", "vcd", stored).code == 2
    assert laxity("export", "perfetto", tmp_path / "none").code == 2
    outcome = laxity("export", "perfetto", stored, "-o", "")
    assert (outcome.code, outcome.err) == (2, "laxity export: -o: an empty path; name a file\n")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_are_files_of_a_new_directory(stored: Path, tmp_path: Path, kind: str):
    directory = tmp_path / "tables"
    assert laxity("export", kind, stored, "-o", directory).code == 0
    assert names_in(directory) == [f"histogram.{kind}", f"jobs.{kind}"]
    again = laxity("export", kind, stored, "-o", directory)
    message = f"laxity export: -o {directory}: exists; remove it or name another directory\n"
    assert (again.code, again.err) == (2, message)
    assert names_in(tmp_path) == ["tables"]


def test_one_stream_goes_to_stdout(stored: Path):
    outcome = laxity("export", "csv", stored, "--stream", "jobs")
    lines = outcome.out.splitlines()
    assert (outcome.code, len(lines)) == (0, 21)
    assert lines[0].startswith("task,job,release_ns,abs_deadline_ns,start_ns,finish_ns")


def test_several_tables_have_no_place_on_stdout(stored: Path):
    outcome = laxity("export", "csv", stored)
    message = "laxity export: csv: a run is several tables; add -o DIR, or --stream jobs\n"
    assert (outcome.code, outcome.err) == (2, message)


def test_a_stream_that_was_not_recorded_is_named_with_those_that_were(stored: Path):
    outcome = laxity("export", "json", stored, "--stream", "sched")
    message = f'laxity export: --stream "sched": not in {stored}; it holds jobs histogram\n'
    assert (outcome.code, outcome.err) == (2, message)
    assert laxity("export", "perfetto", stored, "--stream", "jobs").code == 2


def test_a_full_directory_is_the_machines_lack_and_leaves_nothing(stored: Path, tmp_path: Path):
    for kind in ("csv", "parquet"):
        script = f'ulimit -f 1; "$0" -P -m laxity export {kind} "$1" -o "$2"'
        done = in_shell(script, stored, tmp_path / "tables")
        assert done.returncode == 3, done.stderr
        assert b"cannot be written" in done.stderr
        assert names_in(tmp_path) == []
