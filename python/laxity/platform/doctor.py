# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Judge whether a machine is fit for real-time measurements, from its facts; change nothing.

The rule of the verdict:

* unfit            a *blocking* check is bad: real-time tasks cannot run as asked;
* usable with care another check that bears on figures (blocking or distorting) is bad, warn or
                   unknown;
* ready            neither. What is absent, or only limits what can be measured, does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from laxity.core.cpus import format_cpus
from laxity.errors import ConfigError
from laxity.platform.doctor_checks import CHECKS
from laxity.platform.doctor_checks.base import Check, Context, name_cpus
from laxity.platform.doctor_checks.observation import may_trace
from laxity.platform.doctor_checks.processor import throttle_counts
from laxity.platform.doctor_checks.scheduling import allowed_cpus, highest_fifo_priority
from laxity.platform.facts import Facts, integer
from laxity.platform.machine import (
    Machine,
    cpu_ticks,
    describe_machine,
    frequencies_hz,
    steal_ratio,
    temperatures_millicelsius,
)

__all__ = [
    "Capability",
    "Check",
    "Context",
    "Counters",
    "Diagnosis",
    "Examination",
    "capabilities",
    "default_cpus",
    "diagnose",
    "drift",
    "examine_facts",
    "fifo_permitted",
    "judge",
    "read_counters",
    "run_checks",
]

SCHEMA = 1
Badge = Literal["ready", "usable with care", "unfit"]
Availability = Literal["yes", "limited", "no", "unknown"]

# Changes during a run that leave their mark on figures.
DRIFT_FREQUENCY_RATIO = 0.05
DRIFT_TEMPERATURE_MILLICELSIUS = 10_000
DRIFT_PRESSURE_RATIO = 0.10
DRIFT_STEAL_RATIO = 0.001
# Checks whose figures move all the time; `drift` compares the counters behind them instead.
_VOLATILE = {"other-jobs", "load-average", "steal", "temperature", "throttling"}

_STATE_OF_AVAILABILITY: dict[str, Availability] = {
    "ok": "yes",
    "warn": "limited",
    "bad": "no",
    "absent": "no",
    "unknown": "unknown",
}


class Capability(msgspec.Struct, frozen=True):
    """One thing that can, or cannot, be measured here."""

    name: str
    available: Availability
    detail: str


class Counters(msgspec.Struct, frozen=True):
    """Figures that only mean something compared with a later reading; see `drift`."""

    time_ns: int | None
    cpu_ticks: list[int]
    pressure_us: int | None
    frequencies_hz: dict[str, int]
    temperatures_millicelsius: dict[str, int]
    throttle_counts: dict[str, int]


class Diagnosis(msgspec.Struct, frozen=True):
    """What `laxity doctor` found: printed by the command, stored with each run."""

    schema: int
    badge: Badge
    reason: str
    cpus: tuple[int, ...]
    checks: tuple[Check, ...]
    capabilities: tuple[Capability, ...]
    counters: Counters


def diagnose(facts: Facts, cpus: Sequence[int] | None = None) -> Diagnosis:
    """Examine a machine.

    Args:
        facts: The snapshot.
        cpus: CPUs that tasks will run on; None chooses `default_cpus`.

    Raises:
        ConfigError: The machine has no such CPU.
    """
    context = Context(tuple(sorted(set(cpus))) if cpus else default_cpus(facts))
    _require_existing(facts, context.cpus)
    checks = run_checks(facts, context)
    badge, reason = judge(checks)
    return Diagnosis(
        schema=SCHEMA,
        badge=badge,
        reason=reason,
        cpus=context.cpus,
        checks=tuple(checks),
        capabilities=tuple(capabilities(facts, checks)),
        counters=read_counters(facts),
    )


@dataclass(frozen=True, slots=True)
class Examination:
    """A machine and the state it is in, of one snapshot."""

    machine: Machine
    diagnosis: Diagnosis


def examine_facts(facts: Facts, cpus: Sequence[int]) -> Examination:
    """Describe a machine and judge it.

    Raises:
        ConfigError: The machine has no such CPU.
    """
    return Examination(describe_machine(facts), diagnose(facts, cpus))


def read_counters(facts: Facts) -> Counters:
    """Take the figures that `drift` compares."""
    return Counters(
        time_ns=facts.integer("@time_ns"),
        cpu_ticks=cpu_ticks(facts),
        pressure_us=_pressure_us(facts),
        frequencies_hz=frequencies_hz(facts),
        temperatures_millicelsius=temperatures_millicelsius(facts),
        throttle_counts=throttle_counts(facts),
    )


def default_cpus(facts: Facts) -> tuple[int, ...]:
    """Choose the CPUs to judge: the isolated ones that we may use, else all that we may use."""
    allowed = facts.cpus("@affinity") or allowed_cpus(facts)[0]
    allowed = allowed or facts.cpus("/sys/devices/system/cpu/online") or ()
    isolated = facts.cpus("/sys/devices/system/cpu/isolated") or ()
    return tuple(cpu for cpu in isolated if cpu in allowed) or allowed


def run_checks(facts: Facts, context: Context) -> list[Check]:
    """Run every check, in the order of the table."""
    return [entry.run(facts, context) for entry in CHECKS]


def judge(checks: Sequence[Check]) -> tuple[Badge, str]:
    """Sum the checks up by the rule in the module's docstring; give the verdict and its reason."""
    bearing = [check for check in checks if check.severity != "limiting"]
    blocking = [
        check.title for check in bearing if check.severity == "blocking" and check.state == "bad"
    ]
    if blocking:
        return "unfit", f"real-time tasks cannot run as asked: {', '.join(blocking)}"
    counts = {
        "bad": sum(check.state == "bad" for check in bearing),
        "to be mended": sum(check.state == "warn" for check in bearing),
        "unknown": sum(check.state == "unknown" for check in bearing),
    }
    found = [f"{count} {word}" for word, count in counts.items() if count]
    if found:
        return "usable with care", f"{len(bearing)} checks bear on figures: {', '.join(found)}"
    return "ready", f"{len(bearing)} checks bear on figures: none found anything"


def fifo_permitted(facts: Facts) -> tuple[bool, str]:
    """Tell before a run whether SCHED_FIFO is permitted, and why.

    Facts that do not say count as permitted: the run tries, and reports what the kernel answers.
    """
    highest, reason = highest_fifo_priority(facts)
    return highest != 0, reason


def capabilities(facts: Facts, checks: Sequence[Check]) -> list[Capability]:
    """List what this machine can measure."""
    by_id = {check.id: check for check in checks}
    named = (
        ("times in nanoseconds", "clock-resolution"),
        ("real-time tasks (SCHED_FIFO)", "fifo-permission"),
        ("locked memory", "memory-lock"),
        ("release latency without deep idle states", "idle-control"),
        ("ticks of a constant-rate counter", "tsc"),
        ("hardware counters (PMU)", "pmu"),
        ("cost of remote memory (NUMA)", "numa-nodes"),
        ("scheduler trace by BPF", "bpf-tracing"),
        ("scheduler trace by kernel tracers", "tracefs"),
        ("cache partitioning", "cache-partitioning"),
    )
    found = [_capability(name, by_id[key]) for name, key in named if key in by_id]
    found.insert(-2, _switch_records(facts))
    return found


def _capability(name: str, check: Check) -> Capability:
    available = _STATE_OF_AVAILABILITY[check.state]
    # A counter that is not the TSC is found by trying, in the run.
    if check.id == "tsc" and check.state == "absent":
        available = "unknown"
    return Capability(name, available, check.value)


def _switch_records(facts: Facts) -> Capability:
    """Judge PERF_RECORD_SWITCH: needs perf events, no PMU, and the right to watch whole CPUs."""
    name = "scheduler trace by perf switch records"
    paranoid = facts.integer("/proc/sys/kernel/perf_event_paranoid")
    if paranoid is None:
        return Capability(name, "no", "kernel without perf events")
    if paranoid <= 0 or may_trace(facts):
        return Capability(name, "yes", "needs no PMU")
    if may_trace(facts) is None:
        return Capability(name, "unknown", f"perf_event_paranoid {paranoid}")
    return Capability(name, "limited", f"perf_event_paranoid {paranoid}: own threads only")


def drift(before: Diagnosis, after: Diagnosis) -> list[str]:
    """Tell what changed on the machine during a run, one sentence each; empty if nothing did.

    Args:
        before: Diagnosis from before the run, of the CPUs it measured.
        after: Diagnosis of the same machine and CPUs from after it.
    """
    found = _changed_checks(before.checks, after.checks)
    probes = (_frequency_drift, _temperature_drift, _throttle_drift, _pressure_drift, _steal_drift)
    for probe in probes:
        found.extend(probe(before, after))
    return found


def _changed_checks(before: Sequence[Check], after: Sequence[Check]) -> list[str]:
    late = {check.id: check for check in after if check.id not in _VOLATILE}
    return [
        f"{check.title}: {check.value} before, {late[check.id].value} after"
        for check in before
        if check.id in late
        and (check.state, check.value) != (late[check.id].state, late[check.id].value)
    ]


def _frequency_drift(before: Diagnosis, after: Diagnosis) -> list[str]:
    early, late = before.counters.frequencies_hz, after.counters.frequencies_hz
    found: list[str] = []
    for cpu in before.cpus:
        first, second = early.get(f"cpu{cpu}", 0), late.get(f"cpu{cpu}", 0)
        if first and second and abs(second - first) > DRIFT_FREQUENCY_RATIO * first:
            megahertz = f"{first // 1_000_000} MHz before, {second // 1_000_000} MHz after"
            found.append(f"frequency of CPU {cpu}: {megahertz}")
    return found


def _temperature_drift(before: Diagnosis, after: Diagnosis) -> list[str]:
    early = before.counters.temperatures_millicelsius
    late = after.counters.temperatures_millicelsius
    return [
        f"temperature of {zone}: {early[zone] // 1000} degrees C before, {late[zone] // 1000} after"
        for zone in sorted(early.keys() & late.keys())
        if abs(late[zone] - early[zone]) >= DRIFT_TEMPERATURE_MILLICELSIUS
    ]


def _throttle_drift(before: Diagnosis, after: Diagnosis) -> list[str]:
    early, late = before.counters.throttle_counts, after.counters.throttle_counts
    rises = {name: late[name] - early[name] for name in sorted(early.keys() & late.keys())}
    return [
        f"{name} slowed down for its temperature {n} times" for name, n in rises.items() if n > 0
    ]


def _pressure_us(facts: Facts) -> int | None:
    for line in (facts.text("/proc/pressure/cpu") or "").splitlines():
        if line.startswith("some "):
            return integer(line.rpartition(" total=")[2])
    return None


def _pressure_drift(before: Diagnosis, after: Diagnosis) -> list[str]:
    """Compare total stall times; an average over the last seconds would blame the run's end."""
    early, late = before.counters, after.counters
    if early.pressure_us is None or late.pressure_us is None:
        return []
    elapsed_ns = (late.time_ns or 0) - (early.time_ns or 0)
    if elapsed_ns <= 0:
        return []
    ratio = (late.pressure_us - early.pressure_us) * 1000 / elapsed_ns
    if ratio < DRIFT_PRESSURE_RATIO:
        return []
    percent = min(ratio, 1) * 100
    return [
        f"other work: some task waited for a CPU during {percent:.0f} % of the run (its own"
        f" tasks and co-runners count)"
    ]


def _steal_drift(before: Diagnosis, after: Diagnosis) -> list[str]:
    ratio = steal_ratio(after.counters.cpu_ticks, before.counters.cpu_ticks)
    if ratio is None or ratio < DRIFT_STEAL_RATIO:
        return []
    return [f"the hypervisor took {ratio * 100:.2f} % of the CPUs' time during the run"]


def _require_existing(facts: Facts, cpus: tuple[int, ...]) -> None:
    possible = facts.cpus("/sys/devices/system/cpu/possible")
    unknown = tuple(cpu for cpu in cpus if possible and cpu not in possible)
    if unknown and possible:
        msg = (
            f"{format_cpus(cpus)}: no {name_cpus(unknown)} on this machine;"
            f" choose among {format_cpus(possible)}"
        )
        raise ConfigError(msg)
