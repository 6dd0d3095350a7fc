# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the sections need of a run: rows, distributions and documents, gaps named."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laxity.core.streams import Quantity as Stream
from laxity.jobs.phases import PhaseSummary
from laxity.jobs.rows import Jobs
from laxity.page.blocks import Kind
from laxity.statistics.distribution import Distribution
from laxity.store.hindrances import stall_lines
from laxity.store.manifest import Manifest, TaskResult, kind_of_figures
from laxity.trace.attribution import Attribution

if TYPE_CHECKING:
    from laxity.jobs.view import View


@dataclass(frozen=True, slots=True)
class TaskData:
    """One task of one run.

    `rows` are what was kept, in order of release. `is_whole` says whether that is every release;
    otherwise the distributions come from histogram.npy.
    """

    result: TaskResult
    rows: Jobs
    is_whole: bool
    distributions: dict[Stream, Distribution]
    phases: tuple[PhaseSummary, ...] = ()
    # A thread of a program that ran already: its period and releases are estimates.
    is_observed: bool = False
    # Jobs that stood still; they are in none of the above.
    n_stalled: int = 0

    @property
    def has_modelled_releases(self) -> bool:
        """Whether releases are points of an estimated grid, not told and not seen."""
        return self.is_observed and self.result.period_ns is not None

    @property
    def n_finished(self) -> int:
        """Finished jobs by the manifest's count: done + missed."""
        return self.result.counts.done + self.result.counts.missed

    @property
    def n_release_unknown(self) -> int:
        """Finished jobs of a program with its own main whose release was neither told nor seen."""
        if not self.result.makes_own_jobs and not self.is_observed:
            return 0
        return self.n_finished - self.distributions[Stream.RESPONSE_TIME].n

    @property
    def longest_ns(self) -> int | None:
        """The longest response time, or what it did not exceed; None: no job has one.

        Where rows are lacking it is the end of a bucket, and no later than a deadline that all met.
        """
        found = self.distributions[Stream.RESPONSE_TIME]
        if not found.n:
            return None
        deadline_ns = self.result.deadline_ns
        if found.is_exact or deadline_ns is None or self.result.counts.missed:
            return found.max_ns
        return min(found.max_ns, deadline_ns)

    @property
    def n_judged(self) -> int:
        """Releases of which it is known whether they met their deadline."""
        if self.result.deadline_ns is None:
            return 0
        return self.result.released - self.n_release_unknown - self.result.counts.undecided

    @property
    def unjudged(self) -> str:
        """What a deadline did not judge, and why, in words; empty: it judged every release."""
        if self.result.deadline_ns is None:
            return ""
        counted = (
            (self.n_release_unknown, "release not known"),
            (self.result.counts.undecided, "still pending, their deadlines to come"),
        )
        return "; ".join(f"{count:,} not judged: {why}" for count, why in counted if count)


@dataclass(frozen=True, slots=True)
class RunData:
    """One run that measured; `label` is how the report calls it, `prefix` starts its ids."""

    label: str
    prefix: str
    path: Path
    manifest: Manifest
    machine: dict[str, Any]
    doctor: dict[str, Any]
    spec_text: str
    keep: str
    tasks: tuple[TaskData, ...]
    # By index of the task; empty without a whole scheduling trace.
    attributions: dict[int, Attribution] = field(default_factory=dict)
    # Rows of counters.npy; None: nothing was sampled.
    samples: Any = None
    problems: tuple[str, ...] = field(default=())
    # Of a run without tasks: how it is shown, and what the reader of that view gives.
    view: "View | None" = None
    findings: Any = None

    @property
    def kind(self) -> Kind:
        """Kind of every figure of this run that does not depend on a release."""
        if self.manifest.experiment is not None:
            return "modelled"
        return kind_of_figures(self.manifest)

    def kind_of(self, task: TaskData, quantity: Stream = Stream.RESPONSE_TIME) -> Kind:
        """Kind of a figure of a task; one from a release is no better known than the release."""
        if task.has_modelled_releases and quantity is not Stream.START_TO_FINISH:
            return "modelled"
        return self.kind

    @property
    def has_begun(self) -> bool:
        """True if the run came to its first release; before that nothing was measured."""
        clock = self.manifest.clock
        return clock is not None and clock.t0_ns is not None

    @property
    def snapshot_exec_ns(self) -> int:
        """Calibrated processor time of an empty pair of snapshots; 0 where none were taken."""
        return snapshot_exec_ns(self.manifest)


def stall_words(manifest: Manifest, tasks: Sequence[TaskData]) -> list[str]:
    """Say when a run stood still, and how many jobs are set apart for it; empty: never."""
    found = stall_lines(manifest)
    counts = [f"{task.n_stalled} of {task.result.name}" for task in tasks if task.n_stalled]
    return [*found, f"jobs set apart: {', '.join(counts)}"] if counts else found


def snapshot_exec_ns(manifest: Manifest) -> int:
    """Return the calibrated processor time of an empty pair of snapshots; 0: none were taken."""
    cost = manifest.snapshots
    return 0 if cost is None or cost.exec_ns is None else round(cost.exec_ns)


@dataclass(frozen=True, slots=True)
class PageData:
    """What a report is about: one run, or a command's run with the runs below it."""

    manifest: Manifest
    path: Path
    runs: tuple[RunData, ...]
    is_composite: bool
    spec_text: str = ""
    problems: tuple[str, ...] = field(default=())
