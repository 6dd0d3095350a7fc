# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Checks: which counters and traces are there, and does the kernel slow itself by watching?"""

from __future__ import annotations

import re

from laxity.platform.doctor_checks.base import (
    CAP_BPF,
    CAP_PERFMON,
    CAP_SYS_ADMIN,
    Context,
    Finding,
    check,
    has_capability,
    missing,
    shorten,
)
from laxity.platform.facts import Denied, Facts
from laxity.platform.machine import config_option, describe_virtualisation, hardware_pmus

_OWN_NUMBERS = "this container has thread numbers of its own, and the trace names the machine's"
_PARANOID = "/proc/sys/kernel/perf_event_paranoid"
_BTF = "/sys/kernel/btf/vmlinux"
_LOCKDOWN = "/sys/kernel/security/lockdown"
_TRACEFS = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
# Options that make a kernel several times slower or add unbounded sections; KFENCE and UBSAN do
# not.
_DEBUG_OPTIONS = (
    "PROVE_LOCKING",
    "LOCKDEP",
    "KASAN",
    "KCSAN",
    "KMSAN",
    "DEBUG_OBJECTS",
    "DEBUG_PAGEALLOC",
    "SLUB_DEBUG_ON",
    "DEBUG_PREEMPT",
    "DEBUG_LOCK_ALLOC",
)


def may_trace(facts: Facts) -> bool | None:
    """Tell whether this process has CAP_PERFMON or CAP_SYS_ADMIN; None if it is not known."""
    found = [has_capability(facts, number) for number in (CAP_PERFMON, CAP_SYS_ADMIN)]
    if True in found:
        return True
    return None if None in found else False


@check(
    "pmu",
    "performance monitoring unit",
    severity="limiting",
    source="/sys/bus/event_source/devices",
    why="cycles, instructions and cache misses come from it; without one they are absent, times"
    " are not",
)
def check_pmu(facts: Facts, context: Context) -> Finding:
    """Perf's device of the core: cpu, armv8_pmuv3_0, ..."""
    del context
    pmus = hardware_pmus(facts)
    if pmus:
        return Finding("ok", ", ".join(pmus))
    if config_option(facts, "PERF_EVENTS") == "n":
        return Finding("absent", "kernel without CONFIG_PERF_EVENTS")
    if describe_virtualisation(facts).is_virtual_machine:
        fix = "let the hypervisor give the guest a virtual PMU (QEMU: -cpu host,pmu=on)"
        return Finding("absent", "the hypervisor shows none", fix, "take that option away again")
    fix = "boards: add the pmu node of the processor to the device tree"
    return Finding("absent", "the kernel found none", fix, "remove the node again")


@check(
    "perf-permission",
    "permission for perf events",
    severity="limiting",
    source=_PARANOID,
    why="counting for other processes and recording switches of whole CPUs needs CAP_PERFMON or a"
    " value of"
    " at most 0",
)
def check_perf_permission(facts: Facts, context: Context) -> Finding:
    """2 (the usual default) = own user code; 1 = own kernel code too; 0 = whole CPUs."""
    del context
    value = facts.integer(_PARANOID)
    if value is None:
        return missing(facts, _PARANOID, "kernel without perf events")
    if may_trace(facts):
        return Finding("ok", f"{value}, but this process has CAP_PERFMON or CAP_SYS_ADMIN")
    if value <= 0:
        return Finding("ok", f"{value}")
    fix = "run as root, or: sysctl -w kernel.perf_event_paranoid=0"
    return Finding("warn", f"{value}", fix, f"sysctl -w kernel.perf_event_paranoid={value}")


@check(
    "bpf-tracing",
    "BPF tracing",
    severity="limiting",
    source=_BTF,
    why="the cheapest trace of the scheduler; it needs the kernel's type information (BTF) and"
    " CAP_BPF with"
    " CAP_PERFMON",
)
def check_bpf_tracing(facts: Facts, context: Context) -> Finding:
    """BTF readable and the capabilities held."""
    del context
    if facts.text("@pid_namespace") == "own":
        return Finding("absent", _OWN_NUMBERS)
    if config_option(facts, "BPF_SYSCALL") == "n":
        return Finding("absent", "kernel without CONFIG_BPF_SYSCALL")
    if facts.text(f"@access:{_BTF}") is None:
        return Finding("absent", f"no {_BTF} (kernel without CONFIG_DEBUG_INFO_BTF)")
    held = [has_capability(facts, number) for number in (CAP_BPF, CAP_SYS_ADMIN)]
    if None in held:
        return Finding("unknown", "BTF present; the capabilities of this process are not known")
    if True in held and may_trace(facts):
        return Finding("ok", "BTF present, permitted")
    return Finding("warn", "BTF present, not permitted", "run as root", "run as yourself again")


@check(
    "tracefs",
    "kernel tracers (tracefs)",
    severity="limiting",
    source="/sys/kernel/tracing/available_tracers",
    why="scheduling and interrupt events around a missed deadline come from it where BPF is not"
    " available",
)
def check_tracefs(facts: Facts, context: Context) -> Finding:
    """Mounted and readable; in use by another tool?"""
    del context
    if facts.text("@pid_namespace") == "own":
        return Finding("absent", _OWN_NUMBERS)
    for base in _TRACEFS:
        tracers = facts.read(f"{base}/available_tracers")
        if isinstance(tracers, str):
            current = facts.text(f"{base}/current_tracer")
            if current not in {None, "nop"}:
                fix = f"echo nop > {base}/current_tracer"
                value = f'tracer "{shorten(current or "")}" is running, which slows the kernel down'
                return Finding("warn", value, fix, f"echo {current} > {base}/current_tracer")
            return Finding("ok", f"tracers: {shorten(tracers)}")
        if isinstance(tracers, Denied):
            return Finding(
                "warn", f"{base}: {tracers.reason}", "run as root", "run as yourself again"
            )
    if "tracefs" in (facts.text("/proc/filesystems") or "").split():
        mount = "mount -t tracefs nodev /sys/kernel/tracing"
        return Finding("warn", "supported, not mounted", mount, "umount /sys/kernel/tracing")
    return Finding("absent", "kernel without tracing")


@check(
    "lockdown",
    "kernel lockdown",
    severity="limiting",
    source=_LOCKDOWN,
    why="with `confidentiality` the kernel refuses tracing, BPF and perf even to root",
)
def check_lockdown(facts: Facts, context: Context) -> Finding:
    """`integrity` does not hinder what we use."""
    del context
    setting = re.search(r"\[(\w+)\]", facts.text(_LOCKDOWN) or "")
    if setting is None:
        return missing(facts, _LOCKDOWN, "kernel without lockdown, or securityfs not mounted")
    if setting[1] != "confidentiality":
        return Finding("ok", setting[1])
    fix = "boot with lockdown=integrity (with secure boot: switch that off)"
    return Finding("warn", setting[1], fix, "remove the parameter and reboot")


@check(
    "debug-kernel",
    "debugging options of the kernel",
    severity="distorting",
    source="/proc/config.gz or /boot/config-*",
    why="such kernels are several times slower and hold locks for long: their latencies say"
    " nothing about"
    " the product",
)
def check_debug_kernel(facts: Facts, context: Context) -> Finding:
    """Lock and memory checkers."""
    del context
    if facts.text("@config") is None:
        return Finding("unknown", "the kernel's configuration cannot be read (no /proc/config.gz)")
    active = [name for name in _DEBUG_OPTIONS if config_option(facts, name) == "y"]
    if not active:
        return Finding("ok", "no slow ones")
    names = ", ".join(f"CONFIG_{name}" for name in active)
    return Finding("bad", names, "boot a kernel without them", "boot the present kernel again")
