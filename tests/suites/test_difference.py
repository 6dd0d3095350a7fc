# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The first place where two outputs differ, in words."""

import pytest

from laxity.suites.difference import first_difference


@pytest.mark.parametrize(
    ("got", "expected", "words"),
    [
        (b"1\n2\n", b"1\n3\n", 'line 2 is "2", there "3"'),
        (b"1\n", b"1\n3\n", 'line 2 is not there, there "3"'),
        # The line ends here, and goes on there.
        (b"12", b"123", 'line 1 is "12", there "123"'),
        (b"", b"x", 'line 1 is not there, there "x"'),
        # What a terminal would obey is written out.
        (b"\x1b[2Ja", b"\x1b[2Jb", r'line 1 is "\x1b[2Ja", there "\x1b[2Jb"'),
        # No text: bytes, counted from 0.
        (b"ab\0c", b"ab\0d", "byte 3 is 0x63, there 0x64"),
        (b"ab\xff\0", b"ab\xff", "byte 3 is 0x00, there not there"),
        # The letter of two bytes at its end is cut: text all the same.
        ("aü".encode()[:-1], b"ab", 'line 1 is "a\\ufffd", there "ab"'),
    ],
)
def test_the_first_line_of_texts_and_the_first_byte_of_others_is_told(
    got: bytes, expected: bytes, words: str
):
    assert first_difference(got, expected, "there") == words


def test_of_a_long_line_60_letters_around_the_difference_are_shown():
    # 24 letters stand before the one that differs.
    words = first_difference(b"a" * 100 + b"x" + b"b" * 100, b"a" * 201, "there")
    assert words == f'line 1 is "...{"a" * 24}x{"b" * 35}...", there "...{"a" * 60}..."'
