# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run programs that tell which segments of their code they execute, without a file in between."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Timer
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from laxity.errors import NoVerdict, ToolError
from laxity.platform.tools import find_tool
from laxity.workingset.llvm import find_llvm
from laxity.workingset.oracle import is_cpp
from laxity.workingset.trace import Inputs

TOOL = "laxity-workingset-mark"
_ARCHIVE = "libworkingset-segments.a"
_WORD_BYTES = 4
# Some hundred thousand segments at once: many enough for numpy, and a few MB.
_CHUNK_BYTES = 1 << 20
# The runtime's last word; a run without it ended in a way that lost some.
_END = 0xFFFFFFFF
_WORDS_TOLD = 300


@dataclass(frozen=True, slots=True)
class Traced:
    """A program that tells its segments.

    Attributes:
        executable: The program.
        segments: Table of what they are: segment, function, block, index of the first instruction.
        inputs: Of its runs.
        patience_s: A run may take so long.
    """

    executable: Path
    segments: Path
    inputs: Inputs
    patience_s: float

    @contextmanager
    def run(self) -> Iterator[Iterator[NDArray[Any]]]:
        """Run it in an empty directory; give its executed segments in order, chunk by chunk.

        What it prints and writes is nobody's. The body must take all chunks.

        Raises:
            NoVerdict: It did not come to an end of its own.
        """
        given = self.inputs.stdin or Path(os.devnull)
        with tempfile.TemporaryDirectory(dir=self.executable.parent) as directory:
            source, sink = os.pipe()
            with os.fdopen(source, "rb", buffering=0) as pipe:
                try:
                    with given.open("rb") as stdin:
                        process = subprocess.Popen(
                            [str(self.executable), *self.inputs.arguments],
                            stdin=stdin,
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL,
                            cwd=directory,
                            env=os.environ | {"LAXITY_SEGMENTS": f"/dev/fd/{sink}"},
                            pass_fds=(sink,),
                        )
                finally:
                    os.close(sink)
                with _watched(process, pipe, self.patience_s) as chunks:
                    yield chunks


def trace_segments(bitcode: Path, inputs: Inputs, to: Path, patience_s: float) -> Traced:
    """Make a copy of a program that tells which segments it executes.

    Args:
        bitcode: That was analysed.
        inputs: Of its runs.
        to: Directory of its own.
        patience_s: Each step may take so long.

    Raises:
        ToolError: The tool is not in this build.
        NoVerdict: The copy cannot be made.
    """
    tool = find_tool(TOOL)
    traced, table, executable = to / "segments.bc", to / "segments.csv", to / "segments"
    _must([tool, bitcode, "--segments", table, traced], patience_s)
    clang = find_llvm("clang++" if is_cpp(bitcode) else "clang")
    _must([clang, "-w", "-O1", traced, _archive(tool), "-lm", "-o", executable], patience_s)
    return Traced(executable, table, inputs, patience_s)


def _archive(tool: Path) -> Path:
    """Find what traced programs are linked with: in a build folder, or as installed."""
    bin_dir = tool.parent
    places = [bin_dir, bin_dir.parent / "lib", *sorted((bin_dir.parent / "lib").glob("*-linux-*"))]
    found = next((one for one in places if (one / _ARCHIVE).is_file()), None)
    if found is None:
        searched = ", ".join(str(one) for one in places)
        msg = f"{_ARCHIVE}: not found in {searched}; build it with ninja -C build"
        raise ToolError(msg)
    return found / _ARCHIVE


def _must(words: list[Path | str], patience_s: float) -> None:
    try:
        done = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=patience_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        msg = f"{Path(words[0]).name}: did not end within {patience_s:g} s; raise --timeout"
        raise NoVerdict(msg) from None
    if "undefined reference to `main'" in done.stderr:
        msg = "it has no main, so nothing starts it"
        raise NoVerdict(msg)
    if done.returncode:
        msg = f"{Path(words[0]).name}: {' '.join(done.stderr.split())[-_WORDS_TOLD:]}"
        raise NoVerdict(msg)


@contextmanager
def _watched(
    process: subprocess.Popen[bytes], pipe: IO[bytes], patience_s: float
) -> Iterator[Iterator[NDArray[Any]]]:
    """Return what a program writes until it ends; then judge how it ended."""
    is_late = Event()

    def stop() -> None:
        is_late.set()
        process.kill()

    killer = Timer(patience_s, stop)
    killer.start()
    words = _Words(pipe)
    try:
        yield words.chunks()
        code = process.wait()
    finally:
        killer.cancel()
        process.kill()
        process.wait()
    if is_late.is_set():
        msg = f"its run did not end within {patience_s:g} s; raise --timeout"
        raise NoVerdict(msg)
    if code < 0:
        msg = f"its run ended by signal {-code} ({signal.Signals(-code).name})"
        raise NoVerdict(msg)
    if not words.is_whole:
        msg = f"its run ended with exit code {code} and did not tell all of its segments"
        raise NoVerdict(msg)


class _Words:
    """Words of 32 bits from a pipe, up to the last one."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self.is_whole = False

    def chunks(self) -> Iterator[NDArray[Any]]:
        rest = b""
        while data := self._read():
            data = rest + data
            whole = len(data) - len(data) % _WORD_BYTES
            rest = data[whole:]
            words = np.frombuffer(data[:whole], dtype=np.uint32)
            if words.size and words[-1] == _END:
                self.is_whole = True
                words = words[:-1]
            yield words

    def _read(self) -> bytes:
        """Read until there is a chunk, or no more; a pipe gives some pages at a time."""
        parts: list[bytes] = []
        size = 0
        while size < _CHUNK_BYTES and (part := self._pipe.read(_CHUNK_BYTES - size)):
            parts.append(part)
            size += len(part)
        return b"".join(parts)
