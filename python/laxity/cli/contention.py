# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity contention`: what memory traffic takes from a program, and a regulator that bounds it."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource

from laxity.cli.command_group import CommandGroup
from laxity.cli.contention_advise import advise
from laxity.cli.options import (
    debug_option,
    format_option,
    named_as_options,
    no_report_option,
    quiet_option,
    refuse_existing,
    run_dir_option,
    run_path,
    run_root_option,
    with_options,
)
from laxity.cli.run_paths import absolute_path, absolute_platform
from laxity.cli.spec_options import key_options
from laxity.cli.tables import print_json
from laxity.core.cpus import format_cpus, parse_cpus
from laxity.core.percent import parse_percent
from laxity.core.progress import Countdown
from laxity.core.regulate_table import resolve_regulate
from laxity.core.spec import NATIVE_PLATFORM, RegulateTable, check_platform
from laxity.core.spec_reader import split_words
from laxity.core.spec_tables import read_duration_ns
from laxity.errors import EXIT_DONE, ConfigError, located
from laxity.store.run_directory import check_output, write_output

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from laxity.contention.plan import Policy
    from laxity.contention.trial import Trial

# Options of a profile on one kind of platform.
_OF_SIMULATED = ("placements", "reads", "delays", "pauses", "preempt", "preemptions")
_OF_NATIVE = ("period", "jobs")
_MOST_READS = 10
_MOST_DELAY = 1_000_000
_MOST_FACTOR = 100
_MOST_PAUSE, _MOST_GROUPS = 1_000_000_000, 1_000_000
_common_options = with_options(format_option("table", "json", "csv"), quiet_option, debug_option)
_reads_help = "Lines of each 10 that load reads; it writes the others."
_delays_help = "Iterations of the wait loop of load."
_pauses_help = (
    "Loads that pause: iterations of a pause, and groups of 10 lines between two pauses. These "
    "loads have the first two of --reads and no delay."
)


class _ProfileOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    program: str
    platform: str
    cpu: int
    load_cpus: str | None
    placements: str | None
    reads: str
    delays: str
    pauses: str
    preempt: str | None
    preemptions: int
    period: str
    jobs: int
    output: str
    output_format: str
    quiet: bool


class _EvaluateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    table: str
    policy: str
    thetas: str
    reads: str
    delays: str
    pauses: str
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str
    quiet: bool


@click.group(cls=CommandGroup)
def contention() -> None:
    """Measure how much memory traffic delays a program, and try a regulator that limits this."""


contention.add_command(advise)


@contention.command()
@click.argument("program", metavar="'WORKLOAD [WORD...]'")
@click.option(
    "--platform",
    metavar="sim:NAME",
    default=NATIVE_PLATFORM,
    show_default=True,
    help="A simulated platform, or native: this machine.",
)
@click.option(
    "--cpu",
    type=click.IntRange(0, 63),
    metavar="N",
    default=0,
    show_default=True,
    help="CPU that jobs run on.",
)
@click.option("--load-cpus", metavar="LIST", help="CPUs that loads run on.  [default: all others]")
@click.option(
    "--placements",
    metavar="N,.../...",
    help="Factors of the delay, one for each CPU with a load; / separates placements.  "
    "[default: 1/1,1/... to all]",
)
@click.option("--reads", metavar="N,...", default="0,3,5,7,10", show_default=True, help=_reads_help)
@click.option(
    "--delays",
    metavar="N,...|adaptive",
    default="0,20,60,200,1000,8000",
    show_default=True,
    help=f"{_delays_help} adaptive: 0 to 8000, closer where the overhead bends.",
)
@click.option(
    "--pauses",
    metavar="ITERATIONS/GROUPS,...|none",
    default="8000/30,80000/300,800000/3000",
    show_default=True,
    help=_pauses_help,
)
@click.option(
    "--preempt",
    metavar="'WORKLOAD [WORD...]'|none",
    help="Program that preempts jobs.  [default: mem, twice the CPU's share of its caches]",
)
@click.option(
    "--preemptions",
    type=click.IntRange(1, 1000),
    metavar="N",
    default=24,
    show_default=True,
    help="Points of a job at which it is preempted, and at which the worst load stops.",
)
@click.option(
    "-p",
    "--period",
    metavar="TIME",
    default="100ms",
    show_default=True,
    help="Native: time between two jobs.",
)
@click.option(
    "-t",
    "--jobs",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    default=1000,
    show_default=True,
    help="Native: jobs of each of three runs.",
)
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="File of the table; must not exist."
)
@_common_options
def profile(**given: Any) -> int:  # noqa: ANN401 - as click gives them
    """Measure how much memory traffic delays a program, and write its contention table.

    One cold job runs alone and with each load: on one CPU, on two, and so on. Then five jobs follow
    one another, and another program precedes and preempts the job, alone and with the worst load.

    On this machine jobs run alone, between loads, and with loads all the time. Nothing measures
    traffic there: laxity run --regulate counts all time with co-runners as lost until a mark.
    """
    from laxity.contention.document import (  # noqa: PLC0415 - heavy
        LOAD_COLUMNS,
        profile_document,
        profile_text,
    )
    from laxity.contention.experiments import Program, keeping  # noqa: PLC0415 - with the above
    from laxity.contention.reload import evictor_of  # noqa: PLC0415 - with the above
    from laxity.contention.run import loads_of, profile_program  # noqa: PLC0415 - with the above
    from laxity.contention.table import signed  # noqa: PLC0415 - with the above
    from laxity.page.columns import csv_text  # noqa: PLC0415 - with the above
    from laxity.platform.platform_file import read_platform  # noqa: PLC0415 - with the above

    options = _ProfileOptions(**given)
    check_platform(options.platform, None)
    _check_belongs(options.platform)
    check_output(Path(options.output))
    if options.platform == NATIVE_PLATFORM:
        return _profile_here(options)
    name = absolute_platform(options.platform, Path.cwd())
    workload, *words = split_words(options.program, "PROGRAM") or [""]
    workload = absolute_path(workload, Path.cwd())
    kept = Path(f"{options.output}.parts")
    program = Program(read_platform(name), name, workload, tuple(words), options.cpu, kept)
    is_adaptive = options.delays == "adaptive"
    preempting = evictor_of(program.model, options.cpu)
    if options.preempt is not None:
        preempting = _preempting(options.preempt)
    loads = loads_of(
        _load_cpus(options.load_cpus, options.cpu, range(program.model.cores)),
        _numbers("--reads", options.reads, _MOST_READS),
        [0] if is_adaptive else _numbers("--delays", options.delays, _MOST_DELAY),
        _placements(options.placements),
        _pauses(options.pauses),
    )
    display = Countdown("laxity contention", "loads", is_quiet=options.quiet)
    with keeping(kept):
        table = signed(
            profile_program(
                program,
                loads,
                display,
                is_adaptive=is_adaptive,
                preempting=preempting,
                n_preemptions=options.preemptions,
            )
        )
        data = msgspec.json.format(msgspec.json.encode(table)) + b"\n"
        write_output(Path(options.output), data)
    if options.output_format == "json":
        print_json(profile_document(table))
    elif options.output_format == "csv":
        sys.stdout.write(csv_text(LOAD_COLUMNS, table.loads))
    else:
        sys.stdout.write(f"{profile_text(table)}{options.output}\n")
    return EXIT_DONE


def _check_belongs(platform: str) -> None:
    """Refuse options that the platform has no use for.

    Raises:
        ConfigError: One was given.
    """
    context = click.get_current_context()
    is_native = platform == NATIVE_PLATFORM
    where = "simulated platforms" if is_native else "this machine"
    for name in _OF_SIMULATED if is_native else _OF_NATIVE:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            msg = f"--{name}: is of {where}; leave it out, or choose another --platform"
            raise ConfigError(msg)


def _profile_here(options: _ProfileOptions) -> int:
    """Profile a program on this machine."""
    from laxity.contention.native import (  # noqa: PLC0415 - heavy
        NativeProgram,
        native_document,
        native_text,
        profile_native,
    )

    if options.output_format == "csv":
        msg = "--format csv: a machine has one load, no table of loads; use table or json"
        raise ConfigError(msg)
    workload, *words = split_words(options.program, "PROGRAM") or [""]
    program = NativeProgram(
        workload=absolute_path(workload, Path.cwd()),
        args=tuple(words),
        cpu=options.cpu,
        load_cpus=tuple(
            _load_cpus(options.load_cpus, options.cpu, sorted(os.sched_getaffinity(0)))
        ),
        period_ns=read_duration_ns(options.period, "--period"),
        jobs=options.jobs,
    )

    def say(text: str) -> None:
        if not options.quiet:
            sys.stderr.write(f"laxity contention: {text}\n")

    table = profile_native(program, say)
    data = msgspec.json.format(msgspec.json.encode(table)) + b"\n"
    write_output(Path(options.output), data)
    if options.output_format == "json":
        print_json(native_document(table))
    else:
        sys.stdout.write(f"{native_text(table)}{options.output}\n")
    return EXIT_DONE


@contention.command(
    epilog="Exit codes: 0 each policy kept --theta; 1 a policy broke --theta; 2 usage; 4 a job was "
    "outside its profile."
)
@click.argument("table", metavar="TABLE.json")
@key_options(RegulateTable)
@click.option(
    "--policy",
    metavar="POLICY,...",
    default="sound",
    show_default=True,
    help="Rules that stop and resume loads, of sound, paper, budget and suspend.",
)
@click.option(
    "--thetas",
    metavar="PERCENT,...",
    default="1%,2%,3%,5%,7%,10%,15%,20%",
    show_default=True,
    help="More values of theta; jobs are replayed with each.",
)
@click.option("--reads", metavar="N,...", default="0,2,5,8,10", show_default=True, help=_reads_help)
@click.option(
    "--delays", metavar="N,...", default="10,100,500", show_default=True, help=_delays_help
)
@click.option(
    "--pauses",
    metavar="ITERATIONS/GROUPS,...|none",
    default="16000/60,240000/900",
    show_default=True,
    help=_pauses_help,
)
@run_dir_option
@run_root_option
@no_report_option
@_common_options
def evaluate(**given: Any) -> int:  # noqa: ANN401 - as click gives them
    """Try a contention table: run its program with loads, unregulated and regulated.

    Use loads that the profile did not have. With --run-dir or --run-root the answer is stored as a
    run with a report.
    """
    from laxity.contention.document import evaluations_csv  # noqa: PLC0415 - heavy
    from laxity.contention.plan import Terms  # noqa: PLC0415 - with the above
    from laxity.contention.run import evaluate_table, loads_of  # noqa: PLC0415 - with the above
    from laxity.contention.table import read_table  # noqa: PLC0415 - with the above

    keys = {key: given.pop(key) for key in RegulateTable.__struct_fields__ if key in given}
    options = _EvaluateOptions(**given)
    is_stored = options.run_dir is not None or options.run_root is not None
    if is_stored and options.output_format == "csv":
        msg = "--format csv: a stored run is printed as table or json; leave out --run-dir"
        raise ConfigError(msg)
    policies = _policies(options.policy)
    with located("--thetas"):
        thetas_ppm = sorted({parse_percent(word) for word in options.thetas.split(",")})
    pauses = _pauses(options.pauses)
    table, _ = read_table(Path(options.table))
    cpus = max((load.cpus for load in table.loads), key=len)
    written = {key: value for key, value in keys.items() if value is not None}
    with named_as_options(written):
        regulate = resolve_regulate(RegulateTable(**written), table.workload)
    terms = [Terms(regulate, cpus[0], policy=policy) for policy in policies]
    loads = loads_of(
        cpus,
        _numbers("--reads", options.reads, _MOST_READS),
        _numbers("--delays", options.delays, _MOST_DELAY),
        pauses=pauses,
    )
    display = Countdown("laxity contention", "loads", is_quiet=options.quiet)

    def make() -> "Trial":
        return evaluate_table(table, terms, thetas_ppm, loads, display)

    if is_stored:
        return _store(make, table.workload, options)
    trial = make()
    if options.output_format == "json":
        print_json(trial.document())
    elif options.output_format == "csv":
        sys.stdout.write(evaluations_csv(trial.evaluations))
    else:
        sys.stdout.write(trial.text())
    return trial.exit_code


def _store(make: "Callable[[], Trial]", name: str, options: _EvaluateOptions) -> int:
    """Store an evaluation as a run, write its report, print the answer."""
    from laxity.cli.finished import show_finished  # noqa: PLC0415 - only if asked for
    from laxity.contention.trial import store_trial  # noqa: PLC0415 - likewise

    name = Path(name).name
    final = run_path(name, options.run_dir, options.run_root)
    refuse_existing(final)
    finished = store_trial(make, final, name, ["laxity", *sys.argv[1:]], is_judged=True)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )


def _policies(text: str) -> "list[Policy]":
    """Read the names of policies; a name that stands there twice is tried once.

    Raises:
        ConfigError: There is no such policy.
    """
    from laxity.contention.plan import POLICIES  # noqa: PLC0415 - heavy

    chosen = [policy for word in text.split(",") for policy in POLICIES if policy == word]
    if len(chosen) < text.count(",") + 1:
        msg = f"--policy {text}: use names of {', '.join(POLICIES)} with commas in between"
        raise ConfigError(msg)
    return list(dict.fromkeys(chosen))


def _load_cpus(text: str | None, cpu: int, usable: "Sequence[int]") -> list[int]:
    """Read the CPUs of loads.

    Args:
        text: Of --load-cpus; None: all others than the job's.
        cpu: Of the job.
        usable: CPUs that there are.

    Raises:
        ConfigError: There is none, the platform lacks one, or one is that of the job.
    """
    there = format_cpus(usable)
    if cpu not in usable:
        msg = f"--cpu {cpu}: the platform has CPUs {there}"
        raise ConfigError(msg)
    with located("--load-cpus"):
        cpus = [i for i in usable if i != cpu] if text is None else list(parse_cpus(text))
        if not cpus or cpu in cpus or not set(cpus) <= set(usable):
            msg = f"loads need CPUs of {there} other than {cpu}, that of the job"
            raise ConfigError(msg)
    return cpus


def _preempting(text: str) -> tuple[str, ...]:
    """Read a program and its arguments; none: nothing preempts the job.

    Raises:
        ConfigError: It is empty.
    """
    words = split_words(text, "--preempt")
    if not words:
        msg = "--preempt is empty; name a workload, or none"
        raise ConfigError(msg)
    if words == ["none"]:
        return ()
    return (absolute_path(words[0], Path.cwd()), *words[1:])


def _pauses(text: str) -> list[tuple[int, int]]:
    """Read iterations of pauses, and groups between them.

    Raises:
        ConfigError: It is something else.
    """
    if text == "none":
        return []
    pairs = [part.split("/") for part in text.split(",")]
    if not all(
        len(pair) == 2  # noqa: PLR2004 - two numbers
        and all(word.isdecimal() and word.isascii() for word in pair)
        and 1 <= int(pair[0]) <= _MOST_PAUSE
        and 1 <= int(pair[1]) <= _MOST_GROUPS
        for pair in pairs
    ):
        msg = (
            f"--pauses {text}: use ITERATIONS/GROUPS with commas in between, iterations from 1 to "
            f"{_MOST_PAUSE}, groups from 1 to {_MOST_GROUPS}, or none"
        )
        raise ConfigError(msg)
    return [(int(turns), int(groups)) for turns, groups in pairs]


def _placements(text: str | None) -> list[list[int]]:
    parts = [] if text is None else text.split("/")
    return [_numbers("--placements", part, _MOST_FACTOR, least=1) for part in parts]


def _numbers(option: str, text: str, most: int, *, least: int = 0) -> list[int]:
    words = text.split(",")
    if not all(
        word.isdecimal() and word.isascii() and least <= int(word) <= most for word in words
    ):
        msg = f"{option} {text}: use numbers from {least} to {most} with commas in between"
        raise ConfigError(msg)
    return [int(word) for word in words]
