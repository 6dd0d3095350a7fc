# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the slow linters look at: what changed, in a repository of git, and where it is compiled."""

import importlib.util
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


def write(directory: Path, **texts: str) -> None:
    for name, text in texts.items():
        (directory / "native" / f"{name[:-1]}.{name[-1]}").write_text(text, encoding="utf-8")


@pytest.fixture
def clone(lint: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone as CI has one: HEAD is the default branch, and the last three commits are recent.

    Three sources use header b.h. With a limit of 0 the compiler sees a division by zero in y.c, the
    analyzer such a division in z.c.
    """
    upstream = tmp_path / "upstream"
    (upstream / "native").mkdir(parents=True)
    (upstream / ".clang-tidy").write_text(
        # Without the analyzer clang-tidy wants another check than the compiler's.
        "Checks: '-*,clang-analyzer-core.DivideZero,clang-diagnostic-*,misc-redundant-expression'\n"
        "WarningsAsErrors: '*'\n",
        encoding="utf-8",
    )
    write(
        upstream,
        ac="int a(void);\nint a(void) { return 1; }\n",
        bh="#define LIMIT 1\n",
        bc='#include "b.h"\nint b(void);\nint b(void) { return LIMIT; }\n',
        yc='#include "b.h"\nint y(void);\nint y(void) { return 10 / LIMIT; }\n',
        zc='#include "b.h"\nint z(void);\nint z(void) { int limit = LIMIT; return 10 / limit; }\n',
    )
    (upstream / "x.py").write_text("\n", encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "main", str(upstream))
    git(upstream, "add", "-A")
    git(upstream, "commit", "-q", "-m", "first")
    git(tmp_path, "clone", "-q", str(upstream), "clone")
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setattr(lint, "RECENT_COMMITS", 3)
    monkeypatch.setattr(lint, "CLANG_TIDY", ROOT / lint.CLANG_TIDY)
    return tmp_path / "clone"


def commit(clone: Path, *subjects: str) -> None:
    """Commit what has changed, then commits that change nothing."""
    for subject in subjects:
        git(clone, "commit", "-q", "-a", "--allow-empty", "-m", subject)


def build(clone: Path, *names: str, directory: str = "build") -> None:
    """Compile some sources, as a build of the tree does, in a directory of its own."""
    place = clone / directory
    place.mkdir(parents=True)
    up = "/".join([".."] * len(Path(directory).parts))
    edges = "".join(f"build {name}.o: cc {up}/native/{name}\n" for name in names)
    (place / "build.ninja").write_text(
        "rule cc\n command = cc -MD -MF $out.d -o $out -c $in\n depfile = $out.d\n deps = gcc\n"
        + edges,
        encoding="utf-8",
    )
    subprocess.run(["ninja", "-C", place], check=True, capture_output=True, timeout=60)
    listed = subprocess.run(
        ["ninja", "-C", place, "-t", "compdb", "cc"], check=True, capture_output=True, timeout=60
    )
    (place / "compile_commands.json").write_bytes(listed.stdout)


def tidied(lint: ModuleType, *, is_whole: bool = False) -> str:
    """What clang-tidy says of a build; empty where it is clean."""
    report = lint.run_clang_tidy(lint.find_files(is_whole=is_whole))
    assert report.is_clean == (not report.output)
    return str(report.output)


SEEN = "native/y.c:3:25: error: division by zero is undefined"
ANALYZED = "native/z.c:3:44: error: Division by zero"


@pytest.mark.parametrize(("newer_commits", "is_found"), [(2, True), (3, False)])
def test_finding_of_a_recent_commit_is_found_in_every_user_of_a_changed_header(
    lint: ModuleType, clone: Path, newer_commits: int, is_found: bool
) -> None:
    write(clone, bh="#define LIMIT 0\n")
    # Three commits are recent: the one that plants it and two newer ones, or three newer ones.
    commit(clone, "plant", *["newer"] * newer_commits)
    build(clone, "a.c", "b.c", "y.c", "z.c")
    assert (SEEN in tidied(lint)) is is_found
    whole = tidied(lint, is_whole=True)
    assert SEEN in whole
    assert ANALYZED in whole


def test_analyzer_reads_sources_that_changed_themselves(lint: ModuleType, clone: Path) -> None:
    write(clone, bh="#define LIMIT 0\n")
    commit(clone, "plant", "newer", "newer")
    build(clone, "y.c", "z.c")
    found = tidied(lint)
    assert (SEEN in found, ANALYZED in found) == (True, False)
    with (clone / "native" / "z.c").open("a", encoding="utf-8") as file:
        file.write("/* changed */\n")
    found = tidied(lint)
    assert (SEEN in found, ANALYZED in found) == (True, True)


def test_analyzer_reads_what_was_clean_without_it(lint: ModuleType, clone: Path) -> None:
    write(clone, bh="#define LIMIT 0\n")
    commit(clone, "plant", "newer", "newer")
    build(clone, "z.c")
    for _ in range(2):
        assert tidied(lint) == ""
        assert ANALYZED in tidied(lint, is_whole=True)


def test_finding_is_found_in_a_source_that_only_an_optional_set_compiles(
    lint: ModuleType, clone: Path
) -> None:
    write(clone, bh="#define LIMIT 0\n")
    commit(clone, "plant")
    build(clone, "a.c", "b.c")
    build(clone, "b.c", "y.c", directory="build/sets/sim")
    assert SEEN in tidied(lint)


def test_finding_is_found_in_a_user_that_no_build_has_compiled(
    lint: ModuleType, clone: Path
) -> None:
    write(clone, bh="#define LIMIT 0\n")
    commit(clone, "plant")
    build(clone, "a.c", "b.c", "y.c")
    (clone / "build" / ".ninja_deps").unlink()
    assert SEEN in tidied(lint)


def test_oldest_commit_of_a_shallow_clone_counts_as_one_that_adds_all_files(
    lint: ModuleType, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(clone, "second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{clone}", "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    assert {"native/a.c", "native/z.c", "x.py"} <= lint.find_files(is_whole=False).recent


def test_committed_uncommitted_and_new_files_have_changed(lint: ModuleType, clone: Path) -> None:
    # Two commits that change nothing put the first one, which adds all, out of the last three.
    (clone / "x.py").write_text("x = 1\n", encoding="utf-8")
    commit(clone, "second", "empty", "empty")
    (clone / "native" / "a.c").write_text("int a;\n", encoding="utf-8")
    (clone / "new.c").write_text("\n", encoding="utf-8")
    assert lint.find_files(is_whole=False).recent == {"x.py", "native/a.c", "new.c"}


def head(clone: Path) -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=clone, capture_output=True, check=True
    )
    return found.stdout.decode().strip()


def test_all_since_the_newest_commit_that_was_read_as_a_whole_has_changed(
    lint: ModuleType, clone: Path
) -> None:
    (clone / "x.py").write_text("x = 1\n", encoding="utf-8")
    commit(clone, "read as a whole")
    whole = head(clone)
    write(clone, ac="int a;\n")
    commit(clone, "plant", *["newer"] * 3)
    failed = head(clone)
    (clone / "docs").mkdir()
    # Rows without a finding count, of commits that this history has.
    (clone / lint.LEDGER).write_text(
        f"| stage | run | commit | date | processor time (s) | time (s) | result | machine |\n"
        f"| tidy | first | {whole} | 2026-01-01 | 1.0 | 1.0 | ok | 2 × A |\n"
        f"| tidy | later | {failed} | 2026-01-02 | 1.0 | 1.0 | FAILED | 2 × A |\n"
        f"| lint | later | {failed} | 2026-01-02 | 1.0 | 1.0 | ok | 2 × A |\n"
        f"| tidy | first | 12345678 | 2026-01-03 | 1.0 | 1.0 | ok | 2 × A |\n",
        encoding="utf-8",
    )
    assert lint.tidied_commit() == whole
    assert lint.find_files(is_whole=False).recent == {"native/a.c", str(lint.LEDGER)}


@pytest.mark.usefixtures("clone")
def test_whole_run_looks_at_what_did_not_change(lint: ModuleType) -> None:
    assert lint.find_files(is_whole=True).recent is None


# b.h is included by all of them; c.h by c.c alone.
INCLUDES = {
    "native/a.c": {"native/a.c", "native/b.h"},
    "native/b.c": {"native/b.c", "native/b.h"},
    "native/c.c": {"native/c.c", "native/b.h", "native/c.h", "native/c.def"},
}


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ((), ()),
        (("x.py", "docs/b.h.md"), ()),
        (("native/a.c",), ("native/a.c",)),
        (("native/b.h",), tuple(INCLUDES)),
        (("native/c.h",), ("native/c.c",)),
        # A table that a source includes is none of the known suffixes.
        (("native/c.def",), ("native/c.c",)),
        (("native/c.h", "native/a.c"), ("native/a.c", "native/c.c")),
        ((".clang-tidy",), tuple(INCLUDES)),
        # Another version of clang-tidy may find more.
        (("deps/python/check.in",), tuple(INCLUDES)),
        (("native/.clang-tidy",), tuple(INCLUDES)),
        # Settings of a folder hold below it.
        (("fuzz/.clang-tidy",), ()),
    ],
)
def test_every_changed_source_and_user_of_a_changed_header_is_chosen(
    lint: ModuleType, changed: tuple[str, ...], chosen: tuple[str, ...]
) -> None:
    units = {
        source: lint.Unit({}, frozenset(str(Path(name).absolute()) for name in names))
        for source, names in INCLUDES.items()
    }
    assert lint.recent_units(units, frozenset(changed)) == set(chosen)


@pytest.mark.parametrize(
    ("changed", "analyzed"),
    [
        (("native/b.h",), ()),
        (("native/c.h", "native/a.c"), ("native/a.c",)),
        (("native/.clang-tidy",), tuple(INCLUDES)),
        (("fuzz/.clang-tidy",), ()),
    ],
)
def test_every_changed_source_is_analyzed(
    lint: ModuleType, changed: tuple[str, ...], analyzed: tuple[str, ...]
) -> None:
    units = {source: lint.Unit({}, frozenset()) for source in INCLUDES}
    assert lint.changed_units(units, frozenset(changed)) == set(analyzed)


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
    units = lint.units_of_builds(lint.find_files(is_whole=True))
    if not any("laxity-workingset" in unit.entry["output"] for unit in units.values()):
        pytest.skip("no LLVM 19 in this build")
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "workingset").rglob("*.cpp")}
    assert sources <= set(units)
