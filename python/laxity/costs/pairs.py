# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Between which CPUs migrations are measured, and what two CPUs have in common."""

import itertools
from collections.abc import Sequence
from random import Random

from laxity.core.cpus import format_cpus
from laxity.errors import PlatformError
from laxity.platform.machine import Machine, caches_of
from laxity.store.measurements import Pair


def domain_of(machine: Machine, cpu: int, cpu_to: int) -> str:
    """Say what two CPUs have in common, the nearest thing first.

    Returns:
        `shared_l1`, `shared_l2`, ... by the nearest data cache that both use; `same_node`,
        `other_node` where they share none; `unknown` where the machine does not tell its caches.
    """
    data = [one for one in caches_of(machine, cpu) if one.kind.lower() != "instruction"]
    shared = [one.level for one in data if cpu_to in one.cpus]
    if shared:
        return f"shared_l{min(shared)}"
    nodes = {one.cpu: one.node for one in machine.stable.cpus if one.cpu in (cpu, cpu_to)}
    if len(nodes) == 2 and None not in nodes.values() and nodes[cpu] != nodes[cpu_to]:  # noqa: PLR2004
        return "other_node"
    return "same_node" if data else "unknown"


def pair_of(machine: Machine, cpu: int, cpu_to: int) -> Pair:
    """Say what the system claims of two CPUs."""
    data = [one for one in caches_of(machine, cpu_to) if one.kind.lower() != "instruction"]
    shared = min((one.level for one in data if cpu in one.cpus), default=None)
    before = max(1, shared - 1) if shared else None
    return Pair(
        cpu=cpu,
        cpu_to=cpu_to,
        domain=domain_of(machine, cpu, cpu_to),
        own_bytes=next((one.size_bytes for one in data if one.level == before), None),
    )


def choose_pairs(
    machine: Machine, cpus: Sequence[int], limit: int, seed: int
) -> tuple[list[Pair], int]:
    """Choose ordered pairs of CPUs, every domain as often as any other while there are some.

    Args:
        machine: Its topology.
        cpus: At least two.
        limit: So many pairs at most, at least two: there and back.
        seed: Of the draw among pairs of one domain, where there are more than `limit`.

    Returns:
        The pairs, each beside its reverse, and how many there are in all.
    """
    domains: dict[str, list[tuple[int, int]]] = {}
    for one, other in itertools.combinations(sorted(set(cpus)), 2):
        domains.setdefault(domain_of(machine, one, other), []).append((one, other))
    n_all = 2 * sum(len(found) for found in domains.values())
    random = Random(seed)  # noqa: S311 - a sample, not a secret
    for found in domains.values():
        if n_all > limit:
            random.shuffle(found)
    turns = itertools.zip_longest(*domains.values())
    chosen = [both for turn in turns for both in turn if both is not None][: max(1, limit // 2)]
    return [
        pair_of(machine, cpu, cpu_to)
        for one, other in sorted(chosen)
        for cpu, cpu_to in ((one, other), (other, one))
    ], n_all


def check_several(chosen: Sequence[int]) -> None:
    """Refuse to look for migrations on one CPU.

    Raises:
        PlatformError: There are fewer than two.
    """
    if len(chosen) < 2:  # noqa: PLR2004 - from one to another
        msg = (
            f"--cpus {format_cpus(chosen)}: a migration needs two CPUs; name two, or widen the "
            "cpuset or affinity of this process"
        )
        raise PlatformError(msg)
