# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity workingset`: what must move if a task migrates, at every instruction of its program."""

import itertools
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.options import (
    debug_option,
    format_option,
    no_report_option,
    quiet_option,
    run_dir_option,
    run_path,
    run_root_option,
)
from laxity.cli.workingset_points import (
    PointsWords,
    check_single,
    points_asked,
    points_options,
    wants_run,
    write_hints,
)
from laxity.cli.workingset_runs import RunWords, read_times, run_options, runs_wanted
from laxity.core.progress import Countdown
from laxity.core.spec_reader import split_words
from laxity.core.units import NS_PER_UNIT, parse_duration_ns, parse_size_bytes
from laxity.errors import EXIT_DONE, ConfigError, located, no_program
from laxity.workingset.document import BITS_PER_BYTE, WorkingSetAnswer

if TYPE_CHECKING:
    from laxity.store.run_directory import Run
    from laxity.workingset.annotations import Annotations
    from laxity.workingset.bitcode import BitcodeToolchain
    from laxity.workingset.bitcode_programs import Prepared
    from laxity.workingset.points import PointsAsked
    from laxity.workingset.store import Found
    from laxity.workingset.times import BlockTimes

_FORMS = ("o0", "sroa", "inline", "o2", "as-given")
_BITCODE = (".bc", ".ll")
_MAX_NAMES = 8


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    files: tuple[str, ...]
    compile_commands: str | None
    suites: tuple[str, ...]
    only: tuple[str, ...]
    form: str | None
    target: str | None
    cflags: str
    job: str | None
    outputs: tuple[str, ...]
    timeout: str
    fail_above: str | None
    sarif: str | None
    against: str | None
    annotations: str | None
    why: str | None
    run_dir: str | None
    run_root: str | None
    no_report: bool
    quiet: bool
    output_format: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """All that was asked for, read before anything is computed."""

    options: _Options
    run_words: RunWords
    point_words: PointsWords
    times: "BlockTimes | None"
    points: "PointsAsked | None"
    limit_bits: int | None


@click.command(
    epilog="Exit codes: 0 done, 1 more is live somewhere than --fail-above allows, or no migration "
    "points keep --distance, 2 usage, or sources that do not compile, 3 LLVM is missing, 4 a "
    "program has no answer, weights or run."
)
@click.argument("files", metavar="[FILE...]", nargs=-1)
@click.option("--compile-commands", metavar="DB", help="The sources that a build has recorded.")
@click.option("--suite", "suites", metavar="DIR", multiple=True, help="A checkout. Repeatable.")
@click.option("--only", metavar="NAME", multiple=True, help="This program alone. Repeatable.")
@click.option(
    "--form",
    type=click.Choice(_FORMS),
    help="Which passes have been at the code: none, variables in SSA form, also inlined, all of "
    "-O2, or as it is.  [default: sroa; as-given where all is bitcode]",
)
@click.option("--target", metavar="TRIPLE", help="Compile for it: arm-linux-gnueabihf.")
@click.option("--cflags", metavar="'FLAG...'", default="", help="More words for clang.")
@click.option(
    "--job", metavar="FUNC", help="One call of it is a job; the state between jobs lives."
)
@click.option(
    "--output",
    "outputs",
    metavar="GLOBAL",
    multiple=True,
    help="Somebody outside reads it after each job. Repeatable.",
)
@run_options
@click.option(
    "--timeout",
    metavar="TIME",
    default="5m",
    show_default=True,
    help="The analysis of one program, or a run of it, may take so long.",
)
@click.option("--fail-above", metavar="SIZE", help="Exit with 1 if more is live somewhere: 4KiB.")
@click.option("--sarif", metavar="FILE", help="Write what --fail-above found as SARIF.")
@click.option(
    "--annotations",
    metavar="FILE",
    help="What code does not say, as TOML: how deep recursions are, how many blocks a heap holds, "
    "what threads share.",
)
@click.option("--against", metavar="RUN", help="Compare with a stored run of another build.")
@click.option(
    "--why",
    metavar="OBJECT@LINE",
    help="Instead of tables: the path to the read that keeps it alive there, or why it is dead.",
)
@points_options
@run_dir_option
@run_root_option
@no_report_option
@quiet_option
@format_option("table", "json", "csv")
@debug_option
def workingset(**given: object) -> int:
    """Compute how much is live at every instruction: what must move if the task migrates there.

    FILE... is one program, of C, C++ or bitcode; --compile-commands and --suite may be many.
    Sizes are bounds for every input and every path. The run holds a table of all instructions
    (workingset.csv, .parquet), which csv prints. --why asks about one object. docs/working-set.md.
    """
    options = msgspec.convert(given, _Options)
    points, runs = msgspec.convert(given, PointsWords), msgspec.convert(given, RunWords)
    times = read_times(runs)
    asked = _Asked(
        options, runs, points, times, points_asked(points, runs, times), _limit_bits(options)
    )
    if options.why is not None:
        with tempfile.TemporaryDirectory(prefix="laxity-workingset-") as scratch:
            return _explain(options, options.why, Path(scratch))
    final = run_path(_name_of(options), options.run_dir, options.run_root)
    with tempfile.TemporaryDirectory(prefix="laxity-workingset-") as scratch:
        return _answer(asked, final, Path(scratch))


def _answer(asked: _Asked, final: Path, scratch: Path) -> int:
    from laxity.cli.workingset_summary import print_answer  # noqa: PLC0415 - loads numpy
    from laxity.workingset import store as experiment  # noqa: PLC0415 - likewise
    from laxity.workingset.against import compare  # noqa: PLC0415 - likewise
    from laxity.workingset.analyse import require_tool  # noqa: PLC0415 - likewise

    require_tool()
    options, words = asked.options, asked.run_words
    old = _read_other(options.against)
    annotations = _read_annotations(options.annotations)
    started_ns = time.monotonic_ns()
    toolchain = _toolchain(options)
    prepared = _prepare(options, toolchain, scratch)
    check_single(asked.point_words, len(prepared.programs))
    compile_ns = time.monotonic_ns() - started_ns if _has_sources(prepared) else None
    tables, runs = scratch / "tables", scratch / "runs"
    tables.mkdir()
    runs.mkdir()
    countdown = Countdown("laxity workingset", "programs", is_quiet=options.quiet)
    countdown.go_on(0, len(prepared.programs))
    numbers = itertools.count(1)
    with closing(countdown):
        found = experiment.analyse_programs(
            experiment.WorkingSetRequest(
                prepared=prepared,
                toolchain=toolchain,
                job=options.job,
                outputs=options.outputs,
                weights=tuple(dict.fromkeys(words.weights)),
                runs=runs_wanted(
                    words,
                    asked.times,
                    [one.name for one in prepared.programs],
                    runs,
                    is_run_for_points=wants_run(asked.point_words),
                ),
                times=asked.times,
                limit_bits=asked.limit_bits,
                compile_ns=compile_ns,
                annotations=annotations,
                patience_s=parse_duration_ns(options.timeout) / NS_PER_UNIT["s"],
                scratch=tables,
                points=asked.points,
                on_answered=lambda: countdown.show(next(numbers), " analysed"),
            )
        )
    if old is not None:
        found = compare(found, *old)
    write_hints(asked.point_words, found.answer, prepared, toolchain, scratch)
    finished = experiment.store_working_set(
        found, final, _name_of(options), ["laxity", *sys.argv[1:]]
    )
    if finished.path is not None:
        _after(options, found, finished.path)
    print_answer(found.answer, options.output_format, finished.path)
    return experiment.exit_code(found.answer)


def _explain(options: _Options, question: str, scratch: Path) -> int:
    """Answer --why; nothing is stored."""
    from laxity.cli.tables import print_json  # noqa: PLC0415 - when needed
    from laxity.cli.workingset_why import why_text  # noqa: PLC0415 - likewise
    from laxity.workingset import analyse as working_set  # noqa: PLC0415 - likewise

    for name, value in (
        ("--fail-above", options.fail_above),
        ("--against", options.against),
        ("--run-dir", options.run_dir),
        ("--format csv", "csv" if options.output_format == "csv" else None),
    ):
        if value is not None:
            msg = f"{name}: --why answers one question and stores no run; drop one of the two"
            raise ConfigError(msg)
    working_set.require_tool()
    prepared = _prepare(options, _toolchain(options), scratch)
    names = [one.name for one in prepared.programs]
    if len(names) != 1:
        some = ", ".join(names[:_MAX_NAMES]) or "none"
        choose = "choose one by --only NAME" if options.suites else "name the files of one"
        msg = f"--why {question}: asks about one program, and these are {len(names)} ({some}); "
        raise ConfigError(msg + choose)
    (program,) = prepared.programs
    patience_s = parse_duration_ns(options.timeout) / NS_PER_UNIT["s"]
    annotations = _read_annotations(options.annotations)
    answer = working_set.explain(
        program.bitcode,
        question,
        options.job or program.job,
        patience_s,
        [
            *working_set.annotation_words(annotations, scratch),
            *working_set.output_words(options.outputs),
        ],
    )
    if options.output_format == "json":
        print_json(answer)
    else:
        sys.stdout.write(why_text(answer))
    return EXIT_DONE


def _after(options: _Options, found: "Found", path: Path) -> None:
    """Write what is asked for beside the run, and its report."""
    if options.sarif is not None:
        from laxity.export.sarif import sarif_document  # noqa: PLC0415 - only if asked for
        from laxity.store.manifest import encode_document  # noqa: PLC0415 - likewise
        from laxity.store.run_directory import write_output  # noqa: PLC0415 - likewise

        document = encode_document(sarif_document(found.answer))
        write_output(Path(options.sarif), document, "--sarif")
    if not options.no_report:
        from laxity.cli.reports import build_report  # noqa: PLC0415 - only if asked for

        report = build_report(path)
        if not options.quiet:
            print(f"laxity workingset: report: {report}", file=sys.stderr)


def _limit_bits(options: _Options) -> int | None:
    if options.sarif is not None and options.fail_above is None:
        msg = "--sarif: holds what exceeds a limit, and none is stated; add --fail-above SIZE"
        raise ConfigError(msg)
    if options.sarif is not None:
        from laxity.store.run_directory import check_output  # noqa: PLC0415 - only if asked for

        check_output(Path(options.sarif), "--sarif")
    if options.fail_above is None:
        return None
    return parse_size_bytes(options.fail_above) * BITS_PER_BYTE


def _name_of(options: _Options) -> str:
    if options.files:
        return Path(options.files[0]).stem
    if options.suites:
        return Path(options.suites[0]).resolve().name
    return "workingset"


def _toolchain(options: _Options) -> "BitcodeToolchain":
    from laxity.workingset.bitcode import Form, bitcode_toolchain  # noqa: PLC0415 - when needed

    kinds = [bool(options.files), options.compile_commands is not None, bool(options.suites)]
    if sum(kinds) != 1:
        msg = (
            "name what is to be analysed: files, or --compile-commands DB, or --suite DIR; "
            "one of the three"
        )
        raise ConfigError(msg)
    is_bitcode = bool(options.files) and all(one.endswith(_BITCODE) for one in options.files)
    form = options.form or ("as-given" if is_bitcode else "sroa")
    if is_bitcode and options.target is not None:
        msg = f"--target {options.target}: bitcode is compiled already; name sources, or drop it"
        raise ConfigError(msg)
    return bitcode_toolchain(Form(form), options.target, split_words(options.cflags, "--cflags"))


def _prepare(options: _Options, toolchain: "BitcodeToolchain", scratch: Path) -> "Prepared":
    from laxity.workingset import bitcode_programs as programs  # noqa: PLC0415 - when needed

    if options.only and not options.suites:
        msg = "--only: chooses among the programs of --suite; drop it"
        raise ConfigError(msg)
    roots = () if options.job is None else (options.job,)
    place = programs.Place(scratch, toolchain, roots)
    if options.files:
        return programs.program_of_files([Path(one) for one in options.files], place)
    if options.compile_commands is not None:
        return programs.programs_of_database(Path(options.compile_commands), place)
    prepared = programs.programs_of_suites(
        [Path(one) for one in options.suites], options.only, place
    )
    _check_found(options, prepared)
    return prepared


def _check_found(options: _Options, prepared: "Prepared") -> None:
    names = [one.name for one in prepared.programs]
    for name in options.only:
        if name not in names:
            raise no_program(name, "--only", names, names)
    if not names:
        msg = "no program was found; laxity suite discover says why"
        raise ConfigError(msg)


def _has_sources(prepared: "Prepared") -> bool:
    return any(one.sources for one in prepared.programs)


def _read_annotations(path: str | None) -> "Annotations | None":
    if path is None:
        return None
    from laxity.core.input_file import read_input  # noqa: PLC0415 - when needed
    from laxity.workingset import annotations as model  # noqa: PLC0415 - likewise

    data = read_input(Path(path), model.MAX_ANNOTATIONS_BYTES, "a file of annotations")
    with located(path):
        return model.read_annotations(data)


def _read_other(path: str | None) -> "tuple[Run, WorkingSetAnswer] | None":
    """Read the run to compare with before anything is computed."""
    if path is None:
        return None
    from laxity.jobs.finish import open_recovered  # noqa: PLC0415 - likewise
    from laxity.workingset.data import read_answer  # noqa: PLC0415 - when needed

    run = open_recovered(Path(path))
    return run, read_answer(run)
