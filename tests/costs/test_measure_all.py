# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure all` plans on machines that do not exist."""

import pytest
from tests.platform.made_up_facts import bare_vm

from laxity.costs.measure_all import measured_cpus, plan_all
from laxity.errors import ConfigError
from laxity.platform.placement import Cpus
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.store.measurements import CrpdMeasurement, SwitchMeasurement

ALL = ["switch", "crpd", "migration", "migration-jobs", "memory-latency"]


def cpus(*numbers: int) -> Cpus:
    return Cpus(frozenset(numbers), frozenset(numbers))


def test_every_cost_is_measured_where_there_are_two_cpus():
    parts, left_out = plan_all(bare_vm(), cpus(0, 1))
    assert [part.name for part in parts] == ALL
    assert left_out == ()
    assert measured_cpus(parts) == (0, 1)


def test_one_cpu_leaves_out_what_needs_two_and_says_why():
    parts, left_out = plan_all(bare_vm(), cpus(0))
    assert "migration" not in [part.name for part in parts]
    assert [one.what for one in left_out] == ["migration", "migration-jobs"]
    assert all("CPU" in one.reason for one in left_out)


def test_cpu_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="no CPU 7"):
        plan_all(bare_vm(), cpus(0, 1), (7,))


def test_caches_beyond_two_mib_of_a_simulated_platform_are_not_filled_and_named():
    # L1 32 KiB, L2 256 KiB, L3 8 MiB: their halves and wholes, but for 4 and 8 MiB.
    platform = SimulatedPlatform(read_platform("sim:i7-2600"))
    parts, left_out = plan_all(platform.facts(), platform.cpus())
    asked = {part.name: part.measurement for part in parts}
    crpd, switch = asked["crpd"], asked["switch"]
    assert isinstance(crpd, CrpdMeasurement)
    assert isinstance(switch, SwitchMeasurement)
    assert crpd.working_sets_bytes == [16 << 10, 32 << 10, 128 << 10, 256 << 10]
    assert crpd.evict_sizes_bytes == [switch.evict_bytes] == [4 << 20]
    assert "caches larger than 2MiB" in [one.what for one in left_out]


def test_all_caches_of_a_small_simulated_platform_are_filled():
    platform = SimulatedPlatform(read_platform("sim:sabrelite"))
    parts, left_out = plan_all(platform.facts(), platform.cpus())
    (crpd,) = (part.measurement for part in parts if part.name == "crpd")
    assert isinstance(crpd, CrpdMeasurement)
    assert crpd.working_sets_bytes == [16 << 10, 32 << 10, 512 << 10, 1 << 20]
    # Twice the last level, as without a limit.
    assert crpd.evict_sizes_bytes == [2 << 20]
    assert [one.what for one in left_out] == ["migration-jobs"]
