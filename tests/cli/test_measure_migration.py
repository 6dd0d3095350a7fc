# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure migration` as a user calls it."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import finish, needs_fifo, start
from tests.cli.commands import laxity as call
from tests.cli.laxity_command import Laxity

from laxity.core.streams import STREAMS
from laxity.costs.model import decode_costs
from laxity.store.run_directory import open_run

CPUS = sorted(os.sched_getaffinity(0))
needs_two_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")
PAIR = ",".join(map(str, CPUS[:2]))


@needs_two_cpus
def test_measurement_is_stored_shown_and_reported(laxity: Laxity):
    done = laxity(
        *("measure", "migration", "--cpus", PAIR, "--sizes", "4KiB,32KiB", "--repetitions", "8"),
        *("--run-dir", "D", "--allow-unprivileged", "--quiet", "--seed", "3"),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("One migration between cores")
    run = open_run(laxity.directory / "D")
    assert (run.manifest.kind, run.manifest.status, run.manifest.seed) == ("measure", "complete", 3)
    rows = run.stream("migration")
    assert rows.dtype.names == tuple(field.name for field in STREAMS["migration"])
    assert all(rows.dtype[field.name] == np.dtype(field.kind) for field in STREAMS["migration"])
    # 2 pairs * 2 sizes * 2 patterns * 8 repetitions; five roles, six where the two have two nodes.
    roles = np.ma.getdata(rows["role"])
    assert [int((roles == role).sum()) for role in range(5)] == [64] * 5
    pairs = set(zip(rows["cpu"].tolist(), rows["cpu_to"].tolist(), strict=True))
    assert pairs == {(CPUS[0], CPUS[1]), (CPUS[1], CPUS[0])}
    assert (np.ma.getdata(rows["event_ns"]) > 0).all()
    assert (np.diff(np.ma.getdata(rows["time_ns"])) > 0).all()
    model = decode_costs((run.path / "costs.json").read_bytes(), "costs.json")
    names = [one.name for one in model.entries]
    # 2 pairs * 2 patterns of 2 sizes and a curve; 2 patterns between such CPUs; 2 moves.
    assert (names.count("migration"), names.count("migration_move")) == (14, 2)
    assert "one solid line per pair of CPUs" in (run.path / "report.html").read_text()
    assert laxity("show", "--verify", "D").returncode == 0
    assert "migration_move" in laxity("costs", "show", "D").stdout


@needs_fifo
@needs_two_cpus
def test_interrupted_measurement_keeps_what_was_measured(tmp_path: Path):
    process = start(
        *("measure", "migration", "--cpus", PAIR, "--sizes", "4KiB", "--repetitions", "1000000"),
        *("--budget", "10m", "--no-report", "--quiet", "--run-dir", tmp_path / "D"),
    )
    path = tmp_path / "D.tmp" / "migration.npy"
    while process.poll() is None and (not path.exists() or path.stat().st_size < 10_000):
        pass
    process.send_signal(signal.SIGINT)
    outcome = finish(process)
    assert outcome.code == 130, outcome.err
    run = open_run(tmp_path / "D")
    assert (run.manifest.status, run.manifest.tables["migration.npy"] > 0) == ("interrupted", True)


@needs_two_cpus
def test_budget_ends_it_after_few_repetitions(laxity: Laxity):
    done = laxity(
        *("measure", "migration", "--cpus", PAIR, "--sizes", "4KiB", "--pattern", "chase"),
        *("--repetitions", "1000000", "--budget", "0s", "--run-dir", "D", "--quiet"),
        *("--allow-unprivileged", "--no-report"),
    )
    assert done.returncode == 0, done.stderr
    # 6 repetitions * 5 roles * 2 pairs
    tables = open_run(laxity.directory / "D").manifest.tables
    assert tables["migration.npy"] in {60, 72}


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--sizes", "12"), 2, "--sizes: "),
        (("--cpus", "4000"), 2, "--cpus 4000: no CPU 4000 on this machine"),
        (("--cpus", str(CPUS[0])), 3, "a migration needs two CPUs"),
        (("--pairs", "1"), 2, "--pairs"),
        (("--budget", "3"), 2, "--budget: "),
        (("--pattern", "zigzag"), 2, "'zigzag' is not one of"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], code: int, told: str):
    outcome = call("measure", "migration", *words)
    assert (outcome.code, told in outcome.err) == (code, True), outcome.err
