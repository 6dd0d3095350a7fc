# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What only a simulated platform tells: what the time of each job went into, and what it is."""

import numpy as np

from laxity.errors import ConfigError
from laxity.jobs import rows as analysis
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import NO_FINISHED_JOB, per_task, quantity
from laxity.page.blocks import (
    Block,
    Paragraph,
    Quantity,
    Section,
    Table,
    duration_cell,
    number_cell,
    show_count,
    show_share,
    text_cell,
)
from laxity.platform.platform_file import PLATFORM, PlatformModel, parse_platform

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
    "Each tick of a job went into one thing. The figures are exact counts of the model, the same "
    "in every run; they are not what the board itself would show to the cycle."
)


def build_time(run: RunData) -> Section | None:
    """Build what the time of the jobs went into; None: no simulated platform told."""
    if not any(_has_parts(task) for task in run.tasks):
        return None

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _time_of(run, task)

    blocks, quantities = per_task(run, one_task)
    title = "What the execution went into"
    return Section(f"{run.prefix}-stalls", title, (Paragraph(_TEXT), *blocks), quantities)


def _has_parts(task: TaskData) -> bool:
    first, *_ = _PARTS[0]
    rows = analysis.finished(task.rows)
    return analysis.has_column(rows, first) and len(analysis.present(rows[first])) > 0


def _time_of(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    rows = analysis.finished(task.rows)
    if not _has_parts(task):
        return [Paragraph(NO_FINISHED_JOB, "note")], []
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
        quantities.append(quantity(run, task, f"mean_{what}_time", mean_ns, unit="ns", n=len(rows)))
    head = ("", "share of execution", "mean", "maximum", "n, jobs")
    return [Table(f"Execution of {task.result.name} in parts ({run.kind})", head, tuple(body))], (
        quantities
    )


def build_platform(run: RunData) -> Section | None:
    """Build what the platform consists of and where that is from; None: it is a real one."""
    path = run.path / PLATFORM
    if not path.is_file():
        return None
    try:
        model = parse_platform(path.read_bytes(), run.manifest.platform)
    except (ConfigError, OSError) as error:
        blocks: tuple[Block, ...] = (Paragraph(f"{PLATFORM}: {error}", "warning"),)
    else:
        blocks = (_values(model),)
    return Section(f"{run.prefix}-platform", "The simulated platform", blocks)


def _values(model: PlatformModel) -> Table:
    rows = tuple(
        (
            text_cell(value.place, value.key.help),
            number_cell(f"{value.text} {value.unit}".rstrip()),
            text_cell(value.origin_text),
        )
        for value in model.shown()
    )
    return Table(f"{model.title}: every value, and where it is from", ("", "value", "source"), rows)
