# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Gamma from made-up observations whose loss is known by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from laxity.core.streams import absent_value, dtype_of
from laxity.costs.crpd import rows as crpd
from laxity.costs.crpd.rows import Gamma, GammaPlace
from laxity.errors import RecordError

SPIN, EVICT, CONTROL = 0, 1, 2
KIB, MIB = 1 << 10, 1 << 20


def observation(role: int, *passes_ns: int, **fields: int) -> dict[str, int]:
    """One row; passes that are not given are warm (100 ns)."""
    row = {"role": role, "warm_ns": 100, "working_set_bytes": 4 * KIB, "cpu": 1, **fields}
    warm = [*passes_ns, *[100] * (6 - len(passes_ns))]
    return row | {f"pass{number}_ns": value for number, value in enumerate(warm, 1)}


def table(*rows: dict[str, int]) -> "np.ma.MaskedArray[Any, Any]":
    made = np.zeros(len(rows), dtype=dtype_of("crpd"))
    for index, row in enumerate(rows):
        for name, value in row.items():
            made[name][index] = value
    masked = np.ma.MaskedArray(made, mask=np.zeros(made.shape, np.ma.make_mask_descr(made.dtype)))
    masked["warm_ns"] = np.ma.masked_equal(made["warm_ns"], absent_value("i8"))
    return masked


GAMMA = Gamma(
    place=GammaPlace(1, 1, 0, 0, MIB, 4 * KIB),
    samples_ns=np.zeros(0, dtype=np.int64),
    noise_floor_ns=5,
    n_spinning=12,
    n_not_warm=0,
    warm_ns=100,
    preemptor_ns=900,
    runs=("a",),
)


def gamma(samples_ns: list[int], **fields: Any) -> Gamma:  # noqa: ANN401 - fields of Gamma
    return replace(GAMMA, samples_ns=np.array(sorted(samples_ns), dtype=np.int64), **fields)


def losses(*rows: dict[str, int], warm_limit_ns: int = 110) -> tuple[list[int], list[bool]]:
    found, is_warm = crpd.losses_ns(table(*rows), 100, warm_limit_ns)
    return found.tolist(), is_warm.tolist()


def test_loss_sums_passes_until_one_is_warm():
    # (400 - 100) + (150 - 100) = 350; the third pass is warm, so the slow fifth is no loss.
    assert losses(observation(EVICT, 400, 150, 100, 100, 900)) == ([350], [True])


def test_pass_at_the_limit_is_warm_and_one_above_is_not():
    assert losses(observation(EVICT, 400, 110, 900)) == ([300], [True])
    assert losses(observation(EVICT, 400, 111, 100)) == ([311], [True])


def test_first_pass_counts_even_if_it_is_warm_and_hides_no_later_one():
    # (90 - 100) + (500 - 100) = 390: whoever saw the preemption a pass early still finds it.
    assert losses(observation(SPIN, 90, 500)) == ([390], [True])
    assert losses(observation(SPIN, 90, 100, 500)) == ([-10], [True])


def test_victim_that_never_gets_warm_is_told():
    # 6 * (200 - 100) = 600
    assert losses(observation(EVICT, *[200] * 6)) == ([600], [False])


def test_time_of_the_preemptor_is_subtracted_where_it_ran_within_the_pass():
    # Asynchronous: 5400 - 100 + 150 - 100 - 5000 = 350. Synchronous: it ran between two passes.
    assert losses(observation(EVICT, 5400, 150, preemptor_ns=5000, case=1)) == ([350], [True])
    assert losses(observation(EVICT, 400, 150, preemptor_ns=5000, case=0)) == ([350], [True])


def test_preemption_that_falls_into_the_second_pass_is_found_there():
    # The victim saw "done" one pass early: 0 + 5300 - 5000 = 300.
    assert losses(observation(EVICT, 100, 5400, preemptor_ns=5000, case=1)) == ([300], [True])


def test_gamma_is_the_loss_beyond_spinning():
    rows = [observation(EVICT, 400 + n) for n in range(6)]
    rows += [observation(SPIN, 120), observation(CONTROL, 130)] * 6
    (found,) = crpd.gammas(table(*rows), "a")
    # Spinning loses 20 or 30 ns, six each; the 6th smallest of 12 is 20. 300 - 20 = 280 ... 285.
    assert found.samples_ns.tolist() == [280, 281, 282, 283, 284, 285]
    # The 3rd smallest of 6.
    assert found.median_ns == 282
    assert (found.n, found.n_spinning, found.n_not_warm, found.warm_ns) == (6, 12, 0, 100)
    # Roles differ by 30 - 20 = 10. The interval of a median of 6 is from the 1st to the 6th:
    # 305 - 300 = 5. Of 12 it is from the 3rd to the 10th: 30 - 20 = 10. (5 + 10) / 2 = 7.5.
    assert found.noise_floor_ns == 10
    assert found.verdict == "ok"


def test_places_are_kept_apart():
    rows = []
    for place in (
        {"cpu": 0},
        {"case": 1},
        {"evict": 2},
        {"pattern": 1},
        {"working_set_bytes": 9},
        {"evict_bytes": 9},
    ):
        rows += [observation(role, 200, **place) for role in (SPIN, EVICT, CONTROL)]
    found = crpd.gammas(table(*rows), "a")
    assert len(found) == 6
    assert all(one.n == 1 and one.n_spinning == 2 for one in found)


def test_place_without_its_counterpart_is_left_out():
    assert crpd.gammas(table(observation(EVICT, 400)), "a") == ()
    assert crpd.gammas(table(observation(SPIN, 400)), "a") == ()
    absent = absent_value("i8")
    both = [observation(role, 400, warm_ns=absent) for role in (SPIN, EVICT)]
    assert crpd.gammas(table(*both), "a") == ()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("case", 2), ("pattern", 4), ("evict", 4), ("role", 3), ("working_set_bytes", 0)),
        *(("pass1_ns", 1 << 56), ("pass1_ns", -(1 << 56)), ("working_set_bytes", 1 << 56)),
    ],
)
def test_values_that_no_probe_writes_are_damage(column: str, value: int):
    rows = [observation(role, 200) for role in (SPIN, EVICT, CONTROL)]
    rows[1][column] = value
    with pytest.raises(RecordError, match=f"crpd.npy: {column} {value} is no value of a probe"):
        crpd.gammas(table(*rows), "a")


def floor(spin: list[int], control: list[int], evict: list[int]) -> int | None:
    return crpd.noise_floor_ns(*(np.array(part, dtype=np.int64) for part in (spin, control, evict)))


def test_noise_floor_needs_six_observations():
    # 2 * 0.5^6 = 3.1 % < 5 % < 2 * 0.5^5
    assert floor([0] * 3, [0] * 3, [0] * 6) == 1
    assert floor([0] * 3, [0] * 3, [0] * 5) is None
    assert floor([0] * 6, [], [0] * 6) is None


@pytest.mark.parametrize(
    ("floor_ns", "expected"), [(None, "no_verdict"), (3, "not_measurable"), (2, "ok")]
)
def test_median_must_be_above_the_noise_floor(floor_ns: int | None, expected: str):
    assert gamma([3] * 6, noise_floor_ns=floor_ns).verdict == expected


def test_bound_is_the_upper_end_of_the_interval_of_p90():
    # n = 60: P(B >= 60) = 0.9^60 = 0.2 %, P(B >= 59) = 1.4 %, P(B >= 58) = 5.3 %: the 59th.
    assert gamma(list(range(1, 61))).bound_ns == 59
    # 0.9^35 = 2.503 % > 2.5 %: 35 samples support no interval, so the maximum must do.
    assert gamma(list(range(1, 36))).bound_ns == 35
    assert gamma([-5] * 6).bound_ns == 0


def at(size_bytes: int, *samples_ns: int, evict_bytes: int = MIB, **fields: int) -> Gamma:
    return gamma(list(samples_ns), place=GammaPlace(1, 1, 0, 0, evict_bytes, size_bytes), **fields)


def test_upper_bound_is_monotone_and_constant_before_the_first_size():
    curve = [at(4096, 10), at(8192, 30), at(16384, 20)]
    assert crpd.upper_bound(curve) == [(0, 10), (4096, 10), (8192, 30), (16384, 30)]


def test_entries_are_one_per_place_and_one_per_curve():
    first, second, whole = crpd.entries([at(4096, *range(1, 7)), at(8192, *range(11, 17))])
    assert (first.name, first.kind, first.unit, first.n) == ("gamma", "measured", "ns", 6)
    # Six samples support the median alone.
    assert first.quantiles == {"0.5": 3}
    assert (first.max, first.noise_floor, first.verdict) == (6, 5, "not_measurable")
    assert (second.axes.working_set_bytes, second.verdict) == (8192, "ok")
    assert (second.axes.case, second.axes.evict) == ("synchronous_chase", "write")
    assert whole.axes.working_set_bytes is None
    assert whole.points == [(0, 6), (4096, 6), (8192, 16)]
    assert (whole.n, whole.max, whole.verdict, whole.quantiles) == (12, 16, "ok", {})


def test_gamma_of_instructions_is_a_cost_of_its_own():
    # Patterns 2 and 3 are code; evicting by executing is way 3.
    by_pattern = [
        gamma(list(range(1, 7)), place=GammaPlace(1, pattern, 0, evict, MIB, 4096))
        for pattern, evict in ((1, 0), (2, 0), (3, 3))
    ]
    found = crpd.entries(by_pattern)
    assert [(one.name, one.axes.case, one.axes.evict) for one in found[:3]] == [
        ("gamma", "synchronous_chase", "write"),
        ("gamma_code", "synchronous_code", "write"),
        ("gamma_code", "synchronous_jumps", "execute"),
    ]
    assert [one.name for one in found[3:]] == ["gamma", "gamma_code", "gamma_code"]


def test_preemptions_of_several_lengths_are_one_entry_with_a_bound_over_the_length():
    short = at(4096, *range(1, 7), evict_bytes=1024, preemptor_ns=50)
    longer = at(4096, *range(11, 17), evict_bytes=2048, preemptor_ns=90)
    longest = at(4096, *range(8, 14), evict_bytes=4096, preemptor_ns=200)
    one, curve = crpd.entries([longest, short, longer])
    # That of the largest buffer.
    assert (one.n, one.quantiles, one.max) == (6, {"0.5": 10}, 13)
    assert one.points == [(0, 6), (50, 6), (90, 16), (200, 16)]
    assert curve.points == [(0, 13), (4096, 13)]


def test_working_sets_that_only_a_smaller_buffer_evicted_are_no_part_of_the_curve():
    # As merged from two runs: 4 KiB by 1 KiB and 2 KiB, 8 KiB by 1 KiB alone.
    found = crpd.entries(
        [
            at(4096, *range(1, 7), evict_bytes=1024, preemptor_ns=50),
            at(8192, *range(31, 37), evict_bytes=1024, preemptor_ns=50),
            at(4096, *range(11, 17), evict_bytes=2048, preemptor_ns=90),
        ]
    )
    assert [(one.axes.working_set_bytes, one.max) for one in found] == [(4096, 16), (None, 16)]
    assert found[1].points == [(0, 16), (4096, 16)]
    assert len({(one.name, one.axes) for one in found}) == len(found)


def test_flushing_has_no_buffer():
    rows = [
        observation(role, 200, evict=2, evict_bytes=size, working_set_bytes=size)
        for role in (SPIN, EVICT)
        for size in (4096, 8192)
    ]
    (curve,) = crpd.curves(crpd.gammas(table(*rows), "a"))
    assert [one.place.working_set_bytes for one in curve] == [4096, 8192]


def test_pooling_joins_samples_and_keeps_the_largest_noise_floor():
    (joined,) = crpd.pool(
        [
            gamma([1, 5, 9], noise_floor_ns=2, runs=("a",), n_not_warm=1),
            gamma([3, 40], noise_floor_ns=7, runs=("b",), warm_ns=120),
        ]
    )
    assert joined.samples_ns.tolist() == [1, 5, 9, 3, 40]
    # Of the pooled samples, not of the two medians 5 and 3.
    assert joined.median_ns == 5
    assert (joined.noise_floor_ns, joined.runs) == (7, ("a", "b"))
    assert (joined.n_spinning, joined.n_not_warm, joined.warm_ns) == (24, 1, 120)


def test_observation_whose_timer_may_have_fired_before_the_victims_passes_does_not_count():
    # Its passes hold no preemptor: as a loss it would be 100 - 100 - 900 = -900.
    absent = absent_value("i8")
    early = observation(EVICT, 100, case=1, preemptor_ns=900, warm_ns=absent)
    rows = [observation(role, 1300, case=1, preemptor_ns=900) for role in (SPIN, EVICT, EVICT)]
    (found,) = crpd.gammas(table(*rows, early), "a")
    # 1300 - 100 - 900 = 300 with and without eviction.
    assert found.samples_ns.tolist() == [0, 0]
