# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Table 4 of RT-Bench: what its harness takes of an empty job. Ours is of this machine."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from laxity.jobs.rows import finished
from laxity.papers.paper import Exhibit, Experiment, Row, Runs, TaskRun

_JOBS = 5000
_TASK = {"workload": "empty", "period": "1ms", "policy": "fifo", "priority": 99}
OVERHEAD = Experiment("empty-job", "", TaskRun((_TASK,), _JOBS))
_NS_PER_US = 1e3
# Of its x86 machine, a Ryzen 9 5900HS, in us.
_X86 = {"min": 5.49, "mean": 24.57, "max": 515.99, "std": 13.99}
_ARM_MEAN_US = 30.63
_STATISTICS: dict[str, Callable[[Any], float]] = {
    "min": np.min,
    "mean": np.mean,
    "max": np.max,
    "std": np.std,
}
_ELAPSED = (
    "Of another machine. RT-Bench's job begins in the handler of its timer, and the row of the job "
    "before is printed there; ours begins when it is called, and rows are written after the run."
)
_RESPONSE = "RT-Bench begins to measure when its handler runs, and does not see how late that is."


def elapsed_us(runs: Runs, begins: str) -> Any:  # noqa: ANN401 - an array
    """Return what each finished job took, from `begins` on."""
    jobs = finished(runs[OVERHEAD.name].stream("jobs"))
    return np.ma.getdata(jobs["finish_ns"] - jobs[begins]) / _NS_PER_US


def _statistic(name: str, begins: str, found: Any) -> float:  # noqa: ANN401 - rt_bench.Found
    return float(_STATISTICS[name](elapsed_us(found.runs, begins)))


def _n_finished(found: Any) -> float:  # noqa: ANN401 - rt_bench.Found
    return float(len(elapsed_us(found.runs, "start_ns")))


def _rows() -> tuple[Row, ...]:
    elapsed = tuple(
        Row(
            f"an empty job, start to finish, {name}",
            paper,
            "us",
            "measured",
            partial(_statistic, name, "start_ns"),
            _ELAPSED,
        )
        for name, paper in _X86.items()
    )
    response = tuple(
        Row(
            f"the same, release to finish, {name}",
            None,
            "us",
            "measured",
            partial(_statistic, name, "release_ns"),
            _RESPONSE,
            said="not seen",
        )
        for name in _STATISTICS
    )
    arm = Row(
        "an empty job, start to finish, mean; the paper's on ARM, without counters",
        _ARM_MEAN_US,
        "us",
        "measured",
        partial(_statistic, "mean", "start_ns"),
        "Of another machine, and as above.",
    )
    n = Row(
        "jobs that finished",
        None,
        "jobs",
        "measured",
        _n_finished,
        "A loaded machine skips some.",
        said="no value",
    )
    return (*elapsed, arm, *response, n)


TABLE_4 = Exhibit(
    name="table-4",
    title="Table 4: what the harness takes of an empty job",
    experiments=(OVERHEAD,),
    rows=_rows(),
    notes=(
        f"One run of {_JOBS} jobs, every 1 ms, FIFO 99 where that is permitted and the ordinary "
        "scheduler where not (the run says which), on the machine that made this page; another run "
        "has other values. Neither processor time nor counters are read.",
    ),
)
