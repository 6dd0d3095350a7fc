# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The answer to `laxity workingset --why OBJECT@LINE`: why an object is live there, or why not."""

from typing import Literal

import msgspec

from laxity.workingset.document import Record

WHY_SCHEMA = 1

Verdict = Literal["live", "always_live", "unreached", "not_resident", "never_written", "dead"]
StepKind = Literal[
    "block",
    "passes",
    "enters",
    "leaves",
    "next",
    "reads",
    "jumps",
    "outside",
    "overwrites",
    "loop_overwrites",
]


class CodePlace(Record, frozen=True, kw_only=True):
    """An instruction; `line` null: the compiler names no line for it."""

    function: str
    block: int | None
    index: int | None
    opcode: str
    file: str | None
    line: int | None
    column: int | None


class Bytes(Record, frozen=True, kw_only=True):
    """Bytes of an object, `end_byte` the first behind them."""

    first_byte: int
    end_byte: int


class Step(Record, frozen=True, kw_only=True):
    """What comes next on a path.

    `function`: that is entered, passed, left or where `at` is. `by`: how it is left.
    """

    what: StepKind
    at: CodePlace | None
    function: str | None
    by: Literal["return", "exception", "exit"] | None


class WhyPath(Record, frozen=True, kw_only=True):
    """A shortest path of some bytes (null: of the whole object, whose size is not known).

    `calls` are on the stack where it begins, the outermost first. `needs_context`: the path leaves
    the function, so with other callers there may be none. `length` in instructions.
    """

    bytes: Bytes | None
    root: str
    calls: list[CodePlace]
    needs_context: bool
    length: int
    steps: list[Step]


class WhyObject(Record, frozen=True, kw_only=True):
    """The object as objects.csv has it; `size_bytes` null: not known."""

    name: str
    class_: str = msgspec.field(name="class")
    size_bytes: int | None
    function: str | None
    is_volatile: bool
    is_device_read: bool


class WhyAnswer(Record, frozen=True, kw_only=True):
    """One answer.

    `instruction`: the first of the line's at which the object is live; where it is at none, the
    first. `live_bytes`: of the object, in the path's context. `path`: to the read, of what is
    dead to the nearest overwriting; null: there is none.
    """

    verdict: Verdict
    object: WhyObject
    file: str
    line: int
    instructions_of_line: int
    instruction: CodePlace
    is_ever_read: bool
    live_bytes: list[Bytes]
    path: WhyPath | None
    schema: int = WHY_SCHEMA
