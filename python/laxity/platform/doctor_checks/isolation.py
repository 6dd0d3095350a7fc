# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Checks: does anything else run on the measured CPUs?"""

from __future__ import annotations

import re

from laxity.core.cpus import format_cpus
from laxity.platform.doctor_checks.base import (
    Context,
    Finding,
    State,
    check,
    cpus_to_isolate,
    missing,
    name_cpus,
    online_cpus,
    other_cpus,
    shorten,
)
from laxity.platform.facts import Facts, cgroup_files, cpu_list, cpu_mask
from laxity.platform.machine import boot_parameters, config_option, hardware_pmus

_CPU = "/sys/devices/system/cpu"
_WORKQUEUE = "/sys/devices/virtual/workqueue/cpumask"
_TIMER_MIGRATION = "/proc/sys/kernel/timer_migration"
_NMI_WATCHDOG = "/proc/sys/kernel/nmi_watchdog"
_STAT_INTERVAL = "/proc/sys/vm/stat_interval"
_PRESSURE = "/proc/pressure/cpu"
# A value longer than this list does not help a reader.
_NAMED_INTERRUPTS = 4
# Share of the last 10 s in which some runnable task waited for a CPU.
PRESSURE_WARN_PERCENT = 5.0
PRESSURE_BAD_PERCENT = 25.0
# Half of the CPUs busy: the rest of the machine is not at rest.
LOAD_WARN_RATIO = 0.5
# Set by the usual real-time tuning profiles; the default of 1 s wakes a kernel worker on every CPU.
STAT_INTERVAL_COMFORTABLE_S = 10
_REBOOT_UNDO = "remove the parameter and reboot"


def _uncovered(cpus: tuple[int, ...] | None, context: Context) -> tuple[int, ...]:
    return tuple(cpu for cpu in context.cpus if cpu not in (cpus or ()))


def _isolated(facts: Facts) -> tuple[int, ...] | None:
    """List the CPUs without load balancing: by boot parameter, or by our cpuset's partition."""
    isolated = facts.cpus(f"{_CPU}/isolated")
    for path in cgroup_files(facts):
        if path.endswith("/cpuset.cpus.partition") and facts.text(path) == "isolated":
            inside = facts.cpus(path.removesuffix("partition") + "effective") or ()
            return tuple(sorted({*(isolated or ()), *inside}))
    return isolated


@check(
    "cpu-isolation",
    "CPU isolation",
    severity="distorting",
    source=f"{_CPU}/isolated, cpuset.cpus.partition",
    why="on other CPUs the scheduler also places everybody's threads, which cost cache,"
    " interrupts and"
    " switches even below a FIFO task",
)
def check_cpu_isolation(facts: Facts, context: Context) -> Finding:
    """isolcpus= at boot, or an isolated cpuset partition (cgroup v2)."""
    isolated = _isolated(facts)
    if isolated is None:
        return missing(facts, f"{_CPU}/isolated", "this kernel cannot isolate CPUs")
    if len(online_cpus(facts)) == 1:
        return Finding("absent", "only one CPU: nothing can be kept away from it")
    shared = _uncovered(isolated, context)
    if not shared:
        return Finding("ok", f"{context.names()} isolated")
    wanted = cpus_to_isolate(facts, context)
    fix = (
        f"boot with isolcpus=managed_irq,domain,{format_cpus(wanted)} and measure on"
        f" {name_cpus(wanted)}"
    )
    return Finding("warn", f"{name_cpus(shared)} not isolated", fix, _REBOOT_UNDO)


@check(
    "full-dynticks",
    "scheduler tick (nohz_full)",
    severity="distorting",
    source=f"{_CPU}/nohz_full",
    why="the scheduler's tick interrupts every busy CPU; each tick costs microseconds, plus what"
    " it evicts",
)
def check_full_dynticks(facts: Facts, context: Context) -> Finding:
    """Without nohz_full a computing task is interrupted HZ times per second."""
    rate = config_option(facts, "HZ")
    ticks = f"{rate} ticks per s" if rate not in {None, "n"} else "a tick"
    if config_option(facts, "NO_HZ_FULL") == "n":
        return Finding("absent", f"kernel without CONFIG_NO_HZ_FULL: {ticks} on every busy CPU")
    covered = facts.cpus(f"{_CPU}/nohz_full")
    if covered is None:
        found = missing(facts, f"{_CPU}/nohz_full", "kernel without CONFIG_NO_HZ_FULL")
        return Finding(found.state, f"{found.value}: {ticks} on every busy CPU")
    if not _uncovered(covered, context):
        return Finding("ok", f"{context.names()} without tick while one task runs")
    wanted = format_cpus(cpus_to_isolate(facts, context))
    value = f"{ticks} on {name_cpus(_uncovered(covered, context))} while busy"
    return Finding("warn", value, f"boot with nohz_full={wanted}", _REBOOT_UNDO)


@check(
    "rcu-callbacks",
    "RCU callbacks (rcu_nocbs)",
    severity="distorting",
    source=f"/proc/cmdline, {_CPU}/nohz_full",
    why="RCU callbacks run in softirq context on the CPU that queued them, before any task",
)
def check_rcu_callbacks(facts: Facts, context: Context) -> Finding:
    """rcu_nocbs= or nohz_full=, which implies it."""
    if config_option(facts, "RCU_NOCB_CPU") == "n":
        return Finding(
            "absent", "kernel without CONFIG_RCU_NOCB_CPU: callbacks run where they were queued"
        )
    if facts.text("/proc/cmdline") is None:
        return missing(facts, "/proc/cmdline", "the boot parameters are not known")
    # What the kernel made of nohz_full, which a kernel without it ignores.
    covered = set(facts.cpus(f"{_CPU}/nohz_full") or ())
    value = boot_parameters(facts).get("rcu_nocbs")
    is_read = value is None or value in {"", "all"} or cpu_list(value) is not None
    covered.update(
        online_cpus(facts) if value in {"", "all"} else cpu_list(value) or (),
    )
    shared = _uncovered(tuple(covered), context)
    if not shared:
        return Finding("ok", f"moved away from {context.names()}")
    if not is_read:
        return Finding("unknown", f"rcu_nocbs={shorten(value or '')} cannot be read here")
    wanted = format_cpus(cpus_to_isolate(facts, context))
    return Finding(
        "warn",
        f"they may run on {name_cpus(shared)}",
        f"boot with rcu_nocbs={wanted}",
        _REBOOT_UNDO,
    )


def _interrupts_here(facts: Facts, context: Context) -> tuple[dict[int, str], int]:
    """Find the interrupts that may come to a measured CPU (number → affinity), and count all."""
    found: dict[int, str] = {}
    total = 0
    for match in facts.matching(r"(/proc/irq/(\d{1,6}))/smp_affinity_list"):
        total += 1
        effective = facts.cpus(f"{match[1]}/effective_affinity_list")
        allowed = facts.cpus(match[0])
        # The allowed CPUs count, not only the present one: the kernel and irqbalance move
        # interrupts.
        if set(context.cpus) & {*(allowed or ()), *(effective or ())}:
            found[int(match[2])] = facts.text(match[0]) or ""
    return found, total


def _interrupt_name(facts: Facts, number: int) -> str:
    line = re.search(
        rf"^\s*{number}:.*\s(\S+)$", facts.text("/proc/interrupts") or "", re.MULTILINE
    )
    return f"{number} {line[1]}" if line else str(number)


@check(
    "irq-affinity",
    "device interrupts",
    severity="distorting",
    source="/proc/irq/*/smp_affinity_list",
    why="an interrupt handler runs before any task: it delays jobs and evicts their data from the"
    " caches",
)
def check_irq_affinity(facts: Facts, context: Context) -> Finding:
    """No device interrupt may be allowed on a measured CPU."""
    here, total = _interrupts_here(facts, context)
    if total == 0:
        return missing(facts, "/proc/irq/default_smp_affinity", "no interrupt can be moved here")
    if not here:
        return Finding("ok", f"none of {total} may be delivered to {context.names()}")
    names = [_interrupt_name(facts, number) for number in sorted(here)]
    more = len(names) - _NAMED_INTERRUPTS
    listed = ", ".join(names[:_NAMED_INTERRUPTS]) + (f" and {more} more" if more > 0 else "")
    value = f"{len(here)} of {total} may be delivered to {context.names()}: {listed}"
    wanted = cpus_to_isolate(facts, context)
    elsewhere = format_cpus(other_cpus(facts, wanted))
    if not elsewhere:
        return Finding("warn", value)
    fix = f"stop irqbalance, then: {_move_interrupts(dict.fromkeys(here, elsewhere))}"
    if set(wanted) != set(context.cpus):
        fix += f"; then measure on {name_cpus(wanted)}"
    return Finding("warn", value, fix, f"{_move_interrupts(here)}; then start irqbalance")


def _move_interrupts(targets: dict[int, str]) -> str:
    """Write the shell loops that give each interrupt its CPUs, one per distinct set."""
    groups: dict[str, list[str]] = {}
    for number, cpus in sorted(targets.items()):
        groups.setdefault(cpus, []).append(str(number))
    return "; ".join(
        f"for i in {' '.join(numbers)}; do echo {cpus} > /proc/irq/$i/smp_affinity_list; done"
        for cpus, numbers in groups.items()
    )


@check(
    "workqueue-cpus",
    "kernel workqueues",
    severity="distorting",
    source=_WORKQUEUE,
    why="unbound kernel workers run on these CPUs; a FIFO task that keeps one waiting can hold up"
    " the"
    " whole system",
)
def check_workqueue_cpus(facts: Facts, context: Context) -> Finding:
    """The mask of unbound workers must leave the measured CPUs out."""
    mask = cpu_mask(facts.text(_WORKQUEUE))
    if mask is None:
        return missing(facts, _WORKQUEUE, "this kernel does not let workers be moved")
    here = tuple(cpu for cpu in context.cpus if cpu in mask)
    if not here:
        return Finding("ok", f"kept away from {context.names()}")
    wanted = cpus_to_isolate(facts, context)
    elsewhere = other_cpus(facts, wanted)
    if not elsewhere:
        return Finding("warn", f"allowed on {name_cpus(here)}")
    fix = f"echo {_hexadecimal_mask(elsewhere)} > {_WORKQUEUE}"
    undo = f"echo {facts.text(_WORKQUEUE)} > {_WORKQUEUE}"
    return Finding("warn", f"allowed on {name_cpus(here)}", fix, undo)


def _hexadecimal_mask(cpus: tuple[int, ...]) -> str:
    """Write a mask as the kernel does: groups of 8 hexadecimal digits, (0, 32) = "1,00000001"."""
    digits = f"{sum(1 << cpu for cpu in cpus):x}"
    groups: list[str] = []
    while digits:
        groups.append(digits[-8:])
        digits = digits[:-8]
    return ",".join(reversed(groups))


@check(
    "timer-migration",
    "timer migration",
    severity="distorting",
    source=_TIMER_MIGRATION,
    why="timers of idle CPUs move to busy ones, a measured one too; only nohz_full CPUs are exempt",
)
def check_timer_migration(facts: Facts, context: Context) -> Finding:
    """1 helps nohz_full CPUs and harms others."""
    value = facts.integer(_TIMER_MIGRATION)
    if value is None:
        return missing(facts, _TIMER_MIGRATION, "this kernel does not move timers")
    covered = not _uncovered(facts.cpus(f"{_CPU}/nohz_full"), context)
    if value == 0 and covered:
        fix = "sysctl -w kernel.timer_migration=1"
        undo = "sysctl -w kernel.timer_migration=0"
        return Finding("warn", "0: timers stay on the tick-free CPUs that started them", fix, undo)
    if value == 0:
        return Finding("ok", "0: timers stay on the CPU that started them")
    if covered:
        return Finding("ok", f"{value}: timers leave {context.names()}, which are tick-free")
    fix = "sysctl -w kernel.timer_migration=0"
    return Finding(
        "warn", f"{value}: timers move", fix, f"sysctl -w kernel.timer_migration={value}"
    )


@check(
    "nmi-watchdog",
    "NMI watchdog",
    severity="distorting",
    source=_NMI_WATCHDOG,
    why="it interrupts every CPU, also where interrupts are off, and takes one counter of the PMU",
)
def check_nmi_watchdog(facts: Facts, context: Context) -> Finding:
    """0 is good."""
    del context
    value = facts.integer(_NMI_WATCHDOG)
    if value is None:
        return missing(facts, _NMI_WATCHDOG, "this kernel has none")
    if value == 0:
        return Finding("ok", "off")
    if not hardware_pmus(facts):
        return Finding("ok", "on, but without a PMU it does nothing")
    return Finding(
        "warn", "on", "sysctl -w kernel.nmi_watchdog=0", f"sysctl -w kernel.nmi_watchdog={value}"
    )


@check(
    "stat-interval",
    "interval of memory statistics",
    severity="distorting",
    source=_STAT_INTERVAL,
    why="at this interval a kernel worker wakes on each CPU whose memory counters changed",
)
def check_stat_interval(facts: Facts, context: Context) -> Finding:
    """1 s by default."""
    del context
    value = facts.integer(_STAT_INTERVAL)
    if value is None:
        return missing(facts, _STAT_INTERVAL, "this kernel has no such interval")
    if value >= STAT_INTERVAL_COMFORTABLE_S:
        return Finding("ok", f"{value} s")
    fix = f"sysctl -w vm.stat_interval={STAT_INTERVAL_COMFORTABLE_S}"
    return Finding("warn", f"{value} s", fix, f"sysctl -w vm.stat_interval={value}")


@check(
    "other-jobs",
    "other work on this machine",
    severity="distorting",
    source=_PRESSURE,
    why="other programs compete for CPU, caches and memory bandwidth while we measure",
)
def check_other_jobs(facts: Facts, context: Context) -> Finding:
    """Pressure stall information: how long runnable tasks waited for a CPU."""
    del context
    found = re.search(r"^some avg10=(\d{1,3}\.\d\d)", facts.text(_PRESSURE) or "", re.MULTILINE)
    if found is None:
        return missing(facts, _PRESSURE, "this kernel does not say (boot with psi=1)")
    percent = float(found[1])
    value = f"tasks waited for a CPU during {percent:g} % of the last 10 s"
    if percent < PRESSURE_WARN_PERCENT:
        return Finding("ok", value)
    fix = "stop them (top shows which they are), and measure again"
    state: State = "bad" if percent >= PRESSURE_BAD_PERCENT else "warn"
    return Finding(state, value, fix, "start them again")


@check(
    "load-average",
    "load average",
    severity="distorting",
    source="/proc/loadavg",
    why="a busy machine shares caches, memory bandwidth and turbo budget with the measured tasks",
)
def check_load_average(facts: Facts, context: Context) -> Finding:
    """Mean number of running tasks in the last minute, against the number of CPUs."""
    del context
    text = facts.text("/proc/loadavg")
    count = len(online_cpus(facts))
    found = re.match(r"(\d{1,9}\.\d{1,9}) ", text or "")
    if found is None or count == 0:
        return missing(facts, "/proc/loadavg", "not known")
    load = float(found[1])
    value = (
        f"{shorten(found[1])} on {count} CPU{'s' if count > 1 else ''} (mean of the last minute)"
    )
    if load <= LOAD_WARN_RATIO * count:
        return Finding("ok", value)
    return Finding("warn", value, "wait until the machine is idle, then measure")
