# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Take the streams of a run out of what a board sends: a tar stream, of which nothing is trusted.

Only names that laxity-run writes are taken, only regular files, never a path. A file gets its name
when all of them have come, native.json last: what has its name is whole.
"""

import os
import re
import tarfile
from pathlib import Path
from typing import IO

from laxity.core.wording import last_line
from laxity.errors import PlatformError, is_full
from laxity.platform.ssh import SSH_FAILED, Connection
from laxity.store.run_directory import NATIVE

_PART = ".part"
_TAKEN = re.compile(r"(?:\./)?([a-z][a-z0-9_]{0,40}\.npy|native\.json|output\.log)")
_CHUNK_BYTES = 1 << 20


def fetch_streams(connection: Connection, place: str, script: str, directory: Path) -> None:
    """Run a script on the board that writes a tar stream, and take the streams out of it.

    Args:
        connection: To the board.
        place: Where the run is there, for messages.
        script: The script.
        directory: DIR.tmp.

    Raises:
        PlatformError: The connection is lost, tar fails, or there is no room here.
    """
    process = connection.start(script)
    assert process.stdout is not None  # noqa: S101 - pipes were asked for
    assert process.stderr is not None  # noqa: S101
    try:
        names = unpack_streams(process.stdout, directory)
        problem = ""
    except tarfile.TarError as error:
        names, problem = [], str(error)
    except OSError as error:
        what = f"{directory}: cannot be written ({error.strerror})"
        msg = f"{what}; free space" if is_full(error) else f"{what}; correct its permissions"
        raise PlatformError(msg) from error
    finally:
        process.stdout.close()
        said = process.stderr.read()
        code = process.wait()
    if code == SSH_FAILED:
        raise connection.failure(said)
    if code or problem:
        reason = last_line(said) or problem
        msg = f"{connection.url}: {place}: cannot be sent ({reason}); mend it and try again"
        raise PlatformError(msg)
    for name in sorted(names, key=lambda name: name == NATIVE):
        (directory / (name + _PART)).replace(directory / name)


def unpack_streams(stream: IO[bytes], directory: Path) -> list[str]:
    """Write the streams of a tar stream to `NAME.part`.

    Returns:
        Their names.

    Raises:
        tarfile.TarError: It is no tar stream, or breaks off.
        OSError: They cannot be written.
    """
    for left in directory.glob("*" + _PART):
        left.unlink()
    try:
        return _unpack(stream, directory)
    except (ValueError, IndexError, KeyError, OverflowError, EOFError) as error:
        # tarfile lets the numbers of an extended header fail as they like.
        msg = f"damaged header ({error})"
        raise tarfile.ReadError(msg) from error


def _unpack(stream: IO[bytes], directory: Path) -> list[str]:
    names: list[str] = []
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            match = _TAKEN.fullmatch(member.name)
            is_plain = member.isreg() and not member.issparse()
            source = archive.extractfile(member) if match and is_plain else None
            if match is None or source is None:
                continue
            _copy(source, directory / (match[1] + _PART), member.size)
            names.append(match[1])
    return list(dict.fromkeys(names))


def _copy(source: IO[bytes], path: Path, size_bytes: int) -> None:
    left_bytes = size_bytes
    with path.open("wb") as file:
        while left_bytes > 0:
            chunk = source.read(min(left_bytes, _CHUNK_BYTES))
            if not chunk:
                msg = "unexpected end of data"
                raise tarfile.ReadError(msg)
            file.write(chunk)
            left_bytes -= len(chunk)
        file.flush()
        os.fsync(file.fileno())
