# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report of a stored comparison."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.report.run_builder import Made, corunner, ordinary_rows, write_run

from laxity.cli.main import cli
from laxity.errors import ConfigError, NoVerdict, RecordError
from laxity.store.run_directory import open_run

N = 500


def laxity(*words: str | Path) -> str:
    done = CliRunner().invoke(
        cli, [*map(str, words)], standalone_mode=False, catch_exceptions=False
    )
    return done.stdout


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison of two NEW with a baseline, one of them 20 us longer."""
    root = tmp_path_factory.mktemp("stored")
    for number, (name, base_ns) in enumerate((("a", 900_000), ("b", 900_000), ("c", 920_000))):
        write_run(root / name, Made(ordinary_rows(N, number, base_ns=base_ns)))
    words = ("compare", root / "a", root / "b", root / "c", "--fail-on", "execution.median > +1%")
    laxity(*words, "--run-dir", root / "D")
    return root / "D"


def test_a_comparison_is_stored_as_a_run(stored: Path):
    run = open_run(stored)
    assert (run.manifest.kind, run.manifest.status, run.manifest.exit_code) == (
        "compare", "complete", 1,
    )  # fmt: skip
    assert [Path(name).name for name in run.manifest.parents] == ["a", "b", "c"]
    assert run.manifest.machine_hash == open_run(stored.parent / "a").manifest.machine_hash
    assert run.verify() == []
    assert json.loads((stored / "compare.json").read_text())["verdict"] == "violated"


def test_the_page_says_what_is_longer_and_what_was_stated(stored: Path):
    page = (stored / "report.html").read_text()
    assert '<span class="badge bad">regression</span>' in page
    assert "execution.median &gt; +1% is violated: control" in page
    assert "NEW1 against BASE" in page
    assert "NEW2 against BASE" in page
    assert page.count("<svg") == 2
    counted = Counter(re.findall(r' id="([^"]+)"', page))
    assert [name for name, n in counted.items() if n > 1] == []


def test_every_figure_has_unit_count_and_kind(stored: Path):
    quantities = json.loads((stored / "derived.json").read_text())["quantities"]
    # Two comparisons of three quantities of four figures.
    assert len(quantities) == 24
    assert {(one["unit"], one["n"], one["kind"]) for one in quantities} == {("ns", N, "measured")}


def test_show_and_report_work_on_it(stored: Path):
    shown = laxity("show", stored)
    assert re.search(r"violated +execution\.median > \+1% +control +shift 2", shown)
    assert shown.startswith("execution.median > +1% is violated: control, shift 2")
    (stored / "report.html").unlink()
    laxity("report", stored)
    assert (stored / "report.html").exists()


def test_a_refusal_is_stored_with_what_differs(tmp_path: Path):
    write_run(tmp_path / "a", Made(ordinary_rows(N, 1)))
    write_run(tmp_path / "b", Made(ordinary_rows(N, 2), corunners=[corunner()]))
    with pytest.raises(NoVerdict):
        laxity("compare", tmp_path / "a", tmp_path / "b", "--run-dir", tmp_path / "D")
    page = (tmp_path / "D" / "report.html").read_text()
    assert "NEW was not compared: it differs from BASE in co-runners." in page
    assert open_run(tmp_path / "D").manifest.exit_code == 4


def test_a_comparison_is_not_compared(stored: Path):
    with pytest.raises(ConfigError, match="is a comparison itself"):
        laxity("compare", stored, stored.parent / "a")


def test_a_run_directory_that_exists_is_refused(stored: Path):
    with pytest.raises(ConfigError, match="exists"):
        laxity("compare", stored.parent / "a", stored.parent / "b", "--run-dir", stored)


def test_a_damaged_answer_is_told(stored: Path, tmp_path: Path):
    broken = tmp_path / "D"
    broken.mkdir()
    (broken / "manifest.json").write_bytes((stored / "manifest.json").read_bytes())
    (broken / "compare.json").write_text("{}")
    with pytest.raises(RecordError, match="unreadable"):
        laxity("show", broken)
