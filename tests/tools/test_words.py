# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""tools/words.py finds expressions in the texts of each language, and names the lines of a rise."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.cli.laxity_command import ROOT

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org")


@pytest.fixture(scope="module")
def words() -> ModuleType:
    """tools/words.py, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("words", ROOT / "tools" / "words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["words"] = module
    spec.loader.exec_module(module)
    return module


# Split, so that this file adds nothing to the counts.
TOLD, NOBODY, SO_OFTEN = "to" + "ld", "no" + "body", "so " + "often"
COMES, BY, ONE = "comes", "by", "on" + "e"


@pytest.mark.parametrize(
    ("file", "source", "found"),
    [
        ("python/a.py", f"told = 1  # {TOLD}\n", [("python comments", "told", 1)]),
        ("python/a.py", f'"""A.\n\nIs {TOLD}."""\n', [("python comments", "told", 3)]),
        ("python/a.py", f'x = "{TOLD}"\n', []),
        ("python/a.py", f'x = "was {TOLD}"\n', [("python strings", "told", 1)]),
        ("python/a.py", f'x = f"was {{{TOLD}}} here"\n', []),
        ("tests/a.py", f'x = "was {TOLD}"\n', []),
        # Python joins two strings, and a comment goes on in its next line; two values stay two.
        ("python/a.py", f'x = ("it {COMES} "\n "{BY} it")\n', [("python strings", "comes by", 2)]),
        ("python/a.py", f"# it {COMES}\n# {BY} it\n", [("python comments", "comes by", 2)]),
        ("python/a.py", f'x = ("it {COMES}", "{BY} it")\n', []),
        ("native/a.c", f"/* Is\n * {TOLD} */ int told;\n", [("c comments", "told", 2)]),
        ("native/a.c", f"/* it {COMES}\n * {BY} it */\n", [("c comments", "comes by", 2)]),
        (
            "native/a.c",
            f'f("is {TOLD}"); // {NOBODY}\n',
            [("c comments", "somebody", 1), ("c strings", "told", 1)],
        ),
        ("native/a.c", f"char q = '\"'; /* {TOLD} */\n", [("c comments", "told", 1)]),
        ("sim/a.cpp", f"// {SO_OFTEN}\n", [("c++ comments", "so often", 1)]),
        ("tools/a", f"#!/usr/bin/env bash\nsay {NOBODY}\n", [("shell", "somebody", 2)]),
        ("docs/a.md", f"It {COMES}\n{BY} it.\n", [("docs", "comes by", 2)]),
        ("schema/a.toml", f'help = "is {TOLD}"\n', [("tables", "told", 1)]),
        ("docs/a.md", f"that {ONE} of the roots; that {ONE} root\n", [("docs", "one", 1)]),
        # A word of its own, not a part of one.
        ("docs/a.md", f"re{TOLD} s{TOLD}\n", []),
        ("docs/a.md", "secure\n", []),
    ],
)
def test_expression_is_found_in_the_text_of_its_kind(
    words: ModuleType, file: str, source: str, found: list[tuple[str, str, int]]
) -> None:
    assert sorted((m.kind, m.pattern, m.line) for m in words.matches_of(file, source)) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("What is lost", 1),
        ("It ends. Of all", 1),
        ("It says What is lost", 0),
        ("what is lost", 0),
        ("Whatever", 0),
        ("Offset of it", 0),
    ],
)
def test_sentence_is_found_by_its_first_word(words: ModuleType, text: str, count: int) -> None:
    found = list(words.matches_of("python/a.py", f'x = "{text} here"\n'))
    assert [match.pattern for match in found] == ["What, Of"] * count


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=directory, check=True, capture_output=True, timeout=60
    )


@pytest.fixture
def tree(words: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose committed counts are 2 in the documents, both in the first lines."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "tools").mkdir()
    (tmp_path / "docs" / "a.md").write_text(f"{TOLD}\n{TOLD}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    assert words.main(["--fix"]) == 0
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def test_rise_names_the_added_lines_committed_or_not(
    words: ModuleType, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (tree / "docs" / "a.md").open("a", encoding="utf-8") as file:
        file.write(f"Plain.\n{TOLD}\n")
    git(tree, "commit", "-q", "-a", "-m", "second")
    (tree / "docs" / "b.md").write_text(f"\n{TOLD}\n", encoding="utf-8")
    assert words.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f'docs: "told" rose from 2 to 4; write: {words.PATTERNS["told"].instead}',
        "  docs/a.md:4",
        "  docs/b.md:2",
    ]


def test_another_pattern_in_a_kind_of_text_without_any_has_risen(
    words: ModuleType, tree: Path
) -> None:
    (tree / "a.py").write_text(f"# {TOLD}\n", encoding="utf-8")
    assert words.main([]) == 1


def test_lower_counts_are_written_and_bind_from_then_on(words: ModuleType, tree: Path) -> None:
    (tree / "docs" / "a.md").write_text(f"{TOLD}\n", encoding="utf-8")
    assert words.main(["--fix"]) == 0
    assert '"told" = 1\n' in (tree / "tools" / "words.toml").read_text(encoding="utf-8")
    git(tree, "commit", "-q", "-a", "-m", "second")
    (tree / "docs" / "a.md").write_text(f"{TOLD}\n{TOLD}\n", encoding="utf-8")
    assert words.main(["--fix"]) == 1


def test_count_that_was_raised_by_hand_does_not_count(words: ModuleType, tree: Path) -> None:
    counts = tree / "tools" / "words.toml"
    counts.write_text(counts.read_text(encoding="utf-8").replace("= 2", "= 3"), encoding="utf-8")
    (tree / "docs" / "a.md").write_text(f"{TOLD}\n" * 3, encoding="utf-8")
    assert words.main([]) == 1
    git(tree, "commit", "-q", "-a", "-m", "raise")
    assert words.main([]) == 1


def test_deleted_expressions_are_no_finding(words: ModuleType, tree: Path) -> None:
    (tree / "docs" / "a.md").unlink()
    assert words.main([]) == 0
