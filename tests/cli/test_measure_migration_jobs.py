# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure migration-jobs` as a user calls it."""

import os

import numpy as np
import pytest
from tests.cli.commands import laxity as call
from tests.cli.laxity_command import Laxity

from laxity.core.streams import STREAMS
from laxity.store.run_directory import open_run

CPUS = sorted(os.sched_getaffinity(0))


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")
def test_jobs_change_their_cpu_and_are_stored_shown_and_reported(laxity: Laxity):
    done = laxity(
        *("measure", "migration-jobs", "--cpus", ",".join(map(str, CPUS[:2])), "--quiet"),
        *("--sizes", "4KiB", "--jobs", "120", "--change", "3", "--pause", "100us", "--seed", "3"),
        *("--run-dir", "D", "--allow-unprivileged"),
    )
    # 4: on a busy machine too few jobs may have had company.
    assert done.returncode in {0, 4}, done.stderr
    run = open_run(laxity.directory / "D")
    assert (run.manifest.name, run.manifest.status) == ("migration_jobs", "complete")
    rows = run.stream("migration_jobs")
    assert rows.dtype.names == tuple(field.name for field in STREAMS["migration_jobs"])
    assert all(
        rows.dtype[field.name] == np.dtype(field.kind) for field in STREAMS["migration_jobs"]
    )
    # CPU and MEM 4 KiB.
    assert len(rows) == 240
    for workload in (0, 1):
        part = rows[np.ma.getdata(rows["workload"]) == workload]
        assert part["job"].tolist() == list(range(120))
        has_changed = part["cpu"][1:] != part["cpu"][:-1]
        assert (has_changed == (part["since_change"][1:].filled(-1) == 0)).all()
        # Stretches of 2 to 4 jobs.
        assert 29 <= has_changed.sum() <= 60
        assert (np.ma.getdata(part["exec_ns"]) > 0).all()
    primes = rows[np.ma.getdata(rows["workload"]) == 1]
    assert primes["limit"].tolist() == [0, 1] * 60
    assert "Migrated and preempted jobs" in (run.path / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--sizes", "12"), 2, "--sizes: "),
        (("--cpus", str(CPUS[0])), 3, "a migration needs two CPUs"),
        (("--pause", "3"), 2, "--pause: "),
        (("--workload", "disk"), 2, "'disk' is not one of"),
        (("--jobs", "0"), 2, "--jobs"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], code: int, told: str):
    outcome = call("measure", "migration-jobs", *words)
    assert (outcome.code, told in outcome.err) == (code, True), outcome.err
