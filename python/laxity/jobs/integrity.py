# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Is a finished run what its manifest says? Every problem is one line, none an exception.

`Run.verify` compares hashes. Here parts are read: what is damaged, and what contradicts what.
"""

import tomllib
from collections.abc import Iterator

from laxity.errors import RecordError
from laxity.jobs import rows as analysis
from laxity.store.manifest import TaskResult
from laxity.store.npy import check_columns, read_header
from laxity.store.run_directory import DOCTOR, MACHINE, SPEC, Run

_STREAM_SUFFIX = ".npy"


def find_damage(run: Run) -> list[str]:
    """List what cannot be read of a run and of the runs within it.

    Raises:
        PlatformError: A file must not be read.
        RecordError: The manifest of a run within it is unreadable.
    """
    problems = [problem for name in _parts(run) for problem in _damage_of(run, name)]
    return problems + [problem for child in run.children for problem in find_damage(child)]


def find_contradictions(run: Run) -> list[str]:
    """List where the manifest counts otherwise than the rows do.

    Only a run that keeps every row can be checked so; what is damaged is not compared.
    """
    problems = [
        f"runs/{child.path.name}/{one}"
        for child in run.children
        for one in find_contradictions(child)
    ]
    try:
        if run.manifest.runs or _keep_mode(run) != "all":
            return problems
        rows = run.stream("jobs")
    except RecordError:
        return problems
    for task in run.manifest.tasks:
        if not task.lost_rows:
            problems += _compare_counts(task, analysis.of_task(rows, task.index))
    return problems


def _parts(run: Run) -> list[str]:
    """Name the files of a run: those that its manifest lists, not those of runs within it."""
    return [name for name in sorted(run.manifest.files) if "/" not in name]


def _damage_of(run: Run, name: str) -> Iterator[str]:
    path = run.path / name
    try:
        if name.endswith(_STREAM_SUFFIX):
            yield from _damage_of_stream(run, name)
        elif name == SPEC:
            tomllib.loads(run.spec_text)
        elif name == MACHINE:
            _ = run.machine
        elif name == DOCTOR:
            _ = run.doctor
        elif not path.is_file():
            yield f"{path}: is missing; the run is incomplete"
    except RecordError as error:
        yield str(error)
    except tomllib.TOMLDecodeError as error:
        yield f"{path}: not TOML ({error}); the run is damaged"


def _damage_of_stream(run: Run, name: str) -> Iterator[str]:
    path = run.path / name
    header = read_header(path)
    check_columns(header, path)
    stated = run.manifest.tables.get(name, header.rows)
    if header.rows != stated:
        yield f"{path}: {header.rows} rows, the manifest counts {stated}; the stream is damaged"


def _keep_mode(run: Run) -> str:
    """`[run] keep` of the resolved spec; empty if it cannot be told."""
    try:
        table = tomllib.loads(run.spec_text).get("run", {})
    except tomllib.TOMLDecodeError:
        return ""
    return str(table.get("keep", "all"))


def _compare_counts(task: TaskResult, rows: analysis.Jobs) -> Iterator[str]:
    found = analysis.count_status(rows, task.end_ns)
    pairs = [
        ("released", task.released, found.released),
        # Only what has started ends as one of these.
        ("started", task.started, found.started),
    ]
    names = ("done", "missed", "skipped", "aborted", "pending", "not_met")
    pairs += [(name, getattr(task.counts, name), getattr(found, name)) for name in names]
    for name, stated, counted in pairs:
        if stated != counted:
            yield (
                f'manifest.json: task "{task.name}": {name.replace("_", " ")} {stated}, '
                f"but {counted} by the rows of jobs.npy"
            )
