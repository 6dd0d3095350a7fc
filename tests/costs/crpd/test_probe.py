# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure crpd` plans on machines that do not exist."""

import pytest
from tests.platform.made_up_facts import CPU, bare_vm, changed

from laxity.costs.crpd.probe import Asked, plan_crpd
from laxity.costs.places import size_limit_bytes, sizes_bytes
from laxity.errors import ConfigError, PlatformError
from laxity.platform.facts import Facts
from laxity.platform.machine import describe_machine
from laxity.platform.placement import Cpus

KIB, MIB = 1 << 10, 1 << 20
CPUS = Cpus(frozenset({0, 1}), frozenset({0, 1}))


def with_caches(**sizes: str) -> Facts:
    """L1, L2 per CPU, L3 shared: `l2="1024K"`."""
    files: dict[str, str | None] = {"/proc/meminfo": "MemTotal: 999999999 kB\n"}
    for index, level in enumerate(("l1", "l2", "l3")):
        for cpu in (0, 1):
            base = f"{CPU}/cpu{cpu}/cache/index{index}"
            if level in sizes:
                files[f"{base}/level"] = level[1]
                files[f"{base}/type"] = "Unified"
                files[f"{base}/size"] = sizes[level]
                files[f"{base}/shared_cpu_list"] = "0-1" if level == "l3" else str(cpu)
    return changed(bare_vm(), files)


@pytest.mark.parametrize(
    ("caches", "free_bytes", "expected"),
    [
        # 4 * 1 MiB < 2 * 32 MiB < 64 MiB
        ({"l2": "1024K", "l3": "32768K"}, None, 4 * MIB),
        # 2 * 3 MiB < 4 * 2 MiB
        ({"l2": "2048K", "l3": "3072K"}, None, 6 * MIB),
        # No L3: the L2 is the last level, 2 * 1 MiB.
        ({"l1": "32K", "l2": "1024K"}, None, 2 * MIB),
        # 4 * 32 MiB and 2 * 64 MiB are above 64 MiB.
        ({"l2": "32768K", "l3": "65536K"}, None, 64 * MIB),
        # 16 MiB / 8
        ({"l2": "1024K", "l3": "32768K"}, 16 * MIB, 2 * MIB),
        ({}, None, 64 * MIB),
        ({}, 1 * KIB, 4 * KIB),
    ],
)
def test_working_sets_end_at_the_smallest_limit(
    caches: dict[str, str], free_bytes: int | None, expected: int
):
    machine = describe_machine(with_caches(**caches))
    assert size_limit_bytes(machine, 1, free_bytes) == expected


def test_working_sets_are_powers_of_two_and_lie_closer_around_the_l2():
    assert sizes_bytes(None, 16 * KIB) == [4 * KIB, 8 * KIB, 16 * KIB]
    # 3/4, 5/4 and 6/4 of 16 KiB.
    assert [size // KIB for size in sizes_bytes(16 * KIB, 33 * KIB)] == [4, 8, 12, 16, 20, 24, 32]
    # An L2 that is no power of two stands in the list itself.
    assert 1280 * KIB in sizes_bytes(1280 * KIB, 2 * MIB)


def test_plan_names_every_default():
    measurement, fallbacks = plan_crpd(Asked(), with_caches(l2="1024K", l3="32768K"), CPUS)
    assert fallbacks == ()
    assert measurement.cpus == "1"
    assert (measurement.working_sets_bytes[0], measurement.working_sets_bytes[-1]) == (
        4 * KIB,
        4 * MIB,
    )
    assert measurement.evict_sizes_bytes == [4 * MIB]
    assert measurement.evicts == ["write", "read", "flush", "execute"]
    assert measurement.cases == ["synchronous", "asynchronous"]
    assert measurement.patterns == ["sequential", "chase", "code", "jumps"]


def test_larger_working_sets_are_measured_when_asked_for():
    facts = with_caches(l2="1024K", l3="32768K")
    measurement, _ = plan_crpd(Asked(max_bytes=16 * MIB), facts, CPUS)
    assert measurement.working_sets_bytes[-1] == 16 * MIB
    assert measurement.evict_sizes_bytes == [4 * MIB]


def test_processor_that_cannot_flush_is_told():
    facts = changed(with_caches(l2="1024K"), {"@uname.machine": "ppc"})
    measurement, (fallback,) = plan_crpd(Asked(), facts, CPUS)
    assert measurement.evicts == ["write", "read", "execute"]
    assert (fallback.what, "ppc" in fallback.reason) == ("evict flush", True)


def test_processor_that_no_code_is_written_for_is_told():
    facts = changed(with_caches(l2="1024K"), {"@uname.machine": "s390x"})
    measurement, fallbacks = plan_crpd(Asked(), facts, CPUS)
    assert measurement.patterns == ["sequential", "chase"]
    assert measurement.evicts == ["write", "read"]
    assert [one.what for one in fallbacks] == ["pattern code, jumps", "evict flush"]
    assert fallbacks[0].reason == "laxity writes no code for s390x"


@pytest.mark.parametrize(
    ("asked", "patterns", "evicts"),
    [
        (Asked(patterns=("code",)), ["code"], ["write", "flush", "execute"]),
        (Asked(patterns=("chase",)), ["chase"], ["write", "read", "flush"]),
        (Asked(evicts=("read",)), ["sequential", "chase"], ["read"]),
        (Asked(evicts=("execute",)), ["code", "jumps"], ["execute"]),
        (Asked(evicts=("flush",)), ["sequential", "chase", "code", "jumps"], ["flush"]),
    ],
)
def test_what_is_not_asked_for_is_what_serves_the_rest(
    asked: Asked, patterns: list[str], evicts: list[str]
):
    measurement, _ = plan_crpd(asked, with_caches(l2="1024K"), CPUS)
    assert (measurement.patterns, measurement.evicts) == (patterns, evicts)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            Asked(evicts=("read",), patterns=("code",)),
            "--evict read: serves sequential and chase only; add such a --pattern",
        ),
        (
            Asked(evicts=("write", "execute"), patterns=("chase",)),
            "--evict execute: serves code and jumps only; add such a --pattern",
        ),
        (
            Asked(evicts=("execute",), patterns=("code", "chase")),
            "--pattern chase: no way to evict that serves it; add --evict write",
        ),
    ],
)
def test_pattern_and_evict_must_serve_each_other(asked: Asked, told: str):
    with pytest.raises(ConfigError) as refused:
        plan_crpd(asked, bare_vm(), CPUS)
    assert str(refused.value) == told


def test_cpu_must_be_there_and_be_allowed():
    with pytest.raises(ConfigError, match="no CPU 9 on this machine"):
        plan_crpd(Asked(cpus=(1, 9)), bare_vm(), CPUS)
    with pytest.raises(PlatformError, match="may only use 0"):
        plan_crpd(Asked(cpus=(1,)), bare_vm(), Cpus(frozenset({0, 1}), frozenset({0})))
