# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The plan of a regulation, as native/regulator/plan.h defines it."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.contention.table import ContentionTable
from laxity.errors import ConfigError

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """What a user asks for, and the latencies of the regulator.

    Attributes:
        theta_ppm: Loss that is allowed, of the solo time.
        period_ns: Between two readings; a permission lasts as long.
        stop_ns: Until a core of best-effort work is asked to stop.
        resume_ns: Until it may go on.
        mark_ns: Until a mark of the job is read.
        core: Of the regulator.
    """

    theta_ppm: int
    period_ns: int
    stop_ns: int
    resume_ns: int
    mark_ns: int
    core: int


def plan_of(table: ContentionTable, terms: Terms) -> str:
    """Write the plan of a regulation of task 0.

    Raises:
        ConfigError: The loss that is allowed does not last for one permission.
    """
    budget_ns = table.solo_ns * terms.theta_ppm // _MILLION
    # A core stops when its instruction has ended, which may wait for what is queued.
    stop_ns = terms.stop_ns + table.reload_ns
    mark_ns = terms.mark_ns + 1
    worst = max(phase.loss[-1] for phase in table.phases)
    exposed_ns = (terms.period_ns + stop_ns + mark_ns) * worst
    needed_ns = -(-exposed_ns // (1 << 20)) + table.reload_ns
    if budget_ns < needed_ns:
        needed_ppm = -(-needed_ns * _MILLION // table.solo_ns)
        msg = (
            f"--theta: a permission may cost a job {needed_ns} ns, {budget_ns} ns are allowed; "
            f"use at least {needed_ppm / 10_000:.2f}%, or a shorter --period"
        )
        raise ConfigError(msg)
    numbers = {
        "task": 0,
        "core": terms.core,
        "period_ns": terms.period_ns,
        "stop_latency_ns": terms.stop_ns,
        "resume_latency_ns": terms.resume_ns,
        "mark_latency_ns": terms.mark_ns,
        "policy": 0,
        "has_sensor": 1,
        "budget_ns": budget_ns,
        "reload_ns": table.reload_ns,
        "preemption_ns": 0,
        "lease_ns": terms.period_ns,
        "stop_ns": stop_ns,
        "mark_ns": mark_ns,
        "refill_bytes": 0,
        "refill_ns": 1_000_000,
        "phases": len(table.phases),
        "steps": len(table.phases[0].loss),
        "step_bytes_per_s": table.step_bytes_per_s,
    }
    lines = [f"{name} {value}" for name, value in numbers.items()]
    lines += [f"passages {last.mark} {last.passage}" for last in table.last_passages]
    for i, phase in enumerate(table.phases):
        if phase.checkpoint is not None:
            lines.append(f"mark {i} {phase.checkpoint.mark} {phase.checkpoint.passage}")
        lines += [_line(f"loss {i}", phase.loss), _line(f"reserve {i}", phase.reserve_ns)]
    begins_ns = [phase.begins_ns for phase in table.phases[1:]]
    # Loads evict nothing of the job: from a checkpoint on it takes as long as alone, and what the
    # last stop before has left in the queues (docs/regulation.md, 7).
    from_ns = [table.solo_ns - at_ns + table.reload_ns for at_ns in begins_ns]
    lines.append(_line("solo_from_ns", [table.solo_ns, *from_ns, 0]))
    lines.append(_line("solo_until_ns", [0, *begins_ns, table.solo_ns]))
    return "".join(f"{line}\n" for line in lines)


def _line(name: str, values: Sequence[int]) -> str:
    return f"{name} {' '.join(map(str, values))}"
