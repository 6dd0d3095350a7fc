# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tables of `laxity-workingset`: files of one program in, files of one run out.

A run has one of each with the column `program` in front, as CSV, that of the instructions also as
Parquet. DuckDB reads and writes them, since a program may have half a million instructions.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from laxity.errors import PlatformError, RecordError, cannot_read
from laxity.workingset.document import CLASSES

INSTRUCTIONS = "workingset.csv"
# Of its columns: all that moves, in one calling context.
TOTAL = "live_total_bits"
# The same of what has a bound, also where something else has none.
BOUNDED = "bounded_total_bits"
PARQUET = "workingset.parquet"
# Each instruction once per calling situation of its function.
SITUATIONS = "situations.csv"
FUNCTIONS = "functions.csv"
OBJECTS = "objects.csv"
LOOPS = "loops.csv"
CALLS = "calls.csv"
BLOCKS = "blocks.csv"
EDGES = "edges.csv"
POINTS = "migration_points.csv"
# Candidates that one run came by, window by window.
WINDOWS = "migration_windows.csv"
# Live bytes along one run.
PROGRESSION = "progression.csv"
# Where the machine code of each instruction begins, of programs that were linked for it.
ADDRESSES = "addresses.csv"
# Tables that a run keeps of what the tools write.
TABLES = (
    *(INSTRUCTIONS, FUNCTIONS, OBJECTS, LOOPS, BLOCKS, EDGES, CALLS),
    *(POINTS, WINDOWS, PROGRESSION, ADDRESSES),
)
# Of the instructions: how often in one run; empty: there was none.
EXECUTIONS = "executions"

# Columns of texts, whatever their cells look like.
_TEXTS = frozenset(
    (
        *("program", "function", "block", "opcode", "file", "inlined_at", "form"),
        *("status", "loop", "name", "kind", "class", "instances", "recursive"),
        *("callee", "header", "parent", "objects", "use", "first_def", "last_use", "most_at"),
        *("successor", "way", "kinds", "unit"),
    )
)
# Columns of whole numbers in the tables of laxity-workingset and of a run.
_INTEGERS = frozenset(
    (
        *("index", "line", "column", "level_bits", "contexts", EXECUTIONS),
        *(f"live_{one}_bits{end}" for one in (*CLASSES, "total") for end in ("", "_min")),
        *("instructions", "reached", "unbounded", "most_bits", "least_bits", "entry_bits"),
        *("frame_bits", "most_block", "most_index", "object", "size_bytes", "live_instructions"),
        *("most_back_edges", "back_edges", BOUNDED, "bounded_most_bits"),
        *("address", "frame_bytes"),
    )
)
_TYPES = {
    **dict.fromkeys(_INTEGERS, "BIGINT"),
    **dict.fromkeys(_TEXTS, "VARCHAR"),
    "live_ratio": "DOUBLE",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of which every cell may be absent: columns by name, in their order."""

    columns: dict[str, "np.ma.MaskedArray[Any, Any]"]

    def __len__(self) -> int:
        """Count the rows."""
        return len(next(iter(self.columns.values()), ()))

    def has(self, name: str) -> bool:
        """Tell whether there is such a column with at least one value."""
        return name in self.columns and bool(self.columns[name].count())

    def integers(self, name: str) -> NDArray[np.int64]:
        """Return a column that has no absent value.

        Raises:
            RecordError: It has, or there is no such column.
        """
        column = self.columns.get(name)
        if column is None or column.dtype.kind not in "iu" or np.ma.getmaskarray(column).any():
            msg = f"column {name}: missing or not whole; the tool is of another version"
            raise RecordError(msg)
        return np.ma.getdata(column).astype(np.int64)

    def bits(self, name: str) -> NDArray[np.float64]:
        """Return a column of sizes; infinite where it is empty: unbounded.

        Raises:
            RecordError: There is no such column of numbers.
        """
        column = self.columns.get(name)
        if column is None or (column.dtype.kind not in "iuf" and column.count()):
            msg = f"column {name}: missing or no number; the tool is of another version"
            raise RecordError(msg)
        if not column.count():
            return np.full(len(column), np.inf)
        return np.ma.filled(column.astype(np.float64), np.inf)

    def texts(self, name: str) -> list[str]:
        """Return a column of words; "" where there is none."""
        column = self.columns.get(name)
        if column is None:
            return [""] * len(self)
        return ["" if one is None else str(one) for one in column.tolist()]

    def optional_integers(self, name: str) -> list[int | None]:
        """Return a column of whole numbers; None where there is none."""
        column = self.columns.get(name)
        if column is None or column.dtype.kind not in "iu":
            return [None] * len(self)
        return [None if one is None else int(one) for one in column.tolist()]

    def steps(self) -> NDArray[np.bool_]:
        """Tell which instructions are executed, shape (rows,): all but phis."""
        return np.array([one != "phi" for one in self.texts("opcode")], dtype=np.bool_)

    def row(self, number: int) -> dict[str, Any]:
        """Return one row; None where nothing is."""
        cells = {name: column[number] for name, column in self.columns.items()}
        return {name: None if cell is np.ma.masked else cell for name, cell in cells.items()}

    def chosen(self, rows: NDArray[np.bool_]) -> "Table":
        """Return the rows for which `rows` is true."""
        return Table({name: column[rows] for name, column in self.columns.items()})


def read_table(path: Path) -> Table:
    """Read a CSV table; empty cells are absent.

    Raises:
        RecordError: It is not there or is no table.
    """
    try:
        with _reading(os.getpid()).cursor() as database:
            selection = f"SELECT * FROM {_reader(path)}"  # noqa: S608 - quoted
            found = database.execute(selection).fetchnumpy()
    except duckdb.Error as error:
        msg = f"{path}: cannot be read ({_first_line(error)}); the tool is of another version"
        raise RecordError(msg) from error
    return Table({name: np.ma.asarray(column) for name, column in found.items()})


@cache
def _reading(process: int) -> duckdb.DuckDBPyConnection:
    """Connect once for all tables that are read: that takes longer than to read a small one.

    Args:
        process: Ours; the threads of a connection do not come along where a process forks.
    """
    del process
    return duckdb.connect()


def add_executions(directory: Path, executions: Path) -> None:
    """Return the instructions of one program a column `executions`.

    Args:
        directory: Holds the program's workingset.csv.
        executions: Table `function,block,index,executions`.

    Raises:
        RecordError: A table cannot be read, or they are of two programs.
        PlatformError: The output is full.
    """
    path = directory / INSTRUCTIONS
    joined = path.with_suffix(".joined")
    with _connection(path) as database:
        database.execute(f"CREATE TABLE rows AS FROM {_reader(path)}")
        database.execute(f"CREATE TABLE counted AS FROM {_reader(executions)}")
        strange = database.execute(
            "SELECT count(*) FROM counted ANTI JOIN rows USING (function, block, index)"
        ).fetchone()
        if strange is None or strange[0]:
            msg = f"{path}: lacks instructions that were counted; rebuild with ninja -C build"
            raise RecordError(msg)
        _copy(
            database,
            "(SELECT rows.*, counted.executions FROM rows LEFT JOIN counted "
            "USING (function, block, index) ORDER BY rows.rowid)",
            joined,
            "FORMAT csv, HEADER",
        )
    joined.replace(path)


def join_tables(parts: Mapping[str, Path], name: str, to: Path) -> int:
    """Join one table of several programs, the column `program` in front.

    Args:
        parts: Directory of each program that has such a table.
        name: Of `TABLES`.
        to: Directory of the run; `workingset.csv` has a Parquet twin.

    Returns:
        The number of rows; without any there is no file.

    Raises:
        RecordError: A table cannot be read.
        PlatformError: The output is full.
    """
    present = {program: path / name for program, path in parts.items() if (path / name).is_file()}
    if not present:
        return 0
    selects = [
        f"SELECT {_quoted(program)} AS program, {_cells(name)} FROM {_reader(path)}"  # noqa: S608 - quoted
        for program, path in present.items()
    ]
    with _connection(to / name) as database:
        database.execute(f"CREATE TABLE rows AS {' UNION ALL BY NAME '.join(selects)}")
        if name == INSTRUCTIONS:
            database.execute(f"ALTER TABLE rows ADD COLUMN IF NOT EXISTS {EXECUTIONS} BIGINT")
            _copy(database, "rows", to / PARQUET, "FORMAT parquet, COMPRESSION zstd")
        _copy(database, "rows", to / name, "FORMAT csv, HEADER")
        counted = database.execute("SELECT count(*) FROM rows").fetchone()
    return 0 if counted is None else int(counted[0])


@contextmanager
def _connection(to: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connect to write a table; what goes wrong is told by its name."""
    try:
        with duckdb.connect() as database:
            yield database
    except duckdb.IOException as error:
        msg = f"{to}: cannot be written ({_first_line(error)}); free space"
        raise PlatformError(msg) from error
    except RuntimeError as error:
        # As DuckDB tells a signal that came while it worked.
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        msg = f"{to.name}: unreadable ({_first_line(error)}); the tool is of another version"
        raise RecordError(msg) from error


def read_program(run_dir: Path, name: str, program: str) -> Table:
    """Read the rows of one program of a run's table.

    Raises:
        RecordError: The table is not there or damaged.
    """
    table = read_table(run_dir / name)
    is_of_program = np.array([one == program for one in table.texts("program")], dtype=bool)
    return table.chosen(is_of_program)


def programs_of(table: Table) -> Sequence[str]:
    """List the programs of a run's table in their order."""
    return list(dict.fromkeys(table.texts("program")))


def _cells(name: str) -> str:
    """Select all columns of a table; LLVM's line 0 is none."""
    if name not in {INSTRUCTIONS, LOOPS, POINTS}:
        return "*"
    replaced = ", ".join(
        f'nullif(try_cast("{one}" AS BIGINT), 0) AS "{one}"' for one in ("line", "column")
    )
    return f"* REPLACE ({replaced})"


def _reader(path: Path) -> str:
    """Select a CSV file; what its columns hold is known of those that our tools write.

    Where DuckDB must find that out itself, that takes five times as long as reading, and a column
    without any value becomes one of texts.
    """
    header = _header(path)
    if _TYPES.keys() >= set(header):
        columns = ", ".join(f"'{one}': '{_TYPES[one]}'" for one in header)
        known = f"header = true, auto_detect = false, columns = {{{columns}}}"
        return f"read_csv({_quoted(str(path))}, {known})"
    # Names of functions and files are texts, whatever they look like.
    texts = [one for one in header if one in _TEXTS] or header[:1]
    types = ", ".join(f"'{one}': 'VARCHAR'" for one in texts)
    return f"read_csv({_quoted(str(path))}, header = true, types = {{{types}}}, sample_size = -1)"


def _header(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline().strip().split(",")
    except OSError as error:
        raise cannot_read(path, error) from error


def _copy(database: duckdb.DuckDBPyConnection, what: str, to: Path, options: str) -> None:
    database.execute(f"COPY {what} TO {_quoted(str(to))} ({options})")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
