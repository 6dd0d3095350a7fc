# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Checks: does the processor keep its speed, wake at once, and tell the time?"""

from __future__ import annotations

from laxity.platform.doctor_checks.base import (
    Context,
    Finding,
    State,
    check,
    missing,
    name_cpus,
    online_cpus,
)
from laxity.platform.facts import Facts
from laxity.platform.machine import (
    boot_parameters,
    container,
    cpu_flags,
    cpu_ticks,
    describe_virtualisation,
    steal_ratio,
    temperatures_millicelsius,
)

_CPU = "/sys/devices/system/cpu"
_CLOCKSOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
_DMA_LATENCY = "/dev/cpu_dma_latency"
# Read by user space without a system call.
_GOOD_CLOCKSOURCES = {"tsc", "arch_sys_counter", "timebase", "riscv_clocksource", "kvm-clock"}
_GOOD_CLOCKSOURCES |= {"hyperv_clocksource_tsc_page"}
# Slow to read (a bus access), or no finer than the tick.
_POOR_CLOCKSOURCES = {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"}
# Waking from a state that needs longer than this is visible in every release latency.
IDLE_LATENCY_LIMIT_US = 10
# High-resolution timers resolve 1 ns; without them the resolution is a tick (1 to 10 ms).
RESOLUTION_LIMIT_NS = 1000
# Many processors start to slow themselves down between 85 and 100 degrees.
HOT_MILLICELSIUS = 85_000
# One job in a thousand, or in a hundred, meets a CPU that is not there.
STEAL_WARN_RATIO = 0.001
STEAL_BAD_RATIO = 0.01


@check(
    "smt",
    "simultaneous multithreading",
    severity="distorting",
    source=f"{_CPU}/smt/control, topology/thread_siblings_list",
    why="two hardware threads share one core's units and first caches: what runs on one slows the"
    " other",
)
def check_smt(facts: Facts, context: Context) -> Finding:
    """No measured CPU may share its core with another online CPU."""
    online = online_cpus(facts)
    siblings: set[int] = set()
    for cpu in context.cpus:
        listed = facts.cpus(f"{_CPU}/cpu{cpu}/topology/thread_siblings_list") or ()
        siblings.update(other for other in listed if other != cpu and other in online)
    control = facts.text(f"{_CPU}/smt/control")
    if siblings:
        verb = "shares its core" if len(context.cpus) == 1 else "share their cores"
        value = f"{context.names()} {verb} with {name_cpus(tuple(sorted(siblings)))}"
        if control == "on":
            path = f"{_CPU}/smt/control"
            return Finding("warn", value, f"echo off > {path}", f"echo on > {path}")
        return Finding("warn", value, "boot with nosmt", "remove the parameter and reboot")
    if control in {"off", "forceoff"}:
        return Finding("ok", "switched off")
    if not facts.cpus(f"{_CPU}/cpu{(*context.cpus, 0)[0]}/topology/thread_siblings_list"):
        return Finding("unknown", "the kernel does not say which CPUs share a core")
    return Finding("ok", "no measured CPU shares its core")


@check(
    "cpu-governor",
    "frequency governor",
    severity="distorting",
    source=f"{_CPU}/cpu*/cpufreq/scaling_governor",
    why="other governors change the frequency with the load: execution times differ from job to"
    " job",
)
def check_cpu_governor(facts: Facts, context: Context) -> Finding:
    """The governor of every measured CPU must be performance."""
    base = f"{_CPU}/cpu{{}}/cpufreq/scaling_governor"
    found = {cpu: facts.text(base.format(cpu)) for cpu in context.cpus}
    governors = sorted({governor for governor in found.values() if governor})
    if not governors:
        first = (*context.cpus, 0)[0]
        return missing(
            facts, base.format(first), "no cpufreq: firmware or hypervisor sets the frequency"
        )
    if governors == ["performance"]:
        unread = next((base.format(cpu) for cpu, one in found.items() if not one), None)
        return missing(facts, unread, "no cpufreq") if unread else Finding("ok", "performance")
    by_governor: dict[str, list[str]] = {}
    for cpu, governor in found.items():
        if governor and governor != "performance":
            by_governor.setdefault(governor, []).append(base.format(cpu))
    every = " ".join(path for paths in by_governor.values() for path in paths)
    undo = "; ".join(f"echo {one} | tee {' '.join(paths)}" for one, paths in by_governor.items())
    return Finding("warn", ", ".join(governors), f"echo performance | tee {every}", undo)


@check(
    "turbo",
    "turbo frequencies",
    severity="distorting",
    source=f"{_CPU}/intel_pstate/no_turbo, {_CPU}/cpufreq/boost",
    why="the turbo frequency depends on temperature and on what other cores do: the same job takes"
    " different times",
)
def check_turbo(facts: Facts, context: Context) -> Finding:
    """Intel's driver has no_turbo (1 = off), the others boost (0 = off)."""
    del context
    for path, off, on in ((f"{_CPU}/intel_pstate/no_turbo", 1, 0), (f"{_CPU}/cpufreq/boost", 0, 1)):
        value = facts.integer(path)
        if value == off:
            return Finding("ok", "off")
        if value is not None:
            return Finding("warn", "on", f"echo {off} > {path}", f"echo {on} > {path}")
    return missing(facts, f"{_CPU}/intel_pstate/no_turbo", "no switch for it on this machine")


def _deep_states(facts: Facts, context: Context) -> dict[str, tuple[int, list[str]]]:
    """Find the enabled idle states that wake slowly: name → longest latency in us, their files."""
    deep: dict[str, tuple[int, list[str]]] = {}
    for match in facts.matching(rf"({_CPU}/cpu(\d{{1,4}})/cpuidle/state\d+)/latency"):
        latency_us = facts.integer(match[0])
        is_used = int(match[2]) in context.cpus and facts.text(f"{match[1]}/disable") == "0"
        if is_used and latency_us is not None and latency_us > IDLE_LATENCY_LIMIT_US:
            name = facts.text(f"{match[1]}/name") or "?"
            deep.setdefault(name, (0, []))
            deep[name] = (max(deep[name][0], latency_us), [*deep[name][1], f"{match[1]}/disable"])
    return deep


@check(
    "idle-states",
    "idle states",
    severity="distorting",
    source=f"{_CPU}/cpu*/cpuidle/state*/latency",
    why="a CPU that sleeps deeply between two jobs wakes late: its exit latency is part of the"
    " release"
    " latency, and its caches may be empty",
)
def check_idle_states(facts: Facts, context: Context) -> Finding:
    """States that need more than 10 us to leave."""
    idle = boot_parameters(facts).get("idle")
    if idle == "poll":
        return Finding("ok", "idle=poll: CPUs never sleep")
    if not any(facts.matching(rf"{_CPU}/cpu\d+/cpuidle/state\d+/latency")):
        driver = facts.text(f"{_CPU}/cpuidle/current_driver") or "none"
        return Finding(
            "absent", f"cpuidle driver {driver}: hypervisor or firmware decides how idle CPUs sleep"
        )
    deep = _deep_states(facts, context)
    if not deep:
        return Finding("ok", f"none needs more than {IDLE_LATENCY_LIMIT_US} us to wake")
    states = ", ".join(f"{name} {latency_us} us" for name, (latency_us, _) in sorted(deep.items()))
    files = " ".join(file for _, those in sorted(deep.values()) for file in those)
    return Finding(
        "warn",
        f"time to wake: {states}",
        f"run with --idle poll, which keeps CPUs awake for the run; or for good: echo 1 | tee"
        f" {files}",
        f"echo 0 | tee {files}",
    )


@check(
    "idle-control",
    "control over idle states",
    severity="limiting",
    source=_DMA_LATENCY,
    why="--idle poll writes 0 there for the time of a run; without it only the deep setting can"
    " be measured",
)
def check_idle_control(facts: Facts, context: Context) -> Finding:
    """Usually root's alone."""
    del context
    access = facts.text(f"@access:{_DMA_LATENCY}")
    if access is None:
        return Finding("absent", f"no {_DMA_LATENCY}")
    if "w" in access:
        return Finding("ok", f"{_DMA_LATENCY} is writable")
    fix = f"run as root, or: setfacl -m u:$USER:rw {_DMA_LATENCY}"
    return Finding("warn", f"{_DMA_LATENCY} is not writable", fix, f"setfacl -b {_DMA_LATENCY}")


@check(
    "clocksource",
    "clock source",
    severity="distorting",
    source=_CLOCKSOURCE,
    why="a clock that is read over a bus costs a microsecond per reading and jitters; every time"
    " of a job"
    " contains two readings",
)
def check_clocksource(facts: Facts, context: Context) -> Finding:
    """The processor's own counter is best."""
    del context
    name = facts.text(_CLOCKSOURCE)
    if not name:
        return missing(facts, _CLOCKSOURCE, "the kernel does not say")
    available = (facts.text(_CLOCKSOURCE.replace("current", "available")) or "").split()
    if name in _GOOD_CLOCKSOURCES:
        return Finding("ok", name)
    better = next((other for other in available if other in _GOOD_CLOCKSOURCES), None)
    state: State = "bad" if name in _POOR_CLOCKSOURCES else "warn"
    if better is None:
        return Finding(state, f"{name}; available: {' '.join(available) or 'nothing else'}")
    undo = f"echo {name} > {_CLOCKSOURCE}"
    return Finding(state, name, f"echo {better} > {_CLOCKSOURCE}", undo)


@check(
    "clock-resolution",
    "resolution of the clock",
    severity="distorting",
    source="clock_getres(CLOCK_MONOTONIC)",
    why="without high-resolution timers releases happen at ticks: periods below some milliseconds"
    " cannot"
    " be kept",
)
def check_clock_resolution(facts: Facts, context: Context) -> Finding:
    """1 ns with high-resolution timers."""
    del context
    resolution_ns = facts.integer("@resolution_ns")
    if resolution_ns is None or resolution_ns <= 0:
        return Finding("unknown", "not known")
    if resolution_ns <= RESOLUTION_LIMIT_NS:
        return Finding("ok", f"{resolution_ns} ns")
    fix = "boot without highres=off, with a kernel that has CONFIG_HIGH_RES_TIMERS"
    return Finding("bad", f"{resolution_ns} ns", fix, "boot the present kernel again")


@check(
    "tsc",
    "time-stamp counter",
    severity="distorting",
    source="flags in /proc/cpuinfo",
    why="ticks are comparable only if the counter runs at one rate, also in idle states",
)
def check_tsc(facts: Facts, context: Context) -> Finding:
    """constant_tsc and nonstop_tsc; other processors have other counters."""
    del context
    if "x86" not in (facts.text("@uname.machine") or "") and "tsc" not in cpu_flags(facts):
        return Finding(
            "absent", "not an x86 processor; its own counter is probed when a run starts"
        )
    lacking = [flag for flag in ("constant_tsc", "nonstop_tsc") if flag not in cpu_flags(facts)]
    if not lacking:
        return Finding("ok", "constant rate, runs in every idle state")
    if not cpu_flags(facts):
        return missing(facts, "/proc/cpuinfo", "the processor's flags are not known")
    return Finding("warn", f"lacks {' and '.join(lacking)}: ticks are not comparable over time")


@check(
    "mitigations",
    "mitigations of processor faults",
    severity="limiting",
    source=f"/proc/cmdline, {_CPU}/vulnerabilities",
    why="they lengthen every entry into the kernel; measure with the setting that the product"
    " will have",
)
def check_mitigations(facts: Facts, context: Context) -> Finding:
    """Never advised against: it is a matter of security, stated so that figures can be compared."""
    del context
    setting = boot_parameters(facts).get("mitigations", "")
    active = [
        match[1]
        for match in facts.matching(rf"{_CPU}/vulnerabilities/(\w+)")
        if (facts.text(match[0]) or "").startswith("Mitigation")
    ]
    stated = f"mitigations={setting}" if setting else "kernel's default"
    return Finding("ok", f"{stated}; active for: {', '.join(active) or 'none of those looked at'}")


@check(
    "temperature",
    "temperature",
    severity="distorting",
    source="/sys/class/thermal/thermal_zone*/temp",
    why="a hot processor lowers its frequency in the middle of a run",
)
def check_temperature(facts: Facts, context: Context) -> Finding:
    """The hottest thermal zone."""
    del context
    zones = temperatures_millicelsius(facts)
    if not zones:
        return Finding("absent", "no thermal zone can be read")
    hottest = max(zones, key=lambda zone: zones[zone])
    value = f"{zones[hottest] / 1000:.0f} degrees C ({hottest})"
    if zones[hottest] < HOT_MILLICELSIUS:
        return Finding("ok", value)
    return Finding("warn", value, "improve the cooling or let it cool down")


def throttle_counts(facts: Facts) -> dict[str, int]:
    """Read how often each CPU was slowed for its temperature since boot."""
    counts: dict[str, int] = {}
    for match in facts.matching(
        rf"{_CPU}/(cpu\d+)/thermal_throttle/(?:core|package)_throttle_count"
    ):
        counts[match[1]] = counts.get(match[1], 0) + (facts.integer(match[0]) or 0)
    return counts


@check(
    "throttling",
    "thermal throttling",
    severity="distorting",
    source=f"{_CPU}/cpu*/thermal_throttle",
    why="the processor slowed itself down for its temperature since boot, and may do so again",
)
def check_throttling(facts: Facts, context: Context) -> Finding:
    """Counters since boot; those of a run are compared by `drift`."""
    del context
    counts = throttle_counts(facts)
    if not counts:
        return Finding("absent", "no counters (not x86, or a virtual machine)")
    total = sum(counts.values())
    if total == 0:
        return Finding("ok", "never since boot")
    return Finding("warn", f"{total} times since boot", "improve the cooling")


@check(
    "virtual-machine",
    "kind of machine",
    severity="distorting",
    source="hypervisor flag in /proc/cpuinfo, DMI, device tree",
    why="the hypervisor takes the CPU away unseen and emulates timers: latencies are those of"
    " host and guest"
    " together",
)
def check_virtual_machine(facts: Facts, context: Context) -> Finding:
    """A virtual machine is never ready, however it is tuned inside."""
    del context
    found = describe_virtualisation(facts)
    kind = container(facts)
    inside = f", in a {kind} container" if kind else ""
    if found.is_virtual_machine:
        name = f" ({found.hypervisor})" if found.hypervisor else ""
        fix = (
            "measure on the machine itself, or bind each virtual CPU to an isolated CPU of the host"
        )
        return Finding("warn", f"virtual machine{name}{inside}", fix, "free the host's CPUs again")
    if found.is_virtual_machine is None and not facts.text("/proc/cpuinfo"):
        return missing(facts, "/proc/cpuinfo", "the processor is not known")
    return Finding("ok", f"no sign of a hypervisor{inside}")


@check(
    "steal",
    "time stolen by the hypervisor",
    severity="distorting",
    source="/proc/stat",
    why="while time is stolen a job stands still although its CPU looks free to it",
)
def check_steal(facts: Facts, context: Context) -> Finding:
    """Share of all CPU time since boot."""
    del context
    ratio = steal_ratio(cpu_ticks(facts))
    if ratio is None:
        return missing(facts, "/proc/stat", "the kernel does not say")
    value = f"{ratio * 100:.2f} % since boot"
    if ratio < STEAL_WARN_RATIO:
        return Finding("ok", value)
    fix = "give the virtual machine CPUs of its own on the host"
    state: State = "bad" if ratio >= STEAL_BAD_RATIO else "warn"
    return Finding(state, value, fix, "share the host's CPUs again")
