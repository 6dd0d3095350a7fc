# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity reproduce`: what there is, what is refused, what is stored."""

import json

import pytest
from tests.cli.laxity_command import Laxity
from tests.papers.made_up_reproduction import row

from laxity.papers.paper import NAMES, paper_of
from laxity.papers.result import Reproduction
from laxity.papers.section import sentences


def test_without_a_word_it_lists_papers_and_figures(laxity: Laxity):
    done = laxity("reproduce")
    assert done.returncode == 0
    for name in NAMES:
        for exhibit in paper_of(name).exhibits:
            assert [name, exhibit.name] in [line.split()[:2] for line in done.stdout.splitlines()]
    assert not (laxity.directory / "runs").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nobody",), 'no paper "nobody" is reproduced; there is sebek, raffeck'),
        (("sebek", "figure-1"), 'no figure "figure-1" is reproduced; there are table-1, figure-5'),
        (("sebek", "figure-10", "x"), 'no figure "x" is reproduced; there are table-1'),
        (("blin", "--preset", "x"), 'no preset "x"; there are smoke, quick, full'),
        (("sebek", "--preset", "x"), "--preset x: sebek has no presets; leave it out"),
    ],
)
def test_what_is_not_reproduced_is_refused_with_what_is(
    laxity: Laxity, words: tuple[str, ...], told: str
):
    done = laxity("reproduce", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert not (laxity.directory / "runs").exists()


def test_table_comes_first_and_the_run_holds_it_with_its_page(laxity: Laxity):
    done = laxity("reproduce", "sebek", "figure-10", "--run-dir", "D", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    first = done.stdout.splitlines()
    assert first[0] == "complete"
    assert first[1].startswith("Figure 10 (simulated: sim:mpc750-no-l2; sim:mpc750-233)")
    assert "fitted" in first[3]
    run = laxity.directory / "D"
    assert {path.name for path in (run / "page").iterdir()} == {"sebek.md", "sebek-crpd.svg"}
    assert "Figure 10: CRPD of the MPC750" in (run / "report.html").read_text()
    stored = json.loads((run / "reproduction.json").read_text())
    assert [row["paper"] for row in stored["rows"]] == [195.5, 100.0, 113.6, 195.5]
    # The platforms have no costs together, and the page can be made again at will.
    assert not (run / "costs.json").exists()
    assert laxity("show", "D", "--verify").returncode == 0
    assert "highest CRPD" in laxity("show", "D").stdout


def test_two_reproductions_are_identical(laxity: Laxity):
    for name in ("A", "B"):
        words = ("--run-dir", name, "--no-report", "--quiet", "--format", "json")
        done = laxity("reproduce", "sebek", "figure-5", *words)
        assert done.returncode == 0, done.stderr
    hashes = [
        json.loads((laxity.directory / name / "manifest.json").read_text())["result_hash"]
        for name in ("A", "B")
    ]
    assert hashes[0] is not None
    assert hashes[0] == hashes[1]


def test_only_predictions_that_the_paper_has_a_value_for_count():
    rows = [
        row(100.0, 105.0),
        row(100.0, 105.1),
        # Percentages differ by points.
        row(50.0, 54.9, "%"),
        row(0.0, 5.1, "%"),
        row(None, 1.0),
        row(100.0, 100.0, basis="reasoned"),
        row(100.0, 100.0, kind="fitted"),
        row(100.0, 100.0, kind="input"),
    ]
    document = Reproduction(paper="sebek", figures=["table-1"], rows=rows)
    assert sentences(document) == (
        "Of 8 values (simulated) these are predictions: 4 of what the paper measured (2 of them "
        "within 5 %) and 1 of what it has by reasoning (1 of them within 5 %).",
    )


def test_words_of_the_paper_are_counted_by_whether_ours_is_as_they_say():
    words = [row(None, 1.0, agrees=one) for one in (True, True, False, None)]
    # What was put in says nothing.
    words.append(row(None, 1.0, kind="input", agrees=True))
    document = Reproduction(paper="sebek", figures=["table-1"], rows=words)
    assert sentences(document)[1:] == (
        "Of 3 predictions where the paper has words alone 2 are as it says.",
    )


def test_nothing_is_said_of_predictions_where_there_is_none():
    fitted = [row(100.0, 100.0, kind="fitted")]
    assert sentences(Reproduction(paper="sebek", figures=["table-1"], rows=fitted)) == (
        "Of 1 value (simulated) none is a prediction that the paper has a value for.",
    )
    assert sentences(Reproduction(paper="sebek", figures=["table-1"])) == (
        "No experiment came to its end.",
    )
