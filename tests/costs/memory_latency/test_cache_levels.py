# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Levels of made-up curves; what is expected follows from the curves' own numbers."""

import random

from laxity.costs.memory_latency.cache_levels import (
    Circumstances,
    Claim,
    Comparison,
    Point,
    compare_levels,
    detect_levels,
    possible_causes,
)

KIB = 1024
MIB = 1024 * KIB
N = 36


def curve(*steps: tuple[float, int], noise: float = 0.0) -> list[Point]:
    """Points from (size in KiB, median in ps), with intervals of 1 % or of the noise."""
    half = max(0.01, noise)
    return [
        Point(round(kib * KIB), N, ps, round(ps * (1 - half)), round(ps * (1 + half)))
        for kib, ps in steps
    ]


# Two levels and memory: 32 KiB at 1 ns, 512 KiB at 4 ns, memory at 100 ns; two sizes per octave.
THREE_LEVELS = curve(
    (4, 1000), (6, 1000), (8, 1000), (12, 1000), (16, 1000), (24, 1000), (32, 1050),
    (48, 3900), (64, 4000), (96, 4000), (128, 4000), (192, 4000), (256, 4000), (384, 4100),
    (512, 4500), (768, 60000), (1024, 95000), (1536, 99000), (2048, 100000), (3072, 101000),
    (4096, 102000),
)  # fmt: skip


def test_three_plateaus_are_three_levels():
    levels = detect_levels(THREE_LEVELS)
    # Leaves: 1050 <= 1.25 * 1000, 3900 > 2 * 1000; 4500 <= 1.25 * 4000 = 5000, 60000 > 8000.
    sizes = [(one.fits_bytes, one.full_bytes) for one in levels]
    assert sizes == [(32 * KIB, 48 * KIB), (512 * KIB, 768 * KIB), (None, None)]
    # 102000 / 95000 = 1.07: memory has 5 points, the middle one is 100000.
    assert [one.latency_ps for one in levels] == [1000, 4000, 100000]
    assert [one.n for one in levels] == [7 * N, 8 * N, 5 * N]


def test_latency_has_the_range_of_all_intervals_on_the_plateau():
    first = detect_levels(THREE_LEVELS)[0]
    # 1000 - 1 % and 1050 + 1 % = 1060.5, rounded to even.
    assert first.latency_range_ps == (990, 1060)


def test_noise_within_a_plateau_makes_no_level():
    wobble = random.Random(1)  # noqa: S311 - the same numbers every time are wanted
    noisy = [
        Point(one.size_bytes, one.n, median, round(median * 0.95), round(median * 1.05))
        for one in THREE_LEVELS
        for median in [round(one.median_ps * wobble.uniform(0.95, 1.05))]
    ]
    levels = detect_levels(noisy)
    # 1.05 / 0.95 = 1.105 is less than the 1.25 of a plateau.
    assert [one.full_bytes for one in levels] == [48 * KIB, 768 * KIB, None]


def test_curve_without_steps_is_one_level():
    levels = detect_levels(curve((4, 500), (8, 500), (16, 500), (32, 500)))
    assert [(one.fits_bytes, one.full_bytes) for one in levels] == [(None, None)]


def test_slow_slope_is_not_cut_into_levels():
    # 10 % more per octave: 1.1^2 = 1.21 fits into one plateau, 1.1^3 = 1.33 does not; there is no
    # step between one plateau of three points and the next.
    slope = curve(*((4 << i, round(1000 * 1.1**i)) for i in range(9)))
    assert len(detect_levels(slope)) == 1


def test_steep_slope_is_no_level():
    assert detect_levels(curve(*((4 << i, 1000 * 2**i) for i in range(9)))) == ()


def test_two_points_are_no_plateau_and_three_are():
    rise = [(32, 4000), (64, 16000), (128, 64000)]
    two = curve((8, 1000), (16, 1000), *rise)
    three = curve((4, 1000), (8, 1000), (16, 1000), *rise)
    assert detect_levels(two) == ()
    # The curve still rises at its end, so the only level is not the last one.
    found = detect_levels(three)
    assert [(one.fits_bytes, one.full_bytes) for one in found] == [(16 * KIB, 32 * KIB)]


def test_empty_curve_has_no_level():
    assert detect_levels([]) == ()


def test_wide_intervals_widen_the_size_of_a_level():
    steps = list(THREE_LEVELS)
    at = next(i for i, one in enumerate(steps) if one.size_bytes == 768 * KIB)
    # Half of the batches still hit: the lower end of its interval is below 2 * 4000.
    steps[at] = Point(768 * KIB, N, 60000, 5000, 99000)
    level = detect_levels(steps)[1]
    assert (level.fits_bytes, level.full_bytes) == (512 * KIB, 1024 * KIB)


def test_one_disturbed_size_moves_no_level():
    steps = list(THREE_LEVELS)
    at = next(i for i, one in enumerate(steps) if one.size_bytes == 96 * KIB)
    steps[at] = Point(96 * KIB, N, 9000, 8900, 9100)
    levels = detect_levels(steps)
    sizes = [(one.fits_bytes, one.full_bytes) for one in levels]
    assert sizes == [(32 * KIB, 48 * KIB), (512 * KIB, 768 * KIB), (None, None)]
    assert levels[1].latency_ps == 4000


def test_claims_within_the_detected_sizes_agree():
    found = compare_levels([Claim(2, 512 * KIB), Claim(1, 32 * KIB)], detect_levels(THREE_LEVELS))
    assert [(one.claim.level, one.agreement) for one in found] == [(1, "agrees"), (2, "agrees")]


def test_claim_just_outside_differs_and_just_inside_agrees():
    levels = detect_levels(THREE_LEVELS)
    # Detected: 32 KiB to 48 KiB.
    verdicts = [
        compare_levels([Claim(1, size)], levels)[0].agreement
        for size in (32 * KIB - 1, 32 * KIB, 48 * KIB, 48 * KIB + 1)
    ]
    assert verdicts == ["differs", "agrees", "agrees", "differs"]


def test_exclusive_cache_may_show_the_sum_of_its_size_and_the_inner_ones():
    levels = detect_levels(THREE_LEVELS)
    # 490 + 32 = 522 KiB is what both hold together; 512 KiB surely fit.
    found = compare_levels([Claim(1, 32 * KIB), Claim(2, 490 * KIB)], levels)
    assert found[1].agreement == "agrees"


def test_cache_that_nobody_sees_is_not_detected():
    claims = [Claim(1, 32 * KIB), Claim(2, 512 * KIB), Claim(3, 32 * MIB)]
    found = compare_levels(claims, detect_levels(THREE_LEVELS))
    assert [one.agreement for one in found] == ["agrees", "agrees", "not_detected"]
    assert found[2].found is None


def test_one_level_is_not_taken_for_two_claims():
    found = compare_levels([Claim(2, 512 * KIB), Claim(3, 768 * KIB)], detect_levels(THREE_LEVELS))
    assert [one.agreement for one in found] == ["agrees", "not_detected"]


def test_causes_are_told_only_where_they_may_hold():
    lost = Comparison(Claim(3, 32 * MIB), None, "not_detected")
    quiet = Circumstances(is_virtual=False, has_huge_pages=True, is_shared=False, spread_ratio=1.2)
    busy = Circumstances(is_virtual=True, has_huge_pages=False, is_shared=True, spread_ratio=9.0)
    assert possible_causes(lost, 128 * MIB, quiet) == ()
    causes = possible_causes(lost, 128 * MIB, busy)
    assert len(causes) == 4
    assert "9.0 times" in causes[0]


def test_claim_beyond_the_largest_array_says_so_and_nothing_else():
    lost = Comparison(Claim(3, 32 * MIB), None, "not_detected")
    busy = Circumstances(is_virtual=True, has_huge_pages=False, is_shared=True, spread_ratio=9.0)
    assert possible_causes(lost, 32 * MIB, busy) == ("no larger array was measured",)
    assert len(possible_causes(lost, 32 * MIB + 1, busy)) == 4


def test_agreement_needs_no_cause():
    levels = detect_levels(THREE_LEVELS)
    fine = compare_levels([Claim(1, 32 * KIB)], levels)[0]
    busy = Circumstances(is_virtual=True, has_huge_pages=False, is_shared=True, spread_ratio=None)
    assert possible_causes(fine, 128 * MIB, busy) == ()


def test_simulated_level_that_was_not_detected_is_not_blamed_on_pages_or_guests():
    around = Circumstances(
        is_virtual=False, has_huge_pages=False, is_shared=True, spread_ratio=9.0, is_simulated=True
    )
    missing = Comparison(Claim(2, 512 * KIB), None, "not_detected")
    (cause,) = possible_causes(missing, 4 * MIB, around)
    assert cause.startswith(
        "a level shows over an octave of sizes, where the next one is 1.5 times"
    )
    # As natively: of a cache as large as the largest array nothing can be said.
    assert possible_causes(missing, 512 * KIB, around) == ("no larger array was measured",)
