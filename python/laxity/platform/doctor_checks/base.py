# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a check is, and the table of all checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec

from laxity.core.cpus import format_cpus
from laxity.platform.facts import Denied, Facts

State = Literal["ok", "warn", "bad", "absent", "unknown"]
Severity = Literal["blocking", "distorting", "limiting"]

_CPU = "/sys/devices/system/cpu"


class Check(msgspec.Struct, frozen=True):
    """One property of the machine, judged.

    Attributes:
        id: Short name, never changed once released.
        title: What is judged, in a few words.
        state: ok; warn and bad = to be mended; absent = the machine has no such thing; unknown =
            unreadable.
        value: What was found.
        why: What it does to a real-time measurement.
        fix: How to mend it, empty if there is nothing to do.
        undo: How to get the present setting back, empty if `fix` changes none.
        source: File or call that the value was read from.
        severity: blocking = decides whether real-time tasks can run at all; distorting = is part of
            every figure; limiting = decides what can be measured, changes no figure.
    """

    id: str
    title: str
    state: State
    value: str
    why: str
    fix: str
    undo: str
    source: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Context:
    """What the measurement will use: `cpus`, on which tasks run, ascending."""

    cpus: tuple[int, ...]

    def names(self) -> str:
        """Name the measured CPUs: "CPU 1", "CPUs 2-3"."""
        return name_cpus(self.cpus)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check function found; the fixed texts of the check are in the table."""

    state: State
    value: str
    fix: str = ""
    undo: str = ""


CheckFunction = Callable[[Facts, Context], Finding]


@dataclass(frozen=True, slots=True)
class CheckEntry:
    """One row of the table of checks."""

    id: str
    title: str
    severity: Severity
    source: str
    why: str
    function: CheckFunction

    def run(self, facts: Facts, context: Context) -> Check:
        """Judge one machine."""
        found = self.function(facts, context)
        return Check(
            id=self.id,
            title=self.title,
            state=found.state,
            value=found.value,
            why=self.why,
            fix=found.fix,
            undo=found.undo,
            source=self.source,
            severity=self.severity,
        )


def check(
    name: str, title: str, *, severity: Severity, source: str, why: str
) -> Callable[[CheckFunction], CheckEntry]:
    """Make a check function a row of the table."""

    def make_entry(function: CheckFunction) -> CheckEntry:
        return CheckEntry(name, title, severity, source, why, function)

    return make_entry


def missing(facts: Facts, key: str, absent: str) -> Finding:
    """Make the finding for a file without a usable value.

    Args:
        facts: The snapshot.
        key: The file.
        absent: What it means that the machine has no such file.
    """
    found = facts.read(key)
    if isinstance(found, Denied):
        return Finding("unknown", f"{key}: {found.reason}")
    if isinstance(found, str):
        return Finding("unknown", f'{key} holds "{shorten(found)}", which this check cannot read')
    return Finding("absent", absent)


def shorten(text: str, limit: int = 60) -> str:
    """Cut a text from the machine to one short line."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def name_cpus(cpus: tuple[int, ...]) -> str:
    """Name CPUs in a sentence: "CPU 1", "CPUs 0-2,4", "no CPU"."""
    if not cpus:
        return "no CPU"
    return f"{'CPU' if len(cpus) == 1 else 'CPUs'} {format_cpus(cpus)}"


def online_cpus(facts: Facts) -> tuple[int, ...]:
    """List the CPUs that are switched on; without that file, those that this process may use."""
    return facts.cpus(f"{_CPU}/online") or facts.cpus("@affinity") or ()


def other_cpus(facts: Facts, cpus: tuple[int, ...]) -> tuple[int, ...]:
    """List the online CPUs that are not measured: where everything else should go."""
    return tuple(cpu for cpu in online_cpus(facts) if cpu not in cpus)


def cpus_to_isolate(facts: Facts, context: Context) -> tuple[int, ...]:
    """Choose the CPUs that advice sets apart: the measured ones; if those are all, the last."""
    if other_cpus(facts, context.cpus) or not online_cpus(facts):
        return context.cpus
    return online_cpus(facts)[-1:]


def has_capability(facts: Facts, number: int) -> bool | None:
    """Tell whether this process has a capability of the initial user namespace; None if not known.

    Source:
        capabilities(7). sched_setscheduler, mlockall, perf and BPF ask the initial namespace:
        "root" of a rootless container, whose uid_map is not the identity, has none of them.
    """
    identity = ["0", "0", "4294967295"]
    uid_map = facts.text("/proc/self/uid_map")
    if uid_map is not None and uid_map.split() != identity:
        return False
    for line in (facts.text("/proc/self/status") or "").splitlines():
        name, _, value = line.partition(":")
        if name == "CapEff" and re.fullmatch(r"[0-9a-f]{16}", value.strip()):
            return bool(int(value, 16) >> number & 1)
    return None


# Numbers from linux/capability.h.
CAP_IPC_LOCK = 14
CAP_SYS_ADMIN = 21
CAP_SYS_NICE = 23
CAP_PERFMON = 38
CAP_BPF = 39
