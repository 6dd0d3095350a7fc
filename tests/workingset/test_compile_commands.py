# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Compilation databases."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from laxity.errors import ConfigError
from laxity.workingset.compile_commands import read_compile_commands


def database(root: Path, *entries: Mapping[str, object]) -> Path:
    """Write a database."""
    path = root / "compile_commands.json"
    path.write_text(json.dumps(entries))
    return path


def test_words_that_change_a_source_s_meaning_are_kept_and_the_others_dropped(tmp_path: Path):
    words = "cc -DN=3 -I../include -std=gnu99 -O2 -g -MD -MF a.d -Wall -c a.c -o a.o -m32"
    path = database(tmp_path, {"directory": "build", "file": "a.c", "command": words})
    (one,) = read_compile_commands(path)
    assert one.words == ("-DN=3", "-I../include", "-std=gnu99", "-m32")
    assert one.directory == (tmp_path / "build").resolve()
    assert one.source == (tmp_path / "build" / "a.c").resolve()


def test_a_source_is_dropped_however_the_command_names_it(tmp_path: Path):
    (tmp_path / "build").mkdir()
    entry = {"directory": str(tmp_path / "build"), "file": str(tmp_path / "a.c")}
    for name in ("../a.c", str(tmp_path / "a.c"), "../build/../a.c"):
        words = ["/usr/bin/cc", "-DA", "-include", "config.h", "-c", name]
        (one,) = read_compile_commands(database(tmp_path, {**entry, "arguments": words}))
        assert one.words == ("-DA", "-include", "config.h")


def test_what_starts_the_compiler_is_no_word_of_a_source(tmp_path: Path):
    words = "/usr/bin/ccache distcc /usr/bin/cc -DA -c a.c"
    path = database(tmp_path, {"directory": ".", "file": "a.c", "command": words})
    (one,) = read_compile_commands(path)
    assert one.words == ("-DA",)


def test_the_first_entry_of_a_source_counts(tmp_path: Path):
    entry = {"directory": str(tmp_path), "file": "a.c"}
    first = {**entry, "arguments": ["cc", "-DA", "a.c"]}
    second = {**entry, "arguments": ["cc", "-DB", "a.c"]}
    (one,) = read_compile_commands(database(tmp_path, first, second))
    assert one.words == ("-DA",)


NESTED = f'[{{"directory": "", "file": "a.c", "more": {"[" * 100_000}{"]" * 100_000}}}]'
ZERO = '[{"directory": "build\\u0000", "file": "a.c", "command": "cc a.c"}]'


@pytest.mark.parametrize(
    "text",
    ["", "{}", '[{"file": "a.c"}]', "[]", NESTED, ZERO],
    ids=["nothing", "a table", "no directory", "no source", "deeply nested", "a zero byte"],
)
def test_what_is_no_database_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match="--compile-commands"):
        read_compile_commands(path)


def test_a_missing_database_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="no such file"):
        read_compile_commands(tmp_path / "nowhere.json")
