# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity contention` answers: each figure is declared once, for people and for programs."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Literal

import msgspec

from laxity.contention.plan import Policy
from laxity.contention.table import (
    MARKS,
    ContentionTable,
    Load,
    MeasuredLoad,
    Preempted,
    Repeated,
)
from laxity.contention.windows import SAMPLE_NS, SHORTEST_NS
from laxity.core.percent import percent
from laxity.core.units import format_duration_ns
from laxity.page.columns import Column, csv_text, document_of, figures_of, table_text

# Of each cell: starts, and starts with pauses.
N_STARTS, N_PAUSED = 20, 15
N_REPLAYS = N_STARTS + N_PAUSED
# Starts of each load, policy and theta of a figure.
N_SHARED = 5


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A load with and without regulation, against the job alone.

    `replayed_ppm`: the largest overhead of replayed jobs, for 20 starts against the readings and 15
    with a load that pauses by itself. `difference_ppm`: the regulated job less its own replay.
    `parallelism_ppm`: part of the job's time in which the load was allowed to run; the optimum
    knows in advance what each window loses.
    `windows_above`: windows of the unregulated job that lose more than the table says.
    `charged_ppm`: overhead that policy `sound` would charge if it never stopped the load; null: of
    an older build.
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
    charged_ppm: int | None = None


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy loses and allows with one theta, of replayed jobs, by load of the evaluation.

    `policy`: optimum: it knows in advance what each window loses. `lost_ppm`: the largest overhead
    of N_SHARED starts. `parallelism_ppm`: the smallest part of the job in which the load may run.
    """

    policy: Policy | Literal["optimum"]
    theta_ppm: int
    lost_ppm: list[int]
    parallelism_ppm: list[int]


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


LOAD_COLUMNS = (
    Column("cpus", "load CPUs", lambda load: load.cpus, is_text=True),
    Column("reads", "reads of 10", lambda load: load.reads),
    Column("delays", "delay", lambda load: list(dict.fromkeys(load.delays))),
    Column("pauses", "pause", lambda load: load.pauses, is_text=True),
    Column(
        "traffic_bytes_per_s", "traffic", lambda load: load.traffic_bytes_per_s, "simulated", n=1
    ),
    Column("overhead_ppm", "overhead", lambda load: load.overhead_ppm, "simulated", n=1),
)
CELL_COLUMNS = (
    *(column.of(lambda cell: cell.load) for column in LOAD_COLUMNS),
    Column("regulated_ppm", "regulated", lambda cell: cell.regulated_ppm, "simulated", n=1),
    Column("replayed_ppm", "replayed", lambda cell: cell.replayed_ppm, "modelled", n=N_REPLAYS),
    Column("parallelism_ppm", "parallelism", lambda cell: cell.parallelism_ppm, "simulated", n=1),
    Column("optimum_ppm", "optimum", lambda cell: cell.optimum_ppm, "modelled", n=1),
    Column("stops", "stops", lambda cell: cell.stops, "simulated", n=1),
    Column("difference_ppm", "", lambda cell: cell.difference_ppm, "modelled", n=1, is_detail=True),
    Column("windows", "", lambda cell: cell.windows, "simulated", n=1, is_detail=True),
    Column("windows_above", "", lambda cell: cell.windows_above, "simulated", n=1, is_detail=True),
    Column("charged_ppm", "", lambda cell: cell.charged_ppm, "modelled", n=1, is_detail=True),
    Column("remark", "", lambda cell: cell.remark, is_text=True, is_detail=True),
)
# Rows of `--format csv`: (evaluation, cell).
CSV_COLUMNS = (
    Column("policy", "policy", lambda row: row[0].policy, is_text=True),
    Column("theta_ppm", "theta", lambda row: row[0].theta_ppm),
    *(column.of(lambda row: row[1]) for column in CELL_COLUMNS),
)
PROFILE_COLUMNS = (
    Column("solo_ns", "alone", lambda table: table.solo_ns, "simulated", n=1),
    Column(
        "largest_overhead_ppm",
        "largest overhead",
        lambda table: max(load.overhead_ppm for load in table.loads),
        "simulated",
        n=lambda table: len(table.loads),
    ),
    Column(
        "repeated_ns",
        "after a job of its own",
        lambda table: None if table.repeated is None else table.repeated.most_ns,
        "simulated",
        n=lambda table: 0 if table.repeated is None else table.repeated.n,
    ),
    Column(
        "contended_ns",
        "with the worst load of each part",
        lambda table: table.contended_ns,
        "simulated",
        n=lambda table: len(table.loads),
    ),
    Column("reload_ns", "reload after a stop", lambda table: table.reload_ns, "modelled"),
    Column("phases", "phases", lambda table: len(table.phases), "simulated", n=1),
)


# Of what another program on the CPU costs the job: largest observed values, no bounds.
PREEMPTED_COLUMNS = (
    Column(
        "reload_loaded_ns",
        "reload after a preemption",
        lambda one: one.loaded_ns,
        "simulated",
        n=lambda one: one.n_loaded,
    ),
    Column(
        "reload_alone_ns",
        "without load",
        lambda one: one.alone_ns,
        "simulated",
        n=lambda one: one.n_alone,
    ),
    Column("after_another_ns", "after that program", lambda one: one.dirty_ns, "simulated", n=1),
)


def _n_cells(evaluation: Evaluation) -> int:
    return len(evaluation.cells)


def _n_replayed(evaluation: Evaluation) -> int:
    return N_REPLAYS * len(evaluation.cells)


SHARE_COLUMNS = (
    Column("policy", "policy", lambda share: share.policy, is_text=True),
    Column("theta_ppm", "theta", lambda share: share.theta_ppm),
    Column(
        "largest_ppm",
        "largest overhead",
        lambda share: max(share.lost_ppm),
        "modelled",
        n=lambda share: N_SHARED * len(share.lost_ppm),
    ),
    Column(
        "median_parallelism_ppm",
        "median parallelism",
        lambda share: int(median(share.parallelism_ppm)),
        "modelled",
        n=lambda share: N_SHARED * len(share.parallelism_ppm),
    ),
)
# Of an evaluation, over all its loads.
EVALUATION_COLUMNS = (
    Column("policy", "policy", lambda one: one.policy, is_text=True),
    Column("beyond", "loads above theta", lambda one: one.n_beyond, "simulated", n=_n_cells),
    Column(
        "largest_regulated_ppm",
        "largest overhead",
        lambda one: max(cell.regulated_ppm for cell in one.cells),
        "simulated",
        n=_n_cells,
    ),
    Column(
        "largest_replayed_ppm",
        "replayed",
        lambda one: max(cell.replayed_ppm for cell in one.cells),
        "modelled",
        n=_n_replayed,
    ),
    Column(
        "least_parallelism_ppm",
        "parallelism, least",
        lambda one: min(cell.parallelism_ppm for cell in one.cells),
        "simulated",
        n=_n_cells,
    ),
    Column(
        "median_parallelism_ppm",
        "parallelism, median",
        lambda one: int(median(cell.parallelism_ppm for cell in one.cells)),
        "simulated",
        n=_n_cells,
    ),
    Column(
        "most_parallelism_ppm",
        "parallelism, most",
        lambda one: max(cell.parallelism_ppm for cell in one.cells),
        "simulated",
        n=_n_cells,
    ),
    Column("solo_ns", "", lambda one: one.solo_ns, "simulated", n=1, is_detail=True),
    Column(
        "largest_unregulated_ppm",
        "",
        lambda one: max(cell.load.overhead_ppm for cell in one.cells),
        "simulated",
        n=_n_cells,
        is_detail=True,
    ),
)


def profile_document(table: ContentionTable) -> dict[str, Any]:
    """Write what a profile found for programs; the table itself is a file."""
    found = table.preempted
    return {
        "schema": 1,
        "program": " ".join([table.workload, *table.args]),
        "platform": table.platform,
        "cpu": table.cpu,
        "preempting": None if found is None else " ".join(found.program),
        "figures": [
            *figures_of(PROFILE_COLUMNS, table),
            *([] if found is None else figures_of(PREEMPTED_COLUMNS, found)),
        ],
        "loads": document_of(LOAD_COLUMNS, table.loads),
    }


def evaluations_document(
    evaluations: Sequence[Evaluation], shares: Sequence[Share]
) -> dict[str, Any]:
    """Write evaluations for programs."""
    return {
        "schema": 2,
        "evaluations": [
            {
                "policy": tried.policy,
                "theta_ppm": tried.theta_ppm,
                "figures": figures_of(EVALUATION_COLUMNS[1:], tried),
                "loads": document_of(CELL_COLUMNS, tried.cells),
            }
            for tried in evaluations
        ],
        "by_theta": [figures_of(SHARE_COLUMNS, share) for share in shares],
    }


def evaluations_csv(evaluations: Sequence[Evaluation]) -> str:
    """Write a row for each load of each evaluation."""
    return csv_text(CSV_COLUMNS, [(tried, cell) for tried in evaluations for cell in tried.cells])


def profile_text(table: ContentionTable) -> str:
    """Write the largest overhead first, then all."""
    sentences = "\n".join(profile_sentences(table))
    return f"{sentences}\n\n{table_text(LOAD_COLUMNS, table.loads)}"


def profile_sentences(table: ContentionTable) -> list[str]:
    """Say what the job loses at most, and what its phases are."""
    worst = max(load.overhead_ppm for load in table.loads)
    phases = f"The table has {len(table.phases)} phases, which begin at marks of the program."
    if len(table.phases) == 1:
        phases = (
            "The table has one phase. With marks in the program (laxity_phase with a number below "
            f"{MARKS}, 50 µs apart or more) a regulator allows loads for longer."
        )
    return [
        f"Memory traffic makes the job take up to {percent(worst)} longer than "
        f"{format_duration_ns(table.solo_ns)}, its time alone "
        f"(simulated, {len(table.loads)} loads, one cold job each).",
        phases,
        _of_repeated(table.repeated),
        *_of_contended(table),
        _of_preempted(table.preempted),
        _of_stopped(table),
    ]


def _of_repeated(found: Repeated | None) -> str:
    """Say what jobs of the same task cost the next one."""
    if found is None:
        return "The table has no job that follows another; profile again to have C of such jobs."
    return (
        f"A job that follows another takes up to {format_duration_ns(found.most_ns)} alone "
        f"(observed, n = {found.n})."
    )


def _of_contended(table: ContentionTable) -> Iterator[str]:
    """Say what a job without a regulator may take."""
    lost_ns = table.lost_ns(table.longest_ns, is_shared=False)
    if table.contended_ns is not None and lost_ns is not None:
        yield (
            f"If each {format_duration_ns(SHORTEST_NS)} of the job met the load that delays it "
            f"most there, it would take {format_duration_ns(table.contended_ns)} (simulated). "
            "laxity bound charges an unregulated job for that, with margin "
            f"{format_duration_ns(table.longest_ns + lost_ns)}."
        )


def _of_preempted(found: Preempted | None) -> str:
    """Say what another program on the CPU costs the job."""
    if found is None:
        return "The table has no reload after a preemption (--preempt)."
    return (
        f"One preemption by {' '.join(found.program)} makes the job take up to "
        f"{format_duration_ns(found.loaded_ns)} longer with {_name(found.load)}, up to "
        f"{format_duration_ns(found.alone_ns)} alone (observed, n = {found.n_loaded} and "
        f"{found.n_alone}). After that program the job takes "
        f"{format_duration_ns(found.dirty_ns)} alone (observed, n = 1)."
    )


def _of_stopped(table: ContentionTable) -> str:
    """Say what a stop costs the job."""
    found = table.stopped
    if found is None:
        return (
            f"A stop of a load costs the job up to {format_duration_ns(table.reload_ns)}, the time "
            "to serve full queues of the memory controller (calculated)."
        )
    text = (
        f"A stop of {_name(found.load)} costs the job up to {format_duration_ns(found.reload_ns)} "
        f"(observed, n = {found.n}, to {format_duration_ns(SAMPLE_NS)}, the distance of samples); "
        "full queues of the memory controller take "
        f"{format_duration_ns(found.queue_ns)} (calculated)."
    )
    if not found.is_level_shared:
        return text
    return (
        f"{text} Loads evict lines of the job from the last cache level, so that the promise rests "
        f"on the observed value, with margin {format_duration_ns(table.reload_ns)}."
    )


def evaluations_text(evaluations: Sequence[Evaluation], shares: Sequence[Share]) -> str:
    """Write the answer first, then its tables; of several policies what they differ in."""
    if len(evaluations) == 1:
        text = "\n".join(evaluation_sentences(evaluations[0]))
        tables = [table_text(CELL_COLUMNS, evaluations[0].cells)]
    else:
        text = "\n".join(evaluation_sentences(tried)[0] for tried in evaluations)
        tables = [table_text(EVALUATION_COLUMNS, evaluations)]
    if shares:
        tables.append(f"{SHARES_CAPTION}:\n{table_text(share_columns(shares), by_theta(shares))}")
    return "\n".join([f"{text}\n", *tables])


SHARES_CAPTION = (
    "Part of the job in which loads may run, median of all loads (modelled: the smallest of "
    f"{N_SHARED} replayed starts with each load)"
)


def by_theta(shares: Sequence[Share]) -> list[tuple[int, dict[str, Share]]]:
    """Gather the shares of all policies by theta, ascending."""
    thetas = sorted({share.theta_ppm for share in shares})
    return [
        (theta, {share.policy: share for share in shares if share.theta_ppm == theta})
        for theta in thetas
    ]


def share_columns(shares: Sequence[Share]) -> list[Column]:
    """Make a column for each policy, of the rows of `by_theta`."""

    def column_of(policy: str) -> Column:
        def value(row: tuple[int, dict[str, Share]]) -> int | None:
            share = row[1].get(policy)
            return None if share is None else int(median(share.parallelism_ppm))

        return Column("parallelism_ppm", policy, value, "modelled", n=N_SHARED)

    return [
        Column("theta_ppm", "theta", lambda row: row[0]),
        *map(column_of, dict.fromkeys(share.policy for share in shares)),
    ]


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
    """Say whether the limit was kept, with how many loads that is unknown or not proven."""
    n, limit = len(evaluation.cells), f"The limit of {percent(evaluation.theta_ppm)}"
    verdict = f"broken with {evaluation.n_beyond}" if evaluation.n_beyond else "kept with all"
    n_outside = sum(bool(cell.remark) for cell in evaluation.cells)
    if n_outside == 0:
        n_above = sum(cell.windows_above > 0 for cell in evaluation.cells)
        unproven = f", but {n_above} of them cost more than the table says" if n_above else ""
        return f"{limit} was {verdict} of {n} loads{unproven}"
    return (
        f"{limit} has no verdict: with {n_outside} of {n} loads a job was outside its profile; it "
        f"was {verdict} of {n} loads"
    )


def _name(load: Load) -> str:
    """Name a load by what tells it from others."""
    cpus, reads, delay, pauses = (column.text(load) for column in LOAD_COLUMNS[:4])
    name = f"load CPUs {cpus}, {reads} of 10 reads, delay {delay}"
    return f"{name}, pause {pauses}" if load.pause else name
