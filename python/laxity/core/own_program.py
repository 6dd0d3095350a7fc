# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs of the user's own in a spec: `exec`, `program`, and what does not go with them."""

from collections.abc import Iterable
from typing import Any

from laxity.core.spec import InterfereSpec, InterfereTable, RunTable, TaskSpec, TaskTable
from laxity.errors import ConfigError

# What is the harness's part in a workload, and this program's own business: key, and why not.
_OF_WORKLOADS = {
    "stack": "the program touches its own memory",
    "heap": "the program touches its own memory",
    "memory_limit": "only what a workload requests is counted",
    "memory_need": "only the process of a workload is looked at",
    "threads": "one thread makes the jobs, and others are not counted",
}


def check_exec(task: TaskTable) -> None:
    """Check that a task has a workload, an `exec` or a `program`, and the keys that fit.

    Raises:
        ConfigError: None or several of them, or a key that is of workloads only.
    """
    given = [key for key in ("workload", "exec", "program") if getattr(task, key) is not None]
    named = task.name or task.workload or (task.exec or task.program or ["0"])[0]
    where = f'task "{named}"'
    if len(given) > 1:
        msg = f"{where}: both {given[0]} and {given[1]}; remove one of them"
        raise ConfigError(msg)
    if not task.workload and given in ([], ["workload"]):
        msg = (
            f'{where}: no workload; write workload = "NAME" (see laxity list), '
            'or exec = ["PROGRAM"]'
        )
        raise ConfigError(msg)
    if given == ["workload"]:
        return
    key = given[0]
    _check_command(task.exec if key == "exec" else task.program, task.args, f"{where}: {key}")
    for other, why in _OF_WORKLOADS.items():
        if getattr(task, other) not in (None, False):
            msg = f"{where}: {other} cannot be used with {key}: {why}; remove it"
            raise ConfigError(msg)


def check_corunner(one: InterfereTable) -> None:
    """Check that a co-runner has a workload or an `exec`.

    Raises:
        ConfigError: Neither or both, or `exec` names no program.
    """
    if one.exec is None and not one.workload:
        msg = 'no workload; write workload = "NAME" (see laxity list), or exec = ["PROGRAM"]'
        raise ConfigError(msg)
    if one.exec is not None and one.workload is not None:
        msg = "both workload and exec; remove one of them"
        raise ConfigError(msg)
    if one.exec is not None:
        _check_command(one.exec, one.args, "exec")


def _check_command(command: list[str] | None, args: list[str], where: str) -> None:
    if not command or not command[0]:
        msg = f'{where} names no program; write for example ["./control"]'
        raise ConfigError(msg)
    if any("\0" in word for word in command):
        msg = f"{where}: an argument holds a NUL character; remove it"
        raise ConfigError(msg)
    if args:
        msg = f"{where}: args are the arguments of a workload; write them after the program"
        raise ConfigError(msg)


def refuse_exec_in_run(
    run: RunTable, tasks: Iterable[TaskSpec], corunners: Iterable[InterfereSpec]
) -> None:
    """Refuse what a run cannot do with a program of the user's own.

    Raises:
        ConfigError: Events are to be counted, or the run is on a board.
    """
    commands = [(f'task "{task.name}"', task.command) for task in tasks]
    for where, command in commands:
        if command and run.events:
            msg = (
                f"events: {where} runs a program of its own, whose events are not counted; "
                "leave events out"
            )
            raise ConfigError(msg)
    commands += [(f"interfere {index}", one.exec) for index, one in enumerate(corunners)]
    for where, command in commands:
        if command and run.on is not None:
            msg = (
                f"on: {where} runs a program of this machine, and boards get workloads only; "
                "leave it out"
            )
            raise ConfigError(msg)


def with_program_of_before(tables: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Read the tasks of a stored spec as the version that wrote it did.

    `exec` without `isolation` was a program with its own loop, which is `program` now; a stored
    `exec` of today has its isolation, too.
    """
    return [
        {("program" if key == "exec" else key): value for key, value in table.items()}
        if "exec" in table and "isolation" not in table
        else dict(table)
        for table in tables
    ]
