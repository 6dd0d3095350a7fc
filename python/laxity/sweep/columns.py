# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The columns of a sweep: figures of one experiment, each by a name."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from laxity.core.streams import STREAMS
from laxity.errors import ConfigError, suggestion
from laxity.jobs.rows import (
    Jobs,
    execution_ns,
    finished,
    lateness_ns,
    of_task,
    present,
    release_latency_ns,
    response_time_ns,
    start_to_finish_ns,
)
from laxity.statistics.distribution import quantile_rank
from laxity.store.manifest import Counts
from laxity.store.native import Native, NativeTask

INTEGER, REAL, TEXT = "BIGINT", "DOUBLE", "VARCHAR"
RESULT_HASH = "result_hash"
# Shown if none are asked for.
_USUAL = ("exec_ns.median", "exec_ns.max", "response_ns.max", "stall_shared_ns.sum", "not_met")
_MEMORY = ("lines_read", "lines_written")
_CORUNNER = re.compile(r"corunner\.([0-9]{1,3})\.(passes|passes_before_t0|elapsed_ns)", re.ASCII)
_QUANTILE = re.compile(r"p([1-9][0-9]?)", re.ASCII)
_DERIVED: dict[str, Callable[[Jobs], Any]] = {
    "exec_ns": execution_ns,
    "response_ns": response_time_ns,
    "release_latency_ns": release_latency_ns,
    "start_to_finish_ns": start_to_finish_ns,
    "lateness_ns": lateness_ns,
}
_STATISTICS: dict[str, Callable[[Sequence[int]], float]] = {
    "min": min,
    "median": lambda values: _rank(values, 0.5),
    # Whole numbers are summed, so that it is the same on any host.
    "mean": lambda values: sum(values) / len(values),
    "max": max,
    "sum": sum,
}
_PLAIN = (*(one for one in Counts.__struct_fields__), "released", "started")
Value = int | float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of an experiment.

    Attributes:
        name: As in sweep.parquet.
        kind: Its type there.
        path: What it is of: task and its index, quantity, statistic.
    """

    name: str
    kind: str
    path: tuple[str | int, ...]


def read_columns(
    asked: Sequence[str] | None, tasks: Sequence[str], events: Sequence[str], n_corunners: int
) -> tuple[Column, ...]:
    """Find the columns that are asked for.

    Args:
        asked: As the user wrote them, `TASK.QUANTITY.STATISTIC`; without a task: of each. None:
            the usual ones.
        tasks: Their names.
        events: What is counted in jobs.
        n_corunners: How many there may be.

    Raises:
        ConfigError: There is no such column, or it stands there twice.
    """
    if asked is None:
        asked = [*_USUAL, *(f"memory.{one}" for one in _MEMORY)]
    if not asked:
        msg = "columns is empty; name some, or leave it out for the usual ones"
        raise ConfigError(msg)
    known = _known(tasks, events, n_corunners)
    found: dict[str, Column] = {}
    for name in asked:
        for column in _find(name, tasks, known):
            if column.name in found:
                msg = f'columns: "{column.name}" stands there twice; write it once'
                raise ConfigError(msg)
            found[column.name] = column
    found.setdefault(RESULT_HASH, Column(RESULT_HASH, TEXT, (RESULT_HASH,)))
    return tuple(found.values())


def measure(columns: Iterable[Column], native: Native, jobs: Jobs, digest: str) -> list[Value]:
    """Take the figures of an experiment.

    Args:
        columns: Which.
        native: What laxity-sim says of it.
        jobs: Its jobs.npy.
        digest: Its result hash.

    Returns:
        In the order of the columns; None: there is none.
    """
    taken: dict[tuple[int, str], list[int]] = {}
    values: list[Value] = []
    for column in columns:
        match column.path:
            case ("task", int(task), str(quantity), str(statistic)):
                if (task, quantity) not in taken:
                    taken[task, quantity] = _samples(jobs, task, quantity)
                values.append(_statistic(taken[task, quantity], statistic))
            case ("task", int(task), str(count)):
                values.append(_count(native, task, count))
            case ("corunner", int(index), str(what)):
                one = next((one for one in native.corunners if one.index == index), None)
                values.append(None if one is None else getattr(one, what))
            case ("memory", str(what)):
                traffic = native.memory_traffic
                is_known = not isinstance(traffic, msgspec.UnsetType)
                values.append(getattr(traffic, what) if is_known else None)
            case _:
                values.append(digest)
    return values


def _find(name: str, tasks: Sequence[str], known: Sequence[str]) -> list[Column]:
    corunner = _CORUNNER.fullmatch(name)
    if name == RESULT_HASH:
        return [Column(name, TEXT, (name,))]
    if name in known and name.startswith("memory."):
        return [Column(name, INTEGER, tuple(name.split(".")))]
    if corunner and name in known:
        return [Column(name, INTEGER, ("corunner", int(corunner[1]), corunner[2]))]
    *task, quantity, statistic = ("", *name.split(".")) if "." not in name else name.split(".")
    within = f"{quantity}.{statistic}".lstrip(".")
    for index, one in enumerate(tasks):
        if name.startswith(f"{one}.") and _is_of_task(name.removeprefix(f"{one}."), known):
            return [_of_task(index, one, name.removeprefix(f"{one}."))]
    if not any(task) and _is_of_task(within, known):
        return [_of_task(index, one, within) for index, one in enumerate(tasks)]
    advice = suggestion(name, known, "docs/sweep.md lists them")
    msg = f'columns: "{name}" is none; {advice}'
    raise ConfigError(msg)


def _of_task(index: int, task: str, within: str) -> Column:
    kind = REAL if within.endswith(".mean") else INTEGER
    return Column(f"{task}.{within}", kind, ("task", index, *within.split(".")))


def _is_of_task(within: str, known: Sequence[str]) -> bool:
    quantity, _, statistic = within.rpartition(".")
    return within in known or (f"{quantity}.max" in known and bool(_QUANTILE.fullmatch(statistic)))


def _known(tasks: Sequence[str], events: Sequence[str], n_corunners: int) -> list[str]:
    """List the names that there are, quantiles and names of tasks left out."""
    stream = [one.name for one in STREAMS["jobs"] if one.name.endswith("_ns")]
    counted = ("preemptions", "migrations", *events)
    quantities = list(dict.fromkeys((*_DERIVED, *stream, *counted)))
    within = [f"{one}.{statistic}" for one in quantities for statistic in _STATISTICS]
    within += _PLAIN
    return [
        *within,
        *(f"{task}.{one}" for task in tasks for one in within),
        *(f"memory.{one}" for one in _MEMORY),
        *(
            f"corunner.{index}.{one}"
            for index in range(n_corunners)
            for one in ("passes", "passes_before_t0", "elapsed_ns")
        ),
        RESULT_HASH,
    ]


def _samples(jobs: Jobs, task: int, quantity: str) -> list[int]:
    rows = finished(of_task(jobs, task))
    if quantity in _DERIVED:
        column = _DERIVED[quantity](rows)
    else:
        column = rows[quantity] if quantity in (rows.dtype.names or ()) else None
    return [] if column is None else np.sort(present(column)).tolist()


def _statistic(values: Sequence[int], statistic: str) -> Value:
    if not values:
        return None
    quantile = _QUANTILE.fullmatch(statistic)
    if quantile is not None:
        return _rank(values, int(quantile[1]) / 100)
    return _STATISTICS[statistic](values)


def _rank(values: Sequence[int], q: float) -> int:
    """Return the nearest-rank quantile of sorted values, 0 < q <= 1."""
    return values[max(1, quantile_rank(len(values), q)) - 1]


def _count(native: Native, task: int, count: str) -> Value:
    one = next((one for one in native.tasks if one.index == task), NativeTask(index=task))
    value = getattr(one if count in ("released", "started") else one.counts, count)
    return int(value)
