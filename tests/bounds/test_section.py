# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report of a stored bound: card, bars, tables, and what is said where something is missing."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.bounds.made_up_bound import write_bound
from tests.bounds.made_up_costs import GAMMAS, model

from laxity.bounds.answer import CostsGiven
from laxity.bounds.platform_costs import Choice
from laxity.bounds.setup import Setup
from laxity.cli.main import cli
from laxity.core.schedulers import Fit, Scheduler
from laxity.report.page import write_report
from laxity.store.run_directory import BOUND, open_run


def page_of(run: Path) -> str:
    return write_report(run).read_text()


def test_page_shows_verdict_bars_and_tables(tmp_path: Path):
    page = page_of(write_bound(tmp_path))
    assert '<span class="badge good">schedulable</span>' in page
    assert "doctor:" not in page
    assert page.count("<svg") == 1
    # 12 * 1.25 + 1 + 2 * 2.045 + 0.04, and ticks and latency as in the test of the command:
    # 15.047 + 1 + 4.09 = 20.137, with three jobs of control: 22.182; ticks ceil(22.191 / 4) = 6:
    # 22.236; and J = 0.05: 22.286. Exact: what is rounded down bounds nothing.
    assert "22.286 ms" in page
    assert "observed, not proven" in page
    assert "video &lt;b&gt;" in page
    assert "video <b>" not in page
    for title in ("Bounds against deadlines", "Where the time goes", "How far another answer is"):
        assert title in page


def test_parts_that_are_nothing_have_neither_column_nor_colour(tmp_path: Path):
    page = page_of(write_bound(tmp_path))
    head = re.search(r"Longest busy windows.*?</thead>", page, re.DOTALL)
    assert head is not None
    names = re.findall(r"<th[^>]*>([^<]*)</th>", head[0])
    assert "contention" in names
    assert "migrations" not in names
    assert "migrations</text>" not in page


@pytest.mark.parametrize(
    ("scheduler", "policies"),
    [
        (Scheduler.FIXED_PRIORITY, ["priority = 50", "priority = 40"]),
        (Scheduler.EDF, ['policy = "deadline"', 'policy = "deadline"']),
    ],
)
def test_response_that_no_job_need_take_is_not_called_exact(
    tmp_path: Path, scheduler: Scheduler, policies: list[str]
):
    # Both tests are exact; under EDF the verdict is, not the response.
    one = '[[task]]\nperiod = "10ms"\nwcet = "2ms"\ncpus = "1"\n'
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(
        f'schema = 1\n{one}name = "a"\n{policies[0]}\n{one}name = "b"\n{policies[1]}\n'
    )
    words = ["bound", str(tasks), "--costs", "none", "--scheduler", scheduler.value]
    words += ["--run-dir", str(tmp_path / "run")]
    assert CliRunner().invoke(cli, words, standalone_mode=False).return_value == 0
    answer = json.loads((tmp_path / "run" / "bound.json").read_text())
    assert all(task["exact"] for task in answer["tasks"])
    page = (tmp_path / "run" / "report.html").read_text()
    assert ("ms<small>exact</small>" in page) == (scheduler is Scheduler.FIXED_PRIORITY)


def test_figures_of_the_page_stand_in_derived_json(tmp_path: Path):
    run = write_bound(tmp_path)
    write_report(run)
    derived = json.loads((run / "derived.json").read_text())
    control = [one for one in derived["quantities"] if one["task"] == "control"]
    # As in the test of the command: 2.151 ms of 10 ms.
    assert [(one["value"], one["unit"], one["kind"]) for one in control] == [
        (2_151_000, "ns", "modelled"),
        (7_849_000, "ns", "modelled"),
    ]
    assert all(one["n"] == 1000 for one in control)


def test_late_task_is_told_on_the_card(tmp_path: Path):
    page = page_of(write_bound(tmp_path, deadline="20ms"))
    assert '<span class="badge attention">not provable</span>' in page
    # 2.279 ms, and 7 us: the timer of the late task may go off while the other one runs.
    assert "the bound is beyond the deadline by 2.286 ms" in page
    assert "1 of 2" in page


def test_zero_overheads_are_stated(tmp_path: Path):
    page = page_of(write_bound(tmp_path, costs=CostsGiven(None, None, Choice())))
    assert "all overheads zero" in page
    assert "costs nothing" in page
    assert "none was described with the costs" in page
    assert 'id="machine"' not in page


def test_missing_cost_is_a_warning(tmp_path: Path):
    page = page_of(write_bound(tmp_path, costs=CostsGiven(model(*GAMMAS), "c", Choice())))
    assert "Missing, so nothing is proven: delta" in page
    assert "<svg" not in page


def test_test_without_response_times_shows_its_cpus(tmp_path: Path):
    page = page_of(write_bound(tmp_path, setup=Setup(scheduler=Scheduler.EDF)))
    assert "All tasks of a CPU together" in page
    assert "<svg" not in page


def test_partition_says_who_was_placed_where(tmp_path: Path):
    page = page_of(write_bound(tmp_path, setup=Setup(fit=Fit.FIRST, cpus=(0, 1))))
    assert "Who was placed where, first fit" in page


@pytest.mark.parametrize("damage", [b"{}", b"", None])
def test_damaged_answer_is_told_and_the_rest_shown(tmp_path: Path, damage: bytes | None):
    run = write_bound(tmp_path)
    if damage is None:
        (run / BOUND).unlink()
    else:
        (run / BOUND).write_bytes(damage)
    page = page_of(run)
    assert "The answer of this run cannot be read." in page
    assert BOUND in page
    assert "The task set, as it was given" in page


def test_manifest_names_what_the_answer_is_from(tmp_path: Path):
    manifest = open_run(write_bound(tmp_path)).manifest
    assert (manifest.kind, manifest.exit_code, manifest.machine_hash) == ("bound", 0, "ab")
    assert manifest.parents == ["R"]
    assert sorted(manifest.files) == ["bound.json", "costs.json", "taskset.toml"]


def test_a_task_without_a_bound_is_named_and_no_other_is_nearest_to_its_deadline(tmp_path: Path):
    # 5 of each 10 ms, and 11 of each 20 ms below it: 105 %.
    text = """
schema = 1
[[task]]
name = "high"
period = "10ms"
wcet = "5ms"
priority = 90
cpus = "1"
[[task]]
name = "low"
period = "20ms"
wcet = "11ms"
priority = 80
cpus = "1"
"""
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(text)
    words = ["bound", str(tasks), "--costs", "none"]
    done = CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
    assert "Without a bound: “low”." in done.stdout
    assert "Nearest to its deadline" not in done.stdout
