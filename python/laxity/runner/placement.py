# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which CPUs an experiment uses: checked and made explicit before anything is created."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.errors import ConfigError, PlatformError, located
from laxity.model.cpus import format_cpus, parse_cpus
from laxity.model.spec import Spec

_PRESENT = Path("/sys/devices/system/cpu/present")


@dataclass(frozen=True, slots=True)
class Cpus:
    """The CPUs of this machine, and those that this process may use."""

    present: frozenset[int]
    allowed: frozenset[int]


def cpus_of_this_process() -> Cpus:
    """Ask the kernel. What we may use is the affinity, which a cpuset and taskset narrow."""
    allowed = frozenset(os.sched_getaffinity(0))
    try:
        present = frozenset(parse_cpus(_PRESENT.read_text(encoding="ascii").strip()))
    except (OSError, ConfigError):
        present = allowed | frozenset(range(os.cpu_count() or 1))
    return Cpus(present, allowed)


def place(spec: Spec, cpus: Cpus) -> Spec:
    """Check every CPU of an experiment and fill in those that the user did not choose.

    Args:
        spec: Resolved but for CPU sets that are empty.
        cpus: What there is.

    Returns:
        The experiment with no empty CPU set.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: It is there and this process may not use it, or none is left for a co-runner.
    """
    tasks = tuple(
        msgspec.structs.replace(task, cpus=task.cpus or tuple(sorted(cpus.allowed)))
        for task in spec.tasks
    )
    for task in tasks:
        _check(f'task "{task.name}"', task.cpus, cpus)
    taken = {cpu for task in tasks for cpu in task.cpus}
    others = tuple(sorted(cpus.allowed - taken))
    placed = []
    for index, one in enumerate(spec.interfere):
        where = f'interfere {index} ("{one.workload}")'
        if not one.cpus and not others:
            msg = f"{where}: no CPU is left beside {format_cpus(taken)}; name one with cpus"
            raise PlatformError(msg)
        placed.append(msgspec.structs.replace(one, cpus=one.cpus or others))
        _check(where, placed[-1].cpus, cpus)
    return msgspec.structs.replace(spec, tasks=tasks, interfere=tuple(placed))


def _check(where: str, wanted: Iterable[int], cpus: Cpus) -> None:
    wanted = tuple(wanted)
    with located(where):
        _check_present(wanted, cpus.present)
    outside = sorted(set(wanted) - cpus.allowed)
    if outside:
        msg = (
            f"{where}: cpus {format_cpus(wanted)}: this process may only use "
            f"{format_cpus(cpus.allowed)} (cpuset or affinity); choose among them or widen the set"
        )
        raise PlatformError(msg)


def _check_present(wanted: Collection[int], present: frozenset[int]) -> None:
    missing = sorted(set(wanted) - present)
    if missing:
        msg = (
            f"cpus {format_cpus(wanted)}: no CPU {format_cpus(missing)} on this machine; "
            f"choose among {format_cpus(present)}"
        )
        raise ConfigError(msg)
