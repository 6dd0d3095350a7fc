# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A regulated run on its page: was the promise kept, and what happened in the job nearest to it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from laxity.contention.regulated import (
    Regulated,
    read_readings,
    read_regulated,
    regulated_lines,
)
from laxity.jobs import rows
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import quantity
from laxity.page import figures
from laxity.page.blocks import (
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    show_count,
    show_rate,
)
from laxity.page.figures import FloatArray, RateLine
from laxity.store.run_directory import Run, open_run

_TEXT = (
    "A reading stops the co-runners, or lets them run until the next reading. Slack is the loss "
    "that the job can still bear; passing a checkpoint may give some back (docs/regulation.md)."
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
    blocks = [*map(Paragraph, regulated_lines(found)), Paragraph(_TEXT, is_explanation=True)]
    drawn = _figures(run, stored, task, found)
    return Section(
        f"{run.prefix}-regulation",
        "Regulated co-runners",
        (*blocks, *((Figures(drawn),) if drawn else ())),
        tuple(_quantities(run, task, found)),
    )


def _quantities(run: RunData, task: TaskData, found: Regulated) -> Iterator[Quantity]:
    yield quantity(run, task, "promise_kept", found.kept, unit="jobs", n=found.jobs)
    yield quantity(run, task, "regulation_stops", found.stops, unit="count", n=found.jobs)
    if found.parallelism_ppm is not None:
        share = found.parallelism_ppm / 1e6
        yield quantity(run, task, "parallelism", share, unit="ratio", n=found.jobs)


def _figures(
    run: RunData, stored: Run, task: TaskData, found: Regulated
) -> tuple[FigureBlock, ...]:
    """Draw traffic and slack of the job that came nearest to its promise."""
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
    of_job, since_ns = readings[within], times_ns[within] - start_ns
    n = f"n = {show_count(len(within))} readings"
    facts = f"job {found.nearest_job} of {found.task}, {run.kind}, {n}"
    return (_traffic(run, of_job, since_ns, facts), _slack(run, of_job, since_ns, facts, found))


def _traffic(run: RunData, readings: Any, since_ns: FloatArray, facts: str) -> FigureBlock:  # noqa: ANN401 - as streams
    per_s = np.ma.getdata(readings["traffic_bytes"])[1:] / np.diff(since_ns) * 1e9
    identity = f"{run.prefix}-regulation-traffic"
    title = "Memory traffic of the platform"
    least, most = (show_rate(float(rate), "B/s") for rate in (per_s.min(), per_s.max()))
    alt = f"{title}, {facts}: from {least} to {most}."
    line = RateLine("traffic", since_ns, per_s)
    return FigureBlock(
        identity,
        partial(figures.rates, [line], None, title, "B/s", identity, alt),
        f"{title} over the job ({facts}).",
    )


def _slack(
    run: RunData,
    readings: Any,  # noqa: ANN401 - as streams
    since_ns: FloatArray,
    facts: str,
    found: Regulated,
) -> FigureBlock:
    budget_ns = max(found.solo_ns * found.theta_ppm // 1_000_000, 1)
    percent = np.ma.getdata(readings["slack_ns"]) / budget_ns * 100
    is_known = ~np.ma.getmaskarray(readings["slack_ns"])
    identity = f"{run.prefix}-regulation-slack"
    title = "Slack, of the allowed loss"
    least, most = percent[is_known].min(initial=100.0), percent[is_known].max(initial=0.0)
    alt = f"{title}, {facts}: from {least:.1f} to {most:.1f} %."
    is_allowed = np.ma.getdata(readings["allowed"]) == 1
    points = [
        (label, since_ns[is_known & decided], percent[is_known & decided])
        for label, decided in (("co-runners allowed", is_allowed), ("stopped", ~is_allowed))
    ]
    return FigureBlock(
        identity,
        partial(figures.windows, points, title, identity, alt, "the job's start"),
        f"{title} over the job ({facts}); a point is a reading, and its mark the decision.",
    )
