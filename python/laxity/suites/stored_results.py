# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""suite.json of a suite run: read, and completed from the runs of its programs.

Whoever finishes the run calls `write_results`: the command that ran it, or the reader of what a
kill has left.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from laxity.core.streams import Quantity
from laxity.jobs.ends import End, last_change
from laxity.store.manifest import Isolating, Manifest, TaskResult, kind_of_figures
from laxity.store.run_directory import (
    MANIFEST,
    SUITE,
    VETTING,
    VETTING_SEEN,
    Run,
    open_run,
    read_document,
    write_document,
)
from laxity.suites.result import (
    IsolatingCost,
    Spread,
    SuiteDocument,
    SuiteResult,
    VettingDocument,
)

if TYPE_CHECKING:
    from laxity.statistics.distribution import Distribution

Rows: TypeAlias = Any  # masked structured array of jobs.npy; None: not every finished job is in it

# The column that the workload `guest` adds to jobs.npy.
RIGHT = "right"
_NS = "ns"
_MEASURED = "measured"
_NAMES = {
    Quantity.START_TO_FINISH: "start_to_finish",
    Quantity.RESPONSE_TIME: "response_time",
    Quantity.RELEASE_LATENCY: "release_latency",
}
_P99, _P999 = 0.99, 0.999


def read_suite(directory: Path) -> SuiteDocument:
    """Read suite.json of a run, finished or not.

    Raises:
        RecordError: It is missing or damaged.
    """
    path = directory / SUITE
    return read_document(path, SuiteDocument)


def read_vetting_seen(directory: Path) -> VettingDocument:
    """Read vetting.json of a run.

    Raises:
        RecordError: It is missing or damaged.
    """
    path = directory / VETTING_SEEN
    return read_document(path, VettingDocument)


def fold(tmp: Path, manifest: Manifest, _end: End) -> tuple[Manifest, bool]:
    """Keep the verdicts that a killed vetting had come to.

    Returns:
        The manifest, and whether there is anything to keep.
    """
    left = msgspec.structs.replace(
        manifest,
        status="recovered",
        message="killed; the programs that had been vetted until then are kept",
        finished_at=last_change(tmp),
    )
    return left, (tmp / VETTING).exists()


def join(tmp: Path, manifest: Manifest) -> None:
    """Complete the table of a suite run; nothing where the run is none.

    Raises:
        RecordError: suite.json or a run is damaged.
    """
    if manifest.kind == "suite":
        write_results(tmp)


def write_results(directory: Path) -> SuiteDocument:
    """Complete suite.json by what the runs of its programs hold.

    Args:
        directory: Of the suite run; its runs are finished.

    Returns:
        What was written.

    Raises:
        RecordError: suite.json or a run is damaged.
        PlatformError: The output is full.
    """
    document = read_suite(directory)
    programs = []
    for one in document.programs:
        path = directory / "runs" / (one.run or "")
        if one.run is not None and (path / MANIFEST).is_file():
            programs.append(msgspec.structs.replace(one, result=result_of(open_run(path))))
        else:
            programs.append(one)
    completed = msgspec.structs.replace(document, programs=programs)
    write_document(directory / SUITE, completed)
    return completed


def result_of(run: Run) -> SuiteResult:
    """Count and summarise the jobs of one program.

    Raises:
        RecordError: A stream is damaged.
    """
    from laxity.jobs import rows as analysis  # noqa: PLC0415 - heavy

    manifest, task = run.manifest, run.manifest.tasks[0]
    finished = task.counts.done + task.counts.missed
    rows: Rows = analysis.finished(run.stream("jobs")) if run.has_stream("jobs") else None
    wrong_of_kept = None if rows is None else _wrong(rows)
    if rows is not None and len(rows) != finished:
        # What was not kept is in the histogram, but not whether it was right.
        rows = None
    kind = kind_of_figures(manifest)
    right = None if rows is None else _right(rows)
    if kind == "simulated":
        # Its harness ends a program by a wrong job (sim/target/suite_main.c).
        right = finished - min(finished, task.end_cause == "exit")
    return SuiteResult(
        status=manifest.status,
        exit_code=manifest.exit_code,
        message=manifest.message,
        released=task.released,
        started=task.started,
        finished=finished,
        calls=task.calls,
        right=right,
        wrong=(wrong_of_kept or None) if right is None else finished - right,
        missed=task.counts.missed,
        not_met=task.counts.not_met,
        times=_times(run, task, rows, kind),
        isolating=_isolating(task.isolating),
        has_deadline=task.deadline_ns is not None,
    )


def _right(rows: Rows) -> int | None:
    """Count right jobs; None: nothing told."""
    if RIGHT not in (rows.dtype.names or ()):
        return None
    return int((rows[RIGHT] == 1).sum()) if len(rows) else 0


def _wrong(rows: Rows) -> int:
    """Count the jobs that are known to be wrong."""
    return int((rows[RIGHT] == 0).sum()) if RIGHT in (rows.dtype.names or ()) else 0


def _isolating(seen: Isolating | None) -> IsolatingCost | None:
    if seen is None or not seen.n:
        return None
    return IsolatingCost(kind=_MEASURED, unit=_NS, n=seen.n, mean=seen.mean_ns, max=seen.max_ns)


def _times(run: Run, task: TaskResult, rows: Rows, kind: str) -> list[Spread]:
    """Summarise times; of all rows, or of the histogram where some were not kept (rows None)."""
    found = [(quantity, _samples(run, task, rows, quantity)) for quantity in _NAMES]
    return [_spread(quantity, samples, kind) for quantity, samples in found if samples.n]


def _samples(run: Run, task: TaskResult, rows: Rows, quantity: Quantity) -> "Distribution":
    import numpy as np  # noqa: PLC0415 - heavy

    from laxity.jobs import rows as analysis  # noqa: PLC0415 - heavy
    from laxity.statistics import distribution  # noqa: PLC0415 - heavy

    if rows is not None:
        column = {
            Quantity.START_TO_FINISH: analysis.start_to_finish_ns,
            Quantity.RESPONSE_TIME: analysis.response_time_ns,
            Quantity.RELEASE_LATENCY: analysis.release_latency_ns,
        }[quantity](rows)
        return distribution.from_samples(analysis.present(column))
    if not run.has_stream("histogram"):
        return distribution.from_samples(np.zeros(0, dtype=np.int64))
    part = np.ma.getdata(run.stream("histogram"))
    part = part[(part["task"] == task.index) & (part["quantity"] == quantity)]
    return distribution.from_buckets(part["lower_ns"], part["upper_ns"], part["count"])


def _spread(quantity: Quantity, samples: "Distribution", kind: str) -> Spread:
    from laxity.statistics.distribution import supports_quantile  # noqa: PLC0415 - heavy

    def supported(q: float) -> int | None:
        return samples.quantile_ns(q) if supports_quantile(samples.n, q) else None

    return Spread(
        quantity=_NAMES[quantity],
        kind=kind,
        unit=_NS,
        n=samples.n,
        is_exact=samples.is_exact,
        min=samples.min_ns,
        median=samples.quantile_ns(0.5),
        p99=supported(_P99),
        p999=supported(_P999),
        max=samples.max_ns,
    )
