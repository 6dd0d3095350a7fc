# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The task set that `bound` reads from a spec file; what only runs need is not read.

One file is run, measured and bounded, so each reader checks the other's keys, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NewType, TypeAlias

from laxity.core.cpus import parse_cpus
from laxity.core.percent import parse_percent
from laxity.core.regulate_table import read_regulate
from laxity.core.spec import (
    BOUND_KEYS,
    DEFAULT_PRIORITY,
    MAX_PRIORITY,
    MIN_PRIORITY,
    SIMULATED,
    InterfereTable,
    Isolation,
    Policy,
    RegulateSpec,
    RunTable,
    TaskSpec,
    TaskTable,
)
from laxity.core.spec_tables import (
    array_of_tables,
    convert_table,
    read_choice,
    read_document,
    read_duration_ns,
    task_label,
)
from laxity.core.units import parse_size_bytes
from laxity.errors import ConfigError, located

# Sets of a cache. Beyond any cache there is, so that only slips are refused.
MAX_CACHE_SET = (1 << 24) - 1
FIXED_PRIORITY = (Policy.FIFO, Policy.RR)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundKeys:
    """What `[[task]]` states for `bound`; None: not stated.

    Attributes:
        overhead_ppm: How much longer co-runners make a job, parts per million of its wcet.
        contention: Path of the contention table.
        gamma_ns: Reload after one preemption, co-runners included.
        gamma_n: Preemptions that it was observed in; 0: it is stated.
    """

    wcet_ns: int | None
    jitter_ns: int
    blocking_ns: int
    working_set_bytes: int | None
    ucb: frozenset[int]
    ecb: frozenset[int]
    overhead_ppm: int
    contention: str | None = None
    gamma_ns: int | None = None
    gamma_n: int = 0


# An execution time that a job does take: stated in the file, or seen in a run. It holds no margin
# and no extrapolation, and only such a time proves that a deadline is missed.
CertainNs = NewType("CertainNs", int)


@dataclass(frozen=True, slots=True)
class RunWcet:
    """C of a task that was measured.

    Attributes:
        wcet_ns: What the bound counts with, margin included; above 0.
        observed_ns: The longest that a job did take.
    """

    wcet_ns: int
    observed_ns: int


@dataclass(frozen=True, slots=True)
class Work:
    """What a job of a task does.

    Attributes:
        program: Workload or program with its words; empty: the file names none.
        calls: How often a job does it.
    """

    program: tuple[str, ...] = ()
    calls: int = 1


# Finds C of a task in the run that `wcet_from` names: path as written, name of the task, its work.
WcetReader: TypeAlias = Callable[[str, str, Work], RunWcet]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTask:
    """One `[[task]]` as `bound` reads it.

    Attributes:
        priority: Means nothing under policy deadline.
        cpu: None: the file names none, or several.
        cpus: All that it names.
        work: What a job does.
        observed_ns: The longest that a job did take, where C is measured; None: C is stated.
        is_isolated: Something is done between its jobs, at its priority (key isolation).
    """

    name: str
    period_ns: int
    deadline_ns: int
    offset_ns: int
    policy: Policy
    priority: int
    cpu: int | None
    wcet_ns: int
    keys: BoundKeys
    cpus: tuple[int, ...] = ()
    work: Work = Work()
    observed_ns: int | None = None
    is_isolated: bool = False

    @property
    def certain_wcet_ns(self) -> CertainNs:
        """The time that a job does take: as stated, or as seen without margin and extrapolation.

        Never more than counts: by a quantile rarer jobs are left out on both sides, or one verdict
        would contradict the other.
        """
        if self.observed_ns is None:
            return CertainNs(self.wcet_ns)
        return CertainNs(min(self.wcet_ns, self.observed_ns))


@dataclass(frozen=True, slots=True)
class TaskSet:
    """All tasks of a spec file, and whether it has co-runners.

    `has_priorities` False: the file gives none; `priority` of all tasks is then the default.
    `regulate` None: nothing stops co-runners.
    `corunner_cpus`: CPUs with co-runners; None: a co-runner is on every CPU that has no task.
    `corunners`: programs of co-runners, with their arguments.
    """

    tasks: tuple[DeclaredTask, ...]
    has_corunners: bool
    has_priorities: bool = True
    regulate: RegulateSpec | None = None
    corunner_cpus: tuple[int, ...] | None = ()
    corunners: tuple[tuple[str, ...], ...] = ()


def read_task_set(data: bytes, read_wcet: WcetReader | None = None) -> TaskSet:
    """Read the tasks of a spec file.

    Args:
        data: Content of the file.
        read_wcet: Asked for C of each task with `wcet_from`; None: such a task is refused.

    Raises:
        ConfigError: Not TOML, unknown key, a value that cannot be, or a task that no test covers.
    """
    document = read_document(data)
    run = document.get("run", {})
    if not isinstance(run, dict):
        msg = "run is not a table; write [run]"
        raise ConfigError(msg)
    convert_table(run, RunTable, "[run]")
    tables = array_of_tables(document, "task")
    if not tables:
        msg = "no [[task]]: there is nothing to bound; write at least one"
        raise ConfigError(msg)
    tasks = tuple(_read_task(table, index, read_wcet) for index, table in enumerate(tables))
    _check_together(tasks)
    corunners = [
        _read_corunner(table, index)
        for index, table in enumerate(array_of_tables(document, "interfere"))
    ]
    has_priorities = any("priority" in table for table in tables)
    # Where a run is, an option may say.
    regulate = read_regulate(document.get("regulate"), [task.name for task in tasks], SIMULATED)
    _check_regulated(tasks, regulate)
    cpus = [of_one for of_one, _ in corunners]
    return TaskSet(
        tasks,
        bool(corunners),
        has_priorities,
        regulate,
        corunner_cpus=None if () in cpus else tuple(sorted(set().union(*cpus))),
        corunners=tuple(program for _, program in corunners),
    )


def stated_bound_keys(task: TaskTable) -> dict[str, Any]:
    """Return the keys of `bound` as the user wrote them, for a spec that is stored.

    Raises:
        ConfigError: One of them has a value that cannot be.
    """
    read_bound_keys(task)
    return {key: getattr(task, key) for key in BOUND_KEYS if getattr(task, key) is not None}


def bound_keys_of(task: TaskSpec) -> BoundKeys:
    """Read the keys that a resolved task keeps as they were written."""
    return read_bound_keys(TaskTable(**task.bound))


def read_bound_keys(task: TaskTable) -> BoundKeys:
    """Check the keys of `bound`.

    Raises:
        ConfigError: One of them has a value that cannot be.
    """
    if task.wcet_from is not None and not (isinstance(task.wcet_from, str) and task.wcet_from):
        shown = task.wcet_from if task.wcet_from != "" else '""'
        msg = f'wcet_from: {shown} is no path; write wcet_from = "RUN"'
        raise ConfigError(msg)
    if task.wcet is not None and task.wcet_from is not None:
        msg = "wcet and wcet_from both say how long a job takes; remove one"
        raise ConfigError(msg)
    wcet_ns = None if task.wcet is None else read_duration_ns(task.wcet, "wcet")
    if wcet_ns == 0:
        msg = f'wcet "{task.wcet}" is not above 0; write a longer one'
        raise ConfigError(msg)
    return BoundKeys(
        wcet_ns=wcet_ns,
        jitter_ns=0 if task.jitter is None else read_duration_ns(task.jitter, "jitter"),
        blocking_ns=0 if task.blocking is None else read_duration_ns(task.blocking, "blocking"),
        working_set_bytes=_size(task.working_set),
        ucb=_cache_sets(task.ucb, "ucb"),
        ecb=_cache_sets(task.ecb, "ecb"),
        overhead_ppm=_percent(task.overhead_ratio),
        contention=_contention(task),
        gamma_ns=None if task.gamma is None else read_duration_ns(task.gamma, "gamma"),
    )


def _read_task(table: dict[str, Any], index: int, read_wcet: WcetReader | None) -> DeclaredTask:
    label = task_label(table, index)
    task = convert_table(table, TaskTable, label)
    with located(label):
        keys = read_bound_keys(task)
        policy = read_choice(task.policy, Policy, "policy")
        _check_covered(task, policy)
        period_ns = _period_ns(task)
        cpus = _cpus(task.cpus)
        name = _name(task)
        work = Work(_program(task), task.calls or 1)
        wcet_ns, observed_ns = _wcet(task, keys, name, work, read_wcet)
        return DeclaredTask(
            name=name,
            period_ns=period_ns,
            deadline_ns=_deadline_ns(task, period_ns),
            offset_ns=read_duration_ns(task.offset, "offset"),
            policy=policy,
            priority=_priority(task.priority),
            cpu=cpus[0] if len(cpus) == 1 else None,
            wcet_ns=wcet_ns,
            keys=keys,
            cpus=cpus,
            work=work,
            observed_ns=observed_ns,
            is_isolated=bool(task.exec) or task.isolation not in {None, Isolation.NONE},
        )


def _wcet(
    task: TaskTable, keys: BoundKeys, name: str, work: Work, read_wcet: WcetReader | None
) -> tuple[int, int | None]:
    """Return C, and what was observed of it; None: C is stated."""
    if keys.wcet_ns is not None:
        return keys.wcet_ns, None
    if task.wcet_from is None:
        msg = 'no wcet; add for example wcet = "2ms", or wcet_from = "RUN"'
        raise ConfigError(msg)
    if read_wcet is None:
        msg = 'wcet_from: runs are not read here; write wcet, for example wcet = "2ms"'
        raise ConfigError(msg)
    with located("wcet_from"):
        measured = read_wcet(task.wcet_from, name, work)
    return measured.wcet_ns, measured.observed_ns


def _check_covered(task: TaskTable, policy: Policy) -> None:
    if policy is Policy.OTHER:
        msg = (
            f"policy {policy.value}: neither a priority nor a deadline orders its jobs, which the "
            "tests need; use fifo, rr or deadline"
        )
        raise ConfigError(msg)
    if task.threads is not None and task.threads > 1:
        msg = f"threads {task.threads}: the test is of tasks with one thread; bound it as several"
        raise ConfigError(msg)


def _read_corunner(table: dict[str, Any], index: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the CPUs of a co-runner (none: the file names none), and its program."""
    one = convert_table(table, InterfereTable, f"interfere {index}")
    if one.policy in {policy.value for policy in (*FIXED_PRIORITY, Policy.DEADLINE)}:
        msg = (
            f'interfere "{one.workload or (one.exec or ["?"])[0]}": policy {one.policy} takes its '
            "CPU from tasks without limit, so nothing is bounded; use policy other"
        )
        raise ConfigError(msg)
    with located(f"interfere {index}"):
        program = one.exec or (() if one.workload is None else (one.workload, *one.args))
        return _cpus(one.cpus), tuple(program)


def _check_regulated(tasks: Sequence[DeclaredTask], regulate: RegulateSpec | None) -> None:
    for task in tasks:
        if regulate and regulate.task == task.name and task.keys.contention is None:
            msg = f'[regulate]: task "{task.name}" has no table; add contention = "TABLE.json"'
            raise ConfigError(msg)


def _check_together(tasks: tuple[DeclaredTask, ...]) -> None:
    seen: set[str] = set()
    for task in tasks:
        if task.name in seen:
            msg = f'task "{task.name}": two tasks have this name; give each a name of its own'
            raise ConfigError(msg)
        seen.add(task.name)
    without = [task.name for task in tasks if not task.cpus]
    if without and len(without) < len(tasks):
        msg = f'task "{without[0]}": no cpus, while others have some; add cpus'
        raise ConfigError(msg)


def _name(task: TaskTable) -> str:
    program = (task.exec or task.program or [task.workload or ""])[0]
    name = task.name or (PurePath(program).name if program else None)
    if not name:
        msg = "no name; add name, by which the answer tells it from others"
        raise ConfigError(msg)
    return name


def _program(task: TaskTable) -> tuple[str, ...]:
    if task.exec or task.program:
        return tuple(task.exec or task.program or ())
    return () if task.workload is None else (task.workload, *task.args)


def _period_ns(task: TaskTable) -> int:
    if task.period is None:
        msg = 'no period; write for example period = "10ms"'
        raise ConfigError(msg)
    period_ns = read_duration_ns(task.period, "period")
    if period_ns == 0:
        msg = f'period "{task.period}" is not above 0; write for example 10ms'
        raise ConfigError(msg)
    return period_ns


def _deadline_ns(task: TaskTable, period_ns: int) -> int:
    if task.deadline is None:
        return period_ns
    if task.deadline == "none":
        msg = "deadline none: there is nothing to prove; write one, for example its period"
        raise ConfigError(msg)
    deadline_ns = read_duration_ns(task.deadline, "deadline")
    if deadline_ns == 0:
        msg = f'deadline "{task.deadline}" is not above 0; write a longer one'
        raise ConfigError(msg)
    return deadline_ns


def _priority(value: int | None) -> int:
    priority = DEFAULT_PRIORITY if value is None else value
    if not MIN_PRIORITY <= priority <= MAX_PRIORITY:
        msg = (
            f"priority {priority} is not between {MIN_PRIORITY} and {MAX_PRIORITY}; "
            "larger is higher, 50 is the default"
        )
        raise ConfigError(msg)
    return priority


def _cpus(value: object) -> tuple[int, ...]:
    if value is None:
        return ()
    with located("cpus"):
        return parse_cpus(value)


def _size(value: object) -> int | None:
    if value is None:
        return None
    with located("working_set"):
        return parse_size_bytes(value)


def _cache_sets(value: object, what: str) -> frozenset[int]:
    if value is None:
        return frozenset()
    # A bool is an int to isinstance.
    if isinstance(value, list) and all(
        type(one) is int and 0 <= one <= MAX_CACHE_SET for one in value
    ):
        return frozenset(value)
    msg = f"{what}: no list of cache sets from 0 to {MAX_CACHE_SET}; write for example [0, 1]"
    raise ConfigError(msg)


def _contention(task: TaskTable) -> str | None:
    if task.contention is not None and not (isinstance(task.contention, str) and task.contention):
        msg = f'contention: {task.contention!r} is no path; write contention = "TABLE.json"'
        raise ConfigError(msg)
    if task.contention is not None and task.overhead_ratio is not None:
        msg = (
            "contention and overhead_ratio both say how much longer co-runners make its jobs; "
            "remove one"
        )
        raise ConfigError(msg)
    return task.contention


def _percent(value: object) -> int:
    if value is None:
        return 0
    if not isinstance(value, str):
        msg = f'overhead_ratio: {value} is no percentage; write for example "20%" for 1.2 times'
        raise ConfigError(msg)
    with located("overhead_ratio"):
        return parse_percent(value)
