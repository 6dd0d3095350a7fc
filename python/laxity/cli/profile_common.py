# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is common to the commands of `laxity profile`: which programs, and what is told of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from laxity.core.progress import Countdown
from laxity.core.spec_reader import split_words
from laxity.errors import ConfigError

workloads_argument = click.argument(
    "workloads", metavar="'WORKLOAD [WORD...]'...", nargs=-1, required=True
)
words_option = click.option(
    "-b",
    "--args",
    "words",
    metavar="'WORD...'",
    help="Words for the workload, one quoted string.  [default: those of its example]",
)


def progress(*, is_quiet: bool) -> Countdown:
    """Make what tells how far a profile is."""
    return Countdown("laxity profile", "runs", is_quiet=is_quiet)


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
