# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a job loads again after another program."""

import numpy as np
import pytest

from laxity.contention import reload
from laxity.contention.experiments import Program
from laxity.contention.reload import Loaded, evictor_of, stopped_of, worst_of
from laxity.contention.table import Load
from laxity.contention.windows import Progress
from laxity.core.progress import Countdown
from laxity.platform.platform_file import read_platform

ONE = Load(reads=10, delay=0, cpus=[1])
TWO = Load(reads=0, delay=0, cpus=[1, 2])


@pytest.mark.parametrize(
    ("platform", "cpu", "size"),
    [
        # 4 of 16 ways of 1 MiB, and 12 of 16, each twice.
        ("sim:sabrelite-partitioned", 0, 512 << 10),
        ("sim:sabrelite-partitioned", 1, 1536 << 10),
        ("sim:sabrelite", 0, 2 << 20),
        # Without a cache: one line.
        ("sim:mpc750-no-cache", 0, 32),
    ],
)
def test_evictor_writes_twice_the_share_of_its_cpu(platform: str, cpu: int, size: int):
    assert evictor_of(read_platform(platform), cpu) == ("mem", f"{size}B")


def test_worst_job_of_each_number_of_load_cpus_is_the_longest():
    jobs = [Loaded(ONE, 500), Loaded(ONE, 700), Loaded(TWO, 600), Loaded(TWO, 550)]
    assert worst_of(jobs) == [jobs[2], jobs[1]]


def course(*points: tuple[float, float]) -> Progress:
    """Make the course of a job from (µs, instructions)."""
    times, executed = np.array(points).T
    none = np.zeros(0, np.int64)
    return Progress(times * 1000, executed, np.zeros(len(times)), none, none)


def test_reload_after_a_stop_is_what_the_rest_of_the_job_takes_longer(
    monkeypatch: pytest.MonkeyPatch,
):
    """Alone 1000 µs. With the load at half the speed for 400 µs, then a reload of 100 or 30 µs.

    A job that is stopped at 500 µs has its rest of 800 µs alone, and 100 µs more.
    """
    solo = course((100, 0), (1100, 1000))
    courses = {
        1: (course((100, 0), (500, 200), (600, 200), (1400, 1000)), 500_000),
        2: (course((100, 0), (900, 400), (930, 400), (1530, 1000)), 900_000),
        # It ended before the load stood still.
        3: (course((100, 0), (2100, 1000)), None),
    }
    whole, traffic = course((100, 0), (2100, 1000)), [0] * 210
    calls = iter((0, 1, 2, 3))

    def stopped(*_: object) -> tuple[Progress, list[int], int | None]:
        found, still_ns = courses.get(next(calls), (whole, None))
        return found, traffic, still_ns

    monkeypatch.setattr(reload, "stopped", stopped)
    monkeypatch.setattr(reload, "for_each", lambda points, of, _: [of(point) for point in points])
    name = "sim:sabrelite-partitioned"
    program = Program(read_platform(name), name, "edges", (), 0)
    found = stopped_of(
        program, Loaded(ONE, 2_000_000), 3, solo, False, Countdown("", "", is_quiet=True)
    )
    assert (found.n, found.reload_ns, found.at_ns, found.load) == (2, 100_000, 400_000, ONE)
    # Each of 32 queued requests, and a refresh: as a plan of this platform has it.
    assert found.queue_ns == 2_305
