# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The short answer after a run: what was measured, in one table or one JSON document."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from laxity.cli.suite_tables import suite_text, vetting_text
from laxity.cli.took import attribution_document, attribution_lines, event_lines
from laxity.core.streams import Quantity
from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.jobs import rows as analysis
from laxity.jobs.memory_need import need_words
from laxity.jobs.monitor import OBSERVED
from laxity.jobs.phases import PhaseSummary
from laxity.jobs.results import stop_words
from laxity.jobs.rows import Summary
from laxity.jobs.run_data import PageData, RunData, TaskData, stall_words
from laxity.jobs.sections.fallbacks import lines_within
from laxity.page.blocks import Block, Paragraph, Section, count_noun
from laxity.page.terminal import text_of
from laxity.report.answers import answers
from laxity.report.read_run import read_page
from laxity.report.verdict import said_of
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run
from laxity.store.run_warnings import RunWarning, warnings_within
from laxity.suites.data import read_suite_data
from laxity.suites.stored_results import read_vetting_seen
from laxity.trace.observed_words import thread_lines
from laxity.trace.sampled_words import sampling_lines

if TYPE_CHECKING:
    from laxity.contention.regulated import Regulated

_NAMES = {
    Quantity.RELEASE_LATENCY: "release latency",
    Quantity.RESPONSE_TIME: "response time",
    Quantity.START_TO_FINISH: "start to finish",
}
_P99 = 0.99
_P999 = 0.999
_HEADERS = ("run", "task", "quantity", "kind", "n", "min", "median", "p99", "p99.9", "max")
_RIGHT = range(4, len(_HEADERS))
_PHASE_HEADERS = ("run", "task", "phase", "kind", "n", "median", "max")
_PHASE_RIGHT = (2, 4, 5, 6)
# Shown instead of a quantile that so few jobs do not support.
_UNSUPPORTED = "-"
# Before a value that is known only as the end of a bucket.
_AT_LEAST = "≥"
_AT_MOST = "≤"
_FALLBACK = "fallback: "
# Kinds of run that consist of runs of tasks, and of what was measured.
_OF_RUNS = frozenset({"demo", "measure"})
# Kinds of run whose answer is a row per program.
_SUITES = frozenset({"suite", "vetting"})


def summary_text(run: Run) -> str:
    """Write a run's summary for people; never empty."""
    if run.manifest.kind in _SUITES:
        return _outcome_line(run.manifest) + _suite_text(run)
    if run.manifest.kind == "reproduction":
        return _outcome_line(run.manifest) + reproduction_text(run)
    if run.manifest.kind == "profile":
        return _outcome_line(run.manifest) + _profile_text(run)
    if run.manifest.kind == "cache-misses":
        # It begins with its verdict.
        is_told = run.manifest.status == "complete"
        return ("" if is_told else _outcome_line(run.manifest)) + _cache_misses_text(run)
    if run.manifest.kind == "monitor":
        return _outcome_line(run.manifest) + _monitor_text(run)
    if run.manifest.kind == "contention":
        from laxity.contention.trial import read_trial  # noqa: PLC0415 - few runs are such

        return _outcome_line(run.manifest) + read_trial(run).text()
    page = read_page(run)
    found = [block for data in page.runs for block in _found_blocks(page, data)]
    found_text = text_of([*found, *(Paragraph(line) for line in _after_lines(page))])
    if page.runs and all(data.view for data in page.runs):
        # What was computed begins with its verdict.
        is_computed = all(data.view.is_computed for data in page.runs if data.view)
        is_told = is_computed and run.manifest.status == "complete"
        return found_text if is_told else _outcome_line(run.manifest) + found_text
    rows = [row for data in page.runs for task in data.tasks for row in _rows(data, task)]
    parts = [_outcome_line(run.manifest)]
    if not page.is_composite:
        parts.append(text_of(Paragraph(line) for data in page.runs for line in said_of(page, data)))
    # Its first line is said of the run.
    parts += [f"{line}\n" for line in _regulated_lines(run)[1:]]
    parts += [f"{line}\n" for line in _stop_lines(page)]
    parts += [f"{line}\n" for line in (*_release_lines(page), *_unknown_lines(page))]
    parts += [f"{line}\n" for line in thread_lines(page.manifest.observation)]
    parts += [f"{line}\n" for line in sampling_lines(page.manifest)]
    if rows:
        parts.append(format_table(_HEADERS, rows, _RIGHT))
    parts += [f"{line}\n" for line in _batch_lines(page)]
    parts += [f"{line}\n" for line in _memory_lines(page)]
    parts += [f"{line}\n" for line in _footnotes(page)]
    parts.append(_phase_table(page))
    parts += [f"{line}\n" for line in _mark_lines(page)]
    parts += [f"{line}\n" for line in (*attribution_lines(page), *event_lines(page))]
    return "".join([*parts, found_text])


def answer_text(run: Run) -> str:
    """Write the answer of a command that has just ended: of several runs only what came of all."""
    if run.manifest.kind not in _OF_RUNS or not run.manifest.runs:
        return summary_text(run)
    page = read_page(run)
    after = _after_lines(page)
    used = [line for line in after if line.startswith(_FALLBACK)]
    n_remarks = len(after) - len(used)
    said = f"{count_noun(n_remarks, 'remark')} on what disturbed this, and " if n_remarks else ""
    said += f"all figures: laxity show {run.path}"
    lines = (*_stop_lines(page), *answers(page), *used, said)
    return _outcome_line(run.manifest) + text_of(map(Paragraph, lines))


def reproduction_text(run: Run) -> str:
    """Write the tables of a paper's values and ours."""
    from laxity.papers.result import read_reproduction  # noqa: PLC0415 - few runs are such
    from laxity.papers.section import overview, sections  # noqa: PLC0415 - with the above

    tables = [block for section in sections(run) for block in section.blocks]
    weak = _within(run, warnings_within(run.children))
    return text_of([*weak, *tables, *overview(read_reproduction(run.path))])


def _profile_text(run: Run) -> str:
    from laxity.profile.document import read_profile  # noqa: PLC0415 - few runs are such
    from laxity.profile.section import (  # noqa: PLC0415 - with the above
        left_out,
        overview,
        sections,
        sentences,
    )

    asked = read_profile(run.path)
    found = [Paragraph(line) for line in sentences(asked)]
    tables = [block for section in sections(run) for block in section.blocks]
    changes = [Paragraph(f"changed during the run: {one}") for one in run.manifest.doctor_drift]
    weak = _within(run, asked.warnings)
    missing = left_out(run.manifest)
    return text_of([*found, *weak, *missing, *tables, *overview(asked), *changes])


def _cache_misses_text(run: Run) -> str:
    from laxity.costs.cache_misses import section  # noqa: PLC0415 - few runs are such
    from laxity.costs.cache_misses.found import read_found  # noqa: PLC0415 - with the above

    found = read_found(run.path)
    said = [Paragraph(line) for line in section.sentences(found)]
    after = [Paragraph(line) for line in _after_lines(read_page(run))]
    return text_of([*said, *section.build(found).blocks, *after])


def _monitor_text(run: Run) -> str:
    tables = [block for section in _monitor_sections(run) for block in section.blocks]
    return text_of([*tables, *_within(run, warnings_within(run.children))])


def _monitor_sections(run: Run) -> list[Section]:
    from laxity.jobs.sections import intrusion, miss_ratio, rates  # noqa: PLC0415 - few runs are such

    page = read_page(run)
    observed = [one for one in page.runs if one.label == OBSERVED]
    sections = [
        intrusion.build(page),
        *(miss_ratio.build(one) or rates.build(one) for one in observed),
    ]
    return [one for one in sections if one is not None]


def _within(run: Run, warnings: Sequence[RunWarning]) -> list[Paragraph]:
    """Write the warnings of the runs that a run consists of."""
    return [Paragraph(line) for line in lines_within(warnings, len(run.manifest.runs))]


def _suite_text(run: Run) -> str:
    if run.manifest.kind == "vetting":
        return vetting_text(read_vetting_seen(run.path))
    changes = [f"changed during the run: {change}" for change in run.manifest.doctor_drift]
    # Its fallbacks have a table.
    warnings = [
        warning
        for warning in warnings_within(run.children)
        if not warning.text.startswith(_FALLBACK)
    ]
    changes += lines_within(warnings, len(run.manifest.runs))
    data, _ = read_suite_data(run, has_samples=False)
    return suite_text(data, changes)


def _stop_lines(page: PageData) -> list[str]:
    stops = [words for run in _manifests(page) if (words := stop_words(run)) is not None]
    return [*stops, *(line for run in page.runs for line in stall_words(run.manifest, run.tasks))]


def _found_blocks(page: PageData, data: RunData) -> list[Block]:
    """The sections of what has no tasks; of several only what stands on the card of the report."""
    view = data.view
    if view is None:
        return []
    sentences = view.sentences(data)
    if page.is_composite:
        lines = [*sentences, f"all figures: laxity show {data.path}"]
        return [Paragraph(f"{data.label}: {line}") for line in lines]
    sections = [build(data) for build in view.sections[:-1]]
    blocks = [block for section in sections if section is not None for block in section.blocks]
    return [*(Paragraph(sentence) for sentence in sentences), *blocks]


def _regulated(run: Run) -> "Regulated | None":
    if not run.has_stream("regulation"):
        return None
    from laxity.contention.regulated import read_regulated  # noqa: PLC0415 - few runs are such

    return read_regulated(run)


def _regulated_lines(run: Run) -> list[str]:
    found = _regulated(run)
    if found is None:
        return []
    from laxity.contention.regulated import regulated_lines  # noqa: PLC0415 - with the above

    return regulated_lines(found)


def _found_document(data: RunData) -> dict[str, Any]:
    return {} if data.view is None else data.view.document(data)


def _after_lines(page: PageData) -> list[str]:
    changes = [f"changed during the run: {change}" for change in page.manifest.doctor_drift]
    if page.is_composite:
        changes += [
            f"{data.label}: changed during the run: {change}"
            for data in page.runs
            for change in data.manifest.doctor_drift
        ]
    notes = [f"note: {note}" for data in _manifests(page) for note in data.notes]
    return [f"{_FALLBACK}{one}" for one in _fallbacks(page)] + notes + changes


def summary_document(run: Run) -> dict[str, Any]:
    """Write a run's summary for programs; times in ns."""
    page = read_page(run)
    manifest = run.manifest
    document: dict[str, Any] = {
        "run": str(run.path),
        "kind": manifest.kind,
        "name": manifest.name,
        "status": manifest.status,
        "exit_code": manifest.exit_code,
        "message": manifest.message,
        "doctor_drift": manifest.doctor_drift,
        "fallbacks": [one for data in _manifests(page) for one in data.fallbacks],
        "notes": [note for data in _manifests(page) for note in data.notes],
        "runs": [_run_document(data) | _found_document(data) for data in page.runs],
    }
    if (regulated := _regulated(run)) is not None:
        document["regulation"] = regulated
    if manifest.observation is not None:
        document["observation"] = manifest.observation
        document["sampling"] = manifest.sampling
    if manifest.kind == "reproduction":
        from laxity.papers.result import read_reproduction  # noqa: PLC0415 - few runs are such

        document["reproduction"] = read_reproduction(run.path)
    if manifest.kind == "profile":
        from laxity.profile.document import read_profile  # noqa: PLC0415 - with the above

        document["profile"] = read_profile(run.path)
    if manifest.kind == "contention":
        from laxity.contention.trial import read_trial  # noqa: PLC0415 - with the above

        document["contention"] = read_trial(run).document()
    if manifest.kind == "monitor":
        document["monitor"] = [one for part in _monitor_sections(run) for one in part.quantities]
    if manifest.kind == "cache-misses":
        from laxity.costs.cache_misses.found import read_found  # noqa: PLC0415 - with the above

        document["cache_misses"] = read_found(run.path)
    if manifest.measurement is not None or manifest.experiment is not None:
        # Also at the top: a single measurement is the document.
        document |= _found_document(page.runs[0])
    return document


def _run_document(data: RunData) -> dict[str, Any]:
    return {
        "name": data.label,
        "status": data.manifest.status,
        "stop": data.manifest.stop,
        "corunners": data.manifest.corunners,
        "tasks": [
            {
                "name": task.result.name,
                "released": task.result.released,
                "started": task.result.started,
                "counts": task.result.counts,
                "release_unknown": task.n_release_unknown,
                "lost_rows": task.result.lost_rows,
                "memory": task.result.memory,
                "memory_need": task.result.memory_need,
                "lost_marks": task.result.lost_marks,
                "phases": [{"kind": data.kind, **_phase_numbers(one)} for one in task.phases],
                "trace": attribution_document(data.attributions.get(task.result.index)),
                "quantities": [
                    {
                        "name": _NAMES[quantity],
                        "kind": data.kind_of(task, quantity),
                        **_numbers(summary),
                    }
                    for quantity, summary in _summaries(task)
                ],
            }
            for task in data.tasks
        ],
    }


def _numbers(summary: Summary) -> dict[str, Any]:
    return {
        "n": summary.n,
        "is_exact": summary.is_exact,
        "min_ns": summary.min_ns,
        "median_ns": summary.median_ns,
        "p99_ns": summary.quantile_ns(_P99),
        "p99.9_ns": summary.quantile_ns(_P999),
        "max_ns": summary.max_ns,
    }


def _summaries(task: TaskData) -> list[tuple[Quantity, Summary]]:
    found = []
    for quantity in _NAMES:
        summary = analysis.summarize(task.distributions[quantity])
        if summary is not None:
            found.append((quantity, summary))
    return found


def _rows(data: RunData, task: TaskData) -> list[tuple[str, ...]]:
    return [
        (
            data.label,
            task.result.name,
            _NAMES[quantity],
            data.kind_of(task, quantity),
            str(summary.n),
            _shown(summary, summary.min_ns, _AT_LEAST),
            _shown(summary, summary.median_ns),
            _shown(summary, summary.quantile_ns(_P99)),
            _shown(summary, summary.quantile_ns(_P999)),
            _shown(summary, summary.max_ns),
        )
        for quantity, summary in _summaries(task)
    ]


def _shown(summary: Summary, value_ns: int | None, bound: str = _AT_MOST) -> str:
    """Write a value; an end of a bucket, where rows were not kept, is marked as the bound it is."""
    if value_ns is None:
        return _UNSUPPORTED
    return ("" if summary.is_exact else f"{bound} ") + format_duration_ns(value_ns)


def _phase_numbers(summary: PhaseSummary) -> dict[str, Any]:
    return {
        "phase": summary.phase,
        "n": summary.n,
        "median_ns": summary.median_ns,
        "max_ns": summary.max_ns,
    }


def _phase_table(page: PageData) -> str:
    """Write how long each phase of a job took, from its mark to the next one; empty without one."""
    rows = [
        (
            data.label,
            task.result.name,
            str(one.phase),
            data.kind,
            str(one.n),
            format_duration_ns(one.median_ns),
            format_duration_ns(one.max_ns),
        )
        for data in page.runs
        for task in data.tasks
        for one in task.phases
    ]
    return "\n" + format_table(_PHASE_HEADERS, rows, _PHASE_RIGHT) if rows else ""


def _mark_lines(page: PageData) -> list[str]:
    return [
        f"{data.label}: {task.result.lost_marks} marks of {task.result.name} were lost: their ring "
        "was full, or their thread died in them; mark less often"
        for data in page.runs
        for task in data.tasks
        if task.result.lost_marks
    ]


def _footnotes(page: PageData) -> list[str]:
    """Explain the marks that the table holds."""
    summaries = [
        summary for data in page.runs for task in data.tasks for _, summary in _summaries(task)
    ]
    lines = []
    needed = {
        item.q: item.n_needed
        for summary in summaries
        for item in summary.quantiles
        if item.value_ns is None and item.q in {_P99, _P999}
    }
    if needed:
        parts = [f"p{q * 100:g} needs {n} jobs" for q, n in sorted(needed.items())]
        lines.append(f"{_UNSUPPORTED}: {', '.join(parts)}")
    if not all(summary.is_exact for summary in summaries):
        lines.append(
            f"{_AT_MOST} {_AT_LEAST}: ends of histogram buckets, at most 1/64 wide; "
            "there are fewer rows than jobs"
        )
    return lines


def _outcome_line(manifest: Manifest) -> str:
    """Write the status and why; a message may begin with the status."""
    if manifest.message.startswith(manifest.status):
        return f"{manifest.message}\n"
    message = f": {manifest.message}" if manifest.message else ""
    return f"{manifest.status}{message}\n"


def _release_lines(page: PageData) -> list[str]:
    lines = []
    for data in page.runs:
        for task in data.tasks:
            counts = task.result.counts
            late = counts.pending - counts.undecided
            pending = "0 pending"
            if counts.pending:
                pending = f"{late} of {counts.pending} pending, those whose deadline has come"
            none_set = "; no deadline" if task.result.deadline_ns is None else ""
            whose = f"{task.result.name}: " if len(data.tasks) > 1 else ""
            lines.append(
                f"{data.label}: {whose}{task.result.released} released, "
                f"{task.result.started} started, "
                f"{counts.not_met} not met = {counts.missed} missed + {counts.skipped} skipped + "
                f"{counts.aborted} aborted + {pending}{none_set}"
            )
    return lines


def _unknown_lines(page: PageData) -> list[str]:
    return [
        f"{data.label}: release not known of {task.n_release_unknown} of {task.n_finished} "
        f"finished jobs of {task.result.name} ({_why_unknown(task)}): no response time, and not "
        "judged by a deadline"
        for data in page.runs
        for task in data.tasks
        if task.n_release_unknown
    ]


def _why_unknown(task: TaskData) -> str:
    return (
        "no period, no wake-up of theirs in the trace" if task.is_observed else "laxity_job_start"
    )


def _batch_lines(page: PageData) -> list[str]:
    """Say whose jobs are several calls: no figure above is of one."""
    return [
        f"{data.label}: each job of {task.result.name} is {task.result.job_is}"
        for data in page.runs
        for task in data.tasks
        if task.result.calls > 1
    ]


def _memory_lines(page: PageData) -> list[str]:
    """Say how much memory each task requested; nothing where that was not counted."""
    lines = []
    for data in page.runs:
        for task in data.tasks:
            memory = task.result.memory
            if (need := task.result.memory_need) is not None:
                lines.append(f"{data.label}: {task.result.name} needs at once: {need_words(need)}")
            if memory is None:
                continue
            limit = "no limit"
            if memory.limit_bytes is not None:
                limit = f"limit {format_size_bytes(memory.limit_bytes)}"
            peak = format_size_bytes(memory.peak_bytes)
            lines.append(f"{data.label}: {task.result.name} held at most {peak} ({limit})")
    return lines


def _manifests(page: PageData) -> list[Manifest]:
    below = [data.manifest for data in page.runs] if page.is_composite else []
    return [page.manifest, *below]


def _fallbacks(page: PageData) -> list[str]:
    return [
        f"{one.what}: {one.used} used ({one.reason})"
        for manifest in _manifests(page)
        for one in manifest.fallbacks
    ]
