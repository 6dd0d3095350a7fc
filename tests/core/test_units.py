# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Durations and sizes: the same rules as tests/native/base/test_units.c."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.core.units import (
    decimal_duration,
    exact_duration,
    exact_size,
    format_duration_ns,
    format_size_bytes,
    parse_duration_ns,
    parse_size_bytes,
    upper_size,
)
from laxity.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected_ns"),
    [
        ("0ns", 0),
        ("250ns", 250),
        ("50us", 50_000),
        ("1.5us", 1_500),
        ("0.001us", 1),
        ("10ms", 10_000_000),
        ("10s", 10_000_000_000),
        ("2m", 120_000_000_000),
        # 1.5 h = 5400 s
        ("1.5h", 5_400_000_000_000),
        ("9223372036854775807ns", 2**63 - 1),
    ],
)
def test_duration_with_unit_is_read_exactly(text: str, expected_ns: int):
    assert parse_duration_ns(text) == expected_ns


@pytest.mark.parametrize(
    "text",
    ["", "ms", "-1ms", "+1ms", " 1ms", "1 ms", "1ms ", "1.ms", ".5ms", "1e3ns", "1,5ms", "0x1ms"],
)
def test_text_that_is_no_duration_is_refused_with_an_example(text: str):
    with pytest.raises(ConfigError, match=r"is not a number with a unit; write for example 10ms"):
        parse_duration_ns(text)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("10", "write 10ms or 10s"),
        (10, "write 10ms or 10s"),
        (1.5, "write 1.5ms or 1.5s"),
        # Neither 1000 s nor 100 ns is likely.
        ("0.1", "write 0.1ms or 0.1s"),
        ("5000", "write 5000ms or 5000us"),
        ("10000000", "write 10000000us or 10000000ns"),
        ("0", "write for example 10ms"),
        ("1000000000000000000", "write for example 10ms"),
    ],
)
def test_plain_number_is_refused_and_told_the_unit(value: object, hint: str):
    with pytest.raises(ConfigError, match=rf"has no unit; {hint}"):
        parse_duration_ns(value)


def test_unknown_unit_is_refused_with_the_list():
    with pytest.raises(
        ConfigError, match=r'"10sheep" has the unknown unit "sheep"; use one of ns us ms'
    ):
        parse_duration_ns("10sheep")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10msec", "10ms"),
        ("10µs", "10us"),
        ("7seconds", "7s"),
        ("3min", "3m"),
        ("2hrs", "2h"),
        ("64KB", "64kB or 64KiB"),
        ("64K", "64kB or 64KiB"),
        ("1mib", "1MB or 1MiB"),
    ],
)
def test_a_unit_as_others_write_it_is_told_as_we_do(text: str, said: str):
    read = parse_size_bytes if text[-1] in "KBb" else parse_duration_ns
    with pytest.raises(ConfigError, match=rf"has the unknown unit .*; write {said}$"):
        read(text)


def test_unit_is_case_sensitive():
    with pytest.raises(ConfigError, match=r'unknown unit "MS"'):
        parse_duration_ns("10MS")


def test_part_of_a_nanosecond_is_refused():
    # 0.3 ns is no whole number of ns; 0.3 us = 300 ns is.
    assert parse_duration_ns("0.3us") == 300
    with pytest.raises(ConfigError, match=r'"0.3ns" is no whole number of ns'):
        parse_duration_ns("0.3ns")


def test_tiny_part_beyond_28_digits_is_not_rounded_away():
    with pytest.raises(ConfigError, match=r"no whole number of ns"):
        parse_duration_ns("1.00000000000000000000000000000000001ns")


def test_largest_duration_fits_and_one_more_does_not():
    assert parse_duration_ns("9223372036854775807ns") == 2**63 - 1
    with pytest.raises(ConfigError, match=r"longer than 292 years"):
        parse_duration_ns("9223372036854775808ns")


@pytest.mark.parametrize("value", [None, True, ["10ms"], {}, "1" * 41 + "s"])
def test_other_things_are_refused_not_crashed_on(value: object):
    with pytest.raises(ConfigError, match=r"is not a number with a unit"):
        parse_duration_ns(value)


@pytest.mark.parametrize(
    ("text", "expected_bytes"),
    [
        ("128B", 128),
        ("64KiB", 65_536),
        ("1.5KiB", 1_536),
        ("500kB", 500_000),
        ("1MB", 1_000_000),
        ("1MiB", 1_048_576),
        ("2GiB", 2_147_483_648),
        ("18446744073709551615B", 2**64 - 1),
    ],
)
def test_size_with_unit_is_read_exactly(text: str, expected_bytes: int):
    assert parse_size_bytes(text) == expected_bytes


def test_largest_size_fits_and_one_more_does_not():
    assert parse_size_bytes("18446744073709551615B") == 2**64 - 1
    with pytest.raises(ConfigError, match=r"more than 16 EiB"):
        parse_size_bytes("18446744073709551616B")


def test_size_without_unit_is_told_the_unit():
    with pytest.raises(ConfigError, match=r'"64" has no unit; write 64KiB'):
        parse_size_bytes("64")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("1023", "1023KiB"),
        ("1024", "1KiB"),
        ("32768", "32KiB"),
        (32768, "32KiB"),
        ("4000", "4000B"),
    ],
)
def test_number_of_bytes_is_not_told_a_unit_that_makes_it_1024_times_as_large(
    number: object, said: str
):
    with pytest.raises(ConfigError, match=rf"has no unit; write {said}$"):
        parse_size_bytes(number)


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_exact_duration_reads_back_to_the_same_number(duration_ns: int):
    assert parse_duration_ns(exact_duration(duration_ns)) == duration_ns


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_exact_size_reads_back_to_the_same_number(size_bytes: int):
    assert parse_size_bytes(exact_size(size_bytes)) == size_bytes


@given(st.text(max_size=50))
def test_any_text_is_a_duration_or_refused(text: str):
    with suppress(ConfigError):
        assert parse_duration_ns(text) >= 0


@pytest.mark.parametrize(
    ("duration_ns", "expected"),
    [(0, "0ns"), (1, "1ns"), (1_000, "1us"), (5_000_000, "5ms"), (90_000_000_000, "90s")],
)
def test_exact_duration_uses_the_largest_unit_that_divides(duration_ns: int, expected: str):
    assert exact_duration(duration_ns) == expected


@pytest.mark.parametrize(
    ("duration_ns", "expected"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_000, "1 µs"),
        (1_234, "1.23 µs"),
        (12_345, "12.3 µs"),
        (123_456, "123 µs"),
        (9_996, "10.0 µs"),
        (1_500_000, "1.50 ms"),
        (2_000_000_000, "2 s"),
        (-1_234, "-1.23 µs"),
        (0.5, "0.50 ns"),
    ],
)
def test_shown_duration_has_three_digits_and_a_fitting_unit(duration_ns: int, expected: str):
    assert format_duration_ns(duration_ns) == expected


@pytest.mark.parametrize(
    ("size_bytes", "expected"),
    [(0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_536, "1.50 KiB"), (2**30, "1 GiB")],
)
def test_shown_size_has_three_digits_and_a_fitting_unit(size_bytes: int, expected: str):
    assert format_size_bytes(size_bytes) == expected


@pytest.mark.parametrize(
    ("duration_ns", "text"),
    [(0, "0ns"), (999, "999ns"), (1_000, "1us"), (49_677, "49.677us"), (2_500_000_000, "2.5s")],
)
def test_figure_in_a_message_is_exact_in_the_unit_that_fits(duration_ns: int, text: str):
    assert decimal_duration(duration_ns) == text
    assert parse_duration_ns(text) == duration_ns


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    # 10289 / 1024 = 10.048: "10.0 KiB" is no upper limit.
    [(10, "10 B"), (1024, "1 KiB"), (1025, "1.01 KiB"), (10289, "10.1 KiB"), (131072, "128 KiB")],
)
def test_a_size_that_bounds_is_rounded_up(size_bytes: int, shown: str):
    assert upper_size(size_bytes) == shown
