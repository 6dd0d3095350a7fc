# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a command that made several runs answers, on its page and on a terminal."""

from dataclasses import replace
from pathlib import Path

from tests.bounds.made_up_costs import model
from tests.costs.test_answer import DELTAS, GAMMAS
from tests.report.page_text import text_of
from tests.report.run_builder import Made, demo_runs, ordinary_rows, write_composite, write_run

from laxity.cli.summary import answer_text, summary_text
from laxity.report.answers import answers
from laxity.report.page import write_report
from laxity.report.read_run import read_page
from laxity.store.run_directory import COSTS, open_run, write_document

# Of 2000 jobs some miss only beside co-runners (run_builder.demo_runs).
SPACE = "\N{NARROW NO-BREAK SPACE}"
PAIR = f"“control” met 2{SPACE}000 of 2{SPACE}000 deadlines alone and "


def demo(tmp_path: Path) -> Path:
    path = write_composite(tmp_path / "demo", demo_runs())
    write_document(path / COSTS, model(*GAMMAS, *DELTAS))
    return path


def test_the_first_line_is_what_a_preemption_costs_and_the_second_who_met_deadlines(tmp_path: Path):
    cost, pair = answers(read_page(open_run(demo(tmp_path))))
    assert cost.startswith("A preemption costs 42 µs: two switches of 11 µs")
    assert pair.startswith(PAIR)
    assert "beside co-runners; its longest response was " in pair


def test_a_run_that_is_one_has_its_own_words(tmp_path: Path):
    run = open_run(write_run(tmp_path / "one", Made(ordinary_rows(20))))
    assert answers(read_page(run)) == ()
    assert answer_text(run) == summary_text(run)


def test_a_terminal_has_the_answer_alone_and_says_where_the_rest_is(tmp_path: Path):
    run = open_run(demo(tmp_path))
    lines = answer_text(run).splitlines()
    assert lines[0] == "complete"
    assert lines[1].startswith("A preemption costs")
    assert lines[-1] == f"all figures: laxity show {run.path}"
    assert len(lines) == 4
    assert "p99" in summary_text(run)


def test_the_first_screen_has_a_number_for_each_question(tmp_path: Path):
    text = text_of(write_report(demo(tmp_path)))
    first, _, rest = text.partition("Alone against interfered")
    for said in ("releases not met, interfered", "a preemption 42 µs 2 δ", "of 256 KiB"):
        assert said in first
    # Details of each run are there, behind its figure.
    assert "All figures and tables of this run" in rest


def test_costs_that_cannot_be_read_leave_the_other_answers(tmp_path: Path):
    path = demo(tmp_path)
    (path / COSTS).write_text("{")
    (pair,) = answers(read_page(open_run(path)))
    assert pair.startswith(PAIR)


def test_tasks_that_met_all_are_told_from_those_that_did_not(tmp_path: Path):
    runs = {"alone": Made(ordinary_rows(50), name="control")}
    path = write_composite(tmp_path / "a", runs)
    assert answers(read_page(open_run(path))) == (
        "In run “alone” “control” met all deadlines of 50 releases (measured).",
    )
    # Overruns of 13.2 and 6.1 ms skip two releases of each 5 ms, and one: 1 + 2 + 1 + 1.
    late = replace(demo_runs(300)["interfered"], corunners=[])
    path = write_composite(tmp_path / "b", {"tasks": late})
    assert answers(read_page(open_run(path))) == (
        "In run “tasks”, of 300 releases (measured) of “control” 5 were not met: 5 of “control”.",
    )


def test_jobs_without_a_deadline_are_not_said_to_have_met_any(tmp_path: Path):
    runs = {"alone": Made(ordinary_rows(50), name="control", deadline_ns=None)}
    assert answers(read_page(open_run(write_composite(tmp_path / "a", runs)))) == (
        "In run “alone” “control” finished 50 jobs (measured), judged by no deadline.",
    )
    both = {name: replace(made, deadline_ns=None) for name, made in demo_runs(100).items()}
    both["interfered"] = replace(both["interfered"], rows=both["alone"].rows)
    (pair,) = answers(read_page(open_run(write_composite(tmp_path / "b", both))))
    assert pair.startswith("“control” made 100 jobs alone and 100 beside co-runners; ")
