# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A task set whose preemptions are known; measured by preemptions.py, checked by tests/cli.

The victim reads the clock all the time and tells every gap; two others come by turns while it
runs, and stamp their own start and finish.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from laxity.jobs import rows as job_analysis
from laxity.jobs.rows import Jobs
from laxity.jobs.run_data import RunData
from laxity.trace.attribution import Attribution

VICTIM, PREEMPTORS = 0, (1, 2)
# Marks of the workload `gaps`: the last reading of the clock before a gap, the first behind it; and
# the first and the last reading of a job.
GAP_FROM, GAP_TO, FIRST, LAST = 1, 2, 3, 4

# The victim looks at the clock for 30 of 50 ms; the others come by turns, 3 and 3 times in it.
_SPEC = """schema = 1
[run]
duration = "{seconds}s"
snapshots = "{snapshots}"
[[task]]
name = "victim"
workload = "{gaps}"
period = "50ms"
priority = 40
cpus = "{cpu}"
[[task]]
name = "short"
workload = "cpu"
args = ["4000", "4000"]
period = "10ms"
offset = "3ms"
priority = 60
cpus = "{cpu}"
[[task]]
name = "long"
workload = "cpu"
args = ["20000", "20000"]
period = "10ms"
offset = "7ms"
priority = 80
cpus = "{cpu}"
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A preemption that took place: whose job, and from its start to its finish, in ns."""

    name: str
    tid: int
    victim_job: int
    start_ns: int
    finish_ns: int


def write_spec(gaps: Path, cpu: int, seconds: int, snapshots: str = "all") -> str:
    """Write the task set as a spec; `gaps` is the workload of the victim, one of the tests'."""
    return _SPEC.format(gaps=gaps, cpu=cpu, seconds=seconds, snapshots=snapshots)


def _undisturbed(rows: Jobs, found: Attribution) -> Jobs:
    """Return jobs that nobody preempted; whoever else is on this machine may preempt others."""
    good = found.pieces.job[found.pieces.is_known & (found.pieces.n_preemptions == 0)]
    jobs = job_analysis.finished(rows)
    return jobs[np.isin(np.ma.getdata(jobs["job"]), good)]


def known_preemptions(data: RunData) -> list[Known]:
    """Return the jobs of the others that nobody disturbed, within a job of the victim."""
    victim = data.attributions[VICTIM].pieces
    rows = job_analysis.finished(data.tasks[VICTIM].rows)[victim.is_known]
    return [
        Known(
            data.tasks[index].result.name,
            int(one["tid"]),
            int(row["job"]),
            int(one["start_ns"]),
            int(one["finish_ns"]),
        )
        for index in PREEMPTORS
        for one in _undisturbed(data.tasks[index].rows, data.attributions[index])
        for row in rows
        if row["start_ns"] < one["start_ns"] and one["finish_ns"] < row["finish_ns"]
    ]
