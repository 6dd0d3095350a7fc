# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Watch laxity-run on a board through ssh: its progress, what it says, and signals for it."""

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from laxity.core.progress import Display, show_newest
from laxity.core.signals import Forwarder
from laxity.platform.ssh import SSH_FAILED

# How soon a signal goes on its way; progress lines come more rarely.
_POLL_S = 0.1
_READ_BYTES = 4096


@dataclass(frozen=True, slots=True)
class RemoteEnd:
    """How the ssh that ran laxity-run ended; `pid` None: it was not even started."""

    returncode: int
    pid: int | None
    said: bytes

    @property
    def is_ssh_failure(self) -> bool:
        """Whether ssh failed, or a signal ended laxity-run: ssh answers the same."""
        return self.returncode == SSH_FAILED


def watch_remote(
    process: "subprocess.Popen[bytes]",
    display: Display,
    signals: Forwarder,
    send_signal: Callable[[int, str], bool],
) -> RemoteEnd:
    """Wait until laxity-run has ended, or the connection.

    Args:
        process: An ssh that writes laxity-run's process id as its first line, then progress. The
            end of its input ends the run.
        display: Shows progress.
        signals: Its signals go to laxity-run.
        send_signal: Sends one there, by process id and name (INT); tells whether it could.
    """
    watch = _Watch(process, display, send_signal)
    signals.start(watch)
    try:
        watch.follow()
        return RemoteEnd(process.wait(), watch.pid, watch.said)
    finally:
        signals.stop()
        display.close()
        watch.end()


class _Watch:
    """Takes signals like a process here, and sends them on when it is not interrupted by them."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        display: Display,
        send_signal: Callable[[int, str], bool],
    ) -> None:
        self.pid: int | None = None
        self.said = b""
        self._process = process
        self._display = display
        self._send = send_signal
        self._wanted: list[int] = []
        self._unread = b""

    def send_signal(self, number: int, /) -> None:
        """Remember a signal; this runs within a handler."""
        self._wanted.append(number)

    def follow(self) -> None:
        """Read both streams to their ends."""
        assert self._process.stdout is not None  # noqa: S101 - pipes were asked for
        assert self._process.stderr is not None  # noqa: S101
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ, self._take_progress)
            selector.register(self._process.stderr, selectors.EVENT_READ, self._take_words)
            while selector.get_map():
                for key, _ in selector.select(_POLL_S):
                    data = os.read(key.fd, _READ_BYTES)
                    if not data:
                        selector.unregister(key.fileobj)
                    key.data(data)
                self._send_wanted()

    def end(self) -> None:
        """Let go of the run: the end of its input ends it."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _take_progress(self, data: bytes) -> None:
        self._unread += data
        if self.pid is None:
            line, newline, rest = self._unread.partition(b"\n")
            if not newline:
                return
            self.pid = int(line) if line.isdigit() else None
            self._unread = rest
        self._unread = show_newest(self._unread, self._display)

    def _take_words(self, data: bytes) -> None:
        self.said = (self.said + data)[-_READ_BYTES:]
        sys.stderr.write(data.decode("utf-8", "replace"))
        sys.stderr.flush()

    def _send_wanted(self) -> None:
        while self._wanted and self.pid is not None:
            name = signal.Signals(self._wanted.pop(0)).name.removeprefix("SIG")
            if not self._send(self.pid, name) and self._process.stdin is not None:
                self._process.stdin.close()
