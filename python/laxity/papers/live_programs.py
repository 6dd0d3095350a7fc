# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs of ours, papers/live/NAME.c: analysed, and linked of the very code that was analysed.

Each instruction of that code has a label (laxity.workingset.hints), so that an address that the
simulator tells is an instruction of the analysis.
"""

import csv
import shlex
import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from laxity.errors import RecordError
from laxity.jobs.finish import Finished
from laxity.platform.simulated_programs import find_built
from laxity.workingset.analyse import require_tool
from laxity.workingset.bitcode import BitcodeToolchain, Form, bitcode_toolchain
from laxity.workingset.bitcode_programs import Place, Prepared, program_of_files
from laxity.workingset.hints import mark, run_tool
from laxity.workingset.runs import RunsWanted
from laxity.workingset.store import Found, WorkingSetRequest, analyse_programs, store_working_set
from laxity.workingset.tables import ADDRESSES, INSTRUCTIONS, TOTAL, Table, read_table
from laxity.workingset.trace import Inputs

_FOLDER = Path(__file__).parent / "live"
# Of the platforms that they are run on; its ELF files have 64 bits, the low byte first.
_ARCHITECTURE = "x86_64"
_SECTIONS, _SECTION_SIZES = struct.Struct("<Q"), struct.Struct("<HHH")
_SECTIONS_AT, _SECTION_SIZES_AT = 0x28, 0x3A
# Name, type, flags, address, offset, size; the rest has no meaning here.
_SECTION = struct.Struct("<IIQQQQ")
# As include/laxity/hints.h: schema, offset to the address from its own place, number, and more.
_HINT = struct.Struct("<IiIIQQ")
_OFFSET_AT = 4
_HINTS = "laxity_hints"
_ADDRESS = struct.Struct("<Q")
_PATIENCE_S = 300
# Nothing stands before one, so it has no label.
_PHI = "phi"


@dataclass(frozen=True, slots=True)
class _Built:
    found: Found
    prepared: Prepared
    toolchain: BitcodeToolchain
    scratch: Path

    def table(self, name: str) -> Table:
        return read_table(self.found.directories[name] / INSTRUCTIONS)


def analyse_live(names: Sequence[str], final: Path, name: str, command_line: list[str]) -> Finished:
    """Analyse programs of ours and store that as one run, with the addresses of instructions.

    Raises:
        ToolError: LLVM or the analysis is missing, or the simulator.
    """
    with tempfile.TemporaryDirectory(prefix="laxity-live-") as directory:
        built = _build(names, Path(directory))
        for one in names:
            _write_addresses(built, one, _link(built, one))
        return store_working_set(built.found, final, name, command_line)


@dataclass(frozen=True, slots=True)
class Linked:
    """A program of ours for a simulated platform; `live_bits` before instructions, by address."""

    path: Path
    live_bits: Mapping[int, int]


def link_program(name: str, scratch: Path) -> Linked:
    """Link a program of ours in an empty directory.

    Raises:
        ToolError: LLVM or the analysis is missing, or the simulator.
    """
    built = _build([name], scratch)
    program = _link(built, name)
    bits = built.table(name).integers(TOTAL)
    live: dict[int, int] = {}
    for address, row in _labels(*_section(program, _HINTS)):
        # One that no machine code stands for has the address of the next one: both hold there.
        live[address] = min(int(bits[row]), live.get(address, int(bits[row])))
    return Linked(program, live)


def _build(names: Sequence[str], scratch: Path) -> _Built:
    require_tool()
    toolchain = bitcode_toolchain(Form.SROA, None, ())
    prepared = Prepared()
    for name in names:
        place = Place(scratch / name, toolchain)
        place.build.mkdir()
        prepared.programs += program_of_files([_FOLDER / f"{name}.c"], place).programs
    tables = scratch / "tables"
    tables.mkdir()
    runs = RunsWanted(
        inputs=Inputs(),
        wants_executions=False,
        progressions=(),
        scratch=scratch,
        patience_s=_PATIENCE_S,
    )
    request = WorkingSetRequest(
        prepared=prepared,
        toolchain=toolchain,
        job=None,
        outputs=(),
        weights=("static",),
        runs=runs,
        times=None,
        limit_bits=None,
        compile_ns=None,
        annotations=None,
        patience_s=_PATIENCE_S,
        scratch=tables,
    )
    return _Built(analyse_programs(request), prepared, toolchain, scratch)


def _link(built: _Built, name: str) -> Path:
    (bitcode,) = (one.bitcode for one in built.prepared.programs if one.name == name)
    table = built.table(name)
    places = zip(
        table.texts("function"),
        table.texts("block"),
        table.optional_integers("index"),
        table.texts("opcode"),
        strict=True,
    )
    # Numbers are rows of the table; the sizes stand there.
    points = [
        (number, function, block, index, 0, None)
        for number, (function, block, index, opcode) in enumerate(places)
        if opcode != _PHI
    ]
    folder = built.scratch / name
    marked, made, program = folder / "marked.bc", folder / "marked.o", folder / "program"
    mark(points, bitcode, marked)
    # What a function has on the stack is in section .stack_sizes.
    run_tool([*built.toolchain.back(), "-fstack-size-section", "-c", str(marked), "-o", str(made)])
    harness = find_built(f"{_ARCHITECTURE}-harness.o")
    kit = find_built(f"{_ARCHITECTURE}-guest.link").read_text(encoding="utf-8").splitlines()
    _version, cc, words = map(shlex.split, kit)
    # Debug information names the directory, which is another one each time.
    run_tool([*cc, *words, "-Wl,--strip-debug", str(made), str(harness), "-o", str(program)])
    return program


def _write_addresses(built: _Built, name: str, program: Path) -> None:
    """Write where the code of each instruction begins, and what its function has on the stack."""
    table = built.table(name)
    functions, blocks = table.texts("function"), table.texts("block")
    indices = table.optional_integers("index")
    labels = sorted(_labels(*_section(program, _HINTS)))
    _at, sizes = _section(program, ".stack_sizes")
    frames = sorted(_frames(sizes))
    with (built.found.directories[name] / ADDRESSES).open(
        "w", encoding="utf-8", newline=""
    ) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("function", "block", "index", "address", "frame_bytes"))
        for begin, frame_bytes in frames:
            own = [one for one in labels if _begin_of(frames, one[0]) == begin]
            if not own:
                continue
            # What a function does before its first label belongs to its first instruction.
            for address, row in [(begin, own[0][1]), *own]:
                place = (functions[row], blocks[row], indices[row])
                writer.writerow((*place, address, frame_bytes))


def _labels(at: int, hints: bytes) -> Iterator[tuple[int, int]]:
    """Tell address and row of each label."""
    for begin in range(0, len(hints), _HINT.size):
        _schema, offset, row, *_more = _HINT.unpack_from(hints, begin)
        yield at + begin + _OFFSET_AT + offset, row


def _frames(sizes: bytes) -> Iterator[tuple[int, int]]:
    """Tell where functions begin, and how many bytes each has on the stack (a LEB128 number)."""
    at = 0
    while at < len(sizes):
        (address,) = _ADDRESS.unpack_from(sizes, at)
        at += _ADDRESS.size
        number = shift = 0
        while True:
            byte = sizes[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        yield address, number


def _begin_of(frames: Sequence[tuple[int, int]], address: int) -> int:
    """Tell where the function begins that an address lies in."""
    return max((begin for begin, _ in frames if begin <= address), default=0)


def _section(program: Path, wanted: str) -> tuple[int, bytes]:
    """Return a section's address and content.

    Raises:
        RecordError: There is none of that name.
    """
    data = program.read_bytes()
    (begin,) = _SECTIONS.unpack_from(data, _SECTIONS_AT)
    entry_bytes, n_sections, names_number = _SECTION_SIZES.unpack_from(data, _SECTION_SIZES_AT)
    headers = [
        _SECTION.unpack_from(data, begin + number * entry_bytes) for number in range(n_sections)
    ]
    names_at = headers[names_number][4]
    for name_at, _type, _flags, address, offset, size in headers:
        name = data[names_at + name_at : data.index(0, names_at + name_at)].decode()
        if name == wanted:
            return address, data[offset : offset + size]
    msg = f"{program}: has no section {wanted}; LLVM is of another version"
    raise RecordError(msg)
