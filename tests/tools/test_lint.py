# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the slow linters look at: what changed, in a repository of git, and where it is compiled."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.cli.laxity_command import ROOT

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org")


@pytest.fixture(scope="module")
def lint() -> ModuleType:
    """tools/lint.py, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("lint", ROOT / "tools" / "lint.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lint"] = module
    spec.loader.exec_module(module)
    return module


def git(directory: Path, *words: str) -> None:
    subprocess.run(
        ["git", *IDENTITY, *words], cwd=directory, check=True, capture_output=True, timeout=60
    )


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a repository with one file of each kind, in which nothing has changed."""
    upstream = tmp_path / "upstream"
    (upstream / "native").mkdir(parents=True)
    for name in ("native/a.c", "native/b.c", "native/b.h", "native/c.c", "x.py", ".clang-tidy"):
        (upstream / name).write_text("\n", encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "main", str(upstream))
    git(upstream, "add", "-A")
    git(upstream, "commit", "-q", "-m", "first")
    git(tmp_path, "clone", "-q", str(upstream), "clone")
    monkeypatch.chdir(tmp_path / "clone")
    return tmp_path / "clone"


def test_nothing_has_changed_in_a_fresh_clone(lint: ModuleType, clone: Path) -> None:
    assert lint.find_files(is_fresh=False).changed == frozenset()
    assert len(list(clone.glob("native/*"))) == 4


def test_committed_uncommitted_and_new_files_have_changed(lint: ModuleType, clone: Path) -> None:
    (clone / "x.py").write_text("x = 1\n", encoding="utf-8")
    git(clone, "commit", "-q", "-a", "-m", "second")
    (clone / "native" / "a.c").write_text("int a;\n", encoding="utf-8")
    (clone / "new.c").write_text("\n", encoding="utf-8")
    assert lint.find_files(is_fresh=False).changed == {"x.py", "native/a.c", "new.c"}


@pytest.mark.usefixtures("clone")
def test_fresh_looks_at_what_did_not_change(lint: ModuleType) -> None:
    assert lint.find_files(is_fresh=True).changed is None


def test_all_count_where_there_is_no_origin(lint: ModuleType, clone: Path) -> None:
    git(clone, "remote", "remove", "origin")
    assert lint.find_files(is_fresh=False).changed is None


UNITS = {
    name: {"directory": "/b", "file": f"../{name}", "command": "cc", "output": f"{name}.o"}
    for name in ("native/a.c", "native/b.c", "native/c.c")
}
# b.h is included by all of them; c.h by c.c alone.
INCLUDES = {
    "native/a.c.o": ["../native/a.c", "../native/b.h"],
    "native/b.c.o": ["../native/b.c", "../native/b.h"],
    "native/c.c.o": ["../native/c.c", "../native/b.h", "../native/c.h"],
}


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ((), ()),
        (("x.py", "docs/b.h.md"), ()),
        (("native/a.c",), ("native/a.c",)),
        # The unit of its name, though the first one includes it, too.
        (("native/b.h",), ("native/b.c",)),
        (("native/c.h",), ("native/c.c",)),
        # Whatever else is looked at shows what is wrong in the header.
        (("native/b.h", "native/a.c"), ("native/a.c",)),
        (("native/b.h", "native/c.h"), ("native/b.c", "native/c.c")),
        ((".clang-tidy",), tuple(UNITS)),
        (("tests/native/.clang-tidy",), tuple(UNITS)),
    ],
)
def test_every_changed_source_and_header_is_in_a_chosen_unit(
    lint: ModuleType, changed: tuple[str, ...], chosen: tuple[str, ...]
) -> None:
    assert lint.changed_units(UNITS, INCLUDES, frozenset(changed)) == set(chosen)


def test_sources_that_the_build_joins_are_looked_at_one_by_one(
    lint: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "x-unity0.cpp").write_text("#include<../p/a.cpp>\n#include<../p/b.cpp>\n")
    entry = {
        "directory": str(tmp_path),
        "file": "x-unity0.cpp",
        "command": "c++ -o x.o -c x-unity0.cpp",
        "output": "x.o",
    }
    found = list(lint.sources_of(entry))
    assert [one["file"] for one in found] == ["../p/a.cpp", "../p/b.cpp"]
    assert found[1]["command"] == "c++ -o x.o -c ../p/b.cpp"


def test_no_source_of_the_build_is_lost_in_joined_units(
    lint: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every file of the working sets' tools that meson.build names is compiled where LLVM is there.
    monkeypatch.chdir(ROOT)
    commands = json.loads((ROOT / "build" / "compile_commands.json").read_text(encoding="utf-8"))
    if not any("laxity-workingset" in entry["output"] for entry in commands):
        pytest.skip("no LLVM 19 in this build")
    units = lint.units_of_build(lint.find_files(is_fresh=True))
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "workingset").rglob("*.cpp")}
    assert sources <= set(units)
