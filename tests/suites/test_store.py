# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Names of runs of programs, and how a suite did as a whole."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from tests.report.run_builder import Made, ordinary_rows
from tests.suites.made_up_suite import made_up_vetting, ordinary_suite, write_suite

from laxity.core.streams import STREAMS, Status, absent_value
from laxity.store.run_directory import SUITE, write_document
from laxity.suites.store import judge, run_names
from laxity.suites.store_vetting import vetted_rows
from laxity.suites.stored_results import read_suite


@pytest.mark.parametrize(
    ("programs", "names"),
    [
        (["bsort", "adpcm_dec"], ["bsort", "adpcm_dec"]),
        # Awkward in paths, and then no longer different.
        (["a b", "a-b", "a?b"], ["a-b", "a-b-1", "a-b-2"]),
        # A name that ends so is a run that is not whole.
        (["x.tmp"], ["x.tmp-0"]),
        ([".."], ["run"]),
    ],
)
def test_runs_are_named_as_their_programs_where_that_is_a_name(
    programs: list[str], names: list[str]
):
    assert run_names(programs) == names


def test_wrong_jobs_weigh_more_than_programs_left_out(tmp_path: Path):
    assert judge(ordinary_suite(tmp_path / "R")) == (
        1, "3 jobs were not like a fresh process: bsort",
    )  # fmt: skip


def test_programs_left_out_are_no_verdict_and_nothing_else_is_well(tmp_path: Path):
    path = write_suite(tmp_path / "R", {"a": (Made(ordinary_rows(40)), ())})
    assert judge(path) == (4, "1 of 2 programs were left out")
    document = read_suite(path)
    all_ran = msgspec.structs.replace(document, programs=document.programs[:1])
    write_document(path / SUITE, all_ran)
    assert judge(path) == (0, "")


def test_rows_of_a_vetting_are_program_mode_and_job():
    rows = vetted_rows(made_up_vetting().programs)
    # Program 0 in modes none, reinit and fork, three jobs each; program 1 has none.
    assert rows.dtype.names == tuple(one.name for one in STREAMS["vetted"])
    assert rows["mode"].tolist() == [0, 0, 0, 1, 1, 1, 3, 3, 3]
    assert rows["instructions"].tolist()[:3] == [72_000, 1_000, 1_000]
    assert set(rows["instructions"][6:].tolist()) == {absent_value("i8")}


def judged(directory: Path, made: Made, wrong: Sequence[int]) -> tuple[int, str]:
    path = write_suite(directory, {"a": (made, wrong)})
    document = read_suite(path)
    all_ran = msgspec.structs.replace(document, programs=document.programs[:1])
    write_document(path / SUITE, all_ran)
    return judge(path)


def test_jobs_whose_rows_were_not_kept_are_no_pass(tmp_path: Path):
    # All 40 are wrong. Kept are the rows of the last five, or none, since all met their deadline.
    some = judged(tmp_path / "tail", Made(ordinary_rows(40), keep="tail:5"), range(40))
    assert some == (1, "at least 5 jobs were not like a fresh process: a")
    none = judged(tmp_path / "misses", Made(ordinary_rows(40), keep="misses"), range(40))
    assert none == (4, "whether jobs of a were right is not known: rows were not kept")


def test_a_job_that_died_did_not_end_as_a_fresh_process_does(tmp_path: Path):
    rows = ordinary_rows(40)
    rows["status"][7] = Status.ABORTED
    rows["finish_ns"][7] = absent_value("i8")
    found = judged(tmp_path / "R", Made(rows), ())
    assert found == (1, "1 job was not like a fresh process: a")
