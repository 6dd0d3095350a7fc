# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A simulated platform: laxity-sim in place of laxity-run, QEMU in place of a processor."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from laxity.core import progress
from laxity.core.cpus import format_cpus
from laxity.core.progress import Display, RunDisplay
from laxity.core.signals import Forwarder
from laxity.core.spec import (
    SIMULATED,
    TRACE_AUTO,
    Isolation,
    Policy,
    SampleBy,
    Spec,
    TaskSpec,
    corunners_of,
    workloads_of,
)
from laxity.core.third_party import GUEST_WORKLOAD
from laxity.errors import ConfigError, PlatformError
from laxity.platform import machine as machines
from laxity.platform.doctor import SCHEMA, Counters, Diagnosis, Examination
from laxity.platform.facts import Facts
from laxity.platform.machine import (
    Cache,
    Cpu,
    Kernel,
    Machine,
    Node,
    SimulatedFacts,
    Stable,
    State,
    Virtualisation,
)
from laxity.platform.native import Seat, argv_of, finisher_command, run_native
from laxity.platform.placement import Cpus, place
from laxity.platform.plan import REGULATION_PLAN, Plan, ProbePlan, TaskPlan
from laxity.platform.platform_checks import domains_of, settings_of_values
from laxity.platform.platform_file import PLATFORM, PlatformModel
from laxity.platform.simulated_events import beyond_platform, check_events
from laxity.platform.simulated_places import place_settings
from laxity.platform.simulated_programs import (
    as_simulated,
    check_emulator,
    find_built,
    find_plugin,
    find_simulated_workload,
    program_folder,
)
from laxity.platform.streams import (
    ENDLESS_JOBS,
    MOST_JOBS,
    SUFFIX,
    Program,
    StreamFolder,
    jobs_at_most,
    provide_streams,
)
from laxity.platform.tools import find_tool
from laxity.store.run_directory import NewRun, write_file

_SETTINGS = "platform.settings"
_STREAM_FD = 3
# Where the stack begins depends on how large it may become.
_STACK_BYTES = 8 << 20
# Words of a suite's program: its standard input, and the directory of its input files.
_GUEST_FILES_AT = (4, 6)
# What stands in place of our programs.
_SIMULATORS = {"laxity-run": "laxity-sim", "laxity-probe": "laxity-sim-probe"}


class SimulatedPlatform:
    """One that a platform file describes."""

    on: str | None = None
    is_holding = False

    def __init__(self, model: PlatformModel, name: str | None = None) -> None:
        """Take a platform file as it was read, and its name; None: of a shipped one."""
        self.model = model
        self.name = name or f"{SIMULATED}{model.name}"

    @property
    def line_bytes(self) -> int:
        """Of a line of its caches."""
        return self.model.line_bytes

    def facts(self) -> Facts:
        """Say what probes are planned by: there are no files of a kernel."""
        cores = {"@affinity": format_cpus(range(self.model.cores))}
        return SimulatedFacts(cores, machine=describe_model(self.model))

    def examine(self, cpus: Sequence[int]) -> Examination:
        """Describe it; nothing disturbs it but what its file states."""
        diagnosis = Diagnosis(
            schema=SCHEMA,
            badge="ready",
            reason="simulated: nothing disturbs it but what its file states",
            cpus=tuple(cpus),
            checks=(),
            capabilities=(),
            counters=Counters(None, [], None, {}, {}, {}),
        )
        return Examination(describe_model(self.model), diagnosis)

    def cpus(self) -> Cpus:
        """Tell its cores, on which there is nothing but the tasks."""
        cores = frozenset(range(self.model.cores))
        return Cpus(cores, cores, has_rest=False)

    def require_programs(self, spec: Spec) -> None:
        """Look for the simulator, the emulator and the workloads; refuse what is not simulated."""
        for what, is_asked in _not_simulated(place(spec, self.cpus())):
            if is_asked:
                msg = (
                    f"{what}: not simulated yet; leave it out, or run without --platform "
                    f"{SIMULATED}{self.model.name}"
                )
                raise ConfigError(msg)
        check_events(self.model, spec.events, spec.counters)
        self._check_sampling(spec)
        list(place_settings(self.model, place(spec, self.cpus())))
        find_built("laxity-sim")
        find_tool("laxity-sim")
        self._emulator()
        self._check_emulator()
        for name in workloads_of(spec):
            # What a suite's program is linked into need not be there yet.
            if name != GUEST_WORKLOAD:
                self._workload(name)

    def _check_sampling(self, spec: Spec) -> None:
        if spec.sample_by is SampleBy.INTERRUPT and not self.model.values["probe.cycles"].number:
            msg = (
                f"sample_by {spec.sample_by}: {self.model.name} does not say what an interrupt "
                "that reads counters takes; write cycles of [probe] into a copy of its file "
                f"(laxity list platforms), or sample_by {SampleBy.FREE.value}"
            )
            raise ConfigError(msg)

    def notes(self, spec: Spec) -> list[str]:
        """Say what is counted that the platform itself does not count."""
        beyond = beyond_platform(self.model, spec.events)
        return [f"events: {one}: counted by the model alone (counters model)" for one in beyond]

    def place_of(self, final: Path) -> str | None:  # noqa: ARG002 - as any platform
        """Runs are written where they stay."""
        return None

    def execute(self, plan: Plan, run: NewRun, display: Display, signals: Forwarder) -> int:
        """Simulate it by a child of this process."""
        if isinstance(plan, TaskPlan):
            plan = replace(plan, spec=as_simulated(plan.spec))
        write_file(run.tmp / PLATFORM, self.model.text)
        with self._settings_in(run.tmp, plan), program_folder() as folder, ExitStack() as kept:
            programs = self.programs_of(plan.spec) if isinstance(plan, TaskPlan) else []
            streams = _streams_of(programs, kept, display, signals)
            seated = partial(self._argv, folder, streams, finisher_command())
            return run_native(plan, run, display, signals, seated)

    def simulate(
        self,
        spec: Spec,
        run: NewRun,
        told_fd: int,
        kept_streams: StreamFolder | None = None,
        regulation: str | None = None,
    ) -> int:
        """Simulate tasks of which only the figures are wanted: nobody finishes this run.

        Args:
            spec: `prepare_spec` has been at it.
            run: Where native.json and the streams are afterwards.
            told_fd: Where what laxity-sim tells goes.
            kept_streams: Of programs; None: those of the user.
            regulation: Plan by which co-runners are regulated (native/regulator/plan.h).

        Returns:
            The exit code of laxity-sim; negative if a signal ended it.
        """
        plan, signals = TaskPlan(as_simulated(spec)), Forwarder()
        display = RunDisplay(spec, self.name, is_quiet=True)
        with self._settings_in(run.tmp, plan), program_folder() as folder, ExitStack() as kept:
            programs = self.all_programs_of(plan.spec)
            streams = _streams_of(programs, kept, display, signals, kept_streams)
            if regulation is not None:
                (run.tmp / REGULATION_PLAN).write_text(regulation, encoding="ascii")
            seated = partial(self._argv, folder, streams, None)
            return run_native(plan, run, display, signals, seated, told_fd)

    def programs_of(self, spec: Spec) -> list[Program | None]:
        """Tell of each task what is recorded; None: its number of jobs is not known, or large.

        Raises:
            ConfigError, PlatformError, ToolError: As `program_of`.
        """
        programs: list[Program | None] = []
        for task in as_simulated(spec).tasks:
            jobs = jobs_at_most(spec, task)
            is_recorded = jobs is not None and jobs <= MOST_JOBS
            programs.append(
                self.program_of(task.workload, task.args, jobs or 0) if is_recorded else None
            )
        return programs

    def all_programs_of(self, spec: Spec) -> list[Program | None]:
        """Tell the same of each task and of each co-runner, of which the beginning is recorded.

        What a co-runner prints is not in its stream: this is for those who do not ask for it.

        Raises:
            ConfigError, PlatformError, ToolError: As `program_of`.
        """
        corunners = [
            self.program_of(one.workload, one.args, ENDLESS_JOBS) for one, _ in corunners_of(spec)
        ]
        return [*self.programs_of(spec), *corunners]

    @contextmanager
    def _settings_in(self, directory: Path, plan: Plan) -> Iterator[None]:
        settings = directory.absolute() / _SETTINGS
        places = place_settings(self.model, plan.spec) if isinstance(plan, TaskPlan) else ()
        told = settings_of(self.model) + "".join(f"place {one}\n" for one in places)
        settings.write_text(told, encoding="ascii")
        try:
            yield
        finally:
            settings.unlink(missing_ok=True)

    def discard(self) -> None:
        """There is no copy."""

    def program_of(self, workload: str, words: tuple[str, ...], jobs: int) -> Program:
        """Tell what is executed in the emulator.

        Raises:
            ConfigError: There is no such workload.
            PlatformError, ToolError: Something is not installed, or not built.
        """
        emulator = tuple(self._emulator_words())
        self._check_emulator()
        return Program(
            emulator=emulator,
            front_end=find_plugin(emulator[0]),
            architecture=self.model.architecture,
            workload=workload,
            path=self._workload(workload),
            words=words,
            jobs=jobs,
        )

    def _argv(
        self,
        folder: Path,
        streams: list[Path | None],
        finisher: str | None,
        plan: Plan,
        seat: Seat,
    ) -> list[str]:
        programs = _Programs(_Copies(folder, self._workload, iter(streams)).add, finisher)
        tool, *words = argv_of(plan, Seat(seat.run_dir, seat.progress_fd, seat.parent_fd, programs))
        if isinstance(plan, ProbePlan):
            return [tool, str(seat.run_dir.absolute() / _SETTINGS), *words]
        launcher = (part for word in self._emulator() for part in ("--launcher", word))
        flags = ["--trace"] if plan.spec.trace else []
        flags += ["--interrupts"] if plan.spec.sample_by is SampleBy.INTERRUPT else []
        if plan.spec.sample_above is not None:
            event, _, number = plan.spec.sample_above.partition("=")
            flags += ["--above", str(plan.spec.events.index(event)), number]
        regulation = seat.run_dir.absolute() / REGULATION_PLAN
        flags += ["--regulate", str(regulation)] if regulation.exists() else []
        return [tool, str(seat.run_dir.absolute() / _SETTINGS), *flags, *launcher, *words]

    def _emulator(self) -> list[str]:
        """Return the command line of the emulator up to the program."""
        words = self._emulator_words()
        return [*words, "-plugin", f"{find_plugin(words[0])},fd={_STREAM_FD}"]

    def _check_emulator(self) -> None:
        """Try an emulator of the user's: that of an architecture executes its programs."""
        words = [self.model.values[key] for key in ("emulator", "emulated_cpu")]
        if any(one.origin != "default" for one in words):
            emulator, _, emulated_cpu, *_ = self._emulator_words()
            check_emulator(emulator, emulated_cpu, self.model.architecture)

    def _emulator_words(self) -> list[str]:
        emulator = shutil.which(self.model.emulator)
        if emulator is None:
            msg = (
                f'emulator "{self.model.emulator}": no such program of QEMU along PATH; install '
                "it (laxity setup --with sim), or add the folder where it is to PATH"
            )
            raise PlatformError(msg)
        return [
            *(emulator, "-cpu", self.model.emulated_cpu),
            *("-s", str(_STACK_BYTES), "-seed", "1"),
        ]

    def _workload(self, name: str) -> Path:
        return find_simulated_workload(name, self.model.architecture)


@dataclass(slots=True)
class _Copies:
    """The programs of a run, in a folder of their own."""

    folder: Path
    find_workload: Callable[[str], Path]
    streams: Iterator[Path | None]
    _first: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)

    def add(self, name: str) -> str:
        """Copy the program of a task; its stream, if it has one, lies beside it.

        The tasks come in their order, and then their co-runners.
        """
        program = f"{self.folder}/{next(self._numbers):04}"
        first = self._first.setdefault(name, program)
        if first == program:
            shutil.copy(self.find_workload(name), program)
        else:
            # Thousands of tasks may have one program.
            os.link(first, program)
        stream = next(self.streams, None)
        if stream is not None:
            Path(f"{program}{SUFFIX}").symlink_to(stream.absolute())
        return program


def _streams_of(
    programs: Sequence[Program | None],
    kept: ExitStack,
    display: Display,
    signals: Forwarder,
    folder: StreamFolder | None = None,
) -> list[Path | None]:
    """Find or record streams.

    Raises:
        KeyboardInterrupt: A signal came meanwhile.
    """
    not_begun = progress.State(0, 0, 0)
    streams = list(
        provide_streams(programs, kept, lambda _: display.show(not_begun), signals, folder)
    )
    if programs and signals.has_received:
        # Nothing was simulated that could be kept.
        raise KeyboardInterrupt
    return streams


@dataclass(frozen=True, slots=True)
class _Programs:
    """What stands in place of our programs on this machine."""

    find_workload: Callable[[str], str]
    finisher: str | None

    def tool(self, name: str) -> str:
        find_built(_SIMULATORS[name])
        return str(find_tool(_SIMULATORS[name]))

    def workload(self, name: str) -> str:
        return self.find_workload(name)


def _not_simulated(spec: Spec) -> Iterable[tuple[str, bool]]:
    """Name what of an experiment the simulator cannot do yet, and whether it is asked for."""
    yield "sample_cpu", spec.sample_cpu is not None  # none of its cores samples
    yield f"trace {spec.trace}", spec.trace not in (None, TRACE_AUTO)
    for task in spec.tasks:
        yield from ((f'task "{task.name}": {what}', is_asked) for what, is_asked in _of_task(task))
    seen: set[int] = set()
    for index, (one, cpu) in enumerate(corunners_of(spec)):
        where = f'co-runner {index} ("{one.runs}")'
        yield f"{where}: exec", bool(one.exec)
        yield f"{where}: policy {one.policy.value}", one.policy is not Policy.OTHER
        yield f"{where}: a second one on CPU {cpu}", cpu in seen
        seen.add(cpu)


def _of_task(task: TaskSpec) -> Iterable[tuple[str, bool]]:
    yield "exec", bool(task.exec)
    yield "program", bool(task.program)
    if task.workload == GUEST_WORKLOAD:
        yield f"isolation {task.isolation}", task.isolation in {Isolation.FORK, Isolation.EXEC}
        words = dict(enumerate(task.args))
        yield "its input files", any(words.get(at) for at in _GUEST_FILES_AT)
    else:
        yield "isolation", task.isolation is not None
    yield "calls", task.calls > 1
    yield "threads", task.threads > 1
    yield "memory_limit", task.memory_limit_bytes is not None
    yield "memory_need", task.memory_need
    yield f"policy {task.policy.value}", task.policy not in (Policy.FIFO, Policy.DEADLINE)


def settings_of(model: PlatformModel) -> str:
    """Write what laxity-sim is told of a platform (sim/cli/settings.h)."""
    settings = settings_of_values(model.values, model.levels, model.regions)
    return "".join(f"{name} {value}\n" for name, value in settings)


def describe_model(model: PlatformModel) -> Machine:
    """Describe a simulated platform as machine.json has machines; what it has not is absent."""
    stable = Stable(
        architecture=model.architecture,
        vendor=None,
        model=f"{model.title}, simulated",
        microcode=None,
        # What its times follow from, so that a changed platform file is another machine.
        firmware={
            **dict(settings_of_values(model.values, model.levels, model.regions)),
            "emulated_cpu": model.emulated_cpu,
        },
        kernel=Kernel(None, None, None, "unknown", None, None, ()),
        virtualisation=Virtualisation(None, None),
        cpus=tuple(_cpu(model, core) for core in range(model.cores)),
        caches=tuple(_caches(model)),
        nodes=tuple(_nodes(model)),
        tsc_flags=(),
        pmus=(),
    )
    return Machine(machines.SCHEMA, machines.machine_hash(stable), stable, _NO_STATE)


def _cpu(model: PlatformModel, core: int) -> Cpu:
    return Cpu(
        cpu=core,
        core=core,
        socket=0,
        node=next((one.node for one in _nodes(model) if core in one.cpus), None),
        siblings=(core,),
        is_online=True,
        is_isolated=False,
        capacity=None,
        max_frequency_hz=int(model.clock_hz),
    )


def _nodes(model: PlatformModel) -> Iterable[Node]:
    """List the domains that have memory each, as NUMA nodes: where there is one memory, none."""
    domains = domains_of(model.values) if model.number("memory.per_domain") else []
    hops: Any = model.values["domain.hops"].number
    n = len(domains)
    for node, cores in enumerate(domains):
        row = hops[node * n : node * n + n] or [int(node != one) for one in range(n)]
        # As the kernel tells them: 10 is local.
        yield Node(node, cores, tuple(10 + 10 * count for count in row))


def _caches(model: PlatformModel) -> Iterable[Cache]:
    """List each cache once: first levels by core, then the levels below by those who share one."""
    places = [
        (1, "Instruction", "l1i", 1),
        (1, "Data", "l1d", 1),
        *(
            (depth, "Unified", name, model.number(f"{name}.shared_by") or model.cores)
            for depth, name in enumerate(model.levels, start=2)
        ),
    ]
    for first in range(model.cores):
        for depth, kind, table, shared_by in places:
            if first % shared_by == 0 and model.has_cache(table):
                cores = tuple(range(first, first + shared_by))
                yield _cache(model, (depth, kind), table, cores)


def _cache(
    model: PlatformModel, level: tuple[int, str], place: str, cores: tuple[int, ...]
) -> Cache:
    size_bytes, ways = model.number(f"{place}.size"), model.number(f"{place}.ways")
    sets = size_bytes // ways // model.line_bytes
    return Cache(*level, size_bytes, ways, model.line_bytes, sets, cores)


_NO_STATE = State(
    hostname=None,
    container=None,
    boot_command_line="",
    memory_bytes=None,
    clocksource=None,
    clock_resolution_ns=None,
    governors={},
    frequencies_hz={},
    temperatures_millicelsius={},
    steal_ratio=None,
    load_average=None,
    knobs={},
)
