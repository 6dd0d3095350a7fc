# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a board needs, in one archive: our programs, linked statically, and nothing else.

`tools/board-bundle ARCH` builds the programs and calls this module to pack them; `--on` finds the
archive and unpacks it on the board. Unpacked it is `laxity-run laxity-facts laxity-probe
workloads/NAME… workloads/manifest.toml LICENSE` and, last, `bundle`: one line that names version,
instruction set and content. A directory without that line was not unpacked to its end.
"""

import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from laxity import __version__
from laxity.core.standard_streams import secure_streams
from laxity.errors import ConfigError, LaxityError, PlatformError, ToolError
from laxity.platform.tools import list_workloads, source_root, tool_roots

MARK = "bundle"
PROGRAMS = ("laxity-run", "laxity-facts", "laxity-probe")
_BOARDS = "boards"
_LINE = re.compile(r"laxity-board (\S{1,40}) (\w{1,40}) ([0-9a-f]{64})\n?", re.ASCII)
# What `uname -m` calls the instruction sets that cross/ has, and what we call them.
_ARCH_OF_MACHINE = {"armv7l": "armhf", "armv8l": "armhf", "ppc": "powerpc", "amd64": "x86_64"}
_CROSS_ARCHS = ("aarch64", "armhf", "powerpc", "riscv64")
NATIVE = "native"
# The same bundle from the same commit, whoever makes it and when: no time, no owner, no path.
_MTIME_S = 0
# Level 9 takes three times as long for 1 % less.
_GZIP_LEVEL = 6
_STRIPPED_SECTIONS = (".note.gnu.build-id", ".comment")


@dataclass(frozen=True, slots=True)
class BundleId:
    """Which bundle it is: two of one digest hold the same bytes."""

    version: str
    arch: str
    digest: str

    def line(self) -> str:
        """Write the content of `bundle`."""
        return f"laxity-board {self.version} {self.arch} {self.digest}\n"


def parse_id(text: str) -> BundleId | None:
    """Read the content of `bundle`; None if it is none."""
    match = _LINE.fullmatch(text)
    return BundleId(match[1], match[2], match[3]) if match else None


def arch_of_machine(machine: str) -> str:
    """Name the instruction set of a machine as bundles do (`uname -m`: armv7l → armhf)."""
    return _ARCH_OF_MACHINE.get(machine, machine)


def how_to_get(machine: str) -> str:
    """Say how one comes by the bundle for a machine."""
    arch = arch_of_machine(machine)
    is_ours = arch == arch_of_machine(os.uname().machine)
    if not is_ours and arch not in _CROSS_ARCHS:
        return f"no bundle can be made for {arch}; choose a board of {', '.join(_CROSS_ARCHS)}"
    if source_root() is None:
        return f"put {bundle_name(arch)} of the release into {users_folder()}, then try again"
    made = NATIVE if is_ours else arch
    return f"make its bundle with tools/board-bundle {made}, then try again"


def users_folder() -> Path:
    """Return where users put bundles that others made."""
    named = Path(os.environ.get("XDG_DATA_HOME") or "")
    # A relative one is to be ignored: it would be another in every directory.
    base = named if named.is_absolute() else Path("~/.local/share").expanduser()
    return base / "laxity" / _BOARDS


def bundle_name(arch: str) -> str:
    """Name the archive of this version."""
    return f"laxity-board-{__version__}-{arch}.tar.gz"


def find_bundle(arch: str) -> Path | None:
    """Find the archive of this version for an instruction set.

    It lies where tools/board-bundle puts it, or where the user put one.
    """
    folders = (*(root / _BOARDS for root in tool_roots()), users_folder())
    candidates = (folder / bundle_name(arch) for folder in folders)
    return next((path for path in candidates if path.is_file()), None)


def read_archive(path: Path) -> tuple[BundleId, bytes]:
    """Read an archive.

    Returns:
        Which bundle it is, and the tar stream that is unpacked on the board.

    Raises:
        ToolError: It is damaged, or of another version.
    """
    try:
        stream = gzip.decompress(path.read_bytes())
        with tarfile.open(fileobj=io.BytesIO(stream)) as archive:
            mark = archive.extractfile(MARK)
            found = parse_id((mark.read() if mark else b"").decode("utf-8", "replace"))
    except (OSError, EOFError, tarfile.TarError, KeyError) as error:
        msg = f"{path}: cannot be read ({error}); make it again with tools/board-bundle"
        raise ToolError(msg) from error
    if found is None or found.version != __version__:
        msg = f"{path}: is no bundle of version {__version__}; make it with tools/board-bundle"
        raise ToolError(msg)
    return found, stream


def pack(build: Path, arch: str, strip: str | None, output: Path) -> BundleId:
    """Write the archive of a build.

    Args:
        build: Build directory.
        arch: Instruction set it was built for.
        strip: The program that takes symbols away; None: they stay.
        output: The archive; its directory is made.

    Raises:
        ToolError: Something is not built.
    """
    contents = list(_contents(build, strip))
    digest = hashlib.sha256()
    for name, mode, data in contents:
        digest.update(f"{name} {mode:o} {len(data)}\n".encode())
        digest.update(data)
    identity = BundleId(__version__, arch, digest.hexdigest())
    contents.append((MARK, 0o644, identity.line().encode()))
    output.parent.mkdir(parents=True, exist_ok=True)
    new = output.with_name(output.name + ".new")
    with (
        new.open("wb") as file,
        gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=_MTIME_S) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, mode, data in contents:
            member = tarfile.TarInfo(name)
            member.mode, member.size, member.mtime = mode, len(data), _MTIME_S
            archive.addfile(member, io.BytesIO(data))
    new.replace(output)
    return identity


def _contents(build: Path, strip: str | None) -> Iterator[tuple[str, int, bytes]]:
    """List name, mode and content of all files but the last."""
    root = source_root() or Path()
    for name in PROGRAMS:
        yield name, 0o755, _program(build / "native" / name, strip)
    for workload in sorted(one.name for one in list_workloads() if one.kind == "portable"):
        path = build / "workloads" / workload
        yield f"workloads/{workload}", 0o755, _program(path, strip)
    for name, source in (
        ("workloads/manifest.toml", root / "workloads" / "manifest.toml"),
        ("LICENSE", root / "LICENSES" / "MIT.txt"),
    ):
        yield name, 0o644, source.read_bytes()


def _program(path: Path, strip: str | None) -> bytes:
    if not path.is_file():
        msg = f"{path}: not built; run tools/board-bundle again"
        raise ToolError(msg)
    if strip is None:
        return path.read_bytes()
    with tempfile.TemporaryDirectory(prefix="laxity-bundle-") as directory:
        stripped = Path(directory) / path.name
        removed = [f"--remove-section={name}" for name in _STRIPPED_SECTIONS]
        done = subprocess.run(
            [strip, *removed, "-o", stripped, path], capture_output=True, text=True, check=False
        )
        if done.returncode:
            msg = f"{strip} {path}: {done.stderr.strip()}; install binutils for this target"
            raise ToolError(msg)
        return stripped.read_bytes()


def main() -> None:
    """Pack one build: `BUILD ARCH STRIP`; called by tools/board-bundle."""
    secure_streams()
    build, arch, strip = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    arch = arch_of_machine(os.uname().machine) if arch == NATIVE else arch
    root = source_root()
    try:
        if root is None:
            msg = "board bundle: no checkout; tools/board-bundle needs one"
            raise ConfigError(msg)
        output = root / "build" / _BOARDS / bundle_name(arch)
        try:
            pack(build, arch, strip, output)
        except OSError as error:
            msg = f"{error.filename}: {error.strerror}; mend it and try again"
            raise PlatformError(msg) from error
        sys.stdout.write(f"{output} {output.stat().st_size} bytes\n")
    except LaxityError as error:
        sys.stderr.write(f"board-bundle: {error}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
