# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where an export goes: a file that appears when it is whole, or standard output."""

import codecs
import errno
import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from typing_extensions import Buffer, override

from laxity.errors import ConfigError, PlatformError, is_full

_PART_SUFFIX = ".part"


@contextmanager
def opened_output(path: Path | None, *, is_binary: bool) -> Iterator[BinaryIO]:
    """Open the output of an export.

    A file is written beside its place and gets its name when it is complete, so that nothing that
    exists is lost and nothing half-written stays. What is no plain file (a pipe, /dev/null) is
    written directly.

    Args:
        path: The file; None: standard output.
        is_binary: Whether the format is not for a terminal.

    Raises:
        ConfigError: The file exists or cannot be created, or a terminal would get binary data.
        PlatformError: The output is full.
    """
    if path is None:
        yield _standard_output(is_binary=is_binary)
        sys.stdout.flush()
        return
    try:
        part = _part_of(path)
        try:
            with part.open("wb") as file:
                yield file
            if part != path:
                part.rename(path)
        finally:
            if part != path:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise _refusal(path, error) from error


@contextmanager
def opened_directory(path: Path) -> Iterator[Path]:
    """Make a directory for several files; it gets its name when all of them are complete.

    Raises:
        ConfigError: It exists or cannot be created.
        PlatformError: The output is full.
    """
    part = path.with_name(path.name + _PART_SUFFIX)
    try:
        if path.exists() or path.is_symlink():
            msg = f"-o {path}: exists; remove it or name another directory"
            raise ConfigError(msg)
        part.mkdir()
        try:
            yield part
            part.rename(path)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise _refusal(path, error) from error


def _part_of(path: Path) -> Path:
    """Return what is written: the file under another name, or the pipe or device itself."""
    if path.exists() and not path.is_file() and not path.is_dir():
        return path
    if path.exists() or path.is_symlink():
        msg = f"-o {path}: exists; remove it or name another file"
        raise ConfigError(msg)
    return path.with_name(path.name + _PART_SUFFIX)


def _standard_output(*, is_binary: bool) -> BinaryIO:
    if is_binary and os.isatty(sys.stdout.fileno()):
        msg = "this format is binary and standard output is a terminal; add -o FILE"
        raise ConfigError(msg)
    sys.stdout.flush()
    return sys.stdout.buffer if is_binary or not sys.stdout.isatty() else _Shown()


class _Shown(io.BytesIO):
    """Text for the terminal on standard output, which must obey none of it."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @override
    def write(self, data: Buffer, /) -> int:
        sys.stdout.write(self._decoder.decode(bytes(data)))
        return memoryview(data).nbytes


def _refusal(path: Path, error: OSError) -> ConfigError | PlatformError:
    if is_full(error) or error.errno in {errno.EFBIG, errno.EIO}:
        msg = f"-o {path}: cannot be written ({error.strerror}); free space or name another file"
        return PlatformError(msg)
    msg = f"-o {path}: cannot be created ({error.strerror}); name another file"
    return ConfigError(msg)
