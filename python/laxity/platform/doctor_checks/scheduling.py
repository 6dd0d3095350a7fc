# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Checks: may real-time tasks run here, and does the kernel let them run on?"""

from __future__ import annotations

from laxity.core.cpus import format_cpus
from laxity.platform.doctor_checks.base import (
    CAP_IPC_LOCK,
    CAP_SYS_NICE,
    Context,
    Finding,
    State,
    check,
    has_capability,
    missing,
    name_cpus,
    online_cpus,
)
from laxity.platform.facts import Denied, Facts, cgroup_files, integer
from laxity.platform.fair_server import (
    USUAL_PERIOD_NS,
    USUAL_RUNTIME_NS,
    has_fair_server,
    period_file,
    runtime_file,
)
from laxity.platform.knob_journal import DIRECTORY
from laxity.platform.machine import config_option, preempt_model

_RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
_PERIOD = "/proc/sys/kernel/sched_rt_period_us"
_QUOTAS = ("/cpu.max", "/cpu.cfs_quota_us")
# A task with libc, an 8 MiB stack and a small working set fits; less makes mlockall fail half-way.
MEMLOCK_COMFORTABLE_BYTES = 64 * 1024 * 1024
HIGHEST_PRIORITY = 99


@check(
    "realtime-kernel",
    "kernel preemption",
    severity="distorting",
    source="/sys/kernel/realtime, uname -v, /sys/kernel/debug/sched/preempt",
    why="other kernels finish long sections before they let a task run: rare latencies of"
    " milliseconds,"
    " which a short run does not show",
)
def check_realtime_kernel(facts: Facts, context: Context) -> Finding:
    """PREEMPT_RT is good, full and lazy preemption second best, the rest are for throughput."""
    del context
    model = preempt_model(facts)
    if model == "rt":
        return Finding("ok", "PREEMPT_RT")
    if model == "unknown":
        return Finding(
            "unknown", "the kernel does not say how it is preempted (no kernel configuration)"
        )
    fix = "boot a PREEMPT_RT kernel (Debian: apt install linux-image-rt-amd64)"
    undo = "boot the present kernel again"
    if model in {"full", "lazy"}:
        return Finding("warn", f"no PREEMPT_RT; the model is {model}", fix, undo)
    if "PREEMPT_DYNAMIC" in (facts.text("@uname.version") or ""):
        fix += ", or at least boot this one with preempt=full"
        undo += ", without preempt=full"
    return Finding("bad", f"no PREEMPT_RT; the model is {model}", fix, undo)


@check(
    "rt-throttling",
    "real-time throttling",
    severity="distorting",
    source=f"{_RUNTIME}; from Linux 6.12 on the fair server, in debugfs",
    why="real-time tasks that use up this share of a CPU are stopped until the period is over, or,"
    " from Linux 6.12 on, while an ordinary task waits there; only tasks near full load notice",
)
def check_rt_throttling(facts: Facts, context: Context) -> Finding:
    """-1 = no limit; 0 = no real-time task runs."""
    runtime, period = facts.integer(_RUNTIME), facts.integer(_PERIOD)
    if has_fair_server(facts.text("@uname.release") or ""):
        # With groups the kernel keeps to the limit, too.
        has_groups = config_option(facts, "RT_GROUP_SCHED") == "y"
        is_whole = runtime is None or runtime < 0 or (period is not None and runtime >= period)
        if not has_groups or is_whole:
            return _fair_server(facts, context)
    if runtime is None:
        return missing(facts, _RUNTIME, "this kernel has no limit for real-time tasks")
    if runtime < 0 or (period is not None and runtime >= period):
        return Finding("ok", "off")
    fix = (
        "sysctl -w kernel.sched_rt_runtime_us=-1"
        " (a real-time task that never sleeps then keeps its CPU)"
    )
    undo = f"sysctl -w kernel.sched_rt_runtime_us={runtime}"
    if runtime == 0:
        return Finding("bad", "real-time tasks get 0 us: none can run", fix, undo)
    share = f"real-time tasks get {runtime} us"
    if period is not None:
        share += f" of every {period} us, then wait {period - runtime} us"
    return Finding("warn", share, fix, undo)


def _fair_server(facts: Facts, context: Context) -> Finding:
    """Say what ordinary tasks that wait get of a measured CPU."""
    given = {cpu: facts.integer(runtime_file(cpu)) for cpu in context.cpus}
    if given and all(runtime_ns == 0 for runtime_ns in given.values()):
        return Finding("ok", "off: no limit, and the fair server gives ordinary tasks nothing")
    is_known = all(runtime_ns is not None for runtime_ns in given.values()) and bool(given)
    runtime_ns = max((one or 0 for one in given.values()), default=0) or USUAL_RUNTIME_NS
    periods = [facts.integer(period_file(cpu)) for cpu in context.cpus]
    period_ns = min((one for one in periods if one), default=USUAL_PERIOD_NS)
    told = "" if is_known else ", unless it was changed, which cannot be read (debugfs)"
    value = (
        f"ordinary tasks that wait get {runtime_ns // 1000} us of every {period_ns // 1000} us "
        f"(fair server){told}"
    )
    by_runtime: dict[int, list[str]] = {}
    for cpu, one in given.items():
        if one != 0:
            by_runtime.setdefault(one or USUAL_RUNTIME_NS, []).append(runtime_file(cpu))
    files = " ".join(path for paths in by_runtime.values() for path in paths)
    undo = "; ".join(f"echo {one} | tee {' '.join(paths)}" for one, paths in by_runtime.items())
    mount = "" if is_known else "mount -t debugfs none /sys/kernel/debug; "
    fix = (
        f"{mount}echo 0 | tee {files} (a real-time task that never sleeps then keeps its CPU), or "
        "run with --no-throttling"
    )
    return Finding("warn", value, fix, undo)


def group_budget(facts: Facts) -> tuple[str, int] | None:
    """Find the real-time budget of this process's own cgroup (v1): its file and microseconds."""
    for path in cgroup_files(facts):
        runtime = facts.integer(path)
        if path.endswith("/cpu.rt_runtime_us") and runtime is not None:
            return path, runtime
    return None


@check(
    "left-settings",
    "settings left by a killed run",
    severity="distorting",
    source=DIRECTORY,
    why="a run that was killed with all its processes could not put back what --shield or"
    " --no-throttling had changed, so the machine is not as it was set up",
)
def check_left_settings(facts: Facts, context: Context) -> Finding:
    """Every laxity command of root puts them back; what is still there it could not."""
    del context
    left = facts.text("@knobs.left")
    if left is None:
        return Finding("absent", "not looked for on this machine")
    if not left:
        return Finding("ok", "none")
    fix = "sudo laxity doctor (puts back what it can and says what it cannot)"
    return Finding("bad", "; ".join(left.splitlines()), fix)


@check(
    "rt-group-budget",
    "real-time budget of the cgroup",
    severity="blocking",
    source="cpu.rt_runtime_us of the own cgroup",
    why="with CONFIG_RT_GROUP_SCHED a cgroup without a budget may not have real-time tasks"
    " (EPERM, even"
    " for root), and one with a small budget is throttled",
)
def check_rt_group_budget(facts: Facts, context: Context) -> Finding:
    """A new cgroup starts with 0."""
    del context
    found = group_budget(facts)
    if found is None:
        denied = [path for path in cgroup_files(facts) if isinstance(facts.read(path), Denied)]
        for path in denied:
            if path.endswith("/cpu.rt_runtime_us"):
                return missing(facts, path, "")
        return Finding("absent", "cgroups have no real-time budget here")
    path, runtime = found
    directory = path.rpartition("/")[0]
    period = facts.integer(f"{directory}/cpu.rt_period_us")
    fix = (
        f"echo 950000 > {path} (first in every group above it),"
        " or start laxity from the root cgroup"
    )
    undo = f"echo {runtime} > {path}"
    if runtime == 0:
        return Finding("bad", f"{directory}: 0 us: no real-time task may run", fix, undo)
    limit, whole = facts.integer(_RUNTIME), facts.integer(_PERIOD)
    if runtime >= 0 and period is None:
        return missing(facts, f"{directory}/cpu.rt_period_us", "its period is not known")
    is_all = (
        limit is not None and whole is not None and 0 <= limit * (period or 0) <= runtime * whole
    )
    if runtime < 0 or period is None or is_all:
        return Finding("ok", f"{directory}: {runtime} us, no less than the whole machine has")
    if runtime >= period:
        return Finding("ok", f"{directory}: {runtime} us of every {period} us")
    return Finding("warn", f"{directory}: {runtime} us of every {period} us", fix, undo)


def highest_fifo_priority(facts: Facts) -> tuple[int | None, str]:
    """Find the highest FIFO priority that this process may use.

    Returns:
        (priority, reason): 0 = none is permitted, None = the facts do not say.

    Source:
        sched(7), "Privileges and resource limits"; kernel/sched/syscalls.c for the cgroup's budget.
    """
    budget = group_budget(facts)
    if budget is not None and budget[1] == 0:
        return 0, f"the real-time budget of this cgroup is 0 ({budget[0]})"
    privileged = has_capability(facts, CAP_SYS_NICE)
    if privileged:
        return HIGHEST_PRIORITY, "this process has CAP_SYS_NICE"
    soft = (facts.text("@rlimit.rtprio") or "").partition(" ")[0]
    limit = HIGHEST_PRIORITY if soft == "unlimited" else integer(soft)
    if limit is None or (limit <= 0 and privileged is None):
        return None, "the limits of this process are not known"
    if limit <= 0:
        return 0, "RLIMIT_RTPRIO is 0 and this process lacks CAP_SYS_NICE"
    return min(limit, HIGHEST_PRIORITY), f"RLIMIT_RTPRIO is {soft}"


@check(
    "fifo-permission",
    "permission for SCHED_FIFO",
    severity="blocking",
    source="RLIMIT_RTPRIO, CapEff in /proc/self/status, cpu.rt_runtime_us",
    why="without it tasks run as SCHED_OTHER and share their CPU with everything else: the"
    " figures say"
    " little about a real-time system",
)
def check_fifo_permission(facts: Facts, context: Context) -> Finding:
    """Capability, or a resource limit that reaches to the highest priority."""
    del context
    highest, reason = highest_fifo_priority(facts)
    if highest is None:
        return Finding("unknown", reason)
    budget = group_budget(facts)
    if highest == 0 and budget is not None and budget[1] == 0:
        return Finding(
            "bad", f"not permitted: {reason}", "see rt-group-budget", "see rt-group-budget"
        )
    fix = (
        "run as root, or add the line `@realtime - rtprio 99` to"
        " /etc/security/limits.d/laxity.conf,"
        " join that group and log in again; or measure under SCHED_OTHER with --allow-unprivileged"
    )
    undo = "remove that line"
    if highest == 0:
        return Finding("bad", f"not permitted: {reason}", fix, undo)
    if highest < HIGHEST_PRIORITY:
        return Finding("warn", f"priorities up to {highest}: {reason}", fix, undo)
    return Finding("ok", f"priorities up to {highest}: {reason}")


@check(
    "cpu-time-limit",
    "limit of real-time CPU time",
    severity="distorting",
    source="RLIMIT_RTTIME",
    why="a real-time task that computes this long without sleeping gets SIGXCPU, then SIGKILL",
)
def check_cpu_time_limit(facts: Facts, context: Context) -> Finding:
    """Unlimited outside sessions that rtkit manages."""
    del context
    text = facts.text("@rlimit.rttime")
    if text is None:
        return Finding("unknown", "not known")
    hard = text.rpartition(" ")[2]
    if hard == "unlimited":
        return Finding("ok", "unlimited")
    fix = "run as root, or raise `rttime` in /etc/security/limits.conf and log in again"
    return Finding("warn", f"at most {hard} us", fix, "restore the former line")


@check(
    "memory-lock",
    "locked memory",
    severity="distorting",
    source="RLIMIT_MEMLOCK, CapEff in /proc/self/status",
    why="memory that is not locked can be taken away: a page fault inside a job costs"
    " microseconds to"
    " milliseconds",
)
def check_memory_lock(facts: Facts, context: Context) -> Finding:
    """CAP_IPC_LOCK, or a limit that holds a task."""
    del context
    if has_capability(facts, CAP_IPC_LOCK):
        return Finding("ok", "unlimited: this process has CAP_IPC_LOCK")
    soft = (facts.text("@rlimit.memlock") or "").partition(" ")[0]
    if soft == "unlimited":
        return Finding("ok", "unlimited")
    limit = integer(soft)
    if limit is None:
        return Finding("unknown", "the limits of this process are not known")
    if limit >= MEMLOCK_COMFORTABLE_BYTES:
        return Finding("ok", f"up to {limit // 1024} KiB")
    fix = (
        "run as root, or add the line `@realtime - memlock unlimited` to"
        " /etc/security/limits.d/laxity.conf, join that group and log in again"
    )
    state: State = "warn" if limit > 0 else "bad"
    return Finding(state, f"at most {limit // 1024} KiB may be locked", fix, "remove that line")


def allowed_cpus(facts: Facts) -> tuple[tuple[int, ...] | None, str]:
    """Find which CPUs this process can get (cpuset, else affinity), and the file that says so."""
    for path in cgroup_files(facts):
        if path.endswith(("/cpuset.effective_cpus", "/cpuset.cpus.effective")):
            cpus = facts.cpus(path)
            if cpus:
                return cpus, path
    return facts.cpus("@affinity"), "sched_getaffinity"


@check(
    "measured-cpus",
    "measured CPUs",
    severity="blocking",
    source="/sys/devices/system/cpu/online, cpuset of the own cgroup, sched_getaffinity",
    why="a task cannot be bound to a CPU that is off or outside the cpuset of its process",
)
def check_measured_cpus(facts: Facts, context: Context) -> Finding:
    """Online and inside the cpuset."""
    online = online_cpus(facts)
    dark = tuple(cpu for cpu in context.cpus if cpu not in online)
    if not online or not context.cpus:
        return Finding("unknown", "the CPUs of this machine are not known")
    if dark:
        fix = (
            f"choose among {name_cpus(online)}, or switch one on: echo 1 > {_online_file(dark[0])}"
        )
        return Finding(
            "bad", f"{name_cpus(dark)} not online", fix, f"echo 0 > {_online_file(dark[0])}"
        )
    allowed, source = allowed_cpus(facts)
    outside = tuple(cpu for cpu in context.cpus if allowed is not None and cpu not in allowed)
    if outside:
        value = f"{name_cpus(outside)} outside {name_cpus(allowed or ())} ({source})"
        return Finding("bad", value, f"choose among {name_cpus(allowed or ())}")
    return Finding("ok", f"{context.names()}; online: {format_cpus(online)}")


def _online_file(cpu: int) -> str:
    return f"/sys/devices/system/cpu/cpu{cpu}/online"


@check(
    "cpu-quota",
    "CPU quota of the cgroup",
    severity="distorting",
    source="cpu.max or cpu.cfs_quota_us of the own cgroup and those above it",
    why="co-runners and tasks under SCHED_OTHER are stopped when the quota is used up, so"
    " interference"
    " comes in bursts; SCHED_FIFO is not affected",
)
def check_cpu_quota(facts: Facts, context: Context) -> Finding:
    """Containers often have one (docker --cpus), slices of systemd, too: all below it share it."""
    del context
    if facts.text("/proc/self/cgroup") is None:
        return missing(facts, "/proc/self/cgroup", "this kernel has no cgroups")
    files = [one for one in cgroup_files(facts) if one.endswith(_QUOTAS)]
    for path in files:
        text = facts.text(path)
        if text is None:
            continue
        quota = text.partition(" ")[0]
        if quota not in {"max", "-1"}:
            word = "max" if path.endswith("/cpu.max") else "-1"
            fix = f"echo {word} > {path}, or start the container without a CPU limit"
            return Finding("warn", f"{path}: {text}", fix, f"echo '{text}' > {path}")
    for path in files:
        if isinstance(facts.read(path), Denied):
            return missing(facts, path, "")
    return Finding("ok", "none")
