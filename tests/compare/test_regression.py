# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Violated, holds, or no verdict: where the interval lies of which the threshold is one point."""

from dataclasses import replace

import pytest

from laxity.compare.comparison import Figure, FloorPart, Point, judge
from laxity.compare.fail_on import parse_fail_on
from laxity.compare.regression import Subject, TaskMisses, judge_statement, overall

# Shift 100 us within 60 .. 150, noise floor 10: judged as 50 .. 160.
FIGURE = Figure(
    subject="control", quantity="response", statistic="p99", unit="ns", kind="measured",
    base=Point(1_000_000, 5000, 5000, 960_000, 1_040_000),
    new=Point(1_100_000, 5000, 5000, 1_090_000, 1_120_000),
    shift=100_000, low=60_000, high=150_000, floor=10_000, floor_parts=(), verdict="longer",
    drift=0,
)  # fmt: skip
LARGEST = replace(
    FIGURE, statistic="max", low=None, high=None, verdict="not_judged",
    base=Point(2_000_000, 5000, low=2_000_000, high=2_000_000),
    new=Point(2_030_000, 5000, low=2_030_000, high=2_030_000), shift=30_000,
)  # fmt: skip
MISSES = TaskMisses("control", 1, 1000, 3, 1000)


def answer(text: str, *figures: Figure, misses: tuple[TaskMisses, ...] = ()) -> str:
    return overall(judge_statement(parse_fail_on(text), figures, misses))


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        ("+49999ns", "violated"),  # all of 50 .. 160 us is above
        ("+50us", "no_verdict"),  # the lower end is not above itself
        ("+100us", "no_verdict"),  # what was seen lies on it
        ("+159999ns", "no_verdict"),
        ("+160us", "holds"),
        # Of 1 ms: 4.9999 % are 49,999 ns, 5 % are 50 us, 16 % are 160 us.
        ("+4.9999%", "violated"),
        ("+5%", "no_verdict"),
        ("+16%", "holds"),
    ],
)
def test_a_difference_is_judged_by_its_interval_and_the_noise_floor(threshold: str, expected: str):
    assert answer(f"response.p99 > {threshold}", FIGURE) == expected


@pytest.mark.parametrize(
    ("drift", "expected"),
    # Judged as 50 .. 160 us: of more than 20 us with 29,999 ns of drift, not with 30 us; the drift
    # of a run of few jobs is unknown.
    [(29_999, "violated"), (30_000, "no_verdict"), (None, "no_verdict")],
)
def test_a_violation_without_repeated_baselines_exceeds_the_drift_that_was_seen(
    drift: int | None, expected: str
):
    figure = replace(FIGURE, drift=drift)
    assert answer("response.p99 > +20us", figure) == expected
    # Below likewise: all of 50 .. 160 us is below 190 us, with 30 us more it is not.
    assert answer("response.p99 < +190us", figure) == expected
    # Repeated baselines are in the noise floor; what is exact does not drift.
    repeated = replace(figure, floor_parts=(FloorPart("between 4 runs of BASE", 10_000),))
    assert answer("response.p99 > +20us", repeated) == "violated"
    exact = replace(figure, is_exact=True, low=None, high=None, floor=0)
    assert answer("response.p99 > +20us", exact) == "violated"


@pytest.mark.parametrize(
    ("drift", "expected"),
    # Of a pass the interval of 50 .. 160 us ends at 189,999 ns with 29,999 ns of drift.
    [(29_999, "holds"), (30_000, "no_verdict"), (None, "holds")],
)
def test_a_pass_without_repeated_baselines_excludes_the_drift_that_was_seen(
    drift: int | None, expected: str
):
    assert answer("response.p99 > +189999ns", replace(FIGURE, drift=drift)) == expected
    # The largest is judged as it was seen: 30 us longer, and 10 us of noise.
    assert answer("response.max > +40us", replace(LARGEST, drift=drift)) == "holds"


CLOCK, DRIFT = FloorPart("clock", 10_000), FloorPart("drift within BASE", 50_000)
# Parts of NEW exceed parts of BASE by 40 .. 170 us: with the clock 30 .. 180.
PARTS = replace(
    FIGURE, parts_low=40_000, parts_high=170_000, drift=60_000, floor=50_000,
    floor_parts=(CLOCK, DRIFT),
)  # fmt: skip


def without_interval(figure: Figure) -> Figure:
    return replace(figure, low=None, high=None, reason="NEW: jobs are alike over long stretches")


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [("+29999ns", "violated"), ("+30us", "no_verdict"), ("+179999ns", "no_verdict"),
     ("+180us", "holds"), ("+2.9%", "violated"), ("+18%", "holds")],
)  # fmt: skip
def test_one_run_of_each_side_is_judged_by_each_part_of_new_against_each_part_of_base(
    threshold: str, expected: str
):
    assert answer(f"response.p99 > {threshold}", PARTS) == expected
    assert answer(f"response.p99 > {threshold}", without_interval(PARTS)) == expected
    exact = replace(PARTS, is_exact=True)
    assert answer(f"response.p99 > {threshold}", exact) == (
        # The shift alone: 100 us.
        "holds" if expected == "holds" or threshold == "+179999ns" else "violated"
    )


@pytest.mark.parametrize(
    ("threshold", "by_interval", "by_parts"),
    # With a scatter of 20 us: 60 - 50 and 40 - 20 us.
    [
        ("+9999ns", "violated", "violated"),
        ("+10us", "no_verdict", "violated"),
        ("+20us", "no_verdict", "no_verdict"),
    ],
)
def test_with_repeated_baselines_parts_stand_in_for_a_missing_interval(
    threshold: str, by_interval: str, by_parts: str
):
    scatter = FloorPart("between 4 runs of BASE", 20_000)
    repeated = replace(PARTS, floor_parts=(CLOCK, DRIFT, scatter))
    assert answer(f"response.p99 > {threshold}", repeated) == by_interval
    assert answer(f"response.p99 > {threshold}", without_interval(repeated)) == by_parts


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [("+50us", "holds"), ("+50001ns", "no_verdict"), ("+160us", "no_verdict"),
     ("+160001ns", "violated"), ("-5%", "holds")],
)  # fmt: skip
def test_below_is_judged_likewise(threshold: str, expected: str):
    assert answer(f"response.p99 < {threshold}", FIGURE) == expected


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [("1089999ns", "violated"), ("1090us", "no_verdict"), ("1120us", "holds")],
)
def test_without_a_sign_the_new_figure_itself_is_judged_by_its_interval(
    threshold: str, expected: str
):
    assert answer(f"response.p99 > {threshold}", FIGURE) == expected


@pytest.mark.parametrize(
    ("threshold", "expected"),
    # Seen: 30 us more; noise floor 10 us.
    [("+19999ns", "violated"), ("+20us", "no_verdict"), ("+40us", "holds"), ("2ms", "violated"),
     ("2030us", "holds")],
)  # fmt: skip
def test_the_largest_is_judged_as_it_was_seen(threshold: str, expected: str):
    assert answer(f"response.max > {threshold}", LARGEST) == expected


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        ("+49us", "violated"),
        ("+50us", "no_verdict"),
        ("+99us", "no_verdict"),
        ("+100us", "holds"),
    ],
)
def test_the_shift_of_the_largest_reaches_from_end_to_opposite_end(threshold: str, expected: str):
    # From 2.07 - 2.01 ms to 2.09 - 2.00 ms: 60 to 90 us, and the floor of 10 us on both sides would
    # make 50 to 100; intervals of the largest have none of their own.
    figure = replace(
        LARGEST,
        base=Point(2_000_000, 5000, low=2_000_000, high=2_010_000),
        new=Point(2_080_000, 5000, low=2_070_000, high=2_090_000),
        shift=80_000,
    )
    assert answer(f"response.max > {threshold}", figure) == expected


EXACT = replace(
    FIGURE, kind="simulated", base=Point(1_000_000, 5), new=Point(1_010_000, 5), shift=10_000,
    low=None, high=None, floor=0, is_exact=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "expected"),
    # Seen: 10 us more than 1 ms, 1 %, which is not more than 1 %.
    [("> +1%", "holds"), ("> +0.9999%", "violated"), ("> +0%", "violated"), ("< +1%", "holds"),
     ("< +10001ns", "violated"), ("> 1010us", "holds"), ("> 1009999ns", "violated")],
)  # fmt: skip
@pytest.mark.parametrize("statistic", ["p99", "max"])
def test_an_exact_difference_is_judged_by_itself(statistic: str, statement: str, expected: str):
    figure = replace(EXACT, statistic=statistic)
    [found] = judge_statement(parse_fail_on(f"response.{statistic} {statement}"), [figure], [])
    assert found.answer == expected
    assert found.detail in {"shift 10 µs, exact", "NEW 1.01 ms, exact"}


@pytest.mark.parametrize(("new", "expected"), [(0, "holds"), (1, "violated")])
def test_every_share_of_an_exact_nothing_is_nothing(new: int, expected: str):
    figure = replace(EXACT, base=Point(0, 5), new=Point(new, 5), shift=new)
    assert answer("response.p99 > +50%", figure) == expected


def test_the_largest_of_fewer_exact_jobs_is_no_pass():
    figure = replace(EXACT, statistic="max", base=Point(1_000_000, 10), new=Point(900_000, 8))
    assert answer("response.max > +1%", replace(figure, shift=-100_000)) == "no_verdict"


def test_one_violation_is_enough_and_nothing_unknown_passes():
    calm = replace(FIGURE, subject="video", shift=0, low=-5_000, high=5_000)
    unknown = replace(FIGURE, subject="audio", low=None, high=None, reason="few jobs")
    assert answer("response.p99 > +4%", FIGURE, calm, unknown) == "violated"
    assert answer("response.p99 > +16%", FIGURE, calm) == "holds"
    assert answer("response.p99 > +16%", FIGURE, calm, unknown) == "no_verdict"
    assert answer("video.response.p99 > +4%", FIGURE, calm, unknown) == "holds"


def test_a_figure_that_is_not_there_is_no_pass():
    found = judge_statement(parse_fail_on("response.p99.9 > +5%"), [FIGURE], [])
    assert [one.answer for one in found] == ["no_verdict"]
    assert found[0].detail == "there is no such figure on both sides"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("response.p99 > +16%", "no_verdict"), ("control.response.p99 > +16%", "holds"),
     ("response.p99 > +4%", "violated"), ("misses > 3", "no_verdict"),
     ("control.misses > 3", "holds")],
)  # fmt: skip
def test_a_task_without_a_figure_is_no_pass_because_another_one_has_it(text: str, expected: str):
    both = (Subject("control"), Subject("slow"))
    found = judge_statement(parse_fail_on(text), [FIGURE], [MISSES], both)
    assert overall(found) == expected


def test_a_cost_that_only_the_baseline_has_is_no_pass():
    axes = (("working_set_bytes", 4096),)
    gamma = replace(FIGURE, quantity="gamma", subject="gamma@4KiB", statistic="median", axes=axes)
    lone = Subject("gamma@8KiB", "gamma", (("working_set_bytes", 8192),))
    there = (Subject("gamma@4KiB", "gamma", axes), lone, Subject("delta", "delta"))
    for text, expected in (("gamma.median", "no_verdict"), ("gamma@4KiB.median", "holds")):
        found = judge_statement(parse_fail_on(f"{text} > +16%"), [gamma], [], there)
        assert overall(found) == expected


@pytest.mark.parametrize(
    ("n_new", "text", "expected"),
    # BASE has 5000: nine tenths are 4500.
    [(4499, "response.max > +40us", "no_verdict"), (4500, "response.max > +40us", "holds"),
     (4499, "response.max > +19us", "violated"), (4499, "response.max > 2030us", "holds"),
     (5556, "response.max < -5%", "no_verdict"), (5555, "response.max < -5%", "holds")],
)  # fmt: skip
def test_the_largest_of_few_jobs_does_not_pass_against_that_of_many(
    n_new: int, text: str, expected: str
):
    new = Point(2_030_000, n_new, low=2_030_000, high=2_030_000)
    assert answer(text, replace(LARGEST, new=new)) == expected


def test_a_baseline_of_zero_has_no_percent():
    zero = replace(FIGURE, base=Point(0, 5000, 5000, 0, 0))
    assert answer("response.p99 > +5%", zero) == "no_verdict"
    assert answer("response.p99 > +160us", zero) == "holds"


def test_more_jobs_are_advised_where_they_would_tell():
    # Threshold 30 us: 70 us below the shift, 60 without the floor; the interval reaches 50 us:
    # (50 / 60)^2 = 0.7 would be 1: but its end, 60 - 10, is above 30 already. Threshold 80 us:
    # 20 - 10 = 10 us are left, (50 / 10)^2 = 25 times as many.
    found = judge_statement(parse_fail_on("response.p99 > +80us"), [FIGURE], [])
    assert found[0].detail == (
        "shift 100 µs, within 50 µs to 160 µs; about 25 times as many jobs would tell"
    )
    found = judge_statement(parse_fail_on("response.p99 > +95us"), [FIGURE], [])
    assert "the threshold is within the noise floor" in found[0].detail


def test_picoseconds_are_compared_with_durations():
    latency = replace(
        FIGURE, quantity="memory_latency", subject="memory_latency@4KiB", unit="ps",
        statistic="median", axes=(("working_set_bytes", 4096),),
    )  # fmt: skip
    # 50,000 .. 160,000 ps are 50 .. 160 ns.
    assert answer("memory_latency.median > +49ns", latency) == "violated"
    assert answer("memory_latency.median > +160ns", latency) == "holds"
    assert answer("memory_latency@8KiB.median > +160ns", latency) == "no_verdict"
    assert answer("memory_latency@4KiB.median > +160ns", latency) == "holds"


@pytest.mark.parametrize(
    ("text", "expected"),
    # 3 of 1000 now, 1 of 1000 before.
    [("misses > 2", "violated"), ("misses > 3", "holds"), ("misses > +1", "violated"),
     ("misses > +2", "holds"), ("misses > 0.2999%", "violated"), ("misses > 0.3%", "holds"),
     ("control.misses > 0", "violated"), ("video.misses > 0", "no_verdict")],
)  # fmt: skip
def test_misses_are_counted(text: str, expected: str):
    assert answer(text, misses=(MISSES,)) == expected


def test_misses_of_runs_of_different_length_have_no_difference():
    longer = replace(MISSES, new_released=2000)
    assert answer("misses > +1", misses=(longer,)) == "no_verdict"
    assert answer("misses > 2", misses=(longer,)) == "violated"


def test_lost_rows_and_no_releases_are_no_pass():
    assert answer("misses > 3", misses=(replace(MISSES, doubt="1 row was lost"),)) == "no_verdict"
    assert answer("misses > 2", misses=(replace(MISSES, doubt="1 row was lost"),)) == "violated"
    idle = TaskMisses("control", 0, 0, 0, 0)
    assert answer("misses > 0", misses=(idle,)) == "no_verdict"


@pytest.mark.parametrize(
    ("low", "high", "floor", "verdict"),
    [(1, 5, 0, "longer"), (0, 5, 0, "no_difference_shown"), (3, 5, 3, "below_noise_floor"),
     (4, 5, 3, "longer"), (-5, -1, 0, "shorter"), (-5, -3, 3, "below_noise_floor"),
     (-5, 5, 9, "no_difference_shown")],
)  # fmt: skip
def test_a_shift_counts_if_interval_and_noise_floor_leave_out_zero(
    low: int, high: int, floor: int, verdict: str
):
    assert judge(low, high, floor) == verdict
