# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Rows of experiments as Parquet: parts as they come, joined in the order of the grid.

A part is written under another name, synced and renamed, so that what a killed sweep has left is
whole. DuckDB writes the same bytes for the same rows: one thread, in their order.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from laxity.errors import PlatformError, RecordError
from laxity.store.run_directory import sync_directory, sync_file
from laxity.sweep.columns import INTEGER, TEXT, Column, Value
from laxity.sweep.experiment import Outcome

RESULT = "sweep.parquet"
PARTS = "parts"
_NEW = ".new"
NUMBER, IDENTITY, ERROR = "number", "experiment", "error"


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of a sweep: those of the axes, what is wanted, and of every experiment its end.

    Attributes:
        axes: Name and type, in the order of the axes.
        columns: What is wanted.
    """

    axes: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]

    @property
    def types(self) -> dict[str, str]:
        """Types by name, in the order of the table."""
        wanted = {column.name: column.kind for column in self.columns}
        return {NUMBER: INTEGER, **dict(self.axes), **wanted, ERROR: TEXT, IDENTITY: TEXT}


class Parts:
    """What is done of a sweep, in its directory."""

    def __init__(self, directory: Path, layout: Layout) -> None:
        """Take a directory, and what its parts consist of."""
        self._folder, self._layout = directory / PARTS, layout
        self._result = directory / RESULT

    def done(self) -> dict[int, tuple[str, str | None]]:
        """Tell which experiments are done: number; identity, error.

        Raises:
            RecordError: A part is damaged.
        """
        self._folder.mkdir(exist_ok=True)
        for left in self._folder.glob(f"*{_NEW}"):
            left.unlink()
        found: dict[int, tuple[str, str | None]] = {}
        query = f"SELECT {NUMBER}, {IDENTITY}, {ERROR} FROM read_parquet(?)"  # noqa: S608 - names of ours
        for path in sorted(self._folder.glob("*.parquet")):
            with _database(path) as database:
                rows = database.execute(query, [str(path)]).fetchall()
            found.update((number, (identity, error)) for number, identity, error in rows)
        return found

    def write(self, rows: Sequence[tuple[Outcome, Sequence[Value]]]) -> None:
        """Write a part.

        Args:
            rows: Experiments, and their values of the axes; at least one.

        Raises:
            PlatformError: The output is full.
        """
        first = rows[0][0]
        path = self._folder / f"{first.number:09}-{first.identity[:16]}.parquet"
        table = [(one.number, *axes, *one.values, one.error, one.identity) for one, axes in rows]
        types = self._layout.types
        with _database(path) as database:
            columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in types.items())
            database.execute(f"CREATE TABLE rows ({columns})")
            places = ", ".join("?" for _ in types)
            database.executemany(f"INSERT INTO rows VALUES ({places})", table)  # noqa: S608 - names of ours
            _copy(database, "SELECT * FROM rows", path)

    def join(self, identities: Mapping[int, str]) -> None:
        """Write sweep.parquet of all parts, and remove these.

        Args:
            identities: Of every experiment; rows of others are left out.

        Raises:
            PlatformError: The output is full.
            RecordError: A part is damaged.
        """
        paths = [str(path) for path in sorted(self._folder.glob("*.parquet"))]
        wanted = [f"{number}-{identity}" for number, identity in identities.items()]
        names = ", ".join(_quoted(name) for name in self._layout.types if name != NUMBER)
        with _database(self._result) as database:
            database.execute("CREATE TABLE wanted (key VARCHAR)")
            database.execute("INSERT INTO wanted SELECT unnest(?::VARCHAR[])", [wanted])
            database.execute(
                "CREATE TABLE rows AS SELECT DISTINCT ON (number) * FROM read_parquet(?) "
                "WHERE number || '-' || experiment IN (SELECT key FROM wanted)",
                [paths],
            )
            _copy(database, f"SELECT {names} FROM rows ORDER BY {NUMBER}", self._result)  # noqa: S608 - names of ours
        for path in paths:
            Path(path).unlink()
        self._folder.rmdir()


def read_rows(directory: Path) -> list[dict[str, Any]]:
    """Read sweep.parquet: a row for each experiment, in the order of the grid.

    Raises:
        RecordError: It is damaged.
    """
    path = directory / RESULT
    with _database(path) as database:
        table = database.read_parquet(str(path))
        return [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]


@contextmanager
def _database(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        with duckdb.connect(":memory:", config={"threads": 1}) as database:
            database.execute("SET enable_progress_bar = false")
            # What it has not got it is not to fetch.
            database.execute("SET autoinstall_known_extensions = false")
            yield database
    except duckdb.IOException as error:
        reason = str(error).partition("\n")[0]
        msg = f"{path}: cannot be written or read ({reason}); free space"
        raise PlatformError(msg) from error
    except duckdb.InvalidInputException as error:
        reason = str(error).partition("\n")[0]
        msg = f"{path}: is damaged ({reason}); remove it, and its experiments are made again"
        raise RecordError(msg) from error


def _copy(database: duckdb.DuckDBPyConnection, query: str, path: Path) -> None:
    """Write rows so that the file is whole or not there."""
    new = path.with_name(path.name + _NEW)
    target = str(new).replace("'", "''")
    database.execute(f"COPY ({query}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
    sync_file(new)
    new.replace(path)
    sync_directory(path.parent)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
