# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure migration-jobs --platform sim:NAME`: jobs that migrate, by hand."""

import json
import math
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity

# A nanosecond per cycle, caches of each core's own, loads and stores that are waited for, and a
# kernel that uses no memory. The first cache has 16 sets of 8 ways.
PLATFORM = """
schema = 1
title = "no shared cache"
architecture = "powerpc"
line = "32B"
[core]
count = {count}
clock = "1000MHz"
instruction_cycles = 1
switch_cycles = 100
kernel_code = "0B"
kernel_data = "0B"
[l1i]
size = "32KiB"
ways = 8
[l1d]
size = "4KiB"
ways = 8
[[level]]
name = "L2"
size = "64KiB"
ways = 16
hit_cycles = 11
[coherence]
transfer_cycles = 40
upgrade_cycles = 1
[memory]
clock = "1000MHz"
read_queue = 4
write_queue = 4
row = "4KiB"
request_cycles = 2
response_cycles = 3
hit_cycles = 8
empty_cycles = 8
conflict_cycles = 8
line_cycles = 4
"""
DOMAINS = """
per_domain = true
[domain]
cores = 2
link_cycles = 7
"""
L2_HIT_NS = 11
# Request, access, transfer, response.
MEMORY_NS = 2 + 8 + 4 + 3
# Every line that the task has used it has written: it is dirty on the core where the task was,
# comes from there, and is shared then, so that writing it takes an upgrade.
MOVED_NS = 40 + 1
# There and back, once for the line and once to make it the core's own.
LINKS_NS = 2 * (7 + 7)


def platform(laxity: Laxity, count: int = 2, more: str = "") -> tuple[str, str]:
    path = laxity.directory / "p.toml"
    path.write_text(PLATFORM.format(count=count) + more)
    return "--platform", f"sim:{path}"


def measure(laxity: Laxity, *words: str, name: str = "D") -> Any:  # noqa: ANN401 - a masked array
    words = (*words, "--seed", "3", "--run-dir", name, "--no-report", "--quiet")
    done = laxity("measure", "migration-jobs", *words)
    assert done.returncode == 0, done.stderr
    return np.load(laxity.directory / name / "migration_jobs.npy")


def times_of(rows: Any, since: int) -> list[int]:  # noqa: ANN401
    """Return the times of all jobs so many jobs behind a change."""
    found: list[int] = rows["exec_ns"][rows["since_change"] == since].tolist()
    return found


def pass_ns(lines: int) -> int:
    """Return what a pass takes whose lines are all there: four instructions each, and the clock."""
    return 4 * lines + 1


def entries(laxity: Laxity) -> dict[str, Any]:
    costs = json.loads((laxity.directory / "D" / "costs.json").read_text())
    return {one["axes"]["case"]: one for one in costs["entries"]}


def test_job_fetches_what_it_left_behind_and_what_the_other_task_has_evicted(laxity: Laxity):
    # 2304 bytes are 72 lines: of 16 sets the first 8 have five of the task's and five of the other
    # one's, ten for eight ways, and lose all (LRU); the others have four and four.
    rows = measure(laxity, *platform(laxity), "--workload", "mem", "--sizes", "1KiB,2304B")
    small, large = (rows[rows["working_set_bytes"] == size] for size in (1024, 2304))
    assert np.all(rows["interfering_passes"] > 0)
    first, *others = times_of(small, 0)
    assert set(others) == {pass_ns(32) + 32 * MOVED_NS}
    # The first time it is on that core the code of the pass is fetched, too: one line.
    assert first == others[0] + L2_HIT_NS + MEMORY_NS
    assert set(times_of(small, 2)) == {pass_ns(32)}
    assert set(times_of(large, 0)) == {pass_ns(72) + 72 * MOVED_NS}
    assert set(times_of(large, 2)) == {pass_ns(72) + 5 * 8 * L2_HIT_NS}
    # What is called the cost is the difference of the two.
    found = entries(laxity)["mem_same_node"]
    assert (found["kind"], found["verdict"]) == ("simulated", "ok")


def test_job_that_crosses_domains_waits_for_the_links_besides(laxity: Laxity):
    sim = platform(laxity, 4, DOMAINS)
    rows = measure(laxity, *sim, "--workload", "mem", "--sizes", "1KiB", "--change", "3")
    # 0 and 1 are one domain, 2 and 3 the other one; the task goes round.
    near = rows[(rows["cpu"] % 2 == 1) & (rows["since_change"] == 0)]["exec_ns"].tolist()
    far = rows[(rows["cpu"] % 2 == 0) & (rows["since_change"] == 0)]["exec_ns"].tolist()
    # Behind those that were the first ones on their core.
    assert set(near[2:]) == {pass_ns(32) + 32 * MOVED_NS}
    assert set(far[2:]) == {pass_ns(32) + 32 * (MOVED_NS + LINKS_NS)}
    assert set(times_of(rows, 2)) == {pass_ns(32)}
    found = {case: one["quantiles"]["0.5"] for case, one in entries(laxity).items()}
    assert found == {
        "mem_same_node": 32 * MOVED_NS,
        "mem_other_node": 32 * (MOVED_NS + LINKS_NS),
    }


def instructions_below(limit: int) -> int:
    """Count what native/probes/interfering.c executes to find the primes below a limit.

    A number takes 6, a trial division that goes on 7, the last one 3 if the square of the divisor
    is too large, else 6. A number whose smallest factor is p is tried from 2 to p, a prime up to
    the root of it, and once more.
    """
    total = 0
    for number in range(2, limit):
        root = math.isqrt(number)
        factor = next((one for one in range(2, root + 1) if number % one == 0), None)
        total += 6 + (7 * (root - 1) + 3 if factor is None else 7 * (factor - 2) + 6)
    return total


def test_times_of_cpu_are_two_and_differ_by_the_instructions_of_their_limits(laxity: Laxity):
    rows = measure(laxity, *platform(laxity), "--workload", "cpu")
    settled = rows[rows["since_change"] >= 2]
    lower, upper = (set(settled["exec_ns"][settled["limit"] == one].tolist()) for one in (0, 1))
    # By hand for limits of 5: 2 and 3 are too small for a trial that goes on, 4 is divisible.
    assert instructions_below(5) == 3 * 6 + 3 + 3 + 6
    assert lower == {instructions_below(1200) + 1}
    assert upper == {instructions_below(1500) + 1}
    # Nothing is lost by a move but, once for each core, the line of code.
    assert set(rows["exec_ns"].tolist()) - lower - upper <= {
        one + L2_HIT_NS + MEMORY_NS for one in lower | upper
    }
    costs = entries(laxity)
    for case in ("cpu_0_same_node", "cpu_1_same_node"):
        assert (costs[case]["quantiles"]["0.5"], costs[case]["verdict"]) == (0, "ok")


def test_two_measurements_are_the_same_to_the_byte(laxity: Laxity):
    for name in ("A", "B"):
        measure(laxity, *platform(laxity), "--sizes", "1KiB,8KiB", "-t", "60", name=name)
    first, second = (laxity.directory / name for name in ("A", "B"))
    stream = "migration_jobs.npy"
    assert (first / stream).read_bytes() == (second / stream).read_bytes()
    assert json.loads((first / "manifest.json").read_text())["clock"]["name"] == "simulated"


def test_report_compares_simulated_jobs_and_speaks_of_no_machine(laxity: Laxity):
    sim = platform(laxity, 4, DOMAINS)
    done = laxity("measure", "migration-jobs", *sim, "--sizes", "1KiB", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    assert "MEM 1 KiB, cores of two nodes: a migrated job takes" in done.stdout
    page = (laxity.directory / "D" / "report.html").read_text()
    assert "Migrated against preempted jobs (simulated)" in page
    for word in ("hypervisor", "on this machine", "kernel preemption"):
        assert word not in page, word


@pytest.mark.parametrize("count", [1, 2])
def test_platform_of_one_core_has_nowhere_to_go(laxity: Laxity, count: int):
    sim = platform(laxity, count)
    words = (
        "--workload",
        "cpu",
        "-t",
        "60",
        "--seed",
        "3",
        "--run-dir",
        "D",
        "--no-report",
        "--quiet",
    )
    done = laxity("measure", "migration-jobs", *sim, *words)
    assert done.returncode == (0 if count == 2 else 3), done.stderr
    assert ("a migration needs two CPUs" in done.stderr) == (count == 1)
