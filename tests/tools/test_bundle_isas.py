# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""tools/board-bundle builds, strips and packs for another instruction set."""

import gzip
import hashlib
import io
import subprocess
import tarfile
from pathlib import Path

import pytest
from tests.cli.laxity_command import PATIENCE_S, ROOT
from tests.cross_builds import cross_build

from laxity import __version__

ARCHIVE = ROOT / "build" / "boards" / f"laxity-board-{__version__}-aarch64.tar.gz"


def make_bundle() -> str:
    done = subprocess.run(
        [ROOT / "tools" / "board-bundle", "aarch64"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_bundle_of_another_instruction_set_runs_there_and_can_be_made_again(tmp_path: Path) -> None:
    cross_build("aarch64")
    assert make_bundle() == f"{ARCHIVE} {ARCHIVE.stat().st_size} bytes\n"
    first = hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()
    make_bundle()
    assert hashlib.sha256(ARCHIVE.read_bytes()).hexdigest() == first
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(ARCHIVE.read_bytes()))) as archive:
        archive.extractall(tmp_path)  # noqa: S202 - we have just written it
    program = tmp_path / "laxity-run"
    sections = program.read_bytes()
    assert b".symtab" not in sections
    assert b".debug_info" not in sections
    # Without a sysroot qemu finds no dynamic linker: what starts is static.
    version = subprocess.run(
        ["qemu-aarch64", program, "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout == f"laxity-run {__version__}\n"
