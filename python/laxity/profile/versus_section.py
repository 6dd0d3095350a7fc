# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of programs side by side: who is the quickest, and by how much."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from laxity.core.wording import visible
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Section,
    Table,
    count_noun,
    duration_cell,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.profile.document import (
    QUANTITIES_SIDE_BY_SIDE,
    GateRecord,
    Profile,
    QuantileRecord,
    Quantity,
    TimesRecord,
    VersusRecord,
    names_of,
)
from laxity.profile.figure import LOOKS, violins
from laxity.profile.join import processes_of
from laxity.profile.versus import LEAST_ROUNDS
from laxity.profile.wcet import MEDIAN
from laxity.store.run_directory import Run

LENGTH: Quantity = "start_to_finish"
_TITLES: dict[Quantity, str] = {LENGTH: "start to finish", "execution": "execution time"}
_METHOD = (
    "Each round has a process of each program, every second round in reverse order. The medians "
    "of one round are compared: what the machine does meanwhile is in all of them. The ratio is "
    "the geometric mean over rounds, its 95 % interval Student's of their logarithms. Start to "
    "finish: how long a job took once it ran; execution: the processor's time alone."
)


def versus_sentences(asked: Profile) -> tuple[str, ...]:
    """Name the quickest program where one is shown, and how much longer each other takes."""
    names = _names(asked)
    rows = [one for one in asked.versus if one.quantity == LENGTH]
    if not rows:
        if any(one.quantity == LENGTH for one in asked.times):
            return ("Nobody tells which is the quickest: they have no rounds in common.",)
        return ("No process ended well, so no job counts.",)
    quickest = rows[0].quickest
    times = _times_of(asked, quickest, LENGTH)
    median = ""
    if times is not None:
        median = (
            f" (median {_median(times)} from start to finish, n = {count_noun(times.jobs, 'job')})"
        )
    others = [row for row in sorted(rows, key=lambda row: row.ratio) if row.target != quickest]
    gates = _gate_sentences(asked, names)
    if not others:
        return (*gates, f"{names[quickest]} alone has jobs that finished{median}.")
    ratios = (f"{names[row.target]} takes {_words(row, names[quickest])}." for row in others)
    rivals = [names[row.target] for row in others if not _is_longer(row, asked.kind)]
    if not rivals:
        return (*gates, f"{names[quickest]} is the quickest{median}, {asked.kind}.", *ratios)
    return (*gates, _undecided(others, rivals, names[quickest], asked.kind), *ratios)


def _is_longer(row: VersusRecord, kind: str) -> bool:
    """Tell whether a program is shown to take longer than the quickest."""
    return row.ratio > 1 if kind == "simulated" else row.low is not None and row.low > 1


def _undecided(others: Sequence[VersusRecord], rivals: Sequence[str], first: str, kind: str) -> str:
    """Say why no program is named the quickest."""
    if kind == "simulated":
        return f"{first} and {', '.join(rivals)} take equally long, simulated."
    fewest = min(row.rounds for row in others)
    if fewest < LEAST_ROUNDS:
        needed = f"an interval needs {LEAST_ROUNDS} rounds, not {fewest}"
        return f"The quickest program is unknown: {needed}."
    return f"No difference is shown between {first} and {', '.join(rivals)} ({kind})."


def _gate_sentences(asked: Profile, names: Sequence[str]) -> Iterator[str]:
    """State the verdict of each limit, with the ratio that it rests on."""
    words = {"violated": "VIOLATED", "holds": "PASS", "no_verdict": "NO VERDICT"}
    for gate in asked.gates:
        stated = f"--fail-on {visible(gate.expression)}"
        if gate.ratio is None:
            said = "no round has times of both"
        else:
            said = f"{names[gate.target]} takes {_times_as_long(gate, asked, names[0])}"
        advice = "; more --rounds narrow the interval" if gate.answer == "no_verdict" else ""
        yield f"{words[gate.answer]}: {said} ({stated}){advice}."


def _times_as_long(gate: GateRecord, asked: Profile, first: str) -> str:
    said = f"{gate.ratio:.3g} times as long as {first}"
    if asked.kind == "simulated":
        return f"{said}, exactly"
    rounds = f"n = {count_noun(gate.rounds, 'round')}"
    if gate.low is None:
        return f"{said}, {rounds}, too few for an interval"
    return f"{said}, 95 %: {gate.low:.3g} to {gate.high:.3g}, {rounds}"


def versus_section(asked: Profile, runs: Mapping[str, Run]) -> Section:
    """Build the only section of programs side by side."""
    names = _names(asked)
    blocks: list[Block] = [
        _table(asked, names, quantity)
        for quantity in QUANTITIES_SIDE_BY_SIDE
        if any(one.quantity == quantity for one in asked.versus)
    ]
    for target, name in enumerate(names):
        times = _times_of(asked, target, LENGTH)
        if times is None:
            text = f"No process of {name} ended well, so no job of it counts."
            blocks.append(Paragraph(text, "warning"))
        elif times.aborted:
            jobs = f"{count_noun(times.aborted, 'job')} of {name}"
            text = f"{jobs} did not come to an end; the longest are missing."
            blocks.append(Paragraph(text, "warning"))
        blocks += _not_met(asked, runs, target, name)
    figure = _figure(asked, runs, names)
    if figure is not None:
        blocks.append(Figures((figure,)))
    return Section("versus", "Side by side", (*blocks, Paragraph(_METHOD, is_explanation=True)))


def _not_met(
    asked: Profile, runs: Mapping[str, Run], target: int, name: str
) -> Iterator[Paragraph]:
    """Say how many releases of a program were not met, if any: what did not run has no time."""
    mine = [one.run for one in asked.units if one.target == target and one.run in runs]
    tasks = [runs[one].manifest.tasks[0] for one in mine]
    # Those that were aborted are named as that, and no period helps them.
    not_met = sum(one.counts.not_met - one.counts.aborted for one in tasks)
    if not_met:
        of_all = (
            f"{show_count(not_met)} of {count_noun(sum(one.released for one in tasks), 'release')}"
        )
        text = f"{of_all} of {name} were not met: give all of them a longer --period."
        yield Paragraph(text, "warning")


def _names(asked: Profile) -> Sequence[str]:
    """Name programs without the folder that they lie in, if that is enough."""
    names = [visible(name) for name in names_of(asked)]
    short = [
        " ".join((Path(one.workload).name, *one.args)) if "/" in one.workload else name
        for one, name in zip(asked.targets, names, strict=True)
    ]
    return [visible(one) for one in short] if len(set(short)) == len(short) else names


def _words(row: VersusRecord, quickest: str) -> str:
    said = f"{row.ratio:.3g} times as long as {quickest}"
    if row.low is None or row.high is None:
        return f"{said} (n = {count_noun(row.rounds, 'round')})"
    said += f" (95 %: {row.low:.3g} to {row.high:.3g}, n = {count_noun(row.rounds, 'round')}"
    return f"{said}; not distinguishable from 1)" if row.low <= 1 <= row.high else f"{said})"


def _table(asked: Profile, names: Sequence[str], quantity: Quantity) -> Table:
    rows = []
    of_it = [one for one in asked.versus if one.quantity == quantity]
    for one in sorted(of_it, key=lambda one: one.ratio):
        times = _times_of(asked, one.target, quantity)
        if times is None:
            continue
        interval = "" if one.low is None else f"{one.low:.3g} to {one.high:.3g}"
        rows.append(
            (
                text_cell(names[one.target]),
                number_cell(f"{one.ratio:.3g}", interval),
                _median_cell(times),
                duration_cell(times.max_ns),
                number_cell(show_count(one.rounds)),
                number_cell(show_count(times.jobs)),
            )
        )
    head = ("program", "times as long", "median", "observed maximum", "rounds", "jobs")
    remarks = ("", "95 % interval", "95 % interval")
    return Table(f"{_TITLES[quantity]} ({asked.kind})", head, tuple(rows), remarks=remarks)


def _times_of(asked: Profile, target: int, quantity: Quantity) -> TimesRecord | None:
    return next(
        (one for one in asked.times if (one.target, one.quantity) == (target, quantity)), None
    )


def _median_of(times: TimesRecord) -> QuantileRecord | None:
    return next((one for one in times.quantiles if one.q == MEDIAN), None)


def _median(times: TimesRecord) -> str:
    found = _median_of(times)
    return "not stated" if found is None else show_duration(found.value_ns)


def _median_cell(times: TimesRecord) -> Cell:
    found = _median_of(times)
    if found is None or found.low_ns is None or found.high_ns is None:
        return number_cell(_median(times))
    interval = f"{show_duration(found.low_ns)} to {show_duration(found.high_ns)}"
    return number_cell(_median(times), interval)


def _figure(asked: Profile, runs: Mapping[str, Run], names: Sequence[str]) -> FigureBlock | None:
    """Draw how response times spread; None: simulated, where they hardly do, or nothing to draw."""
    rows = [
        (name, np.concatenate(jobs))
        for target, name in enumerate(names[: len(LOOKS)])
        if (jobs := processes_of(asked, runs, target, 0, LENGTH))
    ]
    rows = [(name, times_ns) for name, times_ns in rows if np.unique(times_ns).size > 1]
    if asked.kind == "simulated" or not rows:
        return None
    alt = "How times from start to finish spread, by program"
    n = min(times_ns.size for _, times_ns in rows)
    text = f"{alt}: median and ends; n ≥ {show_count(n)} jobs each, {asked.kind}."
    draw = partial(violins, rows, "start to finish", "versus-violins", alt)
    return FigureBlock("versus-violins", draw, text)
