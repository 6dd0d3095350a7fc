# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which best-effort work a contention table covers."""

from collections.abc import Collection, Iterable, Sequence

from laxity.contention.plan import Placed
from laxity.contention.table import ContentionTable
from laxity.core.cpus import format_cpus
from laxity.errors import ConfigError

_LOAD = "load"
_MOST_WORDS = 6


def check_traffic(
    table: ContentionTable,
    others: Sequence[Placed],
    corunner_cpus: Collection[int],
    programs: Iterable[Sequence[str]],
    *,
    is_regulated: bool,
) -> None:
    """Refuse traffic that the table does not cover, or that no regulator stops.

    Args:
        table: Of the task.
        others: All other tasks.
        corunner_cpus: CPUs with co-runners.
        programs: Co-runners with their arguments.
        is_regulated: Co-runners are stopped for the task; else other tasks may run on the CPUs of
            the profile's loads.

    Raises:
        ConfigError: There is such traffic.
    """
    elsewhere = [other for other in others if not set(other.cpus) <= {table.cpu}]
    if elsewhere and is_regulated:
        msg = (
            f"{', '.join(other.name for other in elsewhere)} on other CPUs are never stopped, so "
            f"no loss is promised; put all tasks on CPU {table.cpu}"
        )
        raise ConfigError(msg)
    profiled = table.load_cpus
    of_tasks = {cpu for other in elsewhere for cpu in other.cpus} - {table.cpu}
    if not of_tasks <= set(profiled):
        msg = (
            f"there are tasks on CPUs {format_cpus(of_tasks)}, the profile had loads on CPUs "
            f"{format_cpus(profiled)}; profile with --load-cpus {format_cpus(of_tasks)}"
        )
        raise ConfigError(msg)
    # Without a regulator, those on the CPU of the task itself run between its jobs.
    covered = {*profiled} if is_regulated else {*profiled, table.cpu}
    if not set(corunner_cpus) <= covered:
        msg = (
            f"co-runners are on CPUs {format_cpus(corunner_cpus)}; put [[interfere]] on CPUs "
            f"{format_cpus(profiled)}, those of the profile's loads"
        )
        raise ConfigError(msg)
    for program in programs:
        _check_load(table, program, len({*corunner_cpus} - {table.cpu}))


def _check_load(table: ContentionTable, program: Sequence[str], n_cpus: int) -> None:
    """Refuse a co-runner `load` that costs more than all loads of the profile on as many CPUs.

    Other programs cannot be compared with these loads: `loads_text` says so.
    """
    name, *words = program
    if (
        name != _LOAD
        or len(program) > _MOST_WORDS
        or not all(word.isdecimal() for word in words[1:])
    ):
        return
    reads, delay = (int(word) for word in (*words[1:], "0", "0")[:2])
    same = [load for load in table.loads if len(load.cpus) >= n_cpus and max(load.delays) <= delay]
    if not any(load.reads <= reads for load in same) or not any(
        load.reads >= reads for load in same
    ):
        msg = (
            f"'{' '.join(program)}' on {n_cpus} CPUs is not covered: the profile had "
            f"{loads_text(table)}; profile with --reads 0,{reads} --delays {delay}, or with more "
            "--load-cpus"
        )
        raise ConfigError(msg)


def loads_text(table: ContentionTable) -> str:
    """Name the loads of the profile: what the table was observed with."""
    reads = sorted({load.reads for load in table.loads})
    delays = sorted({delay for load in table.loads for delay in load.delays})
    pauses = ", also with pauses" if any(load.pause for load in table.loads) else ""
    return (
        f"{_LOAD} on CPUs {format_cpus(table.load_cpus)} ({_range(reads)} of 10 reads, delay "
        f"{_range(delays)}{pauses})"
    )


def _range(numbers: Sequence[int]) -> str:
    return " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))
