# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The page of an evaluation: its first screen answers, its figures show all loads."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from tests.contention.test_table import FIRST, LOAD, SECOND, table

from laxity.contention.document import Cell, Evaluation, Share, evaluations_text
from laxity.contention.plan import Policy
from laxity.contention.table import MeasuredLoad
from laxity.contention.trial import Trial, store_trial
from laxity.report.page import write_report


def cell(overhead_ppm: int, regulated_ppm: int, parallelism_ppm: int, remark: str = "") -> Cell:
    return Cell(
        load=msgspec.convert(LOAD | {"overhead_ppm": overhead_ppm}, MeasuredLoad),
        regulated_ppm=regulated_ppm,
        replayed_ppm=regulated_ppm - 1000,
        difference_ppm=1000,
        parallelism_ppm=parallelism_ppm,
        optimum_ppm=900_000,
        stops=3,
        windows=100,
        windows_above=0,
        remark=remark,
        charged_ppm=overhead_ppm * 2,
    )


def evaluation(policy: Policy, *cells: Cell) -> Evaluation:
    return Evaluation(
        schema=1,
        kind="simulated",
        solo_ns=8_000_000,
        policy=policy,
        theta_ppm=50_000,
        cells=[*cells],
    )


SOUND = evaluation("sound", cell(400_000, 41_000, 300_000), cell(90_000, 20_000, 700_000))
PAPER = evaluation("paper", cell(400_000, 61_000, 100_000), cell(90_000, 10_000, 200_000))
SHARES = [
    Share(policy=policy, theta_ppm=theta, lost_ppm=[theta, 0], parallelism_ppm=[theta, 3 * theta])
    for policy in ("sound", "optimum")
    for theta in (20_000, 50_000)
]


def page_of(tmp_path: Path, *evaluations: Evaluation, shares: tuple[Share, ...] = ()) -> str:
    trial = Trial(table=table(phases=[FIRST, SECOND]), evaluations=[*evaluations], shares=[*shares])
    store_trial(lambda: trial, tmp_path / "D", "edges", ["laxity"], is_judged=True)
    write_report(tmp_path / "D")
    return (tmp_path / "D/report.html").read_text()


def card_of(page: str) -> str:
    """Return the words of the first screen."""
    return re.sub(r"<[^>]+>|\s+", " ", page[page.index("<body") : page.index("<nav")])


def test_first_screen_says_with_how_many_loads_the_table_is_too_low(tmp_path: Path):
    above = msgspec.structs.replace(SOUND.cells[0], windows_above=7)
    words = card_of(page_of(tmp_path, evaluation("sound", above, SOUND.cells[1])))
    assert "kept with all of 2 loads, but 1 of them cost more than the table says" in words


def test_first_screen_says_whether_the_limit_was_kept_and_what_loads_may_do(tmp_path: Path):
    words = card_of(page_of(tmp_path, SOUND, PAPER))
    assert "limit kept" in words
    assert "The limit of 5.00 % was kept with all of 2 loads (policy sound" in words
    assert "Policy paper broke the same limit with the same loads." in words
    # 40 % of the worst load; of 30 and 70 % the median is 50 %.
    assert all(value in words for value in ("40.00 %", "4.10 %", "50.00 %", "optimum 90.00 %"))


def test_first_policy_is_the_verdict(tmp_path: Path):
    assert "limit broken" in card_of(page_of(tmp_path, PAPER, SOUND))


def test_load_without_a_verdict_leaves_none(tmp_path: Path):
    outside = evaluation("sound", cell(400_000, 41_000, 300_000, "1 of 1 jobs ran longer"))
    assert "no verdict" in card_of(page_of(tmp_path, outside))


def test_each_question_has_its_figure(tmp_path: Path):
    page = page_of(tmp_path, SOUND, PAPER, shares=tuple(SHARES))
    labels = re.findall(r'role="img" aria-label="([^"]+)"', page)
    assert [label.partition(":")[0].partition(",")[0] for label in labels] == [
        "Overhead of the job",
        "Loads may run",
        "Loads may run",
        "Largest overhead",
        "Loss of 2 phases by traffic",
        "The table charges 2.00 to 2.00 times what the job loses",
    ]
    assert "medians: sound 50.00 %, paper 15.00 %, optimum 90.00 %" in labels[1]
    # Medians of (2, 6) and (5, 15) %; the optimum loses what it may.
    assert "sound 4.00 % to 10.00 %" in labels[2]
    assert "sound 2.00 % to 5.00 %" in labels[3]
    assert "optimum" not in labels[3]


def test_page_of_a_profile_alone_shows_its_map(tmp_path: Path):
    page = page_of(tmp_path)
    assert len(re.findall(r'role="img"', page)) == 1
    assert "Memory traffic makes the job take up to 25.00 % longer" in card_of(page)


def test_derived_figures_have_unit_kind_and_n(tmp_path: Path):
    page_of(tmp_path, SOUND, PAPER)
    derived = json.loads((tmp_path / "D/derived.json").read_text())["quantities"]
    of_paper = {quantity["name"]: quantity for quantity in derived if quantity["task"] == "paper"}
    largest = of_paper["largest_regulated_ppm"]
    assert (largest["value"], largest["unit"], largest["n"]) == (61_000, "ppm", 2)
    assert of_paper["largest_replayed_ppm"]["kind"] == "modelled"
    assert of_paper["largest_replayed_ppm"]["n"] == 70


@pytest.mark.parametrize(
    ("evaluations", "code"), [((SOUND,), 0), ((PAPER,), 1), ((SOUND, PAPER), 1), ((), 0)]
)
def test_exit_code_is_of_the_worst_policy(evaluations: tuple[Evaluation, ...], code: int):
    assert Trial(table=table(), evaluations=[*evaluations]).exit_code == code


def test_several_policies_are_a_row_each_on_a_terminal():
    lines = evaluations_text([SOUND, PAPER], SHARES).splitlines()
    (row,) = (line for line in lines if line.startswith("paper "))
    assert [word for word in row.split() if word != "%"] == [
        *("paper", "1", "6.10", "6.00", "10.00", "15.00", "20.00")
    ]
    assert [line.split() for line in lines[-3:]] == [
        ["theta", "sound", "optimum"],
        ["2.00", "%", "4.00", "%", "4.00", "%"],
        ["5.00", "%", "10.00", "%", "10.00", "%"],
    ]
