# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a task may say of third-party code as its jobs: `isolation`, `stdin`, `calls`."""

from collections.abc import Iterable

from laxity.core.spec import Isolation, Policy, TaskSpec, TaskTable
from laxity.core.spec_tables import read_choice, read_option
from laxity.core.third_party import GUEST_WORKLOAD
from laxity.errors import ConfigError

# Modes in which each job is a process of its own.
PROCESS_MODES = (Isolation.FORK, Isolation.EXEC)


def read_isolation(task: TaskTable) -> Isolation | None:
    """Check `isolation` against what the task runs.

    Raises:
        ConfigError: Unknown mode, or one that what the task runs cannot have.
    """
    if task.isolation is None and not task.exec:
        if task.workload == GUEST_WORKLOAD:
            msg = 'no isolation; write the mode that laxity suite vet found, for example "restore"'
            raise ConfigError(msg)
        return None
    mode = read_choice(task.isolation or Isolation.EXEC, Isolation, "isolation")
    if task.program:
        msg = f"isolation {mode}: the jobs of a program are made by itself; remove isolation"
        raise ConfigError(msg)
    if task.exec and mode is not Isolation.EXEC:
        msg = f"isolation {mode}: each job of exec is a process of its own; remove isolation"
        raise ConfigError(msg)
    if not task.exec and task.workload != GUEST_WORKLOAD:
        msg = (
            f'isolation {mode}: workload "{task.workload}" needs none; it is of programs of a '
            "suite and of exec; remove it"
        )
        raise ConfigError(msg)
    if mode in PROCESS_MODES and task.policy == Policy.DEADLINE:
        msg = (
            f"isolation {mode}: each job is a process, and under policy deadline the kernel lets "
            "no process be made; use fifo, rr or other"
        )
        raise ConfigError(msg)
    return mode


def refuse_need_in_run(tasks: Iterable[TaskSpec], jobs: int | None) -> None:
    """Refuse a second job where taking back what the first has left would be in its need.

    Raises:
        ConfigError: A run measures the need of such a program, and may have several jobs.
    """
    for task in tasks:
        if task.memory_need and task.isolation is Isolation.RESTORE and jobs != 1:
            msg = (
                f'task "{task.name}": memory_need: in isolation restore what a job leaves is not '
                "taken back while need is measured, so that it is that of one job; write jobs = 1"
            )
            raise ConfigError(msg)


def read_stdin(task: TaskTable) -> str:
    """Check `stdin`: a file that each process of exec reads.

    Raises:
        ConfigError: Not a process per job, or no path.
    """
    if task.stdin is None:
        return ""
    if not task.exec:
        msg = "stdin: is of exec; remove stdin"
        raise ConfigError(msg)
    if not task.stdin or "\0" in task.stdin:
        msg = "stdin: names no file; leave it out for an empty one"
        raise ConfigError(msg)
    return task.stdin


def read_calls(task: TaskTable) -> int:
    """Check `calls`: only where nothing is done between calls may a job be several of them.

    Raises:
        ConfigError: Not of a suite's program in mode none, or no count.
    """
    if task.calls is None:
        return 1
    if read_option("calls", task.calls) > 1 and task.workload != GUEST_WORKLOAD:
        what = f'workload "{task.workload}"' if task.workload else "a program"
        msg = f"calls {task.calls}: {what} has no calls; they are of programs of a suite; remove it"
        raise ConfigError(msg)
    if task.calls > 1 and task.isolation != Isolation.NONE:
        msg = (
            f"calls {task.calls}: in isolation {task.isolation} state is taken back after each "
            "call, and that would be in the measured part; only mode none has batches"
        )
        raise ConfigError(msg)
    return task.calls
