# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The programs of a manifest: looked for in a checkout, before anything is compiled, and placed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from laxity.errors import ConfigError, located, suggestion
from laxity.suites.checkout import Checkout, Compiled, Work, mains, place, why_refused
from laxity.suites.manifest import ProgramScope
from laxity.suites.outfit import Context, Outfit, named, with_outfit
from laxity.suites.program import Program, Unplaced

_MOST_TOLD = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A program of a manifest at one size.

    Attributes:
        scope: Its table.
        size: None: it has none.
        folder: Where it is.
        stem: The main file, without its suffix; None: nobody said.
        outfit: What it is made and fed with.
    """

    scope: ProgramScope
    size: str | None
    folder: Path
    stem: str | None
    outfit: Outfit

    @property
    def name(self) -> str:
        """As every list calls it."""
        return named(self.scope.name, self.size)


@dataclass(frozen=True, slots=True)
class Listed:
    """The programs of a manifest, and what is discovered beside them.

    Attributes:
        entries: Programs whose files are all there.
        left_out: The others, with the reason.
        folders: Where programs are discovered, with what the suite says of those of each.
        replaced: Folder and main file of programs that are discovered there and listed, too.
    """

    entries: tuple[Entry, ...]
    left_out: tuple[Unplaced, ...]
    folders: Mapping[Path, Outfit]
    replaced: frozenset[tuple[Path, str]]


def look_up(checkout: Checkout, context: Context) -> Listed:
    """Look for everything that a manifest names.

    Raises:
        ConfigError: Something that a program is made of is not there, or no size is as asked.
    """
    context.check_sizes()
    with located(context.label):
        return _look_up(checkout, context)


def _look_up(checkout: Checkout, context: Context) -> Listed:
    homes = [_home(checkout, one) for one in context.manifest.programs]
    entries: list[Entry] = []
    left_out: list[Unplaced] = []
    for scope, (folder, stem) in zip(context.manifest.programs, homes, strict=True):
        sizes = context.sizes_of(scope)
        if not sizes:
            words = f"has no size {' or '.join(context.sizes)}"
            left_out.append(Unplaced(path=scope.name, reason=words))
        for size in sizes:
            outfit = context.outfit(scope, size, folder)
            entries.append(Entry(scope, size, folder, stem, outfit))
    taken = {
        folder
        for scope, (folder, stem) in zip(context.manifest.programs, homes, strict=True)
        if scope.folder is not None or stem is None
    }
    size = next(iter(context.sizes_of(None)), None)
    folders = {
        folder: context.outfit(None, size, folder)
        for folder in _searched(checkout, context)
        if folder not in taken
    }
    _refuse_missing(checkout, context, [*(one.outfit for one in entries), *folders.values()])
    left_out += [
        Unplaced(path=one.name, reason=lacking(one.outfit)) for one in entries if one.outfit.absent
    ]
    return Listed(
        entries=tuple(one for one in entries if not one.outfit.absent),
        left_out=tuple(left_out),
        folders=folders,
        replaced=frozenset((folder, stem) for folder, stem in homes if stem is not None),
    )


def lacking(outfit: Outfit) -> str:
    """Say which inputs a program lacks."""
    return f"lacks its input: {', '.join(outfit.absent)}"


def _home(checkout: Checkout, scope: ProgramScope) -> tuple[Path, str | None]:
    """Find the folder of a program, and its main file where that is what it is called by."""
    if scope.folder is not None:
        if ".." in PurePosixPath(scope.folder).parts or PurePosixPath(scope.folder).is_absolute():
            msg = f'program "{scope.name}": folder "{scope.folder}" leads out of the checkout; '
            msg += "write it as seen from there"
            raise ConfigError(msg)
        return Path(checkout.root, scope.folder), None
    folders = [one for one in checkout.folders if one.name == scope.name]
    files = [
        (folder, scope.name)
        for folder, sources in checkout.folders.items()
        if any(source.stem == scope.name for source in sources)
    ]
    homes: list[tuple[Path, str | None]] = [(one, None) for one in folders] or [*files]
    if len(homes) == 1:
        return homes[0]
    if homes:
        some = ", ".join(str(one.relative_to(checkout.root)) for one, _ in homes[:_MOST_TOLD])
        msg = f'program "{scope.name}": there are several of this name: {some}; write its folder'
        raise ConfigError(msg)
    names = [one.name for one in checkout.folders]
    names += [source.stem for sources in checkout.folders.values() for source in sources]
    advice = suggestion(scope.name, names, "write its folder")
    msg = f'program "{scope.name}": no folder and no C file of this name in the checkout; {advice}'
    raise ConfigError(msg)


def _searched(checkout: Checkout, context: Context) -> list[Path]:
    """List the folders in which programs are discovered."""
    names = context.manifest.folders
    if names is None:
        return list(checkout.folders)
    tops = [Path(checkout.root, name) for name in names]
    return [one for one in checkout.folders if any(one.is_relative_to(top) for top in tops)]


def _refuse_missing(checkout: Checkout, context: Context, outfits: Iterable[Outfit]) -> None:
    """Refuse a manifest that names what is not there, all of it at once."""
    folders = [*(context.manifest.folders or ())]
    folders += [one.folder for one in context.manifest.programs if one.folder is not None]
    missing = [name for name in folders if not Path(checkout.root, name).is_dir()]
    missing += [name for one in outfits for name in one.missing]
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        msg = f"not there: {names}; correct the manifest, or complete {checkout.root}"
        raise ConfigError(msg)


def works_of(checkout: Checkout, entry: Entry) -> list[Work]:
    """List what is to be compiled for a program."""
    sources = entry.outfit.sources
    files = checkout.folders.get(entry.folder, []) if sources is None else list(sources)
    build, includes = entry.outfit.build, entry.outfit.includes
    return [Work(entry.folder, source, build.flags, includes) for source in files]


def place_entry(
    checkout: Checkout, entry: Entry, compiled: Mapping[Work, Compiled]
) -> Program | Unplaced:
    """Make the program of an entry; or say why it is none."""
    units = [compiled[one] for one in works_of(checkout, entry)]
    chosen = _units(checkout, entry, units)
    if isinstance(chosen, str):
        return Unplaced(path=entry.name, reason=chosen)
    name = entry.stem or entry.folder.name
    placed = place(checkout, entry.folder, name, chosen, entry.outfit.build.libraries)
    if isinstance(placed, Unplaced):
        return Unplaced(path=entry.name, reason=placed.reason)
    return with_outfit(placed, entry.scope.name, entry.size, entry.outfit)


def _units(checkout: Checkout, entry: Entry, units: Sequence[Compiled]) -> list[Compiled] | str:
    """Choose the objects that a program surely consists of; or say why they are none."""
    if not units:
        return "its folder holds no C file; name sources"
    refused = why_refused(checkout, units)
    if refused:
        return refused
    several = mains(units)
    if len(several) <= 1:
        return list(units)
    own = [unit for unit in several if unit.source.stem == (entry.stem or entry.scope.name)]
    if len(own) != 1:
        names = ", ".join(unit.source.name for unit in several[:_MOST_TOLD])
        return f"several of its files define main: {names}; name its sources"
    return [*own, *(unit for unit in units if unit not in several)]
