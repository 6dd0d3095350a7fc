# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure migration` plans on machines that do not exist."""

import msgspec
import pytest
from tests.platform.made_up_facts import CPU, NODE, bare_vm, changed

from laxity.costs.migration.probe import Asked, plan_migration
from laxity.costs.migration_jobs import probe as jobs
from laxity.costs.model import Axes, Costs, Entry
from laxity.costs.pairs import choose_pairs, domain_of, pair_of
from laxity.errors import ConfigError, NoVerdict, PlatformError
from laxity.platform.facts import Facts
from laxity.platform.machine import SimulatedFacts, caches_of, describe_machine
from laxity.platform.placement import Cpus
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.store.manifest import Fallback, Tool

KIB, MIB = 1 << 10, 1 << 20
TWO = Cpus(frozenset({0, 1}), frozenset({0, 1}))


def with_caches(cpus: int, **shared: int) -> Facts:
    """`l1=1, l2=1, l3=4`: how many CPUs share one cache of each level; eight CPUs are a node."""
    files: dict[str, str | None] = {
        "/proc/meminfo": "MemTotal: 999999999 kB\n",
        f"{CPU}/online": f"0-{cpus - 1}\n",
        f"{CPU}/present": f"0-{cpus - 1}\n",
        f"{CPU}/possible": f"0-{cpus - 1}\n",
    }
    sizes = {"l1": "32K", "l2": "1024K", "l3": "32768K"}
    for cpu in range(cpus):
        for index, (level, n) in enumerate(shared.items()):
            base = f"{CPU}/cpu{cpu}/cache/index{index}"
            first = cpu // n * n
            files[f"{base}/level"] = level[1]
            files[f"{base}/type"] = "Unified"
            files[f"{base}/size"] = sizes[level]
            files[f"{base}/shared_cpu_list"] = f"{first}-{first + n - 1}"
    for node in range(-(-cpus // 8)):
        files[f"{NODE}/node{node}/cpulist"] = f"{8 * node}-{min(cpus, 8 * node + 8) - 1}\n"
        files[f"{NODE}/node{node}/distance"] = "10 20\n"
    return changed(bare_vm(), files)


@pytest.mark.parametrize(
    ("cpu_to", "domain"),
    [(1, "shared_l1"), (2, "shared_l3"), (3, "shared_l3"), (4, "same_node"), (8, "other_node")],
)
def test_nearest_thing_that_two_cpus_share_names_their_domain(cpu_to: int, domain: str):
    machine = describe_machine(with_caches(16, l1=2, l2=2, l3=4))
    assert domain_of(machine, 0, cpu_to) == domain
    assert domain_of(machine, cpu_to, 0) == domain


@pytest.mark.parametrize(("cpu_to", "level"), [(1, 1), (2, 2), (4, None), (8, None)])
def test_plan_names_the_cache_before_the_shared_one(cpu_to: int, level: int | None):
    machine = describe_machine(with_caches(16, l1=2, l2=2, l3=4))
    sizes = {one.level: one.size_bytes for one in caches_of(machine, cpu_to)}
    assert len(set(sizes.values())) == 3
    assert pair_of(machine, 0, cpu_to).own_bytes == (None if level is None else sizes[level])


def test_machine_that_tells_no_caches_has_no_known_domain():
    assert domain_of(describe_machine(bare_vm()), 0, 1) == "unknown"


def test_all_pairs_are_taken_where_there_are_few():
    machine = describe_machine(with_caches(4, l1=1, l2=1, l3=4))
    pairs, n_all = choose_pairs(machine, [3, 0, 1], 12, seed=1)
    assert [(pair.cpu, pair.cpu_to) for pair in pairs] == [
        *((0, 1), (1, 0), (0, 3), (3, 0), (1, 3), (3, 1)),
    ]
    assert n_all == 6


def test_few_of_many_pairs_are_of_every_kind():
    machine = describe_machine(with_caches(16, l1=2, l2=2, l3=4))
    # 16 * 15 ordered pairs.
    pairs, n_all = choose_pairs(machine, range(16), 8, seed=1)
    assert (len(pairs), n_all) == (8, 240)
    found = {pair.domain for pair in pairs}
    assert found == {"shared_l1", "shared_l3", "same_node", "other_node"}
    there = {(pair.cpu, pair.cpu_to) for pair in pairs}
    assert {(cpu_to, cpu) for cpu, cpu_to in there} == there
    again, _ = choose_pairs(machine, range(16), 8, seed=1)
    assert again == pairs
    assert choose_pairs(machine, range(16), 8, seed=2)[0] != pairs


def test_plan_names_every_default():
    measurement, fallbacks = plan_migration(Asked(), with_caches(2, l1=1, l2=1, l3=2), TWO)
    assert fallbacks == ()
    assert (measurement.cpus, measurement.patterns) == ("0-1", ["sequential", "chase"])
    assert [(pair.cpu, pair.cpu_to, pair.domain) for pair in measurement.pairs] == [
        (0, 1, "shared_l3"),
        (1, 0, "shared_l3"),
    ]
    # Up to twice the L2.
    assert (measurement.working_sets_bytes[0], measurement.working_sets_bytes[-1]) == (
        4 * KIB,
        2 * MIB,
    )


def test_pairs_that_are_left_out_are_told():
    facts = with_caches(16, l1=2, l2=2, l3=4)
    cpus = Cpus(frozenset(range(16)), frozenset(range(16)))
    measurement, (fallback,) = plan_migration(Asked(pairs_limit=4), facts, cpus)
    assert len(measurement.pairs) == 4
    assert fallback.what == "all 240 pairs of CPUs"
    assert fallback.used.startswith("4, drawn at random")


def test_single_cpu_is_refused():
    with pytest.raises(PlatformError, match="a migration needs two CPUs"):
        plan_migration(Asked(cpus=(1,)), bare_vm(), TWO)
    with pytest.raises(PlatformError, match="widen the cpuset"):
        plan_migration(Asked(), bare_vm(), Cpus(frozenset({0, 1}), frozenset({1})))


def test_cpu_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="no CPU 7"):
        plan_migration(Asked(cpus=(0, 7)), bare_vm(), TWO)


def gamma(case: str, size: int, median_ns: int, **fields: str) -> Entry:
    return Entry(
        name=fields.get("name", "gamma"),
        kind="measured",
        n=60,
        quantiles={"0.5": median_ns},
        max=10 * median_ns,
        noise_floor=1,
        verdict="ok" if median_ns > 1 else "not_measurable",
        runs=["G"],
        axes=Axes(cpu=0, case=case, working_set_bytes=size, evict=fields.get("evict", "write")),
    )


def test_gamma_to_stand_beside_is_that_of_synchronous_writes():
    facts = with_caches(2, l1=1, l2=1, l3=2)
    costs = Costs(
        tool=Tool(name="laxity", version="0.1.0"),
        machine_hash=describe_machine(facts).hash,
        entries=[
            gamma("synchronous_chase", 4 * KIB, 300),
            gamma("synchronous_chase", 4 * KIB, 400),
            gamma("synchronous_chase", 8 * KIB, 1),
            gamma("asynchronous_chase", 16 * KIB, 900),
            gamma("synchronous_chase", 32 * KIB, 900, evict="flush"),
            gamma("synchronous_chase", 64 * KIB, 900, name="migration"),
            gamma("synchronous_sequential", 4 * KIB, 20),
        ],
    )
    measurement, _ = plan_migration(Asked(costs=costs), facts, TWO)
    found = [(one.pattern, one.working_set_bytes, one.median_ns) for one in measurement.gamma]
    # The larger of two at one place; what is not measurable is left out.
    assert found == [("chase", 4 * KIB, 400), ("sequential", 4 * KIB, 20)]
    with pytest.raises(NoVerdict, match="of another machine"):
        plan_migration(Asked(costs=costs), with_caches(2, l1=1, l2=1, l3=1), TWO)


def test_jobs_change_once_around_all_cpus_and_back_to_the_first():
    facts = with_caches(16, l1=2, l2=2, l3=4)
    cpus = Cpus(frozenset(range(16)), frozenset(range(16)))
    measurement, fallbacks = jobs.plan_migration_jobs(jobs.Asked(cpus=(8, 0, 1)), facts, cpus)
    assert fallbacks == ()
    assert [(one.cpu, one.cpu_to, one.domain) for one in measurement.changes] == [
        (0, 1, "shared_l1"),
        (1, 8, "other_node"),
        (8, 0, "other_node"),
    ]
    # Raffeck et al.: 2 KiB, 32 KiB, 786 KiB, 8 MiB.
    assert measurement.working_sets_bytes == [2 * KIB, 32 * KIB, 786 * KIB, 8 * MIB]
    with pytest.raises(PlatformError, match="a migration needs two CPUs"):
        jobs.plan_migration_jobs(jobs.Asked(cpus=(1,)), facts, cpus)


def simulated(
    name: str, cpus: tuple[int, ...] = (), sizes_bytes: tuple[int, ...] = ()
) -> tuple[str, list[int], list[Fallback]]:
    """Plan jobs as the command does of what nobody has said: CPUs, sizes, what was left out."""
    platform = SimulatedPlatform(read_platform(f"sim:{name}"))
    asked = jobs.Asked(cpus=cpus, sizes_bytes=sizes_bytes)
    measurement, left_out = jobs.plan_migration_jobs(asked, platform.facts(), platform.cpus())
    return measurement.cpus, measurement.working_sets_bytes, list(left_out)


def test_simulated_jobs_change_among_some_cores_of_each_domain_and_name_the_others():
    # Eight domains of six cores, four of twelve: two of each, and at least eight.
    cpus, sizes, (cut, large) = simulated("opteron-6180")
    assert cpus == "0-1,6-7,12-13,18-19,24-25,30-31,36-37,42-43"
    assert (cut.what, cut.used) == ("all 48 CPUs", f"CPUs {cpus}")
    assert sizes == [2 * KIB, 32 * KIB, 786 * KIB]
    assert large.what == "MEM 8MiB"
    assert simulated("xeon-e7-4830")[0] == "0-1,12-13,24-25,36-37"
    # Four cores are few.
    cpus, sizes, (large,) = simulated("i7-2600")
    assert (cpus, sizes) == ("0-3", [2 * KIB, 32 * KIB, 786 * KIB])
    assert large.what == "MEM 8MiB"


def test_simulated_jobs_are_what_was_asked_for():
    cpus, sizes, left_out = simulated("xeon-e7-4830", cpus=tuple(range(48)), sizes_bytes=(8 * MIB,))
    assert (cpus, sizes, left_out) == ("0-47", [8 * MIB], [])


@pytest.mark.parametrize(
    ("last", "sizes"),
    [(2 * KIB, [2]), (32 * KIB - 1, [2]), (32 * KIB, [2, 32]), (MIB, [2, 32, 786])],
)
def test_usual_working_sets_of_a_simulated_platform_fit_its_last_cache(last: int, sizes: list[int]):
    facts = with_caches(2, l1=1)
    machine = describe_machine(facts)
    (cache, *_) = machine.stable.caches
    stable = msgspec.structs.replace(
        machine.stable,
        caches=(msgspec.structs.replace(cache, size_bytes=last, cpus=(0, 1)),),
    )
    made = SimulatedFacts({}, machine=msgspec.structs.replace(machine, stable=stable))
    measurement, _ = jobs.plan_migration_jobs(jobs.Asked(sizes_bytes=()), made, TWO)
    assert measurement.working_sets_bytes == [size * KIB for size in sizes]
