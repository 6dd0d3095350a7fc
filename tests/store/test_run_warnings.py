# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The warnings of runs within a run, each once, with the runs that state it."""

import json
from pathlib import Path

from tests.report.run_builder import Made, corunner, ordinary_rows, write_run

from laxity.store.manifest import Fallback
from laxity.store.run_directory import Run, open_run
from laxity.store.run_warnings import RunWarning, warnings_within

THREADS = Fallback(what="parallel: threads 1", used="2", reason="the workload has made them")


def run_of(path: Path, **fields: object) -> Run:
    """Write a run and change fields of its only task."""
    made = Made(ordinary_rows(5), fallbacks=[THREADS], corunners=[corunner()])
    manifest = write_run(path, made) / "manifest.json"
    document = json.loads(manifest.read_text())
    document["tasks"][0] |= fields
    manifest.write_text(json.dumps(document))
    return open_run(path)


def test_warning_of_several_runs_is_joined_and_names_them(tmp_path: Path):
    runs = [run_of(tmp_path / name) for name in ("alone-00", "writers-00")]
    (found,) = warnings_within(runs)
    text = "fallback: parallel: threads 1: 2 used (the workload has made them)"
    assert found == RunWarning(text=text, runs=["alone-00", "writers-00"])


def test_whatever_weakens_figures_is_a_warning(tmp_path: Path):
    displaced = {"what": "cpus", "planned": "1", "found": "0", "seen_ns": 5, "jobs": 3}
    run = run_of(tmp_path / "a", displaced=[displaced], lost_rows=7, lost_marks=2)
    (tmp_path / "b").mkdir()
    noted = write_run(tmp_path / "b" / "c", Made(ordinary_rows(5), notes=["no tick was seen"]))
    texts = [warning.text for warning in warnings_within([run, open_run(noted)])]
    assert [text.split(":")[0] for text in texts] == [
        "fallback",
        "control was found on CPUs 0 (3 jobs), planned was 1; its figures are not those of the "
        "plan and support no verdict",
        "rows of control were lost",
        "marks of control were lost",
        "note",
    ]


def test_runs_of_a_run_within_are_named_by_their_path(tmp_path: Path):
    whole = write_run(tmp_path / "all", Made(ordinary_rows(5))) / "manifest.json"
    run_of(tmp_path / "all" / "runs" / "switch")
    document = json.loads(whole.read_text())
    whole.write_text(json.dumps({**document, "runs": ["switch"]}))
    (found,) = warnings_within([open_run(tmp_path / "all")])
    assert found.runs == ["all/switch"]
