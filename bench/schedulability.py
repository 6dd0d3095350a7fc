# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How long schedulability tests take on drawn sets of 20 tasks, in processor time of one core.

    python bench/schedulability.py              1,000 sets per line; what one set takes on average
    python bench/schedulability.py --sets 100
    python bench/schedulability.py --growth     bounds of ever more tasks of one CPU

Costs are round figures of the size that a virtual machine shows. The figure of 10,000 sets at each
of 20 utilisations is the command itself:

    time laxity experiment bench/schedulability.toml --costs COSTS --no-report
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from laxity.bounds import bound_edf, bound_fixed_priority
from laxity.bounds.bound import bound_task_set
from laxity.bounds.crpd_sets import Cache, Method, response_times
from laxity.bounds.overheads import PlatformCosts, Tick, load_cpu
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.setup import Setup
from laxity.core.spec import MAX_PRIORITY, Policy
from laxity.core.task_set import BoundKeys, DeclaredTask, TaskSet
from laxity.tasksets.experiment_spec import read_experiment
from laxity.tasksets.random_sets import draw_set, set_seed
from laxity.tasksets.task_model import Task

NS_PER_MS = 1_000_000
N_TASKS = 20
UTILISATIONS = (0.5, 0.8, 0.9)
GROWTH = (100, 200, 400, 1000, 2000)
GROWTH_UTILISATION_PPM = 500_000
# Characters of the longest bar.
BAR_WIDTH = 50
CACHE_SETS = 256
RELOAD_NS = 100
EXPERIMENT = replace(
    read_experiment(b"schema = 1\n[experiment]"), tasks=N_TASKS, working_set_bytes=(4096, 1 << 20)
)

Set: TypeAlias = tuple[tuple[Task, ...], PlatformCosts]


def drawn(utilisation: float, count: int) -> list[Set]:
    """Draw sets with rate-monotonic priorities, cache sets, and the costs of each."""
    utilisation_ppm = round(utilisation * 1e6)
    numbers = random.Random(1)  # noqa: S311 - the same in each run
    found = []
    for number in range(count):
        tasks = draw_set(EXPERIMENT, utilisation_ppm, set_seed(1, utilisation_ppm, number))
        ordered = sorted(tasks, key=lambda one: one.period_ns)
        placed = tuple(
            with_cache_sets(replace(one, priority=N_TASKS - i), numbers)
            for i, one in enumerate(ordered)
        )
        found.append((placed, costs_of(placed)))
    return found


def with_cache_sets(task: Task, numbers: random.Random) -> Task:
    """Return a task a stretch of cache sets, the first third of which it will use again."""
    first, length = numbers.randrange(CACHE_SETS), numbers.randrange(8, 128)
    used = [(first + i) % CACHE_SETS for i in range(length)]
    return replace(task, ecb=frozenset(used), ucb=frozenset(used[: length // 3 + 1]))


def costs_of(tasks: Sequence[Task]) -> PlatformCosts:
    """Charge 0.1 ns for each byte of a working set."""
    return PlatformCosts(
        switch_ns=40_000,
        preempt_out_ns=15_000,
        gamma_ns={one.name: (one.working_set_bytes or 0) // 10 for one in tasks},
        timer_latency_ns=50_000,
        release_isr_ns=7_000,
        tick=Tick(9_000, 4 * NS_PER_MS),
    )


def by_response_times(tasks: Sequence[Task], costs: PlatformCosts) -> bool:
    """Bound every response time."""
    cpu = load_cpu(tasks, costs)
    found = [cpu.response(one).response_ns for one in tasks]
    return all(
        ns is not None and ns <= one.deadline_ns for ns, one in zip(found, tasks, strict=True)
    )


def by_multisets(tasks: Sequence[Task], _costs: PlatformCosts) -> bool:
    """Bound every response time, preemption delays by the combined multisets."""
    found = response_times(tasks, Cache(RELOAD_NS), Method.COMBINED_MULTISET)
    return all(one.verdict == "schedulable" for one in found)


TESTS: dict[str, Callable[[Sequence[Task], PlatformCosts], bool]] = {
    "fixed priorities, response times": by_response_times,
    "fixed priorities, yes or no": bound_fixed_priority.keeps_deadlines,
    "EDF, yes or no": bound_edf.keeps_deadlines,
    "combined multiset": by_multisets,
}


def declared(n_tasks: int) -> tuple[TaskSet, PlatformCosts]:
    """Draw as many tasks of one CPU, rate-monotonic on all levels that there are, small costs."""
    experiment = replace(EXPERIMENT, tasks=n_tasks)
    drawn_tasks = draw_set(experiment, GROWTH_UTILISATION_PPM, 1)
    ordered = sorted(drawn_tasks, key=lambda one: one.period_ns)
    keys = BoundKeys(
        wcet_ns=None, jitter_ns=0, blocking_ns=0, working_set_bytes=None, ucb=frozenset(),
        ecb=frozenset(), overhead_ppm=0,
    )  # fmt: skip
    tasks = tuple(
        DeclaredTask(
            name=one.name, period_ns=one.period_ns, deadline_ns=one.period_ns, offset_ns=0,
            policy=Policy.FIFO, priority=MAX_PRIORITY - place * MAX_PRIORITY // n_tasks, cpu=0,
            wcet_ns=one.wcet_ns, keys=keys,
        )
        for place, one in enumerate(ordered)
    )  # fmt: skip
    costs = PlatformCosts(
        switch_ns=400,
        preempt_out_ns=150,
        gamma_ns={one.name: 1 + one.period_ns % 100 for one in tasks},
        timer_latency_ns=500,
        release_isr_ns=300,
        tick=Tick(9_000, 4 * NS_PER_MS),
    )
    return TaskSet(tasks, has_corunners=False), costs


def show_growth() -> None:
    """Time the bounds of ever more tasks, with and without how far another answer is."""
    found = []
    for n_tasks in GROWTH:
        task_set, costs = declared(n_tasks)
        for has_sensitivity in (False, True):
            begin_s = time.process_time()
            answer = bound_task_set(
                task_set,
                Accounted(costs, (), (), (), ()),
                Setup(has_sensitivity=has_sensitivity),
            )
            found.append((n_tasks, has_sensitivity, time.process_time() - begin_s, answer.verdict))
    longest_s = max(took_s for _, _, took_s, _ in found)
    sys.stdout.write(f"{'tasks':>6} {'sensitivity':11} {'CPU s':>8}\n")
    for n_tasks, has_sensitivity, took_s, verdict in found:
        bar = "#" * round(BAR_WIDTH * took_s / longest_s)
        word = "with" if has_sensitivity else "without"
        sys.stdout.write(f"{n_tasks:6} {word:11} {took_s:8.2f} {verdict} {bar}\n")


def main() -> None:
    """Time every test at every utilisation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="at each utilisation")
    parser.add_argument("--growth", action="store_true", help="bounds of ever more tasks instead")
    options = parser.parse_args()
    if options.growth:
        show_growth()
        return
    count = options.sets
    sys.stdout.write(
        f"{'test, 20 tasks, with costs':36} {'U':>5} {'n':>6} {'CPU ms/set':>11} {'proven':>7}\n"
    )
    for utilisation in UTILISATIONS:
        sets = drawn(utilisation, count)
        for name, test in TESTS.items():
            begin_s = time.process_time()
            proven = statistics.fmean(test(*one) for one in sets)
            per_set_ms = (time.process_time() - begin_s) / count * 1e3
            sys.stdout.write(
                f"{name:36} {utilisation:5.0%} {count:6} {per_set_ms:11.3f} {proven:7.1%}\n"
            )


if __name__ == "__main__":
    main()
