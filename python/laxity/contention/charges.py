# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What policy `sound` charges a job whose load is never stopped: the table against the truth."""

import numpy as np

from laxity.contention.table import RATE_ONE, ContentionTable, pack
from laxity.contention.windows import Progress

_MILLION = 1_000_000
_NS_PER_S = 10**9


def charged_ppm(table: ContentionTable, solo: Progress, loaded: Progress, period_ns: int) -> int:
    """Add up the charges of all readings of a job (docs/regulation.md, section 3).

    An interval in which phases begin is charged by the packed maximum of their curves. Starts and
    marks are read at once, and nothing stops, so that no reload is charged.

    Args:
        table: Of the program.
        solo: The job alone.
        loaded: The same job with the load.
        period_ns: Between two readings; the first comes when the job starts.

    Returns:
        Charged time, of the time of the job alone.
    """
    start_ns, end_ns = float(loaded.times_ns[0]), float(loaded.times_ns[-1])
    edges_ns = np.append(np.arange(start_ns, end_ns, period_ns), end_ns)
    lasts_ns = np.diff(edges_ns)
    moved = np.rint(np.diff(np.interp(edges_ns, loaded.times_ns, loaded.traffic_bytes)))
    executed = np.interp(edges_ns, loaded.times_ns, loaded.instructions)
    reached_ns = np.interp(executed, solo.instructions, solo.times_ns) - solo.times_ns[0]
    begins_ns = [phase.begins_ns for phase in table.phases]
    phases = np.searchsorted(begins_ns, reached_ns, side="right") - 1
    curves = np.array([phase.loss for phase in table.phases], dtype=np.int64)
    n_steps = curves.shape[1]
    # Whole bytes and ns, as the regulator has them: a step that is just reached is not the next.
    steps = [
        min(-(-int(bytes_) * _NS_PER_S // (int(last_ns) * table.step_bytes_per_s)), n_steps - 1)
        for bytes_, last_ns in zip(moved, np.maximum(np.rint(lasts_ns), 1), strict=True)
    ]
    charged = 0.0
    for last_ns, step, first, last in zip(lasts_ns, steps, phases, phases[1:], strict=False):
        touched = curves[first] if first == last else pack(curves[first : last + 1].max(axis=0))
        charged += last_ns * float(touched[step]) / RATE_ONE
    return round(charged * _MILLION / float(solo.times_ns[-1] - solo.times_ns[0]))
