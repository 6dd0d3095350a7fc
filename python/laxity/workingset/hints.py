# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Hint tables: the chosen migration points of a program as JSON, and within its object file."""

import csv
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from laxity.errors import ConfigError, PlatformError, ToolError
from laxity.platform.tools import find_tool
from laxity.workingset.bitcode import BitcodeToolchain
from laxity.workingset.document import ProgramAnswer, WorkingSetAnswer
from laxity.workingset.migration_points_document import Hints, MigrationPoint

TOOL = "laxity-workingset-mark"
_PATIENCE_S = 300
_COLUMNS = ("number", "function", "block", "index", "live_bits", "cost_ns")


def hints_of(answer: WorkingSetAnswer) -> Hints | None:
    """Return the hint table of the one program of an answer; None: no points were chosen."""
    (program,) = answer.programs
    found = program.migration
    if found is None or found.placed is None or found.distance is None:
        return None
    return Hints(
        program=program.program,
        form=answer.form,
        triple=program.triple,
        job=program.job,
        distance=found.distance,
        largest_distance=found.largest_distance,
        unit=found.unit,
        points=placed_points(program),
    )


def placed_points(program: ProgramAnswer) -> list[MigrationPoint]:
    """List the points that were chosen."""
    found = program.migration
    placed = set(found.placed or ()) if found is not None else set[int]()
    return [one for one in found.candidates if one.number in placed] if found is not None else []


def check_elf(to: Path) -> None:
    """Check where an object is to go, before anything is computed.

    Raises:
        ConfigError: The name does not say what it is to be, or there is such a file.
    """
    if to.suffix not in {".o", ".bc"}:
        msg = f"--hints-elf {to}: name a file that ends in .o, or in .bc for passes of your own"
        raise ConfigError(msg)
    if to.exists():
        msg = f"--hints-elf {to}: exists; remove it or name another file"
        raise ConfigError(msg)
    if not to.resolve().parent.is_dir():
        msg = f"--hints-elf {to}: {to.parent} is no directory; make it or name another file"
        raise ConfigError(msg)


def write_marked(
    hints: Hints, bitcode: Path, to: Path, toolchain: BitcodeToolchain, scratch: Path
) -> None:
    """Write the program with section laxity_hints: as an object, or as bitcode to go on with.

    An object is the code that was analysed, and no pass has been at it since.

    Raises:
        ToolError: It cannot be marked or compiled.
        PlatformError: The output cannot be written.
    """
    marked = scratch / "marked.bc"
    mark(([getattr(one, name) for name in _COLUMNS] for one in hints.points), bitcode, marked)
    made = marked
    if to.suffix == ".o":
        made = scratch / "marked.o"
        run_tool([*toolchain.back(), "-c", str(marked), "-o", str(made)])
    try:
        to.write_bytes(made.read_bytes())
    except OSError as error:
        msg = f"{to}: cannot be written ({error.strerror}); free space or name another file"
        raise PlatformError(msg) from error


def mark(points: Iterable[Sequence[object]], bitcode: Path, to: Path) -> None:
    """Write bitcode whose object has a record of each point in section laxity_hints.

    Args:
        points: Number, function, block, index, live bits, cost in nanoseconds or None.
        bitcode: What was analysed.
        to: What is written; the table of points lies beside it.

    Raises:
        ToolError: It cannot be marked.
    """
    table = to.with_suffix(".csv")
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(points)
    run_tool([str(find_tool(TOOL)), str(bitcode), str(table), str(to)])


def run_tool(words: list[str]) -> None:
    """Run a program that prints nothing if it succeeds.

    Raises:
        ToolError: It fails; the last line that it prints is the reason.
    """
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_PATIENCE_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line]
        msg = f"{Path(words[0]).name}: {lines[-1] if lines else 'gave no reason'}"
        raise ToolError(msg)
