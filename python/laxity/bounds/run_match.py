# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Is a run one of this task set, on the machine whose costs were counted?"""

import os
from collections.abc import Iterator, Sequence

from laxity.bounds.document import Answer
from laxity.bounds.verdicts import TaskBound
from laxity.core.cpus import format_cpus
from laxity.core.spec import Policy
from laxity.core.task_set import DeclaredTask, TaskSet, Work
from laxity.core.units import decimal_duration
from laxity.store.hindrances import stall_lines
from laxity.store.manifest import Manifest, TaskResult, displaced_lines


def differences(task_set: TaskSet, answer: Answer, manifest: Manifest) -> tuple[str, ...]:
    """Say why the response times of a run are no witnesses of a bound.

    Args:
        task_set: What was bounded.
        answer: The bounds of its tasks, in their order, and the costs that count in them.
        manifest: Of the run.

    Returns:
        One sentence per difference; empty: the run is one of this task set.
    """
    return tuple(_differences(task_set, answer, manifest))


def _differences(task_set: TaskSet, answer: Answer, manifest: Manifest) -> Iterator[str]:
    machine_hash = answer.costs.machine_hash
    if manifest.kind != "run" or manifest.measurement is not None:
        yield f"it is no run of a task set (laxity {manifest.kind}); name one of laxity run"
        return
    if machine_hash is not None and manifest.machine_hash != machine_hash:
        yield (
            f"it was made on machine {_short(manifest.machine_hash)}, the costs are of machine "
            f"{_short(machine_hash)}; measure the costs where it ran"
        )
    if answer.scheduler.is_edf and any(one.policy is not Policy.DEADLINE for one in task_set.tasks):
        yield (
            f"fixed priorities scheduled it, the bounds are of {answer.scheduler}; use a "
            "--scheduler of fixed priorities, or run it with policy deadline"
        )
    ran = {task.name: task for task in manifest.tasks}
    for task, bound in zip(task_set.tasks, answer.tasks, strict=True):
        if task.name not in ran:
            yield f'it has no task "{task.name}"; run the task set as it is'
            continue
        cpus = _cpus(answer, bound)
        is_edf = answer.scheduler.is_edf
        yield from _of_task(task, bound, ran.pop(task.name), cpus, is_edf=is_edf)
    for name in ran:
        yield f'its task "{name}" is not in the task set; add it, or run without it'
    for one in manifest.tasks:
        yield from displaced_lines(f'its task "{one.name}"', one.displaced)
    yield from stall_lines(manifest)
    if manifest.corunners and not task_set.has_corunners:
        yield "it has co-runners, the task set has none; add [[interfere]], or run without them"


def different_work(work: Work, ran: TaskResult) -> dict[str, tuple[str, str]]:
    """Compare what jobs of a task set do with what those of a run did.

    Args:
        work: Paths as a run stores them; a file that is only bounded need not say what runs.
        ran: Of a run.

    Returns:
        What differs: as the task set has it, and the run.
    """
    if not work.program:
        return {}
    asked, found = (_real(words) for words in (work.program, (ran.workload, *ran.args)))
    both = {
        "program": (" ".join(asked), " ".join(found)),
        "calls": (str(work.calls), str(ran.calls)),
    }
    return {key: (one, other) for key, (one, other) in both.items() if one != other}


def _real(words: Sequence[str]) -> list[str]:
    """Follow links of a program that is a path: /bin is one on some systems."""
    program, *rest = words
    return [os.path.realpath(program) if "/" in program else program, *rest]


def _cpus(answer: Answer, bound: TaskBound) -> str | None:
    """Name the CPUs that a bound is of; None: of none, the task found no place."""
    if answer.scheduler.is_global:
        return format_cpus(answer.cpus[0].cpus)
    return None if bound.cpu is None else str(bound.cpu)


def _of_task(
    task: DeclaredTask, bound: TaskBound, ran: TaskResult, cpus: str | None, *, is_edf: bool
) -> Iterator[str]:
    """Compare what the bound depends on."""
    stated = {
        "period": (_time(task.period_ns), _time(ran.period_ns)),
        "policy": (task.policy.value, ran.policy),
    }
    # Under EDF it does not count.
    if bound.priority is not None:
        stated["priority"] = (str(bound.priority), str(ran.priority))
    if cpus is not None:
        stated["cpus"] = (cpus, ran.cpus)
    if is_edf:
        stated["deadline"] = (_time(task.deadline_ns), _time(ran.deadline_ns))
    for key, (bounded, run) in (stated | different_work(task.work, ran)).items():
        if bounded != run:
            yield f'{key} of task "{task.name}": {run} in the run, {bounded} in the bound'


def _time(duration_ns: int | None) -> str:
    return "none" if duration_ns is None else decimal_duration(duration_ns)


def _short(machine_hash: str | None) -> str:
    return "unknown" if machine_hash is None else machine_hash[:8]
