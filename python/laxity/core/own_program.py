# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a task may say whose jobs are those of a program with its own main (`exec`)."""

from collections.abc import Iterable

from laxity.core.spec import RunTable, TaskSpec, TaskTable
from laxity.errors import ConfigError

# What is the harness's part in a workload, and this program's own business: key, and why not.
_OF_WORKLOADS = {
    "stack": "the program touches its own memory",
    "heap": "the program touches its own memory",
    "memory_limit": "only what a workload requests is counted",
    "memory_need": "only the process of a workload is looked at",
    "threads": "one thread makes the jobs, and others are not counted",
}


def check_exec(task: TaskTable) -> tuple[str, ...]:
    """Check that a task has a workload or a program, and what fits it.

    Returns:
        The program and its words; empty for a workload.

    Raises:
        ConfigError: Neither or both, or a key that is of workloads only.
    """
    where = f'task "{task.name or task.workload or (task.exec or ["0"])[0]}"'
    if task.exec is None:
        if not task.workload:
            msg = (
                f'{where}: no workload; write workload = "NAME" (see laxity list), '
                'or exec = ["PROGRAM"]'
            )
            raise ConfigError(msg)
        return ()
    if task.workload is not None:
        msg = f"{where}: both workload and exec; remove one of them"
        raise ConfigError(msg)
    if not task.exec or not task.exec[0]:
        msg = f'{where}: exec names no program; write for example exec = ["./control"]'
        raise ConfigError(msg)
    if any("\0" in word for word in task.exec):
        msg = f"{where}: exec: a word holds a NUL character; remove it"
        raise ConfigError(msg)
    if task.args:
        msg = f"{where}: args are the words of a workload; write them into exec"
        raise ConfigError(msg)
    for key, why in _OF_WORKLOADS.items():
        if getattr(task, key) not in (None, False):
            msg = f"{where}: {key} cannot be used with exec: {why}; remove it"
            raise ConfigError(msg)
    return tuple(task.exec)


def refuse_exec_in_run(run: RunTable, tasks: Iterable[TaskSpec]) -> None:
    """Refuse what a run cannot do with a program of the user's own.

    Raises:
        ConfigError: Events are to be counted, or the run is on a board.
    """
    for task in tasks:
        if task.exec and run.events:
            msg = (
                f'events: task "{task.name}" is a program of its own (exec) and is not counted; '
                "leave events out"
            )
            raise ConfigError(msg)
        if task.exec and run.on is not None:
            msg = (
                f'on: task "{task.name}" is a program of this machine (exec), and boards get '
                "workloads only; leave it out"
            )
            raise ConfigError(msg)
