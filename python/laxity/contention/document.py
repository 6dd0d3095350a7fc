# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity contention` answers: each figure is declared once, for terminal and JSON."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import msgspec

from laxity.contention.plan import Policy
from laxity.contention.table import MARKS, ContentionTable, MeasuredLoad
from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns

# Of each cell: starts, and starts with pauses.
N_STARTS, N_PAUSED = 20, 15
N_REPLAYS = N_STARTS + N_PAUSED


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A load with and without regulation, against the job alone.

    `replayed_ppm`: the largest overhead of replayed jobs, for 20 starts against the readings and 15
    with a load that pauses by itself. `difference_ppm`: the regulated job less its own replay.
    `parallelism_ppm`: part of the job's time in which the load was allowed to run; the optimum
    knows in advance what each window loses.
    `windows_above`: windows of the unregulated job that lose more than the table says.
    `remark`: why the run has no verdict; empty: it has.
    """

    load: MeasuredLoad
    regulated_ppm: int
    replayed_ppm: int
    difference_ppm: int
    parallelism_ppm: int
    optimum_ppm: int
    stops: int
    windows: int
    windows_above: int
    remark: str


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `laxity contention evaluate`."""

    schema: Literal[1]
    kind: Literal["simulated"]
    solo_ns: int
    policy: Policy
    theta_ppm: int
    cells: list[Cell]

    @property
    def n_beyond(self) -> int:
        """Count cells in which the job lost more than it may."""
        return sum(
            max(cell.regulated_ppm, cell.replayed_ppm) > self.theta_ppm for cell in self.cells
        )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table on a terminal."""

    header: str
    text: Callable[[Any], str]
    is_number: bool = True


def percent(ppm: int) -> str:
    """Write parts per million as a percentage of two decimals."""
    # Without the sign of a zero.
    return f"{round(ppm / 10_000, 2) + 0.0:.2f} %"


def of_load(column: Column) -> Column:
    """Take a column of loads to rows that have one."""
    return Column(column.header, lambda cell: column.text(cell.load), column.is_number)


LOAD_COLUMNS = (
    Column("load CPUs", lambda load: ",".join(map(str, load.cpus)), is_number=False),
    Column("reads of 10", lambda load: str(load.reads)),
    Column("delay", lambda load: ",".join(map(str, dict.fromkeys(load.delays)))),
    Column("traffic", lambda load: f"{load.traffic_bytes_per_s / 1e6:.0f} MB/s"),
    Column("overhead", lambda load: percent(load.overhead_ppm)),
)
CELL_COLUMNS = (
    *(of_load(column) for column in LOAD_COLUMNS),
    Column("regulated", lambda cell: percent(cell.regulated_ppm)),
    Column("replayed", lambda cell: percent(cell.replayed_ppm)),
    Column("parallelism", lambda cell: percent(cell.parallelism_ppm)),
    Column("optimum", lambda cell: percent(cell.optimum_ppm)),
    Column("stops", lambda cell: str(cell.stops)),
)


def table_text(columns: Sequence[Column], rows: Sequence[object]) -> str:
    """Lay rows out for a terminal."""
    cells = [[column.text(row) for column in columns] for row in rows]
    right = [i for i, column in enumerate(columns) if column.is_number]
    return format_table([column.header for column in columns], cells, right)


def profile_text(table: ContentionTable) -> str:
    """Write the largest overhead first, then all."""
    worst = max(load.overhead_ppm for load in table.loads)
    phases = f"The table has {len(table.phases)} phases, which begin at marks of the program."
    if len(table.phases) == 1:
        phases = (
            "The table has one phase. With marks in the program (laxity_phase with a number below "
            f"{MARKS}, 50 µs apart or more) a regulator allows loads for longer."
        )
    return (
        f"Memory traffic makes the job take up to {percent(worst)} longer, "
        f"{format_duration_ns(table.solo_ns)} alone "
        f"(simulated, {len(table.loads)} loads, one cold job each).\n{phases}\n\n"
        f"{table_text(LOAD_COLUMNS, table.loads)}"
    )


def evaluation_text(evaluation: Evaluation) -> str:
    """Write the answer first, then its table."""
    text = "\n".join(evaluation_sentences(evaluation))
    return f"{text}\n\n{table_text(CELL_COLUMNS, evaluation.cells)}"


def evaluation_sentences(evaluation: Evaluation) -> list[str]:
    """Say whether the limit was kept, then how far, then how the table and replays compare."""
    cells = evaluation.cells
    largest = max(cell.regulated_ppm for cell in cells)
    replayed = max(cell.replayed_ppm for cell in cells)
    unregulated = max(cell.load.overhead_ppm for cell in cells)
    shared = sorted(cell.parallelism_ppm for cell in cells)
    differences = sorted(abs(cell.difference_ppm) for cell in cells)
    return [
        f"{_verdict(evaluation)} (policy {evaluation.policy}, simulated, one cold job each, and "
        f"{N_REPLAYS} replayed).",
        f"The job takes {format_duration_ns(evaluation.solo_ns)} alone. The largest overhead is "
        f"{percent(largest)} regulated, {percent(replayed)} replayed, {percent(unregulated)} "
        "unregulated.",
        f"The loads may run for {percent(shared[0])} to {percent(shared[-1])} of the job, median "
        f"{percent(int(median(shared)))}.",
        f"Replayed and simulated jobs differ by at most {percent(differences[-1])} of their time "
        f"alone, median {percent(int(median(differences)))}.",
        f"{sum(cell.windows_above for cell in cells)} of {sum(cell.windows for cell in cells)} "
        "windows of unregulated jobs lose more than the table says.",
        *(f"{_name(cell.load)}: {cell.remark}." for cell in cells if cell.remark),
    ]


def _verdict(evaluation: Evaluation) -> str:
    """Say whether the limit was kept, and with how many loads that is unknown."""
    n, limit = len(evaluation.cells), f"The limit of {percent(evaluation.theta_ppm)}"
    verdict = f"broken with {evaluation.n_beyond}" if evaluation.n_beyond else "kept with all"
    n_outside = sum(bool(cell.remark) for cell in evaluation.cells)
    if n_outside == 0:
        return f"{limit} was {verdict} of {n} loads"
    return (
        f"{limit} has no verdict: with {n_outside} of {n} loads a job was outside its profile; it "
        f"was {verdict} of {n} loads"
    )


def _name(load: MeasuredLoad) -> str:
    """Name a load by what tells it from others."""
    cpus, reads, delay = (column.text(load) for column in LOAD_COLUMNS[:3])
    return f"load CPUs {cpus}, {reads} of 10 reads, delay {delay}"
