# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What rt-app's files have beyond JSON: read, and nothing else."""

import pytest

from laxity.errors import ConfigError
from laxity.tasksets.rtapp_json import JsonTable, quoted, read_rtapp_json


def test_keys_keep_order_and_number():
    found = read_rtapp_json(b'{"run": 1, "lock": "m", "run": 2}')
    assert found.pairs == (("run", 1), ("lock", "m"), ("run", 2))


def test_comments_and_last_commas_are_passed_over():
    text = b'/* a "quoted" one\n, */ {"a": [1, 2, /* , */ ], // to the end }\n"b": {"c": 3,},}'
    assert read_rtapp_json(text).pairs == (("a", [1, 2]), ("b", JsonTable((("c", 3),))))


def test_texts_that_look_like_comments_and_commas_stay():
    text = rb'{"a": "/* \" */ // ,}", "b": ",]"}'
    assert read_rtapp_json(text).pairs == (("a", '/* " */ // ,}'), ("b", ",]"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "line 1 column 1"),
        (b"[]", "no object"),
        (b'{"a": 1 /* never closed }', "not JSON"),
        (b'{"a": 1} /*/', "not JSON"),
        (b'{"a": "never closed}', "not JSON"),
        (b'{"a": "\\', "not JSON"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": ,}', "not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_damaged_text_is_refused(text: bytes, why: str):
    with pytest.raises(ConfigError, match=why):
        read_rtapp_json(text)


def test_message_names_the_line_behind_comments():
    with pytest.raises(ConfigError, match="line 4 column"):
        read_rtapp_json(b'/* one\ntwo */ {\n"a": 1\n"b": 2}')


def test_megabyte_of_openings_is_refused_at_once():
    # Each opening searched to the end anew would be 10^11 steps.
    for piece in (b"/*", b'"\\', b'\\"', b"/"):
        with pytest.raises(ConfigError, match="not JSON"):
            read_rtapp_json(b"{" + piece * 500_000)


def test_foreign_text_is_shown_on_one_line_of_ascii():
    assert quoted("a\nb\u00e9\ud800") == '"a\\nb\\u00e9\\ud800"'
    assert quoted("a" * 63) == f'"{"a" * 63}"'
    assert quoted("a" * 64) == f'"{"a" * 63}..."'
