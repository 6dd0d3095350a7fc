# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A connection to a board through the user's own ssh: its keys, hosts and configuration.

One ssh process is the connection; it runs a shell on the board that waits for the end of its input.
Every other command goes through it (ControlMaster), so that the board authenticates once. If this
process dies, however, the input ends, and so do shell and connection.

On the board nothing is needed but a POSIX shell. Every word of ours is quoted for it.
"""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from laxity.core.board_url import BoardUrl
from laxity.core.wording import last_line
from laxity.errors import PlatformError, ToolError

# What ssh itself ends with if it fails; no program of ours does.
SSH_FAILED = 255
_OPTIONS = {
    # Nobody is there to be asked for a password or a fingerprint.
    "BatchMode": "yes",
    "ConnectTimeout": "20",
    # A dead link is noticed within half a minute.
    "ServerAliveInterval": "10",
    "ServerAliveCountMax": "3",
    # What a user may have set for sessions by hand, and what would break ours.
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "RequestTTY": "no",
}
# The path of a UNIX socket has 107 characters, of which ssh takes 17 for a temporary suffix.
_MAX_SOCKET_PATH = 90
_BEGIN, _END = b"laxity-board-begin\n", b"laxity-board-end\n"
_CLOSE_TIMEOUT_S = 5
_END_S = 1
# Far above what a board needs to answer a small question; a dead link is noticed before.
CALL_TIMEOUT_S = 120
# Linux refuses a longer word to a program (MAX_ARG_STRLEN, 128 KiB).
_MAX_SCRIPT_BYTES = 100_000


class Connection:
    """An open connection; make it with `connect`."""

    def __init__(self, url: BoardUrl, directory: Path) -> None:
        self.url = url
        self._socket = directory / "s"
        self._log = directory / "log"
        self._master: subprocess.Popen[bytes] | None = None

    def open(self, question: str) -> bytes:
        """Connect.

        Args:
            question: Script whose output is returned; it must not read its input.

        Raises:
            PlatformError: ssh fails, or the board has no usable shell.
            ToolError: There is no ssh.
        """
        script = f"echo; echo {_word(_BEGIN)}; {question}; echo; echo {_word(_END)}; exec cat"
        with self._log.open("wb") as log:
            self._master = self._start(
                self._argv(script, is_master=True), stdin=subprocess.PIPE, stderr=log
            )
        said = b""
        assert self._master.stdout is not None  # noqa: S101 - a pipe was asked for
        for line in self._master.stdout:
            if line == _END:
                return said.partition(_BEGIN)[2]
            said += line
        code = self._master.wait()
        if code != SSH_FAILED:
            msg = f"{self.url}: its shell ended with exit code {code} ({self._last_line()}); "
            msg += "a POSIX shell is needed there"
            raise PlatformError(msg)
        raise self.failure()

    def call(
        self, script: str, data: bytes = b"", timeout_s: float = CALL_TIMEOUT_S
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a script to its end.

        Args:
            script: What the shell runs.
            data: Its input.
            timeout_s: How long an answer is waited for.

        Raises:
            PlatformError: The connection is lost, or the board does not answer.
        """
        process = self.start(script)
        try:
            out, err = process.communicate(data, timeout_s)
        except subprocess.TimeoutExpired as error:
            msg = f"{self.url}: no answer for {timeout_s:.0f} s; look whether it still runs"
            raise PlatformError(msg) from error
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode == SSH_FAILED:
            raise self.failure(err)
        return subprocess.CompletedProcess(script, process.returncode, out, err)

    def start(self, script: str) -> "subprocess.Popen[bytes]":
        """Start a script with pipes to its three streams."""
        return self._start(
            self._argv(script, is_master=False), stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def is_alive(self) -> bool:
        """Tell whether the connection has lasted since `open`; a new one may still be possible."""
        if self._master is None:
            return False
        try:
            # What goes through it may notice its end a moment before it ends itself.
            self._master.wait(_END_S)
        except subprocess.TimeoutExpired:
            return True
        return False

    def failure(self, said: bytes = b"") -> PlatformError:
        """Put into words why ssh failed, by the last line that it wrote."""
        word = self.url.host if self.url.user is None else f"{self.url.user}@{self.url.host}"
        port = "" if self.url.port is None else f"-p {self.url.port} "
        reason = last_line(said) or self._last_line() or "the connection is lost"
        msg = f"{self.url}: ssh: {reason}; see that ssh {port}{word} true works without a question"
        return PlatformError(msg)

    def close(self) -> None:
        """End the connection."""
        master, self._master = self._master, None
        if master is None:
            return
        for stream in (master.stdin, master.stdout):
            if stream is not None:
                stream.close()
        try:
            master.wait(_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            master.kill()
            master.wait()

    def _argv(self, script: str, *, is_master: bool) -> list[str]:
        if len(script) > _MAX_SCRIPT_BYTES:
            msg = f"{self.url}: a command of {len(script)} letters is too long; use fewer tasks"
            raise PlatformError(msg)
        options = dict(_OPTIONS)
        if len(str(self._socket)) <= _MAX_SOCKET_PATH:
            # As in ssh_config: a blank ends what is not quoted, "%" begins a token.
            path = str(self._socket).replace("%", "%%")
            options["ControlPath"] = f'"{path}"' if " " in path else path
            options["ControlMaster"] = "yes" if is_master else "no"
            options["ControlPersist"] = "no"
        argv = ["ssh", *(word for item in options.items() for word in ("-o", "=".join(item)))]
        if self.url.user is not None:
            argv += ["-l", self.url.user]
        if self.url.port is not None:
            argv += ["-p", str(self.url.port)]
        return [
            *argv,
            "--",
            self.url.host.strip("[]"),
            shlex.join(["exec", "/bin/sh", "-c", script]),
        ]

    def _start(
        self, argv: list[str], *, stdin: int, stderr: int | IO[bytes]
    ) -> "subprocess.Popen[bytes]":
        try:
            # A session of its own: Ctrl-C is for us, who know what the board must still be told.
            return subprocess.Popen(
                argv, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
            )
        except OSError as error:
            msg = f"ssh: cannot be started ({error.strerror}); install an ssh client"
            raise ToolError(msg) from error

    def _last_line(self) -> str:
        try:
            return last_line(self._log.read_bytes())
        except OSError:
            return ""


@contextmanager
def connect(url: BoardUrl) -> Iterator[Connection]:
    """Make a connection that is closed at the end of the block; `Connection.open` opens it."""
    with tempfile.TemporaryDirectory(prefix="laxity-ssh-") as directory:
        connection = Connection(url, Path(directory))
        try:
            yield connection
        finally:
            connection.close()


def _word(marker: bytes) -> str:
    return os.fsdecode(marker).strip()
