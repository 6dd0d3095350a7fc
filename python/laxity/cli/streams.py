# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""stdout and stderr that cannot change what a command does: closed, full, unread, or ASCII."""

import errno
import io
import os
import sys
from typing import TextIO

from typing_extensions import Buffer, override

from laxity.errors import PlatformError

_STANDARD_FDS = 3
_STDOUT = 1
_STDERR = 2


class _Output(io.FileIO):
    """A standard stream. After the first failed write everything is dropped.

    A reader that is gone (`| head`, a lost terminal) has seen enough; a full output is told once.
    """

    def __init__(self, fd: int, *, is_told: bool) -> None:
        super().__init__(fd, "w", closefd=False)
        self._is_told = is_told
        self._is_gone = False
        self._gone_errors = {errno.EPIPE, errno.EIO} if os.isatty(fd) else {errno.EPIPE}

    @override
    def write(self, data: Buffer, /) -> int:
        n_bytes = memoryview(data).nbytes
        if self._is_gone:
            return n_bytes
        try:
            return super().write(data)
        except OSError as error:
            self._is_gone = True
            if error.errno in self._gone_errors or not self._is_told:
                return n_bytes
            msg = f"standard output: cannot be written ({error.strerror}); free space for it"
            raise PlatformError(msg) from error


def secure_streams() -> None:
    """Make the standard streams of this process safe to write to; called once, first of all."""
    _fill_closed()
    sys.stdout = _text(_STDOUT, sys.stdout, is_told=True)
    sys.stderr = _text(_STDERR, sys.stderr, is_told=False)


def _fill_closed() -> None:
    """Put /dev/null where a standard stream is closed: no other file may take its number."""
    while (fd := os.open(os.devnull, os.O_RDWR)) < _STANDARD_FDS:
        os.set_inheritable(fd, True)
    os.close(fd)


def _text(fd: int, before: TextIO | None, *, is_told: bool) -> io.TextIOWrapper:
    output = _Output(fd, is_told=is_told)
    return io.TextIOWrapper(
        io.BufferedWriter(output),
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors="replace" if is_told else "backslashreplace",
        line_buffering=not is_told or output.isatty(),
    )
