# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A stored bound of two tasks with made-up costs, for tests of the report."""

from pathlib import Path

from tests.bounds.made_up_costs import GAMMAS, SWITCHES, model

from laxity.bounds.answer import CostsGiven, answer_task_set
from laxity.bounds.platform_costs import Choice
from laxity.bounds.setup import USUAL, Setup
from laxity.bounds.store import BoundRequest, store_bound
from laxity.core.task_set import read_task_set

TASKS = """schema = 1
[[task]]
name = "control"
period = "10ms"
wcet = "2ms"
priority = 90
cpus = "1"
[[task]]
name = "video <b>"
period = "40ms"
wcet = "12ms"
overhead_ratio = "25%"
blocking = "1ms"
priority = 50
cpus = "1"
working_set = "64KiB"
deadline = "{deadline}"
"""
COSTS = CostsGiven(model(*SWITCHES, *GAMMAS), "costs.json", Choice())


def write_bound(
    tmp_path: Path,
    deadline: str = "40ms",
    costs: CostsGiven = COSTS,
    setup: Setup = USUAL,
) -> Path:
    """Store the answer for two tasks as `laxity bound --run-dir` does."""
    data = TASKS.format(deadline=deadline).encode()
    request = BoundRequest(
        name="two tasks",
        answer=answer_task_set(read_task_set(data), costs, setup),
        task_set=data,
        costs=costs.model,
        costs_run=None,
        final=tmp_path / "run",
        command_line=["laxity", "bound"],
    )
    path = store_bound(request).path
    assert path is not None
    return path
