# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite run`: vetted programs as periodic tasks, one run each."""

import io
import shlex
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from laxity.cli.options import debug_option, format_option
from laxity.cli.run import run as run_command
from laxity.cli.suite_discover import (
    chosen,
    directory_argument,
    discovered,
    only_option,
    toolchain_of,
)
from laxity.cli.tables import format_table, print_json
from laxity.errors import EXIT_DONE, EXIT_INTERRUPTED, EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError
from laxity.model.units import format_duration_ns
from laxity.suites.classify import Mode
from laxity.suites.jobs import argv_name
from laxity.suites.program import Program
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, build_guest
from laxity.suites.vetting_file import VettedProgram, read_vetting, sources_hash

_WORKLOAD = "guest"
# Ours, so that the run is where it is looked for and its answer is ours to write.
_TAKEN = (
    "--run-dir",
    "--run-root",
    "--format",
    "--name",
    "-b",
    "--words",
    "--dry-run",
    "--on",
    "--isolation",
    "--exec",
    "--stdin",
)
_HEADERS = ("program", "mode", "jobs", "right", "kind", "median", "max", "isolating", "run")


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    directory: str
    vetting: str
    run_dir: str
    only: tuple[str, ...]
    output_format: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Suite:
    """A checkout, what builds it, what is known of its programs."""

    root: Path
    toolchain: Toolchain
    known: dict[str, VettedProgram]


class SuiteRow(msgspec.Struct, frozen=True, kw_only=True):
    """One program of a suite run; None: there is no such figure.

    A job is `calls` calls of the program, and its times are of all of them together.
    `right` counts jobs whose end, check and output are those of a fresh process. Times are from
    start to finish, measured, over `finished` jobs; `isolating_mean_ns` is spent between jobs.
    """

    program: str
    mode: str
    exit_code: int
    finished: int
    calls: int
    right: int
    start_to_finish_median_ns: int | None
    start_to_finish_max_ns: int | None
    isolating_mean_ns: int | None
    run_dir: str


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A program that was not run, and why; `exit_code` is that of its run, if one was tried."""

    program: str
    reason: str
    exit_code: int = EXIT_NO_VERDICT


@click.command(context_settings={"ignore_unknown_options": True})
@directory_argument
@click.option("--vetting", metavar="FILE", default="vetting.toml", show_default=True)
@click.option("--run-dir", metavar="DIR", required=True, help="One run per program goes below it.")
@only_option
@format_option("table", "json")
@debug_option
@click.argument("options", metavar="[OPTIONS OF laxity run]...", nargs=-1, type=click.UNPROCESSED)
def run_suite(**given: object) -> int:
    """Run vetted programs below DIR as periodic tasks, one after the other, one run each.

    Each runs in the isolation mode that laxity suite vet found, and every job is compared with a
    fresh process: column `right` of its jobs.npy. All other options are those of laxity run:
    -p 10ms -t 1000 --interfere 'bandwidth write 64MiB@0'. Exit code 1: a job was wrong, or a run
    violated a limit; 4: a program could not be run.
    """
    asked = msgspec.convert(given, _Options)
    for word in asked.options:
        if word.partition("=")[0] in _TAKEN:
            msg = f"{word}: laxity suite run says that for each program; leave it out"
            raise ConfigError(msg)
    to = Path(asked.run_dir)
    if to.exists():
        msg = f"{to}: exists; name another directory with --run-dir"
        raise ConfigError(msg)
    verdicts = read_vetting(Path(asked.vetting))
    toolchain = toolchain_of(verdicts.cc)
    known = {one.name: one for one in verdicts.program}
    programs = chosen(discovered(asked.directory, toolchain).programs, asked.only)
    rows, left_out = _run_all(
        _Suite(Path(asked.directory).resolve(), toolchain, known), to, programs, asked.options
    )
    if asked.output_format == "json":
        print_json({"runs": rows, "left_out": left_out})
    else:
        _print_rows(rows, left_out)
    return _exit_code(rows, left_out)


def _run_all(
    suite: _Suite, to: Path, programs: Sequence[Program], options: Sequence[str]
) -> tuple[list[SuiteRow], list[LeftOut]]:
    rows: list[SuiteRow] = []
    left_out: list[LeftOut] = []
    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as scratch:
        for number, program in enumerate(programs):
            vetted = suite.known.get(program.name)
            reason = _why_not(suite.root, program, vetted)
            if vetted is None or reason:
                left_out.append(LeftOut(program=program.name, reason=reason))
                continue
            if _asks_for_batches(options) and vetted.mode is not Mode.NONE:
                left_out.append(LeftOut(program=program.name, reason=_no_batches(vetted.mode)))
                continue
            build = Path(scratch, str(number))
            build.mkdir()
            guest = build_guest(VetRequest(suite.root, build, suite.toolchain, 1), program)
            if isinstance(guest, str):
                left_out.append(LeftOut(program=program.name, reason=f"cannot be built: {guest}"))
                continue
            row = _run_one(program, vetted, guest, to / program.name, options)
            if isinstance(row, LeftOut):
                left_out.append(row)
            else:
                rows.append(row)
            if row.exit_code == EXIT_INTERRUPTED:
                break
    return rows, left_out


def _why_not(root: Path, program: Program, vetted: VettedProgram | None) -> str:
    """Say why a program may not run; "": it may.

    Raises:
        ConfigError: Its sources are not those that were vetted.
    """
    if vetted is None:
        return "not vetted"
    if vetted.sources_sha256 != sources_hash(root, program):
        msg = f"{program.name}: its sources have changed since it was vetted; vet again"
        raise ConfigError(msg)
    if vetted.mode is None or vetted.expected is None:
        return vetted.verdict
    return ""


def _asks_for_batches(options: Sequence[str]) -> bool:
    return any(word.partition("=")[0] == "--calls" for word in options)


def _no_batches(mode: Mode | None) -> str:
    return (
        f"--calls: in mode {mode} state is taken back after each call; only mode none has batches"
    )


def _run_one(
    program: Program, vetted: VettedProgram, guest: Path, to: Path, options: Sequence[str]
) -> SuiteRow | LeftOut:
    words = [str(guest), argv_name(program), program.convention.value]
    words += [vetted.expected or "", ""]
    to.parent.mkdir(parents=True, exist_ok=True)
    argv = [_WORKLOAD, "-b", shlex.join(words), "--isolation", str(vetted.mode)]
    argv += ["--name", program.name, "--run-dir", str(to)]
    print(f"suite run: {program.name}, mode {vetted.mode}", file=sys.stderr, flush=True)
    with redirect_stdout(io.StringIO()):
        code = run_command.main([*argv, *options], prog_name="laxity run", standalone_mode=False)
    code = code if isinstance(code, int) else EXIT_DONE
    if not to.is_dir():
        return LeftOut(program=program.name, reason="nothing was measured", exit_code=code)
    return _row_of(program, vetted, to, code)


def _row_of(program: Program, vetted: VettedProgram, to: Path, code: int) -> SuiteRow:
    import numpy as np  # noqa: PLC0415 - heavy

    from laxity.analysis import jobs as analysis  # noqa: PLC0415 - heavy
    from laxity.store.run_directory import open_run  # noqa: PLC0415 - heavy

    run = open_run(to)
    jobs = analysis.finished(run.stream("jobs"))
    times_ns = analysis.present(analysis.start_to_finish_ns(jobs))
    isolating = run.manifest.tasks[0].isolating
    return SuiteRow(
        program=program.name,
        mode=str(vetted.mode),
        exit_code=code,
        finished=int(jobs.size),
        calls=run.manifest.tasks[0].calls,
        right=int((jobs["right"] == 1).sum() or 0) if jobs.size else 0,
        start_to_finish_median_ns=int(np.median(times_ns)) if times_ns.size else None,
        start_to_finish_max_ns=int(times_ns.max()) if times_ns.size else None,
        isolating_mean_ns=isolating.mean_ns if isolating else None,
        run_dir=str(to),
    )


def _print_rows(rows: Sequence[SuiteRow], left_out: Sequence[LeftOut]) -> None:
    table = [
        (
            one.program,
            one.mode,
            str(one.finished) if one.calls == 1 else f"{one.finished} of {one.calls} calls",
            str(one.right),
            "measured",
            _time(one.start_to_finish_median_ns),
            _time(one.start_to_finish_max_ns),
            _time(one.isolating_mean_ns),
            one.run_dir,
        )
        for one in rows
    ]
    sys.stdout.write(format_table(_HEADERS, table, right=(2, 3, 5, 6, 7)))
    sys.stdout.write("median, max: from start to finish; isolating: mean, between jobs\n")
    if left_out:
        sys.stdout.write("\n")
        sys.stdout.write(
            format_table(("not run", "why"), [(one.program, one.reason) for one in left_out])
        )


def _time(time_ns: int | None) -> str:
    return "-" if time_ns is None else format_duration_ns(time_ns)


def _exit_code(rows: Sequence[SuiteRow], left_out: Sequence[LeftOut]) -> int:
    """The first run that did not end well decides; then wrong jobs, then what was left out."""
    unwell = next((one.exit_code for one in rows if one.exit_code != EXIT_DONE), EXIT_DONE)
    if unwell != EXIT_DONE:
        return unwell
    if any(one.right < one.finished for one in rows):
        return EXIT_VIOLATED
    return next((one.exit_code for one in left_out), EXIT_DONE)
