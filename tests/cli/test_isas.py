# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The harness and every portable workload on five instruction sets, four of them emulated."""

import json
import re
import signal
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import PATIENCE_S, ROOT, make_laxity
from tests.cross_builds import cross_build, isa_marks
from tests.waiting import wait_until

from laxity.errors import EXIT_NO_VERDICT
from laxity.store.npy import read_stream

BUILT = make_laxity(Path.cwd())
JOBS = 2
# All tasks at once on an emulator: long enough that nothing is killed on a loaded machine.
TASK_OPTIONS = ["--policy", "other", "--deadline", "none", "--job-timeout", "110s"]
# They show harness and machine and compute nothing.
WITHOUT_DIGEST = {"empty", "cpu", "mem", "bandwidth", "latency", "load", "words"}


@dataclass(frozen=True)
class Isa:
    """One instruction set: its build, its emulator, and what its files look like."""

    name: str
    emulator: str | None
    byte_order: str
    # Of the counter where user space may read it; qemu-arm 7.2 answers SIGILL, as many boards do.
    counter: str
    has_counter: bool | None

    @property
    def build(self) -> Path:
        return ROOT / "build-cross" / self.name if self.emulator else BUILT.tools

    @property
    def launcher(self) -> list[str]:
        return ["--launcher", self.emulator] if self.emulator else []

    @property
    def laxity_run(self) -> list[str]:
        if self.emulator:
            cross_build(self.name)
        prefix = [self.emulator] if self.emulator else []
        return [*prefix, str(self.build / "native" / "laxity-run"), *self.launcher]


ISAS = [
    Isa("x86_64", None, "<", "tsc", None),
    Isa("aarch64", "qemu-aarch64", "<", "cntvct", True),
    Isa("armhf", "qemu-arm", "<", "cntvct", None),
    Isa("powerpc", "qemu-ppc", ">", "timebase", True),
    Isa("riscv64", "qemu-riscv64", "<", "rdtime", True),
]
CROSS_ISAS = [
    pytest.param(isa, id=isa.name, marks=isa_marks(isa.name)) for isa in ISAS if isa.emulator
]
every_isa = pytest.mark.parametrize("isa", [pytest.param(ISAS[0], id=ISAS[0].name), *CROSS_ISAS])


@dataclass(frozen=True)
class Done:
    """What one run of laxity-run left."""

    directory: Path
    native: dict[str, Any]
    jobs: np.ma.MaskedArray
    output: str

    @property
    def digests(self) -> dict[str, str]:
        found = re.findall(r"^(\w+) .*\bdigest=(\w+)$", self.output, flags=re.MULTILINE)
        return dict(found)


def portable_workloads() -> dict[str, dict[str, Any]]:
    """What the manifest says of each, by name."""
    text = (ROOT / "workloads" / "manifest.toml").read_text()
    entries = tomllib.loads(text)["workload"]
    return {entry["name"]: entry for entry in entries if entry["class"] == "portable"}


def task_words(isa: Isa, workload: str, *words: str) -> list[str]:
    arguments = [part for word in words for part in ("--arg", word)]
    return ["--", str(isa.build / "workloads" / workload), *TASK_OPTIONS, *arguments]


def read(directory: Path) -> Done:
    output = directory / "output.log"
    return Done(
        directory,
        json.loads((directory / "native.json").read_text()),
        read_stream(directory / "jobs.npy"),
        output.read_text() if output.exists() else "",
    )


def call(isa: Isa, directory: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*isa.laxity_run, "--run-dir", str(directory), *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def run(isa: Isa, directory: Path, *words: str) -> Done:
    done = call(isa, directory, *words)
    # A loaded machine may keep the whole run from its CPUs for a while: no digest depends on it.
    has_stood_still = done.returncode == EXIT_NO_VERDICT and "the run stood still" in done.stderr
    assert has_stood_still or (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return read(directory)


def run_all_workloads(isa: Isa, directory: Path) -> Done:
    """Every portable workload as one task of one run."""
    words = []
    for name, entry in portable_workloads().items():
        words += [*task_words(isa, name, *entry["example"]), "--period", "100ms"]
        words += ["--jobs", str(JOBS), "--threads", str(entry.get("threads", 1))]
    return run(isa, directory, *words)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The run of this machine's own instruction set."""
    return run_all_workloads(ISAS[0], tmp_path_factory.mktemp("reference") / "D")


def check_counter(isa: Isa, done: Done) -> None:
    """The counter has its name and its two columns, or neither."""
    counter = done.native["counter"]
    assert isa.has_counter in {None, counter is not None}
    columns = {"start_ticks", "finish_ticks"} & set(done.jobs.dtype.names)
    if counter is None:
        assert not columns
        return
    assert counter["name"] == isa.counter
    assert columns == {"start_ticks", "finish_ticks"}
    finished = done.jobs[done.jobs["status"] <= 1]
    assert (finished["finish_ticks"] >= finished["start_ticks"]).all()


def check_rows(done: Done) -> None:
    """A row per release, all finished but those that a job before them covered."""
    tasks = done.native["tasks"]
    assert done.native["status"] == "complete"
    assert [task["started"] for task in tasks] == [JOBS] * len(tasks)
    assert [task["end_cause"] for task in tasks] == ["jobs"] * len(tasks)
    assert len(done.jobs) == sum(task["released"] for task in tasks)
    for index, task in enumerate(tasks):
        rows = done.jobs[done.jobs["task"] == index]
        assert rows["job"].tolist() == list(range(task["released"]))
        assert (np.diff(rows["release_ns"]) == 100_000_000).all()
        finished = rows[rows["status"] == 0]
        assert len(finished) == JOBS
        assert (finished["start_ns"] >= finished["release_ns"]).all()
        assert (finished["finish_ns"] >= finished["start_ns"]).all()


@every_isa
def test_every_portable_workload_gives_the_same_digest(
    isa: Isa, tmp_path: Path, reference: Done
) -> None:
    done = run_all_workloads(isa, tmp_path / "D") if isa.emulator else reference
    check_rows(done)
    check_counter(isa, done)
    assert set(done.digests) == set(portable_workloads()) - WITHOUT_DIGEST
    assert done.digests == reference.digests
    header = (done.directory / "jobs.npy").read_bytes()[:200]
    assert f"('release_ns', '{isa.byte_order}i8')".encode() in header


@every_isa
def test_streams_are_completed_when_the_supervisor_is_killed(isa: Isa, tmp_path: Path) -> None:
    directory = tmp_path / "D"
    words = [*task_words(isa, "empty"), "--period", "5ms"]
    process = subprocess.Popen([*isa.laxity_run, "--run-dir", str(directory), *words])
    try:
        jobs = directory / "jobs.npy"
        # The header is 4096 bytes long.
        wait_until(lambda: jobs.exists() and jobs.stat().st_size > 4096, "some jobs")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_until((directory / "native.json").exists, "the completed streams")
    done = read(directory)
    (task,) = done.native["tasks"]
    assert task["end_cause"] == "killed"
    assert task["started"] > 0
    assert len(done.jobs) == task["released"]


@every_isa
def test_crash_of_a_workload_is_an_aborted_job(isa: Isa, tmp_path: Path) -> None:
    directory = tmp_path / "D"
    fault = str(isa.build / "tests" / "native" / "fault")
    words = ["--", fault, *TASK_OPTIONS, "--period", "5ms", "--arg", "crash", "--arg", "3"]
    done = call(isa, directory, *words)
    assert done.returncode == 1
    (task,) = read(directory).native["tasks"]
    assert task["end_cause"] == "signal"
    assert task["counts"]["aborted"] == 1


@every_isa
def test_request_above_the_memory_limit_is_an_aborted_job(isa: Isa, tmp_path: Path) -> None:
    """The link is static there, and the allocator gets its requests another way."""
    hungry = str(isa.build / "tests" / "native" / "hungry")
    task = ["--", hungry, *TASK_OPTIONS, "--overrun", "queue", "--period", "5ms", "--jobs", "5"]
    task += ["--memory-limit", "64KiB"]
    words = ["--arg", "calloc", "--arg"]
    at_it = run(isa, tmp_path / "A", *task, *words, "65536")
    assert at_it.native["tasks"][0]["memory"] == {"peak_bytes": 65536, "limit_bytes": 65536}
    done = call(isa, tmp_path / "B", *task, *words, "65537")
    assert done.returncode == 1
    message = "in job 3: calloc of 65537B exceeds its memory limit of 64KiB (0B in use)"
    assert message in done.stderr
    (native,) = read(tmp_path / "B").native["tasks"]
    assert (native["end_cause"], native["counts"]["aborted"]) == ("memory_limit", 1)


@every_isa
def test_rt_benchs_command_line_runs_under_the_launcher(isa: Isa, tmp_path: Path) -> None:
    _ = isa.laxity_run  # skips where there is no build
    prefix = [isa.emulator] if isa.emulator else []
    done = subprocess.run(
        [*prefix, str(isa.build / "workloads" / "empty"), "-p", "0.05", "-t", "2", *isa.launcher],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # 13 columns a row, without a header; a skipped release has a row too.
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert {len(row) for row in rows} == {13}
    assert sum(float(row[5]) > 0 for row in rows) == JOBS


def test_launcher_is_found_along_path_and_gets_its_options(tmp_path: Path) -> None:
    isa = ISAS[0]
    words = [*task_words(isa, "empty"), "--period", "5ms", "--jobs", "2"]
    done = run(isa, tmp_path / "D", "--launcher", "env", "--launcher", "A=B", *words)
    assert done.native["tasks"][0]["started"] == JOBS


def test_launcher_that_is_not_there_is_named(tmp_path: Path) -> None:
    isa = ISAS[0]
    words = [*task_words(isa, "empty"), "--period", "5ms", "--jobs", "2"]
    done = call(isa, tmp_path / "D", "--launcher", "no-such-emulator", *words)
    assert done.returncode == 1
    assert "cannot start no-such-emulator" in (tmp_path / "D" / "output.log").read_text()
