# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a job loads again after another program."""

import pytest

from laxity.contention.reload import Loaded, evictor_of, worst_of
from laxity.contention.table import Load
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
