# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The answer of a command that made several runs: a line for each question, details are theirs."""

from collections.abc import Iterator

from laxity.contention.regulated import regulated_at, regulated_lines
from laxity.core.streams import Quantity as Stream
from laxity.costs.answer import CostAnswer, cost_answer
from laxity.costs.model import decode_costs
from laxity.errors import RecordError
from laxity.jobs.monitor import PILOT
from laxity.jobs.run_data import PageData, RunData, TaskData
from laxity.jobs.section_parts import pair_of
from laxity.jobs.sections.comparison import Pair, task_pairs
from laxity.page.blocks import Kind, count_noun, join_words, show_count, show_duration
from laxity.store.run_directory import COSTS

# What the sentence about costs says already, by the probe that found it.
_IN_COSTS = frozenset({"switch", "crpd", "migration"})


def answers(page: PageData) -> tuple[str, ...]:
    """Write them, the most asked for first; empty for a run that is one.

    Args:
        page: Runs that ran tasks, measured the platform or computed.
    """
    return tuple(_answers(page)) if page.is_composite else ()


def costs_of(page: PageData) -> CostAnswer | None:
    """Read what a preemption costs by the cost model of the whole; None: it has none."""
    path = page.path / COSTS
    if not page.is_composite or not path.is_file():
        return None
    try:
        return cost_answer(decode_costs(path.read_bytes(), str(path)))
    except (OSError, RecordError):
        # The files of the run are checked, and what is wrong with them told, elsewhere.
        return None


def _answers(page: PageData) -> Iterator[str]:
    costs = costs_of(page)
    if costs is not None:
        yield costs.sentence()
    pair = pair_of(page)
    if pair is not None:
        yield from (_pair_line(tasks, pair[0].kind) for tasks in task_pairs(*pair))
    for run in page.runs:
        # A pilot only sizes what follows.
        if run.tasks and run.label != PILOT and (pair is None or run not in pair):
            yield _tasks_line(run)
            yield from _regulated_lines(run)
    for run in page.runs:
        if run.view is None:
            continue
        measured = run.manifest.measurement
        if costs is not None and measured is not None and measured.probe in _IN_COSTS:
            continue
        # A verdict, the task that is nearest to its deadline, and where its time goes; of what was
        # measured the first figure.
        said = run.view.sentences(run)[: 3 if run.view.is_computed else 1]
        yield " ".join(said)


def _regulated_lines(run: RunData) -> Iterator[str]:
    """Say whether a regulated run kept its promise, and for how long co-runners were allowed."""
    found = regulated_at(run.path)
    if found is not None:
        promise, _, allowed, *_ = regulated_lines(found)
        yield f"{promise} {allowed}"


def _pair_line(tasks: Pair, kind: Kind) -> str:
    alone = tasks[0]
    longest = [_longest(task) for task in tasks]
    not_met = [task.result.counts.not_met for task in tasks]
    released = [task.n_judged or task.result.released for task in tasks]
    is_judged = all(task.n_judged and not task.unjudged for task in tasks)
    verb, what = ("met", "deadlines") if is_judged else ("made", "jobs")
    if any(not_met):
        n_alone, n_beside = (
            f"{show_count(of - less)} of {show_count(of)}"
            for of, less in zip(released, not_met, strict=True)
        )
    else:
        each = "each of " if is_judged else ""
        n_alone, n_beside = f"{each}{show_count(released[0])}", show_count(released[1])
    met = f"{verb} {n_alone} {what} alone and {n_beside} beside co-runners"
    deadline = alone.result.deadline_ns
    allowed = "" if deadline is None else f"; {show_duration(deadline)} are allowed"
    return (
        f"“{alone.result.name}” {met}; its longest response was {longest[0]} and {longest[1]} "
        f"({kind}){allowed}."
    )


def _longest(task: TaskData) -> str:
    most = "" if task.distributions[Stream.RESPONSE_TIME].is_exact else "at most "
    return f"{most}{show_duration(task.longest_ns)}"


def _tasks_line(run: RunData) -> str:
    judged = [task for task in run.tasks if task.n_judged]
    names = count_noun(len(run.tasks), "task")
    if len(run.tasks) == 1:
        names = f"“{run.tasks[0].result.name}”"
    if not judged:
        jobs = count_noun(sum(task.n_finished for task in run.tasks), "job")
        return f"In run “{run.label}” {names} finished {jobs} ({run.kind}), judged by no deadline."
    late = [task.result for task in judged if task.result.counts.not_met]
    n_released = count_noun(sum(task.n_judged for task in judged), "release")
    left = "".join(f"; “{one.result.name}”: {one.unjudged}" for one in run.tasks if one.unjudged)
    released = f"{n_released} ({run.kind})"
    if not late:
        return f"In run “{run.label}” {names} met all deadlines of {released}{left}."
    who = join_words([f"{show_count(one.counts.not_met)} of “{one.name}”" for one in late])
    n_late = show_count(sum(one.counts.not_met for one in late))
    return f"In run “{run.label}”, of {released} of {names} {n_late} were not met: {who}{left}."
