# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is told while programs are profiled."""

import sys
import time

_TELL_EVERY_S = 10


class Progress:
    """A line on stderr, at most every 10 s, with the time that is left."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._begun_s = self._told_s = time.monotonic()

    def show(self, number: int, n_all: int, name: str) -> None:
        """Tell what begins."""
        now_s = time.monotonic()
        if self._is_quiet or (number > 1 and now_s - self._told_s < _TELL_EVERY_S):
            return
        self._told_s = now_s
        done = number - 1
        left = f", {(now_s - self._begun_s) / done * (n_all - done):.0f} s left" if done else ""
        print(f"laxity profile: {number} of {n_all}: {name}{left}", file=sys.stderr)
