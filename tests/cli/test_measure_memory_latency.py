# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure memory-latency` as a user calls it."""

import json

import numpy as np
import pytest
from tests.cli.commands import laxity as call
from tests.cli.laxity_command import Laxity

from laxity.core.streams import MEMORY_CASES, STREAMS
from laxity.costs.model import decode_costs
from laxity.store.run_directory import open_run

SHORT = ("--sizes", "4KiB,64KiB,1MiB", "--repetitions", "6", "--quiet", "--allow-unprivileged")


def test_measurement_is_stored_shown_and_reported(laxity: Laxity):
    words = ("--cpus", "0", "--nodes", "0", "--run-dir", "D", "--seed", "3")
    done = laxity("measure", "memory-latency", *SHORT, *words)
    assert done.returncode == 0, done.stderr
    run = open_run(laxity.directory / "D")
    assert (run.manifest.kind, run.manifest.status, run.manifest.seed) == ("measure", "complete", 3)
    # 3 sizes * 6 cases * 6 repetitions
    assert run.manifest.tables == {"memory_latency.npy": 108}
    rows = run.stream("memory_latency")
    assert rows.dtype.names == tuple(field.name for field in STREAMS["memory_latency"])
    assert all(
        rows.dtype[field.name] == np.dtype(field.kind) for field in STREAMS["memory_latency"]
    )
    for case in range(len(MEMORY_CASES)):
        batches = rows[np.ma.getdata(rows["case"]) == case]
        assert sorted(set(batches["working_set_bytes"].tolist())) == [4096, 65536, 1 << 20]
        assert sorted(batches["repetition"].tolist()) == sorted(3 * list(range(6)))
        assert (np.ma.getdata(batches["elapsed_ns"]) > 0).all()
    accesses = np.ma.getdata(rows["accesses"])
    is_stream = np.ma.getdata(rows["case"]) >= MEMORY_CASES.index("stream_read")
    assert set(accesses[~is_stream].tolist()) == {4096}
    # At least 1 MiB in lines of 64 bytes.
    assert (accesses[is_stream] >= 16384).all()
    assert set(rows["node"].tolist()) == {0}
    model = decode_costs((run.path / "costs.json").read_bytes(), "costs.json")
    # 6 cases: 3 places and a curve each.
    assert len(model.entries) == 24
    assert {(one.name, one.unit) for one in model.entries} == {
        ("memory_latency", "ps"),
        ("memory_stream", "ps"),
    }
    assert "Memory access times" in (run.path / "report.html").read_text()
    assert laxity("show", "--verify", "D").returncode == 0
    assert "claimed" in laxity("show", "D").stdout or "no level" in laxity("show", "D").stdout


def test_runs_are_joined_and_huge_pages_stay_apart(laxity: Laxity):
    for name, pages in (("A", "ordinary"), ("B", "ordinary"), ("C", "huge")):
        words = ("--cpus", "0", "--case", "chase", "--pages", pages, "--run-dir", name)
        done = laxity("measure", "memory-latency", *SHORT, "--no-report", *words)
        if "no huge pages" in done.stderr:
            pytest.skip("no transparent huge pages on this machine")
        assert done.returncode == 0, done.stderr
    done = laxity("costs", "merge", "A", "B", "C", "-o", "costs.json")
    assert done.returncode == 0, done.stderr
    entries = json.loads(laxity("costs", "show", "costs.json", "--format", "json").stdout)[
        "entries"
    ]
    counts = {
        one["axes"]["case"]: (one["n"], one["runs"])
        for one in entries
        if one["axes"]["working_set_bytes"] == 4096
    }
    assert counts == {"chase": (12, ["A", "B"]), "chase_huge": (6, ["C"])}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--sizes", "512B"), "--sizes: 512B is not within 1KiB to 16GiB"),
        (("--sizes", "17GiB"), "--sizes: 17GiB is not within 1KiB to 16GiB"),
        (("--nodes", "x"), '--nodes: "x" is not a list of NUMA nodes'),
        (("--nodes", "700"), "no node 700 on this machine"),
        (("--cpus", "4000"), "--cpus 4000: no CPU 4000 on this machine"),
        (("--case", "jump"), "'jump' is not one of"),
        (("--pages", "giant"), "'giant' is not one of"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], told: str):
    outcome = call("measure", "memory-latency", *words)
    assert (outcome.code, told in outcome.err) == (2, True), outcome.err


def test_schema_explains_the_stream():
    outcome = call("schema", "memory_latency")
    assert outcome.code == 0
    assert "a batch without accesses" in outcome.out
