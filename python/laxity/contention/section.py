# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A regulated run on its page: was the promise kept, and what happened in the job nearest to it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from laxity.contention.figure import Timeline, draw_timeline
from laxity.contention.regulated import (
    REASONS,
    Regulated,
    has_reasons,
    read_readings,
    read_regulated,
    regulated_lines,
)
from laxity.contention.windows import FloatArray, IntArray
from laxity.core.schema import streams_schema
from laxity.core.streams import STOP_REASONS
from laxity.jobs import rows
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import quantity
from laxity.page.blocks import (
    Block,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    show_count,
    show_rate,
)
from laxity.page.columns import Column, table_block
from laxity.store.run_directory import Run, open_run

_TEXT = (
    "A reading stops the co-runners, or lets them run until the next reading. Slack is the loss "
    "that the job can still bear; passing a checkpoint may give some back (docs/regulation.md)."
)
# Rows: (code, count).
REASON_COLUMNS = (
    Column("reason", "reason", lambda row: REASONS[row[0]], is_text=True),
    Column("meaning", "meaning", lambda row: _meanings()[row[0]], is_text=True),
    Column("stops", "stops", lambda row: row[1]),
)
# Of a long job its beginning is drawn.
_MOST_READINGS = 2000


def build(run: RunData) -> Section | None:
    """Build the section; None for a run that was not regulated."""
    if run.view is not None or not (run.path / "regulation.npy").is_file():
        return None
    stored = open_run(run.path)
    found = read_regulated(stored)
    if found is None:
        return None
    task = next(task for task in run.tasks if task.result.name == found.task)
    blocks: list[Block] = [*map(Paragraph, regulated_lines(found))]
    if found.reasons:
        caption = f"Stops of the run by reason ({found.kind}, n = 1 run)"
        blocks.append(table_block(caption, REASON_COLUMNS, list(found.reasons.items())))
    blocks.append(Paragraph(_TEXT, is_explanation=True))
    drawn = _figures(run, stored, task, found)
    return Section(
        f"{run.prefix}-regulation",
        "Regulated co-runners",
        (*blocks, *((Figures(drawn),) if drawn else ())),
        tuple(_quantities(run, task, found)),
    )


def _meanings() -> dict[str, str]:
    meanings: dict[str, str] = streams_schema()["codes"]["stop_reason"]
    return meanings


def _quantities(run: RunData, task: TaskData, found: Regulated) -> Iterator[Quantity]:
    yield quantity(run, task, "promise_kept", found.kept, unit="jobs", n=found.jobs)
    yield quantity(run, task, "regulation_stops", found.stops, unit="count", n=found.jobs)
    if found.parallelism_ppm is not None:
        share = found.parallelism_ppm / 1e6
        yield quantity(run, task, "parallelism", share, unit="ratio", n=found.jobs)


def _figures(
    run: RunData, stored: Run, task: TaskData, found: Regulated
) -> tuple[FigureBlock, ...]:
    """Draw the job that came nearest to its promise: traffic, slack, and when co-runners ran."""
    jobs = rows.finished(task.rows)
    job = jobs[np.ma.getdata(jobs["job"]) == found.nearest_job]
    readings = read_readings(stored.path)
    times_ns = np.ma.getdata(readings["time_ns"]).astype(np.float64)
    if not len(job) or found.nearest_ns is None:
        return ()
    start_ns, end_ns = float(job["start_ns"][0]), float(job["finish_ns"][0])
    within = np.flatnonzero((times_ns > start_ns) & (times_ns < end_ns))[:_MOST_READINGS]
    if len(within) < 2:  # noqa: PLR2004 - a line needs two ends
        return ()
    of_job = readings[within]
    budget_ns = max(found.solo_ns * found.theta_ppm // 1_000_000, 1)
    since_ns = times_ns[within] - start_ns
    traffic = np.ma.getdata(of_job["traffic_bytes"]).astype(np.float64)
    has_sensor = not np.any(np.ma.getmaskarray(of_job["traffic_bytes"]))
    timeline = Timeline(
        times_ns=since_ns,
        # The traffic of a reading is that since the reading before.
        traffic_per_s=traffic[1:] / np.diff(since_ns) * 1e9 if has_sensor else None,
        slack_percent=np.ma.filled(of_job["slack_ns"].astype(np.float64), np.nan) / budget_ns * 100,
        states=_states(of_job),
        state=_state_of(of_job),
    )
    facts = (
        f"job {found.nearest_job} of {found.task}, {run.kind}, n = {show_count(len(within))} "
        "readings"
    )
    identity = f"{run.prefix}-regulation-timeline"
    shown, ranges = "Slack", ""
    if timeline.traffic_per_s is not None:
        low, high = (show_rate(float(rate), "B/s") for rate in _ends(timeline.traffic_per_s))
        shown, ranges = "Traffic of the platform, slack", f"traffic from {low} to {high}, "
    least, most = (f"{percent:.1f}" for percent in _ends(timeline.slack_percent))
    alt = (
        f"{shown}, and when co-runners ran, over the job: {ranges}slack from {least} to {most} % "
        f"({facts})."
    )
    caption = f"{shown}, and when co-runners ran or why not, over the job ({facts})."
    return (FigureBlock(identity, partial(draw_timeline, timeline, identity, alt), caption),)


def _ends(values: FloatArray) -> tuple[float, float]:
    return float(np.nanmin(values)), float(np.nanmax(values))


def _states(readings: Any) -> tuple[str, ...]:  # noqa: ANN401 - as streams
    """Name the states of co-runners: running, or stopped and why."""
    if not has_reasons(readings):
        return ("running", "stopped")
    return ("running", *(REASONS[code] for code in STOP_REASONS[1:]))


def _state_of(readings: Any) -> IntArray:  # noqa: ANN401 - as streams
    """Number the state after each reading."""
    if not has_reasons(readings):
        return 1 - np.ma.getdata(readings["allowed"]).astype(np.int64)
    return np.ma.getdata(readings["reason"]).astype(np.int64)
