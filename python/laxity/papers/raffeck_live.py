# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What Raffeck et al. leave open: what moves at a migration, beside what the analysis calls live.

And how much time that saves, where a migration may wait or hurry to where less is live.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from laxity.papers.live import Moves, saved_ns
from laxity.papers.live_figure import draw_moves
from laxity.papers.paper import Drawing, Exhibit, Experiment, LiveAnalysis, MigratedRun, Row
from laxity.papers.raffeck_found import Found

PROGRAMS = ("filter", "image", "matrix", "merge", "waves")
PARTS = 100
# A cycle of 2.5 GHz.
_INSTRUCTION_NS = Fraction(2, 5)
# The neighbouring domain, one hop away.
_CPUS = (0, 6)
# Of a job, before and behind: as `laxity workingset --window` in docs/working-set.md.
_WINDOW_PERCENT = 5
_PERCENT = 100
_NS_PER_US = 1000
SETS = Experiment("live-sets", "", LiveAnalysis(PROGRAMS))
RUNS = {
    program: Experiment(
        f"live-{program}", "opteron-6180", MigratedRun(program, _CPUS, PARTS, _INSTRUCTION_NS)
    )
    for program in PROGRAMS
}
_ALL = tuple(RUNS.values())
_WORKING_SET = "“the live part … must be transferred between cores”"
_NOTHING = "Nothing is said of it."
_WHOLE_ARRAYS = (
    "An array counts as a whole while a loop goes through it. What stores alone bring besides is "
    "overwritten; no core of the model waits for a store while its store buffer has room."
)
_FLAT = (
    "Along a loop the analysis says nearly the same everywhere, so that a few bytes of values "
    "decide where to go; it saves where an array is no longer, or not yet, live."
)
_HINDSIGHT = "As if the cost of each instant were known: what no analysis can exceed."
_ANYWHERE = "As if a deadline allowed to wait so long, and something told in time to hurry."


def _moves(program: str) -> Callable[[Found], Moves]:
    return lambda found: found.moves(SETS, RUNS[program])


def _costs_us(moves: Moves) -> list[float]:
    return [one.cost_ns / _NS_PER_US for one in moves.middles]


def _saved_us(percent: int, moves: Moves, *, in_hindsight: bool = False) -> list[float]:
    window_ns = moves.length_ns * percent // _PERCENT
    saved = saved_ns(moves, window_ns, in_hindsight=in_hindsight)
    return [one / _NS_PER_US for one in saved]


def _median_saved_us(percent: int, moves: Moves) -> float:
    return float(np.median(_saved_us(percent, moves)))


def _most_saved_us(percent: int, moves: Moves) -> float:
    return max(_saved_us(percent, moves))


def _saved_percent(percent: int, moves: Moves, *, in_hindsight: bool = False) -> float:
    saved = sum(_saved_us(percent, moves, in_hindsight=in_hindsight))
    return _PERCENT * saved / sum(_costs_us(moves))


def _shares_percent(moves: Moves) -> list[float]:
    return [_PERCENT * one.loaded / (one.live_lines + moves.stack_lines) for one in moves.all]


def _rows_of(program: str) -> Iterator[Row]:
    moves = _moves(program)

    def row(what: str, unit: str, ours: Callable[[Moves], float], reason: str = _NOTHING) -> Row:
        name = f"{program}, {what}"
        return Row(name, None, unit, "predicted", lambda found: ours(moves(found)), reason)

    shares = "lines that loads bring over those that are live or stack"
    yield row(f"{shares}, the most", "%", lambda one: max(_shares_percent(one)), _WHOLE_ARRAYS)
    yield row(
        f"{shares}, median", "%", lambda one: float(np.median(_shares_percent(one))), _WHOLE_ARRAYS
    )
    yield row("a migration, median", "µs", lambda one: float(np.median(_costs_us(one))))
    yield row("a migration, the dearest", "µs", lambda one: max(_costs_us(one)))
    for percent, where, reason in (
        (_WINDOW_PERCENT, f"where least is live within {_WINDOW_PERCENT} %", _FLAT),
        (_PERCENT, "where least is live in the job", _ANYWHERE),
    ):
        yield row(f"{where}: saved, median", "µs", partial(_median_saved_us, percent), reason)
        yield row(f"{where}: saved, the most", "µs", partial(_most_saved_us, percent), reason)
        yield row(f"{where}: saved of all costs", "%", partial(_saved_percent, percent), reason)
    yield row(
        f"in hindsight within {_WINDOW_PERCENT} %: saved of all costs",
        "%",
        partial(_saved_percent, _WINDOW_PERCENT, in_hindsight=True),
        _HINDSIGHT,
    )


def _draw(program: str, found: Found, prefix: str, alt: str) -> str:
    return draw_moves(_moves(program)(found), prefix, alt)


LIVE = Exhibit(
    "live",
    "Live working sets: what moves beside what is live",
    (SETS, *_ALL),
    (
        Row(
            "migrations compared",
            None,
            "migrations",
            "predicted",
            lambda found: float(sum(len(_moves(one)(found).all) for one in PROGRAMS)),
            "In each hundredth of a job of five programs one in the middle, and one where least is "
            "live. Where that is the first instruction of all the job begins on the other core.",
        ),
        Row(
            "of these, with more lines than live bytes, stack and code explain",
            None,
            "migrations",
            "predicted",
            lambda found: float(
                sum(
                    _moves(program)(found).unexplained(one) > 0
                    for program in PROGRAMS
                    for one in _moves(program)(found).all
                )
            ),
            "None: what the analysis calls dead is not read.",
            said=_WORKING_SET,
            agrees=lambda number: number == 0,
        ),
        *(row for program in PROGRAMS for row in _rows_of(program)),
    ),
    notes=(
        "Five programs of ours (papers/live), of which the code that was analysed is executed, a "
        "job at each instant on sim:opteron-6180: it has its lines in the caches of core 0, and "
        "goes on on core 6, a hop away, which has none of its data. The cost is what this job and "
        "the two after it take longer. “Saved”: the migration waits, or hurries, up to 5 % of the "
        "job, or as long as it likes, to the instant where the analysis says that least is live, "
        "of equals to the nearest. Switch and wake-up are in no time.",
        "Tasks of one executable share code and constants, so that core 6 has these already, but "
        "for the first migration of each program, whose time does not count. Lines that stores "
        "alone bring are in no bound: caches move them though all of them may be dead. In waves "
        "rounds of halving length overwrite an array, which the analysis cannot tell: it calls "
        "both arrays live nearly everywhere, and its least place is a dear one. "
        "docs/working-set.md says how lines are counted.",
    ),
    drawings=tuple(
        Drawing(
            RUNS[program].name,
            f"{program}: lines that follow a job from core 0 to core 6 by when it is driven away "
            "(simulated), under what is live there (proven).",
            partial(_draw, program),
        )
        for program in PROGRAMS
    ),
)
