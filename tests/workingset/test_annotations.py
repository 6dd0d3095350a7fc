# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Annotations of `laxity workingset` as a user writes them: what is taken, what is refused."""

import pytest

from laxity.errors import ConfigError
from laxity.workingset.annotations import Annotations, ObjectBound, read_annotations

HEAD = "schema = 1\n"


def refused(text: str) -> str:
    """Say why annotations are refused."""
    with pytest.raises(ConfigError) as error:
        read_annotations(text.encode())
    return str(error.value)


def test_everything_that_can_be_said_is_read():
    text = """schema = 1
[recursion]
fib = 12
[objects]
"main:malloc:0" = { instances = 3 }
"main:0:v" = { instances = 1, bytes = 40 }
[threads]
shared = ["queue"]
[devices]
registers = []
buffers = [{ object = "ring", device = "both" }, { object = "received", device = "writes" }]
"""
    assert read_annotations(text.encode()) == Annotations(
        recursion={"fib": 12},
        objects={
            "main:malloc:0": ObjectBound(instances=3),
            "main:0:v": ObjectBound(instances=1, bytes=40),
        },
        shared=["queue"],
        registers=[],
        buffers={"ring": "both", "received": "writes"},
    )


def test_sharing_nothing_is_not_the_same_as_saying_nothing_about_it():
    assert read_annotations(HEAD.encode()).shared is None
    assert read_annotations((HEAD + "[threads]\nshared = []\n").encode()).shared == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[recursion]\n", "schema is missing"),
        (HEAD + "[recursions]\n", 'unknown key "recursions"; did you mean "recursion"?'),
        (HEAD + "recursion = 3\n", "recursion is not a table; write [recursion]"),
        (HEAD + "[recursion]\nfib = 0\n", "fib"),
        (HEAD + "[recursion]\nfib = 2.5\n", "fib"),
        (HEAD + "[recursion]\nfib = 4294967297\n", "fib"),
        (HEAD + '[objects]\n"h" = {}\n', '"h": says nothing'),
        (HEAD + '[objects]\n"h" = 3\n', '"h": says nothing'),
        (HEAD + '[objects]\n"h" = { blocks = 3 }\n', "blocks"),
        (HEAD + '[threads]\nshare = ["q"]\n', '[threads]: unknown key "share"'),
        (HEAD + '[threads]\nshared = "q"\n', "shared"),
        (HEAD + '[devices]\nregister = ["q"]\n', '[devices]: unknown key "register"'),
        (HEAD + '[devices]\nbuffers = ["q"]\n', "buffers: is no list of tables"),
        (HEAD + '[devices]\nbuffers = [{ object = "q" }]\n', "names no object, or no use"),
        (HEAD + '[devices]\nbuffers = [{ object = "q", device = "eats" }]\n', "no use"),
        (HEAD + '[devices]\nbuffers = [{ object = 1, device = "reads" }]\n', "no object"),
        (
            HEAD + '[devices]\nbuffers = [{ object = "q", device = ["both"] }]\n',
            "names no object, or no use",
        ),
        (
            HEAD + '[devices]\nbuffers = [{ object = "q", device = "both", at = 1 }]\n',
            'unknown key "at"',
        ),
        (
            HEAD + "[devices]\nbuffers = [\n"
            '{ object = "q", device = "reads" }, { object = "q", device = "writes" }]\n',
            '"q" is there twice',
        ),
    ],
)
def test_what_is_refused_is_named(text: str, reason: str):
    assert reason in refused(text)
