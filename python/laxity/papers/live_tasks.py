# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks that drive a program from one core to another in the middle of a job, once each.

Instant after instant a new task begins: its jobs first warm the caches of the core that it starts
on, then one is preempted there and goes on on the other core, which holds none of its data, then
the following ones show what else has to come over.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of each task: the first brings its lines, the second one finds them, the third migrates. What the
# last two take longer than the second is of the migration, too.
JOBS = 5
WARM_JOB, MIGRATED_JOB = 1, 2
# What is counted: lines that the task had left on the core before.
EVENTS = ("moved_fetch", "moved_load", "moved_store")
# Names of tasks begin so: those that migrate in the middle of a part of the job, and those that do
# where the analysis says that least is live within the part.
MIDDLE, LEAST = "middle", "least"
# A period holds a job, whatever moves, and the switches.
_PERIOD_FACTOR, _PERIOD_NS = 2, 100_000
# The jobs of one task, and of who drove the task before away, end before the next one begins.
_PERIODS_APART = 2 * JOBS
_LOWER, _HIGHER = 10, 20


def middles(instructions: int, parts: int) -> list[int]:
    """Return the middles of equal parts of a job, as how many instructions are before them."""
    return [(2 * part + 1) * instructions // (2 * parts) for part in range(parts)]


def least_live(executed: NDArray[np.int64], live_bits: Mapping[int, int], parts: int) -> list[int]:
    """Return where least is live in each of equal parts of a job, of equal places the first.

    Args:
        executed: Addresses of the instructions of a job, in their order.
        live_bits: By address, before the instruction there; others are no places to migrate at.
        parts: How many there are. One without any place has no answer.

    Returns:
        How many instructions are before each.
    """
    known = np.array(sorted(live_bits))
    bits = np.array([live_bits[one] for one in known.tolist()], dtype=np.float64)
    at = np.minimum(np.searchsorted(known, executed), len(known) - 1)
    live = np.where(known[at] == executed, bits[at], np.inf)
    borders = [part * len(executed) // parts for part in range(parts + 1)]
    found = []
    for begin, end in pairwise(borders):
        part = live[begin:end]
        if np.isfinite(part).any():
            found.append(begin + int(part.argmin()))
    return found


def migrated_tasks(
    program: Path, cpus: tuple[int, int], instants_ns: Sequence[tuple[str, int]], length_ns: int
) -> list[dict[str, Any]]:
    """Return the tables of tasks in pairs: one that migrates, and one that drives it away.

    Args:
        program: Its workload.
        cpus: From where to where.
        instants_ns: Of each pair what the name begins with, and when within the job.
        length_ns: Of a job that nobody disturbs.
    """
    return list(_pairs(program, cpus, instants_ns, length_ns))


def _pairs(
    program: Path, cpus: tuple[int, int], instants_ns: Sequence[tuple[str, int]], length_ns: int
) -> Iterator[dict[str, Any]]:
    period_ns = _PERIOD_FACTOR * length_ns + _PERIOD_NS
    begin, other = cpus
    for number, (name, instant_ns) in enumerate(instants_ns):
        offset_ns = number * _PERIODS_APART * period_ns
        yield {
            "name": f"{name}{number}",
            "workload": str(program),
            "period": f"{period_ns}ns",
            "offset": f"{offset_ns}ns",
            "cpus": f"{begin},{other}",
            "priority": _LOWER,
        }
        yield {
            "name": f"drives{number}",
            "workload": "empty",
            "period": f"{period_ns}ns",
            "offset": f"{offset_ns + MIGRATED_JOB * period_ns + instant_ns}ns",
            "cpus": str(begin),
            "priority": _HIGHER,
        }
