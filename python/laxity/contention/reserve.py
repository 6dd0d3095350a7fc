# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Slack to keep in a phase for later phases in which the same load costs less.

The reserve has no part in the proof: it only decides where the allowed loss is spent. So it is an
estimate by means, where the table itself is an envelope.
"""

from collections.abc import Sequence

import numpy as np

from laxity.contention.windows import FloatArray, Progress

# Loads that make the reserve of a step: those whose traffic in the phase is nearest. In replays of
# four programs, parallelism with 5 to 25 of 75 loads differs by 0.5 points.
_NEAREST = 9
# A phase is cheaper if it loses less by a fifth: between equal phases the first is as good.
_CHEAPER = 0.8
_NS_PER_S = 1e9


def reserves_of(
    solo: Progress,
    loaded: Sequence[Progress],
    begins_ns: Sequence[int],
    n_steps: int,
    step_bytes_per_s: int,
) -> list[list[int]]:
    """Estimate what later, cheaper phases lose, by phase and step of traffic.

    Args:
        solo: The job alone.
        loaded: The same job with each load.
        begins_ns: Where each phase begins in the job alone; the first at 0.
        n_steps: Steps of the table.
        step_bytes_per_s: Width of a step.

    Returns:
        In ns; 0 in the cheapest phase, and in each phase that no cheaper one follows.
    """
    parts = [_lost_and_traffic(solo, course, begins_ns) for course in loaded]
    later = np.array([_later_ns(lost_ns, lasts_ns) for lost_ns, lasts_ns, _ in parts])
    traffic = np.array([bytes_per_s for _, _, bytes_per_s in parts]) / step_bytes_per_s
    steps = np.arange(n_steps)[:, np.newaxis]
    reserves: list[list[int]] = []
    for phase in range(len(begins_ns)):
        distance = np.abs(steps - traffic[:, phase])
        nearest = np.argsort(distance, axis=1, kind="stable")[:, :_NEAREST]
        reserves.append(later[nearest, phase].mean(axis=1).astype(np.int64).tolist())
    return reserves


def _lost_and_traffic(
    solo: Progress, loaded: Progress, begins_ns: Sequence[int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Measure what each phase loses in ns, how long it takes in ns, and its bytes per second."""
    edges_ns = np.array([*begins_ns, solo.times_ns[-1] - solo.times_ns[0]], dtype=np.float64)
    executed = np.interp(edges_ns, solo.times_ns - solo.times_ns[0], solo.instructions)
    lasts_ns = np.diff(np.interp(executed, loaded.instructions, loaded.times_ns))
    moved = np.diff(np.interp(executed, loaded.instructions, loaded.traffic_bytes))
    lost_ns = np.maximum(lasts_ns - np.diff(edges_ns), 0)
    return lost_ns, lasts_ns, moved / lasts_ns * _NS_PER_S


def _later_ns(lost_ns: FloatArray, lasts_ns: FloatArray) -> FloatArray:
    """Sum for each phase what those lose that come later and lose less per time."""
    rates = lost_ns / lasts_ns
    is_later = np.triu(np.ones((len(rates), len(rates)), dtype=bool), k=1)
    is_cheaper = rates[np.newaxis, :] < _CHEAPER * rates[:, np.newaxis]
    sums: FloatArray = (is_later & is_cheaper) @ lost_ns
    return sums
