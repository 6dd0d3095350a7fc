# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Blin et al., figures 6 to 9: overhead tables, a memory profile, and regulated programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from laxity.contention.document import Cell
from laxity.contention.plan import Policy
from laxity.contention.table import RATE_ONE
from laxity.contention.trial import Trial
from laxity.contention.windows import FloatArray
from laxity.jobs.rates import Rates
from laxity.page import figures
from laxity.page.figures import RateLine
from laxity.papers.blin_figures import Line, draw_lines
from laxity.papers.blin_load import EVENTS
from laxity.papers.blin_programs import CORNERS, FFT, REGULATED, Regulated
from laxity.papers.paper import (
    ContentionTrial,
    Drawing,
    Exhibit,
    Experiment,
    LoadGrid,
    Row,
    TaskRun,
)

_PERCENT, _PPM_PER_PERCENT, _MB = 100, 10_000, 1e6
_LIMIT, _HIGH = 5, 70
_NO_VALUE = "The figure is a drawing."
# Loads of this delay mostly compute.
_LONGEST_DELAY = 8000
_POLICIES: tuple[Policy, ...] = ("paper", "sound")
_EQUAL = ((1,), (1, 1), (1, 1, 1))


@dataclass(frozen=True, slots=True)
class _Preset:
    """How much is simulated.

    Attributes:
        programs: That are regulated.
        placements: CPUs with loads, as factors of their delays.
        profiled: Loads of the tables.
        tried: Loads that are regulated.
    """

    programs: tuple[Regulated, ...]
    placements: tuple[tuple[int, ...], ...]
    profiled: LoadGrid
    tried: tuple[LoadGrid, ...]

    @property
    def n_profiled(self) -> int:
        """Count the loads of a table."""
        return _count(self.placements, [self.profiled])

    @property
    def n_tried(self) -> int:
        """Count the loads that are regulated."""
        return _count(self.placements, self.tried)

    @property
    def delays(self) -> tuple[int, int]:
        """The shortest and the longest delay of a load that is regulated."""
        delays = [delay for grid in self.tried for delay in grid.delays]
        return min(delays), max(delays)

    @property
    def reduced(self) -> str:
        """Say what differs from the paper's 990 loads."""
        grid = (
            f"{len(self.profiled.reads)} ratios of reads, {len(self.profiled.delays)} delays and "
            f"{len(self.placements)} placements"
        )
        if self.n_profiled == _count(_PAPERS_PLACEMENTS, [_PAPERS_GRID]):
            return f"{self.n_profiled} loads as in the paper: {grid}, one cold job with each."
        return (
            f"Reduced: {grid} (one, two and three cores with equal delays) in place of 11, 18 and "
            f"5, one cold job with each of the {self.n_profiled} loads."
        )


def _count(placements: Sequence[object], grids: Sequence[LoadGrid]) -> int:
    return len(placements) * sum(len(grid.reads) * len(grid.delays) for grid in grids)


# Section 3.1. The paper gives the number of delays and their ends.
_PAPERS_PLACEMENTS = ((1,), (1, 1), (2, 1), (1, 1, 1), (1, 2, 3))
_PAPERS_GRID = LoadGrid(
    tuple(range(11)),
    (0, 5, 20, 30, 40, 60, 80, 120, 160, 200, 300, 400, 700, 1000, 1500, 2500, 4000, 8000),
)
_TRIED = (LoadGrid((0, 2, 5, 8, 10), (10, 100, 500)), LoadGrid((2,), (_LONGEST_DELAY,)))
_PRESETS = {
    "smoke": _Preset(
        (CORNERS, FFT),
        _EQUAL,
        LoadGrid((0, 5, 10), (0, 30, 200, _LONGEST_DELAY)),
        (LoadGrid((2,), (0, _LONGEST_DELAY)),),
    ),
    "quick": _Preset(REGULATED, _EQUAL, LoadGrid((0, 3, 5, 7, 10), (0, 20, 60, 200, 1000)), _TRIED),
    "full": _Preset(REGULATED, _PAPERS_PLACEMENTS, _PAPERS_GRID, _TRIED),
}


class Trials(Protocol):
    """What rows are computed from."""

    def traffic(self, experiment: Experiment) -> Mapping[str, Rates]:
        """Return what a platform read and wrote in the only job of a run, by event."""

    def trial(self, experiment: Experiment) -> Trial:
        """Return a trial."""


def _trial(program: Regulated, preset: _Preset) -> Experiment:
    work = ContentionTrial(
        program.workload,
        program.word,
        placements=preset.placements,
        profiled=preset.profiled,
        tried=preset.tried,
        policies=_POLICIES,
        theta="5%",
    )
    return Experiment(f"trial-{program.workload}-{program.word}", "sabrelite-partitioned", work)


def _overheads(trials: Trials, trial: Experiment) -> list[FloatArray]:
    """Return the tables of a program with loads on all other CPUs, in percent: by mark and step.

    A mark that is passed often begins several phases of our table; the largest counts.
    """
    first, *others = trials.trial(trial).table.phases
    by_mark: dict[int, FloatArray] = {}
    for phase in (first, *others):
        # The job begins with the first mark.
        checkpoint = phase.checkpoint or others[0].checkpoint
        assert checkpoint is not None  # noqa: S101 - for mypy: only the first phase has none
        table = _PERCENT * np.array(phase.overheads[-1]) / RATE_ONE
        by_mark[checkpoint.mark] = np.maximum(by_mark.get(checkpoint.mark, 0.0), table)
    return list(by_mark.values())


def _step_mb_per_s(trials: Trials, trial: Experiment) -> float:
    return trials.trial(trial).table.step_bytes_per_s / _MB


def _peak_mb_per_s(trials: Trials, trial: Experiment) -> float:
    dearest = max(_overheads(trials, trial), key=np.max)
    return int(np.argmax(dearest)) * _step_mb_per_s(trials, trial)


def _dearest_over_next(trials: Trials, trial: Experiment) -> float:
    *_, next_ones, dearest = sorted(float(table.max()) for table in _overheads(trials, trial))
    return dearest / next_ones


def _figure_6(preset: _Preset) -> Exhibit:
    trial = _trial(CORNERS, preset)

    def draw(trials: Trials, prefix: str, alt: str) -> str:
        step = _step_mb_per_s(trials, trial)
        lines = [
            Line(f"phase {number}", [i * step for i in range(len(table))], table.tolist())
            for number, table in enumerate(_overheads(trials, trial), 1)
        ]
        return draw_lines(
            lines, "traffic (MB/s)", "overhead (% of the time alone)", prefix, alt, marker_every=10
        )

    on_three = [factors for factors in preset.placements if len(factors) == len(_EQUAL)]
    return Exhibit(
        "figure-6",
        "Figure 6: overhead tables of susan -c",
        (trial,),
        (
            Row(
                "phases that the program marks",
                4,
                "phases",
                "input",
                lambda trials: len(_overheads(trials, trial)),
                "Marks of our program, placed where its work changes. They are passed 23 times at "
                "intervals of 50 µs or more, each of which has a table; here the largest counts.",
            ),
            Row(
                "traffic at the highest overhead",
                1000,
                "MB/s",
                "predicted",
                lambda trials: _peak_mb_per_s(trials, trial),
                "The paper says “around 1000 MB/s”. Our program with three writers reaches 970 "
                "MB/s.",
            ),
            Row(
                "highest overhead of a phase, over that of the next lower phase",
                10,
                "times",
                "predicted",
                lambda trials: _dearest_over_next(trials, trial),
                "The paper has this in a very short phase. Ours is another program.",
            ),
            Row(
                "highest overhead",
                None,
                "%",
                "predicted",
                lambda trials: max(float(table.max()) for table in _overheads(trials, trial)),
                "The figure is a drawing. A polynomial through few loads may rise above all of "
                "them.",
                said="no value",
            ),
        ),
        (
            f"Our {CORNERS.ours} with loads on three cores. A table is the maximum of polynomials "
            "for each ratio of reads, packed, as the paper has it (docs/regulation.md, section "
            "10).",
            preset.reduced,
        ),
        (
            Drawing(
                "tables",
                "Overhead tables of corners sqcif with loads on three cores (simulated), n = "
                f"{_count(on_three, [preset.profiled])} loads.",
                draw,
            ),
        ),
    )


def _profile(program: Regulated) -> Experiment:
    task = {"workload": program.workload, "args": [program.word], "period": "20s", "cpus": "0"}
    return Experiment(
        f"profile-{program.workload}-{program.word}",
        "sabrelite-partitioned",
        TaskRun((task,), 1, events=EVENTS, sample_bucket="20us"),
    )


def _mean_mb_per_s(program: Regulated) -> Callable[[Trials], float]:
    profile = _profile(program)
    return lambda trials: sum(rates.mean_per_s for rates in trials.traffic(profile).values()) / _MB


def _write_percent(program: Regulated) -> Callable[[Trials], float]:
    profile = _profile(program)

    def percent(trials: Trials) -> float:
        read, written = (float(rates.counts[-1]) for rates in trials.traffic(profile).values())
        return _PERCENT * written / (read + written)

    return percent


def _profile_drawing(program: Regulated) -> Drawing:
    profile = _profile(program)

    def draw(trials: Trials, prefix: str, alt: str) -> str:
        by_event = trials.traffic(profile).values()
        lines = [
            RateLine(name, rates.edges_ns, rates.per_s)
            for name, rates in zip(("read", "written"), by_event, strict=True)
        ]
        return figures.rates(lines, None, "traffic", "B/s", prefix, alt)

    return Drawing(
        f"profile-{program.workload}-{program.word}",
        f"Traffic of {program.ours} alone over a job (simulated), n = 1 job.",
        draw,
    )


def _figure_7(preset: _Preset) -> Exhibit:
    return Exhibit(
        "figure-7",
        "Figure 7: memory profiles",
        tuple(map(_profile, preset.programs)),
        tuple(
            Row(
                f"{program.name}, {what}",
                None,
                unit,
                "predicted",
                ours(program),
                _NO_VALUE,
                said="no value",
            )
            for program in preset.programs
            for what, unit, ours in (
                ("mean traffic alone", "MB/s", _mean_mb_per_s),
                ("bytes that are written, of all", "%", _write_percent),
            )
        ),
        ("Caches are empty at the start. A point is a window of 20 µs.",),
        tuple(map(_profile_drawing, preset.programs)),
    )


def _cells(trials: Trials, trial: Experiment, policy: Policy) -> list[Cell]:
    evaluations = trials.trial(trial).evaluations
    return next(found.cells for found in evaluations if found.policy == policy)


def _largest(
    trial: Experiment, policy: Policy, ppm: Callable[[Cell], int]
) -> Callable[[Trials], float]:
    return lambda trials: (
        max(ppm(cell) for cell in _cells(trials, trial, policy)) / _PPM_PER_PERCENT
    )


def _smallest(
    trial: Experiment, policy: Policy, delay: int, ppm: Callable[[Cell], int]
) -> Callable[[Trials], float]:
    return lambda trials: (
        min(ppm(cell) for cell in _cells(trials, trial, policy) if cell.load.delay == delay)
        / _PPM_PER_PERCENT
    )


def _n_kept(preset: _Preset, policy: Policy) -> Callable[[Trials], float]:
    largest = [
        _largest(
            _trial(program, preset),
            policy,
            lambda cell: max(cell.regulated_ppm, cell.replayed_ppm),
        )
        for program in preset.programs
    ]
    return lambda trials: sum(percent(trials) <= _LIMIT for percent in largest)


def _n_high(preset: _Preset, policy: Policy) -> Callable[[Trials], float]:
    least = [
        _smallest(
            _trial(program, preset), policy, preset.delays[1], lambda cell: cell.parallelism_ppm
        )
        for program in preset.programs
    ]
    return lambda trials: sum(map(_is_high, (percent(trials) for percent in least)))


def _counted_rows(
    what: str,
    said: str,
    preset: _Preset,
    count: Callable[[_Preset, Policy], Callable[[Trials], float]],
    reason: str,
) -> tuple[Row, ...]:
    return tuple(
        Row(
            f"{what}, policy {policy}",
            None,
            f"of {len(preset.programs)}",
            "predicted",
            count(preset, policy),
            reason,
            said=said if policy == "paper" else "not in the paper",
        )
        for policy in _POLICIES
    )


def _regulated_rows(program: Regulated, trial: Experiment) -> tuple[Row, ...]:
    is_judged = bool(program.original)
    said = "5 % or less" if is_judged else "not regulated there"
    return (
        Row(
            f"{program.name}, not regulated",
            None,
            "%",
            "predicted",
            _largest(trial, "paper", lambda cell: cell.load.overhead_ppm),
            _MIXED,
            said="over 10 %" if is_judged else "no value",
            agrees=(lambda percent: percent > 2 * _LIMIT) if is_judged else None,
        ),
        *(
            Row(
                f"{program.name}, policy {policy}, {how}",
                None,
                "%",
                "predicted",
                _largest(trial, policy, ppm),
                _AVERAGES if policy == "paper" else _SOUND,
                said=said if policy == "paper" else "not in the paper",
                agrees=(lambda percent: percent <= _LIMIT)
                if policy == "paper" and is_judged
                else None,
            )
            for policy in _POLICIES
            for how, ppm in (
                ("simulated", lambda cell: cell.regulated_ppm),
                ("replayed", lambda cell: cell.replayed_ppm),
            )
        ),
    )


_MIXED = "The largest with the loads that are tried; figure 3 has three writers without delay."
_AVERAGES = (
    "The packed table charges each load as a load that only writes, so that the loads stop early. "
    "A sample of 50 µs is 0.2 to 3.4 % of our jobs, 0.2 to 4.3 % of the paper's."
)
_SOUND = "Our policy with an envelope of windows; its promise is 5 %."


def _tried(preset: _Preset) -> str:
    grids = " and ".join(
        f"{_listed(grid.reads)} lines of 10 read with delays of {_listed(grid.delays)}"
        for grid in preset.tried
    )
    return (
        f"The largest of {preset.n_tried} loads: {grids}, in {len(preset.placements)} placements "
        "on one, two and three cores. Replayed: 20 starts against the samples and 15 pausing loads "
        "for each of them. The paper has 990 loads and 13 programs: 12 kept 5 %, sha small reached "
        "5.10 %."
    )


def _listed(numbers: Sequence[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _figure_8(preset: _Preset) -> Exhibit:
    trials = {program: _trial(program, preset) for program in preset.programs}
    return Exhibit(
        "figure-8",
        "Figure 8: overhead with regulation",
        tuple(trials.values()),
        (
            *_counted_rows(
                "programs that lose at most 5 % with each load",
                "12 of 13",
                preset,
                _n_kept,
                "Simulated and replayed jobs count. In the paper sha small lost 5.10 %.",
            ),
            *(row for program, trial in trials.items() for row in _regulated_rows(program, trial)),
        ),
        (_tried(preset), preset.reduced),
    )


def _parallelism_rows(
    program: Regulated, trial: Experiment, delays: Sequence[int]
) -> tuple[Row, ...]:
    rows = []
    for delay in delays:
        is_judged = program.has_parallelism and delay == _LONGEST_DELAY
        rows += [
            Row(
                f"{program.name}, delay {delay}, policy {policy}",
                None,
                "%",
                "predicted",
                _smallest(trial, policy, delay, lambda cell: cell.parallelism_ppm),
                "The paper says this of loads that mostly compute." if is_judged else _NO_VALUE,
                said="70 % or more" if is_judged and policy == "paper" else "no value",
                agrees=_is_high if is_judged and policy == "paper" else None,
            )
            for policy in _POLICIES
        ]
        rows.append(
            Row(
                f"{program.name}, delay {delay}, optimum",
                None,
                "%",
                "predicted",
                _smallest(trial, "sound", delay, lambda cell: cell.optimum_ppm),
                "Ours: a regulator that knows in advance what each 10 µs lose.",
                said="not in the paper",
            )
        )
    return tuple(rows)


def _is_high(percent: float) -> bool:
    return percent >= _HIGH


def _figure_9(preset: _Preset) -> Exhibit:
    trials = {program: _trial(program, preset) for program in preset.programs}
    return Exhibit(
        "figure-9",
        "Figure 9: parallelism with regulation",
        tuple(trials.values()),
        (
            *_counted_rows(
                f"programs with at least 70 %, delay {preset.delays[1]}",
                "7 of 13",
                preset,
                _n_high,
                "The paper says this of loads that mostly compute.",
            ),
            *(
                row
                for program, trial in trials.items()
                for row in _parallelism_rows(program, trial, preset.delays)
            ),
        ),
        (
            "The smallest part of a job in which the loads may run, over all loads of that delay "
            "that are tried (figure 8).",
            preset.reduced,
        ),
    )


REGULATION = {
    name: (_figure_6(preset), _figure_7(preset), _figure_8(preset), _figure_9(preset))
    for name, preset in _PRESETS.items()
}
