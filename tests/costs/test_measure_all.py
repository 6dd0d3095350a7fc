# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure all` plans on machines that do not exist."""

import pytest
from tests.platform.made_up_facts import bare_vm

from laxity.costs.measure_all import measured_cpus, plan_all
from laxity.errors import ConfigError
from laxity.platform.placement import Cpus

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
