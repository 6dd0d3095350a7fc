# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Linked third-party programs stay with the run that measured them, so that it can be run again."""

import shutil
from pathlib import Path

import msgspec

from laxity.core.spec import Spec, TaskSpec
from laxity.core.third_party import GUEST_WORKLOAD
from laxity.errors import ConfigError


def keep_guests(spec: Spec, directory: Path) -> tuple[Spec, Spec]:
    """Copy the objects of suites' programs into a run.

    Args:
        spec: The experiment; the first word of a guest is the path of its object.
        directory: That is being written.

    Returns:
        The experiment as it is stored, its objects named as they lie beside it; and as it is run
        now, while the directory has another name.

    Raises:
        ConfigError: An object is not there.
    """
    stored, now = [], []
    for task in spec.tasks:
        kept = _keep(task, directory)
        if kept is None:
            stored.append(task)
            now.append(task)
            continue
        stored.append(_with_object(task, f"./{kept.name}"))
        now.append(_with_object(task, str(kept.absolute())))
    return (
        msgspec.structs.replace(spec, tasks=tuple(stored)),
        msgspec.structs.replace(spec, tasks=tuple(now)),
    )


def _keep(task: TaskSpec, directory: Path) -> Path | None:
    if task.workload != GUEST_WORKLOAD or not task.args:
        return None
    path = Path(task.args[0])
    kept = directory / f"{task.name}.so"
    try:
        shutil.copy(path, kept)  # with its mode: one that is linked statically is executed
    except OSError as error:
        msg = (
            f'task "{task.name}": object {path} cannot be read ({error.strerror}); '
            "run laxity suite run again, or correct the path"
        )
        raise ConfigError(msg) from error
    return kept


def _with_object(task: TaskSpec, path: str) -> TaskSpec:
    return msgspec.structs.replace(task, args=(path, *task.args[1:]))
