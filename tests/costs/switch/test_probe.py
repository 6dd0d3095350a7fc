# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure switch` plans on machines that do not exist."""

import pytest
from tests.platform.made_up_facts import bare_vm

from laxity.costs.switch.probe import Asked, describe, plan_switch
from laxity.costs.switch.rows import QUANTITIES
from laxity.errors import ConfigError, PlatformError
from laxity.platform.placement import Cpus

MIB = 1 << 20
TWO = Cpus(frozenset({0, 1}), frozenset({0, 1}))


def test_one_cpu_wakes_all_others_and_everything_is_observed():
    measurement, fallbacks = plan_switch(Asked(), bare_vm(), TWO)
    assert (measurement.cpus, measurement.to_cpus) == ("1", "0-1")
    assert measurement.quantities == list(QUANTITIES)
    assert measurement.repetitions == 1000
    assert fallbacks == ()
    assert "1000 times each" in describe(measurement)


def test_what_is_asked_for_is_kept():
    asked = Asked(cpus=(0,), to_cpus=(1,), quantities=("sync",), evict_bytes=MIB, priority=7)
    measurement, _ = plan_switch(asked, bare_vm(), TWO)
    assert (measurement.cpus, measurement.to_cpus, measurement.priority) == ("0", "1", 7)
    assert (measurement.quantities, measurement.evict_bytes) == (["sync"], MIB)


def test_single_cpu_has_nobody_to_wake_and_says_so():
    one = Cpus(frozenset({0, 1}), frozenset({1}))
    measurement, fallbacks = plan_switch(Asked(), bare_vm(), one)
    assert "wakeup" not in measurement.quantities
    assert [(one.what, one.used) for one in fallbacks] == [("ipi_wakeup", "nothing")]
    with pytest.raises(PlatformError, match="wakeup: there is no CPU beside 1"):
        plan_switch(Asked(quantities=("wakeup",)), bare_vm(), one)


def test_cpus_that_cannot_be_used_are_refused():
    with pytest.raises(ConfigError, match="no CPU 7"):
        plan_switch(Asked(cpus=(7,)), bare_vm(), TWO)
    with pytest.raises(ConfigError, match="no CPU 7"):
        plan_switch(Asked(to_cpus=(7,)), bare_vm(), TWO)
    with pytest.raises(PlatformError, match="may only use 1"):
        plan_switch(Asked(cpus=(0,)), bare_vm(), Cpus(frozenset({0, 1}), frozenset({1})))
