# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is counted in jobs of a simulated platform, and who had its cores: by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity

FILE = Path(__file__).with_name("one-core.toml")
PLATFORM = f"sim:{FILE}"
MEM = ("run", "mem", "-p", "1ms", "-b", "64KiB", "-t", "3", "--no-report", "--quiet")
# Of that file.
LINE_BYTES, L1_MISS, L2_MISS, CYCLES_PER_US, SWITCH_NS = 32, 19, 132, 1200, 2000
OFF, ON = 0, 1


def rows_of(run: Path, stream: str) -> Any:  # noqa: ANN401 - an array with named columns
    return np.load(run / f"{stream}.npy")


def test_counts_of_a_job_are_what_its_time_went_into(laxity: Laxity):
    events = "cycles,instructions,l1i_refill,l1d_access,l1d_refill,l2_access,l2_refill"
    done = laxity(*MEM, "--platform", PLATFORM, "--events", events, "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    jobs = rows_of(laxity.directory / "D", "jobs")
    # An instruction is a cycle; each miss is waited for, in L2 or behind it.
    assert (
        jobs["cycles"]
        == jobs["instructions"] + L1_MISS * jobs["l2_access"] + L2_MISS * jobs["l2_refill"]
    ).all()
    assert (jobs["cycles"] * 1000 // CYCLES_PER_US == jobs["exec_ns"]).all()
    assert (jobs["l2_access"] == jobs["l1i_refill"] + jobs["l1d_refill"]).all()
    # 64 KiB are 2048 lines, none of which stays in a first level of half of it; from the second
    # job on the second level has all. A few words of the stack are with them.
    assert (jobs["l1d_refill"] >= 2048).all()
    assert (jobs["l1d_refill"] <= 2060).all()
    assert jobs["l2_refill"].tolist() == [jobs["l2_refill"][0], 0, 0]
    assert jobs["l2_refill"][0] >= 2048
    assert (jobs["cycles_scale_ratio"] == 1).all()
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["events"][0] == {
        "name": "cycles",
        "platform_event": "model",
        "scope": "core",
        "modes": "user",
        "empty_count": None,
    }


def test_bytes_of_the_memory_are_lines(laxity: Laxity):
    words = ("--events", "mem_read_bytes,mem_write_bytes,bus_access,llc_refill")
    done = laxity(*MEM, "--platform", PLATFORM, *words, "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    jobs = rows_of(laxity.directory / "D", "jobs")
    # Nothing is prefetched: a miss of the last level is a read. 1 MiB holds all that is written.
    assert (jobs["mem_read_bytes"] == LINE_BYTES * jobs["llc_refill"]).all()
    assert (jobs["mem_write_bytes"] == 0).all()
    assert (jobs["bus_access"] == jobs["llc_refill"]).all()


def test_walks_and_branches_take_what_the_platform_says(laxity: Laxity):
    parts = (
        "predictor_entries = 512\nmispredict_cycles = 10\nwalk_cycles = 30\n[dtlb]\nentries = 8\n"
    )
    text = FILE.read_text().replace("[l1i]", f"{parts}ways = 8\n[itlb]\nentries = 2\n[l1i]")
    (laxity.directory / "p.toml").write_text(text)
    events = "cycles,instructions,l2_access,l2_refill,branch_misses,itlb_refill,dtlb_refill"
    done = laxity(*MEM, "--platform", "sim:./p.toml", "--events", events, "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    jobs = rows_of(laxity.directory / "D", "jobs")
    missed = L1_MISS * jobs["l2_access"] + L2_MISS * jobs["l2_refill"]
    walked = 30 * (jobs["itlb_refill"] + jobs["dtlb_refill"])
    assert (
        jobs["cycles"] == jobs["instructions"] + missed + walked + 10 * jobs["branch_misses"]
    ).all()
    # 16 pages in order, of which 8 stay; the stack is with them.
    assert (jobs["dtlb_refill"] >= 16).all()
    assert (jobs["branch_misses"] > 0).all()


def test_time_of_the_timer_is_nobodys(laxity: Laxity):
    # Every 10 us it takes 1 us.
    timer = "[timer]\ninterval = 12000\ncycles = 1200\n[l1i]"
    (laxity.directory / "p.toml").write_text(FILE.read_text().replace("[l1i]", timer))
    done = laxity(*MEM, "--platform", "sim:./p.toml", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    jobs = rows_of(laxity.directory / "D", "jobs")
    taken = jobs["finish_ns"] - jobs["start_ns"] - jobs["exec_ns"]
    assert ((taken + 500) // 1000 >= jobs["exec_ns"] // 10_000).all()
    # Start and finish are rounded up, what was executed down.
    assert (abs(taken - (taken + 500) // 1000 * 1000) <= 2).all()


def test_an_interrupt_that_samples_takes_what_the_platform_file_says(laxity: Laxity):
    probe = "[probe]\ncycles = 1200\n[l1i]"
    (laxity.directory / "p.toml").write_text(FILE.read_text().replace("[l1i]", probe))
    sampled = (*MEM, "--platform", "sim:./p.toml", "--events", "instructions", "-M", "-B", "5us")
    taken = []
    for by in ("free", "interrupt"):
        done = laxity(*sampled, "--sample-by", by, "--run-dir", by)
        assert done.returncode == 0, done.stderr
        jobs = rows_of(laxity.directory / by, "jobs")
        taken.append((jobs["finish_ns"] - jobs["start_ns"], jobs["exec_ns"]))
    (free_ns, free_exec_ns), (asked_ns, exec_ns) = taken
    assert (exec_ns == free_exec_ns).all()
    # A sample takes 1200 cycles of 1.2 GHz, 1 us, and a job has one behind each 5 us.
    n = (asked_ns - free_ns + 500) // 1000
    assert (abs(asked_ns - free_ns - 1000 * n) <= 2).all()
    assert (abs(n - asked_ns / 5_000) <= 1).all()
    assert (n >= 1).all()


def test_an_interrupt_that_the_platform_file_does_not_know_is_refused(laxity: Laxity):
    sampled = ("--events", "instructions", "-M", "--sample-by", "interrupt")
    done = laxity(*MEM, "--platform", PLATFORM, *sampled)
    assert done.returncode == 2
    assert "does not say what an interrupt that reads counters takes" in done.stderr
    done = laxity(*MEM, *sampled)
    assert done.returncode == 2
    assert "--sample-by interrupt: of simulated platforms" in done.stderr


def logged(laxity: Laxity, probe: str) -> tuple[Any, dict[str, Any]]:
    """Sample 64 KiB every 5 us, log what lies 100 misses apart: counts of all, sampling."""
    text = FILE.read_text().replace("[l1i]", f"[probe]\n{probe}\n[l1i]")
    (laxity.directory / "p.toml").write_text(text)
    words = ("--events", "instructions,l1d_refill", "-M", "-B", "5us", "--run-dir", "D")
    above = ("--sample-above", "l1d_refill=100")
    done = laxity(*MEM, "--platform", "sim:./p.toml", *words, *above)
    assert done.returncode == 0, done.stderr
    rows = rows_of(laxity.directory / "D", "counters")
    of_all = rows[(rows["task"] == np.iinfo(np.uint16).max) & (rows["event"] == 1)]
    sampling = json.loads((laxity.directory / "D" / "manifest.json").read_text())["sampling"]
    return of_all, sampling


def test_only_samples_with_so_many_new_misses_are_logged(laxity: Laxity):
    of_all, sampling = logged(laxity, "cycles = 1200")
    apart = np.diff(of_all["value"], prepend=0)
    assert (apart >= 100).all()
    # A miss takes 151 cycles at most, so that 5 us, 6000 cycles, have 316 at the very most, of hits
    # in the second level, 19 cycles each; each sample but the last few has them at once or soon.
    assert (apart <= 100 + 316).all()
    assert len(of_all) >= 2048 // (100 + 316)
    assert sampling["lost"] == 0


def test_a_log_that_is_full_loses_samples_and_says_how_many(laxity: Laxity):
    # Two wait, and none leaves within the milliseconds of the run.
    of_all, sampling = logged(laxity, "cycles = 1200\nlog = 2\nlog_hz = 1")
    assert len(of_all) == 2
    assert sampling["lost"] > 0


def test_samples_that_are_lost_are_counted_as_those_that_are_stored(laxity: Laxity):
    # A sample has a row of each task, so one that is lost would have had, too.
    text = FILE.read_text().replace("[l1i]", "[probe]\ncycles = 1200\nlog = 2\nlog_hz = 1\n[l1i]")
    (laxity.directory / "p.toml").write_text(text)
    task = '[[task]]\nname = "{}"\nworkload = "mem"\nargs = ["64KiB"]\nperiod = "5ms"\ncpus = "0"\n'
    lost = []
    for names in (("a",), ("a", "b", "c")):
        head = (
            'schema = 1\n[run]\njobs = 1\nplatform = "sim:./p.toml"\nevents = ["l1d_refill"]\n'
            'sample_bucket = "5us"\nsample_above = "l1d_refill=100"\n'
        )
        tasks = "".join(task.format(name) for name in names)
        (laxity.directory / "tasks.toml").write_text(head + tasks)
        where = f"run-{len(names)}"
        done = laxity("run", "tasks.toml", "--no-report", "--quiet", "--run-dir", where)
        assert done.returncode == 0, done.stderr
        manifest = json.loads((laxity.directory / where / "manifest.json").read_text())
        assert manifest["sampling"]["samples"] == 2 * len(names)
        lost.append(manifest["sampling"]["lost"])
    assert lost[0] > 0
    assert lost[1] % 3 == 0


def test_a_log_that_is_emptied_in_time_loses_nothing(laxity: Laxity):
    # A sample each 5 us at most, and 200000 leave a second: 5 us each.
    _, sampling = logged(laxity, "cycles = 1200\nlog = 1\nlog_hz = 200000")
    assert sampling["lost"] == 0


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("l1d_refill", "not EVENT=N; write l1i_refill=100"),
        ("l1d_refill=0", "not EVENT=N"),
        ("l1d_refill=²", "not EVENT=N"),
        ("cycles=5", "cycles is not counted; name it in events"),
    ],
)
def test_what_cannot_be_logged_so_is_refused(laxity: Laxity, above: str, said: str):
    words = ("--events", "l1d_refill", "-M", "--sample-above", above)
    done = laxity(*MEM, "--platform", PLATFORM, *words)
    assert done.returncode == 2
    assert said in done.stderr


COUNTERS = """
[counters]
registers = 2
events = ["cycles", "instructions", "l1d_refill"]
"""


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ("cycles,l1d_access", '"l1d_access": is not among the platform\'s counters.events'),
        ("cycles,instructions,l1d_refill", "counts 2 at once (counters.registers)"),
    ],
)
def test_platform_counts_no_more_than_its_file_says(laxity: Laxity, events: str, said: str):
    (laxity.directory / "p.toml").write_text(FILE.read_text() + COUNTERS)
    words = (*MEM, "--platform", "sim:./p.toml", "--run-dir", "D", "--events")
    refused = laxity(*words, events)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert laxity(*words, "cycles,instructions").returncode == 0


def test_model_counts_what_the_platform_cannot_and_says_so(laxity: Laxity):
    (laxity.directory / "p.toml").write_text(FILE.read_text() + COUNTERS)
    words = (*MEM, "--platform", "sim:./p.toml", "--counters", "model")
    events = "cycles,instructions,l1d_access"
    assert laxity(*words, "--events", events, "--run-dir", "D").returncode == 0
    run = laxity.directory / "D"
    notes = json.loads((run / "manifest.json").read_text())["notes"]
    behind = ": counted by the model alone (counters model)"
    assert notes == [
        f'events: "l1d_access": is not among the platform\'s counters.events{behind}',
        f"events: 3 of them, and sim:p counts 2 at once (counters.registers){behind}",
    ]
    # The run repeats as it was asked for, and what the model lacks it lacks.
    assert 'counters = "model"' in (run / "spec.toml").read_text()
    assert laxity("run", str(run / "spec.toml"), "--run-dir", "E", "--quiet").returncode == 0
    (first, second) = ((laxity.directory / one / "jobs.npy").read_bytes() for one in ("D", "E"))
    assert first == second
    refused = laxity(*words, "--events", "page-faults", "--run-dir", "F")
    assert (refused.returncode, "the model has no counterpart" in refused.stderr) == (2, True)


def test_machine_has_no_model_to_count_by(laxity: Laxity):
    refused = laxity("run", "mem", "-p", "1ms", "-t", "1", "--counters", "model", "--run-dir", "D")
    assert refused.returncode == 2
    assert "counters model: a machine has no model" in refused.stderr


def test_events_of_a_platform_are_listed_with_why_not(laxity: Laxity):
    done = laxity("list", "events", "sim:mpc750-no-l2", "--format", "json")
    reasons = {one["name"]: one["reason"] for one in json.loads(done.stdout)}
    assert reasons["l1d_refill"] == ""
    assert reasons["l2_refill"] == "the platform has no such cache"
    assert reasons["dtlb_refill"] == "the platform has no such TLB"
    assert reasons["branch_misses"] == "the platform predicts no branches"


TRACED = """
schema = 1
[run]
platform = "{platform}"
duration = "3ms"
trace = true
[[task]]
name = "high"
workload = "mem"
args = ["64KiB"]
period = "1ms"
priority = 60
[[task]]
name = "low"
workload = "mem"
args = ["16KiB", "400"]
period = "5ms"
priority = 50
"""


def test_trace_tells_who_had_the_core(laxity: Laxity):
    (laxity.directory / "two.toml").write_text(TRACED.format(platform=PLATFORM))
    done = laxity("run", "./two.toml", "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    run = laxity.directory / "D"
    jobs, sched = rows_of(run, "jobs"), rows_of(run, "sched")
    high, (low,) = jobs[jobs["task"] == 0], jobs[jobs["task"] == 1]
    # The first job of low is handed the core by the first of high and preempted by the second one,
    # each time with a switch; the third comes when low has ended and the core is idle.
    resumed_ns = high["finish_ns"][1] + SWITCH_NS
    stopped_ns = low["start_ns"] + low["exec_ns"] - (low["finish_ns"] - resumed_ns)
    expected = [
        (high["start_ns"][0], ON, 1, 0, 255),
        (high["finish_ns"][0], OFF, 1, 2, 0),
        (high["finish_ns"][0] + SWITCH_NS, ON, 2, 1, 255),
        (high["start_ns"][1] - SWITCH_NS, OFF, 2, 1, 1),
        (high["start_ns"][1], ON, 1, 2, 255),
        (high["finish_ns"][1], OFF, 1, 2, 0),
        (resumed_ns, ON, 2, 1, 255),
        (low["finish_ns"], OFF, 2, 0, 0),
        (high["start_ns"][2], ON, 1, 0, 255),
        (high["finish_ns"][2], OFF, 1, 0, 0),
    ]
    columns = ["time_ns", "kind", "tid", "other_tid", "preempted"]
    assert sched[columns].tolist() == expected
    assert sched["seq"].tolist() == list(range(10))
    # Rounding of its two parts.
    assert abs(int(stopped_ns - expected[3][0])) <= 1
    threads = rows_of(run, "threads")
    assert threads[["tid", "task", "comm"]].tolist() == [(1, 0, b"high"), (2, 1, b"low")]
    assert jobs["tid"].tolist() == [1 + task for task in jobs["task"]]


def test_pieces_of_response_times_leave_nothing_unexplained(laxity: Laxity):
    (laxity.directory / "two.toml").write_text(TRACED.format(platform=PLATFORM))
    done = laxity("run", "./two.toml", "--run-dir", "D", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 jobs were preempted, most of all by high: 1 time" in done.stdout
    derived = json.loads((laxity.directory / "D" / "derived.json").read_text())
    unexplained = [one for one in derived["quantities"] if "unexplained" in one["name"]]
    assert unexplained
    # Starts and finishes are rounded up, executions down: at most a nanosecond each.
    assert all(abs(one["value"]) <= 2 for one in unexplained)


def test_run_without_a_trace_numbers_no_threads(laxity: Laxity):
    done = laxity(*MEM, "--platform", PLATFORM, "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    assert not (laxity.directory / "D" / "sched.npy").exists()
    assert (rows_of(laxity.directory / "D", "jobs")["tid"] == np.iinfo(np.int32).min).all()


def test_trace_goes_to_perfetto(laxity: Laxity):
    (laxity.directory / "two.toml").write_text(TRACED.format(platform=PLATFORM))
    assert laxity("run", "./two.toml", "--run-dir", "D", "--no-report", "--quiet").returncode == 0
    done = laxity("export", "perfetto", "D", "-o", "D.pftrace")
    assert done.returncode == 0, done.stderr
    data = (laxity.directory / "D.pftrace").read_bytes()
    assert b"high" in data
    assert b"low" in data


SAMPLED = (*MEM, "--platform", PLATFORM, "-M", "-B", "10us")
SAMPLED_EVENTS = ("cycles", "instructions", "l2_access", "l2_refill", "mem_read_bytes")
PLATFORM_ROWS = 0xFFFF
T0_NS = 1_000_000


def samples_of(run: Path, task: int) -> dict[str, Any]:
    rows = rows_of(run, "counters")
    rows = rows[rows["task"] == task]
    events = [one["name"] for one in json.loads((run / "manifest.json").read_text())["events"]]
    of = {name: rows["value"][rows["event"] == index] for index, name in enumerate(events)}
    return {"time_ns": rows["time_ns"][rows["event"] == 0]} | of


def test_samples_within_a_job_are_what_its_time_went_into(laxity: Laxity):
    done = laxity(*SAMPLED, "--events", ",".join(SAMPLED_EVENTS), "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    run = laxity.directory / "D"
    jobs = rows_of(run, "jobs")
    of = samples_of(run, 0)
    # At t0 + k * 10 us, as long as the last job is not over.
    last = (int(jobs["finish_ns"][-1]) - T0_NS) // 10_000
    assert of["time_ns"].tolist() == [T0_NS + k * 10_000 for k in range(1, last + 1)]
    # The first job has its core from the end of the switch on, and is not preempted.
    is_first = of["time_ns"] <= jobs["finish_ns"][0]
    elapsed_ns = (of["time_ns"] - T0_NS - SWITCH_NS)[is_first]
    assert (of["cycles"][is_first] == elapsed_ns * CYCLES_PER_US // 1000).all()
    # An instruction is a cycle. What a miss takes has passed, but for the one that is waited for.
    spent = of["instructions"] + L1_MISS * of["l2_access"] + L2_MISS * of["l2_refill"]
    assert (spent - of["cycles"] >= 0).all()
    assert (spent - of["cycles"] <= L1_MISS + L2_MISS).all()
    assert (of["mem_read_bytes"] == LINE_BYTES * of["l2_refill"]).all()
    # While it streams: 12000 cycles between two samples, 151 of each miss and 7 of instructions.
    lines = np.diff(of["l2_refill"][is_first])[5:20]
    assert ((lines >= 12_000 // (151 + 10)) & (lines <= 12_000 // 151 + 1)).all()


def test_samples_sum_to_the_counts_of_the_jobs_and_change_none(laxity: Laxity):
    words = ("--events", ",".join(SAMPLED_EVENTS), "--run-dir")
    assert laxity(*SAMPLED, *words, "D").returncode == 0
    assert laxity(*MEM, "--platform", PLATFORM, *words, "E").returncode == 0
    run = laxity.directory / "D"
    jobs = rows_of(run, "jobs")
    of = samples_of(run, 0)
    for n, finish_ns in enumerate(jobs["finish_ns"][:-1], 1):
        behind = np.searchsorted(of["time_ns"], finish_ns)
        for event in SAMPLED_EVENTS:
            assert of[event][behind] == jobs[event][:n].sum()
    # Its switches leave nothing in the caches, so that nobody else counts anything.
    whole = samples_of(run, PLATFORM_ROWS)
    assert all((whole[name] == of[name]).all() for name in whole)
    assert (rows_of(run, "counters")["scale_ratio"] == 1).all()
    files = [laxity.directory / name / "jobs.npy" for name in ("D", "E")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_samples_of_the_platform_have_its_corunners_since_t0(laxity: Laxity):
    words = ("run", "mem", "-p", "1ms", "-b", "4KiB", "-t", "20", "--no-report", "--quiet", "-M")
    corunner = ("--interfere", "bandwidth write 4MiB@1", "--platform", "sim:sabrelite")
    events = ("--events", "mem_read_bytes,mem_write_bytes,bus_access", "-B", "1ms")
    done = laxity(*words, *corunner, *events, "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    run = laxity.directory / "D"
    task, whole = samples_of(run, 0), samples_of(run, PLATFORM_ROWS)
    moved = whole["mem_read_bytes"] + whole["mem_write_bytes"]
    assert (moved == LINE_BYTES * whole["bus_access"]).all()
    assert task["mem_write_bytes"][-1] < whole["mem_write_bytes"][-1] // 100
    # What was moved before t0, 1 ms from the beginning, is in the totals of the run alone.
    traffic = json.loads((run / "manifest.json").read_text())["memory_traffic"]
    total = (traffic["lines_read"] + traffic["lines_written"]) * LINE_BYTES
    before = total - moved[-1]
    assert 0 < before < 3 * np.diff(moved).max()


@pytest.mark.parametrize(
    ("written", "options", "bucket_ns"),
    [
        ('sample_bucket = "20us"', ("-M",), 20_000),
        ('sample_bucket = "20us"', (), 20_000),
        ('sample_bucket = "20us"', ("-M", "-B", "50us"), 50_000),
        ("", ("-M",), 10_000_000),
        ("", (), None),
    ],
)
def test_option_to_sample_leaves_the_distance_that_a_spec_has(
    laxity: Laxity, written: str, options: tuple[str, ...], bucket_ns: int | None
):
    run = f'schema = 1\n[run]\njobs = 1\nplatform = "{PLATFORM}"\nevents = ["cycles"]\n{written}\n'
    task = '[[task]]\nworkload = "empty"\nperiod = "1ms"\n'
    (laxity.directory / "spec.toml").write_text(run + task)
    done = laxity("run", "./spec.toml", *options, "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    sampling = json.loads((laxity.directory / "D" / "manifest.json").read_text())["sampling"]
    assert (None if sampling is None else sampling["bucket_ns"]) == bucket_ns
