# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Join what was asked for (the spec) with what laxity-run saw (native.json)."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from laxity.core.cpus import format_cpus
from laxity.core.spec import Policy, Spec, corunners_of
from laxity.core.stop_on import stop_on_text
from laxity.core.units import format_duration_ns
from laxity.errors import RecordError
from laxity.jobs.rows import count_status, of_task
from laxity.store.manifest import CorunnerResult, Counts, Manifest, Stop, TaskResult
from laxity.store.native import NativeCorunner, NativeTask
from laxity.store.npy import read_stream


def task_results(spec: Spec, native: Sequence[NativeTask]) -> list[TaskResult]:
    """Describe every task of the spec; one that laxity-run does not know has zero releases.

    The policy that laxity-run states is the one that was used.
    """
    by_index = {task.index: task for task in native}
    results: list[TaskResult] = []
    for index, task in enumerate(spec.tasks):
        seen = by_index.get(index, NativeTask(index=index))
        results.append(
            TaskResult(
                index=index,
                name=task.name,
                workload=task.command[0] if task.command else task.workload,
                args=list(task.command[1:] or task.args),
                program=list(task.program) or None,
                isolation=None if task.isolation is None else task.isolation.value,
                calls=task.calls,
                policy=seen.policy or task.policy.value,
                priority=_used_priority(task.priority, seen.policy),
                runtime_ns=None if seen.policy == Policy.OTHER else task.runtime_ns,
                cpus=format_cpus(task.cpus),
                period_ns=task.period_ns,
                deadline_ns=task.deadline_ns,
                offset_ns=task.offset_ns,
                overrun=task.overrun.value,
                released=seen.released,
                started=seen.started,
                counts=seen.counts,
                lost_rows=seen.lost_rows,
                lost_marks=seen.lost_marks,
                threads_seen=seen.threads_seen,
                end_ns=seen.end_ns,
                end_cause=seen.end_cause,
                end_detail=seen.end_detail,
                memory_locked=seen.memory_locked,
                faults_after_first_job=seen.faults_after_first_job,
                memory=seen.memory,
                memory_need=seen.memory_need,
                isolating=seen.isolating,
                displaced=seen.displaced,
                rttime_pauses=seen.rttime_pauses,
                output_bytes=seen.output_bytes,
                asked_calls=seen.asked_calls,
            )
        )
    return results


def stop_result(spec: Spec, seen: Stop | None) -> Stop | None:
    """Say of the job that a run stopped on why it did."""
    if seen is None or spec.stop_on is None:
        return None
    return msgspec.structs.replace(seen, condition=stop_on_text(spec.stop_on))


def corunner_results(spec: Spec, native: Sequence[NativeCorunner]) -> list[CorunnerResult]:
    """Describe every co-runner of the spec; one that laxity-run does not know did nothing known."""
    by_index = {one.index: one for one in native}
    results: list[CorunnerResult] = []
    for index, (one, cpu) in enumerate(corunners_of(spec)):
        seen = by_index.get(index, NativeCorunner(index=index))
        results.append(
            CorunnerResult(
                index=index,
                workload=one.runs,
                args=list(one.exec[1:] or one.args),
                exec=list(one.exec) or None,
                policy=seen.policy or one.policy.value,
                priority=_used_priority(one.priority, seen.policy),
                cpus=str(cpu),
                passes_before_t0=seen.passes_before_t0,
                passes=seen.passes,
                elapsed_ns=seen.elapsed_ns,
                end_cause=seen.end_cause,
                end_detail=seen.end_detail,
                displaced=seen.displaced,
            )
        )
    return results


def _used_priority(asked: int | None, used_policy: str | None) -> int | None:
    """Return the priority in effect: none once a task has fallen back to OTHER."""
    return None if used_policy == Policy.OTHER else asked


def counted_from_rows(path: Path) -> dict[int, Counts]:
    """Count the rows that a killed run has left, by task.

    Whether the deadline of a pending job has passed is not known then: those are not in `not_met`.
    """
    try:
        rows = read_stream(path)
    except RecordError:
        return {}
    tasks = sorted({int(number) for number in rows["task"]})
    return {task: count_status(of_task(rows, task)) for task in tasks}


def stop_words(manifest: Manifest) -> str | None:
    """Say at which job a run stopped, and why; None if it stopped on none."""
    stop = manifest.stop
    if stop is None:
        return None
    names = [task.name for task in manifest.tasks if task.index == stop.task]
    task = f' of task "{names[0]}"' if names else ""
    seen = []
    if stop.abs_deadline_ns is not None and stop.finish_ns > stop.abs_deadline_ns:
        late = format_duration_ns(stop.finish_ns - stop.abs_deadline_ns)
        seen.append(f"finished {late} after its deadline")
    if stop.release_ns is not None:
        seen.append(f"response time {format_duration_ns(stop.finish_ns - stop.release_ns)}")
    over = "" if stop.seen_ns is not None else "; the run was over when that was seen"
    return f"stopped on {stop.condition}: job {stop.job}{task}: {', '.join(seen)}{over}"
