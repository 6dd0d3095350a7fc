# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Reports of several runs at once: what is compared, and what is said beside it."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.report import run_builder
from tests.report.page_text import text_of, value_of
from tests.report.run_builder import ordinary_rows, without_finish, write_composite

from laxity.cli.summary import summary_text
from laxity.core.streams import Status
from laxity.report.page import write_report
from laxity.store.run_directory import open_run

pytestmark = pytest.mark.usefixtures("without_drawing")


def test_composite_compares_alone_with_interfered(tmp_path: Path):
    run = write_composite(tmp_path / "demo", run_builder.demo_runs(400))
    text = text_of(write_report(run))
    assert text.index("Alone against interfered") < text.index("Run “alone”")
    assert "With co-runners its median response time was" in text
    derived = msgspec.json.decode((run / "derived.json").read_bytes())["quantities"]
    medians = {one["run"]: one["value"] for one in derived if one["name"] == "response_time_median"}
    ratio = value_of(derived, "response_time_median_ratio_to_alone")["value"]
    assert ratio == pytest.approx(medians["interfered"] / medians["alone"])


def test_composite_with_an_empty_run_is_told_and_not_compared(tmp_path: Path):
    runs = run_builder.demo_runs(100)
    runs["interfered"] = replace(
        runs["interfered"], rows=without_finish(ordinary_rows(100), Status.SKIPPED)
    )
    text = text_of(write_report(write_composite(tmp_path / "demo", runs)))
    assert "in one of the two runs no job finished; they cannot be compared" in text


def test_composite_of_one_run_has_no_comparison(tmp_path: Path):
    runs = {"alone": run_builder.demo_runs(50)["alone"]}
    text = text_of(write_report(write_composite(tmp_path / "demo", runs)))
    assert "Alone against interfered" not in text
    assert "In run “alone” “control” met all deadlines of 50 releases (measured)." in text
    assert "Task “control” was released 50 times" in text


def test_card_of_a_demo_is_not_green_where_one_of_its_runs_was_disturbed(tmp_path: Path):
    runs = run_builder.demo_runs(400)
    runs["interfered"] = replace(runs["interfered"], drift=["the hypervisor took 9.00 %"])
    page = write_report(write_composite(tmp_path / "demo", runs))
    assert '<section class="verdict attention"' in page.read_text()
    assert "Disturbed during the run (interfered): the hypervisor took 9.00 %." in text_of(page)


def test_drift_that_differs_stands_beside_the_comparison(tmp_path: Path):
    runs = run_builder.demo_runs(400)
    steal = "the hypervisor took 2.16 % of the CPUs' time during the run"
    runs["interfered"] = replace(runs["interfered"], drift=[steal])
    text = text_of(write_report(write_composite(tmp_path / "demo", runs)))
    said = f"during “alone” nothing was seen, during “interfered” {steal}."
    assert text.index("Run “alone” against run “interfered”") < text.index(said)
    assert "slowdown" not in text
    same = {name: replace(made, drift=[steal]) for name, made in runs.items()}
    text = text_of(write_report(write_composite(tmp_path / "same", same)))
    assert "did not behave the same" not in text


def test_drift_of_each_part_is_printed_with_its_name(tmp_path: Path):
    runs = run_builder.demo_runs(400)
    steal = "the hypervisor took 2.16 % of the CPUs' time during the run"
    runs["interfered"] = replace(runs["interfered"], drift=[steal])
    printed = summary_text(open_run(write_composite(tmp_path / "demo", runs)))
    assert f"interfered: changed during the run: {steal}\n" in printed
    assert "alone: changed during the run" not in printed


def test_ratio_of_medians_says_how_many_releases_are_in_it(tmp_path: Path):
    # overruns of 13.2 and 6.1 ms in 400 releases of 5 ms skip 2 and 1 of them
    text = text_of(write_report(write_composite(tmp_path / "demo", run_builder.demo_runs(400))))
    assert "finished jobs only: 400 of 400 releases alone, 397 of 400 interfered" in text
