# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity costs` on made-up models."""

import csv
import io
import json
from pathlib import Path

from click.testing import CliRunner
from tests.bounds.made_up_costs import entry, gamma, model
from tests.report.run_builder import Made, jobs_table, write_run

from laxity.cli.main import cli
from laxity.store.manifest import encode_document

MODEL = model(
    gamma(64, 5_000, quantiles={"0.5": 3_000, "0.999": 4_900}),
    entry("tick", None, quantiles={"0.5": 9}, noise_floor=None, verdict="no_verdict"),
)


def laxity(*words: str | Path) -> str:
    done = CliRunner().invoke(
        cli, [*map(str, words)], standalone_mode=False, catch_exceptions=False
    )
    return done.stdout


def test_costs_as_csv_have_a_line_per_entry_and_nothing_where_nothing_is_known(tmp_path: Path):
    path = tmp_path / "costs.json"
    path.write_bytes(encode_document(MODEL))
    rows = list(csv.DictReader(io.StringIO(laxity("costs", "show", path, "--format", "csv"))))
    assert [row["name"] for row in rows] == ["gamma", "tick"]
    first, second = rows
    assert (first["p50"], first["p99.9"], first["max"]) == ("3000", "4900", "5000")
    assert (first["working_set_bytes"], first["evict"], first["runs"]) == ("65536", "write", "R")
    assert (second["p50"], second["p99.9"], second["max"], second["noise_floor"]) == (
        "9", "", "", "",
    )  # fmt: skip


def test_a_run_exported_as_json_brings_its_costs(tmp_path: Path):
    run = write_run(tmp_path / "D", Made(jobs_table(2)))
    assert "costs" not in json.loads(laxity("export", "json", run))
    (run / "costs.json").write_bytes(encode_document(MODEL))
    document = json.loads(laxity("export", "json", run))
    assert list(document) == ["manifest", "streams", "costs"]
    assert document["costs"] == json.loads(encode_document(MODEL))


def test_table_begins_with_what_a_preemption_costs(tmp_path: Path):
    path = tmp_path / "costs.json"
    path.write_bytes(encode_document(MODEL))
    first = laxity("costs", "show", path).splitlines()[0]
    assert first.startswith("A preemption costs, beside its switches, 3 µs to load 64 KiB again")
