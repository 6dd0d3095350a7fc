# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The archive that a board needs: what is in it, and which one it is."""

import gzip
import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest
from tests.cli.laxity_command import PATIENCE_S, ROOT, make_laxity

from laxity import __version__
from laxity.errors import ToolError
from laxity.platform import bundle

TOOLS = make_laxity(Path.cwd()).tools
DIGEST = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("boards") / bundle.bundle_name("x")
    bundle.pack(TOOLS, "x", None, path)
    return path


def test_archive_holds_programs_and_portable_workloads_and_ends_with_its_mark(packed: Path) -> None:
    _, stream = bundle.read_archive(packed)
    with tarfile.open(fileobj=io.BytesIO(stream)) as archive:
        members = archive.getmembers()
    names = [member.name for member in members]
    assert names[:3] == ["laxity-run", "laxity-facts", "laxity-probe"]
    assert {"workloads/empty", "workloads/mem", "workloads/manifest.toml", "LICENSE"} <= set(names)
    # Of class "host": built around a library that a board has not.
    assert not {"workloads/lz4", "workloads/sqlite"} & set(names)
    assert names[-1] == "bundle"
    assert {(m.mtime, m.uid, m.gid, m.isreg()) for m in members} == {(0, 0, 0, True)}


def test_same_build_gives_the_same_bytes(packed: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tar.gz"
    identity = bundle.pack(TOOLS, "x", None, again)
    assert again.read_bytes() == packed.read_bytes()
    assert bundle.read_archive(packed)[0] == identity
    # The instruction set is no part of the content, but of the mark.
    other = bundle.pack(TOOLS, "y", None, tmp_path / "other.tar.gz")
    assert (other.digest, other.arch) == (identity.digest, "y")


def test_archive_that_is_damaged_or_of_another_version_is_refused(
    packed: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(packed.read_bytes()[:-1000])
    with pytest.raises(ToolError, match="make it again with tools/board-bundle"):
        bundle.read_archive(cut)
    old = tmp_path / "old.tar.gz"
    stream = gzip.decompress(packed.read_bytes())
    old.write_bytes(gzip.compress(stream.replace(b"laxity-board 0", b"laxity-board 9")))
    with pytest.raises(ToolError, match=f"no bundle of version {__version__}"):
        bundle.read_archive(old)


def test_mark_names_version_instruction_set_and_content() -> None:
    identity = bundle.BundleId("0.1.0", "aarch64", DIGEST)
    assert identity.line() == f"laxity-board 0.1.0 aarch64 {DIGEST}\n"
    assert bundle.parse_id(identity.line()) == identity
    for text in ("", "laxity-board", identity.line() * 2, f"laxity-board 0.1.0 a/b {DIGEST}"):
        assert bundle.parse_id(text) is None


@pytest.mark.parametrize(
    ("machine", "arch"),
    [("armv7l", "armhf"), ("armv8l", "armhf"), ("ppc", "powerpc"), ("aarch64", "aarch64")],
)
def test_machine_names_of_the_kernel_become_ours(machine: str, arch: str) -> None:
    assert bundle.arch_of_machine(machine) == arch
    assert f"tools/board-bundle {arch}," in bundle.how_to_get(machine)


def test_how_to_get_a_bundle_for_this_machine_and_for_none() -> None:
    assert "tools/board-bundle native," in bundle.how_to_get(os.uname().machine)
    assert "no bundle can be made for mips" in bundle.how_to_get("mips")


def test_installation_takes_the_bundle_of_a_release_from_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "source_root", lambda: None)
    monkeypatch.setattr(bundle, "tool_roots", lambda: iter(()))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    name = f"laxity-board-{__version__}-aarch64.tar.gz"
    told = f"put {name} of the release into {tmp_path}/laxity/boards, then try again"
    assert bundle.how_to_get("aarch64") == told
    assert bundle.find_bundle("aarch64") is None
    (tmp_path / "laxity" / "boards").mkdir(parents=True)
    (tmp_path / "laxity" / "boards" / name).touch()
    assert bundle.find_bundle("aarch64") == tmp_path / "laxity" / "boards" / name


@pytest.mark.parametrize("words", [[], ["mips"], ["a", "b"], ["-x"]])
def test_tool_refuses_what_is_no_instruction_set(words: list[str]) -> None:
    tool = [str(ROOT / "tools" / "board-bundle"), *words]
    done = subprocess.run(tool, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2
    assert "native aarch64 armhf powerpc riscv64" in done.stderr
