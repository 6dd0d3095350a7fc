# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Figures 6 and 7 of Raffeck et al.: live working sets of TACLeBench's programs."""

from collections.abc import Sequence

import numpy as np

from laxity.papers.paper import Drawing, Exhibit, Experiment, Row, SuiteAnalysis
from laxity.papers.raffeck_found import Found
from laxity.workingset.data import Progression
from laxity.workingset.document import BITS_PER_BYTE, CLASSES, ProgramAnswer, Weight
from laxity.workingset.figure import heat_map, progression_figure
from laxity.workingset.occurrence import share_of_highest

_PERCENT = 100
_LIMIT_KIB = 10
_BITS_PER_KIB = 1024 * BITS_PER_BYTE
NEAR_WORST = ("filterbank", "jfdctint", "petrinet")
SPREAD = ("prime", "st")
SUITE = Experiment(
    "suite",
    "",
    SuiteAnalysis("sroa", ("static", "situation", "trace"), (*NEAR_WORST, *SPREAD)),
)
ST = Experiment(
    "st",
    "",
    SuiteAnalysis("inline", ("static",), ("st",), is_of_named_alone=True, has_progression=True),
)


def peaks(counts: Sequence[float]) -> int:
    """Count the tenths that are commoner than their neighbours; equal ones beside them are one.

    Args:
        counts: Of the tenths, the smallest first; [] if nothing is known.
    """
    levels = [one for at, one in enumerate(counts) if at == 0 or one != counts[at - 1]]
    bordered = [0.0, *levels, 0.0]
    inner = zip(bordered, bordered[1:], bordered[2:], strict=False)
    return sum(before < here > behind for before, here, behind in inner)


def _near_worst_row(program: str, weight: Weight, how: str, reason: str) -> Row:
    return Row(
        f"{program}, in the two highest tenths, {how}",
        None,
        "%",
        "predicted",
        lambda found: (
            _PERCENT * (share_of_highest(found.tenths(SUITE, program, weight) or [0.0]) or 0.0)
        ),
        reason,
        said="“near the worst-case estimate most of the time”",
        agrees=lambda percent: percent > _PERCENT / 2,
    )


def _peaks_row(program: str) -> Row:
    return Row(
        f"{program}, tenths that are commoner than their neighbours",
        None,
        "peaks",
        "predicted",
        lambda found: float(peaks(found.tenths(SUITE, program, "situation"))),
        "Each instruction once per calling situation, as if each call had a body of its own.",
        said="“several peaks”",
        agrees=lambda number: number > 1,
    )


def _bounded(found: Found) -> list[ProgramAnswer]:
    programs = found.working_sets(SUITE).answer.programs
    return [one for one in programs if one.live is not None and not one.unbounded]


def _most_kib(one: ProgramAnswer) -> float:
    most = None if one.bounded is None else one.bounded.max
    return float("inf") if most is None else most / _BITS_PER_KIB


def _class_row(name: str) -> Row:
    return Row(
        f"the most of class {name} that is live in any program",
        None,
        "KiB",
        "predicted",
        lambda found: max(
            (
                one.classes.get(name, 0) / _BITS_PER_KIB
                for one in found.working_sets(SUITE).answer.programs
            ),
            default=0.0,
        ),
        "Of the program that has most of it; stack and globals of one decide, as susan's.",
        said=f"smaller than {_LIMIT_KIB} KiB",
        agrees=lambda kib: kib < _LIMIT_KIB,
    )


_ONCE = "Each instruction once, by its largest set, as in the paper."
_EXECUTED = "Each instruction as often as one run executes it."
FIGURE_6 = Exhibit(
    "figure-6",
    "Figure 6: working sets of programs, within the range of each",
    (SUITE,),
    (
        *(
            row
            for program in NEAR_WORST
            for row in (
                _near_worst_row(program, "static", "each instruction once", _ONCE),
                _near_worst_row(program, "trace", "as executed", _EXECUTED),
            )
        ),
        *map(_peaks_row, SPREAD),
        Row(
            "programs with a bound",
            None,
            "programs",
            "predicted",
            lambda found: float(len(_bounded(found))),
            "Recursion, and memory of unknown size, have none.",
            said="a heat map of the suite",
        ),
        Row(
            f"of these, largest set not smaller than {_LIMIT_KIB} KiB",
            None,
            "programs",
            "predicted",
            lambda found: float(sum(_most_kib(one) >= _LIMIT_KIB for one in _bounded(found))),
            "All classes together. The paper does not say which it counts, nor of which programs; "
            "by class the most stands below.",
            said="none",
            agrees=lambda number: number == 0,
        ),
        *map(_class_row, CLASSES),
    ),
    notes=(
        "Computed by laxity workingset of the checkout, form sroa, not simulated; volatile "
        "variables count as memory. Of what has no bound the rest counts.",
    ),
    drawings=(
        Drawing(
            "heat-map",
            "How often working sets of each tenth of a program's range occur, each instruction "
            "once; fuller colour: more often (proven bounds).",
            lambda found, prefix, alt: heat_map(
                [
                    (one.program, found.tenths(SUITE, one.program, "static") or None)
                    for one in found.working_sets(SUITE).answer.programs
                    if one.live is not None
                ],
                prefix,
                alt,
            ),
        ),
    ),
)


def _progression(found: Found) -> Progression:
    (one,) = found.working_sets(ST).progressions
    return one


def _share_low(one: Progression) -> float:
    """Return how much of the run passes with at most half of the largest bound live."""
    lengths = np.diff(np.append(one.first, one.executed))
    is_low = 2 * one.static_most <= one.static_most.max()
    return float(lengths[is_low].sum() / one.executed)


_TRACED = "Of one run, as the paper's trace; form inline."
FIGURE_7 = Exhibit(
    "figure-7",
    "Figure 7: the working set of st along a run",
    (ST,),
    (
        Row(
            "largest bound along the run",
            None,
            "KiB",
            "predicted",
            lambda found: float(_progression(found).static_most.max()) / 1024,
            _TRACED,
            said="“notable differences”",
        ),
        Row(
            "smallest",
            None,
            "KiB",
            "predicted",
            lambda found: float(_progression(found).static_least.min()) / 1024,
            _TRACED,
            said="“notable differences”",
        ),
        Row(
            "of the run, at most half of the largest is live",
            None,
            "%",
            "predicted",
            lambda found: _PERCENT * _share_low(_progression(found)),
            _TRACED,
            said="“notable differences”",
        ),
    ),
    drawings=(
        Drawing(
            "st",
            "Live memory along a run of st: the bound, and what was live (proven, and traced in "
            "one run).",
            lambda found, prefix, alt: progression_figure(_progression(found), prefix, alt),
        ),
    ),
)
