# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Figures as inline SVG: ids, colours, sizes, and data that has hardly any extent."""

import re

import numpy as np
import pytest

from laxity.page import figures
from laxity.page.figures import Labelled, Part, RateLine, Series
from laxity.page.svg import INK
from laxity.statistics import distribution

MARK = re.compile(r"#0102[0-9a-f]{2}")


def _labelled(*values: int) -> list[Labelled]:
    return [Labelled(distribution.from_samples(np.array(values)), "alone")]


def _series(*values: float, missed: bool = False) -> Series:
    n = len(values)
    return Series(
        np.arange(n, dtype=np.float64) * 1e6,
        np.array(values, dtype=float),
        np.full(n, missed),
        np.array([]),
    )


def test_ids_carry_the_prefix_and_every_reference_has_its_target():
    svg = figures.histogram(_labelled(1, 5, 900), "response time", 1000, "fig", "alt")
    ids = re.findall(r' id="([^"]+)"', svg)
    assert ids
    assert all(one.startswith("fig-") for one in ids)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) == set(ids)


def test_no_colour_font_or_style_sheet_of_matplotlib_reaches_the_page():
    svg = figures.series(_series(1e3, 2e3, 9e5), "response time", 5000, "fig", "alt")
    assert MARK.search(svg) is None
    assert "var(--fig-alone)" in svg
    for word in ("<style", "font-family", "DejaVu", "<metadata", "<!--", "#000000", "#ffffff"):
        assert word not in svg
    assert len(set(INK.values())) == len(INK)


def test_alternative_text_is_escaped():
    svg = figures.tail(_labelled(1, 2), "response time", None, "fig", 'a "b" <c> & d')
    assert 'aria-label="a &quot;b&quot; &lt;c> &amp; d"' in svg


def test_characters_that_our_font_lacks_are_written_without_a_warning():
    svg = figures.tail(_labelled(1, 2), "制御", None, "fig", "alt")
    assert "制御" in svg


def test_the_same_data_give_the_same_drawing():
    first, second = (
        figures.tail(_labelled(3, 7, 7), "response time", None, "fig", "alt") for _ in range(2)
    )
    assert first == second


def test_a_hundred_thousand_jobs_stay_below_a_hundred_and_fifty_kilobytes():
    values = np.random.default_rng(3).lognormal(10, 1, 100_000)
    data = Series(np.linspace(0, 1e11, 100_000), values, values > 60_000, np.arange(0, 1e11, 1e7))
    svg = figures.series(data, "response time", 60_000, "fig", "alt")
    assert len(svg) < 150_000


@pytest.mark.parametrize(
    "values", [(5000,), (0,), (0, 0, 0), (-1, 5), (7, 7, 8), (1, 10**12), (10**15, 10**15 + 1)]
)
@pytest.mark.parametrize("deadline_ns", [None, 0, 6000])
def test_data_with_hardly_any_extent_can_be_drawn(values: tuple[int, ...], deadline_ns: int | None):
    for draw in (figures.histogram, figures.tail):
        assert draw(_labelled(*values), "x", deadline_ns, "fig", "alt").startswith("<svg")
    svg = figures.series(_series(*values, missed=True), "x", deadline_ns, "fig", "alt")
    assert "nan" not in svg


def test_two_distributions_are_told_apart_without_colour():
    both = [*_labelled(1, 2, 3), Labelled(_labelled(2, 4, 6)[0].samples, "interfered", "b")]
    assert "stroke-dasharray" in figures.tail(both, "x", None, "fig", "alt")


@pytest.mark.parametrize("per_s", [(0.0, 0.0), (3e9, 0.0), (-1.0, 2.0)])
def test_rates_are_told_apart_without_colour_and_the_bars_of_jobs_lie_below(
    per_s: tuple[float, float],
):
    edges_ns = np.array([0.0, 1e6, 5e6])
    lines = [RateLine(name, edges_ns, np.array(per_s)) for name in ("read", "written")]
    spans_ns = np.array([[1e5, 2e6], [3e6, 3e6]])
    svg = figures.rates(lines, [spans_ns], "memory traffic", "B/s", "fig", "alt")
    assert svg.count("stroke-dasharray") > figures.rates(
        lines[:1], [spans_ns], "memory traffic", "B/s", "fig", "alt"
    ).count("stroke-dasharray")
    assert "var(--fig-skipped)" in svg
    assert "nan" not in svg


def test_parts_below_zero_have_no_length_and_a_bar_of_nothing_is_drawn():
    parts = [Part("a", "latency", 0.0), Part("b", "execution", -5.0)]
    assert figures.split_bars([("mean", parts)], "fig", "alt").startswith("<svg")


@pytest.mark.parametrize(("deadline_ns", "is_drawn"), [(None, False), (200, True), (201, False)])
def test_deadline_is_drawn_up_to_twice_the_largest_sample(deadline_ns: int | None, is_drawn: bool):
    assert figures.is_deadline_drawn(_labelled(50, 100), deadline_ns) is is_drawn
