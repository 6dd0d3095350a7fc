# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks whose misses are watched: by hand on a simulated platform, and here as far as it goes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity

FILE = Path(__file__).with_name("one-core.toml")
# 1200 cycles of 1.2 GHz: 1 us.
PROBE = "[probe]\ncycles = 1200\n[l1i]"
SPEC = """
schema = 1
[run]
duration = "10ms"
[[task]]
name = "fast"
workload = "mem"
args = ["4KiB", "200"]
period = "2ms"
priority = 90
[[task]]
name = "slow"
workload = "mem"
args = ["16KiB", "200"]
period = "10ms"
priority = 50
"""
EVENTS = ("--events", "instructions,l1d_refill,l1d_access")


@pytest.fixture
def watched(laxity: Laxity) -> Laxity:
    (laxity.directory / "p.toml").write_text(FILE.read_text().replace("[l1i]", PROBE))
    (laxity.directory / "tasks.toml").write_text(SPEC)
    return laxity


def monitor(laxity: Laxity, *words: str) -> tuple[Any, dict[tuple[str, str, str], Any]]:
    """Run it, and return the figures of its page by task and name."""
    done = laxity("monitor", "./tasks.toml", "--platform", "sim:./p.toml", "--run-dir", "D", *words)
    assert done.returncode == 0, done.stderr
    derived = json.loads((laxity.directory / "D" / "derived.json").read_text())
    found = {(one["run"], one["task"], one["name"]): one for one in derived["quantities"]}
    return done, found


def test_an_interrupt_takes_of_each_job_what_the_platform_file_says(watched: Laxity):
    done, figures = monitor(watched, "--probe", "interrupt", "--every", "50us", *EVENTS)
    for task in ("fast", "slow"):
        # 1 us each, which is 2 % of the time between two: at most one more in a job.
        each = figures["observed", task, "probe_per_sample"]
        assert 990 <= each["value"] <= 1010, each
        assert 0.015 < figures["observed", task, "probe_share"]["value"] < 0.03
    assert done.stdout.splitlines()[1].startswith("A sample every 50 µs makes the jobs of ")


def test_a_task_that_reads_takes_two_switches(watched: Laxity):
    words = ("--probe", "task", "--every", "500us", "--format", "json")
    done, figures = monitor(watched, *words, *EVENTS)
    # Two switches of 2 us each, a job of a few instructions, and what was evicted is reloaded.
    each = figures["observed", "slow", "probe_per_sample"]["value"]
    assert 4000 <= each <= 6000
    assert ("observed", "probe", "probe_share") not in figures
    # Programs read the same figures.
    shown = json.loads(done.stdout)["monitor"]
    assert {"probe_share", "probe_per_sample"} <= {one["name"] for one in shown}
    assert all(one == figures[one["run"], one["task"], one["name"]] for one in shown)


def test_note_of_a_run_is_in_the_answer(watched: Laxity):
    beside = '[[interfere]]\nworkload = "load"\nargs = ["64KiB"]\ncpus = "0"\n'
    (watched.directory / "tasks.toml").write_text(SPEC + beside)
    done, _ = monitor(watched, "--probe", "free", *EVENTS)
    assert 'note: co-runner 0 ("load"): CPU 0 is that of task' in done.stdout


def test_probe_whose_jobs_have_ended_divides_nothing(watched: Laxity):
    # The probe is released at 0, 2, 4, 6 and 8 ms; the only job starts after its first release and
    # ends after the 10 ms of the run. So four samples lie in it, however long it is.
    long = '[run]\nduration = "10ms"\n[[task]]\nname = "long"\nworkload = "mem"\nperiod = "100ms"\n'
    (watched.directory / "tasks.toml").write_text(f'schema = 1\n{long}args = ["4KiB", "30000"]\n')
    done, figures = monitor(watched, "--probe", "task", "--every", "2ms", *EVENTS)
    taken_ns = {}
    for name in ("unobserved", "observed"):
        rows = np.load(watched.directory / "D" / "runs" / name / "jobs.npy")
        (row,) = rows[rows["task"] == 0]
        taken_ns[name] = int(row["finish_ns"] - row["start_ns"])
    assert taken_ns["observed"] > 12_000_000
    each_ns = (taken_ns["observed"] - taken_ns["unobserved"]) / 4
    assert figures["observed", "long", "probe_per_sample"]["value"] == pytest.approx(each_ns)
    line = next(row for row in done.stdout.splitlines() if row.startswith("long  "))
    assert line.split()[-1] == "4"


def test_what_others_caused_is_counted_or_absent(watched: Laxity):
    words = ("--probe", "free", "--every", "50us", "--events", "instructions,l1d_refill")
    done, figures = monitor(watched, *words)
    assert "extrinsic" not in done.stdout
    assert not [key for key in figures if key[2].endswith("extrinsic_share")]
    # The windows of a ratio have a number of their own.
    quiet = figures["observed", "slow", "l1d_miss_ratio_without_switch"]
    assert 0 < quiet["n"] < figures["observed", "slow", "l1d_miss_ratio_mean"]["n"]


def test_reading_at_no_cost_is_not_compared(watched: Laxity):
    done, figures = monitor(watched, "--probe", "free", *EVENTS)
    assert not [key for key in figures if key[2].startswith("probe")]
    assert (watched.directory / "D" / "runs" / "observed").is_dir()
    assert not (watched.directory / "D" / "runs" / "unobserved").exists()
    assert "l1d_refill per l1d_access" in done.stdout


def test_a_highest_overhead_chooses_how_often_is_read(watched: Laxity):
    most = ("--max-overhead", "1%")
    done, figures = monitor(watched, "--probe", "interrupt", "--every", "20us", *most, *EVENTS)
    # 1 us of 20 is 5 %: at least every 100 us; a little more than 1 us is read into 200.
    assert "A sample every 100 µs" in done.stdout or "A sample every 200 µs" in done.stdout
    shares = [one["value"] for (_, _, name), one in figures.items() if name == "probe_share"]
    assert shares
    assert max(shares) <= 0.0101


def test_only_samples_so_many_misses_apart_are_stored(watched: Laxity):
    above = ("--sample-above", "l1d_refill=20")
    done, figures = monitor(watched, "--probe", "interrupt", "--every", "10us", *above, *EVENTS)
    # Interrupts come all the same, 1 us each, whether or not what they read is stored; the one of a
    # sample that came while the core switched to the job is one more, of about 75.
    assert 990 <= figures["observed", "slow", "probe_per_sample"]["value"] <= 1000 * 75 / 74 + 1
    assert "A sample every 10 µs" in done.stdout
    rows = np.load(watched.directory / "D" / "runs" / "observed" / "counters.npy")
    of_all = rows[(rows["task"] == np.iinfo(np.uint16).max) & (rows["event"] == 1)]
    # Both tasks have their lines, a few hundred, after their first passes.
    assert (np.diff(of_all["value"], prepend=0) >= 20).all()
    assert 1 <= len(of_all) <= 40
    assert "for each sample" in done.stdout


def test_two_runs_of_a_monitor_are_identical(watched: Laxity):
    words = ("--probe", "interrupt", "--seed", "1", *EVENTS)
    _, first = monitor(watched, *words)
    (watched.directory / "D").rename(watched.directory / "first")
    _, second = monitor(watched, *words)
    assert first == second


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--probe", "task", "-t", "3"), "write --duration in its place"),
        (("--max-overhead", "1"), "not a share of the time; write 1%"),
        (("--max-overhead", "nan%"), "not a share of the time"),
        (("--max-overhead", "100%"), "not a share of the time"),
        (("--every", "5"), "--every"),
        (("--every", "10ns"), "not between 1us and 3600s"),
    ],
)
def test_what_cannot_be_watched_so_is_refused(watched: Laxity, words: tuple[str, ...], said: str):
    done = watched("monitor", "./tasks.toml", "--platform", "sim:./p.toml", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (watched.directory / "runs").exists()


def test_a_task_as_high_as_the_one_that_reads_is_refused(watched: Laxity):
    spec = watched.directory / "tasks.toml"
    spec.write_text(SPEC.replace("priority = 90", "priority = 99"))
    done = watched("monitor", "./tasks.toml", "--platform", "sim:./p.toml")
    assert done.returncode == 2
    assert 'it has priority 99, and task "fast" too; write 98 or less there' in done.stderr


def test_here_a_thread_reads_and_noise_is_told(laxity: Laxity):
    words = (
        "-b",
        "64KiB",
        "-p",
        "5ms",
        "-t",
        "40",
        "--events",
        "page-faults",
        "--allow-unprivileged",
    )
    done = laxity("monitor", "mem", *words, "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    assert "for each sample" in done.stdout
    observed = laxity.directory / "D" / "runs" / "observed"
    assert (observed / "counters.npy").is_file()
    assert not (laxity.directory / "D" / "runs" / "unobserved" / "counters.npy").exists()


def test_nothing_that_counts_misses_here_is_told_before_anything_runs(laxity: Laxity):
    listed = json.loads(laxity("list", "events", "--format", "json").stdout)["events"]
    if any(one["name"] == "l1d_refill" and not one["reason"] for one in listed):
        pytest.skip("the processor's counters can be read here")
    done = laxity("monitor", "mem", "-b", "64KiB", "-p", "5ms", "-t", "4")
    assert done.returncode == 3
    assert "nothing here counts cache misses" in done.stderr
    assert not (laxity.directory / "runs").exists()


def test_without_samples_there_is_no_verdict(watched: Laxity):
    # 4 ms after the release is no sample, and the run is over by then.
    words = ("--platform", "sim:./p.toml", "--probe", "free", "--every", "3600s", *EVENTS)
    done = watched("monitor", "./tasks.toml", *words, "--run-dir", "D")
    assert done.returncode == 4
    assert "nothing was watched" in done.stdout + done.stderr


def test_samples_that_a_spec_asks_for_are_not_in_the_unobserved_run(laxity: Laxity):
    spec = SPEC.replace("[run]\n", '[run]\nevents = ["page-faults"]\nsample_bucket = "1ms"\n')
    (laxity.directory / "tasks.toml").write_text(spec)
    done = laxity("monitor", "./tasks.toml", "--allow-unprivileged", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    runs = laxity.directory / "D" / "runs"
    assert (runs / "observed" / "counters.npy").is_file()
    assert not (runs / "unobserved" / "counters.npy").exists()
    # What is said here counts, not the spec's distance.
    assert "A sample every 2 ms" in done.stdout


def test_tasks_without_an_end_are_refused(watched: Laxity):
    spec = watched.directory / "tasks.toml"
    spec.write_text(SPEC.replace('duration = "10ms"\n', ""))
    done = watched("monitor", "./tasks.toml", "--platform", "sim:./p.toml")
    assert done.returncode == 2
    assert "the tasks run twice, and without end; write --duration or --jobs" in done.stderr


def test_an_interrupt_here_is_refused_with_what_does_it(laxity: Laxity):
    done = laxity("monitor", "mem", "-p", "5ms", "-t", "40", "--probe", "interrupt")
    assert done.returncode == 2
    assert "laxity observe --events samples by interrupts" in done.stderr
