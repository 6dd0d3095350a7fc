#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How much waiting for a migration point saves on recorded runs of a suite, and whether it holds.

    env PYTHONPATH=python .venv/bin/python -m bench.migration_points tacle-bench/bench

Each program runs, and all of its run is looked at, however long: the cheapest candidate of every
window of a tenth and a hundredth of the run and of 1000 instructions, wherever it begins, is
compared with a look at each instruction, and so is the ranking of `--window`. At 25, 50 and 75 % of
the run, and at each position, the live set there is compared with the cheapest candidate within 5 %
of the run before and behind. Points are placed 10 % of the longest run apart at most: their
distances on the run, when it came by each candidate, and that no choice for this run alone needs
more than was chosen for all, must be as said.

With `--savings-only` nothing is compared: it shows what is saved at 25, 50 and 75 %, also if the
task might migrate before any instruction, as our prototype had it in form inline.
"""

import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
from bench.spelled_runs import SpelledCode, SpelledWindows
from numpy.typing import NDArray

from laxity.errors import LaxityError
from laxity.workingset.analyse import analyse
from laxity.workingset.bitcode import BitcodeToolchain, Form, bitcode_toolchain
from laxity.workingset.bitcode_programs import BitcodeProgram, Place, programs_of_suites
from laxity.workingset.migration_points_document import MigrationPoints
from laxity.workingset.migration_trace import (
    Along,
    Code,
    LargestDistance,
    LeastOfWindows,
    Visit,
    join_visits,
    rank_along,
    ranks_of,
    visits_of,
)
from laxity.workingset.points import PointsAsked, migration_points
from laxity.workingset.segments import Traced, trace_segments
from laxity.workingset.tables import INSTRUCTIONS, TOTAL, Table, read_table
from laxity.workingset.trace import Inputs
from laxity.workingset.weights import stated_bounds
from laxity.workingset.windows import Layout, code_of, read_layout

AT_PERCENT = (25, 50, 75)
REACH_PERCENT = 5
DISTANCE_PERCENT = 10
SHORT_WINDOW = 1000
# As the prototype counted.
MUCH_PERCENT = 10
# Instructions that are compared at once; and some of them whose sizes are.
BATCH, SLICE = 8_000_000, 1_000_000
PATIENCE_S = 1200


@dataclass(slots=True)
class Found:
    """What was found of one program.

    Attributes:
        length: Of its run; instructions.
        points: Its candidates, and the placement.
        windows: How many were compared.
        without: How many of them hold no candidate that may be chosen.
        differences: How many were answered wrongly.
        saved: At 25, 50 and 75 % of the run; ratios.
        saved_everywhere: Sum of ratios over positions, and their number.
        saved_by_any: As `saved` if each instruction were a candidate.
        run_bits: The least possible largest set of points for this run alone; None: it needs none.
    """

    length: int
    points: MigrationPoints
    windows: int = 0
    without: int = 0
    differences: int = 0
    saved: list[float] = field(default_factory=list)
    saved_everywhere: tuple[float, int] = (0.0, 0)
    saved_by_any: list[float] = field(default_factory=list)
    run_bits: int | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """A program that was recorded.

    Attributes:
        traced: It runs again as often as it has to.
        code: Its segments as the tool has them.
        spelled: And as they are spelled out.
        ranks: Of candidates, -1 where one may not be chosen.
        sizes: Of each rank; bits.
        points: Its candidates.
        length: Of its run; instructions.
    """

    traced: Traced
    code: Code
    spelled: SpelledCode
    ranks: NDArray[np.int64]
    sizes: list[int]
    points: MigrationPoints
    length: int


def require(holds: bool, what: str) -> None:
    """Stop where the analysis does not hold."""
    if not holds:
        msg = f"WRONG: {what}"
        raise RuntimeError(msg)


def subject_of(program: BitcodeProgram, toolchain: BitcodeToolchain, scratch: Path) -> Subject:
    """Analyse a program, find its points, and learn how long its run is."""
    named = [(program.name, program.bitcode)]
    (one,) = analyse(named, scratch, None, PATIENCE_S, ("--form", toolchain.form))
    table = read_table(one.directory / INSTRUCTIONS)
    table = table.chosen(np.array([word != "unreached" for word in table.texts("status")]))
    bounds = stated_bounds(toolchain, program, one).most
    asked = PointsAsked(DISTANCE_PERCENT, is_percent=True)
    points = migration_points(asked, one.directory, table, bounds, "main")
    require(bool(points.candidates), points.reason)
    to = scratch / "segments"
    to.mkdir()
    traced = trace_segments(program.bitcode, Inputs(), to, PATIENCE_S)
    layout = read_layout(traced.segments, table)
    code = code_of(layout, table, points.candidates)
    sizes = {one.number: one.live_bits for one in points.candidates if one.live_bits is not None}
    ranks, distinct = ranks_of(sizes, len_of(points))
    spelled = spelled_code(layout, table, points, ranks)
    length = 0
    with traced.run() as chunks:
        for chunk in chunks:
            length += len(spelled.spell(chunk)[0])
    return Subject(traced, code, spelled, ranks, distinct, points, length)


def len_of(points: MigrationPoints) -> int:
    """Count the numbers that candidates may have."""
    return 1 + max(one.number for one in points.candidates)


def spelled_code(
    layout: Layout, table: Table, points: MigrationPoints, ranks: NDArray[np.int64]
) -> SpelledCode:
    """Find the candidates in the table of instructions, without the tool's segments."""
    rank_at = {(one.function, one.block, one.index): ranks[one.number] for one in points.candidates}
    keys = zip(
        table.texts("function"), table.texts("block"), table.integers("index").tolist(), strict=True
    )
    ranked = {row: int(rank_at[key]) for row, key in enumerate(keys) if rank_at.get(key, -1) >= 0}
    return SpelledCode(layout.rows, table.bits(TOTAL), ranked)


def check_visits(subject: Subject) -> None:
    """Compare what was said of all runs with this one."""
    points = subject.points
    if points.longest_run is not None:
        require(subject.length <= points.longest_run, f"a run of {subject.length}")
    by_number = {one.number: one for one in points.candidates}
    visits: dict[int, Visit] = {}
    distance = LargestDistance(points.placed or (), len_of(points))
    with subject.traced.run() as chunks:
        for piece in subject.code.pieces(chunks):
            join_visits(visits, visits_of(piece.positions, piece.points))
            distance.add(piece)
            end = piece.end
    require(end == subject.length, f"a run of {end} and one of {subject.length}")
    for number, visit in visits.items():
        one = by_number[number]
        is_early = one.earliest is not None and visit.first < one.earliest
        require(not is_early, f"{one} at {visit.first}")
        require(one.latest is None or visit.last <= one.latest, f"{one} at {visit.last}")
        if not points.reason:
            require(one.earliest is not None, f"{one} has no span")
    if points.placed is not None and points.largest_distance is not None:
        found = distance.at_end(subject.length)
        require(found <= points.largest_distance, f"a distance of {found}")


# Of the first position and the ranks of the windows from there on.
Watcher = Callable[[int, NDArray[Any]], None]


def check_windows(subject: Subject, window: int, found: Found, watch: Watcher) -> None:
    """Compare the cheapest candidate of every window with a look at each instruction of it.

    Args:
        subject: The program.
        window: Length; instructions.
        found: Gets what was found.
        watch: Is told the ranks of windows from the one that begins at a position.
    """
    fast = LeastOfWindows(window, len(subject.sizes))
    slow = SpelledWindows(window, BATCH)
    waiting: list[NDArray[Any]] = []
    start = 0

    def compare(least: NDArray[Any]) -> None:
        nonlocal start
        if not least.size:
            return
        answered = np.concatenate(waiting)
        require(len(answered) >= len(least), f"{len(answered)} of {len(least)} windows answered")
        waiting[:] = [answered[len(least) :]]
        found.windows += len(least)
        found.without += int((least == subject.spelled.none).sum())
        # Both number the sizes alike, up to "none".
        expected = np.where(least == subject.spelled.none, len(subject.sizes), least)
        found.differences += int((expected != answered[: len(least)]).sum())
        watch(start, least)
        start += len(least)

    with subject.traced.run() as chunks:
        for piece in subject.code.pieces(chunks):
            ranks = subject.ranks[piece.points]
            is_chosen = ranks >= 0
            steps = fast.add(piece.positions[is_chosen], ranks[is_chosen], piece.end)
            lengths = np.diff(np.append(steps.starts, steps.end))
            waiting.append(np.repeat(steps.ranks, lengths).astype(np.uint32))
            compare(slow.add(subject.spelled.spell(piece.executed)[0]))
    compare(slow.rest())
    require(sum(map(len, waiting)) == 0, "more windows are answered than there are")


def check_ranking(subject: Subject, window: int, firsts: dict[int, int], found: Found) -> None:
    """Compare the ranking that a user gets with the cheapest of each window, as spelled out."""
    sizes = {
        number: subject.sizes[rank]
        for number, rank in enumerate(subject.ranks.tolist())
        if rank >= 0
    }
    with subject.traced.run() as chunks:
        along: Along = rank_along(subject.code, chunks, window, sizes, len(subject.ranks))
    for number, visits in enumerate(along.windows):
        if number * window not in firsts:
            continue  # shorter than the others
        least = min((sizes[one] for one in visits), default=None)
        rank = firsts[number * window]
        expected = None if rank == subject.spelled.none else subject.sizes[rank]
        found.windows += 1
        found.differences += int(least != expected)


class Savings:
    """What waiting or hurrying by at most a reach saves, at each position of a run."""

    def __init__(self, subject: Subject, reach: int) -> None:
        self._sizes = np.array([*subject.sizes, np.nan], dtype=np.float64)
        self._reach = reach
        self._places = [subject.length * percent // 100 for percent in AT_PERCENT]
        self._bits = _Bits(subject)
        self.at: list[float] = []
        self.total, self.n = 0.0, 0

    def watch(self, start: int, least: NDArray[Any]) -> None:
        """Take windows; the middle of each is `reach` behind its start."""
        for first in range(0, len(least), SLICE):
            part = least[first : first + SLICE]
            middle = start + first + self._reach
            here = self._bits.take(middle, middle + len(part))
            with np.errstate(divide="ignore", invalid="ignore"):
                saved = 1 - self._sizes[part] / here
            is_told = np.isfinite(saved) & np.isfinite(here) & (here > 0)
            self.total += float(saved[is_told].sum())
            self.n += int(is_told.sum())
            for place in self._places:
                at = place - middle
                if 0 <= at < len(part) and is_told[at]:
                    self.at.append(float(saved[at]))

    def close(self) -> None:
        """End the second look at the run."""
        self._bits.close()


def saved_within(subject: Subject, reach: int) -> tuple[list[float], list[float]]:
    """Return what the cheapest place within `reach` saves: a candidate, and any instruction."""
    places = [subject.length * percent // 100 for percent in AT_PERCENT]
    here: dict[int, float] = {}
    least_rank = dict.fromkeys(places, subject.spelled.none)
    least_bits = dict.fromkeys(places, np.inf)
    start = 0
    with subject.traced.run() as chunks:
        for chunk in chunks:
            ranks, bits = subject.spelled.spell(chunk)
            for place in places:
                if start <= place < start + len(bits):
                    here[place] = float(bits[place - start])
                near = slice(max(place - reach - start, 0), max(place + reach + 1 - start, 0))
                least_rank[place] = int(ranks[near].min(initial=least_rank[place]))
                least_bits[place] = float(bits[near].min(initial=least_bits[place]))
            start += len(bits)
    sizes = [*subject.sizes, np.nan]
    told = [place for place in places if here[place] > 0 and np.isfinite(here[place])]
    by_candidate = [1 - sizes[least_rank[place]] / here[place] for place in told]
    return (
        [one for one in by_candidate if np.isfinite(one)],
        [1 - least_bits[place] / here[place] for place in told],
    )


class _Bits:
    """What is live at each position, by a run of its own."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._running = subject.traced.run()
        self._chunks = self._running.__enter__()
        self._start = 0
        self._kept = np.zeros(0)

    def take(self, first: int, end: int) -> NDArray[np.float64]:
        """Return positions from `first` on and before `end`; those before are over."""
        while self._start + len(self._kept) < end:
            self._drop(first)
            bits = self._subject.spelled.spell(next(self._chunks))[1]
            self._kept = np.concatenate([self._kept, bits])
        self._drop(first)
        return self._kept[: end - first]

    def _drop(self, first: int) -> None:
        old = min(first - self._start, len(self._kept))
        if old > 0:
            self._kept = self._kept[old:]
            self._start += old

    def close(self) -> None:
        for _ in self._chunks:
            pass
        self._running.__exit__(None, None, None)


def judge(subject: Subject) -> Found:
    """Compare one program, and see what its points save."""
    found = Found(subject.length, subject.points)
    check_visits(subject)
    reach = subject.length * REACH_PERCENT // 100
    savings = Savings(subject, reach)
    check_windows(subject, 2 * reach + 1, found, savings.watch)
    savings.close()
    found.saved, found.saved_everywhere = savings.at, (savings.total, savings.n)
    by_candidate, found.saved_by_any = saved_within(subject, reach)
    require(np.allclose(by_candidate, found.saved), f"{by_candidate} saved, not {found.saved}")
    tenth = max(1, -(-subject.length // 10))
    firsts: dict[int, int] = {}

    def keep_firsts(start: int, least: NDArray[Any]) -> None:
        for at in range(-start % tenth, len(least), tenth):
            firsts[start + at] = int(least[at])

    check_windows(subject, tenth, found, keep_firsts)
    check_ranking(subject, tenth, firsts, found)
    for window in sorted({max(1, subject.length // 100), min(SHORT_WINDOW, subject.length)}):
        check_windows(subject, window, found, lambda *_: None)
    check_placement(subject, found)
    return found


def measure_savings(subject: Subject) -> Found:
    """See what one program's points save, without a look at whether they are right."""
    found = Found(subject.length, subject.points)
    reach = subject.length * REACH_PERCENT // 100
    found.saved, found.saved_by_any = saved_within(subject, reach)
    return found


def check_placement(subject: Subject, found: Found) -> None:
    """Find the least possible largest set for this run alone; that for all runs is no less."""
    points = subject.points
    if points.distance is None or points.distance >= subject.length or points.distance < 1:
        return
    worst = -1

    def keep_worst(start: int, least: NDArray[Any]) -> None:
        nonlocal worst
        # The first point may be as far from the start as one from another: one more than a window.
        inner = least[1:] if start == 0 else least
        worst = max(worst, int(inner.max(initial=0)))

    check_windows(subject, points.distance, found, keep_worst)
    if points.placed is None:
        return
    require(worst < subject.spelled.none, "no choice keeps the distance on this run")
    found.run_bits = subject.sizes[worst]
    require((points.largest_bits or 0) >= found.run_bits, f"a placement below {found.run_bits}")


COLUMNS = (
    "program run_instructions windows without_candidate differences saved_percent "
    "saved_everywhere_percent saved_by_any_percent placed largest_bits least_for_this_run_bits "
    "of_max_percent"
)


@click.command(help=__doc__)
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--only", multiple=True, help="This program alone. Repeatable.")
@click.option("--form", type=click.Choice([Form.SROA.value, Form.INLINE.value]), default="sroa")
@click.option("--savings-only", is_flag=True, help="Compare nothing.")
def main(suite: Path, only: tuple[str, ...], form: str, *, savings_only: bool) -> None:
    """Judge the programs of a suite."""
    toolchain = bitcode_toolchain(Form(form), None, ())
    examine = measure_savings if savings_only else judge
    all_found: dict[str, Found] = {}
    click.echo(COLUMNS)
    with tempfile.TemporaryDirectory() as build:
        place = Place(Path(build), toolchain)
        for program in programs_of_suites([suite], only, place).programs:
            with tempfile.TemporaryDirectory() as scratch:
                try:
                    found = examine(subject_of(program, toolchain, Path(scratch)))
                except (RuntimeError, OSError, LaxityError) as error:
                    click.echo(f"{program.name}: {type(error).__name__}: {error}")
                    continue
            click.echo(" ".join([program.name, *row(found)]))
            all_found[program.name] = found
    for line in summary(all_found):
        click.echo(line)


def row(found: Found) -> list[str]:
    """Show a program."""
    points, (total, n) = found.points, found.saved_everywhere
    most = max((one.live_bits or 0 for one in points.candidates), default=0)
    largest = points.largest_bits
    placed = "none" if points.placed is None else str(len(points.placed))
    return [
        str(found.length),
        *(str(found.windows), str(found.without), str(found.differences)),
        f"{100 * statistics.mean(found.saved):.1f}" if found.saved else "-",
        f"{100 * total / n:.1f}" if n else "-",
        f"{100 * statistics.mean(found.saved_by_any):.1f}" if found.saved_by_any else "-",
        points.reason.replace(" ", "_") or placed,
        *("-" if one is None else str(one) for one in (largest, found.run_bits)),
        "-" if largest is None or not most else f"{100 * largest / most:.0f}",
    ]


def summary(found: dict[str, Found]) -> list[str]:
    """Say what all programs have in common."""
    lines = [
        f"{len(found)} programs, {sum(one.length for one in found.values())} instructions, "
        f"{sum(one.windows for one in found.values())} windows compared, "
        f"{sum(one.differences for one in found.values())} differences"
    ]
    at = {name: 100 * statistics.mean(one.saved) for name, one in found.items() if one.saved}
    everywhere = {
        name: 100 * one.saved_everywhere[0] / one.saved_everywhere[1]
        for name, one in found.items()
        if one.saved_everywhere[1]
    }
    by_any = {
        name: 100 * statistics.mean(one.saved_by_any)
        for name, one in found.items()
        if one.saved_by_any
    }
    for what, means in (
        ("3 windows of 5 % either side in one run each", at),
        ("the same if any instruction may be chosen", by_any),
        ("such a window around each position of one run each", everywhere),
    ):
        if means:
            best = max(means, key=lambda one: means[one])
            much = sum(one > MUCH_PERCENT for one in means.values())
            lines.append(
                f"saved: mean of {len(means)} programs {statistics.mean(means.values()):.1f} %, "
                f"above 10 % in {much}, best {best} {means[best]:.0f} %; bits, n = {what} "
                "(prototype 13.3 %, 51 programs, inlined; OSPERT'19 up to 76 %)"
            )
    both = [one for one in found.values() if one.run_bits is not None]
    same = sum(one.points.largest_bits == one.run_bits for one in both)
    lines.append(
        f"placement for all paths: as little as for the recorded run alone in {same} of "
        f"{len(both)} programs, more in the others, never less"
    )
    return lines


if __name__ == "__main__":
    main()
