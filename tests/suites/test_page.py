# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report pages of a suite run and of a vetting."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.report.run_builder import Made, ordinary_rows
from tests.suites.made_up_suite import (
    made_up_vetting,
    ordinary_suite,
    vetted_job,
    write_suite,
    write_vetting,
)

from laxity.compare.data import Side, read_side
from laxity.compare.sides import differences_of
from laxity.page.small import bars
from laxity.report.page import write_report
from laxity.store.manifest import encode_document
from laxity.store.run_directory import hash_files, read_manifest
from laxity.suites import vetting_section as vetting
from laxity.suites.result import VettedMode
from laxity.suites.stored_results import read_suite

ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()


def row_of(page: str, program: str) -> str:
    """The row of a program in the first table that has it."""
    return next(text for row in ROW.findall(page) if (text := text_of(row)).startswith(program))


@pytest.fixture(scope="module")
def suite_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = ordinary_suite(tmp_path_factory.mktemp("suite") / "R")
    write_report(path)
    return path


def test_results_count_right_and_wrong_jobs(suite_run: Path):
    found = {one.program: one.result for one in read_suite(suite_run).programs}
    adpcm, bsort, never = found["adpcm"], found["bsort"], found["never"]
    assert adpcm is not None
    assert bsort is not None
    assert never is not None
    assert (adpcm.finished, adpcm.right, adpcm.wrong) == (40, 40, 0)
    assert (bsort.finished, bsort.right, bsort.wrong) == (400, 397, 3)
    assert (never.finished, never.right, never.wrong, never.times) == (0, 0, 0, [])
    # 368 jobs are what a p99 needs; 40 have none.
    assert [times.p99 is None for times in (adpcm.times[0], bsort.times[0])] == [True, False]
    assert found["broken"] is None


def test_jobs_whose_rows_were_not_kept_are_neither_right_nor_wrong(tmp_path: Path):
    path = write_suite(tmp_path / "R", {"a": (Made(ordinary_rows(40), keep="misses"), ())})
    result = read_suite(path).programs[0].result
    assert result is not None
    assert (result.finished, result.right, result.wrong) == (40, None, None)
    assert result.times[0].n == 40
    assert not result.times[0].is_exact
    write_report(path)
    page = (path / "report.html").read_text()
    assert "Whether jobs of a were right is not known" in page
    assert "rows not kept" in row_of(page, "a ")


def test_every_program_has_a_row_that_leads_to_its_own_report(suite_run: Path):
    page = (suite_run / "report.html").read_text()
    assert row_of(page, "bsort").startswith("bsort stale state restore 400 397 3 0")
    for name in ("adpcm", "bsort", "never"):
        assert f'<a href="runs/{name}/report.html">{name}</a>' in page
        assert (suite_run / "runs" / name / "report.html").is_file()
    # A picture for each program with a finished job.
    assert page.count('<svg class="small"') == 2


def test_a_program_without_a_finished_job_has_no_figure_and_no_zero(suite_run: Path):
    row = row_of((suite_run / "report.html").read_text(), "never")
    assert row.count("no job finished") == 4
    assert " 0 ns" not in row


def test_what_was_not_run_is_told_with_its_reason_escaped(suite_run: Path):
    page = (suite_run / "report.html").read_text()
    assert "rejected: its &lt;check&gt; fails" in page
    assert "3 of 4 programs ran." in page


def test_wrong_jobs_stand_on_the_card(suite_run: Path):
    page = (suite_run / "report.html").read_text()
    assert '<span class="badge bad">wrong jobs</span>' in page
    assert "3 jobs did not do what a fresh process does: bsort." in page


def test_suite_runs_of_other_sources_are_not_compared(tmp_path: Path):
    programs = {"a": (Made(ordinary_rows(40)), ())}
    paths = {
        name: write_suite(tmp_path / name, programs, sources)
        for name, sources in (("A", "0" * 64), ("B", "0" * 64), ("C", "1" * 64))
    }

    def differences(new: str) -> list[tuple[str, str, str]]:
        sides = [read_side(name, paths[name]) for name in ("A", new)]
        return [(one.what, one.base, one.new) for one in differences_of(*sides)]

    assert differences("B") == []
    assert differences("C") == [
        (
            'a/task "a" args',
            "cc (dynamic), sources 000000000000",
            "cc (dynamic), sources 111111111111",
        )
    ]


def test_suite_runs_with_input_files_are_compared_if_these_are_the_same(tmp_path: Path):
    def side(name: str, inputs: str) -> Side:
        path = write_suite(
            tmp_path / name, {"a": (Made(ordinary_rows(40)), ())}, inputs=inputs * 64
        )
        # As suite run writes it: object and directory are others in each run.
        words = ["/b/a.so", "a", "main", "returned:0:-:-:-", f"/{name}/in", "", f"/{name}/cwd"]
        spec = path / "runs" / "a" / "spec.toml"
        text = re.sub(r"args = \[[^]]*\]", f"args = {json.dumps(words)}", spec.read_text())
        spec.write_text(text)
        manifest = read_manifest(path / "runs" / "a")
        files = hash_files(path / "runs" / "a")
        (path / "runs" / "a" / "manifest.json").write_bytes(
            encode_document(msgspec.structs.replace(manifest, files=files))
        )
        return read_side(name, path)

    base = side("A", "0")
    assert list(differences_of(base, side("B", "0"))) == []
    differences = [
        (one.what, one.base[:56], one.new[:56]) for one in differences_of(base, side("C", "1"))
    ]
    assert differences == [
        (
            'a/task "a" args',
            "cc (dynamic), sources 000000000000, inputs 000000000000 ",
            "cc (dynamic), sources 000000000000, inputs 111111111111 ",
        )
    ]


def test_every_quantity_has_unit_n_and_kind(suite_run: Path):
    quantities: list[dict[str, Any]] = json.loads((suite_run / "derived.json").read_text())[
        "quantities"
    ]
    found = {(one["task"], one["name"]): one for one in quantities}
    wrong = found["bsort", "jobs_wrong"]
    assert (wrong["value"], wrong["unit"], wrong["n"], wrong["kind"]) == (
        3,
        "jobs",
        400,
        "measured",
    )
    p99 = found["adpcm", "start_to_finish_p99"]
    assert (p99["value"], p99["note"]) == (None, "needs 368 samples")
    isolating = found["adpcm", "isolating_mean"]
    assert (isolating["value"], isolating["unit"], isolating["n"]) == (20_000, "ns", 40)


@pytest.fixture(scope="module")
def vetting_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write_vetting(tmp_path_factory.mktemp("vetting") / "V", made_up_vetting())
    write_report(path)
    return (path / "report.html").read_text()


def test_the_vetting_counts_modes_and_names_what_is_rejected(vetting_page: str):
    assert "Of 2 programs 0 may be repeated as they are, 1 need isolation" in vetting_page
    assert "Rejected: never_alike." in vetting_page
    assert row_of(vetting_page, "programs") == "programs 0 1 0 0 0 1"
    assert "two fresh &lt;processes&gt; differ" in vetting_page
    assert row_of(vetting_page, "lib") == "lib no entry"


def test_each_mode_tells_results_state_work_and_what_is_left(vetting_page: str):
    # 24 B more after each of three jobs: 48 B after job 2.
    none = row_of(vetting_page, "none 3 of 3")
    assert none.startswith("none 3 of 3 3 of 3 72 000, 1 000 × 2 48 B of heap wrong")
    assert row_of(vetting_page, "reinit 3 of 3").endswith("right")
    assert "not counted" in row_of(vetting_page, "fork 3 of 3")


def test_references_of_the_vetting_lead_to_the_details(vetting_page: str):
    ids = re.findall(r' id="([^"]+)"', vetting_page)
    assert [name for name, n in Counter(ids).items() if n > 1] == []
    assert set(re.findall(r'href="#([^"]+)"', vetting_page)) <= set(ids)


def test_only_jobs_of_other_work_than_fresh_state_are_marked():
    document = made_up_vetting()
    drawn = vetting.build_details(document)
    table = drawn.blocks[1].blocks[-1]  # type: ignore[union-attr]
    none, reinit, _ = (row[3].svg for row in table.rows)  # type: ignore[union-attr]
    assert "--fig-missed" in none
    assert "--fig-missed" not in reinit


def test_a_mode_whose_process_died_says_so_and_counts_no_instructions():
    mode = VettedMode(mode="none", failure="signal 11", deviations=["job 1: signal 11"],
                      jobs=[vetted_job(0, None)])  # fmt: skip
    first = made_up_vetting().programs[0]
    row = vetting._mode_row(first, mode)
    assert [cell.text for cell in row[1:4]] == ["1 of 1", "1 of 1", "not counted"]
    assert row[-1].remark == "job 1: signal 11"


def test_bars_are_as_high_as_their_values():
    # 22 high, 21 of it for the largest; 50 of 100 is 10.5, 0 has no height.
    svg = bars([100, 50, 0], [False, False, True], None, "three bars")
    assert "M0.0 22v-21.0" in svg
    assert "M24.0 22v-10.5" in svg
    assert "M48.0 22v-0.0" in svg
    assert "stroke-dasharray" not in svg
