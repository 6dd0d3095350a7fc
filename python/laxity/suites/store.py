# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs of a suite as periodic tasks, one run each, stored as one run with a table."""

import re
import shlex
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from laxity.core.progress import planned_s
from laxity.core.signals import Forwarder
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import RunRequest, new_manifest, run_once
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.platform_file import platform_in_run
from laxity.store.manifest import Manifest
from laxity.store.run_directory import SUITE, TMP_SUFFIX, path_part, write_document
from laxity.suites.prepare import Suite, verdict
from laxity.suites.program import Program, Unplaced
from laxity.suites.result import SuiteDocument, SuiteProgram
from laxity.suites.stored_results import read_suite

KIND = "suite"

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")

# Makes the run of one program of its name, of the words for its workload and its isolation mode.
Planner = Callable[[str, str, str], RunRequest]


@dataclass(frozen=True, slots=True)
class SuiteRequest:
    """What is run, where it is stored, and what was typed.

    Attributes:
        suite: The programs.
        plan: Makes the run of a program.
        final: Directory of the suite run.
        on_begin: Told each program as it begins: "3/57: bsort, mode reinit".
        platform: Where they run.
    """

    suite: Suite
    plan: Planner
    final: Path
    command_line: list[str]
    on_begin: Callable[[str], None]
    platform: Platform = THIS_MACHINE


@dataclass(frozen=True, slots=True)
class _Part:
    """One program that is to be run: its run's name, where it is built, what is run."""

    program: Program
    run: str
    build: Path
    request: RunRequest


class _Table:
    """suite.json while the suite runs: what a program was left out for is written at once."""

    def __init__(self, document: SuiteDocument) -> None:
        self.document = document
        self._tmp: Path | None = None

    def begin(self, tmp: Path) -> None:
        """Write it into the directory of the run."""
        self._tmp = tmp
        write_document(tmp / SUITE, self.document)

    def leave_out(self, program: str, reason: str, code: int) -> None:
        """Note that there will be no result of a program."""
        changed = [
            msgspec.structs.replace(one, left_out=reason, left_out_code=code)
            if one.program == program
            else one
            for one in self.document.programs
        ]
        self.document = msgspec.structs.replace(self.document, programs=changed)
        if self._tmp is not None:
            write_document(self._tmp / SUITE, self.document)


def run_suite(request: SuiteRequest, signals: Forwarder) -> tuple[Finished, SuiteDocument]:
    """Run every program that may run, one after the other, and store all as one run.

    A program that does not end well does not end the others.

    Returns:
        How it ended, and its table.

    Raises:
        ConfigError: The sources or inputs of a program have changed since it was vetted, or the
            run of one cannot be as it was asked for, or the directory cannot be created.
        LaxityError: As `run_once`; what was measured before stays.
    """
    suite = request.suite
    names = run_names([one.name for one in suite.programs])
    rows = [_row(suite, program, name) for program, name in zip(suite.programs, names, strict=True)]
    table = _Table(
        SuiteDocument(
            checkout=str(suite.root),
            vetting=suite.vetting,
            cc=shlex.join(suite.toolchain.cc),
            link=suite.toolchain.target.link.value,
            programs=[*rows, *map(_missing, suite.missing)],
        )
    )
    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as scratch:
        parts = [
            _part(request, program, row.run, Path(scratch, row.run))
            for program, row in zip(suite.programs, rows, strict=True)
            if row.run is not None
        ]
        if not parts:
            return Finished(None, _nothing(request)), table.document
        whole = Composite(
            kind="suite",
            name=KIND,
            final=request.final,
            command_line=request.command_line,
            seed=None,
            cpus=tuple(sorted({cpu for one in parts for cpu in _cpus(one)})),
            fallbacks=(),
            children=tuple(
                _child(request, table, part, f"{number}/{len(parts)}")
                for number, part in enumerate(parts, start=1)
            ),
            begin=table.begin,
            judge=judge,
            parents=suite.parents,
            platform=platform_in_run(request.platform.name),
        )
        finished = run_composite(whole, signals, request.platform)
    document = table.document if finished.path is None else read_suite(finished.path)
    return finished, document


def run_names(programs: Sequence[str]) -> list[str]:
    """Name the runs of programs: as the programs where that is a name for a directory."""
    names: list[str] = []
    for program in programs:
        name = program if _PLAIN_NAME.fullmatch(program) else path_part(program)
        if name in names or name.endswith(TMP_SUFFIX):
            name = f"{name}-{len(names)}"
        names.append(name)
    return names


def judge(directory: Path) -> tuple[int, str]:
    """Tell how a suite did whose runs all ended well: wrong jobs, then what was left out."""
    programs = read_suite(directory).programs
    results = [(one.program, one.result) for one in programs if one.result is not None]
    left_out = [one.left_out_code or 0 for one in programs if one.left_out is not None]
    return verdict(results, left_out, len(programs))


def _row(suite: Suite, program: Program, name: str) -> SuiteProgram:
    """Say what is known of a program before it runs.

    Raises:
        ConfigError: Its sources or inputs are not those that were vetted.
    """
    vetted = suite.known.get(program.name)
    reason = suite.why_not(program)
    return SuiteProgram(
        program=program.name,
        convention=program.convention.value,
        classes=[] if vetted is None else list(vetted.classes),
        mode=None if vetted is None or vetted.mode is None else vetted.mode.value,
        sources_sha256=None if vetted is None else vetted.sources_sha256,
        inputs_sha256=None if vetted is None else vetted.inputs_sha256,
        run=None if reason else name,
        left_out=reason or None,
        left_out_code=EXIT_NO_VERDICT if reason else None,
    )


def _missing(one: Unplaced) -> SuiteProgram:
    return SuiteProgram(
        program=one.path,
        convention=None,
        classes=[],
        mode=None,
        sources_sha256=None,
        run=None,
        left_out=one.reason,
        left_out_code=EXIT_NO_VERDICT,
    )


def _part(request: SuiteRequest, program: Program, run: str, build: Path) -> _Part:
    """Plan the run of a program before anything runs: a mistake is told at once."""
    words = request.suite.words(program, build)
    mode = str(request.suite.known[program.name].mode)
    return _Part(program, run, build, request.plan(program.name, shlex.join(words), mode))


def _cpus(part: _Part) -> set[int]:
    return {cpu for task in part.request.spec.tasks for cpu in task.cpus}


def _child(request: SuiteRequest, table: _Table, part: _Part, place: str) -> Child:
    name = part.program.name

    def run(final: Path, signals: Forwarder) -> Finished:
        request.on_begin(f"{place}: {name}, mode {request.suite.known[name].mode}")
        reason = request.suite.build(part.program, part.build, signals)
        if reason:
            table.leave_out(name, reason, EXIT_NO_VERDICT)
            return Finished(None, _nothing(request))
        done = run_once(replace(part.request, final=final), signals, request.platform)
        if done.path is not None:
            return done
        code = done.manifest.exit_code
        table.leave_out(name, "nothing was measured", EXIT_NO_VERDICT if code is None else code)
        # That one program is refused does not make the suite a failure.
        return Finished(None, msgspec.structs.replace(done.manifest, status="complete"))

    return Child(part.run, run, expected_s=planned_s(part.request.spec))


def _nothing(request: SuiteRequest) -> Manifest:
    manifest = new_manifest("suite", KIND, request.command_line, None)
    return msgspec.structs.replace(manifest, status="complete", exit_code=EXIT_DONE)
