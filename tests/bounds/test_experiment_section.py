# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report and the short answer of an experiment with drawn sets."""

import json
import re
from pathlib import Path

import pytest
from tests.bounds.made_up_experiment import write_experiment

from laxity.bounds.experiment_data import read_shares
from laxity.cli.summary import summary_text
from laxity.report.page import write_report
from laxity.store.run_directory import open_run


def text_of(path: Path) -> str:
    page = write_report(path).read_text()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_shares_are_counted_per_curve_and_utilisation(tmp_path: Path):
    curves, damage = read_shares(open_run(write_experiment(tmp_path / "D")))
    assert damage == ()
    counts = [[point.share.count for point in curve.points if point.share] for curve in curves]
    assert counts == [[4, 2], [3, 0]]
    # (0.5 * 1 + 1 * 0.5) / 1.5 = 2 / 3 and (0.5 * 0.75 + 0) / 1.5 = 1 / 4
    assert [curve.weighted for curve in curves] == pytest.approx([2 / 3, 1 / 4])


def test_page_says_what_the_costs_take(tmp_path: Path):
    text = text_of(write_experiment(tmp_path / "D"))
    assert (
        "EDF: of all sets, weighted by utilisation, 66.7 % without costs and 25 % with costs"
        in text
    )
    assert "the costs take most at 100 %, where 50 % become 0 % (n = 4)" in text
    assert "4 sets of 5 tasks at each utilisation, on one CPU" in text
    assert "costs of machine ab; nothing was measured here" in text
    assert "Share of task sets that are proven schedulable; n = 4 sets at each utilisation" in text
    assert "synchronous_chase, write" in text
    assert "Not accounted for: interrupts of devices (irq)." in text


def test_every_share_is_a_quantity_with_unit_and_count(tmp_path: Path):
    path = write_experiment(tmp_path / "D")
    write_report(path)
    quantities = json.loads((path / "derived.json").read_text())["quantities"]
    found = {one["name"]: one for one in quantities}
    share = found["share_edf_with_costs_50%"]
    assert (share["value"], share["unit"], share["n"], share["kind"]) == (
        0.75,
        "ratio",
        4,
        "modelled",
    )


def test_utilisation_without_sets_is_not_tested_and_never_zero(tmp_path: Path):
    path = write_experiment(tmp_path / "D", n_points=1)
    assert re.search(r"100 % +0 +not tested +not tested", summary_text(open_run(path)))
    text = text_of(path)
    assert "weighted by utilisation, not tested without costs" in text
    assert "n = 4 sets at each utilisation" in text


def test_damaged_answers_are_told(tmp_path: Path):
    path = write_experiment(tmp_path / "D")
    (path / "sets.npy").write_bytes(b"no stream")
    assert "sets.npy: not a NumPy file; the stream is damaged" in text_of(path)
