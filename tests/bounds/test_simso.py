# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""SimSo, a simulator that others wrote, as witness of bounds and verdicts.

It needs old versions of what we have in new ones, so it has an environment of its own, built from
packages that are pinned by hash (docs/dependencies.md).
"""

import json
import math
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.bounds.schedules import draw_tasks
from tests.bounds.simulated_sets import (
    OnPlatform,
    Program,
    SimulatedTask,
    needs_simulator,
    simulate,
)
from tests.bounds.test_simulated_schedules import settings

from laxity.bounds.edf import edf_verdict
from laxity.bounds.global_tests import response_times
from laxity.bounds.response_time import interfering_tasks, response_time, utilisation
from laxity.bounds.verdicts import SCHEDULABLE
from laxity.core.schedulers import Scheduler
from laxity.tasksets.task_model import Task

REPO = Path(__file__).resolve().parents[2]
# Beside the builds, and like them not ours to commit.
ENVIRONMENT = REPO / "build-simso"
DRIVER = Path(__file__).parent / "simso_driver.py"
LOCKS = REPO / "deps" / "simso"
PATIENCE_S = 300
N_SETS = 200

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def simso() -> Path:
    """A Python that has SimSo."""
    python = ENVIRONMENT / "bin" / "python"
    is_whole = ENVIRONMENT / "whole"
    if not is_whole.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        _install(python, "build.lock", "--only-binary", ":all:")
        # Neither has a wheel; what builds them is pinned as well.
        _install(python, "run.lock", "--no-deps", "--no-build-isolation")
        is_whole.touch()
    return python


def _install(python: Path, lock: str, *options: str) -> None:
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--require-hashes", *options, "-r", str(LOCKS / lock)],
        check=False, capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("SimSo cannot be fetched: no package index")
    assert not done.returncode, done.stderr


def simulated(
    python: Path, sets: Sequence[tuple[str, int, Sequence[Task]]], until: Sequence[int]
) -> list[list[int]]:
    """Simulate sets: scheduler, processors, tasks; all released together, 1 ms for each 1 ns."""
    asked: list[dict[str, Any]] = [
        {
            "scheduler": scheduler,
            "cpus": n_cpus,
            "duration": duration,
            "tasks": [
                {
                    "wcet": one.wcet_ns,
                    "period": one.period_ns,
                    "deadline": one.deadline_ns,
                    "priority": one.priority,
                }
                for one in tasks
            ],
        }
        for (scheduler, n_cpus, tasks), duration in zip(sets, until, strict=True)
    ]
    done = subprocess.run(
        [str(python), "-P", str(DRIVER)],
        input=json.dumps(asked), check=True, stdout=subprocess.PIPE, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    found: list[list[int]] = json.loads(done.stdout)
    return found


def drawn(seed: int, most_tasks: int = 4, n_cpus: int = 1) -> list[list[Task]]:
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    found: list[list[Task]] = []
    while len(found) < N_SETS:
        tasks = draw_tasks(numbers, most_tasks=most_tasks)
        if len(tasks) > n_cpus and utilisation(tasks) <= n_cpus:
            found.append(tasks)
    return found


def hyperperiod(tasks: Sequence[Task]) -> int:
    return math.lcm(*(one.period_ns for one in tasks))


def test_bounds_of_fixed_priorities_are_what_simso_sees(simso: Path):
    sets = drawn(1)
    # In the first hyperperiod of tasks released together the longest response is seen; those that
    # exceed their period SimSo counts differently.
    found = simulated(
        simso,
        [("FP", 1, tasks) for tasks in sets],
        [hyperperiod(tasks) + 1 for tasks in sets],
    )
    n_compared = n_preempted = 0
    for tasks, longest in zip(sets, found, strict=True):
        for one, seen in zip(tasks, longest, strict=True):
            bound = response_time(one, interfering_tasks(one, tasks)).response_ns
            assert bound is not None
            if bound <= one.period_ns:
                assert seen == bound, tasks
                n_compared += 1
                n_preempted += seen > one.wcet_ns
    assert n_compared > N_SETS
    assert n_preempted > N_SETS // 2


def test_verdict_of_edf_is_that_of_simso(simso: Path):
    sets = drawn(2)
    found = simulated(
        simso,
        [("EDF_mono", 1, tasks) for tasks in sets],
        [2 * hyperperiod(tasks) + 40 for tasks in sets],
    )
    verdicts = set()
    for tasks, longest in zip(sets, found, strict=True):
        is_met = all(seen <= one.deadline_ns for one, seen in zip(tasks, longest, strict=True))
        assert (edf_verdict(tasks).verdict == SCHEDULABLE) == is_met, tasks
        verdicts.add(is_met)
    assert verdicts == {True, False}


@pytest.mark.parametrize(
    ("scheduler", "name"), [(Scheduler.GLOBAL_FIXED_PRIORITY, "FP"), (Scheduler.GLOBAL_EDF, "EDF")]
)
def test_no_response_on_two_processors_that_simso_sees_exceeds_its_bound(
    simso: Path, scheduler: Scheduler, name: str
):
    sets = [
        [replace(one, priority=9 - index) for index, one in enumerate(tasks)]
        for tasks in drawn(3, most_tasks=5, n_cpus=2)
    ]
    found = simulated(
        simso,
        [(name, 2, tasks) for tasks in sets],
        [2 * hyperperiod(tasks) for tasks in sets],
    )
    n_bounds = 0
    for tasks, longest in zip(sets, found, strict=True):
        for one, seen in zip(response_times(tasks, 2, scheduler), longest, strict=True):
            if one.response_time_ns is not None:
                assert seen <= one.response_time_ns, tasks
                n_bounds += 1
    assert n_bounds > N_SETS


# Of SimSo's milliseconds; and of ticks in one.
MS_PER_UNIT, TICKS_PER_MS = 10, 10


def in_ticks(number: int, one: Task, until_ms: int, *, reserved: bool) -> SimulatedTask:
    """Make the task of a simulated platform, whose jobs go on for twice as long."""
    length = one.wcet_ns * TICKS_PER_MS
    return SimulatedTask(
        Program(length, length, first_code_line=number),
        jobs=2 * until_ms // one.period_ns,
        period=one.period_ns * TICKS_PER_MS,
        deadline=one.deadline_ns * TICKS_PER_MS,
        priority=one.priority,
        reserved=reserved,
    )


@needs_simulator
@pytest.mark.parametrize("name", ["FP", "EDF_mono"])
def test_responses_on_a_simulated_platform_are_those_of_simso(
    simso: Path, tmp_path: Path, name: str
):
    # Deadlines differ in their last digit, so that no two jobs of EDF have the same.
    sets = [
        [
            replace(
                one,
                wcet_ns=one.wcet_ns * MS_PER_UNIT,
                period_ns=one.period_ns * MS_PER_UNIT,
                deadline_ns=one.period_ns * MS_PER_UNIT - 1 - number,
            )
            for number, one in enumerate(tasks)
        ]
        for tasks in drawn(4)
        if utilisation(tasks) < 1
    ]
    until = [hyperperiod(tasks) for tasks in sets]
    found = simulated(
        simso, [(name, 1, tasks) for tasks in sets], [duration + 1 for duration in until]
    )
    platform = settings(tmp_path, 1)
    told = simulate(
        [
            OnPlatform(
                platform,
                [
                    in_ticks(number, one, until_ms, reserved=name != "FP")
                    for number, one in enumerate(tasks)
                ],
            )
            for tasks, until_ms in zip(sets, until, strict=True)
        ]
    )
    n_compared = n_preempted = 0
    for tasks, until_ms, longest, jobs in zip(sets, until, found, told, strict=True):
        if any(seen > one.deadline_ns for one, seen in zip(tasks, longest, strict=True)):
            continue
        for number, one in enumerate(tasks):
            period = one.period_ns * TICKS_PER_MS
            # From the second hyperperiod on the caches are perfect. What the first loads into
            # them, 2 ticks a task, is over by then: some of it is idle.
            seen = max(
                job.finish - job.job * period
                for job in jobs
                if job.task == number and job.job * period >= until_ms * TICKS_PER_MS
            )
            assert seen == longest[number] * TICKS_PER_MS, tasks
            n_compared += 1
            n_preempted += longest[number] > one.wcet_ns
    assert n_compared > N_SETS
    assert n_preempted > N_SETS // 2
