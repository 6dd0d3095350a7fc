# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run the experiments of a paper and store them as one run with a table."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from laxity import __version__
from laxity.core.executor import Workers, n_cpus
from laxity.core.signals import Forwarder
from laxity.core.spec import NATIVE_PLATFORM, CountedBy, Snapshots
from laxity.core.spec_reader import parse_interfere_option, resolve_spec
from laxity.costs.measure import MeasureRequest, run_measurement
from laxity.costs.probe import probe_of
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, ConfigError, RecordError
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.papers.live_stream import executed_addresses
from laxity.papers.live_tasks import (
    EVENTS,
    JOBS,
    LEAST,
    MIDDLE,
    least_live,
    middles,
    migrated_tasks,
)
from laxity.papers.paper import (
    ContentionTrial,
    Exhibit,
    Experiment,
    LiveAnalysis,
    Measurement,
    MigratedRun,
    Paper,
    SuiteAnalysis,
    TaskRun,
    experiments_of,
)
from laxity.papers.result import Reproduction, read_reproduction
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.platform_file import PLATFORM, parse_platform, read_platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.store.manifest import Fallback
from laxity.store.run_directory import REPRODUCTION, read_manifest, write_document
from laxity.workingset.analyse import require_tool
from laxity.workingset.llvm import find_llvm

# What is drawn is the same in every reproduction, so that two are identical.
_SEED = 1
# Of the clock that releases simulated jobs.
_RESOLUTION_NS = 1
# Within a run that is not whole: simulations of trials.
_KEPT = "simulated"


@dataclass(frozen=True, slots=True)
class ReproduceRequest:
    """Which exhibits of which paper, where they are stored, and what was typed.

    Attributes:
        suites: Checkouts of the suite that some exhibits are of.
        left_out: What was asked for and is not made, with its reason.
        on_begin: Told each experiment as it begins: "2/5: figure-10".
        is_quiet: Whether the progress of each is not shown.
    """

    paper: Paper
    exhibits: tuple[Exhibit, ...]
    final: Path
    command_line: list[str]
    on_begin: Callable[[str], None]
    suites: tuple[Path, ...] = ()
    left_out: tuple[Fallback, ...] = ()
    is_quiet: bool = True


def run_reproduction(request: ReproduceRequest, signals: Forwarder) -> Finished:
    """Run what the exhibits need, each experiment once.

    Raises:
        ConfigError: The directory cannot be created.
        ToolError: LLVM or the analysis is missing, and something of it is asked for.
        LaxityError: As a measurement's; what was measured before stays.
    """
    experiments = experiments_of(request.exhibits)
    if any(isinstance(one.work, LiveAnalysis) for one in experiments):
        # Before other experiments take their time.
        require_tool()
        find_llvm("clang")
    asked = Reproduction(
        paper=request.paper.name,
        figures=[exhibit.name for exhibit in request.exhibits],
        preset=request.paper.preset,
    )
    simulated = next((one for one in experiments if one.platform), None)
    platform: Platform = THIS_MACHINE if simulated is None else platform_of(simulated)
    whole = Composite(
        kind="reproduction",
        name=request.paper.name,
        final=request.final,
        command_line=request.command_line,
        seed=_SEED,
        cpus=(0,),
        fallbacks=request.left_out,
        children=tuple(
            _child(request, one, f"{number}/{len(experiments)}: {one.name} ({one.where})")
            for number, one in enumerate(experiments, 1)
        ),
        begin=lambda tmp: write_document(tmp / REPRODUCTION, asked),
        check_same=partial(_check_same, asked=asked),
        platform=NATIVE_PLATFORM if simulated is None else f"sim:{simulated.platform}",
        # Simulated experiments come out the same however many there are at once.
        workers=Workers(n_cpus() if all(one.platform for one in experiments) else 1),
    )
    return run_composite(whole, signals, platform)


def _check_same(directory: Path, asked: Reproduction) -> None:
    """Refuse to go on with what is another reproduction.

    Raises:
        ConfigError: Another reproduction is there; the message says what differs.
    """
    advice = "name another directory or remove it"
    try:
        manifest = read_manifest(directory)
        # Killed between the two, it has not made anything.
        has_document = (directory / REPRODUCTION).is_file()
        left = read_reproduction(directory) if has_document else asked
    except RecordError as error:
        msg = f"run directory {directory}: exists and holds no reproduction ({error}); {advice}"
        raise ConfigError(msg) from error
    if manifest.kind != "reproduction":
        msg = f"run directory {directory}: holds a run of kind {manifest.kind}; {advice}"
        raise ConfigError(msg)
    pairs = (
        ("laxity", manifest.tool.version, __version__),
        ("paper", left.paper, asked.paper),
        ("figures", ", ".join(left.figures), ", ".join(asked.figures)),
        ("preset", left.preset, asked.preset),
    )
    for key, theirs, ours in pairs:
        if theirs != ours:
            msg = (
                f"run directory {directory}: holds another reproduction ({key}: {theirs or 'none'},"
                f" and not {ours or 'none'}); {advice}"
            )
            raise ConfigError(msg)


def platform_of(experiment: Experiment) -> Platform:
    """Return this machine, or read the platform of an experiment.

    Raises:
        ConfigError: As of `simulated_of`.
    """
    return THIS_MACHINE if experiment.is_of_machine else simulated_of(experiment)


def simulated_of(experiment: Experiment) -> SimulatedPlatform:
    """Read the platform of an experiment that is simulated.

    Raises:
        ConfigError: There is none, or what is changed cannot be.
    """
    if not experiment.changed:
        return SimulatedPlatform(read_platform(experiment.platform))
    title = f"{experiment.platform}, changed for {experiment.name}"
    text = f'schema = 1\nbase = "{experiment.platform}"\ntitle = "{title}"\n{experiment.changed}'
    model = parse_platform(text.encode(), experiment.name)
    # It lies in the run, as any that does not come with laxity.
    return SimulatedPlatform(model, f"sim:./{PLATFORM}")


def _child(request: ReproduceRequest, experiment: Experiment, begins: str) -> Child:
    def run(final: Path, signals: Forwarder) -> Finished:
        request.on_begin(begins)
        if isinstance(experiment.work, Measurement):
            return _measure(request, experiment, experiment.work, final, signals)
        if isinstance(experiment.work, TaskRun):
            return _run_tasks(request, experiment, experiment.work, final, signals)
        if isinstance(experiment.work, MigratedRun):
            return _run_migrated(request, experiment, experiment.work, final, signals)
        if isinstance(experiment.work, ContentionTrial):
            from laxity.papers.trial import run_trial  # noqa: PLC0415 - as _analyse

            return run_trial(
                simulated_of(experiment),
                experiment.work,
                final,
                experiment.name,
                request.command_line,
                final.parent.parent / f"{_KEPT}-{experiment.name}",
            )
        return _analyse(request, experiment.name, experiment.work, final)

    return Child(experiment.name, run)


def _measure(
    request: ReproduceRequest,
    experiment: Experiment,
    work: Measurement,
    final: Path,
    signals: Forwarder,
) -> Finished:
    platform = platform_of(experiment)
    measurement, fallbacks = probe_of(work.probe).plan(
        work.asked, platform.facts(), platform.cpus()
    )
    one = MeasureRequest(
        measurement=measurement,
        fallbacks=fallbacks,
        final=final,
        command_line=request.command_line,
        seed=_SEED,
        is_quiet=request.is_quiet,
    )
    finished = run_measurement(one, signals, platform)
    if finished.manifest.exit_code != EXIT_NO_VERDICT:
        return finished
    # The paper's values are computed from the rows; of the probe's own verdict they have no need.
    manifest = msgspec.structs.replace(finished.manifest, exit_code=EXIT_DONE)
    return replace(finished, manifest=manifest)


def _run_tasks(
    request: ReproduceRequest,
    experiment: Experiment,
    work: TaskRun,
    final: Path,
    signals: Forwarder,
) -> Finished:
    platform = platform_of(experiment)
    table = {
        "platform": platform.name,
        **({"duration": work.duration} if work.duration else {"jobs": work.jobs}),
        "seed": _SEED,
        "events": list(work.events),
        "trace": work.is_traced,
    }
    if experiment.is_of_machine:
        # Nothing stands between start and finish, as in what papers measure with.
        table["snapshots"] = Snapshots.NONE
    else:
        table["counters"] = CountedBy.MODEL
    if work.sample_bucket:
        table |= {"sample_bucket": work.sample_bucket, "sample_by": work.sample_by}
    interfere = [parse_interfere_option(one) for one in work.interfere]
    tasks = [dict(one) for one in work.tasks]
    spec = resolve_spec(table, tasks, interfere, _RESOLUTION_NS)
    one = RunRequest(
        spec=prepare_spec(spec, platform),
        name=experiment.name,
        final=final,
        command_line=request.command_line,
        allow_unprivileged=experiment.is_of_machine,
        is_quiet=request.is_quiet,
    )
    return run_once(one, signals, platform)


def _run_migrated(
    request: ReproduceRequest,
    experiment: Experiment,
    work: MigratedRun,
    final: Path,
    signals: Forwarder,
) -> Finished:
    from laxity.papers.live_programs import link_program  # noqa: PLC0415 - as _analyse

    platform = simulated_of(experiment)
    with tempfile.TemporaryDirectory(prefix="laxity-live-") as directory:
        scratch = Path(directory)
        program = link_program(work.program, scratch)
        executed = executed_addresses(platform, program.path, scratch)
        instants = [
            *((MIDDLE, at) for at in middles(len(executed), work.parts)),
            *((LEAST, at) for at in least_live(executed, program.live_bits, work.parts)),
        ]
        # A job that finds its lines takes what its instructions take.
        ns = work.instruction_ns
        at_ns = [(name, int(at * ns)) for name, at in instants]
        tasks = migrated_tasks(program.path, work.cpus, at_ns, int(len(executed) * ns))
        run = TaskRun(tuple(tasks), JOBS, events=EVENTS)
        return _run_tasks(request, experiment, run, final, signals)


def _analyse(
    request: ReproduceRequest, name: str, work: SuiteAnalysis | LiveAnalysis, final: Path
) -> Finished:
    # Loads DuckDB, which most figures do not need.
    if isinstance(work, LiveAnalysis):
        from laxity.papers.live_programs import analyse_live  # noqa: PLC0415

        return analyse_live(work.programs, final, name, request.command_line)
    from laxity.papers.suite import analyse_suite  # noqa: PLC0415

    return analyse_suite(request.suites, work, final, name, request.command_line)
