# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile wcet`: processes in turn, one document, one page."""

import fcntl
import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import BUILT, finish, start
from tests.cli.laxity_command import Laxity, of_simulator
from tests.waiting import wait_until

from laxity.store.npy import read_stream

SIMULATED = ("--platform", "sim:sabrelite", "--quiet", "-p", "1ms")


def profiled(laxity: Laxity, *words: str, code: int = 0) -> tuple[Path, dict[str, Any]]:
    done = laxity("profile", "wcet", *words, "--run-dir", "P")
    assert done.returncode == code, done.stderr
    path = laxity.directory / "P"
    return path, json.loads((path / "profile.json").read_text())


def test_scenarios_run_in_turn_and_the_maximum_is_that_of_all_jobs(laxity: Laxity):
    words = ("mem", "-b", "16KiB", "-t", "3", "--processes", "2", "--no-report")
    scenario = ("--scenario", "busy=load 2MiB@1-3")
    path, document = profiled(laxity, *words, *scenario, *SIMULATED)
    names = ["mem-alone-00", "mem-busy-00", "mem-alone-01", "mem-busy-01"]
    # The pilot says how often to sample.
    assert json.loads((path / "manifest.json").read_text())["runs"] == ["pilot-00", *names]
    rows = {
        (document["scenarios"][one["scenario"]]["name"], one["quantity"]): one
        for one in document["times"]
    }
    assert set(rows) == {
        (name, quantity) for name in ("alone", "busy") for quantity in ("execution", "response")
    }
    alone, busy = rows["alone", "execution"], rows["busy", "execution"]
    # The first job of a process finds the caches cold; both processes are the same: the first
    # maximum is job 0 of 2 times 3.
    assert (alone["processes"], alone["jobs"], alone["jobs_since_max"]) == (2, 6, 5)
    assert (alone["slowdown_max"], alone["slowdown_median"]) == (None, None)
    assert busy["slowdown_max"] == busy["max_ns"] / alone["max_ns"] > 1
    again = laxity("profile", "wcet", *words, *scenario, *SIMULATED, "--run-dir", "Q")
    assert again.returncode == 0
    hashes = [
        json.loads((laxity.directory / name / "manifest.json").read_text())["result_hash"]
        for name in ("P", "Q")
    ]
    assert hashes[0] == hashes[1] is not None


def test_page_and_answer_name_the_maximum_observed_and_what_ran_beside(laxity: Laxity):
    done = laxity(
        *("profile", "wcet", "mem", "-b", "16KiB", "-t", "2", "--run-dir", "P"),
        *("--scenario", "busy=load 2MiB@1-3", *SIMULATED),
    )
    assert done.returncode == 0, done.stderr
    page = (laxity.directory / "P" / "report.html").read_text()
    for text in (done.stdout, page):
        assert "mem: observed maximum " in text
        assert "times that alone; execution, simulated." in text
        assert "load 2MiB@1-3" in text
    assert "<svg" in page


@pytest.mark.parametrize("words", [("profile", "wcet"), ("versus", "empty")])
def test_threads_that_were_not_stated_are_a_warning_of_answer_page_and_document(
    laxity: Laxity, words: tuple[str, ...]
):
    # Two threads of which the main one alone is counted: half of the time is missing.
    given: tuple[str, ...] = (
        "parallel small",
        "-t",
        "2",
        "-p",
        "50ms",
        "--allow-unprivileged",
        "--quiet",
    )
    given += ("--scenario", "x=load 64KiB@0", "--processes", "1") if words[0] == "profile" else ()
    done = laxity(*words, *given, "--run-dir", "P")
    assert done.returncode == 0, done.stderr
    document = json.loads((laxity.directory / "P" / "profile.json").read_text())
    told = [one for one in document["warnings"] if "threads 1: 2 used" in one["text"]]
    assert len(told) == 1
    assert all("parallel" in name for name in told[0]["runs"])
    page = (laxity.directory / "P" / "report.html").read_text()
    for text in (done.stdout, page):
        assert "fallback: parallel: threads 1: 2 used" in text.replace("Fallback", "fallback")
    done = laxity(*words, *given, "--threads", "2", "--no-report", "--run-dir", "Q")
    assert done.returncode == 0, done.stderr
    assert "threads 1: 2 used" not in done.stdout


def test_period_is_twice_the_longest_response_of_a_pilot(laxity: Laxity):
    path, document = profiled(
        laxity, "mem", "-b", "512KiB", "-t", "1", "--scenario", "busy=load 2MiB@1-3",
        "--platform", "sim:sabrelite", "--quiet", "--no-report",
    )  # fmt: skip
    pilot = json.loads((path / "runs" / "pilot-00" / "manifest.json").read_text())
    assert pilot["tasks"][0]["released"] == 3
    first = json.loads((path / "runs" / document["units"][0]["run"] / "manifest.json").read_text())
    # Its first job is the pilot's: alone, with cold caches.
    (longest,) = {
        one["max_ns"]
        for one in document["times"]
        if (one["scenario"], one["quantity"]) == (0, "response")
    }
    assert first["tasks"][0]["period_ns"] == 2 * longest > 1_000_000


def test_share_of_deadlines_met_follows_from_the_responses_of_the_scenarios(laxity: Laxity):
    done = laxity(
        *("profile", "schedulability", "mem", "-b", "16KiB", "-t", "3", "--run-dir", "P"),
        *("--scenario", "busy=load 2MiB@1-3", *SIMULATED),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads((laxity.directory / "P" / "profile.json").read_text())
    assert document["analyses"] == ["schedulability"]
    wcet = max(
        one["max_ns"]
        for one in document["times"]
        if (one["scenario"], one["quantity"]) == (0, "execution")
    )
    for one in document["met"]:
        percent = one["utilisation_percent"]
        assert one["deadline_ns"] == -(-100 * wcet // percent)
        assert (one["jobs"], one["low"], one["high"]) == (3, None, None)
    alone, busy = (
        [one["met"] for one in document["met"] if one["scenario"] == at] for at in (0, 1)
    )
    # Twenty times the longest: all meet it; at 100 % the first job alone needs its switch, too.
    assert alone[0] == busy[0] == 3
    assert alone[-1] == 2
    assert sum(busy) < sum(alone)
    page = (laxity.directory / "P" / "report.html").read_text()
    for text in (done.stdout, page):
        assert "jobs of mem that met deadline = WCET / utilisation (simulated)" in text


def test_releases_that_were_skipped_are_no_jobs_that_missed(laxity: Laxity):
    # A period that a job has room in alone, and beside the co-runners none.
    words = ("mem", "-b", "16KiB", "-t", "3", "--scenario", "busy=load 2MiB@1-3", "--no-report")
    done = laxity(
        *("profile", "schedulability", *words, "--platform", "sim:sabrelite", "--quiet"),
        *("-p", "60us", "--run-dir", "P"),
    )
    assert done.returncode == 0, done.stderr
    path = laxity.directory / "P"
    busy = json.loads((path / "runs" / "mem-busy-00" / "manifest.json").read_text())["tasks"][0]
    assert busy["counts"]["skipped"] > 0
    met = json.loads((path / "profile.json").read_text())["met"]
    # The deadline of 5 % is twenty times the longest execution alone.
    most = [(one["met"], one["jobs"]) for one in met if one["utilisation_percent"] == 5]
    assert most == [(3, 3), (3, 3)]


def test_corunner_that_dies_is_told_and_the_rest_is_kept(laxity: Laxity):
    # mem takes 64 B and more, and ends with exit code 1 at less.
    path, document = profiled(
        laxity, "mem", "-b", "16KiB", "-t", "3", "--no-report",
        "--scenario", "dead=mem 1B@1", *SIMULATED, code=1,
    )  # fmt: skip
    manifest = json.loads((path / "manifest.json").read_text())
    assert manifest["status"] == "failed"
    assert manifest["message"].startswith("mem-dead-00: ")
    assert {one["scenario"] for one in document["times"]} == {0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mem", "sort", "-b", "1KiB"), "-b: describes one workload, and several are named"),
        (("nowhere",), "nowhere"),
        (("mem", "--scenario", "busy"), '--scenario "busy": write NAME='),
        (("mem", "--scenario", "busy=load@9"), "9"),
    ],
)
def test_what_cannot_be_profiled_is_refused(laxity: Laxity, words: tuple[str, ...], said: str):
    done = laxity("profile", "wcet", *words, *SIMULATED, "--run-dir", "P")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (laxity.directory / "P").exists()


BUSY = ("--scenario", "busy=load 2MiB@1-3", "--platform", "sim:sabrelite", "--quiet")


def test_one_run_holds_the_figures_of_all_analyses(laxity: Laxity):
    done = laxity("profile", "all", "mem", "-b", "512KiB", "-t", "3", *BUSY, "--run-dir", "P")
    assert done.returncode == 0, done.stderr
    path = laxity.directory / "P"
    document = json.loads((path / "profile.json").read_text())
    assert len(json.loads((path / "manifest.json").read_text())["runs"]) == 3
    ratios = {
        (one["scenario"], *one["over"], one["under"]): one
        for one in document["ratios"]
        if one["scenario"] == 0
    }
    # mem steps through 512 KiB by 32 bytes, reads a byte and writes the next: 16,384 lines of 32
    # bytes, 32,768 accesses a job at least, and each line misses the 32 KiB of the first level.
    l1d = ratios[0, "l1d_refill", "l1d_access"]
    assert l1d["jobs"] == 3
    assert l1d["over_total"] >= 3 * 16_384
    assert l1d["under_total"] >= 3 * 32_768
    assert 0 < l1d["value"] == l1d["over_total"] / l1d["under_total"] < 1
    (alone, busy) = document["courses"]
    assert sum(busy["times_ns"]) > sum(alone["times_ns"])
    # What the parts of a job hold is all of it: the same as its row says.
    assert sum(alone["counts"]["l1d_refill"]) == pytest.approx(l1d["over_total"] / 3, rel=0.01)
    assert document["phases"][0]["ends"][-1] == len(alone["times_ns"])
    page = (path / "report.html").read_text()
    for text in (done.stdout, page):
        for caption in ("execution time", "misses", "processor and memory", "phases"):
            assert f"{caption} of mem (simulated)" in text


def test_constant_work_has_one_phase_and_two_halves_have_two(laxity: Laxity):
    done = laxity(
        *("profile", "memory-traffic", "bandwidth", "-b", "read 1MiB", "-t", "2"),
        *(*BUSY, "--no-report", "--run-dir", "P"),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads((laxity.directory / "P" / "profile.json").read_text())
    (phases,) = document["phases"]
    # A loop that streams does the same from its first line to its last one.
    assert phases["ends"] == [len(document["courses"][0]["times_ns"])]


def test_phases_that_the_program_names_are_those_of_the_profile(laxity: Laxity):
    phased = of_simulator("armhf-phased")
    done = laxity("profile", "memory-traffic", str(phased), "-t", "3", *BUSY, "--run-dir", "P")
    assert done.returncode == 0, done.stderr
    path = laxity.directory / "P"
    document = json.loads((path / "profile.json").read_text())
    # None is looked for.
    assert document["phases"] == []
    named = {(one["scenario"], one["phase"]): one for one in document["named_phases"]}
    assert list(named) == [(0, 1), (0, 300), (1, 1), (1, 300)]
    reads, computes = named[0, 1], named[0, 300]
    # The first of three jobs is left out; the one phase ends where the other begins.
    assert {one["jobs"] for one in named.values()} == {2}
    assert 0 < reads["from_ns"] < reads["to_ns"] == computes["from_ns"] < computes["to_ns"]
    run = path / "runs" / "armhf-phased-alone-00"
    marks, jobs = (read_stream(run / f"{name}.npy") for name in ("probe", "jobs"))
    # Rows of a job: phase 1, probe 7, phase 300.
    first, second = (marks["time_ns"][at::3][1:] for at in (0, 2))
    assert reads["time_ns"] == round(np.mean(second - first))
    assert computes["time_ns"] == round(np.mean(jobs["finish_ns"][1:] - second))
    # Phase 1 reads 4 MiB, by 32 bytes: 131,072 lines of the first level, and all from memory. What
    # belongs to the marks and the stack are some lines of 64 bytes more.
    for name, n in (("l1d_refill", 131_072), ("mem_read_bytes", 4 << 20)):
        assert n <= reads["counts"][name] < n + 10 * 64
        assert computes["counts"][name] < 10 * 64
    # A mark on a simulated platform has its own counts: a program executes the same instructions
    # in a phase whatever else runs, and no count is between two others.
    for one in named.values():
        assert one["counts"]["instructions"] == named[0, one["phase"]]["counts"]["instructions"]
        assert one["ranges"] == {name: [count, count] for name, count in one["counts"].items()}
    # What touches no memory is hardly slower beside others; what only reads waits for them.
    assert named[1, 300]["time_ns"] < 1.05 * computes["time_ns"]
    assert named[1, 1]["time_ns"] > 2 * reads["time_ns"]
    page = (path / "report.html").read_text()
    for text in (done.stdout, page):
        assert "2 phases that it names, phase 1 up to " in text
    assert "laxity_phase" in page
    assert "PELT" not in page


def test_nothing_counts_misses_on_a_machine_without_counters(laxity: Laxity):
    here = json.loads(laxity("list", "events", "--format", "json").stdout)["events"]
    if any(one["platform_event"] for one in here if one["name"].endswith("_refill")):
        pytest.skip("this machine has a PMU")
    done = laxity("profile", "cache", "mem", "--run-dir", "P", "--quiet")
    assert done.returncode == 3
    assert "nothing here counts cache misses" in done.stderr
    assert "--platform sim:NAME" in done.stderr
    assert not (laxity.directory / "P").exists()


@pytest.mark.slow
def test_profile_that_waits_for_the_maximum_ends_when_it_stands_still(laxity: Laxity):
    # Simulated processes are identical: the first job of the first one is the longest, the others
    # never are. After 20 processes of 3 jobs 59 came behind it, after 21 of them 62.
    words = ("mem", "-b", "4KiB", "-t", "3", "--scenario", "busy=load 64KiB@1", "--no-report")
    path, document = profiled(laxity, *words, "--still", "60", "--processes", "30", *SIMULATED)
    assert {one["processes"] for one in document["times"]} == {21}
    assert len(json.loads((path / "manifest.json").read_text())["runs"]) == 1 + 2 * 21
    assert {one["jobs_since_max"] for one in document["times"] if one["scenario"] == 0} == {62}


RESUMED = ("mem", "sort small", "-t", "3", "--processes", "2", "--no-report", *BUSY)


def result_of(directory: Path) -> tuple[bytes, Any, Any]:
    manifest = json.loads((directory / "manifest.json").read_text())
    return (directory / "profile.json").read_bytes(), manifest["result_hash"], manifest["runs"]


def is_held(directory: Path) -> bool:
    """Tell whether a program still writes a run."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_profile_goes_on_and_ends_as_one_that_nobody_ended(laxity: Laxity, number: signal.Signals):
    words = ("profile", "all", *RESUMED)
    whole = laxity(*words, "--run-dir", "P")
    assert whole.returncode == 0, whole.stderr
    names = result_of(laxity.directory / "P")[2]
    left = laxity.directory / "Q.tmp"
    # At no border of two runs: when the fifth of them is being written, or just was.
    process = start(*words, "--run-dir", laxity.directory / "Q", is_own_session=True)
    wait_until(lambda: any((left / "runs").glob(f"{names[4]}*")), "the fifth run")
    os.killpg(process.pid, number)
    ended = finish(process)
    # An interrupted one has been finished, as far as it came.
    left = left if number is signal.SIGKILL else laxity.directory / "Q"
    assert left.is_dir(), ended
    done = {path.name: path.stat().st_ino for path in (left / "runs").iterdir()}
    assert set(names[:4]) <= set(done)
    assert not set(names) <= set(done)
    # The program that wrote the fifth run dies after the profile, and holds its lock until then.
    wait_until(lambda: not any(map(is_held, (left / "runs").glob("*.tmp"))), "its end")
    again = laxity(*words, "--run-dir", "Q")
    assert again.returncode == 0, again.stderr
    assert result_of(laxity.directory / "Q") == result_of(laxity.directory / "P")
    # What was complete was not run again.
    kept = {name: (laxity.directory / "Q" / "runs" / name).stat().st_ino for name in names[:4]}
    assert kept == {name: done[name] for name in names[:4]}
    assert laxity("show", "Q", "--verify").returncode == 0


def test_profile_that_is_whole_is_shown_and_left_as_it_is(laxity: Laxity):
    words = ("profile", "wcet", "mem", "-t", "2", "--no-report", *BUSY, "--run-dir", "P")
    first = laxity(*words)
    manifest = (laxity.directory / "P" / "manifest.json").read_bytes()
    second = laxity(*words)
    assert (second.returncode, second.stdout) == (0, first.stdout)
    assert (laxity.directory / "P" / "manifest.json").read_bytes() == manifest


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (("-t", "3"), "(jobs: 2, and not 3)"),
        (("--processes", "2"), "(processes: 1, and not 2)"),
        (("--seed", "2"), "(seed: 1, and not 2)"),
        (("-p", "2ms"), "(period: none, and not 2ms)"),
        (("--policy", "fifo", "--priority", "7"), "(policy: none, and not fifo)"),
        (("--scenario", "more=load 1MiB@1"), "(scenario: alone=, busy=load 2MiB@1-3, and"),
        (("-b", "16KiB"), "(workload: mem 64KiB, and not mem 16KiB)"),
        (("--platform", "sim:zcu102"), "(platform: sim:sabrelite, and not sim:zcu102)"),
    ],
)
def test_directory_of_another_profile_is_refused_with_what_differs(
    laxity: Laxity, other: tuple[str, ...], said: str
):
    words = ("profile", "wcet", "mem", "-t", "2", "--no-report", *BUSY, "--run-dir", "P")
    assert laxity(*words).returncode == 0
    done = laxity(*words, *other)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "name another directory or remove it" in done.stderr
    wrong = laxity("profile", "cache", *words[2:])
    assert wrong.returncode == 2
    assert "(analysis: wcet, and not cache)" in wrong.stderr


def test_directory_of_another_kind_of_run_is_refused(laxity: Laxity):
    laxity.run("mem", "-b", "4KiB", "-t", "1", "-p", "1ms", "--platform", "sim:sabrelite")
    done = laxity("profile", "wcet", "mem", *BUSY, "--run-dir", "D")
    assert done.returncode == 2
    assert "holds a run of kind run; name another directory" in done.stderr


def test_number_of_workers_changes_no_figure(laxity: Laxity):
    for n in ("1", "3"):
        done = laxity("profile", "all", *RESUMED, "--workers", n, "--run-dir", n)
        assert done.returncode == 0, done.stderr
    assert result_of(laxity.directory / "1") == result_of(laxity.directory / "3")


def test_corunner_that_dies_beside_others_is_told_by_any_number_of_workers(laxity: Laxity):
    words = ("profile", "wcet", "mem", "sort small", "-t", "2", "--no-report")
    scenario = ("--scenario", "dead=mem 1B@1", *SIMULATED)
    for n in ("1", "3"):
        done = laxity(*words, *scenario, "--workers", n, "--run-dir", n)
        assert done.returncode == 1, done.stderr
    assert result_of(laxity.directory / "1") == result_of(laxity.directory / "3")


def test_workers_are_for_what_is_simulated(laxity: Laxity):
    done = laxity("profile", "wcet", "mem", "--workers", "2", "--run-dir", "P")
    assert done.returncode == 2
    assert "--workers: on a machine one process runs after the other" in done.stderr


def test_program_that_is_named_by_its_path_has_runs_of_its_name(laxity: Laxity):
    program = BUILT.tools / "workloads" / "empty"
    words = ("-p", "1ms", "-t", "3", "--processes", "1", "--allow-unprivileged", "--no-report")
    path, document = profiled(laxity, str(program), *words, "--scenario", "busy=load 64KiB@0")
    assert json.loads((path / "manifest.json").read_text())["runs"] == [
        "empty-alone-00",
        "empty-busy-00",
    ]
    assert document["targets"][0]["workload"] == str(program)
