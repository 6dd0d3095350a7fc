# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run --platform sim:sabrelite`: the whole path, and its figures by hand."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import children_of, finish, start
from tests.cli.laxity_command import Laxity
from tests.waiting import wait_until

PLATFORM = f"sim:{Path(__file__).with_name('one-core.toml')}"
MEM = ("run", "mem", "-p", "1ms", "--platform", PLATFORM, "--no-report", "--quiet")
# Of that file: cycles of a miss in L1 and in L2, and cycles per microsecond.
L1_MISS, L2_MISS, CYCLES_PER_US = 19, 132, 1200
# core.switch_cycles, 2400
SWITCH_NS = 2000
# Header of jobs.npy, and a row at least.
MANY_BYTES = 4200


def jobs_of(run: Path) -> Any:  # noqa: ANN401 - an array with named columns
    return np.load(run / "jobs.npy")


def check_parts(jobs: Any) -> None:  # noqa: ANN401 - as above
    parts = ("busy_ns", *(f"stall_{cause}_ns" for cause in ("own", "reload", "moved", "shared")))
    assert (sum(jobs[part] for part in parts) == jobs["exec_ns"]).all()


def cycles(time_ns: int) -> float:
    return time_ns * CYCLES_PER_US / 1000


def begun(laxity: Laxity) -> "subprocess.Popen[str]":
    """Begin a run that would last for long, and wait until it has written some rows."""
    sampled = ("--events", "cycles", "-M", "-B", "1ms")
    words = ("-b", "1MiB", "--duration", "1000s", "--run-dir", laxity.directory / "D")
    process = start(*MEM, *sampled, *words)
    rows = laxity.directory / "D.tmp" / "jobs.npy"
    wait_until(lambda: rows.exists() and rows.stat().st_size > MANY_BYTES, "rows of jobs")
    return process


def test_working_set_within_the_first_level_waits_once(laxity: Laxity):
    done = laxity(*MEM, "-b", "16KiB", "-t", "20", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    jobs = jobs_of(laxity.directory / "D")
    check_parts(jobs)
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
    # No kernel numbers the threads of a simulated platform.
    assert (jobs["tid"] == np.iinfo(np.int32).min).all()
    # What repeats is the same to the nanosecond.
    assert len(set(jobs["exec_ns"][1:].tolist())) == 1
    # The first job is switched to; nobody else ever has the core.
    assert (jobs["start_ns"] - jobs["release_ns"]).tolist() == [SWITCH_NS] + [0] * 19


TWO_TASKS = """
schema = 1
[run]
platform = "{platform}"
duration = "20ms"
[[task]]
name = "high"
workload = "mem"
args = ["32KiB"]
period = "1ms"
priority = 60
[[task]]
name = "low"
workload = "mem"
args = ["16KiB", "{passes}"]
period = "5ms"
priority = 50
"""


def two_tasks(laxity: Laxity, passes: int) -> tuple[Any, Any]:
    (laxity.directory / "two.toml").write_text(TWO_TASKS.format(platform=PLATFORM, passes=passes))
    done = laxity("run", "./two.toml", "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    jobs = jobs_of(laxity.directory / "D")
    check_parts(jobs)
    return jobs[jobs["task"] == 0], jobs[jobs["task"] == 1]


def test_lines_that_another_task_evicted_are_waited_for_as_reload(laxity: Laxity):
    high, low = two_tasks(laxity, passes=10)
    # 32 KiB of the one fill the first level and evict all 512 lines of the other before each of
    # its jobs; all are in the second level then.
    for job in low[1:]:
        assert 512 <= cycles(job["stall_reload_ns"]) / L1_MISS <= 525
        assert job["stall_own_ns"] == 0
    # Only after a job of the other one there is something to reload: every fifth job.
    assert [job["job"] for job in high if job["stall_reload_ns"]] == [1, 6, 11, 16]


def played(tasks: list[Any], switch_ns: int) -> list[list[int]]:
    """Finishes under preemptive fixed priorities, the first task first: an independent scheduler.

    Takes releases and executions of the jobs as they were, and a switch whenever another task goes
    on.
    """
    left = [task["exec_ns"].tolist() for task in tasks]
    releases = [task["release_ns"].tolist() for task in tasks]
    finishes: list[list[int]] = [[] for _ in tasks]
    now, on_core = releases[0][0], -1
    while any(len(done) < len(all_of) for done, all_of in zip(finishes, left, strict=True)):
        ready = [
            index
            for index, done in enumerate(finishes)
            if len(done) < len(left[index]) and releases[index][len(done)] <= now
        ]
        if not ready:
            now = min(
                releases[index][len(done)]
                for index, done in enumerate(finishes)
                if len(done) < len(left[index])
            )
            continue
        task = ready[0]
        now += switch_ns if task != on_core else 0
        on_core = task
        job = len(finishes[task])
        sooner = [
            releases[index][len(finishes[index])]
            for index in range(task)
            if len(finishes[index]) < len(left[index])
        ]
        until = min([now + left[task][job], *(max(one, now) for one in sooner)])
        left[task][job] -= until - now
        now = until
        if left[task][job] <= 0:
            finishes[task].append(now)
    return finishes


def test_responses_are_those_of_an_independent_scheduler(laxity: Laxity):
    # About 2.1 ms of every 5: each job of the low task is preempted at least twice.
    high, low = two_tasks(laxity, passes=700)
    assert (low["finish_ns"] - low["start_ns"] > 2_000_000).all()
    for task, finishes in zip((high, low), played([high, low], SWITCH_NS), strict=True):
        # A release takes effect at the end of a block with its accesses, each of some 10 cycles and
        # at most a few misses of L1 here; there are three in a job of the low task.
        apart = [abs(int(a) - b) for a, b in zip(task["finish_ns"], finishes, strict=True)]
        assert max(apart) < 500
    # The high task waits for a switch and the end of a block, never for the low one.
    assert (high["start_ns"] - high["release_ns"] <= SWITCH_NS + 200).all()


def test_run_is_stored_as_any_other_and_its_figures_are_called_simulated(laxity: Laxity):
    words = [word for word in MEM if word != "--no-report"]
    done = laxity(*words, "-b", "16KiB", "-t", "20", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["platform"] == "sim:platform.toml"
    assert manifest["clock"]["name"] == "simulated"
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


def test_what_only_kept_jobs_took_is_said_to_be_that(laxity: Laxity):
    tasks = "".join(
        f'[[task]]\nname = "{name}"\nworkload = "mem"\nargs = ["8KiB"]\nperiod = "1ms"\n'
        f'offset = "{offset}"\ncpus = "0"\n'
        for name, offset in (("first", "0ms"), ("last", "500us"))
    )
    text = f'schema = 1\n[run]\njobs = 6\nplatform = "sim:sabrelite"\nkeep = "KEEP"\n{tasks}'
    (laxity.directory / "tasks.toml").write_text(text.replace("KEEP", "tail:3"))
    words = ("run", "tasks.toml", "--quiet", "--run-dir")
    assert laxity(*words, "D").returncode == 0
    page = (laxity.directory / "D" / "report.html").read_text()
    assert "Execution of last in parts (simulated; kept jobs only, --keep tail:3)" in page
    assert "Shares of execution (simulated; kept jobs only, --keep tail:3)" in page
    derived = json.loads((laxity.directory / "D" / "derived.json").read_text())["quantities"]
    (mean,) = (one for one in derived if (one["name"], one["task"]) == ("mean_busy_time", "last"))
    assert (mean["n"], mean["note"]) == (2, "kept jobs only, --keep tail:3")
    # One row is of the last task, none of the first, which did finish jobs.
    (laxity.directory / "tasks.toml").write_text(text.replace("KEEP", "tail:1"))
    assert laxity(*words, "E").returncode == 0
    page = (laxity.directory / "E" / "report.html").read_text()
    assert "No row of a finished job was kept" in page
    assert "No job finished" not in page
    assert "no job finished" not in page


def test_run_stops_behind_the_first_job_that_meets_the_condition(laxity: Laxity):
    # With cold caches 512 lines take 64 us, later ones none.
    stop = ("--stop-on", "response>50us")
    done = laxity(*MEM, "-b", "16KiB", "-t", "20", *stop, "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    assert 'stopped on response>50us: job 0 of task "mem": response time' in done.stdout
    assert "the run was over" not in done.stdout
    jobs = jobs_of(laxity.directory / "D")
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["stop"]["seen_ns"] == manifest["stop"]["finish_ns"] == jobs["finish_ns"]
    assert manifest["tasks"][0]["end_cause"] == "stopped"


def test_program_that_fails_ends_the_run_and_says_why(laxity: Laxity):
    done = laxity(*MEM, "-b", "1B", "-t", "10", "--run-dir", "D")
    assert done.returncode == 1
    assert "the program ended by itself" in done.stderr
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["status"] == "failed"


def test_interrupted_run_keeps_its_jobs(laxity: Laxity):
    process = begun(laxity)
    process.send_signal(signal.SIGINT)
    assert finish(process).code == 130
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["status"] == "interrupted"
    assert len(jobs_of(laxity.directory / "D")) > 0


def test_killed_simulator_leaves_a_run_that_can_be_read(laxity: Laxity):
    process = begun(laxity)
    (simulator,) = children_of(process.pid, "laxity-sim")
    os.kill(simulator, signal.SIGKILL)
    assert finish(process).code == 4
    shown = laxity("show", "D")
    assert (shown.returncode, shown.stderr) == (0, "")
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["status"] == "recovered"
    assert manifest["tasks"][0]["started"] > 0
    # Samples were written as they came: the last is less than two distances before the last finish
    # that is known. What the memory was sent in all nobody knows.
    samples = np.load(laxity.directory / "D" / "counters.npy")
    assert len(samples) == manifest["tables"]["counters.npy"]
    assert samples["time_ns"][-1] > jobs_of(laxity.directory / "D")["finish_ns"].max() - 2_000_000
    assert "memory_traffic" not in manifest


def test_killed_emulator_fails_its_task_and_keeps_the_jobs_before(laxity: Laxity):
    process = begun(laxity)
    (simulator,) = children_of(process.pid, "laxity-sim")
    (emulator,) = children_of(simulator, "qemu-arm")
    os.kill(emulator, signal.SIGKILL)
    done = finish(process)
    assert done.code == 1
    assert 'task "mem": the program died of Killed' in done.err
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert (manifest["status"], manifest["result_hash"]) == ("failed", None)
    # They take longer than their period.
    assert manifest["tasks"][0]["counts"]["missed"] > 0
    assert laxity("show", "D").returncode == 0


def test_killed_command_leaves_a_run_that_its_simulator_completes(laxity: Laxity):
    process = begun(laxity)
    process.kill()
    assert finish(process).code == -signal.SIGKILL
    wait_until((laxity.directory / "D" / "manifest.json").exists, "a run that is complete")
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert (manifest["status"], manifest["exit_code"]) == ("recovered", 130)
    assert manifest["tasks"][0]["counts"]["missed"] > 0
    assert laxity("show", "D").returncode == 0


def test_number_of_jobs_that_is_asked_for_changes_no_job(laxity: Laxity):
    for name, jobs in (("A", "3"), ("B", "1000")):
        done = laxity(*MEM, "-b", "64KiB", "-t", jobs, "--run-dir", name)
        assert done.returncode == 0, done.stderr
    few, many = (jobs_of(laxity.directory / name) for name in ("A", "B"))
    assert few["exec_ns"].tolist() == many["exec_ns"][:3].tolist()


def test_job_beyond_its_timeout_ends_its_task(laxity: Laxity):
    done = laxity(*MEM, "-b", "1MiB", "--job-timeout", "1ms", "-t", "5", "--run-dir", "D")
    assert done.returncode == 1
    assert "in job 0: longer than its timeout" in done.stderr
    assert jobs_of(laxity.directory / "D")["status"].tolist() == [3, 2]
    # Aborted; and the release that came meanwhile is skipped.


def test_run_beyond_what_ticks_count_is_refused_before_it_begins(laxity: Laxity):
    # 2999 periods of 400 days are 3284 years; 2^63 ns are 292.
    done = laxity(*MEM, "-b", "1KiB", "-p", "9600h", "-t", "3000", "--run-dir", "D")
    assert done.returncode == 2
    assert "its last job would be released later than" in done.stderr
    assert not (laxity.directory / "D").exists()


FULL = """
schema = 1
[run]
platform = "{platform}"
jobs = 10
[[task]]
name = "reserved"
workload = "mem"
args = ["4KiB"]
period = "1ms"
policy = "deadline"
runtime = "1ms"
cpus = "0"
[[task]]
name = "stated"
workload = "mem"
args = ["4KiB"]
period = "1ms"
wcet = "1ms"
"""


def test_tasks_may_ask_for_all_of_a_core_that_nobody_else_needs(laxity: Laxity):
    # A machine keeps a tenth of it for whoever could stop them.
    (laxity.directory / "full.toml").write_text(FULL.format(platform=PLATFORM))
    done = laxity("run", "./full.toml", "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert [task["counts"]["done"] for task in manifest["tasks"]] == [10, 10]


def test_hundred_tasks_run_where_few_files_may_be_open(laxity: Laxity):
    # Each task has two pipes and a stream.
    task = '[[task]]\nname = "{}"\nworkload = "empty"\nperiod = "1ms"\n'
    spec = f'schema = 1\n[run]\nplatform = "{PLATFORM}"\njobs = 1\n'
    (laxity.directory / "tasks.toml").write_text(spec + "".join(map(task.format, range(100))))
    few = ("bash", "-c", 'ulimit -S -n 200; exec "$@"', "bash")
    words = ("run", "./tasks.toml", "--run-dir", "D", "--no-report", "--quiet")
    done = laxity(*words, prefix=few)
    assert (done.returncode, done.stderr) == (0, "")


INHERITS_MANY = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (2000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
for _ in range(1100):
    os.set_inheritable(os.dup(0), True)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def test_run_that_inherits_a_thousand_files_shows_its_progress(laxity: Laxity):
    # select() knows no file of a larger number.
    prefix = (sys.executable, "-c", INHERITS_MANY)
    words = [word for word in MEM if word != "--quiet"]
    done = laxity(*words, "-b", "4KiB", "-t", "3", "--run-dir", "D", prefix=prefix)
    assert done.returncode == 0, done.stderr


def test_offset_beyond_the_end_releases_nothing(laxity: Laxity):
    words = ("-b", "16KiB", "--offset", "20ms", "--duration", "5ms", "--run-dir", "D")
    done = laxity(*MEM, *words)
    assert done.returncode == 0, done.stderr
    assert len(jobs_of(laxity.directory / "D")) == 0


def test_ctrl_c_within_a_long_job_is_an_interruption(laxity: Laxity):
    (laxity.directory / "long.toml").write_text(
        f'schema = 1\n[run]\nplatform = "{PLATFORM}"\n[[task]]\nworkload = "mem"\n'
        'args = ["16MiB", "100000"]\nperiod = "1000s"\n'
    )
    words = ("run", laxity.directory / "long.toml", "--run-dir", laxity.directory / "D", "--quiet")
    process = start(*words, is_own_session=True)
    wait_until((laxity.directory / "D.tmp" / "jobs.npy").exists, "jobs.npy")
    time.sleep(1)  # well into the only job
    os.killpg(process.pid, signal.SIGINT)
    assert finish(process).code == 130
    assert json.loads((laxity.directory / "D" / "manifest.json").read_text())["status"] == (
        "interrupted"
    )


def test_ctrl_c_while_a_program_is_recorded_says_that_and_no_more(laxity: Laxity):
    # So much to record that it is not done before the signal.
    words = ("-b", "1MiB", "-t", "9999", "--run-dir", laxity.directory / "D")
    process = start(*MEM, *words, is_own_session=True)
    wait_until(lambda: bool(children_of(process.pid, "laxity-sim-stre")), "the recorder")
    os.killpg(process.pid, signal.SIGINT)
    done = finish(process)
    assert (done.code, done.err.strip()) == (130, "laxity run: interrupted")
    assert laxity.names() == set()


def test_ctrl_c_while_the_emulator_tells_its_version_is_an_interruption(laxity: Laxity):
    emulator = laxity.directory / "qemu-arm"
    asked = laxity.directory / "asked"
    # Not exec: the shell has to live until the signal has come.
    emulator.write_text(f"#!/bin/sh\ntouch {asked}\nsleep 1\n{shutil.which('qemu-arm')} $*\n")
    emulator.chmod(0o755)
    path = ("env", f"PATH={laxity.directory}:{os.environ['PATH']}")
    words = ("-b", "16KiB", "-t", "5", "--run-dir", laxity.directory / "D")
    process = start(*MEM, *words, is_own_session=True, prefix=path)
    wait_until(asked.exists, "a question for the version")
    os.killpg(process.pid, signal.SIGINT)
    done = finish(process)
    assert (done.code, done.err.strip()) == (130, "laxity run: interrupted")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--platform", "sim:/dev/zero"), "is no file"),
        (("--events", "cycles", "-M", "-C", "0"), "sample_cpu: not simulated yet"),
        (("--trace-backend", "perf"), "trace perf: not simulated yet"),
        (("--events", "cycles,l1d_writeback"), '"l1d_writeback": the model has no counterpart'),
        (("--events", "page-faults"), '"page-faults": the model has no counterpart'),
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
    rows = [line.split(maxsplit=1) for line in shown.stdout.splitlines()]
    assert ["sim:sabrelite", "SABRE Lite (i.MX6Q)"] in rows
    listed = json.loads(laxity("list", "platforms", "--format", "json").stdout)
    assert "sim:sabrelite" in [one["name"] for one in listed]


def test_every_value_of_a_platform_is_listed_with_where_it_is_from(laxity: Laxity):
    shown = laxity("list", "platforms", "--detail", "sabrelite")
    assert shown.returncode == 0
    rows = [line.split(maxsplit=2) for line in shown.stdout.splitlines()]
    assert ["L2.ways", "16", "Blin et al. 2.1"] in rows
    assert ["core.switch_cycles", "2400", "cycles of the core    assumed"] in rows
    words = ("list", "platforms", "--detail", PLATFORM, "--format", "json")
    (listed,) = json.loads(laxity(*words).stdout)
    assert listed["values"][0] == {
        "name": "line",
        "value": "32B",
        "unit": "",
        "origin": "assumed",
        "source": "",
        "help": "Line of all caches.",
    }


def test_name_without_detail_is_refused(laxity: Laxity):
    for words, said in (
        (("platforms", "sabrelite"), "a name goes with events or platforms --detail"),
        (("workloads", "--detail"), "--detail goes with platforms"),
        (("events", "x", "--detail"), "--detail goes with platforms"),
    ):
        done = laxity("list", *words)
        assert done.returncode == 2
        assert said in done.stderr


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            'emulated_cpu = "nonsense"',
            'emulated_cpu "nonsense": does not execute a program',
        ),
        ('emulator = "qemu-ppc"', 'qemu-ppc", emulated_cpu "cortex-a9": does not execute'),
    ],
)
def test_emulator_that_refuses_its_processor_is_a_mistake_of_the_platform_file(
    laxity: Laxity, keys: str, said: str
):
    text = f'schema = 1\nbase = "sabrelite"\n{keys}\n'
    (laxity.directory / "mine.toml").write_text(text)
    run = (*MEM[:4], "-b", "16KiB", "-t", "5", "--run-dir", "D")
    for words in (run, ("sim", "record", "mem", "16KiB", "--jobs", "2")):
        done = laxity(*words, "--platform", "sim:./mine.toml")
        assert done.returncode == 2
        assert said in done.stderr
        assert "unable to find CPU model" in done.stderr
    assert not (laxity.directory / "D").exists()


def test_missing_emulator_says_which_program_is_not_on_the_path(laxity: Laxity):
    words = (*MEM, "-b", "16KiB", "-t", "5", "--run-dir", "D")
    done = laxity(*words, environment={"PATH": str(laxity.directory)})
    assert done.returncode == 3
    assert 'emulator "qemu-arm": no such program of QEMU along PATH; install it' in done.stderr
    assert "or add the folder where it is to PATH" in done.stderr


def test_line_of_the_mpc750_takes_what_its_paper_says(laxity: Laxity):
    waited = []
    for name, size in (("A", "8KiB"), ("B", "16KiB")):
        words = ("run", "mem", "-b", size, "-p", "10ms", "-t", "2", "--no-report", "--quiet")
        done = laxity(*words, "--platform", "sim:mpc750-no-l2", "--run-dir", name)
        assert done.returncode == 0, done.stderr
        waited.append(jobs_of(laxity.directory / name)["stall_own_ns"][0])
    # 8 KiB more are 256 lines. Sebek, figure 10: 195.5 us for 1024 lines, 190.92 ns each.
    assert (waited[1] - waited[0]) / 256 == pytest.approx(190.92, abs=0.05)


def test_task_runs_on_the_core_that_is_asked_for(laxity: Laxity):
    words = ("run", "mem", "-b", "8KiB", "-p", "1ms", "-t", "3", "--no-report", "--quiet")
    done = laxity(*words, "--platform", "sim:sabrelite", "--cpus", "3", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    assert jobs_of(laxity.directory / "D")["cpu_start"].tolist() == [3, 3, 3]
    refused = laxity(*words, "--platform", "sim:sabrelite", "--cpus", "4", "--run-dir", "E")
    assert (refused.returncode, "no CPU 4" in refused.stderr) == (2, True)
