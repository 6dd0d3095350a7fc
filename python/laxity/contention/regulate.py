# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`[regulate]` of a run: from the table of its task to the plan that the run follows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.contention.coverage import check_traffic
from laxity.contention.experiments import Program
from laxity.contention.native import as_best_effort, check_made_on_this_machine
from laxity.contention.plan import (
    KEPT_TABLE,
    Terms,
    check_preemptions,
    gamma_ns_of,
    plan_of,
    solo_ns_of,
)
from laxity.contention.run import check_made_here
from laxity.contention.table import ContentionTable, read_table
from laxity.core.cpus import format_cpus
from laxity.core.spec import (
    NATIVE_PLATFORM,
    RegulateSpec,
    Snapshots,
    Spec,
    TaskSpec,
    corunners_of,
)
from laxity.core.task_set import BoundKeys, bound_keys_of
from laxity.errors import ConfigError, located
from laxity.platform.plan import REGULATION_PLAN
from laxity.platform.platform_file import read_platform


@dataclass(frozen=True, slots=True)
class Regulation:
    """A regulated run.

    Attributes:
        spec: It names the table as the directory of the run keeps it.
        files: Table and plan, by their names there.
        table: Of the regulated task.
        program: That it is of, as the run has it; None: the run is on this machine.
    """

    spec: Spec
    files: Mapping[str, bytes]
    table: ContentionTable
    program: Program | None


def regulation_of(spec: Spec, regulate: RegulateSpec) -> Regulation:
    """Make the plan of a run.

    Args:
        spec: Of the run; `prepare_spec` has been at it.
        regulate: Its regulation.

    Raises:
        ConfigError: There is no table, it is of something else, or the promise needs more.
    """
    task = next(task for task in spec.tasks if task.name == regulate.task)
    if spec.snapshots is not Snapshots.ALL or spec.keep != "all":
        msg = "[regulate]: the promise is checked for every job; use keep all and snapshots all"
        raise ConfigError(msg)
    with located(f'[regulate]: task "{task.name}"'):
        keys = bound_keys_of(task)
        if keys.contention is None:
            msg = 'no contention table; add contention = "TABLE.json" (laxity contention profile)'
            raise ConfigError(msg)
        table, data = read_table(Path(keys.contention))
        is_native = spec.platform == NATIVE_PLATFORM
        with located(keys.contention):
            program = None if is_native else _program_of(table, spec, task)
            if is_native:
                check_made_on_this_machine(table)
            _check_table(table, task)
        if is_native:
            spec = as_best_effort(spec)
        table = table.for_cpu(is_shared=len(spec.tasks) > 1)
        terms = _terms(table, keys, spec, task, regulate)
        plan = plan_of(table, terms)
    kept = msgspec.structs.replace(task, bound=task.bound | {"contention": f"./{KEPT_TABLE}"})
    tasks = tuple(kept if other is task else other for other in spec.tasks)
    return Regulation(
        msgspec.structs.replace(spec, tasks=tasks),
        {KEPT_TABLE: data, REGULATION_PLAN: plan.encode("ascii")},
        table,
        program,
    )


def _program_of(table: ContentionTable, spec: Spec, task: TaskSpec) -> Program:
    """Refuse a table of another platform or version."""
    model = read_platform(spec.platform)
    otherwise = (
        f"is of platform {table.platform}, the run is on {spec.platform}, or {spec.platform} has "
        "changed since the profile; profile again"
    )
    check_made_here(table, model, otherwise)
    return Program(model, spec.platform, task.workload, task.args, table.cpu)


def _check_table(table: ContentionTable, task: TaskSpec) -> None:
    """Refuse a table of another program or CPU."""
    profiled, runs = (table.workload, *table.args), (task.workload, *task.args)
    if profiled != runs:
        msg = f"is of '{' '.join(profiled)}', the task runs '{' '.join(runs)}'; profile that"
        raise ConfigError(msg)
    if task.cpus != (table.cpu,):
        msg = f"is of CPU {table.cpu}, the task runs on CPU {format_cpus(task.cpus)}; "
        msg += "write cpus of the task, or profile with --cpu"
        raise ConfigError(msg)


def _terms(
    table: ContentionTable, keys: BoundKeys, spec: Spec, task: TaskSpec, regulate: RegulateSpec
) -> Terms:
    cpus = sorted({cpu for _, cpu in corunners_of(spec)})
    if not cpus:
        msg = (
            f"there is no co-runner; put [[interfere]] on CPUs {format_cpus(table.load_cpus)}, "
            "those of the profile's loads"
        )
        raise ConfigError(msg)
    others = [other for other in spec.tasks if other is not task]
    programs = [other.exec or (other.workload, *other.args) for other in spec.interfere]
    # All time in which a co-runner runs may be lost, so that each is covered.
    check_traffic(table, others, cpus, [] if table.is_native else programs, is_regulated=True)
    core = cpus[0] if regulate.cpu is None else regulate.cpu
    if core in task.cpus:
        msg = f"cpu {core}: the regulator would run on the CPU of the task; write another CPU"
        raise ConfigError(msg)
    check_preemptions(table, task, others, keys)
    return Terms(
        regulate,
        core,
        task=spec.tasks.index(task),
        solo_ns=solo_ns_of(table, keys, is_shared=bool(others)),
        preemption_ns=gamma_ns_of(table, keys) or 0,
    )
