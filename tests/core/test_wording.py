# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Errors of decoders in plain words."""

import msgspec
import pytest

from laxity.core.spec import TaskTable
from laxity.core.wording import plain_words
from laxity.store.manifest import Clock, Counter
from laxity.store.native import Native


def words_of(data: object, kind: type) -> str:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(data, kind, strict=True)
    return plain_words(caught.value)


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        ({"priority": "90"}, TaskTable, "priority is a text, not a whole number"),
        ({"args": "64KiB"}, TaskTable, "args is a text, not a list"),
        ({"args": ["a", 1]}, TaskTable, "args[1] is a whole number, not a text"),
        ([], TaskTable, "the whole is a list, not a table"),
        (
            {"name": "x", "rate_hz": "1"},
            Counter,
            "rate_hz is a text, not a number",
        ),
        ({}, Clock, 'table missing required field "name"'),
        ({"name": "x", "t0": 1}, Clock, 'table contains unknown field "t0"'),
        (
            {"clock": {"name": "x", "t0_ns": "1"}, "status": "failed", "exit_code": 0},
            Native,
            "clock.t0_ns is a text, not a whole number",
        ),
        (
            {"clock": {}, "status": "failed", "exit_code": 0},
            Native,
            'table missing required field "name" in clock',
        ),
    ],
)
def test_no_type_of_the_decoder_is_left(data: object, kind: type, words: str):
    assert words_of(data, kind) == words


def test_bytes_that_are_no_text_are_called_so():
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\xff".decode("utf-8")
    assert plain_words(caught.value) == "not UTF-8 text"
