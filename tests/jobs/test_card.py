# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The card on top of a page."""

from pathlib import Path

import msgspec
from tests.golden.stored_runs import copy_run

from laxity.jobs.card import Badge, notes_of, run_badge
from laxity.report.read_run import read_page
from laxity.store.run_directory import open_run


def test_what_weakens_figures_most_is_said_first(tmp_path: Path):
    run = copy_run("alone", tmp_path / "run")
    manifest = msgspec.json.decode((run / "manifest.json").read_bytes())
    manifest["status"] = "interrupted"
    manifest["doctor_drift"] = ["load: 0.1 before, 3.0 after"]
    manifest["stop"] = {
        "condition": "late", "task": 0, "job": 7, "seen_ns": None,
        "release_ns": 70_000_000, "abs_deadline_ns": 80_000_000, "finish_ns": 81_000_000,
    }  # fmt: skip
    (run / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    found = [(one.tone, str(one.text)[:12]) for one in notes_of(read_page(open_run(run)), ())]
    assert found == [
        ("warning", "The run was "),
        ("warning", "Disturbed du"),
        ("note", "Stopped on l"),
    ]


def test_a_run_of_which_not_all_was_judged_is_not_green(tmp_path: Path):
    run = copy_run("alone", tmp_path / "run")
    manifest = msgspec.json.decode((run / "manifest.json").read_bytes())
    manifest["doctor_drift"] = []
    (run / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    assert run_badge(read_page(open_run(run))) == Badge("complete", "good")
    counts = manifest["tasks"][0]["counts"]
    counts["pending"], counts["done"] = 7, counts["done"] - 7
    (run / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    assert run_badge(read_page(open_run(run))) == Badge("complete, not all judged", "attention")
