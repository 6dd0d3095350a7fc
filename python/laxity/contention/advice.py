# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which best-effort work may run with a task, and for how much of its time."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Literal

import msgspec
import numpy as np

from laxity.contention.document import LOAD_COLUMNS, N_STARTS
from laxity.contention.experiments import Program, for_each, progress
from laxity.contention.plan import Terms, plan_of
from laxity.contention.replay import replay, starts
from laxity.contention.run import loads_of, measured_load, program_of, solo_progress
from laxity.contention.table import MARGIN_PPM, ContentionTable, Load, MeasuredLoad, pack
from laxity.contention.windows import Progress
from laxity.core.cpus import format_cpus
from laxity.core.percent import format_percent, percent, show_percent
from laxity.core.progress import Countdown
from laxity.core.units import format_duration_ns
from laxity.page.columns import Column, table_text
from laxity.platform.platform_file import with_partition

# Reads of 10 lines, and turns of the wait loop: reads, both, writes, and mostly computation.
_READS, _DELAYS = (10, 5, 0), (0, 1000)
_MILLION = 1_000_000
# Blin et al., section 4: a quarter of the last level for the real-time core.
_PARTS = 4
# As `laxity bound` says it.
SCHEDULABLE = "schedulable"
# Less than what one permission may cost: a regulated run is refused.
TOO_SMALL = "theta_too_small"


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """A theta, and whether all deadlines are kept with it (`laxity bound`).

    `verdict`: that of the bound, or theta_too_small: it does not last for one permission.
    `response_ns`: bound of the regulated task; null: there is none. `not_accounted`: what the bound
    leaves out.
    """

    theta_ppm: int
    verdict: str
    response_ns: int | None
    deadline_ns: int
    not_accounted: list[str] = []


class LoadAdvice(msgspec.Struct, frozen=True, kw_only=True):
    """Best-effort work in parallel with a job.

    `is_free`: unregulated, it takes at most the chosen theta, with a margin of 5 %.
    `parallelism_ppm`: by theta, the smallest part of a job in which it may run, over 20 starts;
    null: theta is smaller than what one permission may cost.
    `unmarked_ppm`: the same for the chosen theta with a table of one phase.
    """

    load: MeasuredLoad
    is_free: bool
    parallelism_ppm: list[int | None]
    unmarked_ppm: int | None


class OtherPartition(msgspec.Struct, frozen=True, kw_only=True):
    """The costliest load on the platform with another partition of its last cache level.

    `ways`: of each CPU; none: without the partition that the platform has. `cpu`: of the job.
    `solo_ns`: a cold job alone there. `overhead_ppm`: of that.
    """

    ways: list[str]
    cpu: int
    load: Load
    solo_ns: int
    overhead_ppm: int


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `laxity contention advise`.

    `chosen`: index of the largest theta with which all deadlines are kept; null: none.
    `least_theta_ppm`: the smallest theta that lasts for one permission.
    `untabled`: other tasks without a contention table: their wcet must hold with all loads.
    `n`: starts that are replayed for each parallelism; simulated jobs are one each.
    `partition`: null: the platform has no level below the first.
    """

    schema: Literal[1]
    kind: Literal["simulated"]
    task: str
    solo_ns: int
    limits: list[Limit]
    chosen: int | None
    least_theta_ppm: int
    untabled: list[str]
    n: int
    loads: list[LoadAdvice]
    partition: OtherPartition | None = None


def give_advice(
    table: ContentionTable,
    terms: Terms,
    task: str,
    limits: Sequence[Limit],
    untabled: Sequence[str],
    display: Countdown,
) -> Advice:
    """Try kinds of best-effort work with a job: unregulated, and with policy `sound`.

    A job is simulated alone and with each load; regulated jobs are replayed from that.

    Args:
        table: Of the task.
        terms: Of the regulator; their theta is not used.
        task: Its name.
        limits: What `laxity bound` says of each theta.
        untabled: Names of other tasks without a table.
        display: Shows how many loads are done.

    Raises:
        ConfigError: As `program_of` and `solo_progress`.
        LaxityError: As the simulation.
    """
    program = program_of(table)
    solo_ns, solo = solo_progress(table, program)
    chosen = _largest_schedulable(limits)
    plans = [
        None if limit.verdict == TOO_SMALL else plan_of(table, terms.with_theta(limit.theta_ppm))
        for limit in limits
    ]
    unmarked = None
    if chosen is not None:
        unmarked = plan_of(_one_phase(table), terms.with_theta(limits[chosen].theta_ppm))

    def advise(load: Load) -> LoadAdvice:
        took_ns, course = progress(program, load)
        measured = measured_load(load, solo_ns, took_ns, course)
        with_margin_ppm = measured.overhead_ppm * (_MILLION + MARGIN_PPM) // _MILLION
        return LoadAdvice(
            load=measured,
            is_free=chosen is not None and with_margin_ppm <= limits[chosen].theta_ppm,
            parallelism_ppm=[
                _least_share(plan, solo, course, terms.regulate.period_ns) for plan in plans
            ],
            unmarked_ppm=_least_share(unmarked, solo, course, terms.regulate.period_ns),
        )

    cpus = max((load.cpus for load in table.loads), key=len)
    loads = for_each(loads_of(cpus, _READS, _DELAYS), advise, display)
    worst = max((tried.load for tried in loads), key=lambda load: load.overhead_ppm)
    return Advice(
        schema=1,
        kind="simulated",
        task=task,
        solo_ns=solo_ns,
        limits=list(limits),
        chosen=chosen,
        least_theta_ppm=terms.least_theta_ppm(table),
        untabled=list(untabled),
        n=N_STARTS,
        loads=loads,
        partition=_other_partition(program, worst),
    )


def _other_partition(program: Program, load: MeasuredLoad) -> OtherPartition | None:
    """Try a load without the partition of the platform, or with one where there is none."""
    model = program.model
    if not model.levels or model.number(f"{model.levels[-1]}.ways") < _PARTS:
        return None
    ways = [] if model.values[f"{model.levels[-1]}.partition"].number else _quarter(program)
    other = replace(program, model=with_partition(model, ways))
    same = Load(reads=load.reads, delay=load.delay, cpus=load.cpus, factors=load.factors)
    solo_ns, _ = progress(other, None)
    took_ns, course = progress(other, same)
    measured = measured_load(same, solo_ns, took_ns, course)
    return OtherPartition(
        ways=ways, cpu=program.cpu, load=same, solo_ns=solo_ns, overhead_ppm=measured.overhead_ppm
    )


def _quarter(program: Program) -> list[str]:
    """Give the CPU of the job a quarter of the ways, all others the rest."""
    n_ways = program.model.number(f"{program.model.levels[-1]}.ways")
    own = n_ways // _PARTS
    others = format_cpus(range(own, n_ways))
    return [
        format_cpus(range(own)) if cpu == program.cpu else others
        for cpu in range(program.model.cores)
    ]


def _largest_schedulable(limits: Sequence[Limit]) -> int | None:
    kept = [i for i, limit in enumerate(limits) if limit.verdict == SCHEDULABLE]
    return max(kept, key=lambda i: limits[i].theta_ppm, default=None)


def _least_share(plan: str | None, solo: Progress, course: Progress, period_ns: int) -> int | None:
    if plan is None:
        return None
    return min(
        job.allowed_ns * _MILLION // job.execution_ns
        for job in replay(plan, solo, course, starts(period_ns, N_STARTS))
    )


def _one_phase(table: ContentionTable) -> ContentionTable:
    """Join all phases: what the table would be if the program had no marks."""
    curve = np.max([phase.loss for phase in table.phases], axis=0)
    loss = pack(curve.astype(np.int64)).tolist()
    whole = msgspec.structs.replace(table.phases[0], loss=loss, reserve_ns=[0] * len(loss))
    return msgspec.structs.replace(table, phases=[whole])


def advice_text(advice: Advice) -> str:
    """Write the answer first, then what each theta and each kind of work gives."""
    lines = [_answer(advice)]
    if advice.chosen is not None:
        lines += _gains(advice, advice.chosen)
    if advice.partition is not None:
        lines.append(_partition(advice, advice.partition))
    if advice.chosen is not None:
        lines += [
            f"The bound leaves out {cost}." for cost in advice.limits[advice.chosen].not_accounted
        ]
    columns = [
        *(column.of(lambda one: one.load) for column in LOAD_COLUMNS),
        Column("unregulated", "unregulated", _unregulated, is_text=True),
    ]
    columns += [_share_column(i, limit) for i, limit in enumerate(advice.limits)]
    if advice.untabled:
        names = ", ".join(advice.untabled)
        lines.append(f"{names}: no contention table, so wcet must hold with best-effort work.")
    return (
        "\n".join(lines)
        + f"\n\n{table_text(LIMIT_COLUMNS, advice.limits)}"
        + "\nThe columns theta show the part of a cold job in which the load may run "
        + f"(policy sound, replayed, smallest of {advice.n} starts).\n"
        + f"{_of_unregulated(advice)}\n\n"
        + table_text(columns, advice.loads)
    )


def _answer(advice: Advice) -> str:
    cpus = format_cpus(cpu for load in advice.loads for cpu in load.load.cpus)
    tried = [limit for limit in advice.limits if limit.verdict != TOO_SMALL]
    if not tried:
        return (
            f"Best-effort work must stand still during jobs of {advice.task}: one permission may "
            f"cost a job more than each theta that was tried. Try --theta "
            f"{format_percent(advice.least_theta_ppm)} or more, or a shorter period in [regulate]."
        )
    if advice.chosen is None:
        limit = min(tried, key=lambda limit: limit.theta_ppm)
        response = (
            "has no bound"
            if limit.response_ns is None
            else f"is at most {format_duration_ns(limit.response_ns)}"
        )
        return (
            f"Best-effort work must stand still during jobs of {advice.task}: with theta "
            f"{format_percent(limit.theta_ppm)} its response time {response}, its deadline is "
            f"{format_duration_ns(limit.deadline_ns)}, and the task set is {_verdict(limit)}."
        )
    theta = format_percent(advice.limits[advice.chosen].theta_ppm)
    return (
        f"Best-effort work may run on CPUs {cpus} with {advice.task} under policy sound with "
        f"theta {theta}: all deadlines are kept (bound)."
    )


def _gains(advice: Advice, chosen: int) -> list[str]:
    shares = [load.parallelism_ppm[chosen] for load in advice.loads]
    marked = sorted(share for share in shares if share is not None)
    unmarked = [load.unmarked_ppm for load in advice.loads if load.unmarked_ppm is not None]
    gain = int(median(marked)) - int(median(unmarked))
    return [
        f"Best-effort work may run between jobs, and for {percent(marked[0])} to "
        f"{percent(marked[-1])} of a cold job, median {percent(int(median(marked)))}.",
        f"Phase marks of the program add {gain / 10_000:.1f} points to the median.",
    ]


def _partition(advice: Advice, other: OtherPartition) -> str:
    """Say what a partition of the last level gains: of the job alone, and with the worst load."""
    worst_ppm = max(tried.load.overhead_ppm for tried in advice.loads)
    there, here = (
        f"{percent(ppm)} longer than {format_duration_ns(solo_ns)} alone"
        for ppm, solo_ns in ((other.overhead_ppm, other.solo_ns), (worst_ppm, advice.solo_ns))
    )
    how = (
        f"With a partition of the last cache level ({other.ways[other.cpu]} of CPU {other.cpu})"
        if other.ways
        else "Without the partition of the last cache level"
    )
    return f"{how} the costliest load makes a job {there}; here {here}."


def _verdict(limit: Limit) -> str:
    return limit.verdict.replace("_", " ")


def _unregulated(one: LoadAdvice) -> str:
    return "allowed" if one.is_free else "too costly"


def _of_unregulated(advice: Advice) -> str:
    if advice.chosen is None:
        return "No load is allowed unregulated: no theta keeps all deadlines."
    theta = show_percent(advice.limits[advice.chosen].theta_ppm)
    return (
        f"A load is allowed unregulated where it costs at most {theta}, with a margin of "
        f"{show_percent(MARGIN_PPM)} of its overhead (simulated, one cold job)."
    )


def _share_column(index: int, limit: Limit) -> Column:
    theta = format_percent(limit.theta_ppm)
    return Column(
        "parallelism_ppm",
        f"theta {theta}",
        lambda one: one.parallelism_ppm[index],
        "modelled",
        n=N_STARTS,
    )


LIMIT_COLUMNS = (
    Column("theta", "theta", lambda limit: format_percent(limit.theta_ppm)),
    Column("verdict", "task set", _verdict, is_text=True),
    Column("response_ns", "response time", lambda limit: limit.response_ns, "proven"),
    Column("deadline_ns", "deadline", lambda limit: limit.deadline_ns),
)
