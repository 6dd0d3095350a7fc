# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs that are not what their manifest says."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.jobs.left_runs import left_run, native, write_jobs

from laxity.jobs.finish import finish_run
from laxity.jobs.integrity import find_contradictions, find_damage
from laxity.store import run_directory
from laxity.store.manifest import Counts
from laxity.store.native import NativeTask
from laxity.store.run_directory import Run, open_run


def stored(tmp_path: Path) -> Run:
    finish_run(left_run(tmp_path / "D.tmp", native()), has_survived=True)
    return open_run(tmp_path / "D")


def test_run_as_it_was_written_has_no_problem(tmp_path: Path):
    run = stored(tmp_path)
    assert find_damage(run) == []
    assert find_contradictions(run) == []


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("jobs.npy", None, "cannot be read (No such file or directory)"),
        ("jobs.npy", b"", "not a NumPy file"),
        ("jobs.npy", b"garbage" * 99, "not a NumPy file"),
        ("histogram.npy", None, "cannot be read"),
        ("machine.json", b"[]", "unreadable (the whole is a list, not a table)"),
        ("spec.toml", b"=", "not TOML"),
        ("spec.toml", None, "cannot be read"),
    ],
)
def test_damaged_part_is_named(tmp_path: Path, name: str, content: bytes | None, problem: str):
    run = stored(tmp_path)
    (run.path / name).unlink()
    if content is not None:
        (run.path / name).write_bytes(content)
    (found,) = find_damage(open_run(run.path))
    assert found.startswith(f"{run.path / name}: {problem}")


def test_truncated_stream_is_damaged_though_its_rows_can_be_read(tmp_path: Path):
    run = stored(tmp_path)
    path = run.path / "jobs.npy"
    path.write_bytes(path.read_bytes()[:-1])
    assert find_damage(run) == [f"{path}: 2 rows, the manifest counts 3; the stream is damaged"]


def test_stream_with_wrong_columns_is_damaged(tmp_path: Path):
    run = stored(tmp_path)
    np.save(run.path / "jobs.npy", np.zeros(3, [("task", "u2")]))
    (found,) = find_damage(run)
    assert found.endswith("column job is missing; the stream is damaged")


def test_damage_of_a_run_within_a_run_is_found(tmp_path: Path):
    run = stored(tmp_path / "E" / "runs")
    (run.path / "jobs.npy").unlink()
    whole = msgspec.structs.replace(run.manifest, kind="demo", runs=["D"], files={}, tables={})
    run_directory.write_document(tmp_path / "E" / "manifest.json", whole)
    (found,) = find_damage(open_run(tmp_path / "E"))
    assert found.startswith(f"{run.path}/jobs.npy: cannot be read")


@pytest.mark.parametrize("field", ["released", "started"])
def test_edited_number_contradicts_the_rows(tmp_path: Path, field: str):
    run = stored(tmp_path)
    task = msgspec.structs.replace(run.manifest.tasks[0], **{field: 4})
    edited = Run(run.path, msgspec.structs.replace(run.manifest, tasks=[task]))
    problem = f'manifest.json: task "mem": {field} 4, but 3 by the rows of jobs.npy'
    assert find_contradictions(edited) == [problem]


def test_run_that_kept_fewer_rows_is_not_compared_with_them(tmp_path: Path):
    tmp = left_run(tmp_path / "D.tmp", native(), [1_000], keep="tail:1")
    finish_run(tmp, has_survived=True)
    assert find_contradictions(open_run(tmp_path / "D")) == []


def test_skipped_and_missed_rows_are_counted_as_the_manifest_counts_them(tmp_path: Path):
    task = NativeTask(
        index=0, released=3, started=2, counts=Counts(done=1, missed=1, skipped=1, not_met=2)
    )
    tmp = left_run(tmp_path / "D.tmp", native(tasks=[task]))
    # The deadline is 10 ms.
    write_jobs(tmp, [1_000, 10_000_001, None])
    finish_run(tmp, has_survived=True)
    assert find_contradictions(open_run(tmp_path / "D")) == []
