# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How a sensitivity is worded, above all where no factor helps."""

from dataclasses import fields

from laxity.bounds.overheads import Breakdown
from laxity.bounds.sensitivity import MAX_FACTOR_PPM, STEP_PPM, Factor, Sensitivity
from laxity.bounds.words import PARTS, sensitivity_lines

ENOUGH = Factor(1_200_000, "low")


def lines(**found: Factor | None) -> tuple[str, ...]:
    whole = {"wcet": ENOUGH, "delta": None, "gamma": None, "speed": ENOUGH, **found}
    return sensitivity_lines(Sensitivity(**whole))


def test_every_part_of_a_window_has_a_name_and_a_colour_of_its_own():
    numbers = {field.name: place + 1 for place, field in enumerate(fields(Breakdown))}
    shown = [part.of(Breakdown(**numbers)) for part in PARTS]
    assert sorted(shown) == sorted(numbers.values())
    assert len({part.ink for part in PARTS}) == len({part.label for part in PARTS}) == len(PARTS)


def test_cost_that_counts_nothing_has_no_line():
    assert len(lines()) == 2
    assert len(lines(delta=ENOUGH, gamma=ENOUGH)) == 4


def test_factor_names_who_is_late_first():
    wcet, delta, gamma, speed = lines(delta=ENOUGH, gamma=Factor(2_500, "high"))
    assert wcet == "all wcet may be 120 % of what is stated; then low is late first"
    assert delta == "delta may be 120 % of what is counted; then low is late first"
    assert gamma == "gamma may be 0.25 % of what is counted; then high is late first"
    assert speed == "a processor of 120 % of the speed is fast enough, if only C scales with it"


def test_no_factor_says_that_this_figure_is_not_the_reason():
    none = Factor(None, "low")
    wcet, delta, gamma, speed = lines(wcet=none, delta=none, gamma=none, speed=none)
    assert wcet == "no shorter wcet helps: low is late by costs, blocking and jitter alone"
    assert delta == "no cheaper switches help: low is late without them"
    assert gamma == "no cheaper cache reloads help: low is late without them"
    assert speed == "no faster processor helps: low is late by costs, blocking and jitter alone"


def test_factor_zero_says_that_the_cost_must_vanish():
    assert lines(delta=Factor(0, "low"))[1] == (
        "switches must cost nothing: with any delta low is late"
    )


def test_end_of_the_search_is_no_limit():
    far = Factor(MAX_FACTOR_PPM, None)
    wcet, delta, speed = lines(wcet=far, delta=far, speed=Factor(STEP_PPM, None))
    assert wcet == "all wcet may grow to 100000 % and more"
    assert delta == "delta may grow to 100000 % and more"
    assert speed == "a processor of 0.1 % of the speed is fast enough, and perhaps a slower one"
