# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The standard streams: closed, full, unread or ASCII ones change nothing of what a command does.

What is written to them is for people, names that others gave are part of it, and a terminal obeys
control characters. So they are shown, not sent; our own go through `own_controls`.
"""

import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from typing_extensions import Buffer, override

from laxity.core.wording import visible
from laxity.errors import PlatformError

_STANDARD_FDS = 3
_STDOUT = 1
_STDERR = 2
_CLEARED_BELOW = "\r\033[J"
_USUAL_COLUMNS = 80


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


class _Text(io.TextIOWrapper):
    """A standard stream as text that a terminal obeys nothing of.

    Nothing is buffered here, so that `unguarded`, a second text over the same bytes, keeps order.
    """

    def __init__(self, output: _Output, encoding: str, errors: str, *, is_buffered: bool) -> None:
        buffer = io.BufferedWriter(output)
        how = {"encoding": encoding, "errors": errors}
        lines = not is_buffered
        super().__init__(buffer, **how, line_buffering=lines, write_through=True)
        self.unguarded = io.TextIOWrapper(buffer, **how, line_buffering=lines, write_through=True)

    @override
    def write(self, text: str, /) -> int:
        super().write(visible(text, keeps_lines=True))
        return len(text)


def own_controls(stream: TextIO) -> TextIO:
    """Return the way to a standard stream for text with control characters of our own.

    Whoever writes there puts names and words of others through `visible`.
    """
    unguarded: TextIO = getattr(stream, "unguarded", stream)
    return unguarded


def draw_below(lines: Sequence[str]) -> None:
    """Draw lines below that of the cursor of the terminal on stderr, in the place of older ones.

    The cursor stays in that line, which is empty: what another process writes stands there and
    stays, and the lines are drawn below it the next time. No lines: the older ones go.
    """
    terminal = own_controls(sys.stderr)
    # Of a line that is wrapped the terminal would keep a part.
    shown = "".join(f"\n{visible(line)[: _terminal_columns() - 1]}" for line in lines)
    back = f"\r\033[{len(lines)}A" if lines else ""
    terminal.write(f"{_CLEARED_BELOW}{shown}{back}")
    terminal.flush()


def is_unicode() -> bool:
    """Tell whether block characters can be written to stderr."""
    return (getattr(sys.stderr, "encoding", None) or "").lower().startswith("utf")


def _terminal_columns() -> int:
    try:
        return os.get_terminal_size(_STDERR).columns or _USUAL_COLUMNS
    except OSError:
        return _USUAL_COLUMNS


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


def _text(fd: int, before: TextIO | None, *, is_told: bool) -> _Text:
    output = _Output(fd, is_told=is_told)
    return _Text(
        output,
        getattr(before, "encoding", None) or "utf-8",
        "replace" if is_told else "backslashreplace",
        is_buffered=is_told and not output.isatty(),
    )
