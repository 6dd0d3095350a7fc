# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a page shows of a sweep: which values become lines, and how the rest is taken together."""

from itertools import product

from laxity.sweep.figure import draw_pair
from laxity.sweep.section import caption_of, pair_data

# Two values of one axis, three of another, two of a third that no figure of the first two shows.
ROWS = [
    {"size": size, "cpus": cpus, "seed": seed, "v": size + 10 * len(cpus) + seed, "error": None}
    for size, cpus, seed in product((64, 1024, 2048), ("1", "1-2"), (0, 4))
]


def test_lines_are_of_the_axis_with_fewer_values():
    data = pair_data(ROWS, ("cpus", "size"), "v")
    assert (data.axis, data.other) == ("size", "cpus")
    assert data.places == (64, 1024, 2048)
    # The lower one of the two seeds: 64 + 10 * 1 + 0, and with three letters 64 + 10 * 3 + 0.
    assert [(line.label, line.values) for line in data.lines] == [
        ("1", (74, 1034, 2058)),
        ("1-2", (94, 1054, 2078)),
    ]


def test_missing_experiments_leave_gaps():
    rows = [row | {"v": None if row["size"] == 64 else row["v"]} for row in ROWS]
    data = pair_data(rows, ("size", "cpus"), "v")
    assert [line.values[0] for line in data.lines] == [None, None]
    assert "<svg" in draw_pair(data, "x", "v against size")
    assert pair_data([row | {"v": None} for row in ROWS], ("size", "cpus"), "v") is None


def test_single_axis_is_one_line_without_a_legend():
    data = pair_data(ROWS, ("cpus", ""), "v")
    # Six values each: of 74, 78, 1034, 1038, 2058, 2062 the lower one in the middle is 1034.
    assert [(line.label, line.values) for line in data.lines] == [("", (1034, 1054))]
    drawn = draw_pair(data, "x", "v against cpus")
    assert "1-2" in drawn


def test_times_have_their_unit():
    rows = [{"size": size, "t.exec_ns.max": size * 1_000_000, "error": None} for size in (1, 2, 3)]
    drawn = draw_pair(pair_data(rows, ("size", ""), "t.exec_ns.max"), "x", "times")
    assert "t.exec_ns.max (ms)" in drawn


def test_of_more_lines_than_can_be_told_apart_some_are_drawn_and_it_is_said():
    rows = [
        {"size": size, "r": r, "v": size + r, "error": None}
        for size, r in product(range(20), range(11))
    ]
    data = pair_data(rows, ("size", "r"), "v")
    # 11 values and six lines: each second one.
    assert [line.label for line in data.lines] == ["0", "2", "4", "6", "8", "10"]
    assert caption_of(data, ["size", "r"]) == (
        "v against size, a line for each of 6 of 11 r; simulated"
    )
