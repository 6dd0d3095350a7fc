# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From a task set of rt-app to the text of a spec, with what it is not as comments."""

from typing import Any

from laxity.core.cpus import format_cpus
from laxity.core.spec import SPEC_SCHEMA, Overrun
from laxity.core.units import NS_PER_UNIT, exact_duration
from laxity.errors import ConfigError
from laxity.tasksets.generated import MAX_PASSES, DrawnTask
from laxity.tasksets.generated_spec import WORKLOAD, words_of
from laxity.tasksets.locality import lowest_ratio
from laxity.tasksets.rtapp import RtappSet, RtappTask

# Within every first-level cache, so that a job takes as long as its instructions; and so short that
# rounding to whole passes changes no job by a microsecond.
CODE_BYTES = 2048
LINE_BYTES = 64
_NOTHING = "empty"


def rtapp_spec_toml(found: RtappSet, uses_per_us: int | None) -> str:
    """Write a task set of rt-app as a spec.

    Args:
        found: What was read; at least one task.
        uses_per_us: Instructions that the processor is taken to execute in a microsecond, > 0;
            None: tasks get no workload, and the spec is for `laxity bound` alone.

    Returns:
        TOML that `laxity run` reads; `laxity bound` too, if nothing of the work is left out.

    Raises:
        ConfigError: A job would need more passes than a workload makes.
    """
    # tomli_w is needed only by commands that write a spec.
    import tomli_w  # noqa: PLC0415

    run: dict[str, Any] = {}
    if found.jobs is not None:
        run["jobs"] = found.jobs
    if found.duration_s is not None:
        run["duration"] = f"{found.duration_s}s"
    head = "".join(f"# {line}\n" for line in _remarks(found, uses_per_us))
    blocks = [tomli_w.dumps({"schema": SPEC_SCHEMA, "run": run})]
    for task in found.tasks:
        remarks = "".join(f"# {line}\n" for line in _task_remarks(task, uses_per_us))
        table = _table(task, uses_per_us, has_wcet=found.has_all_work)
        # tomli_w would write a short [[task]] as an inline array, which the next one collides with.
        blocks.append(f"{remarks}[[task]]\n{tomli_w.dumps(table)}")
    return head + "\n" + "\n".join(blocks)


def _remarks(found: RtappSet, uses_per_us: int | None) -> list[str]:
    lines = ["A task set of rt-app, written by laxity import; docs/rt-app.md."]
    if found.has_all_work:
        lines.append("wcet: what run and runtime say there, neither measured nor proven.")
    else:
        lines.append("No wcet: these tasks do less than rt-app's, so a bound would be of others.")
    if uses_per_us is None:
        lines.append("No workload: for laxity bound alone.")
    else:
        lines.append(f"{uses_per_us} instructions are taken to need 1 us (assumed, not measured).")
    if found.repeats_events:
        lines.append("Events of one key: all are taken, as workgen does; rt-app keeps the last.")
    if found.ignored:
        lines.append(f"Says nothing about the tasks: {' '.join(found.ignored)}.")
    return lines + [f"Not supported: {line}." for line in found.unsupported]


def _task_remarks(task: RtappTask, uses_per_us: int | None) -> list[str]:
    lines = []
    if uses_per_us is not None and task.work_us:
        passes = _generated(task, uses_per_us)
        lines.append(
            f"{passes.instructions * passes.passes} instructions for {task.work_us} us of run."
        )
    if task.counts_elapsed_time:
        lines.append("runtime: elapsed time in rt-app, also while preempted; here processor time.")
    if not task.is_absolute:
        lines.append("After a job longer than the period rt-app moves all later releases.")
    return lines


def _table(task: RtappTask, uses_per_us: int | None, *, has_wcet: bool) -> dict[str, Any]:
    table: dict[str, Any] = {"name": task.name}
    if uses_per_us is not None:
        table["workload"] = WORKLOAD if task.work_us else _NOTHING
        if task.work_us:
            table["args"] = words_of(_generated(task, uses_per_us))
    table["period"] = _duration(task.period_us)
    if task.deadline_us is not None:
        table["deadline"] = _duration(task.deadline_us)
    if task.offset_us:
        table["offset"] = _duration(task.offset_us)
    table["policy"] = task.policy.value
    if task.priority is not None:
        table["priority"] = task.priority
    if task.runtime_us is not None:
        table["runtime"] = _duration(task.runtime_us)
    if task.cpus:
        table["cpus"] = format_cpus(task.cpus)
    if task.is_absolute:
        table["overrun"] = Overrun.QUEUE.value
    if has_wcet and task.work_us:
        table["wcet"] = _duration(task.work_us)
    return table


def _generated(task: RtappTask, uses_per_us: int) -> DrawnTask:
    """Return the code that takes as long as the task's work, under the user's assumption."""
    ratio = lowest_ratio(LINE_BYTES)
    once = DrawnTask(LINE_BYTES, CODE_BYTES, ratio, 0, ratio, 1, 0, 0)
    passes = max(1, round(task.work_us * uses_per_us / once.instructions))
    if passes > MAX_PASSES:
        msg = f'task "{task.name}": {task.work_us} us need {passes} passes; lower --uses-per-us'
        raise ConfigError(msg)
    return DrawnTask(LINE_BYTES, CODE_BYTES, ratio, 0, ratio, passes, 0, 0)


def _duration(time_us: int) -> str:
    return exact_duration(time_us * NS_PER_UNIT["us"])
