# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Report and short answer of a run that compared migrated with preempted jobs."""

import json
import re
from pathlib import Path

import pytest
from tests.costs.migration.made_up_migration import finished_migration_jobs

from laxity.cli.summary import summary_document, summary_text
from laxity.jobs.finish import open_recovered
from laxity.report.page import write_report

KIB = 1 << 10


def text_of(page: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text()))


def test_difference_is_stated_with_interval_n_and_probability(tmp_path: Path):
    run = open_recovered(finished_migration_jobs(tmp_path / "D", 400))
    first = summary_text(run).splitlines()[1]
    # 40 stretches of five jobs, of which the last three are settled.
    assert first.startswith(
        "MEM 32 KiB, cores that share the L3: a migrated job takes 400 ns longer than a preempted "
        "one (median shift, 95 %: "
    )
    assert "n = 40 and 120; p < 0.000001; longer in 100 % of all pairs" in first
    (one,) = summary_document(run)["contrasts"]
    assert one["migrated_against_preempted"]["shift"] == 400
    assert abs(one["preempted_against_preempted"]["shift"]) <= 1


def test_no_difference_is_stated_with_what_may_have_gone_unseen(tmp_path: Path):
    run = open_recovered(finished_migration_jobs(tmp_path / "D", 0))
    assert "no difference can be told between a migrated job and a preempted one (shift 0 ns" in (
        summary_text(run)
    )


@pytest.mark.parametrize(("stretches", "is_enough"), [(7, False), (8, True)])
def test_few_jobs_have_no_verdict(tmp_path: Path, stretches: int, is_enough: bool):
    run = open_recovered(finished_migration_jobs(tmp_path / "D", 400, stretches))
    assert ("no verdict, too few jobs" not in summary_text(run)) == is_enough


def test_page_shows_jobs_in_their_order_and_by_place(tmp_path: Path):
    page = write_report(finished_migration_jobs(tmp_path / "D", 400))
    text = text_of(page)
    assert "a migrated job takes 400 ns longer" in text
    assert "Execution times of the first 206 jobs, MEM 32 KiB, measured" in text
    assert "Execution time by jobs since the change of CPU, MEM 32 KiB" in text
    drawings = re.findall(r"<svg.*?</svg>", page.read_text(), re.DOTALL)
    assert len(drawings) == 2
    assert all("#0102" not in svg for svg in drawings)
    derived = json.loads((tmp_path / "D" / "derived.json").read_text())
    names = {one["name"]: one for one in derived["quantities"]}
    one = names[f"shift_mem_{32 * KIB}B_shared_l3"]
    assert (one["value"], one["unit"], one["n"]) == (400, "ns", 160)


def test_damaged_stream_is_told_on_the_page(tmp_path: Path):
    path = finished_migration_jobs(tmp_path / "D", 400)
    (path / "migration_jobs.npy").write_bytes(b"gone")
    text = text_of(write_report(path))
    assert "migration_jobs.npy: not a NumPy file" in text
    assert "too few jobs to compare" in text
