# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From a drawn task set to the text of a spec, with what it is by construction as comments."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from laxity.core.percent import format_percent
from laxity.core.spec import SPEC_SCHEMA
from laxity.core.units import exact_duration, exact_size
from laxity.tasksets.generated import DrawnTask, Share
from laxity.tasksets.locality import RATIO_ONE, Cache, temporal_ratio, temporal_ratio_of_paper

WORKLOAD = "generated"


def task_set_toml(
    tasks: Sequence[DrawnTask], run: dict[str, Any], cpus: str | None, remarks: Sequence[str]
) -> str:
    """Write a spec.

    Args:
        tasks: In the order of the file.
        run: The table `[run]`.
        cpus: Of every task; None: not stated.
        remarks: Comments in front.

    Returns:
        TOML that `laxity run` reads.
    """
    # tomli_w is needed only by commands that write a spec.
    import tomli_w  # noqa: PLC0415

    head = [f"# {line}\n" for line in remarks]
    blocks = [tomli_w.dumps({"schema": SPEC_SCHEMA, "run": run})]
    for index, task in enumerate(tasks):
        blocks.append(f"# {_remark(task)}\n{tomli_w.dumps({'task': [_table(index, task, cpus)]})}")
    return "".join(head) + "\n" + "\n".join(blocks)


def share_remark(tasks: Sequence[DrawnTask], asked: Share) -> str:
    """Say what the tasks take of a processor, under the assumption that the user stated."""
    total = sum((task.utilisation(asked.uses_per_us) for task in tasks), Fraction(0))
    return (
        f"Utilisation {_percent(total)} if {asked.uses_per_us} instructions and reads take 1 us "
        f"(assumed, not measured); {format_percent(asked.utilisation)} was asked for."
    )


def temporal_remark(size_bytes: int, cache: Cache) -> str:
    """Say how many lines miss by the size of the code: exactly under LRU, and by the paper."""
    where = f"{exact_size(cache.size_bytes)}, {cache.ways} ways"
    exact = _percent(temporal_ratio(size_bytes, cache))
    paper = _percent(temporal_ratio_of_paper(size_bytes, cache))
    return (
        f"Code of {exact_size(size_bytes)} alone in an LRU cache of {where}: {exact} of its lines "
        f"miss in each pass (Sebek's figure 5: {paper})."
    )


def words_of(task: DrawnTask) -> list[str]:
    """List the words of workload `generated` (workloads/generated/words.c)."""
    words = []
    for name, size_bytes, ratio in (
        ("code", task.code_bytes, task.code_ratio),
        ("data", task.data_bytes, task.data_ratio),
    ):
        if size_bytes:
            words += [f"{name}={exact_size(size_bytes)}", f"{name}_miss={format_percent(ratio)}"]
    return [*words, f"line={exact_size(task.line_bytes)}", f"passes={task.passes}"]


def _remark(task: DrawnTask) -> str:
    """Name the exact counts of one pass; what there is none of is left out."""
    parts = []
    if task.code_bytes:
        parts.append(f"{task.instructions} instructions")
    if task.data_bytes:
        parts.append(f"{task.reads} reads")
    return f"{' and '.join(parts)} a pass"


def _table(index: int, task: DrawnTask, cpus: str | None) -> dict[str, Any]:
    table = {
        "name": f"task{index}",
        "workload": WORKLOAD,
        "args": words_of(task),
        "period": exact_duration(task.period_ns),
        "priority": task.priority,
    }
    return table if cpus is None else {**table, "cpus": cpus}


def _percent(share: Fraction) -> str:
    """To four decimals, which is how exact a percentage can be written."""
    return format_percent(round(share * RATIO_ONE))
