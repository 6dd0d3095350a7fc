# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a sample of counters by interrupt takes from whatever runs, and how often one may be taken.

It cannot be read off a sample, so laxity-trace times the same loop without and with samples, in
turns. The loop is in registers: what the interrupt takes from a program's caches is not in it.
"""

import math
import subprocess
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from laxity.core.wording import plain_words
from laxity.errors import EXIT_DONE, EXIT_USAGE, ConfigError, PlatformError, ToolError
from laxity.platform.tools import find_tool
from laxity.statistics.distribution import interval_ranks
from laxity.store.manifest import SampleCost

_TOOL = "laxity-trace"
_CONFIDENCE: Final = 0.95


class Pair(msgspec.Struct, frozen=True):
    """The same loop without and with samples, and how many came."""

    without_ns: int
    with_ns: int
    samples: int


def measure_sampling_cost(events: Sequence[str]) -> SampleCost:
    """Measure how long an interrupt takes that reads counters, on a CPU of this process.

    Args:
        events: Their names; at least one.

    Raises:
        ConfigError: An event has no such name.
        PlatformError: CPUs may not be watched, or no event can be counted here.
        ToolError: laxity-trace is missing, or another version.
    """
    names = [word for event in events for word in ("--event", event)]
    done = subprocess.run(
        [str(find_tool(_TOOL)), "--sampling-cost", *names],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        # Ctrl-C is for whoever asked.
        start_new_session=True,
    )
    if done.returncode != EXIT_DONE:
        reason = done.stderr.strip().removeprefix(f"{_TOOL}: ")
        if done.returncode == EXIT_USAGE:
            raise ConfigError(reason)
        raise PlatformError(reason or f"{_TOOL}: exit code {done.returncode}")
    try:
        pairs = msgspec.json.decode(done.stdout, type=list[Pair])
    except msgspec.DecodeError as error:
        msg = f"{_TOOL}: what it printed is unreadable ({plain_words(error)}); rebuild it"
        raise ToolError(msg) from error
    return cost_of(pairs)


def cost_of(pairs: Sequence[Pair]) -> SampleCost:
    """Estimate the time of a sample: the median over pairs, with its interval by ranks.

    Args:
        pairs: Each with at least one sample.
    """
    n = len(pairs)
    ranks = interval_ranks(n, 0.5, _CONFIDENCE)
    if ranks is None:
        return SampleCost(n=n)
    each_ns = np.sort([(one.with_ns - one.without_ns) / one.samples for one in pairs])
    lower, upper = ranks
    return SampleCost(
        n=n,
        ns=float(np.median(each_ns)),
        low_ns=float(each_ns[lower - 1]),
        high_ns=float(each_ns[upper - 1]),
        ratio=float(np.median([one.with_ns / one.without_ns for one in pairs])),
    )


def is_told_from_noise(cost: SampleCost) -> bool:
    """Whether its interval lies above 0."""
    return cost.low_ns is not None and cost.low_ns > 0


def least_period_ns(cost: SampleCost, overhead: float) -> int | None:
    """Return how far apart samples must be so that they take no more than a share of a CPU.

    Args:
        cost: Of one sample; its upper bound is taken.
        overhead: Share, above 0: 0.01 is 1 %.

    Returns:
        Nanoseconds; None where nothing above 0 is known of the cost.
    """
    if cost.high_ns is None or cost.high_ns <= 0:
        return None
    return math.ceil(cost.high_ns / overhead)
