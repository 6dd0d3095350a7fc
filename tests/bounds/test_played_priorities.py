# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Fixed priorities with late releases and ticks beside switches and reloads, against schedules."""

import random
from dataclasses import replace

import pytest
from tests.bounds.schedule_simulation import play
from tests.bounds.test_edf_overheads import _draw, _interrupts, _jobs
from tests.bounds.test_overheads import reloads

from laxity.bounds.overheads import PlatformCosts, Tick, load_cpus


@pytest.mark.parametrize("seed", range(2))
def test_no_schedule_with_late_releases_and_ticks_exceeds_a_bound(seed: int):
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    n_compared = n_near = n_preemptions = 0
    for _ in range(150):
        tasks = tuple(
            replace(one, priority=numbers.randint(1, 4), blocking_ns=0) for one in _draw(numbers)
        )
        half, latency = numbers.randint(0, 2), numbers.randint(0, 6)
        gammas = {one.name: numbers.randint(0, 12) for one in tasks}
        # Timers are left out: those of tasks above are in their switches as these are measured.
        costs = PlatformCosts(
            switch_ns=2 * half,
            gamma_ns=gammas,
            timer_latency_ns=latency,
            tick=Tick(numbers.randint(1, 3), 40),
        )
        bounds_ns = [load_cpus(tasks, costs)[one.cpu].response(one).response_ns for one in tasks]
        if None in bounds_ns:
            continue
        jobs = _jobs(tasks, latency, numbers)
        seen = play(jobs, half, reloads(gammas), interrupts=_interrupts(jobs, costs, numbers))
        n_preemptions += seen.preemptions
        for one, bound_ns in zip(tasks, bounds_ns, strict=True):
            assert bound_ns is not None
            assert seen.responses[one.name] <= bound_ns, (tasks, costs)
            n_compared += 1
            n_near += seen.responses[one.name] > 0.8 * bound_ns
    assert n_compared > 100
    assert n_near > 20
    assert n_preemptions > 200
