# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The table of regulated programs in docs/regulation.md."""

import click
import pytest
from bench.regulated_programs import table_of, with_table
from tests.contention.test_table import table

from laxity.contention.document import Cell, Evaluation
from laxity.contention.plan import Policy
from laxity.contention.table import MeasuredLoad
from laxity.contention.trial import Trial

PAGE = "before\n<!-- begin: bench/regulated_programs.py -->\nold\n<!-- end -->\nafter\n"


def cell(regulated_ppm: int, replayed_ppm: int, parallelism_ppm: int) -> Cell:
    load = MeasuredLoad(reads=0, delay=0, cpus=[1], overhead_ppm=200_000, traffic_bytes_per_s=10**9)
    return Cell(
        load=load,
        regulated_ppm=regulated_ppm,
        replayed_ppm=replayed_ppm,
        difference_ppm=0,
        parallelism_ppm=parallelism_ppm,
        optimum_ppm=900_000,
        stops=1,
        windows=1000,
        windows_above=2,
        remark="",
    )


def evaluation(policy: Policy, *cells: Cell) -> Evaluation:
    return Evaluation(
        schema=1, kind="simulated", solo_ns=10**7, policy=policy, theta_ppm=50_000, cells=[*cells]
    )


def test_row_of_a_policy_has_its_largest_overhead_and_the_loads_that_break_theta():
    """Largest: 5.2 % replayed, in one of two loads; parallelism 10 and 50 %: median, mean 30."""
    sound = evaluation("sound", cell(40_000, 52_000, 100_000), cell(30_000, 31_000, 500_000))
    text = table_of([Trial(table=table(), evaluations=[sound])])
    lines = text.splitlines()
    assert lines[0].startswith("At θ = 5.00 %, 2 loads, one cold job each and 35 replays")
    of_none, of_sound, of_optimum = ([part.strip() for part in x.split("|")] for x in lines[4:])
    assert of_none[4:6] == ["none", "20.00 %"]
    assert of_sound[4:9] == ["`sound`", "5.20 %", "1", "10.0 / 30.0 / 50.0 %, 30.0", "4 of 2,000"]
    assert of_optimum[4:8] == ["optimum", "-", "-", "90.0 / 90.0 / 90.0 %, 90.0"]


def test_gap_between_paper_and_the_optimum_counts_loads_with_which_paper_keeps_theta():
    """Optimum 90 %: 30 of 80 points and 20 of 40 are 50 of 120; with a third `paper` loses 6 %."""
    shares = (400_000, 700_000, 100_000)
    ours = evaluation("sound", *(cell(40_000, 40_000, share) for share in shares))
    paper = evaluation(
        "paper",
        *(cell(loss, 40_000, ppm) for loss, ppm in ((0, 100_000), (0, 500_000), (60_000, 800_000))),
    )
    *_, closed, below = table_of([Trial(table=table(), evaluations=[ours, paper])]).splitlines()
    assert "allows 42 % of" in closed
    assert "(2 loads" in closed
    assert below.startswith("With 0 of 2 loads it allows over 2 points less")


def test_load_with_which_paper_allows_more_is_counted():
    """`sound` 70 %, `paper` 85 %: 15 points less; a gap of 5 points counts."""
    found = Trial(
        table=table(),
        evaluations=[
            evaluation("sound", cell(0, 0, 700_000)),
            evaluation("paper", cell(0, 0, 850_000)),
        ],
    )
    below = table_of([found]).splitlines()[-1]
    assert below.startswith("With 1 of 1 loads it allows over 2 points less")
    assert below.endswith("points less than `paper`, at most 15.0 (`dijkstra large`).")


def test_table_replaces_what_is_between_the_marks_of_a_page():
    assert with_table(PAGE, "new\n") == PAGE.replace("old", "new")


def test_page_without_marks_is_refused():
    with pytest.raises(click.ClickException, match="lacks a line"):
        with_table("before\nafter\n", "new\n")
