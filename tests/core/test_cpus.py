# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sets of CPUs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.core.cpus import format_cpus, parse_cpus
from laxity.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", (0,)),
        ("0-1,3", (0, 1, 3)),
        ("3,0-1", (0, 1, 3)),
        ("2-2", (2,)),
        ("1,1,0-1", (0, 1)),
        ("8191", (8191,)),
    ],
)
def test_list_of_cpus_is_read_in_ascending_order(text: str, expected: tuple[int, ...]):
    assert parse_cpus(text) == expected


@pytest.mark.parametrize(
    "text", ["", ",", "0,", "-1", "0-", "a", "0 1", " 0", "0x1", "0--1", "1-2-3"]
)
def test_text_that_is_no_list_of_cpus_is_refused(text: str):
    with pytest.raises(ConfigError, match=r"is not a list of CPUs; write for example 0-1,3"):
        parse_cpus(text)


def test_descending_range_is_refused_with_the_ascending_one():
    with pytest.raises(ConfigError, match=r"descending range 3-1; write 1-3"):
        parse_cpus("0,3-1")


def test_cpu_beyond_what_linux_has_is_refused_before_it_fills_memory():
    assert parse_cpus("8190-8191") == (8190, 8191)
    with pytest.raises(ConfigError, match=r"names CPU 8192; Linux numbers CPUs up to 8191"):
        parse_cpus("0-8192")
    with pytest.raises(ConfigError, match=r"names CPU 999999999"):
        parse_cpus("0-999999999")


def test_number_from_toml_is_refused_with_the_string():
    with pytest.raises(
        ConfigError, match=r'1 is not a list of CPUs; write a string such as "0-1,3"'
    ):
        parse_cpus(1)


@pytest.mark.parametrize(
    ("cpus", "expected"),
    [((), ""), ((0,), "0"), ((0, 1), "0-1"), ((0, 1, 3), "0-1,3"), ((3, 1, 0), "0-1,3")],
)
def test_cpus_are_written_in_the_shortest_form(cpus: tuple[int, ...], expected: str):
    assert format_cpus(cpus) == expected


@given(st.sets(st.integers(min_value=0, max_value=200), min_size=1))
def test_written_cpus_read_back_to_the_same_set(cpus: set[int]):
    assert parse_cpus(format_cpus(cpus)) == tuple(sorted(cpus))
