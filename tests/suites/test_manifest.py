# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The manifest of a suite as a user writes it: what is taken, what is refused and how."""

import pytest

from laxity.errors import ConfigError
from laxity.suites.manifest import (
    MANIFEST_MEMBERS,
    BuildTable,
    ProgramTable,
    SizeTable,
    SuiteTable,
    read_manifest,
)

HEAD = "schema = 1\n"
PROGRAM = HEAD + '[[program]]\nname = "p"\n'


def refused(text: str) -> str:
    """Say why a manifest is refused."""
    with pytest.raises(ConfigError) as error:
        read_manifest(text.encode())
    return str(error.value)


def test_a_manifest_that_says_nothing_is_one():
    manifest = read_manifest(HEAD.encode())
    assert (manifest.folders, manifest.programs) == (None, ())


def test_sizes_stay_in_the_order_of_the_file():
    manifest = read_manifest((PROGRAM + "[program.sizes.b]\n[program.sizes.a]\n").encode())
    assert list(manifest.programs[0].sizes) == ["b", "a"]


def test_programs_are_discovered_nowhere_if_the_list_of_folders_is_empty():
    assert read_manifest((HEAD + "[suite]\nfolders = []\n").encode()).folders == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[suite]\n", "schema is missing"),
        ("schema = 2\n", "schema is 2"),
        (HEAD + "[suit]\n", 'unknown key "suit"; did you mean "suite"?'),
        (HEAD + "suite = 1\n", "suite is not a table"),
        (HEAD + '[suite]\ncflag = ["-O3"]\n', '[suite]: unknown key "cflag"; did you mean'),
        (HEAD + '[suite]\ncflags = "-O3"\n', "[suite]: cflags is a text, not a list"),
        (HEAD + "[program]\n", "program is not an array of tables"),
        (HEAD + "[[program]]\n", "program 0: "),
        (PROGRAM + 'argz = ["-s"]\n', 'program "p": unknown key "argz"; did you mean "args"?'),
        (PROGRAM + "exit_code = 256\n", 'program "p": exit_code 256 is not between 0 and 255'),
        (PROGRAM + "exit_code = -1\n", "exit_code -1 is not between 0 and 255"),
        (PROGRAM + "check = 2147483648\n", "does not fit into an int of C"),
        (PROGRAM + "check = true\n", "check is"),
        (PROGRAM + 'output_filter = ""\n', "output_filter is empty"),
        (PROGRAM + 'std = "gnu 89"\n', "is no standard of C"),
        (PROGRAM + 'libs = ["-lm"]\n', "is no name of a library"),
        (PROGRAM + 'sources = ["a.c"]\n', "sources without a folder"),
        (PROGRAM + 'folder = "f"\nsources = []\n', "sources is empty"),
        (PROGRAM + 'roi = [["begin"]]\n', "is not a begin and an end"),
        (PROGRAM + 'roi_check = "a b"\n', '"a b" is no function of C'),
        (PROGRAM + '[[program]]\nname = "p"\n', 'program "p": stands there twice'),
        (HEAD + '[[program]]\nname = "a/b"\n', 'name "a/b" is not usable in paths'),
        (PROGRAM + '[program.sizes."a b"]\n', 'size "a b" is not usable in paths'),
        (PROGRAM + '[program.sizes.small]\nargs = "x"\n', "sizes.small: args is a text"),
        (PROGRAM + '[program.target.arm]\nargs = ["x"]\n', 'target.arm: unknown key "args"'),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(text: str, reason: str):
    assert reason in refused(text)


@pytest.mark.parametrize("value", [2**31 - 1, -(2**31)])
def test_a_check_may_return_whatever_an_int_of_c_holds(value: int):
    manifest = read_manifest(f"{PROGRAM}check = {value}\n".encode())
    assert manifest.programs[0].table.check == value


def test_every_key_is_explained_and_every_explained_key_is_one():
    kinds = {
        "suite": (SuiteTable, {"sizes", "target"}),
        "suite.sizes.NAME": (SizeTable, set()),
        "suite.target.MACHINE": (BuildTable, set()),
        "program[]": (ProgramTable, {"sizes", "target"}),
        "program[].sizes.NAME": (SizeTable, set()),
        "program[].target.MACHINE": (BuildTable, set()),
    }
    keys = {
        f"{table}.{key}"
        for table, (kind, tables) in kinds.items()
        for key in set(kind.__struct_fields__) - tables
    }
    assert {one.name for one in MANIFEST_MEMBERS} == {"schema", *keys}
