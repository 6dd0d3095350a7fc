# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The verdict card: what was asked, how it ended, five numbers, in words anyone can read."""

from collections.abc import Iterator, Sequence

from laxity.bounds import experiment_section as experiment
from laxity.bounds.document import Answer
from laxity.bounds.section import (
    BOUND_TITLE,
    FACTORS,
    answer_of,
    factor_of,
    factor_words,
    verdict_words,
)
from laxity.bounds.verdicts import SCHEDULABLE
from laxity.core.streams import Quantity as Stream
from laxity.jobs import jobs as analysis
from laxity.jobs.card import Badge, Card, Tile, doctor_badge, run_badge, status_badge
from laxity.jobs.jobs import Summary
from laxity.jobs.results import stop_words
from laxity.jobs.run_data import PageData, RunData, TaskData
from laxity.jobs.section_parts import asked_of, pair_of, task_or_tasks, without_release, words_of
from laxity.jobs.sections.comparison import (
    Pair,
    compare_tasks,
    drift_words,
    finished_words,
    task_pairs,
)
from laxity.jobs.sections.machine import machine_line, unknown_of
from laxity.page.blocks import (
    NOT_MEASURED,
    Kind,
    Paragraph,
    Table,
    count_noun,
    join_words,
    number_cell,
    show_count,
    show_duration,
    show_share,
    text_cell,
)
from laxity.report.views import BOUND_VIEW, EXPERIMENT_VIEW, view_of
from laxity.store.experiment_result import ExperimentRun
from laxity.store.manifest import Manifest

_BOUND_TONES = {"schedulable": "good", "not_schedulable": "bad", "not_provable": "attention"}
_P99 = 0.99


def build(page: PageData) -> Card:
    """Build the card."""
    if page.manifest.kind == "bound":
        return _bounded(page)
    if page.manifest.experiment is not None:
        return _drawn(page, page.manifest.experiment)
    if page.runs and all(view_of(run.manifest) is not None for run in page.runs):
        return _measured(page)
    pair = pair_of(page)
    tasks = task_pairs(*pair) if pair else []
    shown = [(run, task) for run in page.runs for task in run.tasks]
    has_released = any(task.result.released for _, task in shown)
    tiles: tuple[Tile, ...] = ()
    if pair and tasks:
        drift = drift_words(pair)
        sentences = tuple(text for one in tasks for text in _paired_sentences(one))
        sentences += (drift,) if drift else ()
        if len(tasks) == 1:
            tiles = _paired_tiles(tasks[0], pair[1])
    else:
        if len(shown) == 1:
            tiles = _tiles(shown[0][1], shown[0][0])
        sentences = tuple(
            _sentence(task, run.label if page.is_composite else "")
            for run in page.runs
            for task in run.tasks
        )
    return Card(
        title=page.manifest.name,
        status=run_badge(page),
        doctor=doctor_badge(page),
        fallbacks=_fallback_badge(page),
        asked=_asked(page),
        sentences=(*sentences, *_measured_sentences(page)),
        message=page.manifest.message,
        tiles=tiles,
        table=None if tiles or not has_released else _table(page, shown),
        machine=machine_line(page.runs[0]) if page.runs else "machine not known",
        date=page.manifest.started_at,
        notes=_notes(page),
    )


def _measured(page: PageData) -> Card:
    """Build the card of runs that measured the platform."""
    shown = [(run, view) for run in page.runs if (view := view_of(run.manifest)) is not None]
    return Card(
        title=page.manifest.name,
        status=run_badge(page),
        doctor=doctor_badge(page),
        fallbacks=_fallback_badge(page),
        asked=tuple(dict.fromkeys(view.asked for _, view in shown)),
        sentences=_measured_sentences(page),
        message=page.manifest.message,
        tiles=(),
        table=None,
        machine=machine_line(page.runs[0]),
        date=page.manifest.started_at,
        notes=_notes(page),
    )


def _drawn(page: PageData, asked: ExperimentRun) -> Card:
    """Build the card of an experiment with drawn sets: nothing ran, so no doctor watched."""
    (run,) = page.runs
    return Card(
        title=page.manifest.name,
        status=status_badge(page.manifest),
        doctor=None,
        fallbacks=_fallback_badge(page),
        asked=(EXPERIMENT_VIEW.asked, experiment.asked_line(asked)),
        sentences=EXPERIMENT_VIEW.sentences(run),
        message=page.manifest.message,
        tiles=(),
        table=None,
        machine=experiment.machine_line(asked),
        date=page.manifest.started_at,
        notes=_notes(page),
    )


def _bounded(page: PageData) -> Card:
    """Build the card of a bound: its verdict is the status, and no doctor watched."""
    (run,) = page.runs
    answer = answer_of(run)
    status = status_badge(page.manifest)
    if answer is not None:
        status = Badge(verdict_words(answer.verdict), _BOUND_TONES[answer.verdict])
    return Card(
        title=page.manifest.name,
        status=status,
        doctor=None,
        fallbacks=_fallback_badge(page),
        asked=(BOUND_VIEW.asked,),
        sentences=BOUND_VIEW.sentences(run),
        message=page.manifest.message,
        tiles=() if answer is None else _bound_tiles(answer),
        table=None,
        machine=machine_line(run) if run.machine else "none was described with the costs",
        date=page.manifest.started_at,
        notes=_notes(page),
    )


def _bound_tiles(answer: Answer) -> tuple[Tile, ...]:
    """Make the five numbers of a bound; without a sensitivity there are none."""
    found = answer.sensitivity
    if found is None:
        return ()
    costs = answer.costs.entries
    count = "zero overheads"
    if costs:
        count = f"costs observed, n ≥ {show_count(min(one.n for one in costs))}"
    tiles = []
    for name, label in FACTORS:
        factor = factor_of(found, name)
        if factor is None:
            tiles.append(Tile(label, "costs nothing", "", ""))
            continue
        late = f"then {factor.critical_task} is late" if factor.critical_task else ""
        tiles.append(Tile(label, factor_words(factor), count, "modelled", late))
    n_kept = sum(one.verdict == SCHEDULABLE for one in answer.tasks)
    value = f"{show_count(n_kept)} of {show_count(len(answer.tasks))}"
    return (Tile("tasks proven to keep their deadlines", value, count, "modelled"), *tiles)


def _measured_sentences(page: PageData) -> tuple[str, ...]:
    shown = [(run, view) for run in page.runs if (view := view_of(run.manifest)) is not None]
    return tuple(text for run, view in shown for text in view.sentences(run))


def _manifests(page: PageData) -> tuple[Manifest, ...]:
    return tuple(run.manifest for run in page.runs)


def _calm_notes(page: PageData) -> Iterator[Paragraph]:
    """Say what disturbed the runs, and of what it is not known whether it did."""
    told: dict[str, list[str]] = {}
    for run in page.runs:
        for line in run.manifest.doctor_drift:
            told.setdefault(f"Disturbed during the run{{}}: {line}.", []).append(run.label)
        for line in unknown_of(run):
            told.setdefault(f"Not known{{}}: {line}.", []).append(run.label)
    for line, labels in told.items():
        of_runs = f" ({join_words(labels)})" if page.is_composite else ""
        yield Paragraph(line.format(of_runs), "warning" if line.startswith("Dist") else "note")


def _fallback_badge(page: PageData) -> Badge | None:
    count = sum(len(run.manifest.fallbacks) for run in page.runs)
    count += len(page.manifest.fallbacks) if page.is_composite else 0
    return Badge(count_noun(count, "fallback"), "attention") if count else None


def _asked(page: PageData) -> tuple[str, ...]:
    lines = []
    for run in page.runs:
        where = f"{run.label}: " if page.is_composite else ""
        for task in run.tasks:
            name = f"“{task.result.name}”: " if len(run.tasks) > 1 else ""
            lines.append(f"{where}{name}{asked_of(task.result)}")
        lines += [
            f"{where}beside it {words_of(one.workload, one.args)} on CPU {one.cpus}"
            for one in run.manifest.corunners
        ]
    return tuple(lines)


def _notes(page: PageData) -> tuple[Paragraph, ...]:
    notes = []
    for run in page.runs:
        words = stop_words(run.manifest)
        if words is not None:
            where = f"{run.label}: " if page.is_composite else ""
            notes.append(Paragraph(f"{where}{words[0].upper()}{words[1:]}.", "note"))
    statuses = {
        "interrupted": "The run was interrupted: everything measured until then is kept.",
        "recovered": "The run was cut off and recovered: rows written up to then are kept.",
        "failed": "The run failed: what was measured until then is kept.",
        "running": "The run has not finished: this is what was there when the report was made.",
    }
    notes += _calm_notes(page)
    if page.manifest.status in statuses:
        notes.append(Paragraph(statuses[page.manifest.status], "warning"))
    if any(run.problems for run in page.runs):
        sections = {f"“{_place_of(run)}”" for run in page.runs if run.problems}
        text = f"Some data is missing or inconsistent; see {join_words(sorted(sections))}."
        notes.append(Paragraph(text, "warning"))
    return tuple(notes)


def _place_of(run: RunData) -> str:
    """Name the section that tells what is missing of a run; of one without tasks the first."""
    if run.tasks or view_of(run.manifest) is None:
        return task_or_tasks(run).capitalize()
    return BOUND_TITLE if run.manifest.kind == "bound" else f"Run {run.label}"


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
    value = f"{show_count(not_met)} of {show_count(released)}"
    has_deadline = task.result.deadline_ns is not None
    remark = show_share(not_met, released) if has_deadline else "no deadline set"
    if has_deadline and task.n_release_unknown:
        remark = f"{show_count(task.n_release_unknown)} not judged: release not known"
    count = f"n = {count_noun(released, 'release')}"
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
    """Give the number alone; a count of releases says its n itself."""
    if " of " in tile.value or not tile.count:
        return f"alone: {tile.value}"
    return f"alone: {tile.value} ({tile.count})"


def _sentence(task: TaskData, label: str) -> str:
    result = task.result
    where = f"In run “{label}”, task" if label else "Task"
    start = f"{where} “{result.name}” was released {_times(result.released)}"
    worst = analysis.summarize(task.distributions[Stream.RESPONSE_TIME])
    if not result.released:
        return f"{where} “{result.name}” was never released: nothing was measured."
    if worst is None and task.n_release_unknown:
        return f"{where} “{result.name}” made {count_noun(result.started, 'job')}. " + (
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
    if not not_met and task.n_release_unknown:
        unknown = count_noun(task.n_release_unknown, "job")
        return f"{unknown} could not be judged: release not known."
    if not not_met:
        return "every deadline was met."
    return f"{show_count(not_met)} of these ({show_share(not_met, released)}) were not met."


def _worst_case(task: TaskData, worst: Summary) -> str:
    deadline = task.result.deadline_ns
    most = "at most " if not worst.is_exact else ""
    of_jobs = f"The slowest of {show_count(worst.n)} finished jobs"
    if worst.n == 1:
        of_jobs = "The only finished job"
    took = f"{of_jobs} took {most}{show_duration(worst.max_ns)}"
    if deadline is None:
        return f"{took}."
    laxity = deadline - worst.max_ns
    allowed = f"its deadline of {show_duration(deadline)}"
    if laxity < 0:
        return f"{took}, {show_duration(-laxity)} longer than {allowed}."
    return f"{took}; {show_duration(laxity)} of {allowed} was left."


def _paired_sentences(tasks: Pair) -> tuple[str, ...]:
    alone, interfered = tasks
    name = alone.result.name
    ratio = compare_tasks(tasks, Stream.RESPONSE_TIME).median_ratio
    worst = [analysis.summarize(task.distributions[Stream.RESPONSE_TIME]) for task in tasks]
    if worst[0] is None or worst[1] is None:
        text = f"Task “{name}”: in one of the two runs no job finished; they cannot be compared."
        return (text,)
    compared = ""
    if ratio is not None:
        compared = (
            f" its median response time was {ratio:.3g} times that alone ({finished_words(tasks)}),"
            " and"
        )
    return (
        f"Alone, task “{name}” was released {_times(alone.result.released)}; {_outcome(alone)} "
        f"{_worst_case(alone, worst[0])}",
        f"With co-runners,{compared} of "
        f"{count_noun(interfered.result.released, 'release')} {_not_met_words(interfered)}. "
        f"{_worst_case(interfered, worst[1])}",
    )


def _not_met_words(task: TaskData) -> str:
    not_met = task.result.counts.not_met
    return "none was not met" if not not_met else f"{show_count(not_met)} were not met"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{show_count(count)} times"
