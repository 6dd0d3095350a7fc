# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The section about pWCET, which a report has on demand."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from tests.costs.switch.made_up_switch_run import write_switch_run
from tests.report.page_text import text_of, value_of
from tests.report.run_builder import Made, ordinary_rows, write_run

from laxity.cli.main import cli
from laxity.errors import ConfigError
from laxity.report.page import write_report


@pytest.fixture(autouse=True)
def _without_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the slow last step of the other figures."""
    monkeypatch.setattr("laxity.page.figures.to_svg", lambda *_: "<svg></svg>")


def rows_of(exec_ns: "np.ndarray[Any, Any]") -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    rows = ordinary_rows(exec_ns.size)
    rows["exec_ns"] = exec_ns
    return rows


def gamma_ns(n: int = 2_000) -> "np.ndarray[Any, Any]":
    return 100_000 + 10_000 * np.random.default_rng(1).gamma(4, 3, n)


def make_report(directory: Path, made: Made) -> tuple[str, list[dict[str, Any]]]:
    report = write_report(write_run(directory / "run", made), 1e-4)
    derived = msgspec.json.decode((directory / "run" / "derived.json").read_bytes())
    return text_of(report), derived["quantities"]


def test_bound_stands_with_confidence_count_and_gates(tmp_path: Path):
    text, quantities = make_report(tmp_path, Made(rows_of(gamma_ns())))
    assert "with probability 0.0001 at most (95 % confidence, n = 2 000" in text
    assert "Ljung-Box no value depends on one of the 10 before it" in text
    found = value_of(quantities, "pwcet")
    assert (found["unit"], found["n"], found["kind"]) == ("ns", 2_000, "modelled")
    assert found["value"] > gamma_ns().max()
    assert found["note"] == "exceedance 0.0001, 95 % confidence"


def test_figures_are_drawn(tmp_path: Path):
    report = write_report(write_run(tmp_path / "run", Made(rows_of(gamma_ns()))), 1e-4)
    page = report.read_text()
    assert "r0-t0-pwcet-quantiles" in page
    assert "r0-t0-pwcet-thresholds" in page


def test_refusal_stands_with_its_reason_and_the_closed_gate(tmp_path: Path):
    text, quantities = make_report(tmp_path, Made(rows_of(np.sort(gamma_ns()))))
    assert "No pWCET of n = 2 000 jobs: runs: it does not hold" in text
    assert "closed" in text
    found = value_of(quantities, "pwcet")
    assert found["value"] is None
    assert "it does not hold" in found["note"]


def test_run_without_processor_times_says_so(tmp_path: Path):
    text, _ = make_report(tmp_path, Made(ordinary_rows(400), without=["exec_ns"]))
    assert "No pWCET: no processor time was measured" in text


def test_report_has_no_pwcet_unless_asked(tmp_path: Path):
    report = write_report(write_run(tmp_path / "run", Made(ordinary_rows(400))))
    assert "pWCET" not in text_of(report)


def test_command_takes_the_probability(tmp_path: Path):
    run = write_run(tmp_path / "run", Made(ordinary_rows(400)))
    words = ["report", str(run), "--pwcet"]
    done = CliRunner().invoke(cli, [*words, "1e-4"], standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
    assert "400 samples are too few" in text_of(run / "report.html")
    with pytest.raises(ConfigError, match=r'--pwcet "2": no probability above 0 and below 0\.01'):
        CliRunner().invoke(cli, [*words, "2"], standalone_mode=False, catch_exceptions=False)


def test_run_without_jobs_is_refused_and_its_report_stays_away(tmp_path: Path):
    run = write_switch_run(tmp_path / "S", np.full(20, 3000), np.full(20, 500))
    with pytest.raises(ConfigError, match=r"--pwcet: .*S is of kind measure and has no jobs"):
        CliRunner().invoke(
            cli, ["report", str(run), "--pwcet", "1e-4"],
            standalone_mode=False, catch_exceptions=False,
        )  # fmt: skip
    assert not (run / "report.html").exists()
