# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From what the user wrote (TOML tables, options) to a resolved `Spec`.

Every refusal names the place and the value.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from msgspec import structs

from laxity.core.board_url import parse_board_url
from laxity.core.cpus import parse_cpus
from laxity.core.isolation import read_calls, read_isolation, read_stdin, refuse_need_in_run
from laxity.core.memory_place import read_memory_places
from laxity.core.own_program import (
    check_corunner,
    check_exec,
    refuse_exec_in_run,
    with_program_of_before,
)
from laxity.core.regulate_table import read_regulate, with_theta
from laxity.core.schema import limit, options_by_key, options_of
from laxity.core.spec import (
    DEFAULT_PRIORITY,
    MAX_PRIORITY,
    MAX_PROCESSES,
    MIN_PRIORITY,
    NATIVE_PLATFORM,
    SIMULATED,
    TRACE_AUTO,
    TRACE_BACKENDS,
    CountedBy,
    Idle,
    InterfereSpec,
    InterfereTable,
    Overrun,
    Policy,
    RunTable,
    SampleBy,
    Snapshots,
    Spec,
    TaskSpec,
    TaskTable,
    check_platform,
)
from laxity.core.spec_tables import (
    array_of_tables,
    convert_table,
    read_choice,
    read_document,
    read_duration_ns,
    read_option,
    task_label,
)
from laxity.core.stop_on import parse_stop_on
from laxity.core.task_set import stated_bound_keys
from laxity.core.units import exact_duration, parse_duration_ns
from laxity.errors import ConfigError, located

MAX_SEED = 2**63 - 1
# What the kernel can reserve under SCHED_DEADLINE (native/base/port/deadline.h).
MIN_RUNTIME_NS = 1024
# A spec is read by people; this bound only keeps a mistyped path to a huge file out of memory.
MAX_SPEC_BYTES = 1 << 20
_KEEP_TAIL = re.compile(r"tail:([1-9][0-9]{0,17})", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_EVENT = re.compile(r"[A-Za-z0-9_:.=-]{1,47}", re.ASCII)
MAX_EVENTS = limit("events_max")
# A sample costs microseconds: below this a sampler takes a tenth of its CPU.
_NATIVE_BUCKET_NS = 100_000
# What laxity-run stores of it ends with a NUL.
_MAX_NAME = limit("name_bytes") - 1


def is_spec_path(argument: str) -> bool:
    """Tell a spec file from the name of a workload: it has a `/` or ends in `.toml`."""
    return "/" in argument or argument.endswith(".toml")


def read_spec_toml(
    data: bytes,
    overrides: dict[str, Any],
    resolution_ns: int,
    beside: Sequence[dict[str, Any]] = (),
    *,
    is_stored: bool = False,
    theta: str | None = None,
) -> Spec:
    """Read the text of a spec file.

    Args:
        data: Content of the file.
        overrides: Keys of `[run]` given as options; they replace those of the file.
        resolution_ns: Resolution of the clock that releases jobs.
        beside: Co-runners more than those of the file, `[[interfere]]` tables.
        is_stored: It is that of a run, which an earlier version may have written.
        theta: Of `[regulate]`, given as an option.

    Raises:
        ConfigError: Not TOML, unknown key, or a value that cannot be.
    """
    document = read_document(data)
    run = document.get("run", {})
    if not isinstance(run, dict):
        msg = "run is not a table; write [run]"
        raise ConfigError(msg)
    run = {**run, **overrides}
    tasks = array_of_tables(document, "task")
    if is_stored:
        tasks = with_program_of_before(tasks)
    interfere = [*array_of_tables(document, "interfere"), *beside]
    regulate = with_theta(document.get("regulate"), theta)
    return resolve_spec(run, tasks, interfere, resolution_ns, regulate)


def resolve_spec(
    run: dict[str, Any],
    tasks: list[dict[str, Any]],
    interfere: list[dict[str, Any]],
    resolution_ns: int,
    regulate: object = None,
) -> Spec:
    """Check tables as the user wrote them and make every default explicit.

    Args:
        run: `[run]`.
        tasks: The `[[task]]` tables.
        interfere: The `[[interfere]]` tables.
        resolution_ns: Resolution of the clock that releases jobs.
        regulate: `[regulate]`; None: there is none.

    Raises:
        ConfigError: Unknown key, or a value that cannot be.
    """
    table = convert_table(run, RunTable, "[run]")
    if not tasks:
        msg = "no [[task]]: nothing would run; write at least one"
        raise ConfigError(msg)
    resolved_tasks = tuple(
        _resolve_task(convert_table(task, TaskTable, task_label(task, index)), resolution_ns)
        for index, task in enumerate(tasks)
    )
    resolved_interfere = tuple(
        _resolve_interfere(
            convert_table(one, InterfereTable, f"interfere {index}"),
            f"interfere {index}",
        )
        for index, one in enumerate(interfere)
    )
    _check_names(resolved_tasks)
    n_processes = len(resolved_tasks) + sum(len(one.cpus) or 1 for one in resolved_interfere)
    if n_processes > MAX_PROCESSES:
        msg = (
            f"{n_processes} tasks and co-runners: each is a process of its own, and a run has at "
            f"most {MAX_PROCESSES}; run fewer at once"
        )
        raise ConfigError(msg)
    with located("[run]"):
        spec = _resolve_run(table, resolved_tasks, resolved_interfere)
    names = [task.name for task in resolved_tasks]
    regulated = read_regulate(regulate, names, spec.on or spec.platform)
    return structs.replace(spec, regulate=regulated)


def parse_interfere_option(text: str) -> dict[str, Any]:
    """Read the option `--interfere 'NAME ARG...@CPUS'` into an `[[interfere]]` table.

    Split at the last `@`; the words before it follow shell rules.
    """
    words, at, cpus = text.rpartition("@")
    parsed = split_words(words, f'--interfere "{text}"')
    if not at or not parsed:
        example = "bandwidth write 1MiB@0"
        msg = f'--interfere "{text}": not NAME ARG...@CPUS; write for example "{example}"'
        raise ConfigError(msg)
    return {"workload": parsed[0], "args": parsed[1:], "cpus": cpus}


def reservation_keys(
    task: dict[str, Any], period: str | None, deadline: str | None
) -> dict[str, Any]:
    """Add what RT-Bench's options -P, -D and -T say to a `[[task]]` table.

    A task is scheduled with the period and deadline that it has, so -P and -D give them or repeat
    them; any of the three means policy deadline.

    Args:
        task: Keys given as options; `runtime` is that of -T.
        period: Of -P, None if not given.
        deadline: Of -D, None if not given.

    Raises:
        ConfigError: -P or -D differs from the task's own.
    """
    keys = dict(task)
    for letter, key, value in (("-P", "period", period), ("-D", "deadline", deadline)):
        if value is None:
            continue
        with located(letter):
            value_ns = parse_duration_ns(value)
        own = keys.setdefault(key, value)
        if own == "none" or parse_duration_ns(own) != value_ns:
            msg = (
                f"{letter} {value}: the {key} of the task is {own}, and it is scheduled with that; "
                f"leave {letter} out or make them equal"
            )
            raise ConfigError(msg)
    if "runtime" in keys or period is not None or deadline is not None:
        policy = keys.setdefault("policy", Policy.DEADLINE.value)
        if policy != Policy.DEADLINE.value:
            msg = f"--policy {policy}: -P, -D and -T are of policy deadline; leave one or them out"
            raise ConfigError(msg)
    return keys


def split_words(text: str, where: str) -> list[str]:
    """Split a quoted option into words by shell rules.

    Raises:
        ConfigError: A quotation is not closed.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        msg = f"{where}: cannot be split into words ({error}); close the quotation"
        raise ConfigError(msg) from error


def _check_names(tasks: Iterable[TaskSpec]) -> None:
    """Refuse two tasks of one name: figures and messages name their task."""
    seen: set[str] = set()
    for task in tasks:
        if task.name in seen:
            msg = f'task "{task.name}": two tasks have this name; give each a name of its own'
            raise ConfigError(msg)
        seen.add(task.name)


def _resolve_run(
    run: RunTable, tasks: tuple[TaskSpec, ...], interfere: tuple[InterfereSpec, ...]
) -> Spec:
    check_platform(run.platform, run.on)
    for name, value, low in (
        ("jobs", run.jobs, 1),
        ("seed", run.seed, 0),
        ("max_misses", run.max_misses, 0),
    ):
        if value is not None and not low <= value <= MAX_SEED:
            msg = f"{name} {value} is not between {low} and {MAX_SEED}; write a number that is"
            raise ConfigError(msg)
    refuse_exec_in_run(run, tasks, interfere)
    refuse_need_in_run(tasks, run.jobs)
    places = [*(task.place for task in tasks), *(one.place for one in interfere)]
    if any(places) and not run.platform.startswith(SIMULATED):
        msg = (
            "place: only memory of simulated platforms is placed; leave it out (platform sim:NAME)"
        )
        raise ConfigError(msg)
    if run.keep not in {"all", "misses"} and not _KEEP_TAIL.fullmatch(run.keep):
        msg = f'keep "{run.keep}" is unknown; use all, misses or tail:N (the last N rows)'
        raise ConfigError(msg)
    return Spec(
        platform=run.platform,
        on=_resolve_on(run.on),
        jobs=run.jobs,
        duration_ns=_positive_duration(run.duration, "duration"),
        seed=run.seed,
        idle=read_choice(run.idle, Idle, "idle"),
        snapshots=read_choice(run.snapshots, Snapshots, "snapshots"),
        keep=run.keep,
        max_misses=run.max_misses,
        max_response_ns=_positive_duration(run.max_response, "max_response"),
        fail_fast=run.fail_fast,
        stop_on=parse_stop_on(run.stop_on, [task.deadline_ns for task in tasks]),
        events=_resolve_events(run.events, run.snapshots, tasks),
        counters=_resolve_counters(run),
        sample_bucket_ns=_resolve_sample_bucket(run),
        sample_cpu=_resolve_sample_cpu(run),
        sample_by=_resolve_sample_by(run),
        sample_above=_resolve_sample_above(run),
        trace=_resolve_trace(run.trace, run.on),
        tasks=tasks,
        interfere=interfere,
    )


def _resolve_events(
    events: list[str], snapshots: str, tasks: tuple[TaskSpec, ...]
) -> tuple[str, ...]:
    check_event_names(events)
    if events and snapshots != Snapshots.ALL:
        msg = f"events: counters are read with snapshots all, not {snapshots}; write all"
        raise ConfigError(msg)
    for task in tasks:
        if events and task.threads > 1:
            msg = (
                f'events: task "{task.name}" has {task.threads} threads and only its main one is '
                "counted; leave events out"
            )
            raise ConfigError(msg)
    return tuple(events)


def check_event_names(events: Sequence[str]) -> None:
    """Check the shape of a list of events; which names there are only native programs know.

    Raises:
        ConfigError: One is no name, or stands there twice, or there are too many.
    """
    for event in events:
        if not _EVENT.fullmatch(event):
            msg = f'events: "{event}" is not the name of an event; laxity list events shows them'
            raise ConfigError(msg)
        if events.count(event) > 1:
            msg = f'events: "{event}" stands there twice; once is enough'
            raise ConfigError(msg)
    if len(events) > MAX_EVENTS:
        msg = f"events: {len(events)} of them; at most {MAX_EVENTS} are kept per job"
        raise ConfigError(msg)


def _resolve_counters(run: RunTable) -> CountedBy:
    counters = read_choice(run.counters, CountedBy, "counters")
    if counters is CountedBy.MODEL and run.platform == NATIVE_PLATFORM:
        msg = f"counters {counters}: a machine has no model; leave it out, or name a sim:NAME"
        raise ConfigError(msg)
    return counters


def _resolve_sample_bucket(run: RunTable) -> int | None:
    if run.sample_bucket is None:
        return None
    bucket_ns = read_option("sample_bucket", run.sample_bucket)
    if run.platform == NATIVE_PLATFORM and bucket_ns < _NATIVE_BUCKET_NS:
        msg = (
            f'sample_bucket "{run.sample_bucket}" is below {exact_duration(_NATIVE_BUCKET_NS)}, '
            "which only a simulated platform can do; write a longer one"
        )
        raise ConfigError(msg)
    if not run.events:
        msg = "sample_bucket (-M): no event to sample; name some in events"
        raise ConfigError(msg)
    return bucket_ns


def _resolve_sample_cpu(run: RunTable) -> int | None:
    if run.sample_cpu is None:
        return None
    if run.sample_bucket is None:
        msg = "sample_cpu: nothing is sampled; write sample_bucket too"
        raise ConfigError(msg)
    last = limit("cpus_max") - 1
    if not 0 <= run.sample_cpu <= last:
        msg = f"sample_cpu {run.sample_cpu} is no CPU number; write 0 to {last}"
        raise ConfigError(msg)
    return run.sample_cpu


def _resolve_sample_by(run: RunTable) -> SampleBy:
    by = read_choice(run.sample_by, SampleBy, "sample_by")
    if by is SampleBy.FREE:
        return by
    if run.platform == NATIVE_PLATFORM:
        msg = (
            f"sample_by {by}: of simulated platforms; a machine's tasks have a thread that reads "
            "their events, and interrupts sample in laxity observe --events"
        )
        raise ConfigError(msg)
    if run.sample_bucket is None:
        msg = f"sample_by {by}: nothing is sampled; write sample_bucket too"
        raise ConfigError(msg)
    return by


def _resolve_sample_above(run: RunTable) -> str | None:
    if run.sample_above is None:
        return None
    name, is_split, text = run.sample_above.partition("=")
    if not is_split or not text.isascii() or not text.isdigit() or not 0 < int(text) < 1 << 63:
        msg = f'sample_above "{run.sample_above}": not EVENT=N; write l1i_refill=100'
        raise ConfigError(msg)
    if name not in run.events:
        msg = f"sample_above: {name} is not counted; name it in events"
        raise ConfigError(msg)
    if run.platform == NATIVE_PLATFORM:
        msg = "sample_above: of simulated platforms; leave it out"
        raise ConfigError(msg)
    if run.sample_bucket is None:
        msg = "sample_above: nothing is sampled; write sample_bucket too"
        raise ConfigError(msg)
    return run.sample_above


def _resolve_on(value: str | None) -> str | None:
    with located("on"):
        return None if value is None else str(parse_board_url(value))


def _resolve_trace(value: object, on: str | None) -> str | None:
    if value is False:
        return None
    if on is not None:
        msg = f'trace: is recorded on this machine alone, and "on" names {on}; remove one of them'
        raise ConfigError(msg)
    if value is True or value == TRACE_AUTO:
        return TRACE_AUTO
    if not isinstance(value, str) or value not in TRACE_BACKENDS:
        known = " or ".join(f'"{name}"' for name in TRACE_BACKENDS)
        msg = f'trace "{value}" is unknown; write true, false or a back-end: {known}'
        raise ConfigError(msg)
    return value


def _resolve_task(task: TaskTable, resolution_ns: int) -> TaskSpec:
    check_exec(task)
    name = task.name
    if name is None:
        name = PurePath((task.exec or task.program or [task.workload or ""])[0]).name
    if len(name) > _MAX_NAME:
        msg = f'task "{name[:_MAX_NAME]}...": name of {len(name)} letters; use at most {_MAX_NAME}'
        raise ConfigError(msg)
    with located(f'task "{name}"'):
        if not _NAME.fullmatch(name):
            msg = f'name "{name}" is not usable in paths; use letters, digits, . _ -'
            raise ConfigError(msg)
        period_ns = _resolve_period(task.period, resolution_ns)
        overrun = read_choice(task.overrun, Overrun, "overrun")
        deadline_ns = _resolve_deadline(task.deadline, period_ns, overrun)
        policy = read_choice(task.policy, Policy, "policy")
        return TaskSpec(
            name=name,
            workload=task.workload or "",
            args=_words(task.args),
            exec=tuple(task.exec or ()),
            program=tuple(task.program or ()),
            isolation=read_isolation(task),
            stdin=read_stdin(task),
            calls=read_calls(task),
            period_ns=period_ns,
            deadline_ns=deadline_ns,
            policy=policy,
            priority=_resolve_priority(task.priority, policy),
            runtime_ns=_resolve_runtime(task.runtime, policy, deadline_ns, period_ns),
            cpus=_resolve_cpus(task.cpus),
            overrun=overrun,
            job_timeout_ns=_resolve_job_timeout(task.job_timeout, deadline_ns, period_ns),
            memory_need=task.memory_need,
            threads=_resolve_threads(task.threads, policy),
            place=_resolve_place(task.place),
            bound=stated_bound_keys(task),
            **{
                options_by_key()[key].field: read_option(key, getattr(task, key))
                for key in _PLAIN
                if getattr(task, key) is not None
            },
        )


# Keys whose value depends on another key; all others are read as they are declared.
_WITH_RULES = ("period", "deadline", "runtime", "job_timeout", "priority", "threads", "calls")
_PLAIN = tuple(
    key
    for key, option in options_by_key().items()
    if option in options_of("task")
    and option.type in {"duration", "size", "count"}
    and key in TaskTable.__struct_fields__
    and key not in _WITH_RULES
)


def _resolve_interfere(one: InterfereTable, where: str) -> InterfereSpec:
    with located(where):
        check_corunner(one)
        policy = read_choice(one.policy, Policy, "policy")
        if policy is Policy.DEADLINE:
            msg = "policy deadline needs a period, and a co-runner has none; use fifo, rr or other"
            raise ConfigError(msg)
        return InterfereSpec(
            workload=one.workload or "",
            args=_words(one.args),
            exec=tuple(one.exec or ()),
            cpus=_resolve_cpus(one.cpus),
            policy=policy,
            priority=_resolve_priority(one.priority, policy),
            place=_resolve_place(one.place),
        )


def _resolve_place(text: str) -> str:
    read_memory_places(text)
    return text


def _resolve_period(value: object, resolution_ns: int) -> int:
    if value is None:
        msg = 'no period; write for example period = "10ms" (option: --period 10ms)'
        raise ConfigError(msg)
    period_ns = read_duration_ns(value, "period")
    if period_ns == 0:
        msg = f'period "{value}" is not above 0; write for example 10ms'
        raise ConfigError(msg)
    shortest_ns = max(resolution_ns, limit("period_min_ns"))
    if period_ns < shortest_ns:
        shortest = exact_duration(shortest_ns)
        why = "the clock's resolution" if shortest_ns == resolution_ns else "what can be released"
        msg = f'period "{value}" is below {why}; write {shortest} or more'
        raise ConfigError(msg)
    return period_ns


def _resolve_deadline(value: object, period_ns: int, overrun: Overrun) -> int | None:
    if value is None:
        return period_ns
    if value == "none":
        return None
    deadline_ns = read_duration_ns(value, "deadline")
    if deadline_ns == 0:
        msg = f'deadline "{value}" is not above 0; write a longer one, or none'
        raise ConfigError(msg)
    if deadline_ns > period_ns and overrun is not Overrun.QUEUE:
        msg = (
            f"deadline {value} is longer than period {exact_duration(period_ns)}; "
            "set a deadline <= period or pass --overrun queue"
        )
        raise ConfigError(msg)
    return deadline_ns


def _resolve_job_timeout(value: object, deadline_ns: int | None, period_ns: int) -> int:
    if value is None:
        longest_ns = limit("job_timeout_default_factor") * max(deadline_ns or 0, period_ns)
        return min(max(limit("job_timeout_default_min_ns"), longest_ns), limit("duration_max_ns"))
    return read_option("job_timeout", value)


def _resolve_runtime(
    value: object, policy: Policy, deadline_ns: int | None, period_ns: int
) -> int | None:
    """Check what policy deadline reserves: runtime <= deadline <= period (sched(7))."""
    if policy is not Policy.DEADLINE:
        if value is not None:
            msg = f'runtime "{value}" means nothing under policy {policy.value}; remove it'
            raise ConfigError(msg)
        return None
    if value is None:
        msg = "policy deadline needs a runtime; add one, for example 2ms"
        raise ConfigError(msg)
    runtime_ns = read_duration_ns(value, "runtime")
    if runtime_ns < MIN_RUNTIME_NS:
        msg = f'runtime "{value}" is below what the kernel can reserve; write 1024ns or more'
        raise ConfigError(msg)
    latest_ns = min(deadline_ns or period_ns, period_ns)
    if runtime_ns > latest_ns:
        what = "deadline" if latest_ns < period_ns else "period"
        msg = f"runtime {value} is longer than {what} {exact_duration(latest_ns)}; shorten it"
        raise ConfigError(msg)
    return runtime_ns


def _resolve_priority(value: int | None, policy: Policy) -> int | None:
    if policy in {Policy.OTHER, Policy.DEADLINE}:
        if value is not None:
            msg = f"priority {value} means nothing under policy {policy.value}; remove it"
            raise ConfigError(msg)
        return None
    if value is None:
        return DEFAULT_PRIORITY
    if not MIN_PRIORITY <= value <= MAX_PRIORITY:
        msg = (
            f"priority {value} is not between {MIN_PRIORITY} and {MAX_PRIORITY}; "
            "larger is higher, 50 is the default"
        )
        raise ConfigError(msg)
    return value


def _resolve_threads(value: int | None, policy: Policy) -> int:
    if value is None:
        return 1
    if read_option("threads", value) > 1 and policy is Policy.DEADLINE:
        # The kernel lets no thread inherit a reservation.
        msg = f"threads {value}: policy deadline reserves time for one thread; use fifo or rr"
        raise ConfigError(msg)
    return value


def _resolve_cpus(value: object) -> tuple[int, ...]:
    with located("cpus"):
        return () if value is None else parse_cpus(value)


def _words(args: list[str]) -> tuple[str, ...]:
    for word in args:
        if "\0" in word:
            msg = "args: a word holds a NUL character; remove it"
            raise ConfigError(msg)
    return tuple(args)


def _positive_duration(value: object, what: str) -> int | None:
    if value is None:
        return None
    duration_ns = read_duration_ns(value, what)
    if duration_ns == 0:
        msg = f'{what} "{value}" is not above 0; write a longer one'
        raise ConfigError(msg)
    return duration_ns
