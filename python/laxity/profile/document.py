# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""profile.json: what was profiled, and the figures, computed from the runs by who finishes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from laxity.jobs.rows import execution_ns, finished, in_order, present, response_time_ns
from laxity.jobs.run_data import snapshot_exec_ns
from laxity.profile.need import NeedRecord, need_records
from laxity.profile.scenario import ALONE
from laxity.profile.schedulability import Process, met_of
from laxity.profile.wcet import MEDIAN, Times, times_of
from laxity.statistics.dependence import IntArray
from laxity.statistics.quantile_shift import Estimate
from laxity.store.manifest import Manifest, Record
from laxity.store.run_directory import PROFILE, Run, open_run, read_document, write_document

Analysis = Literal["wcet", "schedulability", "memory-need"]
Quantity = Literal["execution", "response"]
QUANTITIES: tuple[Quantity, ...] = ("execution", "response")


class Target(Record, frozen=True, kw_only=True):
    """A program that is profiled."""

    workload: str
    args: list[str]


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


class TimesRecord(Record, frozen=True, kw_only=True):
    """Times of one program in one scenario.

    `aborted`: jobs that did not come to their end, so that the longest are missing. `max_ns`: the
    observed maximum, not a bound; `jobs_since_max`: after it, none was longer; `share_beyond`: the
    95 % bound on the share of jobs that are longer, if jobs may be exchanged for each other; null:
    the last job was the longest, or simulated jobs, which nothing varies. `slowdown_max`,
    `slowdown_median`: over those of the program alone; null: alone itself, or there are none.
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


class Profile(Record, frozen=True, kw_only=True):
    """profile.json. `analyses`: what was asked for, and is shown; the figures are those of all."""

    schema: Literal[1] = 1
    analyses: list[Analysis]
    kind: Literal["measured", "simulated"]
    targets: list[Target]
    scenarios: list[ScenarioRecord]
    units: list[Unit]
    times: list[TimesRecord] = msgspec.field(default_factory=list)
    met: list[MetRecord] = msgspec.field(default_factory=list)
    needs: list[NeedRecord] = msgspec.field(default_factory=list)


def read_profile(directory: Path) -> Profile:
    """Read profile.json of a run.

    Raises:
        RecordError: It is missing or damaged.
    """
    return read_document(directory / PROFILE, Profile)


def join(tmp: Path, manifest: Manifest) -> None:
    """Compute the figures of a profile from its runs; of another run nothing.

    Raises:
        RecordError: A run within is damaged.
    """
    if manifest.kind != "profile":
        return
    asked = read_profile(tmp)
    runs = {name: open_run(tmp / "runs" / name) for name in manifest.runs}
    whole = {name: run for name, run in runs.items() if run.manifest.status == "complete"}
    if "memory-need" in asked.analyses:
        write_document(tmp / PROFILE, _with_needs(asked, whole))
        return  # of such a run no time says anything
    times = [
        record
        for target in range(len(asked.targets))
        for quantity in QUANTITIES
        for record in _records(asked, whole, target, quantity)
    ]
    met = [
        record
        for target in range(len(asked.targets))
        for record in _met_records(asked, whole, target, times)
    ]
    write_document(tmp / PROFILE, msgspec.structs.replace(asked, times=times, met=met))


def _with_needs(asked: Profile, whole: Mapping[str, Run]) -> Profile:
    processes = {
        target: [one.run for one in asked.units if one.target == target]
        for target in range(len(asked.targets))
    }
    measured = {
        name: need
        for name, run in whole.items()
        for task in run.manifest.tasks
        if (need := task.memory_need) is not None
    }
    return msgspec.structs.replace(asked, needs=list(need_records(processes, measured)))


def processes_of(
    asked: Profile, runs: Mapping[str, Run], target: int, scenario: int, quantity: Quantity
) -> list[IntArray]:
    """Take the times of the finished jobs of each process, in the order in which they ran.

    Raises:
        RecordError: A run is damaged.
    """
    return [_times(run, quantity) for run in _runs_of(asked, runs, target, scenario)]


def _runs_of(asked: Profile, runs: Mapping[str, Run], target: int, scenario: int) -> list[Run]:
    units = sorted(
        (one for one in asked.units if (one.target, one.scenario) == (target, scenario)),
        key=lambda one: one.process,
    )
    return [runs[one.run] for one in units if one.run in runs]


def _times(run: Run, quantity: Quantity) -> IntArray:
    jobs = in_order(finished(run.stream("jobs")))
    if quantity == "response":
        return present(response_time_ns(jobs))
    column = execution_ns(jobs, snapshot_exec_ns(run.manifest))
    return np.array([], np.int64) if column is None else present(column)


def _records(
    asked: Profile, runs: Mapping[str, Run], target: int, quantity: Quantity
) -> Iterator[TimesRecord]:
    is_simulated = asked.kind == "simulated"
    found = [
        times_of(
            processes_of(asked, runs, target, scenario, quantity),
            is_exact=is_simulated,
        )
        for scenario in range(len(asked.scenarios))
    ]
    alone = found[_alone(asked)]
    for scenario, times in enumerate(found):
        if times is not None:
            ran = _runs_of(asked, runs, target, scenario)
            yield TimesRecord(
                target=target,
                scenario=scenario,
                quantity=quantity,
                processes=times.n_processes,
                jobs=times.n_jobs,
                aborted=sum(map(_n_aborted, ran)),
                max_ns=times.longest_ns,
                jobs_since_max=times.n_since,
                share_beyond=None if is_simulated else times.share_beyond,
                quantiles=[_quantile(q, one) for q, one in times.quantiles.items()],
                slowdown_max=_ratio(times, alone, lambda one: one.longest_ns),
                slowdown_median=_ratio(times, alone, _median_ns),
            )


def _alone(asked: Profile) -> int:
    """Tell which scenario is that of the program alone; it is always there."""
    return next(at for at, one in enumerate(asked.scenarios) if one.name == ALONE)


def _quantile(q: float, one: Estimate) -> QuantileRecord:
    return QuantileRecord(
        q=q, value_ns=one.value_ns, low_ns=one.low_ns, high_ns=one.high_ns, reason=one.reason
    )


def _met_records(
    asked: Profile, runs: Mapping[str, Run], target: int, times: Sequence[TimesRecord]
) -> Iterator[MetRecord]:
    """Hold each scenario's responses against deadlines from the execution alone."""
    wcet_ns = next(
        (
            one.max_ns
            for one in times
            if (one.target, one.scenario, one.quantity) == (target, _alone(asked), "execution")
        ),
        0,
    )
    for scenario in range(len(asked.scenarios)):
        processes = [_process(run) for run in _runs_of(asked, runs, target, scenario)]
        processes = [one for one in processes if one.n]
        for one in met_of(processes, wcet_ns) if processes and wcet_ns else ():
            yield MetRecord(
                target=target,
                scenario=scenario,
                utilisation_percent=one.percent,
                deadline_ns=one.deadline_ns,
                met=one.met,
                jobs=one.jobs,
                low=None if asked.kind == "simulated" else one.low,
                high=None if asked.kind == "simulated" else one.high,
            )


def _process(run: Run) -> Process:
    return Process(_times(run, "response"), _n_aborted(run))


def _n_aborted(run: Run) -> int:
    return sum(one.counts.aborted for one in run.manifest.tasks)


def _median_ns(times: Times) -> int | None:
    return times.quantiles[MEDIAN].value_ns if MEDIAN in times.quantiles else None


def _ratio(times: Times, alone: Times | None, of: Callable[[Times], int | None]) -> float | None:
    if alone is None or alone is times:
        return None
    over, under = of(times), of(alone)
    return over / under if over is not None and under else None


def names_of(asked: Profile) -> Sequence[str]:
    """Name the targets: by their workloads, and by their arguments where that is not enough."""
    workloads = [one.workload for one in asked.targets]
    return [
        one.workload if workloads.count(one.workload) == 1 else " ".join((one.workload, *one.args))
        for one in asked.targets
    ]
