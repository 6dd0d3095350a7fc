# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the user names - files, a compilation database, suites - as programs of one bitcode each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from laxity.core.executor import parallel
from laxity.errors import ConfigError
from laxity.suites.discover import discover
from laxity.suites.program import SOURCE_SUFFIXES, Convention, Program
from laxity.suites.toolchain import Outcome
from laxity.workingset.bitcode import BITCODE_SUFFIXES, BitcodeToolchain
from laxity.workingset.compile_commands import CompileCommand, read_compile_commands
from laxity.workingset.document import LeftOut

_EMBENCH_JOB = "benchmark"
# Who wrote bitcode and who reads it, as llvm-link tells where it does not understand it.
_VERSIONS = re.compile(r"Producer: 'LLVM(\d+)\b.*Reader: 'LLVM (\d+)\b")


@dataclass(frozen=True, slots=True)
class BitcodeProgram:
    """One program, ready to be analysed.

    Attributes:
        sources: Those that were compiled; none if bitcode was given.
        job: The function that is its job where nothing but its convention says so.
    """

    name: str
    bitcode: Path
    sources: tuple[Path, ...]
    job: str | None = None


@dataclass(slots=True)
class Prepared:
    """Programs, and what became of the rest."""

    programs: list[BitcodeProgram] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """Where things are made, by what, for which roots beside those of the conventions."""

    build: Path
    toolchain: BitcodeToolchain
    roots: tuple[str, ...] = ()

    def bitcode(self, name: str) -> Path:
        """Name the file of a program."""
        to = self.build / "programs"
        to.mkdir(exist_ok=True)
        return to / f"{name}.bc"


def program_of_files(files: Sequence[Path], place: Place) -> Prepared:
    """Make one program of sources and bitcode, called as its first file.

    Raises:
        ConfigError: A file is missing or of no known kind, or they do not compile or link.
    """
    for file in files:
        if file.suffix not in SOURCE_SUFFIXES | BITCODE_SUFFIXES:
            kinds = " ".join(sorted(SOURCE_SUFFIXES | BITCODE_SUFFIXES))
            msg = f"{file}: neither source nor bitcode; name files that end in {kinds}"
            raise ConfigError(msg)
        if not file.is_file():
            msg = f"{file}: no such file; correct the path"
            raise ConfigError(msg)
        try:
            str(file.resolve()).encode()
        except UnicodeEncodeError as error:  # tables and reports are of text
            msg = f"{file}: its path is no UTF-8 text; rename it"
            raise ConfigError(msg) from error
    commands = [CompileCommand(one.resolve(), Path.cwd(), ()) for one in files]
    sources = [one for one in commands if one.source.suffix in SOURCE_SUFFIXES]
    for one, outcome in _compile_all(sources, place):
        if not outcome.is_done:
            msg = (
                f"{one.source}: does not compile: {outcome.first_error}; see --cflags and --target"
            )
            raise ConfigError(msg)
    name = files[0].stem
    units = [
        place.toolchain.units[one.source].bitcode if one in sources else one.source
        for one in commands
    ]
    linked = place.toolchain.link_program(units, place.bitcode(name), place.roots)
    if not linked.is_done:
        why = linked.first_error
        msg = f"{name}: does not link: {why}{advice_on_versions(why)}"
        raise ConfigError(msg)
    paths = tuple(one.source for one in sources)
    return Prepared([BitcodeProgram(name, place.bitcode(name), paths)])


def advice_on_versions(error: str) -> str:
    """Say what to do about bitcode that a newer LLVM wrote; "" if that is not what is wrong."""
    found = _VERSIONS.search(error)
    if found is None or int(found[1]) <= int(found[2]):
        return ""
    return f"; make it with clang-{found[2]}, or name the source"


def programs_of_database(path: Path, place: Place) -> Prepared:
    """Make the programs of a compilation database: each file with a main, and all without one.

    Raises:
        ConfigError: The database cannot be used, or no file of it has a main.
    """
    prepared = Prepared()
    compiled: list[CompileCommand] = []
    for one, outcome in _compile_all(read_compile_commands(path), place):
        if outcome.is_done:
            compiled.append(one)
        else:
            reason = f"does not compile: {outcome.first_error}"
            prepared.left_out.append(LeftOut(path=str(one.source), reason=reason))
    units = {one.source: place.toolchain.units[one.source].bitcode for one in compiled}
    roots = {"main", *place.roots}
    mains = [
        source for source, unit in units.items() if place.toolchain.symbols(unit).functions & roots
    ]
    if not mains:
        told = f"; {prepared.left_out[0].reason}" if prepared.left_out else ""
        msg = f"--compile-commands {path}: no source defines main{told}; name a job with --job"
        raise ConfigError(msg)
    shared = [source for source in units if source not in mains]
    for main in mains:
        sources = (main, *shared)
        to = place.bitcode(main.stem)
        linked = place.toolchain.link_program([units[one] for one in sources], to, place.roots)
        if linked.is_done:
            prepared.programs.append(BitcodeProgram(main.stem, to, sources))
        else:
            reason = f"does not link: {linked.first_error}"
            prepared.left_out.append(LeftOut(path=str(main), reason=reason))
    return prepared


def programs_of_suites(roots: Sequence[Path], only: Sequence[str], place: Place) -> Prepared:
    """Make the programs that are found in checkouts.

    Args:
        roots: The checkouts; nothing is written into them.
        only: Names; empty: all.
        place: Where programs are made.

    Raises:
        ConfigError: One is no directory or holds no C file, or two have a program of one name.
    """
    prepared = Prepared()
    for number, root in enumerate(roots):
        objects = place.build / f"objects{number}"
        objects.mkdir()
        found = discover(root, objects, place.toolchain)
        chosen = [one for one in found.programs if not only or one.name in only]
        if not only:
            prepared.left_out += [
                LeftOut(path=one.path, reason=one.reason) for one in found.unplaced
            ]
        known = {one.name for one in prepared.programs}
        for one in chosen:
            if one.name in known:
                msg = f"--suite {root}: has a program {one.name}, as another suite; take --only"
                raise ConfigError(msg)
        _link_found(root.resolve(), chosen, place, prepared)
    return prepared


def _link_found(root: Path, chosen: Sequence[Program], place: Place, prepared: Prepared) -> None:
    def link(program: Program) -> tuple[BitcodeProgram, Outcome]:
        sources = tuple(root / one for one in program.sources)
        units = [place.toolchain.units[one].bitcode for one in sources]
        to = place.bitcode(program.name)
        outcome = place.toolchain.link_program(units, to, place.roots)
        job = _EMBENCH_JOB if _is_job_only(program) else None
        return BitcodeProgram(program.name, to, sources, job), outcome

    for made, outcome in parallel(link, chosen):
        if outcome.is_done:
            prepared.programs.append(made)
        else:
            reason = f"does not link: {outcome.first_error}"
            prepared.left_out.append(LeftOut(path=made.name, reason=reason))


def _is_job_only(program: Program) -> bool:
    return program.convention is Convention.EMBENCH and not program.has_main


def _compile_all(
    commands: Sequence[CompileCommand], place: Place
) -> list[tuple[CompileCommand, Outcome]]:
    def compile_one(item: tuple[int, CompileCommand]) -> tuple[CompileCommand, Outcome]:
        number, one = item
        to = place.build / f"{number}.bc"
        toolchain = place.toolchain
        outcome = toolchain.compile_words(one.source, to, one.words, one.directory)
        return one, outcome

    return parallel(compile_one, enumerate(commands))
