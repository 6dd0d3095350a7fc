# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where guests run and how they are linked: this machine or another instruction set, emulated."""

import configparser
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from laxity import __version__
from laxity.errors import ConfigError, PlatformError, ToolError, suggestion
from laxity.platform.simulated_programs import SIM_SET, find_built
from laxity.platform.tools import source_root, tool_roots

NATIVE = "native"
# What a build leaves for guests that are linked with it: version, machine, words of the link.
_KIT = "laxity-guest.link"
_INSTALLED = "lib/laxity/guests"
_PATIENCE_S = 60


class Link(StrEnum):
    """How a guest and laxity-vet come together."""

    DYNAMIC = "dynamic"  # a shared object that laxity-vet loads
    STATIC = "static"  # one executable of both


@dataclass(frozen=True, slots=True)
class Target:
    """What guests are built for, and what runs them.

    Attributes:
        name: `native`, or the name of a file in cross/.
        link: How guests are linked.
        emulator: Words before each program; empty on this machine.
        kit: Directory of laxity-vet and of the archives that guests are linked with; None: find
            laxity-vet where our programs are.
        link_words: What a static link needs beside the archives.
        parts: How the archives are called there.
    """

    name: str = NATIVE
    link: Link = Link.DYNAMIC
    emulator: tuple[str, ...] = ()
    kit: Path | None = None
    link_words: tuple[str, ...] = ()
    parts: str = "liblaxity-{}.a"

    def part(self, name: str) -> Path:
        """Return the path of an archive that guests are linked with."""
        return (self.kit or Path()) / self.parts.format(name)

    @property
    def is_emulated(self) -> bool:
        """Tell whether neither valgrind nor a clock says anything about the machine."""
        return bool(self.emulator)

    def runner(self, guest: Path) -> tuple[str, ...]:
        """Return the words that run a guest's jobs; empty: this machine's laxity-vet."""
        if self.link is Link.STATIC:
            return (*self.emulator, str(guest))
        if self.kit is None:
            return ()
        return (*self.emulator, str(self.kit / "laxity-vet"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A target as the user names it; empty words: what the target itself says."""

    name: str = NATIVE
    link: Link | None = None
    cc: tuple[str, ...] = ()
    emulator: tuple[str, ...] = ()


def find_target(wanted: Wanted) -> tuple[Target, tuple[str, ...]]:
    """Find what a target needs.

    Returns:
        The target and its compiler.

    Raises:
        ConfigError: No such target, or a compiler for another machine.
        PlatformError: The emulator or the compiler is missing.
        ToolError: Nothing is built for it, or by another version.
    """
    if wanted.name == NATIVE:
        cc = wanted.cc or ("cc",)
        emulator = wanted.emulator
        link = wanted.link or Link.DYNAMIC
        if link is Link.DYNAMIC and not emulator:
            return Target(), cc
    else:
        own_cc, own_emulator = _cross_binaries(wanted.name)
        cc = wanted.cc or own_cc
        emulator = wanted.emulator or own_emulator
        link = wanted.link or Link.STATIC
        if link is Link.DYNAMIC and not wanted.emulator:
            emulator = (*emulator, "-L", f"/usr/{machine_of(cc)}")
    if emulator and shutil.which(emulator[0]) is None:
        msg = f"{emulator[0]}: not found; install qemu-user, or name another one with --emulator"
        raise PlatformError(msg)
    kit, link_words = _find_kit(wanted.name, machine_of(cc))
    return Target(wanted.name, link, emulator, kit, link_words), cc


def find_simulated_target(architecture: str) -> tuple[Target, tuple[str, ...]]:
    """Find what builds guests for a processor of a simulated platform.

    Returns:
        The target and its compiler.

    Raises:
        ToolError: Nothing is built for it, or by another version.
    """
    path = find_built(f"{architecture}-guest.link")
    version, cc, link_words = map(shlex.split, path.read_text(encoding="utf-8").splitlines())
    if version != [__version__]:
        msg = f"{path}: is of version {' '.join(version)}, not {__version__}; {SIM_SET}"
        raise ToolError(msg)
    parts = f"{architecture}-{{}}.o"
    target = Target(
        architecture, Link.STATIC, kit=path.parent, link_words=tuple(link_words), parts=parts
    )
    return target, tuple(cc)


def _cross_files() -> dict[str, Path]:
    root = source_root()
    return {path.stem: path for path in sorted((root / "cross").glob("*.txt"))} if root else {}


def _cross_binaries(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read compiler and emulator from meson's cross file."""
    files = _cross_files()
    if name not in files:
        known = (NATIVE, *files)
        msg = f'--target: no target "{name}"; {suggestion(name, known, ", ".join(known))}'
        raise ConfigError(msg)
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(files[name], encoding="utf-8")
    binaries = parser["binaries"]
    return (binaries["c"].strip("'"),), (binaries["exe_wrapper"].strip("'"),)


@cache
def machine_of(cc: Sequence[str]) -> str:
    """Ask a compiler what it compiles for.

    Raises:
        PlatformError: It is missing, or does not say.
    """
    try:
        done = subprocess.run(
            [*cc, "-dumpmachine"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        msg = f"{cc[0]}: does not say what it compiles for ({error}); install it, or see --cc"
        raise PlatformError(msg) from error
    return done.stdout.strip()


def _find_kit(name: str, machine: str) -> tuple[Path, tuple[str, ...]]:
    """Find our archives for a target, and what a static link with them needs."""
    root = source_root()
    if name == NATIVE:
        below = ("", "native", _INSTALLED)
        places = [one / place for one in tool_roots() for place in below]
        on_path = shutil.which("laxity-vet")
        places += [Path(on_path).parent.parent / _INSTALLED] if on_path else []
        cure = "ninja -C build"
    else:
        places = [root / "build-cross" / name / "native"] if root else []
        cure = f"tools/board-bundle {name}"
    kit = next((place for place in places if (place / _KIT).is_file()), None)
    if kit is None:
        msg = f"{name}: nothing is built that guests could be linked with; run {cure}"
        raise ToolError(msg)
    version, built_for, *link_words = shlex.split((kit / _KIT).read_text(encoding="utf-8"))
    if version != __version__:
        msg = f"{kit}: is of version {version}, not {__version__}; run {cure}"
        raise ToolError(msg)
    if built_for.partition("-")[0] != machine.partition("-")[0]:
        msg = f"--cc: compiles for {machine}, and {kit} is for {built_for}; see --target"
        raise ConfigError(msg)
    return kit, tuple(link_words)
