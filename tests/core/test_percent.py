# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Percentages: parts per million, exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.core.percent import format_percent, parse_percent
from laxity.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "parts_per_million"),
    [
        ("0%", 0),
        ("50%", 500_000),
        ("6.25%", 62_500),
        ("66.6667%", 666_667),
        ("0.0001%", 1),
        ("100%", 1_000_000),
    ],
)
def test_percentage_is_parts_per_million(text: str, parts_per_million: int):
    assert parse_percent(text) == parts_per_million
    assert format_percent(parts_per_million) == text


@pytest.mark.parametrize("text", ["", "%", "50", "0.5", ".5%", "50.%", "-1%", "1.00001%", "1e1%"])
def test_what_is_no_percentage_is_refused(text: str):
    with pytest.raises(ConfigError, match="is no percentage"):
        parse_percent(text)


@given(st.integers(0, 10**10))
def test_what_is_written_reads_back(parts_per_million: int):
    assert parse_percent(format_percent(parts_per_million)) == parts_per_million
