# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The experiment: what runs, when, where and how long. Design: design.md section 5.

Data comes in as tables of a TOML file or made from options (`RunTable`, `TaskTable`,
`InterfereTable`: what the user wrote), is checked by `laxity.model.spec_reader`, and leaves as
`Spec`: every value explicit, times in ns.
"""

from enum import StrEnum
from typing import Any

import msgspec

from laxity.model.cpus import format_cpus
from laxity.model.stop_on import StopOn, stop_on_text
from laxity.model.third_party import PROGRAM_WORKLOAD
from laxity.model.units import exact_duration, exact_size

SPEC_SCHEMA = 1
DEFAULT_PRIORITY = 50
MIN_PRIORITY = 1
MAX_PRIORITY = 99
# Back-ends of the scheduling trace (native/trace/recorder.h); auto is the first that serves.
TRACE_AUTO = "auto"
TRACE_BACKENDS = ("bpf", "perf", "tracefs")
# Prefaulted before the first release. Far more than our own workloads use, and cheap to lock.
DEFAULT_STACK_BYTES = 512 * 1024
DEFAULT_HEAP_BYTES = 1024 * 1024
DEFAULT_THREADS = 1
# Tasks and co-runners of one run (native/harness/segment.h says the same).
MAX_PROCESSES = 4096


class Policy(StrEnum):
    """Scheduling policy of a task or co-runner."""

    FIFO = "fifo"
    RR = "rr"
    OTHER = "other"
    DEADLINE = "deadline"


class Overrun(StrEnum):
    """What happens to releases that pass while a job still runs."""

    SKIP = "skip"
    QUEUE = "queue"


class Isolation(StrEnum):
    """What is done between the jobs of a third-party program, so that each is like the first.

    Of a suite's program (workload guest) any of them; of `exec`, exec alone: a process per job.
    """

    NONE = "none"
    REINIT = "reinit"
    RESTORE = "restore"
    FORK = "fork"
    EXEC = "exec"


class Idle(StrEnum):
    """How deeply idle CPUs may sleep during the run."""

    DEEP = "deep"
    POLL = "poll"


class Snapshots(StrEnum):
    """What is read before and after each job."""

    NONE = "none"
    CPU = "cpu"
    ALL = "all"


class RunTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`[run]` as the user wrote it. Typed `Any` where the message for a bad value is our own."""

    platform: str = "native"
    on: str | None = None
    jobs: int | None = None
    duration: Any = None
    seed: int | None = None
    idle: str = Idle.DEEP
    snapshots: str = Snapshots.ALL
    keep: str = "all"
    max_misses: int | None = None
    max_response: Any = None
    fail_fast: bool = False
    stop_on: Any = None
    events: list[str] = []
    sample_bucket: Any = None
    sample_cpu: int | None = None
    trace: Any = False


class TaskTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One `[[task]]` as the user wrote it."""

    name: str | None = None
    workload: str | None = None
    args: list[str] = []
    exec: list[str] | None = None
    isolation: str | None = None
    stdin: str | None = None
    calls: int | None = None
    period: Any = None
    deadline: Any = None
    offset: Any = "0ns"
    policy: str = Policy.FIFO
    priority: int | None = None
    runtime: Any = None
    cpus: Any = None
    overrun: str = Overrun.SKIP
    job_timeout: Any = None
    stack: Any = None
    heap: Any = None
    memory_limit: Any = None
    threads: int | None = None
    # Of `bound` only; kept as they are, so that a stored spec still holds them.
    wcet: Any = None
    wcet_from: Any = None
    jitter: Any = None
    blocking: Any = None
    working_set: Any = None
    ucb: Any = None
    ecb: Any = None
    overhead_ratio: Any = None


class InterfereTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One `[[interfere]]` as the user wrote it."""

    workload: str | None = None
    args: list[str] = []
    cpus: Any = None
    policy: str = Policy.OTHER
    priority: int | None = None


BOUND_KEYS = (
    "wcet",
    "wcet_from",
    "jitter",
    "blocking",
    "working_set",
    "ucb",
    "ecb",
    "overhead_ratio",
)


class TaskSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One task, every value explicit.

    `deadline_ns` None: jobs have no deadline. `priority` None: the policy has none. `runtime_ns`:
    what policy deadline reserves in each period; None: another policy. `cpus` empty: not chosen by
    the user, so every CPU this process may use. `memory_limit_bytes` None: no limit. `exec`: a
    program of the user's own and its words; then there is no workload. With `isolation` exec each
    job is one process of it, and `stdin` the file that each reads, "" an empty one; without, it
    makes its jobs itself. `calls`: of a workload that can, how often each job does its work.
    """

    name: str
    workload: str = ""
    args: tuple[str, ...] = ()
    exec: tuple[str, ...] = ()
    isolation: Isolation | None = None
    stdin: str = ""
    calls: int = 1
    period_ns: int
    deadline_ns: int | None
    offset_ns: int = 0
    policy: Policy = Policy.FIFO
    priority: int | None = DEFAULT_PRIORITY
    runtime_ns: int | None = None
    cpus: tuple[int, ...] = ()
    overrun: Overrun = Overrun.SKIP
    job_timeout_ns: int
    stack_bytes: int = DEFAULT_STACK_BYTES
    heap_bytes: int = DEFAULT_HEAP_BYTES
    memory_limit_bytes: int | None = None
    # The workload's, its main one included.
    threads: int = DEFAULT_THREADS
    bound: dict[str, Any] = {}

    @property
    def is_own_program(self) -> bool:
        """Whether a program of the user's own makes the jobs (laxity/job.h)."""
        return bool(self.exec) and self.isolation is None


class InterfereSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One `[[interfere]]`, every value explicit: one co-runner process for each CPU of `cpus`.

    `cpus` empty: not chosen by the user, so every usable CPU that runs no task.
    """

    workload: str
    args: tuple[str, ...] = ()
    cpus: tuple[int, ...] = ()
    policy: Policy = Policy.OTHER
    priority: int | None = None


class Spec(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A resolved experiment.

    `on` is the URL of a board, None: this machine. `keep` is `all`, `misses` or `tail:N`; `jobs`
    counts started jobs per task; no `jobs` and no `duration_ns` means until interrupted.
    `fail_fast`: a task that fails ends the others too. `stop_on`: the first such job ends the run.
    `events`: what is counted in every job, by the names that laxity-run knows; with
    `sample_bucket_ns` they are also read at that distance, from `sample_cpu` (None: one without a
    task).
    `trace`: a back-end of laxity-trace, `auto` for the first that serves; None records none.
    """

    platform: str = "native"
    on: str | None = None
    jobs: int | None = None
    duration_ns: int | None = None
    seed: int | None = None
    idle: Idle = Idle.DEEP
    snapshots: Snapshots = Snapshots.ALL
    keep: str = "all"
    max_misses: int | None = None
    max_response_ns: int | None = None
    fail_fast: bool = False
    stop_on: StopOn | None = None
    events: tuple[str, ...] = ()
    sample_bucket_ns: int | None = None
    sample_cpu: int | None = None
    trace: str | None = None
    tasks: tuple[TaskSpec, ...]
    interfere: tuple[InterfereSpec, ...] = ()


def corunners_of(spec: Spec) -> list[tuple[InterfereSpec, int]]:
    """List the co-runner processes of an experiment, in the order of their index.

    Returns:
        (what it runs, its CPU): one per CPU, because one process can load only one CPU at a time.
    """
    return [(one, cpu) for one in spec.interfere for cpu in one.cpus]


def workloads_of(spec: Spec) -> list[str]:
    """List the workloads of an experiment, each once."""
    names = [
        PROGRAM_WORKLOAD if task.exec else task.workload
        for task in spec.tasks
        if not task.is_own_program
    ]
    names += [one.workload for one in spec.interfere]
    return list(dict.fromkeys(names))


def spec_to_toml(spec: Spec) -> str:
    """Write a resolved experiment as the TOML that reads back to the same one."""
    # tomli_w is needed only by commands that write a run.
    import tomli_w  # noqa: PLC0415

    document: dict[str, Any] = {
        "schema": SPEC_SCHEMA,
        "run": _run_table(spec),
        "task": [_task_table(task) for task in spec.tasks],
    }
    if spec.interfere:
        document["interfere"] = [_interfere_table(one) for one in spec.interfere]
    return tomli_w.dumps(document)


def _run_table(spec: Spec) -> dict[str, Any]:
    return _without_none(
        {
            "platform": spec.platform,
            "on": spec.on,
            "jobs": spec.jobs,
            "duration": None if spec.duration_ns is None else exact_duration(spec.duration_ns),
            "seed": spec.seed,
            "idle": spec.idle.value,
            "snapshots": spec.snapshots.value,
            "keep": spec.keep,
            "max_misses": spec.max_misses,
            "max_response": None
            if spec.max_response_ns is None
            else exact_duration(spec.max_response_ns),
            "fail_fast": spec.fail_fast or None,
            "stop_on": None if spec.stop_on is None else stop_on_text(spec.stop_on),
            "events": list(spec.events) or None,
            "sample_bucket": None
            if spec.sample_bucket_ns is None
            else exact_duration(spec.sample_bucket_ns),
            "sample_cpu": spec.sample_cpu,
            "trace": True if spec.trace == TRACE_AUTO else spec.trace,
        }
    )


def _task_table(task: TaskSpec) -> dict[str, Any]:
    deadline = "none" if task.deadline_ns is None else exact_duration(task.deadline_ns)
    return _without_none(
        {
            "name": task.name,
            "workload": task.workload or None,
            "args": None if task.exec else list(task.args),
            "exec": list(task.exec) or None,
            "isolation": None if task.isolation is None else task.isolation.value,
            "stdin": task.stdin or None,
            "calls": None if task.calls == 1 else task.calls,
            "period": exact_duration(task.period_ns),
            "deadline": deadline,
            "offset": exact_duration(task.offset_ns),
            "policy": task.policy.value,
            "priority": task.priority,
            "runtime": None if task.runtime_ns is None else exact_duration(task.runtime_ns),
            "cpus": format_cpus(task.cpus) or None,
            "overrun": task.overrun.value,
            "job_timeout": exact_duration(task.job_timeout_ns),
            "stack": None if task.exec else exact_size(task.stack_bytes),
            "heap": None if task.exec else exact_size(task.heap_bytes),
            "memory_limit": None
            if task.memory_limit_bytes is None
            else exact_size(task.memory_limit_bytes),
            "threads": None if task.threads == DEFAULT_THREADS else task.threads,
            **task.bound,
        }
    )


def _interfere_table(one: InterfereSpec) -> dict[str, Any]:
    return _without_none(
        {
            "workload": one.workload,
            "args": list(one.args),
            "cpus": format_cpus(one.cpus) or None,
            "policy": one.policy.value,
            "priority": one.priority,
        }
    )


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}
