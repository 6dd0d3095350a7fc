# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""profile.json: what was profiled, and the figures (laxity.profile.join computes them)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from laxity.profile.lines import LinesRecord
from laxity.profile.need import NeedRecord
from laxity.store.manifest import Record
from laxity.store.run_directory import PROFILE, read_document
from laxity.store.run_warnings import RunWarning

Analysis = Literal[
    "wcet", "schedulability", "cache", "intensity", "memory-traffic", "memory-need", "versus"
]
Quantity = Literal["execution", "response", "start_to_finish"]
GateAnswer = Literal["violated", "holds", "no_verdict"]
QUANTITIES: tuple[Quantity, ...] = ("execution", "response")
# Of programs side by side: how late they were started is none of theirs.
QUANTITIES_SIDE_BY_SIDE: tuple[Quantity, ...] = ("start_to_finish", "execution")


class Target(Record, frozen=True, kw_only=True):
    """A program that is profiled; of a suite (`isolation` not null) its name and its own words.

    `sources_sha256`, `inputs_sha256`: of what was vetted; null: a workload, or it has no inputs.
    `executable_sha256`: of a workload, or a program with its own main; null: of a suite.
    """

    workload: str
    args: list[str]
    isolation: str | None = None
    sources_sha256: str | None = None
    inputs_sha256: str | None = None
    executable_sha256: str | None = None


class ScenarioRecord(Record, frozen=True, kw_only=True):
    """What runs beside it: co-runners as `--interfere` takes them."""

    name: str
    interfere: list[str]


class Unit(Record, frozen=True, kw_only=True):
    """One process: the run below `runs/`, and places in `targets` and `scenarios`."""

    run: str
    target: int
    scenario: int
    process: int


class QuantileRecord(Record, frozen=True, kw_only=True):
    """A quantile with its 95 % interval; without one `reason` says why."""

    q: float
    value_ns: int
    low_ns: int | None
    high_ns: int | None
    reason: str | None


class ProcedureRecord(Record, frozen=True, kw_only=True):
    """RT-Bench's WCET: the deadline that a whole process met after it was raised by others.

    `batches`: processes until then; of the `later_jobs` behind them `longer` took longer.
    """

    limit_ns: int
    batches: int
    longer: int
    later_jobs: int


class PwcetRecord(Record, frozen=True, kw_only=True):
    """What a job exceeds with a small probability at most (docs/bounds.md).

    `exceedance`: the rarest that so many jobs may be extrapolated to. `bound_ns` null: `reason`
    says why there is none.
    """

    exceedance: float
    bound_ns: int | None
    reason: str | None


class TimesRecord(Record, frozen=True, kw_only=True):
    """Times of one program in one scenario.

    `aborted`: jobs that did not come to their end, so that the longest are missing. `max_ns`: the
    observed maximum, not a bound; `jobs_since_max`: after it, none was longer; `share_beyond`: the
    95 % bound on the share of jobs that are longer, if jobs may be exchanged for each other; null:
    the last job was the longest, or simulated jobs, which nothing varies. `slowdown_max`,
    `slowdown_median`: over those of the program alone; null: alone itself, or there are none.
    `rt_bench`: null if no process had no miss, or simulated. `pwcet`: of measured execution times.
    """

    target: int
    scenario: int
    quantity: Quantity
    processes: int
    jobs: int
    aborted: int
    max_ns: int
    jobs_since_max: int
    share_beyond: float | None
    quantiles: list[QuantileRecord]
    slowdown_max: float | None
    slowdown_median: float | None
    rt_bench: ProcedureRecord | None = None
    pwcet: PwcetRecord | None = None


class MetRecord(Record, frozen=True, kw_only=True):
    """How many jobs of one program in one scenario met a deadline of WCET / utilisation.

    The WCET is the observed maximum of its execution time, alone. `jobs`: those that finished and
    those that were aborted; a release that was skipped, while the job before it ran, is none.
    `low`, `high`: the 95 % interval of the share; null: too few processes, or simulated.
    """

    target: int
    scenario: int
    utilisation_percent: int
    deadline_ns: int
    met: int
    jobs: int
    low: float | None
    high: float | None


class RatioRecord(Record, frozen=True, kw_only=True):
    """What was counted of one program in one scenario: columns of its jobs over another one.

    Sums over all finished jobs in which all of the columns were counted. `value`: their ratio;
    null: `under_total` is 0. `low`, `high`: its 95 % interval; null: too few processes, or
    simulated. `scale_ratio`: the largest of time enabled to time counted; above 1 the sums are
    estimates, since counters took turns.
    """

    target: int
    scenario: int
    over: list[str]
    under: str
    over_total: int
    under_total: int
    value: float | None
    low: float | None
    high: float | None
    processes: int
    jobs: int
    scale_ratio: float


class CourseRecord(Record, frozen=True, kw_only=True):
    """A job of one program in one scenario in parts of equal progress, in instructions if counted.

    `jobs`: of which it is the mean, the first of each process left out. `times_ns`: how long each
    part takes; `counts`: by event, what is counted in it.
    """

    target: int
    scenario: int
    jobs: int
    times_ns: list[int]
    counts: dict[str, list[float]]


class PhasesRecord(Record, frozen=True, kw_only=True):
    """The phases of a program alone that names none: where its course changes.

    `ends`: the parts that they end behind, the last one of all.

    `events`: of which the rates, added, were looked at.
    """

    target: int
    events: list[str]
    ends: list[int]


class NamedPhaseRecord(Record, frozen=True, kw_only=True):
    """A phase that a program names (`laxity_phase`), in one scenario.

    Means of the `jobs` that have it, the first one of each process left out. `from_ns`, `to_ns`:
    since the start of the job; null: it comes more than once in one. `counts`: by event; none: jobs
    are too short to be sampled. `ranges`: by event, the least and the most that the count can be; a
    mark between two samples has a count between theirs. On simulated platforms both are equal.
    """

    target: int
    scenario: int
    phase: int
    jobs: int
    time_ns: int
    from_ns: int | None
    to_ns: int | None
    counts: dict[str, float]
    ranges: dict[str, tuple[float, float]] = msgspec.field(default_factory=dict)


class VersusRecord(Record, frozen=True, kw_only=True):
    """How many times as long as the quickest program one takes: medians of the same round.

    `ratio`: the geometric mean over `rounds`; `low`, `high`: its 95 % interval; null: too few
    rounds, simulated, or `target` is `quickest`.
    """

    target: int
    quantity: Quantity
    quickest: int
    rounds: int
    ratio: float
    low: float | None
    high: float | None


class GateRecord(Record, frozen=True, kw_only=True):
    """A limit of `--fail-on`, and how the times of `target` stand to those of the first program.

    `ratio`: the geometric mean over `rounds`; null: no round has both times. `low`, `high`: the
    95 % interval; simulated both are `ratio`; null: too few rounds.
    """

    expression: str
    target: int
    rounds: int
    ratio: float | None
    low: float | None
    high: float | None
    answer: GateAnswer


class Profile(Record, frozen=True, kw_only=True):
    """profile.json. `analyses`: what was asked for, and is shown; the figures are those of all.

    `warnings`: of its processes, each once: fallbacks, notes, tasks that were not scheduled as
    planned. `options`: what else was asked for. A command that goes on with it must ask for the
    same, and for the same `fail_on`.
    """

    schema: Literal[1] = 1
    analyses: list[Analysis]
    kind: Literal["measured", "simulated"]
    targets: list[Target]
    scenarios: list[ScenarioRecord]
    units: list[Unit]
    options: dict[str, str] = msgspec.field(default_factory=dict)
    times: list[TimesRecord] = msgspec.field(default_factory=list)
    met: list[MetRecord] = msgspec.field(default_factory=list)
    ratios: list[RatioRecord] = msgspec.field(default_factory=list)
    courses: list[CourseRecord] = msgspec.field(default_factory=list)
    phases: list[PhasesRecord] = msgspec.field(default_factory=list)
    named_phases: list[NamedPhaseRecord] = msgspec.field(default_factory=list)
    needs: list[NeedRecord] = msgspec.field(default_factory=list)
    lines: list[LinesRecord] = msgspec.field(default_factory=list)
    versus: list[VersusRecord] = msgspec.field(default_factory=list)
    warnings: list[RunWarning] = msgspec.field(default_factory=list)
    fail_on: list[str] = msgspec.field(default_factory=list)
    gates: list[GateRecord] = msgspec.field(default_factory=list)


def read_profile(directory: Path) -> Profile:
    """Read profile.json of a run.

    Raises:
        RecordError: It is missing or damaged.
    """
    return read_document(directory / PROFILE, Profile)


def names_of(asked: Profile) -> Sequence[str]:
    """Name the targets: by their workloads, and by their arguments where that is not enough."""
    workloads = [one.workload for one in asked.targets]
    return [
        one.workload if workloads.count(one.workload) == 1 else " ".join((one.workload, *one.args))
        for one in asked.targets
    ]
