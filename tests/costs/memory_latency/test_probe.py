# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure memory-latency` plans on machines that do not exist."""

import pytest
from tests.platform.made_up_facts import CPU, NODE, bare_vm, changed, realtime_board, x86_server

from laxity.costs.memory_latency.probe import (
    Asked,
    describe,
    free_bytes,
    plan_memory_latency,
    size_limit_bytes,
    sizes_bytes,
)
from laxity.errors import ConfigError, PlatformError
from laxity.platform.facts import Facts
from laxity.platform.machine import Cache
from laxity.platform.placement import Cpus

KIB, MIB = 1 << 10, 1 << 20
TWO = Cpus(frozenset({0, 1}), frozenset({0, 1}))
EIGHT = Cpus(frozenset(range(8)), frozenset(range(8)))


def cache(level: int, size_bytes: int | None, line_bytes: int | None = 64) -> Cache:
    return Cache(level, "unified", size_bytes, 8, line_bytes, None, (0, 1))


def with_memory(facts: Facts, **free_kib: int) -> Facts:
    """`node0=1024`: so much of that node's memory is free."""
    files: dict[str, str | None] = {"/proc/meminfo": "MemAvailable: 33554432 kB\n"}
    for node, kib in free_kib.items():
        number = node.removeprefix("node")
        files[f"{NODE}/{node}/meminfo"] = (
            f"Node {number} MemTotal:  {2 * kib} kB\nNode {number} MemFree:  {kib} kB\n"
        )
    return changed(facts, files)


@pytest.mark.parametrize(
    ("caches", "available", "expected"),
    [
        ([cache(1, 32 * KIB), cache(3, 8 * MIB)], None, 32 * MIB),
        # 128 MiB / 8 < 4 * 8 MiB
        ([cache(3, 8 * MIB)], 128 * MIB, 16 * MIB),
        ([], None, 64 * MIB),
        ([cache(1, None)], 8 * KIB, 4 * KIB),
    ],
)
def test_array_ends_at_four_last_levels_or_an_eighth_of_memory(
    caches: list[Cache], available: int | None, expected: int
):
    assert size_limit_bytes(caches, available) == expected


def test_sizes_are_two_per_octave_and_lie_closer_around_each_cache():
    assert [size // KIB for size in sizes_bytes([], 32 * KIB)] == [4, 6, 8, 12, 16, 24, 32]
    # 3/4, 5/4 and 6/4 of 20 KiB; none above the limit.
    assert [size // KIB for size in sizes_bytes([cache(1, 20 * KIB)], 25 * KIB)] == [
        *(4, 6, 8, 12, 15, 16, 20, 24, 25),
    ]


def test_one_node_has_two_cpus_as_a_control():
    measurement, fallbacks = plan_memory_latency(Asked(), bare_vm(), TWO)
    assert (measurement.cpus, measurement.nodes, fallbacks) == ("0-1", [0], ())
    assert measurement.line_bytes == 64
    assert "4 KiB to 64 MiB in ordinary pages on CPU 0-1, memory of node 0" in describe(measurement)


def test_each_of_several_nodes_has_one_cpu_and_memory():
    measurement, _ = plan_memory_latency(Asked(), x86_server(), EIGHT)
    # Node 0 has CPUs 0, 1, 4, 5 and node 1 has 2, 3, 6, 7; CPU 3 is isolated, so it is the one that
    # suits best.
    assert measurement.nodes == [0, 1]
    assert measurement.cpus == "3"


def test_cpus_of_all_nodes_are_taken_where_none_is_isolated():
    facts = changed(x86_server(), {f"{CPU}/isolated": "\n"})
    measurement, _ = plan_memory_latency(Asked(), facts, EIGHT)
    assert measurement.cpus == "5,7"


def test_machine_without_nodes_leaves_the_memory_to_the_kernel():
    four = Cpus(frozenset(range(4)), frozenset(range(4)))
    measurement, _ = plan_memory_latency(Asked(), realtime_board(), four)
    assert measurement.nodes == []
    assert "memory of node not chosen" in describe(measurement)


def test_node_without_memory_is_left_out_and_told():
    facts = with_memory(x86_server(), node0=1 << 20, node1=0)
    measurement, fallbacks = plan_memory_latency(Asked(), facts, EIGHT)
    assert measurement.nodes == [0]
    assert [(one.what, one.reason) for one in fallbacks] == [("node 1", "it has no memory")]


def test_array_must_fit_into_the_fullest_node():
    facts = with_memory(x86_server(), node0=1 << 20, node1=1 << 10)
    assert free_bytes(facts, (0, 1)) == 1 << 20
    # All nodes have an array at once: 32 GiB of the machine / 2.
    assert free_bytes(with_memory(x86_server()), (0, 1)) == 16 << 30
    # A single node is the machine; what the kernel can free counts too.
    assert free_bytes(facts, (0,)) == 32 << 30
    assert free_bytes(changed(bare_vm(), {"/proc/meminfo": None}), (0,)) is None


def test_longest_line_parts_the_elements_of_a_chain():
    files = {
        f"{CPU}/cpu0/cache/index0/level": "1\n",
        f"{CPU}/cpu0/cache/index0/size": "32K\n",
        f"{CPU}/cpu0/cache/index0/coherency_line_size": "128\n",
        f"{CPU}/cpu0/cache/index0/shared_cpu_list": "0\n",
    }
    asked = Asked(cpus=(0,))
    measurement, _ = plan_memory_latency(asked, changed(bare_vm(), files), TWO)
    assert measurement.line_bytes == 128
    files[f"{CPU}/cpu0/cache/index0/coherency_line_size"] = "96\n"
    measurement, _ = plan_memory_latency(asked, changed(bare_vm(), files), TWO)
    assert measurement.line_bytes == 64


def test_what_the_user_asks_for_is_taken():
    asked = Asked(
        cpus=(1,), nodes=(0,), sizes_bytes=(5000,), cases=("read",), pages="huge", repetitions=7
    )
    measurement, _ = plan_memory_latency(asked, bare_vm(), TWO)
    assert (measurement.cpus, measurement.nodes, measurement.working_sets_bytes) == (
        "1",
        [0],
        [5000],
    )
    assert (measurement.cases, measurement.pages, measurement.repetitions) == (["read"], "huge", 7)


def test_node_and_cpu_that_are_not_there_are_refused():
    with pytest.raises(ConfigError, match="no node 1 on this machine; there are: 0"):
        plan_memory_latency(Asked(nodes=(0, 1)), bare_vm(), TWO)
    with pytest.raises(ConfigError, match="no CPU 4"):
        plan_memory_latency(Asked(cpus=(4,)), bare_vm(), TWO)
    with pytest.raises(PlatformError, match="may only use 0"):
        plan_memory_latency(Asked(cpus=(1,)), bare_vm(), Cpus(frozenset({0, 1}), frozenset({0})))
