# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Files that a run names, as whole paths: a stored spec finds them from where it lies."""

from pathlib import Path
from typing import Any

import msgspec

from laxity.core.spec import SIMULATED, Spec, TaskSpec, is_platform_path
from laxity.core.third_party import GUEST_WORKLOAD


def make_absolute(task: dict[str, Any]) -> None:
    """Name files by whole paths, so that the stored spec finds them from where it lies."""
    program = task["exec"]
    if "/" in program[0]:
        task["exec"] = [str(Path(program[0]).absolute()), *program[1:]]
    if task.get("stdin"):
        task["stdin"] = str(Path(task["stdin"]).absolute())


def with_absolute_paths(spec: Spec, base: Path) -> Spec:
    """Resolve files of a spec: relative to it, so that it can be moved with them."""

    def absolute(workload: str) -> str:
        return absolute_path(workload, base)

    def guest_args(task: TaskSpec) -> tuple[str, ...]:
        return (*map(absolute, task.args[:1]), *task.args[1:])

    tasks = tuple(
        msgspec.structs.replace(
            task,
            workload=absolute(task.workload),
            exec=absolute_command(task.exec, base),
            program=absolute_command(task.program, base),
            stdin=absolute(task.stdin) if task.stdin else "",
            args=guest_args(task) if task.workload == GUEST_WORKLOAD else task.args,
            bound=_with_absolute_table(task.bound, base),
        )
        for task in spec.tasks
    )
    platform = absolute_platform(spec.platform, base)
    return with_absolute_corunners(
        msgspec.structs.replace(spec, tasks=tasks, platform=platform), base
    )


def _with_absolute_table(bound: dict[str, Any], base: Path) -> dict[str, Any]:
    if "contention" not in bound:
        return bound
    return bound | {"contention": str((base / bound["contention"]).absolute())}


def absolute_platform(platform: str, base: Path) -> str:
    """Resolve a platform file, relative to `base`; a platform that is named stays as it is."""
    name = platform.removeprefix(SIMULATED)
    if name == platform or not is_platform_path(name):
        return platform
    return f"{SIMULATED}{base.absolute() / name}"


def with_absolute_corunners(spec: Spec, base: Path) -> Spec:
    """Resolve co-runners given as paths, relative to `base`."""
    interfere = tuple(
        msgspec.structs.replace(
            one,
            workload=absolute_path(one.workload, base),
            exec=absolute_command(one.exec, base),
        )
        for one in spec.interfere
    )
    return msgspec.structs.replace(spec, interfere=interfere)


def absolute_command(command: tuple[str, ...], base: Path) -> tuple[str, ...]:
    """Resolve the program of a command, relative to `base`; its arguments stay as they are.

    Links stay, too: what a program does may depend on the name that it is called by.
    """
    if not command or "/" not in command[0]:
        return command
    return (str((base / command[0]).absolute()), *command[1:])


def absolute_path(workload: str, base: Path) -> str:
    """Resolve a program that is a path, relative to `base`; a name stays as it is."""
    return str((base / workload).resolve()) if "/" in workload else workload
