# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The experiment: what runs, when, where and how long. Design: design.md section 5.

Data comes in as tables of a TOML file or made from options (`RunTable`, `TaskTable`,
`InterfereTable`: what the user wrote), is checked by `laxity.core.spec_reader`, and leaves as
`Spec`: every value explicit, times in ns.
"""

from enum import StrEnum
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from laxity.core.cpus import format_cpus
from laxity.core.percent import format_percent
from laxity.core.schema import Option, Words, limit, options_by_key
from laxity.core.stop_on import StopOn, stop_on_text
from laxity.core.third_party import PROGRAM_WORKLOAD
from laxity.core.units import exact_duration, exact_size
from laxity.errors import ConfigError

SPEC_SCHEMA = 1
DEFAULT_PRIORITY = 50
# The platform that a machine is to itself.
NATIVE_PLATFORM = "native"
# What the name of a simulated platform begins with.
SIMULATED = "sim:"
MIN_PRIORITY = 1
MAX_PRIORITY = limit("priority_max")
# Back-ends of the scheduling trace (native/trace/recorder.h); auto is the first that serves.
TRACE_AUTO = "auto"
TRACE_BACKENDS = ("bpf", "perf", "tracefs")
# Tasks and co-runners of one run.
MAX_PROCESSES = limit("processes_max")


class Policy(Words):
    """Scheduling policy of a task or co-runner."""


class Overrun(Words):
    """What happens to releases that pass while a job still runs."""


class Isolation(StrEnum):
    """What is done between the jobs of a third-party program, so that each is like the first.

    Of a suite's program (workload guest) any of them. Of `exec` it is exec: a process per job.
    """

    NONE = "none"
    REINIT = "reinit"
    RESTORE = "restore"
    FORK = "fork"
    EXEC = "exec"


class Idle(Words):
    """How deeply idle CPUs may sleep during the run."""


class Snapshots(Words):
    """What is read before and after each job."""


class CountedBy(StrEnum):
    """What may be counted on a simulated platform."""

    PLATFORM = "platform"
    MODEL = "model"


class SampleBy(StrEnum):
    """What reads the events of a simulated platform within jobs."""

    FREE = "free"
    INTERRUPT = "interrupt"


def _only_ours(
    kind: str,
    text: str,
    metavar: str | None = None,
    shown: str | None = None,
    stated: tuple[str, ...] = (),
) -> Meta:
    """Declare the option of a key that laxity-run need not know."""
    option = Option(name="", type=kind, help=text, metavar=metavar, shown=shown, stated=stated)
    return Meta(description=text, extra={"option": option})


def _key(kind: str, text: str, shown: str | None = None) -> Meta:
    """Describe a key that is no option of the same name."""
    return Meta(description=text, extra={"key": Option(name="", type=kind, help=text, shown=shown)})


class RunTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`[run]` as the user wrote it. Typed `Any` where the message for a bad value is our own.

    Here and in `TaskTable` a key that laxity-run has as an option is described in
    `schema/run.toml`, another one beside itself; both are options of `laxity run`, which shows them
    in this order, but for those that are a key alone. `laxity schema spec` shows all.
    """

    jobs: int | None = None
    duration: Any = None
    seed: int | None = None
    platform: Annotated[
        str,
        _only_ours(
            "text",
            "Where to run: here, or simulated, sim:NAME.",
            metavar="NAME",
            shown=NATIVE_PLATFORM,
        ),
    ] = NATIVE_PLATFORM
    on: Annotated[str | None, _key("text", "A board to run on: ssh://USER@HOST.")] = None
    idle: str = Idle.DEEP
    snapshots: str = Snapshots.ALL
    events: Annotated[
        list[str],
        _key("word", 'Counted in every job: ["instructions", "page-faults"]; laxity list events.'),
    ] = []
    counters: Annotated[
        str,
        _only_ours(
            "choice",
            "Simulated: count what the platform's processor can, or all that the model knows.",
            shown=CountedBy.PLATFORM,
            stated=tuple(one.value for one in CountedBy),
        ),
    ] = CountedBy.PLATFORM
    sample_cpu: int | None = None
    sample_bucket: Any = None
    sample_by: Annotated[
        str,
        _only_ours(
            "choice",
            "Simulated: events are read within jobs at no cost, or by interrupts of each core.",
            shown=SampleBy.FREE,
            stated=tuple(one.value for one in SampleBy),
        ),
    ] = SampleBy.FREE
    sample_above: Annotated[
        str | None,
        _only_ours(
            "text",
            "Simulated: store only samples since which, in all, an event came so often: "
            "l1i_refill=100.",
            metavar="EVENT=N",
        ),
    ] = None
    keep: str = "all"
    max_misses: Annotated[
        int | None, _only_ours("count", "Exit with 1 if more jobs are not met.", metavar="N")
    ] = None
    max_response: Annotated[
        Any, _only_ours("duration", "Exit with 1 if a response time is longer.", metavar="TIME")
    ] = None
    fail_fast: bool = False
    stop_on: Annotated[
        Any,
        _only_ours(
            "text",
            "End at the first such job; with --trace keep the last 100 ms before it.",
            metavar="miss|response>TIME",
        ),
    ] = None
    trace: Annotated[
        Any,
        _key(
            "flag",
            "Record every switch of every CPU; or by which back-end: bpf, perf, tracefs.",
        ),
    ] = False


class TaskTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One `[[task]]` as the user wrote it."""

    name: str | None = None
    workload: Annotated[
        str | None,
        _key("text", "What runs: a bundled one (laxity list), or the path of one of your own."),
    ] = None
    args: Annotated[list[str], _key("word", "Its words.", "none")] = []
    exec: Annotated[
        list[str] | None,
        _key("word", "In place of a workload: a program and its arguments; each job is a process."),
    ] = None
    program: Annotated[
        list[str] | None,
        _key("word", "In place of a workload: a program that makes its jobs itself, in a loop."),
    ] = None
    period: Any = None
    deadline: Any = None
    offset: Any = "0ns"
    cpus: Any = None
    policy: str = Policy.FIFO
    priority: int | None = None
    runtime: Any = None
    overrun: str = Overrun.SKIP
    job_timeout: Any = None
    stack: Any = None
    heap: Any = None
    memory_limit: Any = None
    memory_need: bool = False
    threads: int | None = None
    isolation: Annotated[
        str | None,
        _only_ours(
            "choice",
            "What is done between jobs of a suite's program; exec: each job is a process.",
            stated=tuple(mode.value for mode in Isolation),
        ),
    ] = None
    calls: int | None = None
    stdin: Annotated[
        str | None, _only_ours("text", "What each process of exec reads.", metavar="FILE")
    ] = None
    place: Annotated[
        str,
        _only_ours("text", "Simulated: where its memory lies.", metavar="CLASS=REGION[@N],..."),
    ] = ""
    # Of `bound` only; kept as they are, so that a stored spec still holds them.
    wcet: Annotated[
        Any,
        _key("duration", "Bound: time that no job exceeds alone, its caches cold at the start."),
    ] = None
    wcet_from: Annotated[Any, _key("text", "Bound: the run that it was measured in.")] = None
    jitter: Annotated[
        Any, _key("duration", "Bound: how much later than its release a job is ready.", "0")
    ] = None
    blocking: Annotated[
        Any, _key("duration", "Bound: how long tasks of lower priority hold it up.", "0")
    ] = None
    working_set: Annotated[
        Any, _key("size", "Bound: what it may have to load again after a preemption.")
    ] = None
    ucb: Annotated[Any, _key("sets", "Bound: cache sets with useful blocks.")] = None
    ecb: Annotated[Any, _key("sets", "Bound: cache sets that it evicts.")] = None
    overhead_ratio: Annotated[
        Any, _key("percent", "Bound: how much longer co-runners make its jobs.", "none")
    ] = None
    # Of runs with [regulate], too.
    contention: Annotated[
        Any, _key("text", "Its contention table, of laxity contention profile.", "none")
    ] = None
    gamma: Annotated[
        Any,
        _key(
            "duration",
            "Reload after one preemption, with co-runners; else of the table or of the costs.",
        ),
    ] = None


class RegulateTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`[regulate]` as the user wrote it: co-runners stop before a task loses more than theta.

    `laxity run` has `theta` as an option, `laxity contention evaluate` all but `task` and `cpu`.
    """

    task: Annotated[
        str | None,
        _key(
            "text",
            "Task whose jobs lose at most theta; its contention is the table.",
            "the only task",
        ),
    ] = None
    theta: Annotated[
        str,
        _only_ours(
            "percent",
            "Allowed loss, in percent of the job's time alone.",
            metavar="PERCENT",
            shown="5%",
        ),
    ] = "5%"
    period: Annotated[
        Any,
        _only_ours(
            "duration",
            "Time between two decisions.",
            metavar="TIME",
            shown="50us; native 200us",
        ),
    ] = None
    stop_latency: Annotated[
        Any,
        _only_ours(
            "duration",
            "Time until co-runners stand still.",
            metavar="TIME",
            shown="10us; native 500us",
        ),
    ] = None
    resume_latency: Annotated[
        Any, _only_ours("duration", "Time until co-runners run again.", metavar="TIME", shown="5us")
    ] = None
    mark_latency: Annotated[
        Any,
        _only_ours(
            "duration",
            "Time until the regulator sees a mark.",
            metavar="TIME",
            shown="1us; native 100us",
        ),
    ] = None
    cpu: Annotated[
        int | None, _key("count", "CPU of the regulator; else the first with a co-runner.")
    ] = None


class InterfereTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One `[[interfere]]` as the user wrote it: a co-runner."""

    workload: Annotated[str | None, _key("text", "Runs without pause beside the tasks.")] = None
    args: Annotated[list[str], _key("word", "Its words.", "none")] = []
    exec: Annotated[
        list[str] | None,
        _key("word", "In place of a workload: any program; its process restarts when it ends."),
    ] = None
    cpus: Annotated[Any, _key("cpus", "One on each of these CPUs: 1 or 0-1,3.")] = None
    policy: Annotated[
        str, _key("text", "Its scheduling policy: other, fifo or rr.", Policy.OTHER)
    ] = Policy.OTHER
    priority: int | None = None
    place: Annotated[str, _key("text", "As that of a task.")] = ""


BOUND_KEYS = (
    "wcet",
    "wcet_from",
    "jitter",
    "blocking",
    "working_set",
    "ucb",
    "ecb",
    "overhead_ratio",
    "contention",
    "gamma",
)


def _default(key: str) -> int:
    default = options_by_key()[key].default
    if not isinstance(default, int):
        raise TypeError(key)
    return default


class TaskSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One task, every value explicit.

    `deadline_ns` None: jobs have no deadline. `priority` None: the policy has none. `runtime_ns`:
    what policy deadline reserves in each period; None: another policy. `cpus` empty: not chosen by
    the user, so every CPU this process may use. `memory_limit_bytes` None: no limit.
    `memory_need`: its memory need is measured, and a limit only noted. `exec` and `program`: a
    program of the user's own and its arguments; then there is no workload. Each job of `exec` is
    one process, and `stdin` the file that each reads, "" an empty one; a `program` makes its jobs
    itself (laxity/job.h). `calls`: of a workload that can, how often each job does its work.
    `place`: where memory lies on a simulated platform (`laxity.core.memory_place`).
    """

    name: str
    workload: str = ""
    args: tuple[str, ...] = ()
    exec: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
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
    # Prefaulted before the first release. Far more than our own workloads use, and cheap to lock.
    stack_bytes: int = _default("stack")
    heap_bytes: int = _default("heap")
    memory_limit_bytes: int | None = None
    memory_need: bool = False
    # The workload's, its main one included.
    threads: int = 1
    place: str = ""
    bound: dict[str, Any] = {}

    @property
    def command(self) -> tuple[str, ...]:
        """The program of the user's own and its arguments; empty: the task has a workload."""
        return self.exec or self.program


class InterfereSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One `[[interfere]]`, every value explicit: one co-runner process for each CPU of `cpus`.

    `cpus` empty: not chosen by the user, so every usable CPU that runs no task. `exec`: a program
    of the user's own and its arguments, in place of a workload; each pass is one process.
    """

    workload: str = ""
    args: tuple[str, ...] = ()
    exec: tuple[str, ...] = ()
    cpus: tuple[int, ...] = ()
    policy: Policy = Policy.OTHER
    priority: int | None = None
    place: str = ""

    @property
    def runs(self) -> str:
        """The workload, or the program in place of it."""
        return self.exec[0] if self.exec else self.workload


class RegulateSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`[regulate]`, every value explicit; `cpu` None: the first with a co-runner."""

    task: str
    theta_ppm: int
    period_ns: int
    stop_latency_ns: int
    resume_latency_ns: int
    mark_latency_ns: int
    cpu: int | None = None


class Spec(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A resolved experiment.

    `on` is the URL of a board, None: this machine. `keep` is `all`, `misses` or `tail:N`; `jobs`
    counts started jobs per task; no `jobs` and no `duration_ns` means until interrupted.
    `fail_fast`: a task that fails ends the others too. `stop_on`: the first such job ends the run.
    `events`: what is counted in every job, by the names that laxity-run knows; with
    `sample_bucket_ns` they are also read at that distance, from `sample_cpu` (None: one without a
    task), by `sample_by`, and stored, where `sample_above` is not None, only once that event has
    come so often since the last one. `counters`: what of a simulated platform they may be.
    `trace`: a back-end of laxity-trace, `auto` for the first that serves; None records none.
    `regulate` None: nothing stops co-runners.
    """

    platform: str = NATIVE_PLATFORM
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
    counters: CountedBy = CountedBy.PLATFORM
    sample_bucket_ns: int | None = None
    sample_cpu: int | None = None
    sample_by: SampleBy = SampleBy.FREE
    sample_above: str | None = None
    trace: str | None = None
    tasks: tuple[TaskSpec, ...]
    interfere: tuple[InterfereSpec, ...] = ()
    regulate: RegulateSpec | None = None


Resolved: TypeAlias = Spec | TaskSpec | InterfereSpec | RegulateSpec


def is_platform_path(name: str) -> bool:
    """Tell whether the name of a simulated platform is the path of its file."""
    return "/" in name or name.endswith(".toml")


def check_platform(platform: str, on: str | None) -> None:
    """Refuse a platform that is none, or is not where a board is.

    Raises:
        ConfigError: It is neither native nor sim:NAME, or simulated and on a board.
    """
    if platform != NATIVE_PLATFORM and not platform.startswith(SIMULATED):
        msg = f'platform "{platform}" is unknown; use native or sim:NAME (laxity list platforms)'
        raise ConfigError(msg)
    if platform != NATIVE_PLATFORM and on is not None:
        msg = f"platform {platform}: is simulated here, not on a board; leave one of them out"
        raise ConfigError(msg)


def corunners_of(spec: Spec) -> list[tuple[InterfereSpec, int]]:
    """List the co-runner processes of an experiment, in the order of their index.

    Returns:
        (what it runs, its CPU): one per CPU, because one process can load only one CPU at a time.
    """
    return [(one, cpu) for one in spec.interfere for cpu in one.cpus]


def workloads_of(spec: Spec) -> list[str]:
    """List the workloads of an experiment, each once."""
    names = [
        PROGRAM_WORKLOAD if task.exec else task.workload for task in spec.tasks if not task.program
    ]
    names += [PROGRAM_WORKLOAD if other.exec else other.workload for other in spec.interfere]
    return list(dict.fromkeys(names))


def spec_to_toml(spec: Spec) -> str:
    """Write a resolved experiment as the TOML that reads back to the same one."""
    # tomli_w is needed only by commands that write a run.
    import tomli_w  # noqa: PLC0415

    document: dict[str, Any] = {
        "schema": SPEC_SCHEMA,
        "run": _table(spec, RunTable),
        "task": [_table(task, TaskTable) for task in spec.tasks],
    }
    if spec.interfere:
        document["interfere"] = [_table(one, InterfereTable) for one in spec.interfere]
    if spec.regulate is not None:
        document["regulate"] = _table(spec.regulate, RegulateTable)
    return tomli_w.dumps(document)


# Written only where they say something.
_SILENT: dict[str, Any] = {
    "calls": 1,
    "threads": 1,
    "fail_fast": False,
    "events": (),
    "counters": CountedBy.PLATFORM,
    "exec": (),
    "program": (),
}
# Of a program there is neither, and a workload has words even if it has none.
_OF_WORKLOADS = ("args", "stack", "heap")


def _table(of: Resolved, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Write the keys of a table that a resolved one stands for."""
    is_program = (isinstance(of, TaskSpec) and bool(of.command)) or (
        isinstance(of, InterfereSpec) and bool(of.exec)
    )
    keys = [key for key in kind.__struct_fields__ if not (is_program and key in _OF_WORKLOADS)]
    table = {key: _written(of, key) for key in keys}
    table |= of.bound if isinstance(of, TaskSpec) else {}
    return {key: value for key, value in table.items() if value is not None}


def _written(of: Resolved, key: str) -> Any:  # noqa: ANN401 - as TOML has it
    """Write a value as the user could have done; None: not at all."""
    for unit, write in (("_ns", exact_duration), ("_bytes", exact_size), ("_ppm", format_percent)):
        if hasattr(of, key + unit):
            number = getattr(of, key + unit)
            nothing = "none" if key == "deadline" else None
            return nothing if number is None else write(number)
    value = getattr(of, key, None)
    if value == _SILENT.get(key, ""):
        return None
    if isinstance(value, StopOn):
        return stop_on_text(value)
    if key == "cpus" and value is not None:
        return format_cpus(value) or None
    if key == "trace" and value == TRACE_AUTO:
        return True
    if isinstance(value, StrEnum):
        return value.value
    return list(value) if isinstance(value, tuple) else value
