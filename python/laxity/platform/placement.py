# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which CPUs an experiment uses: checked and made explicit before anything is created."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import msgspec

from laxity.core.cpus import format_cpus, parse_cpus
from laxity.core.spec import Policy, Spec, TaskSpec, corunners_of
from laxity.core.units import exact_duration, parse_duration_ns
from laxity.errors import ConfigError, PlatformError, located

# Beyond this the kernel's throttling (95 %) and the user's own shell begin to suffer.
MAX_REAL_TIME_LOAD = Fraction(9, 10)
_PRESENT = Path("/sys/devices/system/cpu/present")


@dataclass(frozen=True, slots=True)
class Cpus:
    """The CPUs of a machine, and those that we may use.

    Attributes:
        present: All of them.
        allowed: Those that this process may use.
        has_rest: Whether a system needs time on them, too.
    """

    present: frozenset[int]
    allowed: frozenset[int]
    has_rest: bool = True


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
        ConfigError: There is no such CPU, or it would be taken whole from those who need it, too.
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
        where = f'interfere {index} ("{one.runs}")'
        if not one.cpus and not others:
            msg = f"{where}: no CPU is left beside {format_cpus(taken)}; name one with cpus"
            raise PlatformError(msg)
        placed.append(msgspec.structs.replace(one, cpus=one.cpus or others))
        _check(where, placed[-1].cpus, cpus)
    spec = msgspec.structs.replace(spec, tasks=tasks, interfere=tuple(placed))
    if cpus.has_rest:
        _check_real_time_load(spec, cpus)
    return spec


def real_time_load(spec: Spec) -> dict[int, Fraction]:
    """Sum what is known of the load under FIFO, RR and policy deadline, per CPU.

    Args:
        spec: Experiment with no empty CPU set.

    Returns:
        CPU → share of its time: 1 for each co-runner, runtime / period for each task under policy
        deadline, wcet / period for each other task that states its wcet, divided by its CPUs if it
        may use several.
    """
    load: dict[int, Fraction] = {}
    for task in spec.tasks:
        busy_ns = _busy_ns(task)
        if busy_ns is None:
            continue
        share = Fraction(busy_ns, task.period_ns * len(task.cpus))
        for cpu in task.cpus:
            load[cpu] = load.get(cpu, Fraction(0)) + share
    for one, cpu in corunners_of(spec):
        if one.policy is not Policy.OTHER:
            load[cpu] = load.get(cpu, Fraction(0)) + 1
    return load


def _busy_ns(task: TaskSpec) -> int | None:
    """Return what is known of a task's real-time work in one period; None: nothing, or it has none.

    The kernel stops a task under policy deadline when it has used up its runtime.
    """
    if task.runtime_ns is not None:
        return task.runtime_ns
    wcet = task.bound.get("wcet")
    if task.policy is Policy.OTHER or wcet is None:
        return None
    with located(f'task "{task.name}": wcet'):
        return parse_duration_ns(wcet)


def silent_corunners(spec: Spec) -> list[str]:
    """Tell which co-runners cannot disturb a task, because they wait while it runs.

    Args:
        spec: Experiment with no empty CPU set.

    Returns:
        One line per co-runner under OTHER on the only CPU of a task under FIFO or RR.
    """
    task_of = {
        task.cpus[0]: task
        for task in spec.tasks
        if task.policy is not Policy.OTHER and len(task.cpus) == 1
    }
    return [
        f'co-runner {index} ("{one.runs}"): CPU {cpu} is that of task "{task_of[cpu].name}" '
        f"({task_of[cpu].policy.value}), so it runs only while the task sleeps; "
        "name another CPU to disturb the task's jobs"
        for index, (one, cpu) in enumerate(corunners_of(spec))
        if one.policy is Policy.OTHER and cpu in task_of
    ]


def check_unthrottled_load(spec: Spec) -> None:
    """Refuse a run without real-time throttling that would take a CPU whole.

    With throttling a co-runner under FIFO leaves its CPU 5 % of the time; without, the kernel's own
    threads of that CPU would wait for the end of the run.

    Args:
        spec: Experiment with no empty CPU set.

    Raises:
        ConfigError: More than 90 % of a CPU would go to FIFO and RR.
    """
    for cpu, share in sorted(real_time_load(spec).items()):
        if share > MAX_REAL_TIME_LOAD:
            msg = (
                f"--no-throttling: CPU {cpu}: {100 * float(share):.0f} % of it would go to fifo, "
                "rr and deadline, more than 90 %, and nothing would stop them; use policy other "
                "for co-runners, or fewer tasks on it"
            )
            raise ConfigError(msg)


def _check_real_time_load(spec: Spec, cpus: Cpus) -> None:
    """Refuse what would leave no CPU to the rest of the system, the killer among it."""
    for task in spec.tasks:
        _check_reservation(task)
    load = real_time_load(spec)
    full = sorted(cpu for cpu, share in load.items() if share > MAX_REAL_TIME_LOAD)
    if not full:
        return
    has_corunner = {cpu for one, cpu in corunners_of(spec) if one.policy is not Policy.OTHER}
    free = [cpu for cpu in cpus.allowed if load.get(cpu, Fraction(0)) == 0]
    overloaded = [cpu for cpu in full if cpu not in has_corunner]
    if overloaded or not free:
        cpu = overloaded[0] if overloaded else full[0]
        msg = (
            f"CPU {cpu}: {100 * float(load[cpu]):.0f} % of it would go to fifo, rr and deadline, "
            "more than 90 %; use policy other for co-runners, fewer tasks on it, or leave another "
            "CPU free"
        )
        raise ConfigError(msg)


def _check_reservation(task: TaskSpec) -> None:
    """Refuse a reservation that fills whatever CPU it is on: it outranks the killer."""
    if task.runtime_ns is None:
        return
    share = Fraction(task.runtime_ns, task.period_ns)
    if share > MAX_REAL_TIME_LOAD:
        msg = (
            f'task "{task.name}": runtime {exact_duration(task.runtime_ns)} is '
            f"{100 * float(share):.0f} % of period {exact_duration(task.period_ns)}, more than "
            "90 %, and outranks whoever could stop it; write a shorter runtime"
        )
        raise ConfigError(msg)


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
