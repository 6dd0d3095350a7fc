# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The objects of an rt-app task set: their keys, each once, and their events, in order."""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from laxity.core.cpus import MAX_CPU
from laxity.errors import ConfigError, located, suggestion
from laxity.tasksets.rtapp_json import JsonTable, quoted

# rt-app keeps numbers in an int.
MAX_WHOLE = 2**31 - 1
# They say what rt-app writes, or what its own loop is calibrated with: nothing about the tasks.
GLOBAL_IGNORED = (
    "calibration",
    "cumulative_slack",
    "frag",
    "fragment",
    "ftrace",
    "gnuplot",
    "io_device",
    "lock_pages",
    "log_basename",
    "log_size",
    "logdir",
    "mem_buffer_size",
    "pi_enabled",
)
GLOBAL_KEYS = ("duration", "default_policy", "spacing", *GLOBAL_IGNORED)
_OF_POLICY = ("priority", "dl-runtime", "dl-period", "dl-deadline", "period", "deadline")
_SCHEDULING_KEYS = (
    "policy",
    "priority",
    "dl-runtime",
    "dl-period",
    "dl-deadline",
    "cpus",
    "nodes_membind",
    "membind_nodes",
    "taskgroup",
    "util_min",
    "util_max",
)
PHASE_KEYS = ("loop", *_SCHEDULING_KEYS)
THREAD_KEYS = (
    "instance",
    "delay",
    "phases",
    *PHASE_KEYS,
    "period",
    "deadline",
    "exec",
    "lock_order",
    "resources",
)
_TIMED_EVENTS = ("run", "runtime", "sleep")
# Each with the reason that the user is told.
UNSUPPORTED_KEYS = {
    "taskgroup": "control groups are not set up here; put laxity run into one",
    "util_min": "utilisation clamps are not set here",
    "util_max": "utilisation clamps are not set here",
    "nodes_membind": "memory is not bound to nodes here; run laxity under numactl",
    "membind_nodes": "memory is not bound to nodes here; run laxity under numactl",
    "exec": "of rt-app before 1.0; write run and timer",
    "lock_order": "of rt-app before 1.0, and locks are not supported",
    "resources": "of rt-app before 1.0, and locks are not supported",
    "spacing": "of rt-app before 1.0; write delay",
}
UNSUPPORTED_EVENTS = {
    "lock": "jobs share no locks here",
    "unlock": "jobs share no locks here",
    "wait": "jobs do not wait for each other here",
    "signal": "jobs do not wait for each other here",
    "broad": "jobs do not wait for each other here",
    "sync": "jobs do not wait for each other here",
    "suspend": "jobs do not wait for each other here",
    "resume": "jobs do not wait for each other here",
    "barrier": "jobs do not wait for each other here",
    "sem_post": "jobs do not wait for each other here",
    "sem_wait": "jobs do not wait for each other here",
    "sleep": "the period would depend on how long jobs take; write a timer",
    "mem": "how long it takes is not known",
    "memrun": "how long it takes is not known",
    "iorun": "how long it takes is not known",
    "yield": "jobs do not give up the processor here",
    "fork": "tasks all start together here",
}
EVENTS = ("run", "runtime", "timer", *UNSUPPORTED_EVENTS)
# rt-app takes everything that begins with an event's name for it, "runn" too; workgen numbers them.
_DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a task does.

    Attributes:
        key: As written; `kind` without its number.
        value: Microseconds of run, runtime, sleep and timer; 0 for others.
        ref: Name of a timer.
    """

    key: str
    kind: str
    value: int = 0
    ref: str = ""
    is_absolute: bool = False


@dataclass(frozen=True, slots=True)
class Properties:
    """One object; `where` it stands, empty if the caller says so itself."""

    pairs: dict[str, object]
    events: tuple[Event, ...]
    where: str

    @property
    def keys(self) -> tuple[str, ...]:
        """All but events."""
        return tuple(self.pairs)

    @property
    def repeats_events(self) -> bool:
        """Tell whether an event's key stands there twice."""
        return len({event.key for event in self.events}) < len(self.events)

    def overlaid(self, phase: "Properties") -> "Properties":
        """Return a task with what its only phase says.

        A policy in a phase begins anew: priority and reservation of the task do not come along.
        """
        ended = _OF_POLICY if phase.has("policy") else ()
        own = {key: value for key, value in self.pairs.items() if key not in ended}
        return Properties({**own, **phase.pairs}, phase.events, self.where)

    def has(self, key: str) -> bool:
        """Tell whether a key stands there."""
        return key in self.pairs

    def whole(self, key: str, default: int, lowest: int = -MAX_WHOLE) -> int:
        """Return a whole number.

        Raises:
            ConfigError: Not one, below `lowest`, or more than an int holds.
        """
        if key not in self.pairs:
            return default
        with located_at(self.where, key):
            return _whole(self.pairs[key], lowest)

    def text(self, key: str) -> str | None:
        """Return a text, None if there is none."""
        value = self.pairs.get(key)
        if value is None or isinstance(value, str):
            return value
        with located_at(self.where, key):
            msg = f"{_shown(value)} is no text; put it in quotes"
            raise ConfigError(msg)

    def table(self, key: str) -> JsonTable:
        """Return an object, an empty one if there is none."""
        value = self.pairs.get(key, JsonTable(()))
        if isinstance(value, JsonTable):
            return value
        with located_at(self.where, key):
            msg = f"{_shown(value)} is no object; write {{ ... }}"
            raise ConfigError(msg)

    def cpus(self) -> tuple[int, ...]:
        """Return the CPUs in ascending order, each once; empty: not stated."""
        if not self.has("cpus"):
            return ()
        value = self.pairs["cpus"]
        with located_at(self.where, "cpus"):
            if not isinstance(value, list) or not value:
                msg = f"{_shown(value)} is no list of CPUs; write for example [0, 1]"
                raise ConfigError(msg)
            cpus = {_whole(one, 0) for one in value}
            if max(cpus) > MAX_CPU:
                msg = f"{max(cpus)} is no CPU; the largest is {MAX_CPU}"
                raise ConfigError(msg)
        return tuple(sorted(cpus))


def read_properties(
    value: object, known: tuple[str, ...], where: str, *, has_events: bool = False
) -> Properties:
    """Check the keys of an object.

    Args:
        value: The object.
        known: Keys that it may have.
        where: It stands.
        has_events: Events are keys of it too.

    Raises:
        ConfigError: No object, an unknown key, a key twice that is no event, or a damaged event.
    """
    prefix = f"{where}: " if where else ""
    if not isinstance(value, JsonTable):
        msg = f"{prefix}{_shown(value)} is no object; write {{ ... }}"
        raise ConfigError(msg)
    pairs: dict[str, object] = {}
    events = []
    for key, one in value.pairs:
        kind = _event_kind(key) if has_events else None
        if kind is not None:
            with located_at(where, quoted(key)):
                events.append(_read_event(key, kind, one))
        elif key not in known:
            words = (*known, *(EVENTS if has_events else ()))
            advice = suggestion(key, words, f"use one of {' '.join(words)}")
            msg = f"{prefix}unknown key {quoted(key)}; {advice}"
            raise ConfigError(msg)
        elif key in pairs:
            msg = f"{prefix}{key}: stands there twice; remove one"
            raise ConfigError(msg)
        else:
            pairs[key] = one
    return Properties(pairs, tuple(events), where)


def located_at(where: str, key: str) -> AbstractContextManager[None]:
    """Say where a message belongs to."""
    return located(f"{where}: {key}" if where else key)


def _event_kind(key: str) -> str | None:
    kind = key.rstrip(_DIGITS)
    return kind if kind in EVENTS else None


def _read_event(key: str, kind: str, value: object) -> Event:
    if kind in _TIMED_EVENTS:
        return Event(key, kind, _whole(value, 0))
    if kind != "timer":
        return Event(key, kind)
    timer = read_properties(value, ("ref", "period", "mode"), "")
    if not timer.has("period"):
        msg = 'no period; write for example { "ref": "unique", "period": 10000 }'
        raise ConfigError(msg)
    mode = timer.text("mode") or "relative"
    if mode not in {"relative", "absolute"}:
        msg = f"mode {quoted(mode)} is unknown; use relative or absolute"
        raise ConfigError(msg)
    # rt-app's name for a timer without one, shared by all such timers.
    ref = timer.text("ref") or "unknown"
    return Event(key, kind, timer.whole("period", 0, lowest=1), ref, mode == "absolute")


def _whole(value: object, lowest: int) -> int:
    # A bool is an int to isinstance.
    if type(value) is not int:
        msg = f"{_shown(value)} is no whole number; write one (times in microseconds)"
        raise ConfigError(msg)
    if not lowest <= value <= MAX_WHOLE:
        msg = f"{value} is not between {lowest} and {MAX_WHOLE}; write a number that is"
        raise ConfigError(msg)
    return value


def _shown(value: object) -> str:
    """Show a value as JSON calls it, shortly."""
    if isinstance(value, JsonTable):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    return quoted(value)[:40] if isinstance(value, str) else str(value)[:40]
