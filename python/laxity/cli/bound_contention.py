# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity bound` reads from contention tables."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.errors import ConfigError, NoVerdict, located

if TYPE_CHECKING:
    from laxity.bounds.contention_charge import ContentionCharge
    from laxity.contention.table import ContentionTable
    from laxity.costs.model import Costs

# Program with its arguments, then the CPU.
Tables: TypeAlias = "dict[tuple[str | int, ...], ContentionTable]"
# In place of the path of a table.
_OF_COSTS = "table of the costs"


def with_contention(
    task_set: TaskSet, base: Path, costs_machine: str | None, costs: "Costs | None" = None
) -> tuple[TaskSet, tuple["ContentionCharge", ...]]:
    """Charge each task that names a contention table, or runs a program whose table costs have.

    Args:
        task_set: As its file states it.
        base: What paths of tables are relative to.
        costs_machine: Hash of the machine of the costs; None: --costs none.
        costs: With tables of programs; None: there are none.

    Raises:
        ConfigError: A table is of another program, CPU, platform or version.
        NoVerdict: A table is of another machine than the costs.
    """
    tables = {} if costs is None else _tables_of(costs)
    if not tables and not any(task.keys.contention for task in task_set.tasks):
        return task_set, ()
    from laxity.bounds.contention_charge import CoRunners, charged  # noqa: PLC0415 - loads numpy
    from laxity.contention.run import program_of  # noqa: PLC0415 - likewise
    from laxity.contention.table import read_table  # noqa: PLC0415 - likewise
    from laxity.platform.simulated import describe_model  # noqa: PLC0415 - likewise

    tasks, charges = [], []
    for stated in task_set.tasks:
        task, table = stated, _kept(stated, tables)
        if table is not None:
            task = replace(stated, keys=replace(stated.keys, contention=_OF_COSTS))
        elif task.keys.contention is None:
            tasks.append(task)
            continue
        else:
            with located(f'task "{task.name}": contention'):
                table, _ = read_table(base / task.keys.contention)
        with located(f'task "{task.name}": contention {task.keys.contention}'):
            model = program_of(table).model
            machine = describe_model(model).hash
            if costs_machine not in {None, machine}:
                msg = (
                    f"{task.keys.contention} is of {table.platform}, the costs are of another "
                    "machine; measure them there"
                )
                raise NoVerdict(msg)
            others = [other for other in task_set.tasks if other is not stated]
            used = {cpu for other in task_set.tasks for cpu in other.cpus} | {table.cpu}
            cpus = task_set.corunner_cpus
            corunner_cpus = {*range(model.cores)} - used if cpus is None else cpus
            corunners = CoRunners(corunner_cpus, task_set.corunners)
            contended, charge = charged(task, table, task_set.regulate, others, corunners)
        tasks.append(contended)
        charges.append(charge)
    return replace(task_set, tasks=tuple(tasks)), tuple(charges)


def add_tables(costs: "Costs", paths: Sequence[Path]) -> "Costs":
    """Add contention tables to costs.

    Raises:
        ConfigError: A table cannot be read, or there are two of a program on a CPU.
        NoVerdict: A table is of another machine.
    """
    from laxity.contention.run import program_of  # noqa: PLC0415 - loads numpy
    from laxity.contention.table import read_table  # noqa: PLC0415 - likewise
    from laxity.platform.simulated import describe_model  # noqa: PLC0415 - likewise

    added: list[dict[str, Any]] = []
    for path in paths:
        table, data = read_table(path)
        with located(str(path)):
            if describe_model(program_of(table).model).hash != costs.machine_hash:
                msg = f"{path} is of {table.platform}, the costs are of another machine"
                raise NoVerdict(msg)
        added.append(msgspec.json.decode(data))
    model = msgspec.structs.replace(costs, contention=added)
    if len(_tables_of(model)) < len(added):
        msg = "--contention: there are two tables of one program on one CPU; name one of them"
        raise ConfigError(msg)
    return model


def _tables_of(costs: "Costs") -> Tables:
    """Read the tables of costs, by program and CPU.

    Raises:
        ConfigError: A table was edited or damaged, or is of another version.
    """
    if not costs.contention:
        return {}
    from laxity.contention.table import decode_table  # noqa: PLC0415 - loads numpy

    with located("contention of the costs"):
        tables = [decode_table(msgspec.json.encode(table)) for table in costs.contention]
    return {(table.workload, *table.args, table.cpu): table for table in tables}


def _kept(task: DeclaredTask, tables: Tables) -> "ContentionTable | None":
    """Find the table of a task that states nothing of contention itself."""
    if task.keys.contention is not None or task.keys.overhead_ppm or task.cpu is None:
        return None
    return tables.get((*task.work.program, task.cpu))
