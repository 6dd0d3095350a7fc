# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points of a program: part of workingset.json, and alone the hint table for a run time.

Distances are executed instructions of the analysed form. `null` means "not known", never zero.
"""

import msgspec

HINTS_SCHEMA = 1


class Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of all parts: closed and immutable."""


class MigrationPoint(Record, frozen=True, kw_only=True):
    """A candidate: just before an instruction; `line` null: the compiler names no line for it.

    `kinds`: entry (of a block), call (before one), return (behind one), preheader and latch (at
    their ends). `live_bits` null: unbounded, so it is never chosen. `earliest` and `latest`: a run
    comes by it within them only; null: nothing bounds it, or nothing can be told (`assumptions`).
    `cost_ns`: what a migration of so much took at most, of `cost_n` samples, as `cost_kind` says;
    null: no costs were given, or they do not tell.
    """

    number: int
    function: str
    block: str
    index: int
    kinds: list[str]
    live_bits: int | None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    earliest: int | None = None
    latest: int | None = None
    cost_ns: int | None = None
    cost_n: int | None = None
    cost_kind: str | None = None


class Window(Record, frozen=True, kw_only=True):
    """Candidates that a run may come by within a window, the cheapest first, and what they save.

    `worst_bits`: the dearest candidate of the window; `here_bits`: the most that is live at any
    candidate that a run may come by at its middle. null: there is none, or it is unbounded.
    `unbounded`: so many candidates more, where what is live has no bound.
    """

    first: int
    last: int
    ranked: list[int]
    worst_bits: int | None
    here_bits: int | None
    unbounded: int = 0


class Visited(Record, frozen=True, kw_only=True):
    """A candidate that a run came by in a window: first at position `at`, `times` times."""

    number: int
    live_bits: int
    at: int
    times: int


class RunWindow(Record, frozen=True, kw_only=True):
    """Candidates that a run came by from position `first` on and before `last`, cheapest first.

    `here_bits`: what is live in the middle of the window; null: unbounded, or the run ended before.
    `visited`: how many candidates there are; of them `ranked` holds the cheapest.
    """

    first: int
    last: int
    visited: int
    ranked: list[Visited]
    worst_bits: int | None = None
    here_bits: int | None = None


class RunWindows(Record, frozen=True, kw_only=True):
    """One recorded run, window by window.

    `reason`: why there is none; empty: there is. `kind` is that of the positions, n = 1 run; sizes
    are proven as everywhere. `worst_least_bits`: wherever a window of that length begins, one
    candidate in it has no more; null: some have no candidate.
    """

    reason: str = ""
    unit: str = "executed instructions"
    kind: str = "measured"
    window: int | None = None
    length: int | None = None
    instructions: int | None = None
    worst_least_bits: int | None = None
    windows: list[RunWindow] = []


class MigrationPoints(Record, frozen=True, kw_only=True):
    """What is known of a program's migration points.

    `reason`: why nothing could be told, or no point was chosen; empty: nothing is in the way.
    `longest_run`: from start to end; null: some loop has no bound. `distance`: as it was asked for;
    null: it was not. `placed`: numbers of the points that keep it, null: none were asked for, or no
    choice keeps it: then `smallest_distance` is what all candidates keep. `largest_bits`: the most
    that is live at any of them; null: there is none. `largest_distance`: of any path, with them.
    """

    reason: str = ""
    unit: str = "executed instructions"
    kind: str = "proven"
    longest_run: int | None = None
    distance: int | None = None
    placed: list[int] | None = None
    largest_bits: int | None = None
    largest_distance: int | None = None
    smallest_distance: int | None = None
    window: Window | None = None
    # null: no run was asked for.
    run: RunWindows | None = None
    cost: str = ""
    cost_missing: str = ""
    assumptions: list[str] = []
    candidates: list[MigrationPoint] = []


class Hints(Record, frozen=True, kw_only=True):
    """The hint table: the points that a run time may migrate at.

    `point` in the records of an ELF section `laxity_hints` is `points[].number`.
    """

    program: str
    form: str
    triple: str | None
    job: str | None
    distance: int
    largest_distance: int | None
    unit: str
    points: list[MigrationPoint]
    schema: int = HINTS_SCHEMA
