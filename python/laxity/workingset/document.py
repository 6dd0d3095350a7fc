# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""workingset.json: the live working sets of programs, what they were computed of and for whom.

Sizes are bits: a boolean is one. `null` means "not known" or "not asked for", never zero.
"""

from typing import Literal

import msgspec

from laxity.workingset.annotations import Annotations
from laxity.workingset.migration_points_document import MigrationPoints

WORKING_SET_SCHEMA = 2
# In the order of the columns. Volatile objects are in the sums: many suites call ordinary variables
# so. Who has registers of devices among them subtracts that class.
CLASSES = ("ssa", "stack", "global", "const", "heap", "volatile")
BITS_PER_BYTE = 8

Weight = Literal["static", "situation", "trace", "time", "wcet"]


class Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of all parts: closed and immutable."""


class Place(Record, frozen=True, kw_only=True):
    """An instruction; `line` null: the compiler names no line for it."""

    function: str
    block: str
    index: int
    opcode: str
    file: str | None = None
    line: int | None = None
    column: int | None = None


class Sizes(Record, frozen=True, kw_only=True):
    """Live bits over the instructions of a program; each is its maximum over calling contexts.

    null: unbounded, since something there is as deep as a recursion or as many as a heap may hold.
    Of `bounded`: what has a bound at each instruction, whatever else is live there; never null.
    """

    min: int | None
    median: int | None
    max: int | None


class LoopBoundGap(Record, frozen=True, kw_only=True):
    """A loop without a stated bound, or a bound without its loop."""

    what: str
    file: str | None
    line: int | None


class Occurrence(Record, frozen=True, kw_only=True):
    """How often working sets of each tenth of a program's range occur; one row of the heat map.

    `counts`: from the smallest tenth to the largest; null: no verdict, `reason` says why. With the
    weight `situation` their sum exceeds the instructions: each counts once per calling situation
    of its function, with what is live in that one. Where something has no bound, the rest counts.
    """

    weight: Weight
    counts: list[float] | None = None
    reason: str | None = None
    gaps: list[LoopBoundGap] = []


class TracedRun(Record, frozen=True, kw_only=True):
    """One run of a program, instrumented; `reason` says why there is none.

    `executed`: instructions in contexts of the analysis, without phis, which are no steps. `stdin`
    null: an empty one. `has_progression` false with a reason: it was asked for in vain.
    """

    arguments: list[str] = []
    stdin: str | None = None
    exit_code: int | None = None
    executed: int | None = None
    reason: str | None = None
    has_progression: bool = False
    progression_reason: str | None = None


class ProgramAnswer(Record, frozen=True, kw_only=True):
    """One program.

    `status` is the analysis's own word. `live` null: there are no instructions that can be
    reached, or the analysis failed; `message` then says why. `unbounded` counts instructions where
    no size bounds what is live, `bounded` is of what has a bound all the same, what has none is
    `unbounded_objects` (of no known size or number) and `unbounded_recursions` (functions that call
    each other). `resident_bits`: everything that is allocated; null: unbounded;
    `resident_bounded_bits` is without that. `process_ns`: the analysis from reading bitcode to its
    last table. `largest` is where most is live that has a bound, and `classes` are maxima, each its
    own, of what is bounded.
    """

    program: str
    sources: list[str]
    status: str
    message: str = ""
    mode: str = "program"
    job: str | None = None
    triple: str | None = None
    data_layout: str | None = None
    instructions: int | None = None
    unbounded: int = 0
    live: Sizes | None = None
    bounded: Sizes | None = None
    unbounded_objects: list[str] = []
    unbounded_recursions: list[list[str]] = []
    resident_bits: int | None = None
    resident_bounded_bits: int | None = None
    classes: dict[str, int] = {}
    largest: Place | None = None
    process_ns: int | None = None
    # By weight: each instruction once, and what else was asked for.
    occurrences: list[Occurrence] = []
    run: TracedRun | None = None
    # null: not asked for.
    migration: MigrationPoints | None = None
    # What the analysis took for granted, annotations included.
    assumptions: list[str] = []


class LeftOut(Record, frozen=True, kw_only=True):
    """What was to be analysed and was not, and why."""

    path: str
    reason: str


class Violation(Record, frozen=True, kw_only=True):
    """An instruction at which more is live than was allowed.

    `live_bits`: what has a bound there; `is_partial`: more is live there, which has none.
    """

    program: str
    place: Place
    live_bits: int | None
    is_partial: bool = False


class Limit(Record, frozen=True, kw_only=True):
    """`--fail-above`: the limit, how many instructions exceed it, and the worst of each line.

    `undecided`: at so many more it is kept by what has a bound, and something without one is live,
    so that nobody can say; `undecided_programs`: of these programs.
    """

    limit_bits: int
    instructions: int
    undecided: int = 0
    undecided_programs: list[str] = []
    violations: list[Violation] = []


class FunctionChange(Record, frozen=True, kw_only=True):
    """A function of which another build's largest live set differs; null: unbounded there."""

    program: str
    function: str
    old_bits: int | None
    new_bits: int | None


class Against(Record, frozen=True, kw_only=True):
    """`--against`: another build, as it was when this run compared itself with it.

    `programs` holds what is compared of them; `functions` those that differ and that both have,
    null: a table of one of the runs cannot be read.
    """

    run: str
    path: str
    form: str
    target: str | None
    flags: list[str]
    programs: list[ProgramAnswer]
    functions: list[FunctionChange] | None = None


def _once_each() -> list[Weight]:
    return ["static"]


class WorkingSetAnswer(Record, frozen=True, kw_only=True):
    """workingset.json.

    `target`: as asked for; null: that of the machine. `weights`: of the heat maps. `compile_ns`:
    clang, llvm-link and opt, on the clock; null: bitcode was given.
    """

    form: str
    target: str | None = None
    weights: list[Weight] = msgspec.field(default_factory=_once_each)
    flags: list[str] = []
    # As given; which of them a program used stands in its assumptions.
    annotations: Annotations | None = None
    programs: list[ProgramAnswer] = []
    left_out: list[LeftOut] = []
    limit: Limit | None = None
    against: Against | None = None
    # SHA-256 of each source that instructions name, as it was analysed.
    files: dict[str, str] = {}
    compile_ns: int | None = None
    analysis_ns: int | None = None
    schema: int = WORKING_SET_SCHEMA
