# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity bound` reads from contention tables."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from laxity.core.task_set import TaskSet
from laxity.errors import NoVerdict, located

if TYPE_CHECKING:
    from laxity.bounds.contention_charge import ContentionCharge


def with_contention(
    task_set: TaskSet, base: Path, costs_machine: str | None
) -> tuple[TaskSet, tuple["ContentionCharge", ...]]:
    """Charge each task that names a contention table.

    Args:
        task_set: As its file states it.
        base: What paths of tables are relative to.
        costs_machine: Hash of the machine of the costs; None: --costs none.

    Raises:
        ConfigError: A table is of another program, CPU, platform or version.
        NoVerdict: A table is of another machine than the costs.
    """
    if not any(task.keys.contention for task in task_set.tasks):
        return task_set, ()
    from laxity.bounds.contention_charge import CoRunners, charged  # noqa: PLC0415 - loads numpy
    from laxity.contention.run import program_of  # noqa: PLC0415 - likewise
    from laxity.contention.table import read_table  # noqa: PLC0415 - likewise
    from laxity.platform.simulated import describe_model  # noqa: PLC0415 - likewise

    tasks, charges = [], []
    for task in task_set.tasks:
        if task.keys.contention is None:
            tasks.append(task)
            continue
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
            others = [other for other in task_set.tasks if other is not task]
            used = {cpu for other in task_set.tasks for cpu in other.cpus} | {table.cpu}
            cpus = task_set.corunner_cpus
            corunner_cpus = {*range(model.cores)} - used if cpus is None else cpus
            corunners = CoRunners(corunner_cpus, task_set.corunners)
            contended, charge = charged(task, table, task_set.regulate, others, corunners)
        tasks.append(contended)
        charges.append(charge)
    return replace(task_set, tasks=tuple(tasks)), tuple(charges)
