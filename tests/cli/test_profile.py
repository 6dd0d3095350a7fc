# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile wcet`: processes in turn, one document, one page."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity

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
    assert json.loads((path / "manifest.json").read_text())["runs"] == names
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
    # load takes a size, and ends with exit code 1 at another word.
    path, document = profiled(
        laxity, "mem", "-b", "16KiB", "-t", "3", "--no-report",
        "--scenario", "dead=load wrong@1", *SIMULATED, code=1,
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
