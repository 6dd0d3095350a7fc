# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The most that a regulator could allow which knows in advance what each window of a job loses."""

import numpy as np

from laxity.contention.windows import Progress

_WINDOW_NS = 10_000


def largest_parallelism(solo: Progress, loaded: Progress, budget_ns: int) -> float:
    """Fill the allowed loss with the windows of 10 µs that lose least for their time.

    This is the exact fractional knapsack: a window may be shared in part, and loses the same part.
    Stops take effect at once and cost nothing.

    Args:
        solo: The job alone.
        loaded: The same job with a load that never stops.
        budget_ns: Loss that is allowed.

    Returns:
        Part of the job's time in which the load may run.
    """
    start_ns, end_ns = float(solo.times_ns[0]), float(solo.times_ns[-1])
    edges_ns = np.append(np.arange(start_ns, end_ns, _WINDOW_NS), end_ns)
    executed = np.interp(edges_ns, solo.times_ns, solo.instructions)
    took_ns = np.diff(np.interp(executed, loaded.instructions, loaded.times_ns))
    lost_ns = took_ns - np.diff(edges_ns)
    order = np.argsort(lost_ns / np.maximum(took_ns, 1.0))
    took_ns, lost_ns = took_ns[order], lost_ns[order]
    left_ns = budget_ns - (np.cumsum(lost_ns) - lost_ns)
    parts = np.divide(left_ns, lost_ns, out=np.ones_like(lost_ns), where=lost_ns > 0).clip(0, 1)
    lasts_ns = end_ns - start_ns + np.dot(parts, lost_ns)
    return float(np.dot(parts, took_ns) / lasts_ns)
