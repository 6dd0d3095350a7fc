# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Count the lines that simulated programs touch, from the streams of what they do.

What a program touches is the same whatever caches do: no time has to be simulated for it.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from laxity.core.progress import State
from laxity.core.signals import Forwarder
from laxity.core.wording import plain_words
from laxity.errors import PlatformError
from laxity.platform.streams import (
    LONG_PATIENCE_S,
    STORAGE_CLASSES,
    AsksSystemError,
    Program,
    StreamFolder,
)
from laxity.platform.tools import find_tool
from laxity.profile.lines import ALL, LinesRecord, StorageLines, Touched


def count_lines(target: int, program: Program, line_bytes: int, signals: Forwarder) -> LinesRecord:
    """Find the stream of a program, or record it, and count.

    Args:
        target: Its place in the profile.
        program: What is executed.
        line_bytes: Of a line of the platform.
        signals: Hands signals on.

    Raises:
        LimitViolation, NotSimulatedError: The program failed, or does what is not simulated.
        PlatformError: It cannot be recorded, or its stream cannot be read.
        KeyboardInterrupt: A signal came meanwhile.
    """
    folder = StreamFolder()
    with ExitStack() as kept:
        temporary = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        own = StreamFolder(temporary, is_for_later=False)
        if folder.limit_bytes == 0:
            folder = own
        try:
            try:
                stream = folder.provide(program, kept, _say_nothing, signals, LONG_PATIENCE_S)
            except AsksSystemError:
                stream = own.provide(program, kept, _say_nothing, signals, LONG_PATIENCE_S)
            told = _counted(stream, line_bytes, program.path, signals)
        except OSError as error:
            msg = f"{folder.path}: {plain_words(error)}; change its permissions, or free space"
            raise PlatformError(msg) from error
        except PlatformError as error:
            if signals.has_received:
                raise KeyboardInterrupt from error
            raise
    jobs, *rows = told.splitlines()
    return LinesRecord(
        target=target, jobs=int(jobs), line_bytes=line_bytes, storage=list(_storage(rows))
    )


def _say_nothing(_state: State) -> None:
    pass


def _counted(stream: Path, line_bytes: int, program: Path, signals: Forwarder) -> str:
    tool = find_tool("laxity-sim-stream")
    # What a terminal sends is for us, who hand it on.
    counter = subprocess.Popen(
        [str(tool), "lines", str(stream), str(line_bytes), str(program)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
        text=True,
    )
    with counter:
        signals.start(counter)
        try:
            told, said = counter.communicate()
        finally:
            # It has ended, unless something came up here that nobody waits through.
            if counter.poll() is None:
                counter.kill()
            signals.stop()
    if counter.returncode != 0:
        why = said.strip().removeprefix(f"{tool.name}: ")
        raise PlatformError(why or "counting was ended by a signal")
    return told


def _storage(rows: list[str]) -> Iterator[StorageLines]:
    for name, row in zip((*STORAGE_CLASSES, ALL), rows, strict=True):
        numbers = [int(word) for word in row.split()]
        yield StorageLines(
            storage=name, largest=_touched(*numbers[:4]), together=_touched(*numbers[4:])
        )


def _touched(read_lines: int, written_lines: int, lines: int, pages: int) -> Touched:
    return Touched(read_lines=read_lines, written_lines=written_lines, lines=lines, pages=pages)
