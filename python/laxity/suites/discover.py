# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Find the programs of a checkout by compiling as its folders suggest and looking at symbols.

A folder with C files is one program of all of them, unless several define main: then each of those
is one, with the other files of the folder. What a manifest lists takes the place of what would be
discovered there. Nothing is written into the checkout.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from laxity.errors import ConfigError, no_program
from laxity.suites.checkout import (
    Checkout,
    Compiled,
    Work,
    compile_all,
    mains,
    place,
    possible_names,
    read_tree,
    relative,
    why_refused,
)
from laxity.suites.listed import Listed, lacking, look_up, place_entry, works_of
from laxity.suites.outfit import Context, named, with_outfit
from laxity.suites.ports import HARNESS_REASON
from laxity.suites.program import Discovery, Program, Unplaced, has_cxx
from laxity.suites.toolchain import Toolchain


def discover(
    root: Path,
    build: Path,
    toolchain: Toolchain,
    context: Context | None = None,
    only: Sequence[str] = (),
) -> Discovery:
    """Find the programs below a directory.

    Args:
        root: The checkout.
        build: Empty directory for objects.
        toolchain: Compiles them.
        context: What a manifest says of them; None: there is none.
        only: Patterns as of a shell: what cannot be called so is not compiled; empty: everything.

    Raises:
        ConfigError: There is no such directory, no C file in it, the manifest does not fit it, or
            nothing can be called as a pattern says.
        PlatformError: No compiler.
    """
    toolchain.require()
    if not root.is_dir():
        msg = f"{root}: no such directory; name the checkout of a suite"
        raise ConfigError(msg)
    checkout = read_tree(root.resolve(), build, toolchain)
    if not checkout.folders:
        msg = f"{root}: holds no file of C or C++; name the checkout of a suite"
        raise ConfigError(msg)
    if all(has_cxx([one]) for sources in checkout.folders.values() for one in sources):
        toolchain.require_cxx()
    context = context or Context(root=checkout.root, home=checkout.root)
    listed = look_up(checkout, context)
    if only:
        listed = _asked_for(checkout, listed, context.sizes_of(None), only)
    compiled = compile_all(checkout, _works(checkout, listed))
    stated = [place_entry(checkout, one, compiled) for one in listed.entries]
    found = _discovered(checkout, listed, compiled)
    programs = [one for one in found if isinstance(one, Program)]
    names = [one.scope.name for one in listed.entries]
    sized, left_out = _sized(context, checkout, _with_own_names(programs, names))
    unplaced = [one for one in found if isinstance(one, Unplaced)]
    unplaced += [
        Unplaced(path=relative(checkout, one), reason=HARNESS_REASON) for one in checkout.harnesses
    ]
    all_ = (*(one for one in stated if isinstance(one, Program)), *sized)
    return Discovery(
        programs=tuple(sorted(all_, key=lambda one: (one.directory, one.name))),
        unplaced=_without_used(unplaced, all_),
        left_out=(
            *listed.left_out,
            *(one for one in stated if isinstance(one, Unplaced)),
            *left_out,
        ),
    )


def _asked_for(
    checkout: Checkout, listed: Listed, sizes: Sequence[str | None], only: Sequence[str]
) -> Listed:
    """Leave out what no pattern can mean, before anything is compiled.

    Args:
        checkout: They are of.
        listed: Everything.
        sizes: Of the programs that are discovered.
        only: The patterns.

    Raises:
        ConfigError: A pattern means nothing at all.
    """
    plain = {folder: possible_names(checkout, folder) for folder in listed.folders}
    names = {
        folder: {
            named(name, size)
            for one in ones
            for name in (one, f"{relative(checkout, folder)}/{one}".replace("/", "-"))
            for size in (None, *sizes)
        }
        for folder, ones in plain.items()
    }
    own = {entry.name: {entry.name, entry.scope.name} for entry in listed.entries}
    own |= {one.path: {one.path} for one in listed.left_out}
    known = set[str]().union(*names.values(), *own.values())
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in known):
            some = sorted(folder.name for folder in listed.folders)
            raise no_program(pattern, "--only", sorted(known), some)

    def is_meant(possible: Collection[str]) -> bool:
        return any(fnmatchcase(name, pattern) for name in possible for pattern in only)

    meant = set[str]().union(*(plain[one] for one in listed.folders if is_meant(names[one])))
    # Two of one name are called by their paths, whichever of them was asked for.
    kept = {one: outfit for one, outfit in listed.folders.items() if plain[one] & meant}
    others = {one: outfit for one, outfit in listed.folders.items() if one not in kept}
    checkout.pending = _works(checkout, replace(listed, entries=(), folders=others))
    entries = tuple(one for one in listed.entries if is_meant(own[one.name]))
    return replace(listed, entries=entries, folders=kept)


def _works(checkout: Checkout, listed: Listed) -> list[Work]:
    works = [
        Work(folder, source, outfit.build.flags, outfit.includes)
        for folder, outfit in listed.folders.items()
        for source in checkout.folders[folder]
    ]
    return works + [work for one in listed.entries for work in works_of(checkout, one)]


def _discovered(
    checkout: Checkout, listed: Listed, compiled: Mapping[Work, Compiled]
) -> list[Program | Unplaced]:
    """Find the programs of each folder that no manifest describes."""
    found: list[Program | Unplaced] = []
    for folder, outfit in sorted(listed.folders.items()):
        build, includes = outfit.build, outfit.includes
        units = [
            compiled[Work(folder, source, build.flags, includes)]
            for source in checkout.folders[folder]
        ]
        found += _programs_of(checkout, listed, folder, units)
    return found


def _programs_of(
    checkout: Checkout, listed: Listed, folder: Path, units: Sequence[Compiled]
) -> list[Program | Unplaced]:
    refused = why_refused(checkout, units)
    if refused:
        return [Unplaced(path=relative(checkout, folder), reason=refused)]
    libraries = listed.folders[folder].build.libraries
    several = mains(units)
    if len(several) <= 1:
        return [place(checkout, folder, folder.name, units, libraries)]
    shared = [unit for unit in units if unit not in several]
    return [
        place(checkout, folder, one.source.stem, [one, *shared], libraries)
        for one in several
        if (folder, one.source.stem) not in listed.replaced
    ]


def _sized(
    context: Context, checkout: Checkout, programs: Sequence[Program]
) -> tuple[list[Program], list[Unplaced]]:
    """Make one program per size, as the suite says; the second list lacks an input."""
    sized: list[Program] = []
    left_out: list[Unplaced] = []
    for program in programs:
        for size in context.sizes_of(None):
            outfit = context.outfit(None, size, Path(checkout.root, program.directory))
            if outfit.absent:
                name = named(program.name, size)
                left_out.append(Unplaced(path=name, reason=lacking(outfit)))
            else:
                sized.append(with_outfit(program, program.name, size, outfit))
    return sized, left_out


def _with_own_names(programs: Sequence[Program], taken: Sequence[str]) -> tuple[Program, ...]:
    """Call programs of one name by their paths: a name must say which one is meant."""
    names = [*(one.name for one in programs), *dict.fromkeys(taken)]
    return tuple(
        one
        if names.count(one.name) == 1
        else msgspec.structs.replace(one, name=f"{one.directory}/{one.name}".replace("/", "-"))
        for one in programs
    )


def _without_used(
    unplaced: Sequence[Unplaced], programs: Sequence[Program]
) -> tuple[Unplaced, ...]:
    """Leave out folders that are a part of programs: they have their place."""
    used = {str(Path(source).parent) for one in programs for source in one.sources}
    return tuple(one for one in unplaced if one.path not in used)
