# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of a profile, computed from its runs by who finishes it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from laxity.jobs.rows import (
    execution_ns,
    finished,
    in_order,
    present,
    response_time_ns,
    start_to_finish_ns,
)
from laxity.jobs.run_data import snapshot_exec_ns
from laxity.profile.counted import columns_of, ratio_of
from laxity.profile.document import (
    QUANTITIES,
    QUANTITIES_SIDE_BY_SIDE,
    CourseRecord,
    GateRecord,
    MetRecord,
    NamedPhaseRecord,
    PhasesRecord,
    ProcedureRecord,
    Profile,
    PwcetRecord,
    QuantileRecord,
    Quantity,
    RatioRecord,
    TimesRecord,
    VersusRecord,
    read_profile,
)
from laxity.profile.events import RATIOS
from laxity.profile.need import need_records
from laxity.profile.ratio_gate import parse_ratio_limit
from laxity.profile.scenario import ALONE
from laxity.profile.schedulability import Process, met_of
from laxity.profile.traffic import (
    NamedPhase,
    courses_of,
    drawn_event,
    mean_course,
    named_phases_of,
    parts_of,
)
from laxity.profile.versus import quickest_of, versus
from laxity.profile.wcet import MEDIAN, Times, rt_bench_procedure, times_of
from laxity.statistics.dependence import IntArray
from laxity.statistics.quantile_shift import Estimate
from laxity.statistics.wcet_model import Pwcet
from laxity.store.manifest import Manifest
from laxity.store.run_directory import PROFILE, Run, open_run, write_document
from laxity.store.run_warnings import warnings_within


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
    asked = msgspec.structs.replace(asked, warnings=warnings_within(runs.values()))
    if "memory-need" in asked.analyses:
        write_document(tmp / PROFILE, _with_needs(asked, whole))
        return  # of such a run no time says anything
    is_side_by_side = "versus" in asked.analyses
    times = [
        record
        for target in range(len(asked.targets))
        for quantity in (QUANTITIES_SIDE_BY_SIDE if is_side_by_side else QUANTITIES)
        for record in _records(asked, whole, target, quantity)
    ]
    met = [
        record
        for target in range(len(asked.targets))
        for record in _met_records(asked, whole, target, times)
    ]
    ratios = [
        record
        for target in range(len(asked.targets))
        for scenario in range(len(asked.scenarios))
        for record in _ratio_records(asked, whole, target, scenario)
    ]
    courses = [
        record
        for target in range(len(asked.targets))
        for record in _course_records(asked, whole, target)
    ]
    named = [
        record
        for target in range(len(asked.targets))
        for scenario in range(len(asked.scenarios))
        for record in _named_records(asked, whole, target, scenario)
    ]
    name_theirs = {one.target for one in named if one.scenario == _alone(asked)}
    alone = [one for one in courses if one.scenario == _alone(asked)]
    nameless = [one for one in alone if one.target not in name_theirs]
    phases = [one for course in nameless if (one := _phases(course)) is not None]
    found = msgspec.structs.replace(
        asked,
        times=times,
        met=met,
        ratios=ratios,
        courses=courses,
        phases=phases,
        named_phases=named,
        versus=list(_versus_records(asked, whole)) if is_side_by_side else [],
        gates=list(_gate_records(asked, whole)),
    )
    write_document(tmp / PROFILE, found)


def _medians_ns(
    asked: Profile, runs: Mapping[str, Run], quantity: Quantity
) -> list[dict[int, float]]:
    """Take the median of each process, for each program by the number of the round."""
    return [
        {
            unit.process: float(np.median(times))
            for unit in asked.units
            if (unit.target, unit.scenario) == (target, _alone(asked)) and unit.run in runs
            if (times := times_of_run(runs[unit.run], quantity)).size
        }
        for target in range(len(asked.targets))
    ]


def _gate_records(asked: Profile, runs: Mapping[str, Run]) -> Iterator[GateRecord]:
    """Hold each program but the first against the first, by each limit."""
    if not asked.fail_on:
        return
    is_exact = asked.kind == "simulated"
    first, *others = _medians_ns(asked, runs, QUANTITIES_SIDE_BY_SIDE[0])
    for text in asked.fail_on:
        limit = parse_ratio_limit(text)
        for target, medians_ns in enumerate(others, 1):
            found = versus(medians_ns, first, is_exact=is_exact)
            ratio, low, high = (found.ratio, found.low, found.high) if found else (None,) * 3
            if is_exact:
                low = high = ratio
            yield GateRecord(
                expression=text,
                target=target,
                rounds=found.rounds if found else 0,
                ratio=ratio,
                low=low,
                high=high,
                answer=limit.judge(ratio, low, high),
            )


def _versus_records(asked: Profile, runs: Mapping[str, Run]) -> Iterator[VersusRecord]:
    for quantity in QUANTITIES_SIDE_BY_SIDE:
        medians_ns = _medians_ns(asked, runs, quantity)
        quickest = quickest_of(medians_ns)
        if quickest is None:
            continue
        for target, one in enumerate(medians_ns):
            found = versus(one, medians_ns[quickest], is_exact=asked.kind == "simulated")
            if found is not None:
                yield VersusRecord(
                    target=target,
                    quantity=quantity,
                    quickest=quickest,
                    rounds=found.rounds,
                    ratio=found.ratio,
                    low=found.low,
                    high=found.high,
                )


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
    return [times_of_run(run, quantity) for run in _runs_of(asked, runs, target, scenario)]


def _runs_of(asked: Profile, runs: Mapping[str, Run], target: int, scenario: int) -> list[Run]:
    units = sorted(
        (one for one in asked.units if (one.target, one.scenario) == (target, scenario)),
        key=lambda one: one.process,
    )
    return [runs[one.run] for one in units if one.run in runs]


def times_of_run(run: Run, quantity: Quantity) -> IntArray:
    """Take the times of the finished jobs of one process, in order.

    Raises:
        RecordError: The run is damaged.
    """
    jobs = in_order(finished(run.stream("jobs")))
    if quantity == "response":
        return present(response_time_ns(jobs))
    if quantity == "start_to_finish":
        return present(start_to_finish_ns(jobs))
    column = execution_ns(jobs, snapshot_exec_ns(run.manifest))
    return np.array([], np.int64) if column is None else present(column)


def _records(
    asked: Profile, runs: Mapping[str, Run], target: int, quantity: Quantity
) -> Iterator[TimesRecord]:
    is_simulated = asked.kind == "simulated"
    processes = [
        processes_of(asked, runs, target, scenario, quantity)
        for scenario in range(len(asked.scenarios))
    ]
    found = [times_of(one, is_exact=is_simulated) for one in processes]
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
                rt_bench=None if is_simulated else _procedure(processes[scenario]),
                pwcet=_pwcet(processes[scenario])
                if quantity == "execution" and not is_simulated
                else None,
            )


def _procedure(processes: Sequence[IntArray]) -> ProcedureRecord | None:
    found = rt_bench_procedure(processes)
    if found is None:
        return None
    return ProcedureRecord(
        limit_ns=found.limit_ns,
        batches=found.n_batches,
        longer=found.n_longer,
        later_jobs=found.n_later,
    )


def _pwcet(processes: Sequence[IntArray]) -> PwcetRecord | None:
    from laxity.statistics.pwcet import (  # noqa: PLC0415 - slow, and what is simulated has none
        FEWEST_SAMPLES,
        bound_pwcet,
        rarest_of,
    )

    jobs = np.concatenate(processes)
    if jobs.size < FEWEST_SAMPLES:
        return None
    found = bound_pwcet(jobs, rarest_of(jobs.size))
    if isinstance(found, Pwcet):
        return PwcetRecord(exceedance=found.exceedance, bound_ns=found.bound_ns, reason=None)
    return PwcetRecord(exceedance=found.exceedance, bound_ns=None, reason=found.reason)


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
    return Process(times_of_run(run, "response"), _n_aborted(run))


def _ratio_records(
    asked: Profile, runs: Mapping[str, Run], target: int, scenario: int
) -> Iterator[RatioRecord]:
    counted = [columns_of(run) for run in _runs_of(asked, runs, target, scenario)]
    for ratio in RATIOS:
        found = ratio_of(counted, ratio)
        if found is None:
            continue
        has_interval = asked.kind == "measured"
        yield RatioRecord(
            target=target,
            scenario=scenario,
            over=list(ratio.over),
            under=ratio.under,
            over_total=found.over,
            under_total=found.under,
            value=found.value,
            low=found.low if has_interval else None,
            high=found.high if has_interval else None,
            processes=found.n_processes,
            jobs=found.n_jobs,
            scale_ratio=found.worst_ratio,
        )


def _course_records(asked: Profile, runs: Mapping[str, Run], target: int) -> Iterator[CourseRecord]:
    n_parts = parts_of(_runs_of(asked, runs, target, _alone(asked)))
    for scenario in range(len(asked.scenarios)):
        ran = _runs_of(asked, runs, target, scenario) if n_parts else []
        courses = [one for run in ran for one in courses_of(run, n_parts)]
        if courses:
            mean = mean_course(courses)
            yield CourseRecord(
                target=target,
                scenario=scenario,
                jobs=len(courses),
                times_ns=[round(one) for one in mean.times_ns.tolist()],
                counts={
                    name: [round(one, 3) for one in counts.tolist()]
                    for name, counts in mean.counts.items()
                },
            )


def _named_records(
    asked: Profile, runs: Mapping[str, Run], target: int, scenario: int
) -> Iterator[NamedPhaseRecord]:
    by_phase: dict[int, list[NamedPhase]] = {}
    for run in _runs_of(asked, runs, target, scenario):
        for one in named_phases_of(run):
            by_phase.setdefault(one.phase, []).append(one)
    for phase, found in sorted(by_phase.items(), key=lambda one: _first_ns(one[1])):
        spans = [one.spans_ns for one in found if len(one.spans_ns) == 1]
        ends_ns = np.mean(spans, axis=0)[0] if len(spans) == len(found) else None
        names = [name for name in found[0].counts if all(name in one.counts for one in found)]
        yield NamedPhaseRecord(
            target=target,
            scenario=scenario,
            phase=phase,
            jobs=len(found),
            time_ns=round(_mean(one.time_ns for one in found)),
            from_ns=None if ends_ns is None else round(float(ends_ns[0])),
            to_ns=None if ends_ns is None else round(float(ends_ns[1])),
            counts={name: round(_mean(one.counts[name] for one in found), 3) for name in names},
            ranges={
                name: (
                    round(_mean(one.ranges[name][0] for one in found), 3),
                    round(_mean(one.ranges[name][1] for one in found), 3),
                )
                for name in names
            },
        )


def _first_ns(found: Sequence[NamedPhase]) -> float:
    """Tell when a phase begins first in a job: programs have theirs in that order."""
    return _mean(one.spans_ns[0, 0] for one in found)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _phases(course: CourseRecord) -> PhasesRecord | None:
    from laxity.statistics.phases import phases_of  # noqa: PLC0415 - slow, and few need it

    events = drawn_event(course.counts)
    if not events:
        return None
    counts = np.sum([course.counts[name] for name in events], axis=0)
    ends = phases_of(counts / np.maximum(course.times_ns, 1))
    return PhasesRecord(target=course.target, events=list(events), ends=ends)


def _n_aborted(run: Run) -> int:
    return sum(one.counts.aborted for one in run.manifest.tasks)


def _median_ns(times: Times) -> int | None:
    return times.quantiles[MEDIAN].value_ns if MEDIAN in times.quantiles else None


def _ratio(times: Times, alone: Times | None, of: Callable[[Times], int | None]) -> float | None:
    if alone is None or alone is times:
        return None
    over, under = of(times), of(alone)
    return over / under if over is not None and under else None
