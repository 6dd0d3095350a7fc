# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run`: a periodic task from a spec file or from options."""

import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    debug_option,
    format_option,
    named_as_options,
    no_report_option,
    on_option,
    quiet_option,
    run_dir_option,
    run_path,
    run_root_option,
    split_names,
)
from laxity.cli.run_command import RunCommand
from laxity.cli.run_paths import (
    absolute_path,
    absolute_platform,
    make_absolute,
    with_absolute_corunners,
    with_absolute_paths,
)
from laxity.cli.spec_options import key_option, key_options
from laxity.cli.tables import print_json
from laxity.core.cpus import parse_cpus
from laxity.core.input_file import read_input
from laxity.core.regulate_table import with_theta
from laxity.core.spec import (
    NATIVE_PLATFORM,
    TRACE_BACKENDS,
    Isolation,
    RegulateTable,
    RunTable,
    Spec,
    TaskTable,
    spec_to_toml,
)
from laxity.core.spec_reader import (
    MAX_SPEC_BYTES,
    is_spec_path,
    read_spec_toml,
    reservation_keys,
    resolve_spec,
    split_words,
)
from laxity.core.spec_tables import read_document
from laxity.errors import ConfigError, located
from laxity.platform.tools import (
    ELF,
    SCRIPT,
    find_workload,
    is_linked_with_harness,
    is_run_here,
    list_workloads,
    read_corunner,
    require_process_per_job,
)
from laxity.store.run_directory import is_spec_of_run

if TYPE_CHECKING:
    from laxity.platform.platform import Platform

# What ends a run.
_ENDS = {"-t", "--jobs", "--duration"}
Command = TypeVar("Command", bound=Callable[..., Any])

# RT-Bench's own default.
_DEFAULT_SAMPLE_BUCKET = "10ms"
# RT-Bench's letters that have no meaning here, and what does the same.
_FOREIGN_LETTERS = {
    "-l": "what is logged is always everything; --keep and --snapshots choose less",
    "-o": "a run is a directory; name it with --run-dir",
    "-g": "an experiment is a spec file; give its path in place of the workload",
    "-H": "the heap is ordinary locked memory; --heap gives its size",
}


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given. `keys` are those that a spec has, too."""

    keys: dict[str, Any]
    sched_period: str | None
    sched_deadline: str | None
    words: str | None
    exec_words: str | None
    interfere: tuple[str, ...]
    sample: bool
    trace_any: bool | None
    trace_backend: str | None
    allow_unprivileged: bool
    shield: str | None
    no_throttling: bool
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str
    dry_run: bool
    quiet: bool
    regulate: str | None = None
    theta: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, object]) -> "RunOptions":
        """Take what click gives."""
        keys = {key: given[key] for key in given if key not in cls.__struct_fields__}
        own = {key: given[key] for key in given if key in cls.__struct_fields__}
        return msgspec.convert({"keys": keys, **own}, cls)

    @property
    def trace(self) -> str | bool | None:
        """The key `trace`: naming a back-end asks for a trace too."""
        return self.trace_backend or self.trace_any

    def table(self, kind: type[msgspec.Struct]) -> dict[str, Any]:
        """Make a table of a spec from the options that were given."""
        given = {**self.keys, "trace": self.trace}
        return {key: given[key] for key in kind.__struct_fields__ if given.get(key) is not None}


@dataclass(frozen=True, slots=True)
class _Experiment:
    """What is to be run, and what it is called."""

    name: str
    spec: Spec


def _foreign(_ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        letter = param.opts[0]
        msg = f"{letter}: not an option of laxity run; {_FOREIGN_LETTERS[letter]}"
        raise ConfigError(msg)


def _foreign_options(command: Command) -> Command:
    for letter in _FOREIGN_LETTERS:
        name = f"foreign_{letter[1:]}"
        option = click.option(
            letter, name, hidden=True, expose_value=False, callback=_foreign, metavar="WORD"
        )
        command = option(command)
    return command


def _more_task_options(command: Command) -> Command:
    for option in reversed(
        (
            click.option(
                "-P",
                "--sched-period",
                metavar="TIME",
                help="Period of policy deadline: that of the task.  [default: --period]",
            ),
            click.option(
                "-D",
                "--sched-deadline",
                metavar="TIME",
                help="Deadline of policy deadline: that of the task.  [default: --deadline]",
            ),
            click.option(
                "-b",
                "--args",
                "words",
                metavar="'WORD...'",
                help="Words for the workload, as one quoted string: -b '64KiB 2'.",
            ),
            click.option(
                "--exec",
                "exec_words",
                metavar="PROGRAM ARG...",
                help="Each job is one process of a program; all behind it are its own words.",
            ),
            click.option(
                "--interfere",
                multiple=True,
                metavar="'NAME ARG...@CPUS'",
                help="Run a workload, or any program by its path, on each of CPUS; repeatable.",
            ),
        )
    ):
        command = option(command)
    return command


def _more_run_options(command: Command) -> Command:
    for option in reversed(
        (
            click.option(
                "--events",
                callback=split_names,
                metavar="NAME,NAME...",
                help="Count these in every job: instructions,page-faults (laxity list events).",
            ),
            click.option("-M", "--sample", is_flag=True, help="Read the events within jobs too."),
            click.option(
                "--trace",
                "trace_any",
                is_flag=True,
                default=None,
                help="Record every switch of every CPU, to tell who took the time.",
            ),
            click.option(
                "--trace-backend",
                type=click.Choice(TRACE_BACKENDS),
                help="As --trace, by this one or not at all; perf supplies neither wake-ups nor "
                "interrupts.  [default: the first that serves]",
            ),
            click.option(
                "--allow-unprivileged",
                is_flag=True,
                help="Use policy other where fifo is not permitted; told and stored.",
            ),
            click.option(
                "--shield",
                metavar="LIST",
                help="Move other tasks and interrupts away from these CPUs for the run; root.",
            ),
            click.option(
                "--no-throttling",
                is_flag=True,
                help="Lift the kernel's limit of real-time load for the run; root.",
            ),
        )
    ):
        command = option(command)
    return command


def _complete_what(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the bundled workloads; a spec is a file."""
    if is_spec_path(incomplete):
        return [CompletionItem(incomplete, type="file")]
    names = [one for one in list_workloads() if one.name.startswith(incomplete)]
    found = [CompletionItem(one.name, help=one.summary) for one in names]
    return found or [CompletionItem(incomplete, type="file")]


@click.command(cls=RunCommand)
@click.argument("what", metavar="SPEC|NAME", required=False, shell_complete=_complete_what)
@click.argument("bare", metavar="[WORD]...", nargs=-1)
@key_options(TaskTable, ("exec",))
@_more_task_options
@key_options(RunTable, ("on", "events"))
@_more_run_options
@click.option(
    "--regulate",
    metavar="TABLE.json",
    help="Simulated: stop co-runners before a job loses more than --theta. The table of laxity "
    "contention profile states their cost.",
)
@key_option(RegulateTable, "theta")
@on_option
@run_dir_option
@run_root_option
@no_report_option
@format_option("table", "json")
@click.option("--dry-run", is_flag=True, help="Print the resolved spec and run nothing.")
@quiet_option
@debug_option
@_foreign_options
def run(what: str | None, **given: object) -> int:
    """Run a periodic task, alone or under interference, and store what was measured.

    SPEC is a file (its name has a / or ends in .toml); options then only change its [run] table,
    and --interfere adds co-runners.
    NAME is a bundled workload (laxity list) and takes the words behind it, or the path of one of
    your own; options describe the task. Or, in place of all this and as the last option, --exec
    PROGRAM ARG...: each job is one process of any program, unchanged.

    Without --jobs and --duration the run lasts until it is interrupted (Ctrl-C); it is stored all
    the same. Durations and sizes need units: 10ms, 64KiB.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.jobs.run_once import RunRequest, prepare_spec, run_once  # noqa: PLC0415 - heavy
    from laxity.platform.kernel import Kernel  # noqa: PLC0415 - with the above
    from laxity.platform.placement import check_unthrottled_load, silent_corunners  # noqa: PLC0415 - with the above
    from laxity.platform.platform import open_for, open_platform  # noqa: PLC0415 - with the above
    from laxity.platform.shield import KnobRequest, check_knobs  # noqa: PLC0415 - with the above

    options = RunOptions.of(given)
    what = what or ""
    experiment = read_experiment(what, options, resolution_here_ns())
    elsewhere = experiment.spec.on or experiment.spec.platform
    if elsewhere != "native":
        refuse_knobs(options, elsewhere)
    with ExitStack() as opened:
        host = None
        platform: Platform
        if experiment.spec.on is not None:
            board = opened.enter_context(open_platform(experiment.spec.on))
            # Now that its clock is known.
            facts = board.facts()
            host = facts.text("@hostname")
            experiment = read_experiment(what, options, facts.integer("@resolution_ns") or 1)
            platform = board
        else:
            platform = opened.enter_context(open_for(experiment.spec))
        spec = prepare_spec(experiment.spec, platform)
        with located("--shield"):
            shield = () if options.shield is None else parse_cpus(options.shield)
        if options.no_throttling:
            check_unthrottled_load(spec)
        if options.dry_run:
            _print_spec(spec, options.output_format)
            return 0
        knobs = KnobRequest(options.no_throttling, shield)
        check_knobs(knobs, Kernel())
        for line in silent_corunners(spec):
            _tell(line)
        spec, kept = _regulated(spec)
        request = RunRequest(
            spec=spec,
            name=experiment.name,
            final=run_path(experiment.name, options.run_dir, options.run_root, host),
            command_line=["laxity", *sys.argv[1:]],
            allow_unprivileged=options.allow_unprivileged,
            is_quiet=options.quiet,
            knobs=knobs,
            on_note=_tell,
            kept=kept,
        )
        with forwarded_signals() as signals:
            finished = run_once(request, signals, platform)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )


def _regulated(spec: Spec) -> tuple[Spec, Mapping[str, bytes]]:
    """Make the files of a regulation, if a spec asks for one."""
    if spec.regulate is None:
        return spec, {}
    from laxity.contention.regulate import regulation_of  # noqa: PLC0415 - loads numpy
    from laxity.contention.run import solo_progress  # noqa: PLC0415 - likewise

    regulation = regulation_of(spec, spec.regulate)
    if regulation.program is not None:
        solo_progress(regulation.table, regulation.program)
    return regulation.spec, regulation.files


def _tell(line: str) -> None:
    print(f"laxity run: {line}", file=sys.stderr)


def refuse_knobs(options: RunOptions, on: str) -> None:
    """Refuse to change kernel settings here for a run that is elsewhere."""
    given = ["--no-throttling"] if options.no_throttling else []
    given += [] if options.shield is None else ["--shield"]
    for option in given:
        msg = f"{option}: changes settings of this machine, and the run is on {on}; remove it"
        raise ConfigError(msg)


def resolution_here_ns() -> int:
    """Return the resolution of the clock that releases jobs on this machine."""
    return round(time.clock_getres(time.CLOCK_MONOTONIC) * 1e9)


def read_experiment(what: str, options: RunOptions, resolution_ns: int) -> _Experiment:
    """Resolve what was asked for: a spec file, or a workload and options.

    Raises:
        ConfigError: It is no experiment.
    """
    run_table = options.table(RunTable)
    _check_sampling(what, options, run_table)
    program = split_words(options.exec_words or "", "--exec")
    if program and what:
        msg = f"--exec: runs {program[0]}, and {what} is named too; remove one of them"
        raise ConfigError(msg)
    _refuse_words_behind(program, run_table | options.keys)
    _tell_of_ends_behind(program, run_table)
    if what in {"", "-"} and not program:
        msg = f'workload "{what}": not a name and not a file; laxity list shows what there is'
        raise ConfigError(msg)
    if is_spec_path(what) and _is_workload(what, run_table.get("platform")):
        what = str(Path(what).absolute())
    elif is_spec_path(what):
        with named_as_options(run_table):
            return _read_spec_file(Path(what), run_table, options, resolution_ns)
    is_known = "/" in what or what in {one.name for one in list_workloads()}
    if not is_known and Path(what).is_file():
        find_workload(what)  # which says what to do with a file
    task = task_table(what, options)
    if options.regulate is not None:
        task["contention"] = str(Path(options.regulate).absolute())
    regulate = with_theta(None if options.regulate is None else {}, options.theta)
    interfere = [read_corunner(text, run_table) for text in options.interfere]
    with named_as_options({*run_table, *task} - {"workload", "args", "exec", "isolation"}):
        spec = resolve_spec(run_table, [task], interfere, resolution_ns, regulate)
    if spec.on is None:
        spec = with_absolute_corunners(spec, Path.cwd())
    return _Experiment(spec.tasks[0].name, spec)


def task_table(what: str, options: RunOptions) -> dict[str, Any]:
    """Make the table of the task that options describe.

    Args:
        what: Its workload; "": it is a program.
        options: As they were given.

    Raises:
        ConfigError: They contradict each other.
    """
    task = reservation_keys(options.table(TaskTable), options.sched_period, options.sched_deadline)
    program = split_words(options.exec_words or "", "--exec")
    if not program:
        return task | {"workload": what, "args": split_words(options.words or "", "-b")}
    if options.words is not None:
        msg = "-b: describes a workload; write the words behind the program of --exec"
        raise ConfigError(msg)
    task |= {"exec": program, "isolation": Isolation.EXEC.value}
    make_absolute(task)
    return task


def _check_sampling(what: str, options: RunOptions, run_table: dict[str, Any]) -> None:
    """Serve RT-Bench's -M, which enables, beside -B and -C, which say how."""
    if is_spec_path(what):
        return
    if options.sample:
        run_table.setdefault("sample_bucket", _DEFAULT_SAMPLE_BUCKET)
    else:
        for key, option in (("sample_bucket", "-B"), ("sample_cpu", "-C")):
            if key in run_table:
                msg = f"{option}: nothing is sampled; add -M"
                raise ConfigError(msg)


def _print_spec(spec: Spec, output_format: str) -> None:
    text = spec_to_toml(spec)
    if output_format == "json":
        print_json(tomllib.loads(text))
    else:
        sys.stdout.write(text)


def _read_spec_file(
    path: Path, run_table: dict[str, Any], options: RunOptions, resolution_ns: int
) -> _Experiment:
    data = read_input(path, MAX_SPEC_BYTES, "a spec file")
    described = ("sched_period", "sched_deadline", "words", "regulate")
    given = [key for key in described if getattr(options, key)]
    for key in (*options.table(TaskTable), *given):
        _refuse_task_option(key, path)
    if "platform" in run_table:
        # Unlike one in the file, from where the user is.
        run_table = run_table | {"platform": absolute_platform(run_table["platform"], Path.cwd())}
    with located(f"spec {path}"):
        document = read_document(data)
        written = document.get("run", {})
        written = written if isinstance(written, dict) else {}
        if options.sample:
            usual = written.get("sample_bucket", _DEFAULT_SAMPLE_BUCKET)
            run_table = {"sample_bucket": usual, **run_table}
        run = {**written, **run_table}
        beside = [read_corunner(text, run) for text in options.interfere]
        for corunner in beside:
            if "workload" in corunner:
                # Unlike those of the file, from where the user is.
                corunner["workload"] = absolute_path(corunner["workload"], Path.cwd())
        is_stored = is_spec_of_run(path)
        spec = read_spec_toml(
            data, run_table, resolution_ns, beside, is_stored=is_stored, theta=options.theta
        )
    if spec.on is None:
        spec = with_absolute_paths(spec, path.parent)
    if is_run_here(run) and not is_stored:
        for table, task in zip(document["task"], spec.tasks, strict=True):
            if task.exec and "isolation" not in table:
                require_process_per_job(task.exec, f'spec {path}: task "{task.name}"')
    return _Experiment(path.stem, spec)


def _is_workload(what: str, platform: str | None) -> bool:
    """Tell a program that is a workload from a spec file.

    Raises:
        ConfigError: It is a program that is neither.
    """
    with suppress(OSError), Path(what).open("rb") as file:
        start = file.read(len(ELF))
        if start == ELF:
            is_simulated = platform not in {None, NATIVE_PLATFORM}
            if is_simulated or is_linked_with_harness(Path(what)):
                return True
        if start == ELF or start.startswith(SCRIPT):
            msg = (
                f"{what}: is a program, no spec and no workload; run it as it is, each job a "
                f"process: laxity run --period 10ms --exec {what}"
            )
            raise ConfigError(msg)
    return False


def _tell_of_ends_behind(program: Sequence[str], run_table: Mapping[str, object]) -> None:
    """Say of a run without end that the one it was given went to the program."""
    behind = [word for word in program[1:] if word in _ENDS]
    if behind and not run_table.keys() & {"jobs", "duration"}:
        _tell(
            f"it lasts until it is interrupted; {behind[0]} behind --exec is a word of "
            f"{program[0]}, options of laxity stand before it"
        )


def _refuse_words_behind(program: Sequence[str], keys: Mapping[str, object]) -> None:
    """Say that options behind --exec are the program's, where one that must be is missing."""
    if keys.get("period") is None and (lost := {"-p", "--period"} & set(program[1:])):
        option = min(lost)
        msg = (
            f"{option}: stands behind --exec, where all words are those of {program[0]}; write "
            f"it before: laxity run {option} 10ms ... --exec {program[0]}"
        )
        raise ConfigError(msg)


def _refuse_task_option(key: str, path: Path) -> NoReturn:
    option = "words (-b)" if key == "words" else f"--{key.replace('_', '-')}"
    msg = f"{option}: describes a task, and {path} does that; change the spec"
    raise ConfigError(msg)
