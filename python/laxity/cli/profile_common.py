# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is common to the commands of `laxity profile`: which programs, and what is told of them."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import click

from laxity.core.spec_reader import split_words
from laxity.errors import ConfigError

_TELL_EVERY_S = 10

workloads_argument = click.argument(
    "workloads", metavar="'WORKLOAD [WORD...]'...", nargs=-1, required=True
)
words_option = click.option(
    "-b",
    "--words",
    metavar="'WORD...'",
    help="Words for the workload, one quoted string.  [default: those of its example]",
)


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


def read_targets(workloads: Sequence[str], words: str | None) -> tuple[Mapping[str, Any], ...]:
    """Read workloads, each of which its words may follow; without any they are of its example.

    Args:
        workloads: As they were named.
        words: Of -b; of one workload only.

    Raises:
        ConfigError: There are several, or a quotation mark has no end.
    """
    from laxity.platform.tools import list_workloads  # noqa: PLC0415 - heavy

    if words is not None and len(workloads) > 1:
        msg = "-b: describes one workload, and several are named; name one"
        raise ConfigError(msg)
    examples = {one.name: one.example for one in list_workloads()}
    return tuple(_target(one, words, examples) for one in workloads)


def _target(
    named: str, words: str | None, examples: Mapping[str, list[str]]
) -> Mapping[str, object]:
    name, *own = split_words(named, "WORKLOAD") or [""]
    if words is not None:
        own = split_words(words, "-b")
    return {"workload": name, "args": own or examples.get(name, [])}
