# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Replays regulated jobs from two recorded runs of a job: alone, and with a load.

A replay takes milliseconds where a simulation takes seconds, so that many starts and pauses can be
tried. native/regulator/replay.h says what it leaves out.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from laxity.contention.windows import FloatArray, Progress
from laxity.errors import EXIT_DONE, ToolError
from laxity.platform.tools import find_tool

_TOOL = "laxity-replay"
# The first permission comes before this period ends.
_FIRST_PERIOD = 4


@dataclass(frozen=True, slots=True)
class ReplayRun:
    """When a job starts, and how its load pauses by itself.

    Attributes:
        start_ns: Of the job; the regulator reads at multiples of its period.
        on_ns: Time that the load runs between two pauses.
        off_ns: Time of a pause; 0: the load never pauses.
    """

    start_ns: int
    on_ns: int = 0
    off_ns: int = 0


@dataclass(frozen=True, slots=True)
class Replayed:
    """A regulated job as a replay has it.

    Attributes:
        execution_ns: Of the job.
        allowed_ns: Of it with permission for the load.
        stops: How often the load was stopped.
        is_void: The job ran longer than profiled.
        is_beyond: There was more traffic than the table has.
    """

    execution_ns: int
    allowed_ns: int
    stops: int
    is_void: bool
    is_beyond: bool


def starts(period_ns: int, n: int, pause_ns: int = 0) -> list[ReplayRun]:
    """Spread starts of a job over a period of the regulator; the load runs and pauses alike."""
    return [
        ReplayRun(_FIRST_PERIOD * period_ns + i * period_ns // n, pause_ns, pause_ns)
        for i in range(n)
    ]


def replay(
    plan: str,
    solo: Progress,
    loaded: Progress,
    runs: Sequence[ReplayRun],
) -> list[Replayed]:
    """Replay a regulated job, once for each run.

    Args:
        plan: Of the regulation (`plan_of`).
        solo: The job alone, with the marks that it passes.
        loaded: The same job with the load, which is never stopped.
        runs: What to try.

    Raises:
        ToolError: laxity-replay is missing, or refuses the plan.
    """
    passed = np.interp(solo.marks_ns + solo.times_ns[0], solo.times_ns, solo.instructions)
    at = np.union1d(np.union1d(solo.instructions, loaded.instructions), passed)
    points = np.rint(np.column_stack([*_edges(solo, at), *_edges(loaded, at)]))[:, [0, 2, 1, 3]]
    marks = np.column_stack([np.searchsorted(at, passed), solo.marks])
    text = plan.encode()
    parts = (points, marks, np.array([astuple(run) for run in runs]))
    done = subprocess.run(
        [str(find_tool(_TOOL))],
        input=np.array([len(text), *(len(part) for part in parts)], dtype=np.int64).tobytes()
        + text
        + b"".join(part.astype(np.int64).tobytes() for part in parts),
        capture_output=True,
        check=False,
    )
    if done.returncode != EXIT_DONE:
        raise ToolError(done.stderr.decode(errors="replace").strip() or f"{_TOOL} failed")
    rows = (tuple(map(int, line.split())) for line in done.stdout.splitlines())
    return [
        Replayed(own_ns, allowed_ns, stops, bool(is_void), bool(is_beyond))
        for own_ns, allowed_ns, stops, is_void, is_beyond in rows
    ]


def _edges(course: Progress, instructions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Interpolate time and traffic since the start of the job."""
    return (
        np.interp(instructions, course.instructions, course.times_ns - course.times_ns[0]),
        np.interp(
            instructions, course.instructions, course.traffic_bytes - course.traffic_bytes[0]
        ),
    )
