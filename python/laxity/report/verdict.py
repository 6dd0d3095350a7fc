# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The verdict card: what was asked, how it ended, five numbers, in words anyone can read."""

from collections.abc import Iterator, Sequence

import numpy as np

from laxity.contention.regulated import regulated_at, regulated_lines
from laxity.core.streams import Cause
from laxity.core.streams import Quantity as Stream
from laxity.jobs import rows as analysis
from laxity.jobs.card import Card, Tile, doctor_badge, fallback_badge, notes_of, run_badge
from laxity.jobs.rows import Summary
from laxity.jobs.run_data import PageData, RunData, TaskData
from laxity.jobs.section_parts import asked_of, pair_of, without_release, words_of
from laxity.jobs.sections.comparison import (
    Pair,
    compare_tasks,
    drift_words,
    finished_words,
    task_pairs,
)
from laxity.jobs.sections.machine import machine_line
from laxity.jobs.sections.simulated import sentences as moved_words
from laxity.page.blocks import (
    NOT_MEASURED,
    Kind,
    Section,
    Table,
    count_noun,
    number_cell,
    show_count,
    show_duration,
    show_share,
    text_cell,
)
from laxity.report.answers import answers, costs_of

_P99 = 0.99
_GAMMA = "\N{GREEK SMALL LETTER GAMMA}"


def build(page: PageData, sections: Sequence[Section] = ()) -> Card:
    """Build the card.

    Args:
        page: Runs that ran tasks or measured the platform.
        sections: Of their page, in reading order.
    """
    if page.is_composite:
        sentences: tuple[str, ...] = (*answers(page), *moved_words(page))
        tiles = _composite_tiles(page)
    else:
        sentences = tuple(line for run in page.runs for line in said_of(page, run))
        tiles = ()
    shown = [(run, task) for run in page.runs for task in run.tasks]
    has_released = any(task.result.released for _, task in shown)
    if not tiles and len(shown) == 1:
        tiles = _tiles(shown[0][1], shown[0][0])
    return Card(
        title=page.manifest.name,
        status=run_badge(page),
        doctor=doctor_badge(page),
        fallbacks=fallback_badge(page),
        asked=tuple(dict.fromkeys(_asked(page))),
        sentences=sentences,
        message=page.manifest.message,
        tiles=tiles,
        table=None if tiles or not has_released else _table(page, shown),
        machine=machine_line(page.runs[0]) if page.runs else "machine not known",
        notes=notes_of(page, sections),
    )


def said_of(page: PageData, run: RunData) -> tuple[str, ...]:
    """Say what came of one run: of the one with co-runners also against the one without."""
    if run.view is not None:
        return tuple(run.view.sentences(run))
    pair = pair_of(page)
    if pair is not None and run is pair[1] and (tasks := task_pairs(*pair)):
        drift = drift_words(pair)
        said = tuple(_interfered_sentence(one) for one in tasks)
        return (*said, drift) if drift else said
    moved = () if page.is_composite else moved_words(page)
    regulated = regulated_at(run.path)
    return (
        *([] if regulated is None else regulated_lines(regulated)[:1]),
        *(_sentence(task) for task in run.tasks),
        *(line for task in run.tasks for line in _endless(task)),
        *moved,
    )


def _endless(task: TaskData) -> Iterator[str]:
    """Say what may be wrong with a program of which no process came to its end in time."""
    result, rows = task.result, task.rows
    if result.isolation != "exec" or task.n_finished or "cause" not in (rows.dtype.names or ()):
        return
    if (np.ma.getdata(rows["cause"]) == Cause.TIMEOUT).any():
        yield (
            f"Each job is a whole process of “{result.name}”, and none ended within its job "
            "timeout. If the program makes jobs by itself (laxity/job.h), name it in a spec, "
            "program = [...] (docs/own-programs.md); if it runs already: laxity observe."
        )


def _composite_tiles(page: PageData) -> tuple[Tile, ...]:
    """One number for each question; none where there is no more than one to ask."""
    tiles: list[Tile] = []
    pair = pair_of(page)
    tasks = task_pairs(*pair) if pair else []
    costs = costs_of(page)
    if pair and len(tasks) == 1:
        paired = _paired_tiles(tasks[0], pair[1])
        if costs is None:
            return paired
        # Releases not met, and the longest response.
        tiles += [paired[0], paired[3]]
    if costs is not None and costs.preemption_ns is not None:
        value = show_duration(costs.preemption_ns)
        tiles.append(
            Tile(
                "a preemption",
                value,
                f"medians, {costs.count}",
                costs.kind,
                f"2 δ + {_GAMMA} of {costs.size}",
            )
        )
    if costs is not None and costs.migration is not None:
        where = f"of {costs.size}{', beside the move' if costs.move_ns is None else ''}"
        count = f"medians, {costs.count}"
        tiles.append(Tile("a migration", costs.migration, count, costs.kind, where))
    for run in page.runs:
        if run.view is not None and run.view.is_computed and (said := run.view.sentences(run)):
            verdict, _, of_what = said[0].partition(": ")
            tiles.append(Tile("verdict", verdict, "", "", of_what))
    return tuple(tiles)


def _asked(page: PageData) -> Iterator[str]:
    for run in page.runs:
        where = f"{run.label}: " if page.is_composite else ""
        for task in run.tasks:
            name = f"“{task.result.name}”: " if len(run.tasks) > 1 else ""
            yield f"{where}{name}{asked_of(task.result)}"
        for one in run.manifest.corunners:
            yield f"{where}beside it {words_of(one.workload, one.args)} on CPU {one.cpus}"
        if run.view is not None:
            yield run.view.asked


def _table(page: PageData, shown: Sequence[tuple[RunData, TaskData]]) -> Table:
    """Make a row per task: five numbers each, with their sample counts."""
    rows = []
    for run, task in shown:
        tiles = _tiles(task, run)
        cells = [number_cell(one.value, one.remark) for one in tiles]
        remarks = (
            run.label if page.is_composite else "",
            "releases modelled" if task.has_modelled_releases else "",
        )
        name = text_cell(task.result.name, ", ".join(filter(None, remarks)))
        n_jobs = 0 if not task.n_finished else task.distributions[Stream.START_TO_FINISH].n
        rows.append((name, *cells, number_cell(show_count(n_jobs))))
    kind = shown[0][0].kind
    labels = [one.label for one in _tiles(shown[0][1], shown[0][0])]
    return Table(f"The tasks in five numbers ({kind})", ("task", *labels, "n, jobs"), tuple(rows))


def _tiles(task: TaskData, run: RunData) -> tuple[Tile, ...]:
    response = analysis.summarize(task.distributions[Stream.RESPONSE_TIME])
    latency = analysis.summarize(task.distributions[Stream.RELEASE_LATENCY])
    why = "release not known" if task.n_release_unknown else "no job finished"
    kind = run.kind_of(task)
    return (
        _not_met_tile(task, run),
        _tile("response time, median", (response, why), 0.5, kind),
        _tile("response time, p99", (response, why), _P99, kind),
        _tile("response time, maximum observed", (response, why), 1.0, kind),
        _tile("release latency, maximum observed", (latency, why), 1.0, kind),
    )


def _not_met_tile(task: TaskData, run: RunData) -> Tile:
    released, not_met = task.result.released, task.result.counts.not_met
    if not released:
        return Tile("releases not met", "no release", "", "")
    has_deadline = task.result.deadline_ns is not None
    if not has_deadline and not not_met:
        return Tile("releases not met", "no deadline", "", "")
    judged = task.n_judged if has_deadline else released
    value = f"{show_count(not_met)} of {show_count(judged)}"
    remark = "no deadline set"
    if has_deadline:
        share = show_share(not_met, judged) if judged else ""
        remark = ", ".join(filter(None, (share, task.unjudged)))
    count = f"n = {count_noun(judged, 'release')}"
    return Tile("releases not met", value, count, run.kind_of(task), remark)


def _value_of(summary: Summary | None, why: str, q: float) -> tuple[str, str]:
    """Return the value shown and a remark: why it is not stated, or that it is a bucket's end."""
    if summary is None:
        return NOT_MEASURED, why
    bucket = "" if summary.is_exact else "upper end of a bucket"
    if q == 1.0:
        return show_duration(summary.max_ns), bucket
    if q == 0.5:  # noqa: PLR2004 - the median
        return show_duration(summary.median_ns), bucket
    value = summary.quantile_ns(q)
    if value is None:
        needed = next(item.n_needed for item in summary.quantiles if item.q == q)
        return "not stated", f"needs {show_count(needed)} jobs"
    return show_duration(value), bucket


def _tile(label: str, measured: tuple[Summary | None, str], q: float, kind: Kind) -> Tile:
    """Make a tile of a summary, or of why there is none."""
    summary, why = measured
    value, remark = _value_of(summary, why, q)
    if summary is None:
        return Tile(label, value, "", "", remark)
    return Tile(label, value, f"n = {count_noun(summary.n, 'job')}", kind, remark)


def _paired_tiles(tasks: Pair, run: RunData) -> tuple[Tile, ...]:
    """The interfered run's numbers, each with the same one alone as its remark."""
    alone, interfered = (_tiles(task, run) for task in tasks)
    tiles = [
        Tile(
            f"{one.label}, interfered", one.value, one.count, one.kind,
            _alone_remark(before),
        )
        for before, one in zip(alone, interfered, strict=True)
    ]  # fmt: skip
    ratio = compare_tasks(tasks, Stream.RESPONSE_TIME).median_ratio
    if ratio is not None:
        tiles[1] = Tile(
            "median response time, interfered to alone", f"{ratio:.3g} ×",
            f"n = {show_count(tasks[0].n_finished)} and {show_count(tasks[1].n_finished)} jobs",
            run.kind,
            f"{alone[1].value} alone, {interfered[1].value} interfered; {finished_words(tasks)}",
        )  # fmt: skip
    return tuple(tiles)


def _alone_remark(tile: Tile) -> str:
    """Return the number alone; a count of releases says its n itself."""
    if " of " in tile.value or not tile.count:
        return f"alone: {tile.value}"
    return f"alone: {tile.value} ({tile.count})"


def _sentence(task: TaskData) -> str:
    result = task.result
    start = f"Task “{result.name}” was released {_times(result.released)}"
    worst = analysis.summarize(task.distributions[Stream.RESPONSE_TIME])
    if not result.released:
        return f"Task “{result.name}” was never released: nothing was measured."
    if worst is None and task.n_release_unknown:
        return f"Task “{result.name}” made {count_noun(result.started, 'job')}. " + (
            without_release(task)
        )
    if worst is None:
        return f"{start}; no job finished, so nothing can be said about its response time."
    return f"{start}; {_outcome(task)} {_worst_case(task, worst)}"


def _outcome(task: TaskData) -> str:
    result = task.result
    not_met, released = result.counts.not_met, result.released
    if result.deadline_ns is None and not not_met:
        return f"{count_noun(task.n_finished, 'job')} finished, no deadline was set."
    if not task.unjudged and not not_met:
        return "every deadline was met."
    if not task.unjudged:
        return f"{show_count(not_met)} of these ({show_share(not_met, released)}) were not met."
    if not task.n_judged:
        return f"{task.unjudged}."
    judged = show_count(task.n_judged)
    if not not_met:
        return f"{judged} of these met their deadline; {task.unjudged}."
    share = show_share(not_met, task.n_judged)
    return f"{show_count(not_met)} of {judged} ({share}) were not met; {task.unjudged}."


def _worst_case(task: TaskData, worst: Summary) -> str:
    deadline = task.result.deadline_ns
    most = "at most " if not worst.is_exact else ""
    of_jobs = f"The slowest of {show_count(worst.n)} finished jobs"
    if worst.n == 1:
        of_jobs = "The only finished job"
    of_jobs += " whose release is known" if task.n_release_unknown else ""
    longest_ns = task.longest_ns or 0
    took = f"{of_jobs} took {most}{show_duration(longest_ns)}"
    if deadline is None:
        return f"{took}."
    laxity = deadline - longest_ns
    allowed = f"its deadline of {show_duration(deadline)}"
    if laxity < 0:
        return f"{took}, {show_duration(-laxity)} longer than {allowed}."
    if not worst.is_exact and not laxity:
        return f"{took}, which is its deadline."
    if not worst.is_exact:
        return f"{took}; at least {show_duration(laxity)} of {allowed} was left."
    return f"{took}; {show_duration(laxity)} of {allowed} was left."


def _interfered_sentence(tasks: Pair) -> str:
    alone, interfered = tasks
    name = alone.result.name
    ratio = compare_tasks(tasks, Stream.RESPONSE_TIME).median_ratio
    worst = [analysis.summarize(task.distributions[Stream.RESPONSE_TIME]) for task in tasks]
    if worst[0] is None or worst[1] is None:
        return f"Task “{name}”: in one of the two runs no job finished; they cannot be compared."
    compared = ""
    if ratio is not None:
        compared = (
            f" its median response time was {_times_alone(ratio)} ({finished_words(tasks)}), and"
        )
    return (
        f"With co-runners{compared} {_met_words(interfered)}. {_worst_case(interfered, worst[1])}"
    )


def _times_alone(ratio: float) -> str:
    shown = f"{ratio:.3g}"
    return "the same as alone" if shown == "1" else f"{shown} times that alone"


def _met_words(task: TaskData) -> str:
    not_met = task.result.counts.not_met
    if task.result.deadline_ns is None and not not_met:
        return f"{count_noun(task.n_finished, 'job')} finished, no deadline was set"
    released = count_noun(task.n_judged or task.result.released, "release")
    left = f" ({task.unjudged})" if task.unjudged else ""
    if not_met:
        return f"of {released} {show_count(not_met)} were not met{left}"
    return f"each of {released} was met{left}" if task.n_judged else task.unjudged


def _times(count: int) -> str:
    return "once" if count == 1 else f"{show_count(count)} times"
