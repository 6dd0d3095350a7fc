# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`--manifest` and `--sizes` of `laxity suite`: what of the programs cannot be discovered."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laxity.cli.options import with_options
from laxity.core.input_file import read_input
from laxity.errors import ConfigError, located
from laxity.suites.manifest import EMPTY_MANIFEST, MAX_MANIFEST_BYTES, Manifest, read_manifest

if TYPE_CHECKING:
    from laxity.suites.outfit import Context
    from laxity.suites.toolchain import Toolchain


manifest_options = with_options(
    click.option(
        "--manifest",
        metavar="FILE",
        help="What of the programs cannot be discovered, as TOML; see laxity schema suite.",
    ),
    click.option(
        "--sizes",
        metavar="NAME,...",
        help="Sizes of the manifest, one row each.  [default: the first one of each program]",
    ),
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A manifest that was read; `path` and `sha256` None: there is none."""

    path: Path | None
    manifest: Manifest
    sha256: str | None
    sizes: tuple[str, ...]

    def context(self, directory: str, toolchain: "Toolchain") -> "Context":
        """Say what the words of the manifest mean for a checkout."""
        from laxity.suites.outfit import Context  # noqa: PLC0415 - when needed

        root = Path(directory).resolve()
        home = root if self.path is None else self.path.resolve().parent
        has_targets = self.manifest.suite.targets or any(
            one.targets for one in self.manifest.programs
        )
        machine = toolchain.machine() if has_targets else ""
        return Context(root, home, self.manifest, machine, self.sizes, str(self.path))


def read_stated(path: str | None, sizes: str | None) -> Stated:
    """Read the manifest that an option names.

    Raises:
        ConfigError: It cannot be read, or is none; or sizes without one.
    """
    if path is None:
        if sizes is not None:
            msg = "--sizes: only a manifest says what sizes there are; name it with --manifest"
            raise ConfigError(msg)
        return Stated(None, EMPTY_MANIFEST, None, ())
    file = Path(path)
    data = read_input(file, MAX_MANIFEST_BYTES, "a manifest")
    with located(str(file)):
        manifest = read_manifest(data)
    return Stated(file, manifest, hashlib.sha256(data).hexdigest(), _names(sizes))


def _names(sizes: str | None) -> tuple[str, ...]:
    if sizes is None:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in sizes.split(",")))
    if "" in names:
        msg = f'--sizes "{sizes}": a name is empty; write for example small,large'
        raise ConfigError(msg)
    return names
