# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Signals that ask for an end end the run, never the process that stores it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

# SIGHUP: the terminal or the connection is gone.
END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Receiver(Protocol):
    """Whatever stands for laxity-run: its process, or the ssh to a board."""

    def send_signal(self, number: int, /) -> None:
        """Hand a signal on; called within a signal handler."""


class Forwarder:
    """Hands the signals that ask for an end on to laxity-run, which ends the run in order.

    A terminal sends SIGINT to laxity-run as well; hearing it twice does no harm. A signal that
    comes while there is no laxity-run is kept, and given to the next one.
    """

    def __init__(self) -> None:
        self._process: Receiver | None = None
        self._received: int | None = None

    @property
    def has_received(self) -> bool:
        """Whether the user wants an end."""
        return self._received is not None

    def start(self, process: Receiver) -> None:
        """From now on signals go to `process`."""
        self._process = process
        if self._received is not None:
            process.send_signal(self._received)

    def stop(self) -> None:
        """The process has ended."""
        self._process = None

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal."""
        self._received = number
        if self._process is not None:
            self._process.send_signal(number)


@contextmanager
def forwarded_signals() -> Iterator[Forwarder]:
    """Forward the signals that ask for an end until the end of the block."""
    forwarder = Forwarder()
    before = {}
    for number in END_SIGNALS:
        # A caller that ignores a signal (nohup, a background job) wants it ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, forwarder.handle)
    try:
        yield forwarder
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
