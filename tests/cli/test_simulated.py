# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run --platform sim:sabrelite`: the whole path, and its figures by hand."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import PATIENCE_S, Laxity

MEM = ("run", "mem", "-p", "1ms", "--platform", "sim:sabrelite", "--no-report", "--quiet")
# sim/platforms/sabrelite.toml: cycles of a miss in L1 and in L2, and cycles per microsecond.
L1_MISS, L2_MISS, CYCLES_PER_US = 19, 132, 1200
# Header of jobs.npy, and a row at least.
MANY_BYTES = 4200


def jobs_of(run: Path) -> Any:  # noqa: ANN401 - an array with named columns
    return np.load(run / "jobs.npy")


def cycles(time_ns: int) -> float:
    return time_ns * CYCLES_PER_US / 1000


def begun(laxity: Laxity) -> "subprocess.Popen[bytes]":
    """Begin a run that would last for long, and wait until it has written some rows."""
    words = [*MEM, "-b", "1MiB", "--duration", "1000s", "--run-dir", "D"]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "laxity", *words],
        cwd=laxity.directory,
        env=laxity.environment(),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    rows = laxity.directory / "D.tmp" / "jobs.npy"
    deadline_s = time.monotonic() + PATIENCE_S
    while not (rows.exists() and rows.stat().st_size > MANY_BYTES):
        assert time.monotonic() < deadline_s
        time.sleep(0.05)
    return process


def test_working_set_within_the_first_level_waits_once(laxity: Laxity):
    done = laxity(*MEM, "-b", "16KiB", "-t", "20", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    jobs = jobs_of(laxity.directory / "D")
    assert (jobs["busy_ns"] + jobs["stall_own_ns"] == jobs["exec_ns"]).all()
    assert (jobs["stall_own_ns"][1:] == 0).all()
    # 16 KiB are 512 lines, each from memory in the first job; and the code with them.
    cold = cycles(jobs["stall_own_ns"][0]) / (L1_MISS + L2_MISS)
    assert 512 <= cold <= 530


def test_working_set_of_twice_the_first_level_misses_each_line_in_every_pass(laxity: Laxity):
    done = laxity(*MEM, "-b", "64KiB", "-t", "20", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    jobs = jobs_of(laxity.directory / "D")
    # 8 lines in turn through each set of 4 ways: all 2048 lines of the pass miss, and L2 has them.
    misses = cycles(jobs["stall_own_ns"][1]) / L1_MISS
    assert 2048 <= misses <= 2060
    # What repeats is the same to the nanosecond.
    assert len(set(jobs["exec_ns"][1:].tolist())) == 1
    assert (jobs["start_ns"] == jobs["release_ns"]).all()


def test_two_runs_are_identical_wherever_they_are_made(laxity: Laxity):
    words = (*MEM, "-b", "100KiB", "-t", "10")
    assert laxity(*words, "--run-dir", "A").returncode == 0
    (laxity.directory / "a" / "much" / "longer" / "path").mkdir(parents=True)
    there = "a/much/longer/path/B"
    assert laxity(*words, "--run-dir", there, environment={"X": "x" * 5000}).returncode == 0
    streams = [(laxity.directory / one / "jobs.npy").read_bytes() for one in ("A", there)]
    assert streams[0] == streams[1]


def test_run_is_stored_as_any_other_and_its_figures_are_called_simulated(laxity: Laxity):
    words = [word for word in MEM if word != "--no-report"]
    done = laxity(*words, "-b", "16KiB", "-t", "20", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert (manifest["platform"], manifest["clock"]["name"]) == ("sim:sabrelite", "simulated")
    assert "platform.toml" in manifest["files"]
    derived = json.loads((laxity.directory / "D" / "derived.json").read_text())
    assert {one["kind"] for one in derived["quantities"]} == {"simulated"}
    page = (laxity.directory / "D" / "report.html").read_text()
    assert "The simulated platform" in page
    assert "What the execution went into" in page
    shown = laxity("show", "D")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "simulated" in shown.stdout


def test_deadline_that_is_too_short_is_missed_by_arithmetic(laxity: Laxity):
    # A pass over 64 KiB waits for 2048 * 19 cycles, 32.4 us, at least.
    words = (*MEM, "-d", "30us", "-b", "64KiB", "-t", "10", "--max-misses", "0")
    done = laxity(*words, "--run-dir", "D")
    assert done.returncode == 1
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["tasks"][0]["counts"]["missed"] == 10


def test_program_that_fails_ends_the_run_and_says_why(laxity: Laxity):
    done = laxity(*MEM, "-b", "1B", "-t", "10", "--run-dir", "D")
    assert done.returncode == 1
    assert "the program ended by itself" in done.stderr
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["status"] == "failed"


def test_interrupted_run_keeps_its_jobs(laxity: Laxity):
    process = begun(laxity)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE_S) == 130
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["status"] == "interrupted"
    assert len(jobs_of(laxity.directory / "D")) > 0


def test_killed_simulator_leaves_a_run_that_can_be_read(laxity: Laxity):
    process = begun(laxity)
    subprocess.run(["pkill", "-KILL", "-P", str(process.pid), "laxity-sim"], check=True)
    process.wait(timeout=PATIENCE_S)
    shown = laxity("show", "D")
    assert shown.returncode in {0, 4}, shown.stderr
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["status"] == "recovered"
    assert manifest["tasks"][0]["started"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--interfere", "bandwidth write 1MiB@0"), "interfere: not simulated yet"),
        (("--trace",), "trace: not simulated yet"),
        (("--events", "cycles"), "events: not simulated yet"),
        (("--cpus", "1"), "no CPU 1 on this machine"),
        (("--platform", "sim:sabrelight"), "did you mean"),
    ],
)
def test_what_is_not_simulated_is_refused_before_anything_is_made(
    laxity: Laxity, words: tuple[str, ...], said: str
):
    done = laxity(*MEM, "-b", "16KiB", "-t", "5", *words, "--run-dir", "D")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (laxity.directory / "D").exists()


def test_platforms_are_listed_as_they_are_named(laxity: Laxity):
    shown = laxity("list", "platforms")
    assert shown.returncode == 0
    assert "sim:sabrelite  SABRE Lite" in shown.stdout
    listed = json.loads(laxity("list", "platforms", "--format", "json").stdout)
    assert [one["name"] for one in listed] == ["sim:sabrelite"]


def test_missing_emulator_names_the_set_that_brings_it(laxity: Laxity):
    words = (*MEM, "-b", "16KiB", "-t", "5", "--run-dir", "D")
    done = laxity(*words, environment={"PATH": str(laxity.directory)})
    assert done.returncode == 3
    assert "qemu-arm: not along PATH; run laxity setup --with sim" in done.stderr
