# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What moves when a job goes on on another core, beside what the analysis says is live there.

Lines are compared with lines. What an instruction has live is known by object and bytes, not where
in the object they lie; so an object has at most a line for each of its live bytes, and at most as
many as it can lie in, wherever it begins.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from laxity.papers.live_tasks import EVENTS, LEAST, MIDDLE, MIGRATED_JOB, WARM_JOB
from laxity.workingset.document import BITS_PER_BYTE
from laxity.workingset.tables import TOTAL, Table

Rows: TypeAlias = Any  # masked structured array of a stream
_MEMORY = ("stack", "global", "const", "heap", "volatile")
# Of x86-64. The last instruction of the program ends so many bytes behind its label at most.
_INSTRUCTION_BYTES = 15
_RETURN_BYTES = 8
# The loop around the jobs (sim/target/main.c): between the marks it has its words ready, calls, and
# goes on. Its instructions lie in two lines at most, and so does what of its frame it needs.
_HARNESS_LINES = 2


@dataclass(frozen=True, slots=True)
class Instant:
    """A migration.

    Attributes:
        time_ns: Of the job, when it was driven away.
        live_bits: At the instruction that it went on with.
        live_lines: That these can lie in, at most; of memory, values are on the stack.
        moved: Lines that were brought though they had been left on the other core, by what brought
            them (`EVENTS`), until all that follows it had followed.
        cost_ns: What the job and those after it took longer.
        moved_ns: Of this, waiting for lines left on the other core.
    """

    time_ns: int
    live_bits: int
    live_lines: int
    moved: Mapping[str, int]
    cost_ns: int
    moved_ns: int

    @property
    def loaded(self) -> int:
        """Lines that loads brought: what they read was live, or of the stack."""
        return self.moved["moved_load"]


@dataclass(frozen=True, slots=True)
class Moves:
    """All migrations of a program.

    Attributes:
        length_ns: Of a job that nobody disturbs.
        code_lines: That its code lies in, and the loop around its jobs.
        stack_lines: That all its frames lie in at most, and that of the loop.
        first: The first one that was simulated, which found none of the code on the other core; it
            stands in none of the times.
        middles: In the middles of equal parts of the job, as any instant may come.
        least: Where the analysis says that least is live in each of these parts.
    """

    length_ns: int
    code_lines: int
    stack_lines: int
    first: Instant
    middles: tuple[Instant, ...]
    least: tuple[Instant, ...]

    @property
    def all(self) -> tuple[Instant, ...]:
        """All migrations, in the order of time."""
        every = (self.first, *self.middles, *self.least)
        return tuple(sorted(every, key=lambda one: one.time_ns))

    def unexplained(self, one: Instant) -> int:
        """Count the lines beyond those that live bytes, stack and code explain."""
        beyond_data = max(one.loaded - one.live_lines - self.stack_lines, 0)
        return beyond_data + max(one.moved["moved_fetch"] - self.code_lines, 0)


def lines_spanned(size_bytes: int, line_bytes: int) -> int:
    """Count the lines that so many bytes in a row lie in at most, wherever they begin."""
    return (size_bytes + line_bytes - 2) // line_bytes + 1 if size_bytes else 0


def live_lines(
    objects: str, live_bits: int, sizes_bytes: Mapping[str, int], line_bytes: int
) -> int:
    """Count the lines that live memory can lie in at most.

    Args:
        objects: The largest that are live, `name:bits` with `;` between.
        live_bits: Of all, these included.
        sizes_bytes: Of objects by their names.
        line_bytes: Of a line.
    """
    lines = named_bytes = 0
    for one in filter(None, objects.split(";")):
        name, _, bits = one.rpartition(":")
        live_bytes = -(-int(bits) // BITS_PER_BYTE)
        named_bytes += live_bytes
        lines += min(live_bytes, lines_spanned(sizes_bytes[name], line_bytes))
    # Of the others a line for each byte.
    return lines + max(-(-live_bits // BITS_PER_BYTE) - named_bytes, 0)


class LivePlaces:
    """What is live at an address of one program."""

    def __init__(self, tables: tuple[Table, Table, Table], line_bytes: int) -> None:
        """Take the program's rows of tables of a run: instructions, objects, addresses."""
        instructions, objects, addresses = tables
        names = objects.texts("name")
        sizes_bytes = dict(zip(names, objects.integers("size_bytes").tolist(), strict=True))
        memory = np.sum([instructions.integers(f"live_{one}_bits") for one in _MEMORY], axis=0)
        self._lines = [
            live_lines(named, int(bits), sizes_bytes, line_bytes)
            for named, bits in zip(instructions.texts("objects"), memory, strict=True)
        ]
        self._bits = instructions.integers(TOTAL).tolist()
        self._rows = {place: row for row, place in enumerate(_places(instructions))}
        self._row_places = list(_places(instructions))
        found = sorted(zip(addresses.integers("address").tolist(), _places(addresses), strict=True))
        self._addresses = [address for address, _ in found]
        self._labels = [self._rows[place] for _, place in found]
        end = self._addresses[-1] + _INSTRUCTION_BYTES
        own_lines = end // line_bytes - self._addresses[0] // line_bytes + 1
        self.code_lines = own_lines + _HARNESS_LINES
        frames = dict(
            zip(addresses.texts("function"), addresses.integers("frame_bytes"), strict=True)
        )
        stack_bytes = sum(int(one) + _RETURN_BYTES for one in frames.values())
        self.stack_lines = lines_spanned(stack_bytes, line_bytes) + _HARNESS_LINES

    def at(self, address: int) -> tuple[int, int] | None:
        """Return live bits and the lines that they can lie in; None: no code of the program's.

        Of several instructions there all but the last have no code, so that what is said of each
        holds. Behind its first byte an instruction may have been executed in part: what it
        overwrites is live then as behind it, so that the larger of both counts.
        """
        number = bisect_right(self._addresses, address) - 1
        if number < 0 or address > self._addresses[-1] + _INSTRUCTION_BYTES:
            return None
        label = self._addresses[number]
        rows = self._labels[bisect_left(self._addresses, label) : number + 1]
        bits = min(self._bits[row] for row in rows)
        if address == label:
            return bits, min(self._lines[row] for row in rows)
        behind = [row for one in rows if (row := self._behind(one)) is not None]
        return bits, max(self._lines[row] for row in (*rows, *behind))

    def _behind(self, row: int) -> int | None:
        function, block, index = self._row_places[row]
        return self._rows.get((function, block, index + 1))


def _places(table: Table) -> Iterator[tuple[str, str, int]]:
    indices = table.integers("index").tolist()
    yield from zip(table.texts("function"), table.texts("block"), indices, strict=True)


def moves_of(jobs: Rows, names: Sequence[str], places: LivePlaces) -> Moves | None:
    """Lay what the simulator moved beside what is live; None: no job migrated in the program.

    Args:
        jobs: jobs.npy of a run of `migrated_tasks`: tasks that migrate, and who drives each away.
        names: Of all tasks.
        places: Of the program.
    """
    tasks = np.ma.getdata(jobs["task"])
    found = [
        (name, one)
        for task, name in enumerate(names)
        if name.startswith((MIDDLE, LEAST))
        and (one := _instant(jobs[tasks == task], jobs[tasks == task + 1], places)) is not None
    ]
    if not found:
        return None
    (_name, first), *others = found
    return Moves(
        length_ns=int(jobs[tasks == 0]["exec_ns"][WARM_JOB]),
        code_lines=places.code_lines,
        stack_lines=places.stack_lines,
        first=first,
        middles=tuple(one for name, one in others if name.startswith(MIDDLE)),
        least=tuple(one for name, one in others if name.startswith(LEAST)),
    )


def _instant(own: Rows, driving: Rows, places: LivePlaces) -> Instant | None:
    is_moved = np.ma.getdata(own["migrations"])
    if is_moved[MIGRATED_JOB] != 1 or is_moved.sum() != 1:
        return None
    live = places.at(int(own["migrated_at"][MIGRATED_JOB]))
    if live is None:
        return None
    after = own[MIGRATED_JOB:]
    longer_ns = after["exec_ns"].astype(np.int64) - int(own["exec_ns"][WARM_JOB])
    return Instant(
        time_ns=int(driving["release_ns"][0]) - int(own["start_ns"][MIGRATED_JOB]),
        live_bits=live[0],
        live_lines=live[1],
        moved={name: int(after[name].sum()) for name in EVENTS},
        cost_ns=int(longer_ns.sum()),
        moved_ns=int(after["stall_moved_ns"].sum()),
    )


def saved_ns(moves: Moves, window_ns: int, *, in_hindsight: bool) -> list[int]:
    """Say what each migration saves if it waits or hurries to a better instant near it.

    Args:
        moves: Of a program; migrations in the middles of parts are those that do.
        window_ns: So long it may wait, or hurry.
        in_hindsight: Whether the cheapest is known; else it is where the analysis says that least
            is live, of equals the nearest.
    """
    saved = []
    for here in moves.middles:
        near = [
            one
            for one in (*moves.middles, *moves.least)
            if abs(one.time_ns - here.time_ns) <= window_ns
        ]
        chosen = min(
            near,
            key=lambda one: (
                one.cost_ns if in_hindsight else one.live_bits,
                abs(one.time_ns - here.time_ns),
                one.time_ns,
            ),
        )
        saved.append(here.cost_ns - chosen.cost_ns)
    return saved
