# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One experiment of a grid: resolved here, simulated by a worker, its figures taken."""

import hashlib
import os
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from laxity import __version__
from laxity.core.spec import Spec
from laxity.core.spec_reader import resolve_spec
from laxity.errors import (
    EXIT_DONE,
    ConfigError,
    LimitViolation,
    PlatformError,
    RecordError,
    ToolError,
)
from laxity.jobs.ends import read_native
from laxity.jobs.run_once import prepare_spec
from laxity.platform.platform_file import PlatformModel, parse_platform, read_platform
from laxity.platform.platform_text import write_document
from laxity.platform.simulated import SimulatedPlatform
from laxity.platform.simulated_identity import experiment_identity
from laxity.platform.simulated_programs import message_of, program_folder
from laxity.platform.streams import (
    LONG_PATIENCE_S,
    AsksSystemError,
    NotSimulatedError,
    Program,
    StreamFolder,
    identity_of,
)
from laxity.store.npy import read_stream
from laxity.store.run_directory import NewRun, file_sha256, hash_streams
from laxity.sweep.columns import Column, Value, measure
from laxity.sweep.grid import Grid

# Releases are at whole nanoseconds of a simulated platform.
_RESOLUTION_NS = 1


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a worker needs.

    Attributes:
        number: Its place in the grid.
        identity: What its figures depend on, as 64 hexadecimal digits.
        spec: With nothing left to choose.
        platform: Name of the platform.
        platform_text: Of its file, with what the grid changes.
        columns: What is wanted.
        version: Of laxity.
    """

    number: int
    identity: str
    spec: Spec
    platform: str
    platform_text: bytes
    columns: tuple[Column, ...]
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an experiment; `error` None: it ended by itself."""

    number: int
    identity: str
    values: tuple[Value, ...]
    error: str | None = None


class Resolver:
    """Makes experiments of the points of a grid."""

    def __init__(
        self, grid: Grid, columns: tuple[Column, ...], find_files: Callable[[Spec], Spec]
    ) -> None:
        """Take a grid, the columns wanted, and what names files of a spec by whole paths."""
        self._grid, self._columns, self._find_files = grid, columns, find_files

    def experiment(self, number: int) -> Experiment:
        """Resolve a point.

        Raises:
            ConfigError, PlatformError: It cannot be.
            ToolError: Something is not built.
        """
        tables, changes = self._grid.tables_of(self._grid.point(number))
        stated = resolve_spec(tables["run"], tables["task"], tables["interfere"], _RESOLUTION_NS)
        # Figures are of all jobs; no row of them is kept in any case.
        stated = msgspec.structs.replace(stated, keep="all")
        spec = self._find_files(stated)
        model = changed_platform(spec.platform, changes)
        platform = SimulatedPlatform(model, spec.platform)
        spec = prepare_spec(spec, platform)
        unnamed = msgspec.structs.replace(stated, platform="sim:")
        identity = experiment_identity(unnamed, spec, platform)
        return Experiment(number, identity, spec, spec.platform, model.text, self._columns)

    def failed(self, number: int, error: Exception) -> Outcome:
        """Say of a point that it is no experiment."""
        parts = (number, self._grid.point(number), str(error), __version__)
        identity = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
        return Outcome(number, identity, (None,) * len(self._columns), str(error))


def changed_platform(name: str, changes: Sequence[tuple[str, str, Any]]) -> PlatformModel:
    """Read a platform and change values of it.

    Args:
        name: `sim:NAME`, or `sim:PATH`.
        changes: Table or level, key, value.

    Raises:
        ConfigError: There is none, or a value cannot be.
    """
    base = _read_once(name)
    if not changes:
        return base
    return _changed_once(name, msgspec.json.encode(changes))


@lru_cache
def _read_once(name: str) -> PlatformModel:
    return read_platform(name)


@lru_cache(maxsize=1024)
def _changed_once(name: str, encoded: bytes) -> PlatformModel:
    base = _read_once(name)
    document = tomllib.loads(base.text.decode())
    for table, key, value in msgspec.json.decode(encoded):
        _table_of(base, document, table)[key] = value
    try:
        return parse_platform(write_document(document).encode(), base.name)
    except ConfigError as error:
        # The line is of no file.
        text = str(error)
        where = text.partition(": ")[2] if text.startswith("line ") else text
        msg = f"platform {name}: {where}"
        raise ConfigError(msg) from error


def _table_of(base: PlatformModel, document: dict[str, Any], name: str) -> dict[str, Any]:
    """Find a table of a platform file, or make it; `` is the file itself."""
    for kind, names in base.lists.items():
        if name in names:
            one: dict[str, Any] = document[kind][names.index(name)]
            return one
    return document.setdefault(name, {}) if name else document


def record_stream(program: Program) -> None:
    """Record the stream of a program; a worker does it. One that fails is told by its experiment.

    Raises:
        PlatformError: It cannot be written.
    """
    with ExitStack() as kept:
        try:
            StreamFolder().provide(program, kept, lambda _: None, patience_s=LONG_PATIENCE_S)
        except (LimitViolation, NotSimulatedError, AsksSystemError):
            return


def is_recorded(program: Program) -> bool:
    """Tell whether a stream is there."""
    folder = StreamFolder()
    return folder.limit_bytes == 0 or (folder.path / f"{identity_of(program)}.lxs").is_file()


def simulate(one: Experiment) -> Outcome:
    """Simulate an experiment and take its figures; a worker does it.

    Raises:
        PlatformError, ToolError: Not the experiment is to blame.
    """
    if one.version != __version__:
        msg = f"a worker has laxity {__version__}, and not {one.version}; install the same there"
        raise ToolError(msg)
    platform = SimulatedPlatform(_parse_once(one.platform_text, one.platform), one.platform)
    with program_folder() as folder, tempfile.TemporaryFile() as told:
        lock_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            run = NewRun(folder, folder, lock_fd)
            code = platform.simulate(one.spec, run, told.fileno(), _kept_streams())
            return _outcome(one, folder, code, lambda: message_of(told))
        except (ConfigError, LimitViolation, RecordError) as error:
            return _failed(one, str(error), folder)
        finally:
            os.close(lock_fd)


@lru_cache
def _kept_streams() -> StreamFolder:
    """One for all experiments of a worker: a stream is looked at once."""
    return StreamFolder()


@lru_cache(maxsize=64)
def _parse_once(text: bytes, name: str) -> PlatformModel:
    return parse_platform(text, name)


def _outcome(one: Experiment, folder: Path, code: int, last_line: Callable[[], str]) -> Outcome:
    if code < 0:
        msg = f"laxity-sim was ended by signal {-code}; start the same command again"
        raise PlatformError(msg)
    native = read_native(folder)
    if code != EXIT_DONE or native is None or native.status != "complete":
        message = native.message if native is not None else ""
        return _failed(one, message or last_line() or f"laxity-sim ended with {code}", folder)
    streams = {path.name: file_sha256(path) for path in sorted(folder.glob("*.npy"))}
    jobs = read_stream(folder / "jobs.npy")
    values = measure(one.columns, native, jobs, hash_streams(streams))
    return Outcome(one.number, one.identity, tuple(values))


def _failed(one: Experiment, message: str, folder: Path) -> Outcome:
    # The same wherever and whenever it fails.
    text = message.replace(str(folder), "DIR")
    return Outcome(one.number, one.identity, (None,) * len(one.columns), text)
