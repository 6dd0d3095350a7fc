# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run directories: create, write, hash, rename, open. Design: design.md section 4.

A run is written to `DIR.tmp` and renamed to `DIR` when it is whole. While any process of the run
lives, it holds a lock (flock) on the directory, inherited from the process that created it; the
lock goes with its last holder, however that one dies, so a reader can tell a live run from a
left-over one.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from laxity.core.wording import plain_words
from laxity.errors import ConfigError, PlatformError, RecordError, cannot_read, is_full
from laxity.store.manifest import (
    Document,
    Manifest,
    decode_document,
    decode_versioned,
    encode_document,
)
from laxity.store.npy import read_stream

if TYPE_CHECKING:
    import numpy as np

TMP_SUFFIX = ".tmp"
STREAM = ".npy"
MANIFEST = "manifest.json"
NATIVE = "native.json"
SEGMENT = "segment"
TRACE = "trace.json"
SPEC = "spec.toml"
MACHINE = "machine.json"
DOCTOR = "doctor.json"
COSTS = "costs.json"
# Of a run that bounded a task set: the task set as it was given, and the answer.
TASK_SET = "taskset.toml"
BOUND = "bound.json"
# Of a run that compares others: the answer.
COMPARE = "compare.json"
# Of a test of cache counters: what was generated.
MISSES = "misses.json"
PROFILE = "profile.json"
# Of a run that reproduces a paper: its values beside ours.
REPRODUCTION = "reproduction.json"
# Of a run of a suite: what came of each program. Of a vetting: the verdicts, and what they rest on.
SUITE = "suite.json"
VETTING = "vetting.toml"
VETTING_SEEN = "vetting.json"
# Of a run that analysed programs: the answer.
WORKING_SET = "workingset.json"
REPORT = "report.html"
# Rebuilt at will, or describing the others: not hashed.
_UNHASHED = frozenset({MANIFEST, NATIVE, SEGMENT, TRACE, REPORT, "derived.json"})
_NEW_SUFFIX = ".new"
_UNUSABLE_IN_NAMES = re.compile(r"[^A-Za-z0-9.-]+")
_MAX_NAME_PART = 64
_HASH_CHUNK_BYTES = 1 << 20
# machine.json and doctor.json are some 100 kB on large machines.
_MAX_DOCUMENT_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run being written: its directory now and later, and the descriptor that holds its lock."""

    tmp: Path
    final: Path
    lock_fd: int

    def release(self) -> None:
        """Return up this process's share of the lock."""
        os.close(self.lock_fd)


def default_root() -> Path:
    """Where runs go unless told otherwise: `$LAXITY_RUNS`, else `./runs`."""
    return Path(os.environ.get("LAXITY_RUNS") or "runs")


def run_name(name: str, when: datetime, host: str | None = None) -> str:
    """Name a run after its start, its experiment and its host; four random digits keep it unique.

    Args:
        name: Name of the experiment; characters that are awkward in paths become `-`.
        when: Start, with time zone.
        host: Where it runs; None: on this machine.
    """
    stamp = when.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    return (
        f"{stamp}_{path_part(name)}_{path_part(host or os.uname().nodename)}_{secrets.token_hex(2)}"
    )


def create_run(final: Path) -> NewRun:
    """Create `DIR.tmp`, locked.

    Args:
        final: The directory that the finished run will have; it must not exist.

    Raises:
        ConfigError: It exists, a left-over of it exists, or it cannot be created.
        PlatformError: The output is full.
    """
    tmp = tmp_path_of(final)
    try:
        _refuse_existing(final, tmp)
        tmp.parent.mkdir(parents=True, exist_ok=True)
        tmp.mkdir()
    except OSError as error:
        what = f"run directory {final}: cannot be created ({error.strerror})"
        if is_full(error):
            msg = f"{what}; free space or name another place"
            raise PlatformError(msg) from error
        msg = f"{what}; name another place"
        raise ConfigError(msg) from error
    lock_fd = lock_directory(tmp)
    if lock_fd is None:
        msg = f"run directory {tmp}: locked by another process; name another one"
        raise ConfigError(msg)
    return NewRun(tmp, final, lock_fd)


def _refuse_existing(final: Path, tmp: Path) -> None:
    if final.exists() or final.is_symlink():
        msg = f"run directory {final}: exists; name another one or remove it"
        raise ConfigError(msg)
    if tmp.is_dir() and _is_locked(tmp):
        msg = f"run directory {final}: another laxity is writing it now; name another one"
        raise ConfigError(msg)
    if tmp.exists() or tmp.is_symlink():
        msg = f"run directory {tmp}: left from an earlier run; laxity show {final} recovers it"
        raise ConfigError(msg)


def _is_locked(path: Path) -> bool:
    lock_fd = lock_directory(path)
    if lock_fd is not None:
        os.close(lock_fd)
    return lock_fd is None


def lock_directory(path: Path) -> int | None:
    """Take the lock of a run directory.

    Returns:
        The descriptor that holds it, or None if another process does.

    Raises:
        PlatformError: The directory may not be read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        msg = f"{path}: cannot be opened ({error.strerror}); correct its permissions"
        raise PlatformError(msg) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except OSError:
        # A file system without locks (some network ones): the writer's pid must do.
        return fd
    return fd


def tmp_path_of(final: Path) -> Path:
    """Where a run is written before it is whole."""
    final = _named(final)
    return final.with_name(final.name + TMP_SUFFIX)


def final_path_of(path: Path) -> Path:
    """Return the path DIR of a run that is named as DIR or as DIR.tmp."""
    path = _named(path)
    return path.with_name(path.name.removesuffix(TMP_SUFFIX) or path.name)


def _named(path: Path) -> Path:
    """Spell out the name of `.`; refuse the one directory that has none."""
    named = path if path.name else path.absolute()
    if not named.name:
        msg = f"run directory {path}: is the root directory; name one within it"
        raise ConfigError(msg)
    return named


def write_file(path: Path, data: bytes) -> None:
    """Write a file so that it is either whole or not there, also after a power failure.

    Raises:
        PlatformError: The output is full or was taken away.
    """
    new = path.with_name(path.name + _NEW_SUFFIX)
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        _drop(new)
        raise _cannot_write(path, error) from error


def write_again(path: Path, data: bytes) -> None:
    """Write a file that can be made again at will: whole or not there, but for a power failure.

    Raises:
        PlatformError: The output is full or was taken away.
    """
    new = path.with_name(path.name + _NEW_SUFFIX)
    try:
        new.write_bytes(data)
        new.replace(path)
    except OSError as error:
        _drop(new)
        raise _cannot_write(path, error) from error


def _drop(new: Path) -> None:
    """Return back the room of a file that did not become whole."""
    with contextlib.suppress(OSError):
        new.unlink()


def _cannot_write(path: Path, error: OSError) -> PlatformError:
    advice = "free space" if is_full(error) else "name another place"
    return PlatformError(f"{path}: cannot be written ({error.strerror}); {advice}")


def write_document(path: Path, document: msgspec.Struct | dict[str, Any]) -> None:
    """Write a JSON document as `write_file` does."""
    write_file(path, encode_document(document))


def read_document(path: Path, kind: type[Document]) -> Document:
    """Read a document of a run, however large.

    Raises:
        RecordError: It is missing or damaged, or another version wrote it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error
    return decode_versioned(data, kind, str(path))


def check_output(path: Path, option: str = "-o") -> None:
    """Refuse a file that `write_output` would refuse: before a long computation, not after.

    Raises:
        ConfigError: The file exists or cannot be created.
    """
    if path.is_file() or path.is_dir():
        msg = f"{option} {path}: exists; remove it or name another file"
        raise ConfigError(msg)
    # A link that leads to nothing yet stays a link.
    place = path.resolve() if path.is_symlink() else path
    if not path.exists() and not place.parent.is_dir():
        msg = f"{option} {path}: {place.parent} is no directory; make it or name another file"
        raise ConfigError(msg)


def write_output(path: Path, data: bytes, option: str = "-o") -> None:
    """Write a file that the user named; nothing that exists is replaced.

    What is no plain file (a pipe, a device) is written directly, so that /dev/stdout stays what it
    is.

    Args:
        path: The file.
        data: All that it holds.
        option: By which the user named it.

    Raises:
        ConfigError: The file exists or cannot be created.
        PlatformError: The output is full.
    """
    check_output(path, option)
    if not path.exists():
        write_file(path.resolve() if path.is_symlink() else path, data)
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise _cannot_write(path, error) from error


def sync_directory(path: Path) -> None:
    """Make names within a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_file(path: Path) -> None:
    """Make a file's content durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def hash_files(directory: Path) -> dict[str, str]:
    """Hash what a run consists of.

    Returns:
        SHA-256 by path relative to the directory, sorted; of a run within it only its manifest,
        which holds the hashes of the rest.
    """
    return {
        str(path.relative_to(directory)): file_sha256(path) for path in _hashed_files(directory)
    }


def hash_streams(files: Mapping[str, str]) -> str:
    """Hash streams: what `sha256sum *.npy | sha256sum` prints there, where LC_ALL is C.

    Args:
        files: As `hash_files` gives them.
    """
    streams = sorted((name, digest) for name, digest in files.items() if name.endswith(STREAM))
    lines = "".join(f"{digest}  {name}\n" for name, digest in streams)
    return hashlib.sha256(lines.encode()).hexdigest()


def file_sha256(path: Path) -> str:
    """Hash one file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_HASH_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def rename_run(tmp: Path, final: Path) -> None:
    """Return a finished run its name.

    Raises:
        ConfigError: The name was taken meanwhile; the run stays where it is.
    """
    try:
        if final.exists():
            raise FileExistsError
        tmp.rename(final)
        sync_directory(final.parent)
    except OSError as error:
        reason = error.strerror or "exists"
        msg = f"run directory {final}: cannot be named so ({reason}); the run is in {tmp}"
        raise ConfigError(msg) from error


class Run:
    """A finished run, read lazily."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @cached_property
    def spec_text(self) -> str:
        """spec.toml as it is."""
        return self._read(SPEC).decode("utf-8", errors="replace")

    @cached_property
    def machine(self) -> dict[str, Any]:
        """machine.json."""
        return self._read_document(MACHINE)

    @cached_property
    def doctor(self) -> dict[str, Any]:
        """doctor.json: `before`, and `after` unless the run was killed."""
        return self._read_document(DOCTOR)

    @cached_property
    def children(self) -> tuple["Run", ...]:
        """The runs that this one consists of; none for a plain run."""
        for name in self.manifest.runs:
            if Path(name).name != name:
                msg = f"{self.path / MANIFEST}: runs: {name} leads out of the run"
                raise RecordError(msg)
        return tuple(open_run(self.path / "runs" / name) for name in self.manifest.runs)

    def has_stream(self, name: str) -> bool:
        """Whether a stream was recorded."""
        return (self.path / f"{name}.npy").is_file()

    def stream(self, name: str) -> "np.ma.MaskedArray[Any, Any]":
        """Read a stream whole, absent values masked.

        Args:
            name: `jobs`, `histogram`, ...

        Raises:
            RecordError: It is not there or damaged.
        """
        return read_stream(self.path / f"{name}.npy")

    def verify(self) -> list[str]:
        """Compare files with the hashes in the manifest.

        Returns:
            One line per file that is missing, changed or unknown; empty if all is as it was.
        """
        problems = [
            f"{name}: {problem}"
            for name, stated in sorted(self.manifest.files.items())
            if (problem := self._compare(name, stated))
        ]
        present = {str(path.relative_to(self.path)) for path in _hashed_files(self.path)}
        problems += [
            f"{name}: not in the manifest" for name in sorted(present - set(self.manifest.files))
        ]
        for child in self.children:
            problems += [f"runs/{child.path.name}/{problem}" for problem in child.verify()]
        return problems

    def _compare(self, name: str, stated: str) -> str | None:
        path = self.path / name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            return "path leads out of the run"
        try:
            return None if file_sha256(path) == stated else "changed"
        except OSError as error:
            return error.strerror or "unreadable"

    def _read(self, name: str) -> bytes:
        path = self.path / name
        try:
            with path.open("rb") as file:
                data = file.read(_MAX_DOCUMENT_BYTES + 1)
        except OSError as error:
            raise cannot_read(path, error) from error
        if len(data) > _MAX_DOCUMENT_BYTES:
            msg = f"{path}: too large for metadata; the run is damaged"
            raise RecordError(msg)
        return data

    def _read_document(self, name: str) -> dict[str, Any]:
        try:
            return msgspec.json.decode(self._read(name), type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            msg = f"{self.path / name}: unreadable ({plain_words(error)}); the run is damaged"
            raise RecordError(msg) from error


def open_run(path: Path) -> Run:
    """Open a finished run; `laxity.jobs.finish.open_recovered` also finishes left-over ones.

    Raises:
        ConfigError: There is no run.
        RecordError: Its manifest is unreadable.
    """
    if not (path / MANIFEST).is_file():
        msg = f"run {path}: {_why_no_run(path)}"
        raise ConfigError(msg)
    return Run(path, read_manifest(path))


def _why_no_run(path: Path) -> str:
    advice = "name a directory that laxity wrote"
    if path.is_dir():
        return f"is no run directory (no {MANIFEST}); {advice}"
    if not path.exists():
        return f"does not exist; {advice}"
    if (path.parent / MANIFEST).is_file():
        return f"is a file of a run; name its directory {path.parent}"
    return f"is no directory; {advice}"


def is_spec_of_run(path: Path) -> bool:
    """Whether a spec file is the stored one of a run."""
    return path.name == SPEC and (path.parent / MANIFEST).is_file()


def read_manifest(directory: Path) -> Manifest:
    """Read the manifest of a run, finished or not.

    Raises:
        RecordError: Unreadable.
    """
    path = directory / MANIFEST
    try:
        data = path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error
    return decode_document(data, Manifest, str(path))


def _hashed_files(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path.is_file() and not path.is_symlink() and _is_hashed(path.name):
            yield path
    children = directory / "runs"
    if children.is_dir():
        manifests = sorted(child / MANIFEST for child in children.iterdir())
        yield from (path for path in manifests if path.is_file())


def _is_hashed(name: str) -> bool:
    return name not in _UNHASHED and not name.endswith(_NEW_SUFFIX)


def path_part(text: str) -> str:
    """Make a text usable as a part of a path, and short."""
    return _UNUSABLE_IN_NAMES.sub("-", text)[:_MAX_NAME_PART].strip("-.") or "run"
