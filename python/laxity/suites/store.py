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

from laxity.core.signals import Forwarder
from laxity.core.spec import SIMULATED
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import RunRequest, new_manifest, run_once
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.platform_file import platform_in_run
from laxity.store.manifest import Manifest
from laxity.store.run_directory import SUITE, TMP_SUFFIX, path_part, write_document
from laxity.suites.classify import Mode
from laxity.suites.jobs import argv_name, provide
from laxity.suites.portable import why_asks_kernel, why_not_portable
from laxity.suites.program import Program, Unplaced
from laxity.suites.result import SuiteDocument, SuiteProgram
from laxity.suites.stored_results import read_suite
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, build_guest, imports_of
from laxity.suites.vetting_file import VettedProgram, inputs_hash, sources_hash

KIND = "suite"
WORKLOAD = "guest"
# Directory that the jobs of a program work in, beside what it is built to.
_WORKING = "cwd"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")

# Makes the run of one program of its name, of the words for its workload and its isolation mode.
Planner = Callable[[str, str, str], RunRequest]


@dataclass(frozen=True, slots=True)
class SuiteRequest:
    """What is run, where it is stored, and what was typed.

    Attributes:
        root: The checkout.
        toolchain: Builds it.
        programs: In order.
        missing: Programs that a manifest names and that cannot be had.
        known: What vetting found, by name.
        vetting: The verdicts as they were named.
        parents: The run that holds them, if it is one.
        plan: Makes the run of a program.
        has_batches: A job is to be several calls.
        final: Directory of the suite run.
        on_begin: Told each program as it begins: "3/57: bsort, mode reinit".
        platform: Where they run.
    """

    root: Path
    toolchain: Toolchain
    programs: Sequence[Program]
    missing: Sequence[Unplaced]
    known: dict[str, VettedProgram]
    vetting: str
    parents: tuple[str, ...]
    plan: Planner
    has_batches: bool
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
    names = run_names([one.name for one in request.programs])
    rows = [
        _row(request, program, name) for program, name in zip(request.programs, names, strict=True)
    ]
    table = _Table(
        SuiteDocument(
            checkout=str(request.root),
            vetting=request.vetting,
            cc=shlex.join(request.toolchain.cc),
            link=request.toolchain.target.link.value,
            programs=[*rows, *map(_missing, request.missing)],
        )
    )
    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as scratch:
        parts = [
            _part(request, program, row.run, Path(scratch, row.run))
            for program, row in zip(request.programs, rows, strict=True)
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
            parents=request.parents,
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
    wrong = [one for one in programs if one.result is not None and one.result.wrong]
    if wrong:
        n_wrong = sum(one.result.wrong or 0 for one in wrong if one.result is not None)
        named = ", ".join(one.program for one in wrong)
        return EXIT_VIOLATED, f"{n_wrong} jobs were not like a fresh process: {named}"
    left_out = [one for one in programs if one.left_out is not None]
    if left_out:
        code = next(one.left_out_code or EXIT_NO_VERDICT for one in left_out)
        return code, f"{len(left_out)} of {len(programs)} programs were left out"
    return EXIT_DONE, ""


def _row(request: SuiteRequest, program: Program, name: str) -> SuiteProgram:
    """Say what is known of a program before it runs.

    Raises:
        ConfigError: Its sources or inputs are not those that were vetted.
    """
    vetted = request.known.get(program.name)
    reason = _why_not(request, program, vetted)
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


def _why_not(request: SuiteRequest, program: Program, vetted: VettedProgram | None) -> str:
    """Say why a program may not run; "": it may."""
    if vetted is None:
        return "not vetted"
    if vetted.sources_sha256 != sources_hash(request.root, program):
        msg = f"{program.name}: its sources have changed since it was vetted; vet again"
        raise ConfigError(msg)
    if vetted.inputs_sha256 != inputs_hash(program):
        msg = f"{program.name}: its input files have changed since it was vetted; vet again"
        raise ConfigError(msg)
    if vetted.mode is None or vetted.expected is None:
        return vetted.verdict
    if request.has_batches and vetted.mode is not Mode.NONE:
        return (
            f"--calls: in mode {vetted.mode} state is taken back after each call; only mode none "
            "has batches"
        )
    return why_not_portable(program, vetted) if _is_simulated(request) else ""


def _part(request: SuiteRequest, program: Program, run: str, build: Path) -> _Part:
    """Plan the run of a program before anything runs: a mistake is told at once."""
    words = guest_words(program, request.known[program.name], build / "guest.so")
    mode = str(request.known[program.name].mode)
    return _Part(program, run, build, request.plan(program.name, shlex.join(words), mode))


def guest_words(program: Program, vetted: VettedProgram, guest: Path) -> list[str]:
    """Return the words of the workload `guest` (native/guests/guest_hooks.c), but for its mode."""
    words = [str(guest), argv_name(program), program.convention.value]
    given = program.given
    words += [vetted.expected or "", given.stdin or "", given.output_filter]
    # Without inputs any empty directory will do, and the spec of the run can be run again.
    return [*words, str(guest.with_name(_WORKING)) if given.inputs else "", *given.words]


def _is_simulated(request: SuiteRequest) -> bool:
    return request.platform.name.startswith(SIMULATED)


def _cpus(part: _Part) -> set[int]:
    return {cpu for task in part.request.spec.tasks for cpu in task.cpus}


def _child(request: SuiteRequest, table: _Table, part: _Part, place: str) -> Child:
    name = part.program.name

    def run(final: Path, signals: Forwarder) -> Finished:
        request.on_begin(f"{place}: {name}, mode {request.known[name].mode}")
        working = part.build / _WORKING
        working.mkdir(parents=True)
        provide(part.program, working)
        building = VetRequest(request.root, part.build, request.toolchain, 1)
        guest = build_guest(building, part.program)
        if signals.has_received:
            # A terminal's signal ends the compiler as well: that it failed says nothing then.
            raise KeyboardInterrupt
        if isinstance(guest, str):
            # Behind the reason stands what to do, which is not for a simulated platform.
            why = guest.partition(";")[0] if _is_simulated(request) else guest
            table.leave_out(name, f"cannot be built: {why}", EXIT_NO_VERDICT)
            return Finished(None, _nothing(request))
        asked = why_asks_kernel(imports_of(building, part.program))
        if _is_simulated(request) and asked:
            table.leave_out(name, asked, EXIT_NO_VERDICT)
            return Finished(None, _nothing(request))
        done = run_once(replace(part.request, final=final), signals, request.platform)
        if done.path is not None:
            return done
        code = done.manifest.exit_code
        table.leave_out(name, "nothing was measured", EXIT_NO_VERDICT if code is None else code)
        # That one program is refused does not make the suite a failure.
        return Finished(None, msgspec.structs.replace(done.manifest, status="complete"))

    return Child(part.run, run)


def _nothing(request: SuiteRequest) -> Manifest:
    manifest = new_manifest("suite", KIND, request.command_line, None)
    return msgspec.structs.replace(manifest, status="complete", exit_code=EXIT_DONE)
