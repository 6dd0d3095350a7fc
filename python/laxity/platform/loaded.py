# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run a program many times and load it once.

Most of what llvm-nm takes for a small file, and half of what clang does, is the loader's work on
LLVM's shared libraries. So a process of each program stops before its main() and forks a copy of
itself for each run (workingset/loaded/loaded.c): the same program, with the same words, that says
the same. Where that cannot be done, each run starts the program anew.
"""

import os
import shutil
import socket
import struct
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock

from laxity import __version__
from laxity.platform.tools import tool_roots

_LIBRARY = "laxity-loaded.so"
_PRELOAD, _SOCKET = "LD_PRELOAD", "LAXITY_LOADED"
# Loading takes 20 ms; on a machine that is busy with other things some hundred times that.
_LOADING_S = 10
_VERSION_BYTES = 64
_LENGTH, _STATUS = struct.Struct("=I"), struct.Struct("=i")
# Of a copy that could not enter its directory or open its files.
_NOT_RUN = 127

Done = subprocess.CompletedProcess[str]
# Words, directory (None: ours), patience in seconds.
Run = Callable[[Sequence[str], Path | None, float], Done]


def start(words: Sequence[str], directory: Path | None, patience_s: float) -> Done:
    """Start a program and wait for its end; what it reads is empty, what it says is English.

    Args:
        words: The program and its arguments.
        directory: Where it is started; None: where we are.
        patience_s: It may take so long.

    Raises:
        subprocess.TimeoutExpired: It takes longer.
    """
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=patience_s,
        check=False,
        stdin=subprocess.DEVNULL,
        env=_environment(),
        cwd=directory,
    )


class LoadedPrograms:
    """Programs in processes that wait for the next run; they end with this object."""

    def __init__(self) -> None:
        self._library = _find_library()
        self._lock = Lock()
        self._idle: dict[str, list[_Loaded]] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="laxity-loaded-"))
        weakref.finalize(self, _end_all, self._idle, self._folder)

    def run(self, words: Sequence[str], directory: Path | None, patience_s: float) -> Done:
        """Do what `start` does."""
        program = os.path.realpath(words[0])
        loaded = self._take(program, words[0])
        if loaded is None:
            return start(words, directory, patience_s)
        try:
            done = loaded.run(words, directory, patience_s)
        except TimeoutError:
            loaded.end()
            raise subprocess.TimeoutExpired(list(words), patience_s) from None
        except OSError:
            loaded.end()
            return start(words, directory, patience_s)
        with self._lock:
            self._idle[program].append(loaded)
        return start(words, directory, patience_s) if done is None else done

    def _take(self, program: str, name: str) -> "_Loaded | None":
        """Take a process that nobody uses, or a new one; None: it cannot be had."""
        with self._lock:
            idle = self._idle.setdefault(program, [])
            if idle:
                return idle.pop()
        if self._library is None:
            return None
        loaded = _Loaded(name, self._library, self._folder)
        if loaded.is_ready():
            return loaded
        loaded.end()
        self._library = None
        return None


class _Loaded:
    """One process of a program, one run at a time."""

    def __init__(self, program: str, library: Path, folder: Path) -> None:
        self._socket, theirs = socket.socketpair()
        # By its descriptor: LD_PRELOAD is split at blanks and colons, which a path may have.
        with theirs, library.open("rb") as preloaded:
            name = f"/proc/self/fd/{preloaded.fileno()}"
            environment = _environment({_PRELOAD: name, _SOCKET: str(theirs.fileno())})
            self._process = subprocess.Popen(
                [program],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                pass_fds=[theirs.fileno(), preloaded.fileno()],
            )
        self._out = folder / f"{self._process.pid}.out"
        self._err = folder / f"{self._process.pid}.err"

    def is_ready(self) -> bool:
        """Wait until it is loaded; a program that does not know of this ends, or hangs."""
        self._socket.settimeout(_LOADING_S)
        try:
            said = self._socket.recv(_VERSION_BYTES)
        except OSError:
            return False
        return said == os.fsencode(__version__) + b"\0"

    def run(self, words: Sequence[str], directory: Path | None, patience_s: float) -> Done | None:
        """Let a copy of it run; None: there was no copy.

        Raises:
            TimeoutError: It takes longer.
            OSError: The process is gone.
        """
        place = "" if directory is None else str(directory)
        texts = (place, str(self._out), str(self._err), *words)
        request = b"".join(os.fsencode(one) + b"\0" for one in texts)
        self._socket.settimeout(patience_s)
        self._socket.sendall(_LENGTH.pack(len(request)) + request)
        answer = self._socket.recv(_STATUS.size)
        if len(answer) < _STATUS.size:
            msg = f"{words[0]}: gone"
            raise ConnectionError(msg)
        (status,) = _STATUS.unpack(answer)
        code = os.waitstatus_to_exitcode(status) if status >= 0 else _NOT_RUN
        if code == _NOT_RUN:
            return None
        return Done(list(words), code, _text(self._out), _text(self._err))

    def end(self) -> None:
        """End it, and the copy that runs."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


def _end_all(idle: Mapping[str, Sequence[_Loaded]], folder: Path) -> None:
    for some in idle.values():
        for loaded in some:
            loaded.end()
    shutil.rmtree(folder, ignore_errors=True)


def _environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    # What compilers say is read: it must be English.
    return {**os.environ, "LC_ALL": "C", **(more or {})}


def _find_library() -> Path | None:
    """Find what is preloaded; None: not in this build, or somebody preloads something else."""
    if _PRELOAD in os.environ:
        return None
    return next((path.resolve() for path in _places() if path.is_file()), None)


def _places() -> Iterator[Path]:
    """List where it may be: beside the tools that were built, or where it is installed."""
    for root in tool_roots():
        yield root / _LIBRARY
        yield root / "workingset" / _LIBRARY
    installed = shutil.which("laxity-workingset")
    if installed is not None:
        prefix = Path(installed).parent.parent
        yield from prefix.glob(f"lib/laxity/{_LIBRARY}")
        yield from prefix.glob(f"lib/*/laxity/{_LIBRARY}")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
