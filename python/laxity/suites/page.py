# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a suite run."""

from pathlib import PurePath

from laxity.errors import EXIT_INTERRUPTED, EXIT_NO_VERDICT
from laxity.jobs.card import Badge, Card, Tile, doctor_badge, run_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.run_data import PageData
from laxity.jobs.section_parts import scheduling_of, words_of
from laxity.jobs.sections import files, machine, reproduce
from laxity.jobs.sections.machine import machine_line
from laxity.page.blocks import Paragraph, count_noun, name_some, show_count, show_duration
from laxity.store.run_directory import Run
from laxity.suites import section as suite
from laxity.suites.data import ProgramData, SuiteData, fallbacks_of, read_suite_data


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page; the programs' own runs have pages of their own.

    Raises:
        RecordError: suite.json is damaged.
    """
    data, problems = read_suite_data(run)
    page = page_of_one(run, problems=problems)
    built = (
        suite.build_fallbacks(data),
        suite.build(data),
        suite.build_lengths(data),
        suite.build_left_out(data),
        machine.build(page),
        files.build(page),
        reproduce.build(page),
    )
    return Page(page, _card(page, data), whole(built), below=run.children)


def _card(page: PageData, data: SuiteData) -> Card:
    n_fallbacks = len(fallbacks_of(data))
    return Card(
        title=f"Suite {PurePath(data.document.checkout).name}",
        status=_status(page, data),
        doctor=doctor_badge(page),
        fallbacks=Badge(count_noun(n_fallbacks, "fallback"), "attention") if n_fallbacks else None,
        asked=_asked(data),
        sentences=sentences_of(data),
        message="" if page.manifest.status == "complete" else page.manifest.message,
        tiles=_tiles(data) if data.ran else (),
        machine=machine_line(page.runs[0]),
        notes=notes_of_ended(page),
    )


def _status(page: PageData, data: SuiteData) -> Badge:
    manifest = page.manifest
    if any(_wrong(one) + _cut_off(one) for one in data.ran):
        return Badge("wrong jobs", "bad")
    if manifest.status == "complete" and manifest.exit_code == EXIT_NO_VERDICT:
        is_known = all(_right(one) is not None for one in data.ran)
        left = "programs left out" if is_known else "not all known"
        return Badge(f"complete, {left}", "attention")
    return run_badge(page)


def _asked(data: SuiteData) -> tuple[str, ...]:
    """Say what was asked of every program; the options are the same for all."""
    lines = [f"{data.document.checkout}, vetted: {data.document.vetting}"]
    manifest = next((one.manifest for one in data.ran if one.manifest is not None), None)
    if manifest is None or not manifest.tasks:
        return tuple(lines)
    task = manifest.tasks[0]
    deadline = "none" if task.deadline_ns is None else show_duration(task.deadline_ns)
    lines.append(
        f"each program every {show_duration(task.period_ns)}, deadline {deadline}, "
        f"{scheduling_of(task)}, overrun {task.overrun}"
    )
    lines += [
        f"beside it {words_of(one.workload, one.args)} on CPU {one.cpus}"
        for one in manifest.corunners
    ]
    return tuple(lines)


def sentences_of(data: SuiteData) -> tuple[str, ...]:
    """Say what came of the programs."""
    n_all = len(data.programs)
    sentences = [f"{show_count(len(data.ran))} of {count_noun(n_all, 'program')} ran."]
    unknown = [one for one in data.ran if _right(one) is None]
    wrong = [one for one in data.ran if _wrong(one)]
    cut_off = [one for one in data.ran if _cut_off(one)]
    if wrong:
        n_wrong = sum(_wrong(one) for one in wrong)
        names = name_some([one.row.program for one in wrong])
        sentences.append(
            f"{count_noun(n_wrong, 'job')} did not do what a fresh process does: {names}."
        )
    if cut_off:
        names = name_some([one.row.program for one in cut_off])
        n_cut_off = sum(_cut_off(one) for one in cut_off)
        sentences.append(f"{count_noun(n_cut_off, 'job')} began and did not end: {names}.")
    if data.ran and not unknown and not wrong and not cut_off:
        n_jobs = sum(_finished(one) for one in data.ran)
        sentences.append(
            f"Each of {count_noun(n_jobs, 'job')} ended, checked and wrote as a fresh process does."
        )
    if unknown:
        names = name_some([one.row.program for one in unknown])
        sentences.append(f"Whether jobs of {names} were right is not known: rows were not kept.")
    return tuple(sentences)


def _tiles(data: SuiteData) -> tuple[Tile, ...]:
    released = sum(one.row.result.released for one in data.ran if one.row.result is not None)
    not_met = sum(one.row.result.not_met for one in data.ran if one.row.result is not None)
    is_known = all(_right(one) is not None for one in data.ran)
    n_right = sum(_right(one) or 0 for one in data.ran)
    n_started = sum(_finished(one) + _cut_off(one) for one in data.ran)
    has_deadline = any(
        one.row.result.has_deadline for one in data.ran if one.row.result is not None
    )
    return (
        Tile(
            "programs that ran",
            f"{show_count(len(data.ran))} of {show_count(len(data.programs))}",
            f"n = {count_noun(len(data.programs), 'program')}",
            data.kind,
        ),
        Tile("jobs like a fresh process", f"{show_count(n_right)} of {show_count(n_started)}",
             f"n = {count_noun(n_started, 'job')}", data.kind)
        if is_known
        else Tile("jobs like a fresh process", "not known", "", "", "rows not kept"),
        Tile("releases not met", f"{show_count(not_met)} of {show_count(released)}",
             f"n = {count_noun(released, 'release')}", data.kind)
        if has_deadline or not_met
        else Tile("releases not met", "no deadline", "", ""),
        _largest("longest job observed", [(one, None if one.times is None else one.times.max,
                                           _finished(one)) for one in data.ran], data.kind),
        _largest("most isolating, mean between jobs", [_isolating(one) for one in data.ran],
                 data.kind),
    )  # fmt: skip


def _isolating(one: ProgramData) -> tuple[ProgramData, int | None, int]:
    cost = None if one.row.result is None else one.row.result.isolating
    return (one, None, 0) if cost is None else (one, cost.mean, cost.n)


def _largest(label: str, found: list[tuple[ProgramData, int | None, int]], kind: str) -> Tile:
    """Make a tile of the program with the largest value, and of its own n."""
    known = [(value, one, n) for one, value, n in found if value is not None]
    if not known:
        return Tile(label, "not measured", "", "", "no job finished")
    value, one, n = max(known, key=lambda item: item[0])
    count = f"n = {count_noun(n, 'job')}"
    return Tile(label, show_duration(value), count, kind, one.row.program)


def _finished(one: ProgramData) -> int:
    return 0 if one.row.result is None else one.row.result.finished


def _right(one: ProgramData) -> int | None:
    return None if one.row.result is None else one.row.result.right


def _wrong(one: ProgramData) -> int:
    return 0 if one.row.result is None else one.row.result.wrong or 0


def _cut_off(one: ProgramData) -> int:
    return 0 if one.row.result is None else one.row.result.cut_off


def notes_of_ended(page: PageData) -> tuple[Paragraph, ...]:
    """Say what cannot be read, and whether a run of many programs ended before its end."""
    notes = [Paragraph(problem, "warning") for problem in page.problems]
    if page.manifest.status == "recovered":
        notes.append(
            Paragraph("The run was cut off: what had ended until then is kept.", "warning")
        )
    if page.manifest.exit_code == EXIT_INTERRUPTED:
        notes.append(Paragraph("The run was interrupted: what had ended is kept.", "warning"))
    return tuple(notes)
