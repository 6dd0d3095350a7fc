# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite run`: vetted programs as periodic tasks, one run each, stored as one run."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    refuse_existing,
    run_path,
    stored_options,
)
from laxity.cli.run import run as run_command
from laxity.cli.run_command import Titled
from laxity.cli.suite_discover import (
    chosen,
    directory_argument,
    discovered,
    only_option,
    patterns_of,
)
from laxity.cli.suite_manifest import Stated, manifest_options, read_stated
from laxity.cli.suite_target import vetted_toolchain
from laxity.cli.tables import print_json
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED
from laxity.core.third_party import GUEST_WORKLOAD
from laxity.errors import EXIT_DONE, ConfigError, located
from laxity.store.run_directory import VETTING

if TYPE_CHECKING:
    from laxity.jobs.finish import Finished
    from laxity.platform.platform import Platform
    from laxity.suites.prepare import Suite
    from laxity.suites.program import Discovery, Unplaced
    from laxity.suites.result import SuiteDocument
    from laxity.suites.vetting_file import Vetting

# What of `laxity run` is ours for each program, or the same for all of them.
_TAKEN = frozenset(
    {
        "what",
        "bare",
        "name",
        "words",
        "on",
        "run_dir",
        "run_root",
        "no_report",
        "output_format",
        "dry_run",
    }
    | {"quiet", "isolation", "exec_words", "stdin", "regulate", "theta"}
)
# Not asked for: `laxity run` wants all of its options, the taken ones too.
_FIXED: Mapping[str, Any] = {
    "on": None,
    "run_dir": None,
    "run_root": None,
    "no_report": True,
    "output_format": "table",
    "dry_run": False,
    "exec_words": None,
    "stdin": None,
}


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of this command as click gives them; None: not given."""

    directory: str
    manifest: str | None
    sizes: str | None
    vetting: str | None
    only: tuple[str, ...]
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str
    quiet: bool


vetting_option = click.option(
    "--vetting",
    metavar="FILE|RUN",
    help="What laxity suite vet found: its file, or the directory of its run.  "
    f"[default: {VETTING}]",
)


@dataclass(frozen=True, slots=True)
class SuiteWords:
    """Which programs of which checkout are meant, as options say it; None: not given.

    `is_need`: their need of memory is measured.
    """

    directory: str
    manifest: str | None
    sizes: str | None
    vetting: str | None
    only: tuple[str, ...]
    platform: str | None
    calls: int | None
    is_need: bool = False


@click.command(cls=Titled)
@directory_argument
@manifest_options
@vetting_option
@only_option
@stored_options
def run_suite(**given: object) -> int:
    """Run vetted programs below DIR as periodic tasks, one after the other, and store them.

    Each runs in the isolation mode that laxity suite vet found, and every job is compared with a
    fresh process. All other options are those of laxity run, for each program. The run holds
    suite.json, a row per program, and RUN/runs/PROGRAM. Exit code 1: a job was wrong, or a run
    violated a limit; 4: a program could not be run.
    """
    from laxity.cli.run_plan import plan_run  # noqa: PLC0415 - heavy
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.suites.store import SuiteRequest  # noqa: PLC0415 - with the above
    from laxity.suites.store import run_suite as run_all  # noqa: PLC0415 - with the above

    own = msgspec.convert(given, _Options)
    command_line = ["laxity", *sys.argv[1:]]
    final = run_path("suite", own.run_dir, own.run_root)
    refuse_existing(final)
    platform = _platform(given["platform"])
    suite = vetted_suite(msgspec.convert(given, SuiteWords))
    for_each = {key: value for key, value in given.items() if key not in _Options.__struct_fields__}

    def plan(name: str, words: str, isolation: str) -> Any:  # noqa: ANN401 - a RunRequest: heavy
        named = {"name": name, "words": words, "isolation": isolation, "quiet": own.quiet}
        return plan_run(GUEST_WORKLOAD, {**for_each, **_FIXED, **named}, command_line, platform)

    request = SuiteRequest(
        suite=suite,
        plan=plan,
        final=final,
        command_line=command_line,
        on_begin=_say_nothing if own.quiet else _tell,
        platform=platform,
    )
    with forwarded_signals() as signals:
        finished, document = run_all(request, signals)
    return _show(finished, document, own)


# Every option of `laxity run` that is not taken, whatever there will be.
run_suite.params += [one for one in run_command.params if one.name not in _TAKEN | {"debug"}]


def vetted_suite(words: SuiteWords) -> "Suite":
    """Find vetted programs of a checkout, as the platform that they run on wants them built.

    Raises:
        ConfigError: There are none, or the verdicts are about something else.
        LaxityError: As the platform and the compiler.
    """
    from laxity.platform.platform_file import read_platform  # noqa: PLC0415 - when needed
    from laxity.suites.prepare import Suite  # noqa: PLC0415 - with the above

    vetting = words.vetting or VETTING
    verdicts, parents = read_verdicts(Path(vetting))
    stated = read_stated(words.manifest, words.sizes)
    _refuse_other_manifest(verdicts, vetting, stated)
    is_simulated = str(words.platform).startswith(SIMULATED)
    architecture = read_platform(str(words.platform)).architecture if is_simulated else None
    toolchain = vetted_toolchain(verdicts, architecture)
    every = discovered(words.directory, toolchain, stated, words.only)
    found = chosen(every, words.only)
    return Suite(
        root=Path(words.directory).resolve(),
        toolchain=toolchain,
        programs=found.programs,
        missing=(*found.left_out, *_unbuildable(every, verdicts, words.only)),
        known={one.name: one for one in verdicts.program},
        vetting=vetting,
        parents=parents,
        has_batches=words.calls is not None,
        is_simulated=is_simulated,
        is_need=words.is_need,
    )


def _platform(name: object) -> "Platform":
    """Find where programs run.

    Raises:
        LaxityError: There is no such platform.
    """
    from laxity.platform.platform import THIS_MACHINE, open_platform  # noqa: PLC0415 - when needed

    if name is None or name == NATIVE_PLATFORM:
        return THIS_MACHINE
    with located("--platform"), open_platform(None, str(name)) as platform:
        return platform


def _unbuildable(
    found: "Discovery", verdicts: "Vetting", only: tuple[str, ...]
) -> "list[Unplaced]":
    """Name what was vetted and is no program for another compiler, that of a simulated platform."""
    from laxity.suites.program import Unplaced  # noqa: PLC0415 - when needed

    patterns = patterns_of(only) or ["*"]
    known = {*(one.name for one in found.programs), *(one.path for one in found.left_out)}
    reasons = {Path(one.path).name: one.reason for one in found.unplaced}
    return [
        Unplaced(path=one.name, reason=reasons[name])
        for one in verdicts.program
        for name in [one.name.removesuffix(f"-{one.size}")]
        if one.name not in known and name in reasons
        if any(fnmatchcase(name, word) for word in patterns)
    ]


def read_verdicts(path: Path) -> "tuple[Vetting, tuple[str, ...]]":
    """Read vetting.toml, or that of a run of `laxity suite vet`.

    Returns:
        The verdicts, and the name of the run that holds them, if it is one.

    Raises:
        ConfigError: There is none.
        RecordError: The run is damaged.
    """
    from laxity.jobs.finish import open_recovered  # noqa: PLC0415 - when needed
    from laxity.store.run_directory import tmp_path_of  # noqa: PLC0415 - when needed
    from laxity.suites.vetting_file import read_vetting  # noqa: PLC0415 - when needed

    if not path.is_dir() and not tmp_path_of(path).is_dir():
        return read_vetting(path), ()
    run = open_recovered(path)
    if run.manifest.kind != "vetting":
        msg = f"--vetting {path}: a run of kind {run.manifest.kind}; name one of laxity suite vet"
        raise ConfigError(msg)
    return read_vetting(run.path / VETTING), (run.path.absolute().name,)


def _refuse_other_manifest(verdicts: "Vetting", path: str, stated: Stated) -> None:
    """Refuse verdicts that are about jobs which were given something else.

    Raises:
        ConfigError: They are.
    """
    if verdicts.manifest_sha256 == stated.sha256:
        return
    if stated.path is None:
        msg = f"{path}: was vetted with a manifest; name it with --manifest"
    elif verdicts.manifest_sha256 is None:
        msg = f"{path}: was vetted without a manifest; vet again with --manifest {stated.path}"
    else:
        msg = f"{stated.path}: has changed since {path} was written; vet again"
    raise ConfigError(msg)


def _tell(line: str) -> None:
    print(f"suite run {line}", file=sys.stderr, flush=True)


def _say_nothing(_line: str) -> None:
    pass


def _show(finished: "Finished", document: "SuiteDocument", own: _Options) -> int:
    from laxity.cli.suite_tables import suite_document, suite_text  # noqa: PLC0415 - loads numpy
    from laxity.suites.data import ProgramData, SuiteData  # noqa: PLC0415 - with the above

    if finished.path is not None:
        told = suite_document(document, finished.manifest, finished.path)
        if not own.no_report and not own.quiet:
            n_runs = len(finished.manifest.runs)
            print(f"suite run: writes the reports of {n_runs} programs", file=sys.stderr)
        return show_finished(
            finished,
            output_format=own.output_format,
            has_report=not own.no_report,
            document=told,
        )
    if own.output_format == "json":
        print_json(suite_document(document, finished.manifest, None))
    else:
        programs = tuple(map(ProgramData, document.programs))
        sys.stdout.write(suite_text(SuiteData(document, programs)))
    left_out = (one.left_out_code for one in document.programs if one.left_out_code is not None)
    return finished.manifest.exit_code or next(left_out, EXIT_DONE)
