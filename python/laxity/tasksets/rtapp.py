# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A task set of rt-app: what of it a spec can say, and a list of all that it cannot.

rt-app takes no notice of keys that it does not know, so that a task with a misspelt event does
silently less. Here every key is known, is listed as unsupported, or is an error. docs/rt-app.md.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from laxity.core.spec import MAX_PRIORITY, MIN_PRIORITY, Policy
from laxity.errors import ConfigError, located, suggestion
from laxity.tasksets.rtapp_json import quoted, read_rtapp_json
from laxity.tasksets.rtapp_tables import (
    GLOBAL_IGNORED,
    GLOBAL_KEYS,
    PHASE_KEYS,
    THREAD_KEYS,
    UNSUPPORTED_EVENTS,
    UNSUPPORTED_KEYS,
    Event,
    Properties,
    read_properties,
)

# rt-app's default of SCHED_FIFO and SCHED_RR; laxity's is another.
RTAPP_PRIORITY = 10
# Far above any task set; keeps a mistyped number of instances out of memory.
MAX_TASKS = 1024
_POLICIES = {
    "SCHED_FIFO": Policy.FIFO,
    "SCHED_RR": Policy.RR,
    "SCHED_OTHER": Policy.OTHER,
    "SCHED_DEADLINE": Policy.DEADLINE,
}
_UNSUPPORTED_POLICIES = ("SCHED_BATCH", "SCHED_IDLE")
_FOREVER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class RtappTask:
    """One task that a spec can say.

    Attributes:
        work_us: Sum of its run and runtime events; 0: it has none.
        priority: None: the policy has none.
        runtime_us: What SCHED_DEADLINE reserves; None: another policy.
        deadline_us: Under SCHED_DEADLINE; None: the period.
        is_absolute: Releases stay where they are after a late job, which is overrun queue.
        counts_elapsed_time: Has a runtime event.
        jobs: None: without end.
    """

    name: str
    period_us: int
    offset_us: int
    work_us: int
    policy: Policy
    priority: int | None
    runtime_us: int | None
    deadline_us: int | None
    cpus: tuple[int, ...]
    is_absolute: bool
    counts_elapsed_time: bool
    jobs: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RtappSet:
    """What was read.

    Attributes:
        jobs: Of every task; None: without end.
        duration_s: None: without end.
        unsupported: One line each: place, name, why.
        has_all_work: False: tasks or events are left out, so that less is done than by rt-app.
        ignored: Keys that say nothing about the tasks.
        repeats_events: An event stands there twice: rt-app alone, without workgen, keeps the last.
    """

    tasks: tuple[RtappTask, ...]
    jobs: int | None
    duration_s: int | None
    unsupported: tuple[str, ...]
    has_all_work: bool
    ignored: tuple[str, ...]
    repeats_events: bool


class _Findings:
    """What has no counterpart, collected while tasks are read."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.has_all_work = True
        self.repeats_events = False

    def add(self, place: str, what: str, is_work: bool = True) -> None:
        self.lines.append(f"{place}: {what}")
        self.has_all_work &= not is_work


def read_rtapp(data: bytes) -> RtappSet:
    """Read a task set of rt-app.

    Args:
        data: Content of its file.

    Returns:
        The tasks that a spec can say, and by place and name what it cannot.

    Raises:
        ConfigError: No such file, an unknown key, or a value that cannot be.
    """
    top = read_properties(read_rtapp_json(data), ("tasks", "global", "resources"), "top level")
    found = _Findings()
    settings = read_properties(top.table("global"), GLOBAL_KEYS, "global")
    tables = top.table("tasks")
    if not tables.pairs:
        msg = 'no "tasks"; name a task set of rt-app'
        raise ConfigError(msg)
    _list_unsupported_keys(settings, found)
    default_policy = settings.text("default_policy") or "SCHED_OTHER"
    with located("global: default_policy"):
        _check_policy(default_policy)
    threads: list[tuple[int, RtappTask | None, set[str]]] = []
    seen: set[str] = set()
    for name, table in tables.pairs:
        with located(f"task {quoted(name)}"):
            if name in seen:
                msg = "two tasks have this name; give each a name of its own"
                raise ConfigError(msg)
            seen.add(name)
            threads.append(_read_thread(name, table, default_policy, found))
    tasks = _expand(_without_shared_timers(threads, found))
    ignored = [f"global.{key}" for key in GLOBAL_IGNORED if settings.has(key)]
    return RtappSet(
        tasks=tasks,
        jobs=_jobs(tasks, found),
        duration_s=_duration_s(settings),
        unsupported=tuple(found.lines),
        has_all_work=found.has_all_work,
        ignored=(*ignored, *(["resources"] if top.has("resources") else [])),
        repeats_events=found.repeats_events,
    )


def _duration_s(settings: Properties) -> int | None:
    duration_s = settings.whole("duration", _FOREVER)
    if duration_s == 0 or duration_s < _FOREVER:
        msg = f"global: duration {duration_s} is no time; write seconds, or -1 for no end"
        raise ConfigError(msg)
    return None if duration_s == _FOREVER else duration_s


def _read_thread(
    name: str, table: object, default_policy: str, found: _Findings
) -> tuple[int, RtappTask | None, set[str]]:
    """Read one object of "tasks".

    Returns:
        Number of its instances, the task or None if it is left out, the timers that it uses.
    """
    thread = read_properties(table, THREAD_KEYS, "", has_events=True)
    instances = thread.whole("instance", 1)
    if not 0 <= instances <= MAX_TASKS:
        msg = f"instance {instances} is not between 0 and {MAX_TASKS}; correct it"
        raise ConfigError(msg)
    place = f"task {quoted(name)}"
    phases = _phases(thread)
    for one in [thread, *phases]:
        _list_unsupported_keys(one, found, place)
        found.repeats_events |= one.repeats_events
        _check_policy(one.text("policy") or default_policy)
        _list_unsupported_events(one, place, found)
    if len(phases) > 1:
        found.add(place, f"phases: {len(phases)}, and jobs of a task are all alike here; left out")
        return 0, None, set()
    whole = thread if not phases else thread.overlaid(phases[0])
    jobs = _loops(thread, phases)
    timers = {event.ref for event in whole.events if event.kind == "timer"}
    if instances == 0:
        found.add(place, "instance 0: nothing but a fork starts it; left out")
        return 0, None, set()
    task = _periodic_task(name, whole, default_policy, found)
    return instances, None if task is None else replace(task, jobs=jobs), timers


def _phases(thread: Properties) -> list[Properties]:
    if not thread.has("phases"):
        return []
    if thread.events:
        msg = f"{thread.events[0].key}: rt-app ignores events beside phases; move it into one"
        raise ConfigError(msg)
    found = []
    for name, table in thread.table("phases").pairs:
        where = f"phase {quoted(name)}"
        found.append(read_properties(table, PHASE_KEYS, where, has_events=True))
    if not found:
        msg = "phases: there is none; write one, or events"
        raise ConfigError(msg)
    return found


def _loops(thread: Properties, phases: Sequence[Properties]) -> int | None:
    """Return how often the events are executed; None: without end."""
    loops = [thread.whole("loop", _FOREVER), *(one.whole("loop", 1) for one in phases)]
    total = 1
    for loop in loops:
        if loop == 0 or loop < _FOREVER:
            msg = f"loop {loop} is no number of times; write 1 or more, or -1 for no end"
            raise ConfigError(msg)
        total *= loop
    return None if _FOREVER in loops else total


def _list_unsupported_keys(table: Properties, found: _Findings, place: str = "") -> None:
    where = ": ".join(part for part in (place, table.where) if part)
    for key in table.keys:
        if key in UNSUPPORTED_KEYS:
            is_work = key in {"exec", "lock_order", "resources", "spacing"}
            found.add(f"{where}: {key}", UNSUPPORTED_KEYS[key], is_work)


def _list_unsupported_events(table: Properties, place: str, found: _Findings) -> None:
    where = ": ".join(part for part in (place, table.where) if part)
    for index, event in enumerate(table.events):
        if event.kind in UNSUPPORTED_EVENTS:
            what = f"{where}: {event.key} (event {index + 1})"
            found.add(what, UNSUPPORTED_EVENTS[event.kind])


def _periodic_task(
    name: str, table: Properties, default_policy: str, found: _Findings
) -> RtappTask | None:
    """Read a task whose only phase releases by one timer; others are left out, and listed."""
    place = f"task {quoted(name)}"
    if not table.events:
        msg = "no event; write run and timer"
        raise ConfigError(msg)
    timers = [event for event in table.events if event.kind == "timer"]
    if len(timers) != 1:
        why = f"{len(timers)} timers" if timers else _without_timer(table.events)
        found.add(place, f"{why}; left out")
        return None
    timer = timers[0]
    if timer not in {table.events[0], table.events[-1]}:
        found.add(f"{place}: {timer.key}", "stands between events of one job; task left out")
        return None
    policy = _policy(table, default_policy, place, found)
    period_us, deadline_us, runtime_us = timer.value, None, None
    if policy is Policy.DEADLINE:
        runtime_us, reserved_us, deadline_us = _reservation(table)
        if reserved_us != period_us:
            what = f"{reserved_us} us, its timer {period_us} us: here they are one; left out"
            found.add(f"{place}: dl-period", what)
            return None
    else:
        _list_reservation(table, place, found)
    # A timer that comes first lets its period pass before the first job.
    leads = timer is table.events[0] and len(table.events) > 1
    return RtappTask(
        name=name,
        period_us=period_us,
        offset_us=table.whole("delay", 0, lowest=0) + (period_us if leads else 0),
        work_us=sum(one.value for one in table.events if one.kind in {"run", "runtime"}),
        policy=policy,
        priority=_priority(table, policy, place, found),
        runtime_us=runtime_us,
        deadline_us=deadline_us,
        cpus=table.cpus(),
        is_absolute=timer.is_absolute,
        counts_elapsed_time=any(one.kind == "runtime" for one in table.events),
        jobs=None,
    )


def _without_timer(events: Sequence[Event]) -> str:
    why = "no timer, so nothing says its period"
    if {event.kind for event in events} <= {"run", "runtime", "sleep"}:
        undisturbed_us = sum(event.value for event in events)
        why += f" ({undisturbed_us} us if nothing delays it: write a timer of that)"
    return why


def _policy(table: Properties, default: str, place: str, found: _Findings) -> Policy:
    word = table.text("policy") or default
    if word in _UNSUPPORTED_POLICIES:
        found.add(f"{place}: policy {word}", "written as policy other", is_work=False)
        return Policy.OTHER
    return _POLICIES[word]


def _check_policy(word: str) -> None:
    known = (*_POLICIES, *_UNSUPPORTED_POLICIES)
    if word not in known:
        advice = suggestion(word, known, f"use one of {' '.join(known)}")
        msg = f"policy {quoted(word)} is unknown; {advice}"
        raise ConfigError(msg)


def _priority(table: Properties, policy: Policy, place: str, found: _Findings) -> int | None:
    """Return the priority: the kernel's in rt-app as in laxity, 1 to 99, larger is higher."""
    if policy in {Policy.FIFO, Policy.RR}:
        priority = table.whole("priority", RTAPP_PRIORITY)
        if not MIN_PRIORITY <= priority <= MAX_PRIORITY:
            msg = f"priority {priority} is not between {MIN_PRIORITY} and {MAX_PRIORITY}; change it"
            raise ConfigError(msg)
        return priority
    priority = table.whole("priority", 0)
    if priority:
        what = "under SCHED_OTHER it is a nice value, which is not set here"
        if policy is Policy.DEADLINE:
            what = "the kernel takes none under SCHED_DEADLINE"
        found.add(f"{place}: priority {priority}", what, is_work=False)
    return None


def _reservation(table: Properties) -> tuple[int, int, int]:
    """Return runtime, period and deadline of SCHED_DEADLINE; the older keys have no dl-."""
    if not table.has("dl-runtime"):
        msg = "SCHED_DEADLINE without dl-runtime; add it (a plain runtime is an event)"
        raise ConfigError(msg)
    runtime_us = table.whole("dl-runtime", 0, lowest=1)
    older = table.whole("period", runtime_us, lowest=1)
    period_us = table.whole("dl-period", older, lowest=1)
    older = table.whole("deadline", period_us, lowest=1)
    return runtime_us, period_us, table.whole("dl-deadline", older, lowest=1)


def _list_reservation(table: Properties, place: str, found: _Findings) -> None:
    for key in ("dl-runtime", "dl-period", "dl-deadline", "period", "deadline"):
        if table.has(key):
            what = "says something under SCHED_DEADLINE only; a timer says the period"
            found.add(f"{place}: {key}", what, is_work=False)


def _without_shared_timers(
    threads: Sequence[tuple[int, RtappTask | None, set[str]]], found: _Findings
) -> list[tuple[int, RtappTask]]:
    """Leave out tasks that take turns on one timer: each then has every so many-th release."""
    users = Counter(ref for _, _, timers in threads for ref in timers)
    kept = []
    for instances, task, timers in threads:
        if task is None:
            continue
        shared = [ref for ref in timers if not ref.startswith("unique")]
        shared = [ref for ref in shared if instances > 1 or users[ref] > 1]
        if shared:
            what = 'is shared, so releases depend on who is first; write "ref": "unique"; left out'
            found.add(f"task {quoted(task.name)}: timer {quoted(shared[0])}", what)
            continue
        kept.append((instances, task))
    return kept


def _expand(threads: Sequence[tuple[int, RtappTask]]) -> tuple[RtappTask, ...]:
    if sum(instances for instances, _ in threads) > MAX_TASKS:
        msg = f"tasks: more than {MAX_TASKS} instances together; write fewer"
        raise ConfigError(msg)
    tasks: list[RtappTask] = []
    for instances, task in threads:
        if instances == 1:
            tasks.append(task)
            continue
        tasks += [replace(task, name=f"{task.name}-{index}") for index in range(instances)]
    return tuple(tasks)


def _jobs(tasks: Sequence[RtappTask], found: _Findings) -> int | None:
    """Return the number of jobs of every task, which a spec has for all of them together."""
    jobs = {task.jobs for task in tasks}
    if len(jobs) > 1:
        words = ", ".join(
            f"{quoted(task.name)} {'without end' if task.jobs is None else task.jobs}"
            for task in tasks
        )
        found.add("loop", f"differs, and jobs is one for all tasks here: {words}", is_work=False)
        return None
    return next(iter(jobs), None)
