# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity` in a process of its own that need not import it: forked from a server that has.

To start Python and to import a command takes longer than most commands. The server, one for each
process of pytest, imports them all once; what it forks ends as any other Python does. It serves
commands that are waited for; whatever looks at signals, at imports, at a terminal, at the command
line itself or at an environment that Python reads when it starts has a Python of its own.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_MESSAGE_BYTES = 1 << 20
# What commands import only where they draw.
_DRAWING = ("matplotlib.figure", "matplotlib.backends.backend_svg")


class Ended(NamedTuple):
    """How a command ended, as subprocess tells it, and what it wrote."""

    code: int
    out: str
    err: str


class Server:
    """A started server; it ends with the process that started it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        self._lock = threading.Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )

    def call(
        self, words: list[str], directory: Path, environment: Mapping[str, str], timeout_s: float
    ) -> Ended:
        """Call a command and wait for its end.

        Args:
            words: What follows `laxity`.
            directory: The current one of the command.
            environment: All of its environment.
            timeout_s: After so long it is killed.

        Raises:
            subprocess.TimeoutExpired: It was killed.
        """
        request = json.dumps([words, str(directory), dict(environment)]).encode()
        with self._lock, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            socket.send_fds(self._socket, [request], [out.fileno(), err.fileno()])
            pid = int(self._socket.recv(_MESSAGE_BYTES))
            self._socket.settimeout(timeout_s)
            try:
                answer = self._socket.recv(_MESSAGE_BYTES)
            except TimeoutError:
                self._socket.settimeout(None)
                os.kill(pid, signal.SIGKILL)
                self._socket.recv(_MESSAGE_BYTES)
                raise subprocess.TimeoutExpired(words, timeout_s) from None
            self._socket.settimeout(None)
            return Ended(int(answer), *(_text(file.fileno()) for file in (out, err)))


@cache
def server() -> Server:
    """Return the server of this process; it is started when it is first asked for."""
    return Server()


def _text(file: int) -> str:
    return os.pread(file, os.fstat(file).st_size, 0).decode()


def _import_all() -> None:
    import laxity  # noqa: PLC0415 - the tests need not load it here

    modules = [module.name for module in pkgutil.walk_packages(laxity.__path__, "laxity.")]
    for name in (*modules, *_DRAWING):
        if not name.endswith("__main__"):
            importlib.import_module(name)
    gc.freeze()


def _serve(connection: socket.socket) -> None:
    """Fork for every request; return in the child, which is set up as its caller wishes."""
    while True:
        request, files, _, _ = socket.recv_fds(connection, _MESSAGE_BYTES, 2)
        if not request:
            sys.exit()
        pid = os.fork()
        if pid == 0:
            break
        for file in files:
            os.close(file)
        connection.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())
    connection.close()
    words, directory, environment = json.loads(request)
    for number, file in enumerate(files, 1):
        os.dup2(file, number)
        os.close(file)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # Found anew: TMPDIR may name another.
    sys.argv[1:] = words


def _end(end: SystemExit) -> None:
    """End as Python does, but for taking down all modules: that takes as long as to import them."""
    threading._shutdown()  # type: ignore[attr-defined]  # no stub tells of it
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(end.code if isinstance(end.code, int) else 0)


if __name__ == "__main__":
    _import_all()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    from laxity.cli.main import main

    try:
        main()
    except SystemExit as end:
        _end(end)
