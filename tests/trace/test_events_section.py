# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Preempted against migrated jobs of a made-up traced run, and the experiment that makes them."""

import re
from pathlib import Path

import msgspec
import numpy as np
from tests.cli.laxity_command import ROOT
from tests.report.run_builder import SNAPSHOT_EXEC_NS, T0_NS, Made, ordinary_rows, write_run

from laxity.cli.summary import summary_text
from laxity.core.spec_reader import read_spec_toml
from laxity.core.streams import dtype_of
from laxity.report.page import write_report
from laxity.store.manifest import TraceCpu, TraceResult, encode_document
from laxity.store.run_directory import hash_files, open_run, read_manifest

TID, BULLY = 4711, 99
ROUNDS = 12


def scheduled_run(directory: Path, longer_ns: int) -> Path:
    """Rounds of two preempted jobs and one migrated one, which takes longer."""
    rows = ordinary_rows(3 * ROUNDS)
    rows["finish_ns"] += 260_000
    rows["tid"] = TID
    events: list[tuple[int, ...]] = []
    numbers = [0, 0]

    def switch(time_ns: int, cpu: int, left: int, follows: int, *, is_preempted: bool) -> None:
        numbers[cpu] += 2
        at = numbers[cpu] - 2
        events.append((time_ns, at, cpu, 0, left, follows, 0, is_preempted))
        events.append((time_ns + 1, at + 1, cpu, 1, follows, left, 0, 255))

    cpu = 0
    for index, row in enumerate(rows):
        start, finish = int(row["start_ns"]), int(row["finish_ns"])
        cpu_to = 1 - cpu if index % 3 == 2 else cpu
        row["cpu_start"], row["cpu_finish"] = cpu, cpu_to
        row["exec_ns"] = 500_000 + SNAPSHOT_EXEC_NS + index % 2 + (cpu_to != cpu) * longer_ns
        switch(start - 1_000, cpu, 0, TID, is_preempted=False)
        switch(start + 1_000, cpu, TID, BULLY, is_preempted=True)
        if cpu_to != cpu:
            switch(start + 31_000, cpu_to, 0, TID, is_preempted=False)
            switch(start + 251_000, cpu, BULLY, 0, is_preempted=False)
        else:
            switch(start + 251_000, cpu, BULLY, TID, is_preempted=False)
        switch(finish + 1_000, cpu_to, TID, 0, is_preempted=False)
        cpu = cpu_to
    write_run(directory, Made(rows))
    np.save(
        directory / "sched.npy",
        np.array(events, dtype_of("sched")),
    )
    names = [(TID, TID, 0, "control", 0, T0_NS * 2), (BULLY, BULLY, 65535, "bully", 0, T0_NS * 2)]
    np.save(
        directory / "threads.npy",
        np.array(names, dtype_of("threads")),
    )
    trace = TraceResult(
        backend="perf",
        supplies=["off", "on"],
        lost=0,
        started_ns=T0_NS - 1_000_000,
        stopped_ns=T0_NS + 10**10,
        steal_resolution_ns=10_000_000,
        cpus=[TraceCpu(cpu=one, rows=0, lost=0, steal_ns=0) for one in (0, 1)],
    )
    manifest = msgspec.structs.replace(
        read_manifest(directory), trace=trace, files=hash_files(directory)
    )
    (directory / "manifest.json").write_bytes(encode_document(manifest))
    return directory


def test_migrated_jobs_are_compared_with_preempted_ones(tmp_path: Path):
    run = scheduled_run(tmp_path / "run", 40_000)
    expected = "a migrated job takes 40 µs longer than a preempted one (median shift, 95 %: "
    assert expected in summary_text(open_run(run))
    page = write_report(run).read_text()
    assert expected[2:] in re.sub(r"\s+", " ", page)
    # All but the first of 24, of which nobody knows where it came from; 12.
    assert "n = 12 and 23;" in page
    assert "1 jobs that began on another CPU" in page
    assert '"migrated_over_preempted"' in (run / "derived.json").read_text()


def test_equal_jobs_are_said_not_to_differ(tmp_path: Path):
    run = scheduled_run(tmp_path / "run", 0)
    assert "no difference can be told between a migrated job and a preempted one" in (
        summary_text(open_run(run))
    )


def test_run_without_migrations_has_no_such_section(tmp_path: Path):
    write_run(tmp_path / "run", Made(ordinary_rows(40)))
    assert "Preempted and migrated jobs" not in write_report(tmp_path / "run").read_text()


def test_experiment_of_the_documentation_is_a_valid_spec():
    spec = read_spec_toml((ROOT / "docs" / "migration-events.toml").read_bytes(), {}, 1)
    assert [task.name for task in spec.tasks] == [
        *("measured", "interfering", "blocking-first", "blocking-second"),
    ]
    # Whoever blocks is above who interferes, who is above who is measured.
    assert [task.priority for task in spec.tasks] == [50, 60, 70, 70]
