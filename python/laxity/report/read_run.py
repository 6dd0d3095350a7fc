# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Read a run for its report, once: rows, distributions and documents, gaps named.

A part that is missing or damaged is a note in the report, not the end of it: whoever has a broken
run needs the report most.
"""

import tomllib

from laxity.jobs.page import read_one
from laxity.jobs.read_tasks import read_tasks, try_read
from laxity.jobs.run_data import PageData, RunData, TaskData, snapshot_exec_ns, stall_words
from laxity.report.views import view_of
from laxity.store.manifest import CorunnerResult, displaced_lines
from laxity.store.run_directory import Run
from laxity.trace.data import read_attributions


def read_page(run: Run) -> PageData:
    """Read a run and the runs it consists of.

    Raises:
        RecordError: The manifest of a run below is unreadable.
    """
    if not run.manifest.runs:
        data = _read_run(run, run.manifest.name, "r0")
        return PageData(run.manifest, run.path, (data,), is_composite=False)
    children = tuple(
        _read_run(child, child.path.name, f"r{number}") for number, child in enumerate(run.children)
    )
    problems: list[str] = []
    spec_text = (
        try_read(lambda: run.spec_text, "", problems) if (run.path / "spec.toml").exists() else ""
    )
    return PageData(run.manifest, run.path, children, True, spec_text, tuple(problems))


def _read_run(run: Run, label: str, prefix: str) -> RunData:
    view = view_of(run.manifest)
    if view is not None:
        return read_one(run, view, label, prefix)
    problems: list[str] = []
    spec_text = ""
    if run.manifest.observation is None:
        spec_text = try_read(lambda: run.spec_text, "", problems)
    keep = _keep_mode(spec_text)
    tasks = read_tasks(run, problems)
    samples = None
    if run.has_stream("counters"):
        samples = try_read(lambda: run.stream("counters"), None, problems)
    rows = {task.result.index: task.rows for task in tasks}
    exec_ns = snapshot_exec_ns(run.manifest)
    return RunData(
        label=label,
        prefix=prefix,
        path=run.path,
        manifest=run.manifest,
        machine=try_read(lambda: run.machine, {}, problems),
        doctor=try_read(lambda: run.doctor, {}, problems),
        spec_text=spec_text,
        keep=keep,
        tasks=tasks,
        samples=samples,
        attributions=try_read(lambda: read_attributions(run, rows, exec_ns), {}, problems),
        problems=(
            *problems,
            *stall_words(run.manifest, tasks),
            *_inconsistencies(tasks, run.manifest.corunners, keep),
        ),
    )


def _keep_mode(spec_text: str) -> str:
    """`[run] keep` of the resolved spec; all is the default."""
    try:
        table = tomllib.loads(spec_text).get("run", {})
    except tomllib.TOMLDecodeError:
        return "all"
    return str(table.get("keep", "all"))


def _inconsistencies(
    tasks: tuple[TaskData, ...], corunners: list[CorunnerResult], keep: str
) -> list[str]:
    """Say where rows, manifest and plan do not agree; a report must not paper over that."""
    found = []
    for one in corunners:
        found += displaced_lines(f'co-runner "{one.workload}"', one.displaced)
    for task in tasks:
        result = task.result
        found += displaced_lines(f'task "{result.name}"', result.displaced)
        if result.lost_rows:
            found.append(
                f'task "{result.name}": {result.lost_rows} rows were lost (log ring full); '
                "what is shown of single jobs is incomplete and supports no verdict"
            )
        elif keep == "all" and not task.is_whole:
            found.append(
                f'task "{result.name}": jobs.npy holds {len(task.rows)} rows, the manifest counts '
                f"{result.released} releases; distributions are taken from histogram.npy"
            )
        if result.lost_marks:
            found.append(
                f'task "{result.name}": {result.lost_marks} marks were lost (their ring was full, '
                "or their thread died in them); figures of its phases and probes are incomplete"
            )
    return found
