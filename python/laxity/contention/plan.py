# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The plan of a regulation, as native/regulator/plan.h defines it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

from msgspec import structs

from laxity.contention.table import RATE_ONE, ContentionTable
from laxity.contention.windows import SHORTEST_NS
from laxity.core.percent import format_percent
from laxity.core.spec import Policy as Scheduling
from laxity.core.spec import RegulateSpec
from laxity.core.task_set import BoundKeys
from laxity.core.units import decimal_duration, exact_duration
from laxity.errors import ConfigError

# The table, in the directory of its run.
KEPT_TABLE = "contention.json"
# Policy "budget": MemGuard's period.
REFILL_NS = 1_000_000
# Of a permission on Linux, where a decision may be late.
LEASE_PERIODS = 3
_MILLION = 1_000_000
_NS_PER_S = 10**9
# native/regulator/table.h: LAXITY_TRAFFIC_MAX
MOST_BYTES_PER_S = 1 << 34
Policy = Literal["sound", "suspend", "paper", "budget"]
# enum laxity_regulation_policy
POLICIES: tuple[Policy, ...] = get_args(Policy)


class Placed(Protocol):
    """A task of a run or of a task set: where it runs, and before whom."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that it may use; none: the file names none, and all tasks share one CPU."""

    @property
    def policy(self) -> Scheduling:
        """Its scheduling policy."""

    @property
    def priority(self) -> int | None:
        """Larger is higher."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a user asks for, and who is regulated where.

    Attributes:
        regulate: Allowed loss, period and latencies.
        core: Of the regulator.
        task: Index of the regulated task.
        solo_ns: Time that no job exceeds alone; None: that of the table, with margin.
        preemption_ns: Reload after one preemption, with the worst load.
        policy: That decides.
        n_loads: CPUs with best-effort work; policies "paper" and "budget" have a table for each.
    """

    regulate: RegulateSpec
    core: int
    task: int = 0
    solo_ns: int | None = None
    preemption_ns: int = 0
    policy: Policy = "sound"
    n_loads: int = 1

    def with_theta(self, theta_ppm: int) -> "Terms":
        """Allow another loss."""
        return replace(self, regulate=structs.replace(self.regulate, theta_ppm=theta_ppm))

    def budget_ns(self, table: ContentionTable) -> int:
        """Return theta C."""
        return (self.solo_ns or table.alone_ns) * self.regulate.theta_ppm // _MILLION

    def lease_ns(self, table: ContentionTable) -> int:
        """Return how long a permission lasts. On Linux a decision may be late by two periods."""
        return self.regulate.period_ns * (LEASE_PERIODS if table.is_native else 1)

    def stop_ns(self, table: ContentionTable) -> int:
        """Return L. A core stops when its instruction has ended, which may wait for a queue."""
        return self.regulate.stop_latency_ns + table.queue_ns

    def reload_ns(self, table: ContentionTable) -> int:
        """Return K. Before a stop that is shorter than a window all time may be lost."""
        latency_ns = self.regulate.stop_latency_ns
        return table.reload_ns + (latency_ns if latency_ns < SHORTEST_NS else 0)

    @property
    def mark_ns(self) -> int:
        """Return M."""
        return self.regulate.mark_latency_ns + 1

    def permission_ns(self, table: ContentionTable) -> int:
        """Return what a permission may cost a job, rounded up."""
        window_ns = self.lease_ns(table) + self.stop_ns(table) + self.mark_ns
        return -(-window_ns * table.worst_within(window_ns) // RATE_ONE) + self.reload_ns(table)

    def least_theta_ppm(self, table: ContentionTable) -> int:
        """Return the smallest theta that lasts for one permission."""
        return -(-self.permission_ns(table) * _MILLION // (self.solo_ns or table.alone_ns))


def check_preemptions(
    table: ContentionTable, task: Placed, others: Sequence[Placed], keys: BoundKeys
) -> None:
    """Require what the promise needs where other tasks share the CPU of the regulated task.

    Raises:
        ConfigError: Its wcet is needed, or its gamma, and neither stated nor measured.
    """
    if others and keys.wcet_ns is None and table.preempted is None:
        msg = (
            f"shares its CPU with {', '.join(other.name for other in others)}: their dirty lines "
            "may make a job longer than the cold job of the profile; "
            'profile with --preempt, or add wcet = "TIME" to the task (docs/regulation.md)'
        )
        raise ConfigError(msg)
    preempting = [other.name for other in others if _may_preempt(other, task)]
    if preempting and gamma_ns_of(table, keys) is None:
        msg = (
            f"may be preempted by {', '.join(preempting)}: the promise needs its reload after one "
            "preemption, co-runners included; profile with --preempt, or add "
            'gamma = "TIME" to the task (docs/regulation.md)'
        )
        raise ConfigError(msg)


def _may_preempt(other: Placed, task: Placed) -> bool:
    if Scheduling.DEADLINE in {other.policy, task.policy}:
        return other.policy is Scheduling.DEADLINE
    return (other.priority or 0) > (task.priority or 0)


def gamma_ns_of(table: ContentionTable, keys: BoundKeys) -> int | None:
    """Return the reload after one preemption: as stated, else as profiled; None: not known."""
    return table.gamma_ns if keys.gamma_ns is None else keys.gamma_ns


def solo_ns_of(table: ContentionTable, keys: BoundKeys, *, is_shared: bool) -> int:
    """Return C: the wcet of the task, or what a job took when it was profiled.

    Args:
        table: Of the task.
        keys: Of the task.
        is_shared: Jobs of other tasks may precede the job on its CPU.

    Raises:
        ConfigError: The wcet is shorter than that.
    """
    profiled_ns = table.alone_ns
    if is_shared or table.is_level_shared:
        profiled_ns = table.shared_ns or table.alone_ns
    if keys.wcet_ns is None:
        return profiled_ns
    if keys.wcet_ns < table.longest_ns:
        msg = (
            f"wcet {exact_duration(keys.wcet_ns)}: a job alone took "
            f"{exact_duration(table.longest_ns)} when it was profiled; write at least that"
        )
        raise ConfigError(msg)
    return keys.wcet_ns


def best_effort_bytes_per_s(table: ContentionTable, terms: Terms) -> int:
    """Choose the traffic of best-effort work that costs no more than theta on average.

    A load whose traffic is limited runs for a part of the time, and costs the same part of what it
    costs without a limit. The profiled load that costs most for its traffic decides; less traffic
    than a step of the table counts as a step.

    Raises:
        ConfigError: The table has no traffic.
    """
    loads = [load for load in table.loads if len(load.cpus) == terms.n_loads]
    dearest = 0.0
    for load in loads:
        lasts = 1 + load.overhead_ppm / _MILLION
        if load.traffic_bytes_per_s is None or table.solo_traffic_bytes_per_s is None:
            msg = "policy budget: the table has no traffic, as its machine has no sensor"
            raise ConfigError(msg)
        own = load.traffic_bytes_per_s - table.solo_traffic_bytes_per_s / lasts
        dearest = max(dearest, (1 - 1 / lasts) / max(own, table.step_bytes_per_s))
    allowed = terms.regulate.theta_ppm / (_MILLION + terms.regulate.theta_ppm)
    return int(min(allowed / dearest, MOST_BYTES_PER_S)) if dearest > 0 else MOST_BYTES_PER_S


def check_terms(table: ContentionTable, terms: Terms) -> None:
    """Refuse a promise that cannot be kept.

    Raises:
        ConfigError: The loss that is allowed does not last for one permission, or loads may run for
            less than a window between a resume and a reading.
    """
    regulate = terms.regulate
    least_ns = SHORTEST_NS + regulate.resume_latency_ns
    if regulate.period_ns < least_ns:
        # A mean of losses at several loads is smaller than the loss at their mean: the curve that
        # bounds a window does not bound its parts.
        msg = (
            f'period "{exact_duration(regulate.period_ns)}": the shortest window of the profile '
            f"is {exact_duration(SHORTEST_NS)}, a resume takes "
            f"{exact_duration(regulate.resume_latency_ns)}; write at least "
            f"{exact_duration(least_ns)}"
        )
        raise ConfigError(msg)
    if regulate.theta_ppm < terms.least_theta_ppm(table):
        knob = "a shorter period or latency"
        if table.is_level_shared:
            knob = "partition the last cache level, whose lines a job reloads after a stop"
        msg = (
            f"theta {format_percent(regulate.theta_ppm)} allows a loss of "
            f"{decimal_duration(terms.budget_ns(table), is_shown=True)}, one permission may cost a "
            f"job {decimal_duration(terms.permission_ns(table), is_shown=True)}, "
            f"{decimal_duration(table.reload_ns, is_shown=True)} of that after its stop; use at "
            f"least {format_percent(terms.least_theta_ppm(table))}, or {knob}"
        )
        raise ConfigError(msg)


def plan_of(table: ContentionTable, terms: Terms, *, is_checked: bool = True) -> str:
    """Write the plan of a regulation.

    Args:
        table: Of the regulated task.
        terms: Of the regulator.
        is_checked: False: no promise is asked for.

    Raises:
        ConfigError: As `check_terms`.
    """
    if terms.policy == "sound" and is_checked:
        check_terms(table, terms)
    solo_ns = terms.solo_ns or table.alone_ns
    refill_bytes = 0
    if terms.policy == "budget":
        refill_bytes = best_effort_bytes_per_s(table, terms) * REFILL_NS // _NS_PER_S
    rates = [phase.loss for phase in table.phases]
    if terms.policy == "paper":
        rates = [phase.overheads[terms.n_loads - 1] for phase in table.phases]
    numbers = {
        "task": terms.task,
        "core": terms.core,
        "period_ns": terms.regulate.period_ns,
        "stop_latency_ns": terms.regulate.stop_latency_ns,
        "resume_latency_ns": terms.regulate.resume_latency_ns,
        "mark_latency_ns": terms.regulate.mark_latency_ns,
        "policy": POLICIES.index(terms.policy),
        "has_sensor": 0 if table.is_native else 1,
        "budget_ns": terms.budget_ns(table),
        "reload_ns": terms.reload_ns(table),
        "preemption_ns": terms.preemption_ns,
        "lease_ns": terms.lease_ns(table),
        "stop_ns": terms.stop_ns(table),
        "mark_ns": terms.mark_ns,
        "refill_bytes": refill_bytes,
        "refill_ns": REFILL_NS,
        "phases": len(table.phases),
        "steps": len(rates[0]),
        "step_bytes_per_s": table.step_bytes_per_s,
    }
    lines = [f"{name} {value}" for name, value in numbers.items()]
    lines += [f"passages {last.mark} {last.passage}" for last in table.last_passages]
    for i, phase in enumerate(table.phases):
        if phase.checkpoint is not None:
            lines.append(f"mark {i} {phase.checkpoint.mark} {phase.checkpoint.passage}")
        reserve_ns = [0] * len(rates[i]) if terms.policy == "paper" else phase.reserve_ns
        lines += [_line(f"loss {i}", rates[i]), _line(f"reserve {i}", reserve_ns)]
    # A job may take longer than those of the profile in any of its phases.
    more_ns = solo_ns - table.longest_ns
    # From a checkpoint on a job takes as long as alone, what it reloads that loads have evicted,
    # and what the last stop before has left in the queues (docs/regulation.md, 7).
    from_ns = [
        (table.longest_ns - phase.begins_ns if phase.rest_ns is None else phase.rest_ns)
        + more_ns
        + phase.cold_ns
        + table.queue_ns
        for phase in table.phases[1:]
    ]
    until_ns = [
        (phase.begins_ns if phase.latest_ns is None else phase.latest_ns) + more_ns
        for phase in table.phases[1:]
    ]
    lines.append(_line("solo_from_ns", [solo_ns, *from_ns, 0]))
    lines.append(_line("solo_until_ns", [0, *until_ns, solo_ns]))
    soonest_ns = [phase.soonest_ns for phase in table.phases]
    lines.append(_line("soonest_ns", [*soonest_ns, soonest_ns[-1]]))
    return "".join(f"{line}\n" for line in lines)


def _line(name: str, values: Sequence[int]) -> str:
    return f"{name} {' '.join(map(str, values))}"
