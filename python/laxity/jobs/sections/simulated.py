# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What only a simulated platform tells: what the time of each job went into, and what it is."""

import numpy as np

from laxity.errors import ConfigError
from laxity.jobs import rows as analysis
from laxity.jobs.rows import Jobs
from laxity.jobs.run_data import PageData, RunData, TaskData
from laxity.jobs.section_parts import kept_only, nothing_finished, per_task, quantity
from laxity.page.blocks import (
    Block,
    Folded,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    duration_cell,
    join_words,
    number_cell,
    show_count,
    show_share,
    text_cell,
)
from laxity.platform.platform_file import PLATFORM, PlatformModel, parse_platform
from laxity.store.manifest import undetermined_tasks

_PARTS = (
    ("busy_ns", "busy", "instructions were executed"),
    ("stall_own_ns", "waiting, own", "for lines not used before, or evicted by the task itself"),
    ("stall_reload_ns", "waiting, reload", "for lines that another task had evicted"),
    ("stall_moved_ns", "waiting, moved", "for lines that the task had left on another core"),
    (
        "stall_shared_ns",
        "waiting, shared",
        "for lines that other cores had evicted, and for their requests",
    ),
)
_TEXT = (
    "Each tick of a job went into one thing. The figures are exact counts of the model, {again}; "
    "they are not what the board itself would show to the cycle."
)


def build_time(run: RunData) -> Section | None:
    """Build what the time of the jobs went into; None: no simulated platform told."""
    if not any(_has_parts(task) for task in run.tasks):
        return None

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _time_of(run, task)

    blocks, quantities = per_task(run, one_task)
    if len(run.tasks) > 1:
        blocks = (_all_tasks(run), Folded("Each task: mean and maximum of a job", blocks))
    title = "What the execution went into"
    return Section(f"{run.prefix}-stalls", title, (Paragraph(_text_of(run)), *blocks), quantities)


def _text_of(run: RunData) -> str:
    """Promise the same figures again only where nobody asked the host."""
    tasks = [f"“{name}”" for name in undetermined_tasks(run.manifest)]
    told = f"of this run: not deterministic, {join_words(tasks)} may do something else in another"
    return _TEXT.format(again=told if tasks else "the same in every run")


def _all_tasks(run: RunData) -> Table:
    """A row for each task: the shares of its execution, and how often it lost its core."""
    rows = []
    for task in run.tasks:
        jobs = analysis.finished(task.rows)
        name, count = text_cell(task.result.name), number_cell(show_count(len(jobs)))
        if not _has_parts(task):
            why = "none kept" if task.n_finished else "no job finished"
            rows.append((name, *(number_cell(why) for _ in _PARTS), *3 * (count,)))
            continue
        total_ns = int(analysis.present(jobs["exec_ns"]).sum())
        sums = [int(analysis.present(jobs[column]).sum()) for column, _, _ in _PARTS]
        switches = [
            number_cell(show_count(int(analysis.present(jobs[column]).sum())))
            for column in ("preemptions", "migrations")
        ]
        shares = (number_cell(show_share(part_ns, total_ns)) for part_ns in sums)
        rows.append((name, *shares, *switches, count))
    head = ("", *(label for _, label, _ in _PARTS), "preemptions", "migrations", "n, jobs")
    meanings = ("", *(meaning for _, _, meaning in _PARTS), "", "", "")
    caption = f"Shares of execution ({run.kind}{kept_only(run, *run.tasks)})"
    return Table(caption, head, tuple(rows), remarks=meanings)


def _has_parts(task: TaskData) -> bool:
    first, *_ = _PARTS[0]
    rows = analysis.finished(task.rows)
    return analysis.has_column(rows, first) and len(analysis.present(rows[first])) > 0


def _time_of(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    rows = analysis.finished(task.rows)
    if not _has_parts(task):
        return [Paragraph(nothing_finished(task), "note")], []
    kept = kept_only(run, task)
    total_ns = int(analysis.present(rows["exec_ns"]).sum())
    body, quantities = [], []
    for name, label, meaning in _PARTS:
        part = analysis.present(rows[name])
        whole_ns = int(part.sum())
        mean_ns = whole_ns / len(rows)
        body.append(
            (
                text_cell(label, meaning),
                number_cell(show_share(whole_ns, total_ns)),
                duration_cell(mean_ns),
                duration_cell(int(np.max(part))),
                number_cell(show_count(len(rows))),
            )
        )
        what = name.removesuffix("_ns")
        quantities.append(
            quantity(
                run, task, f"mean_{what}_time", mean_ns,
                unit="ns", n=len(rows), note=kept.removeprefix("; ") or None,
            )
        )  # fmt: skip
    head = ("", "share of execution", "mean", "maximum", "n, jobs")
    table = Table(f"Execution of {task.result.name} in parts ({run.kind}{kept})", head, tuple(body))
    said, counts = _switches_of(run, task, rows)
    return [table, Paragraph(said)], [*quantities, *counts]


def _switches_of(run: RunData, task: TaskData, rows: Jobs) -> tuple[str, list[Quantity]]:
    """Say how often jobs lost their core, and went on on another one."""
    words, quantities = [], []
    for name, noun in (("preemptions", "preemption"), ("migrations", "migration")):
        each = analysis.present(rows[name])
        count, most = int(each.sum()), int(np.max(each))
        words.append(count_noun(count, noun) + (f", at most {most} of a job" if count else ""))
        note = kept_only(run, task).removeprefix("; ") or None
        quantities.append(quantity(run, task, name, count, unit=name, n=len(rows), note=note))
    jobs = count_noun(len(rows), "job" if task.is_whole else "kept job")
    return f"In {jobs}: {'; '.join(words)}.", quantities


def compare_parts(alone: TaskData, interfered: TaskData) -> Table | None:
    """Say where the time that a job takes longer went; None: no simulated platform told."""
    if not (_has_parts(alone) and _has_parts(interfered)):
        return None
    rows = []
    for name, label, meaning in _PARTS:
        means = [_mean_ns(task, name) for task in (alone, interfered)]
        cells = [duration_cell(value) for value in (*means, means[1] - means[0])]
        rows.append((text_cell(label, meaning), *cells))
    counts = " and ".join(
        show_count(len(analysis.finished(one.rows))) for one in (alone, interfered)
    )
    kept = "" if alone.is_whole and interfered.is_whole else "kept "
    caption = f"What the execution of a job went into, mean (simulated, n = {counts} {kept}jobs)"
    return Table(caption, ("", "alone", "interfered", "shift"), tuple(rows))


def _mean_ns(task: TaskData, column: str) -> float:
    return float(analysis.present(analysis.finished(task.rows)[column]).mean())


def sentences(page: PageData) -> tuple[str, ...]:
    """Say of which tasks jobs went on on another core, and what they waited for there."""
    return tuple(
        _moved_words(run, task, of_run=f" of run “{run.label}”" if page.is_composite else "")
        for run in page.runs
        for task in run.tasks
        if _has_parts(task) and _total(task, "migrations")
    )


def _moved_words(run: RunData, task: TaskData, of_run: str) -> str:
    jobs = count_noun(len(analysis.finished(task.rows)), "job" if task.is_whole else "kept job")
    moves = count_noun(_total(task, "migrations"), "time")
    share = show_share(_total(task, "stall_moved_ns"), _total(task, "exec_ns"))
    return (
        f"Task “{task.result.name}”{of_run} went on on another core {moves} in {jobs}; waiting for "
        f"what it had left behind took {share} of its execution ({run.kind})."
    )


def _total(task: TaskData, column: str) -> int:
    return int(analysis.present(analysis.finished(task.rows)[column]).sum())


def line_bytes_of(run: RunData) -> int | None:
    """Return the size of a line of the platform of a run; None: that cannot be read."""
    try:
        return _model_of(run).line_bytes
    except (ConfigError, OSError):
        return None


def build_platform(page: PageData) -> Section | None:
    """Build what each platform consists of and where that is from; None: all are real ones."""
    kept = {run.manifest.machine_hash: run for run in page.runs if (run.path / PLATFORM).is_file()}
    if not kept:
        return None
    blocks = tuple(_platform_of(run) for run in kept.values())
    return Section("platform", "The simulated platform", blocks)


def _platform_of(run: RunData) -> Block:
    try:
        return _values(_model_of(run))
    except (ConfigError, OSError) as error:
        return Paragraph(f"{PLATFORM}: {error}", "warning")


def _model_of(run: RunData) -> PlatformModel:
    return parse_platform((run.path / PLATFORM).read_bytes(), run.manifest.platform)


def _values(model: PlatformModel) -> Folded:
    rows = tuple(
        (
            text_cell(value.place, value.key.help),
            number_cell(f"{value.text} {value.unit}".rstrip()),
            text_cell(value.origin_text),
        )
        for value in model.shown()
    )
    caption = f"{model.title}: every value, and where it is from"
    assumed = sum(value.origin_text.startswith("assumed") for value in model.shown())
    summary = f"{caption} ({len(rows)}, of which {assumed} are assumed)"
    return Folded(summary, (Table(caption, ("", "value", "source"), rows),))
