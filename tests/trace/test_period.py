# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Period and offset of made-up arrivals whose truth is known."""

import math

import numpy as np
import pytest

from laxity.trace.period import MIN_ARRIVALS, PeriodFit, Rhythm, estimate_period

PERIOD_NS = 5_000_000
BASE_NS = 40 * 86_400 * 10**9  # 40 days of uptime: where 32-bit counters and floats would round
SEEDS = range(3)


def timer(n: int, random: np.random.Generator, *, jitter_ns: float = 20_000, late: float = 0.02):
    """A thread with absolute sleeps: latencies around 20 us, some of them a millisecond."""
    latency = random.gamma(4, jitter_ns / 4, n)
    latency += (random.random(n) < late) * random.exponential(1_000_000, n)
    return BASE_NS + np.arange(n) * PERIOD_NS + latency


def fit(*arrivals: np.ndarray) -> PeriodFit:
    return estimate_period(np.sort(np.concatenate(arrivals)).astype(np.int64))


def is_right(found: PeriodFit, period_ns: float = PERIOD_NS, share: float = 1e-3) -> bool:
    """Within 0.1 %, as the command promises."""
    is_periodic = found.rhythm is Rhythm.PERIODIC and found.period_ns is not None
    return is_periodic and abs(found.period_ns / period_ns - 1) < share


def test_exact_arrivals_give_period_and_offset_exactly():
    found = fit(BASE_NS + 7 + 3 * np.arange(0, 100 * PERIOD_NS, PERIOD_NS))
    assert found.rhythm is Rhythm.PERIODIC
    assert found.period_ns == pytest.approx(3 * PERIOD_NS, abs=1e-6)
    assert found.first_ns == BASE_NS + 7
    assert found.n_used == found.n == 100


def test_period_and_its_interval_are_those_of_least_squares():
    # Errors e of 10 us, symmetric about k = 5: the slope is the period. Sum 0, squares 800 us^2;
    # steps 2 2 2 1 0 0 1 2 2 2, squares 2600: Neumann 3.25 > 2, no inflation. Variance 800 / 9 =
    # 88.89; sum (k - 5)^2 = 110: 0.8081, its root 0.8989 us; t95 with 9 degrees of freedom
    # 1.95996 + 2.37227 / 9 + 2.8225 / 81 = 2.2584 (table: 2.262): 2.030 us.
    # At k = 0: 88.89 * (1/11 + 25/110) = 28.28, root 5.318, times t: 12.01 us.
    errors_ns = 10_000 * np.array([1, -1, 1, -1, 0, 0, 0, -1, 1, -1, 1])
    found = fit(BASE_NS + np.arange(11) * PERIOD_NS + errors_ns)
    assert found.n_used == 11
    assert found.period_ns == pytest.approx(PERIOD_NS, abs=1e-3)
    assert found.half_width_ns == pytest.approx(2_030, rel=1e-3)
    # As early as the earliest: 10 us before the line.
    assert found.first_ns == BASE_NS - 10_000
    assert found.first_half_width_ns == pytest.approx(12_010, rel=1e-3)
    # sqrt(800 / 11) us.
    assert found.spread_ns == pytest.approx(8_528, rel=1e-3)


def test_jobs_before_the_tenth_are_too_few():
    assert fit(BASE_NS + np.arange(MIN_ARRIVALS - 1) * PERIOD_NS).rhythm is Rhythm.TOO_FEW
    assert is_right(fit(BASE_NS + np.arange(MIN_ARRIVALS) * PERIOD_NS))
    assert fit(np.zeros(0)).rhythm is Rhythm.TOO_FEW


@pytest.mark.parametrize("seed", SEEDS)
def test_timer_with_late_jobs_gives_its_period(seed: int):
    random = np.random.default_rng(seed)
    found = fit(timer(500, random))
    assert is_right(found, share=1e-5)
    assert found.first_ns is not None
    # The most punctual of 500 latencies is some microseconds; the offset is no later than that
    # and not before the release by more than the grid's own uncertainty.
    assert -5_000 < found.first_ns - BASE_NS < 20_000


@pytest.mark.parametrize("n", [30, 300])
def test_interval_holds_the_true_period_in_nineteen_of_twenty(n: int):
    random = np.random.default_rng(n)
    found = [fit(timer(n, random)) for _ in range(100)]
    known = [one for one in found if one.rhythm is Rhythm.PERIODIC]
    held = sum(abs(one.period_ns - PERIOD_NS) <= one.half_width_ns for one in known)
    assert len(known) >= 95
    # Of 100 that hold with 95 %: mean 95, deviation sqrt(100 * 0.95 * 0.05) = 2.2; three of them
    # below. Rejecting late jobs costs up to 3 % more of small n.
    assert held >= 0.95 * len(known) - 3 * 2.2 - 0.03 * 100


@pytest.mark.parametrize("seed", SEEDS)
def test_latencies_of_two_modes_leave_the_thread_periodic(seed: int):
    # Half of them within 2 us, half anywhere in 80: seen of a thread whose CPU sleeps now and then.
    random = np.random.default_rng(seed)
    wide = np.where(random.random(200) < 0.5, 2_000, 80_000) * random.random(200)
    found = fit(BASE_NS + np.arange(200) * PERIOD_NS + wide)
    assert is_right(found)
    assert found.n_used >= 180


def test_interval_widens_where_late_jobs_follow_one_another():
    random = np.random.default_rng(5)
    steps = random.standard_normal(3000)
    errors = np.zeros(3000)
    for index in range(1, 3000):
        errors[index] = 0.9 * errors[index - 1] + steps[index]
    alone = fit(BASE_NS + np.arange(3000) * PERIOD_NS + 20_000 * random.permutation(errors))
    lasting = fit(BASE_NS + np.arange(3000) * PERIOD_NS + 20_000 * errors)
    # (1 + 0.9) / (1 - 0.9) = 19 times the variance, 4.4 times the width, of which leaving out
    # eighths (7 degrees of freedom: 30 % uncertain) may find up to twice as much for either.
    assert lasting.half_width_ns / alone.half_width_ns > math.sqrt(19) / 2


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("missing", [0.1, 0.3, 0.4])
def test_missing_jobs_do_not_change_the_period(seed: int, missing: float):
    random = np.random.default_rng(seed)
    arrivals = timer(600, random)
    assert is_right(fit(arrivals[random.random(600) > missing]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("phases", [(0.2,), (0.45,), (0.1, 0.23, 0.3, 0.41), (0.02, 0.04)])
def test_wake_ups_within_jobs_are_no_releases(seed: int, phases: tuple[float, ...]):
    random = np.random.default_rng(seed)
    releases = timer(600, random)
    inner = [releases + one * PERIOD_NS + random.exponential(60_000, 600) for one in phases]
    found = fit(releases, *inner)
    assert is_right(found)
    assert found.first_ns is not None
    # Job 0 is released with the first arrival, not with one of those within.
    off_ns = (found.first_ns - BASE_NS + PERIOD_NS / 2) % PERIOD_NS - PERIOD_NS / 2
    assert abs(off_ns) < 30_000


@pytest.mark.parametrize("seed", SEEDS)
def test_now_and_then_blocking_within_a_job_is_no_release(seed: int):
    random = np.random.default_rng(seed)
    releases = timer(600, random)
    inner = (releases + random.exponential(300_000, 600))[random.random(600) < 0.4]
    assert is_right(fit(releases, inner))


@pytest.mark.parametrize("seed", SEEDS)
def test_bursts_of_every_period_have_the_period_of_the_bursts(seed: int):
    random = np.random.default_rng(seed)
    bursts = timer(300, random)[:, None] + np.arange(5) * 10_000 + random.gamma(4, 500, (300, 5))
    assert is_right(fit(bursts.ravel()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [10, 30, 300])
def test_random_arrivals_have_no_period(seed: int, n: int):
    random = np.random.default_rng(seed)
    found = fit(BASE_NS + np.cumsum(random.exponential(PERIOD_NS, n)))
    assert found.rhythm in {Rhythm.IRREGULAR, Rhythm.TOO_FEW}
    assert (found.period_ns, found.first_ns, found.n_used) == (None, None, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_bursts_have_no_period(seed: int):
    random = np.random.default_rng(seed)
    begins = BASE_NS + np.cumsum(random.exponential(PERIOD_NS, 300))
    bursts = begins[:, None] + np.arange(5) * 10_000 + random.gamma(4, 500, (300, 5))
    assert fit(bursts.ravel()).rhythm is Rhythm.IRREGULAR


@pytest.mark.parametrize("seed", SEEDS)
def test_arrivals_anywhere_in_half_a_period_have_no_fixed_release(seed: int):
    random = np.random.default_rng(seed)
    arrivals = BASE_NS + (np.arange(500) + 0.5 * random.random(500)) * PERIOD_NS
    assert fit(arrivals).rhythm is Rhythm.IRREGULAR


def test_loop_that_sleeps_for_a_time_drifts():
    # Each job begins the sleep plus some work after the one before: errors add up. That is told
    # in 95 of 100 (the test of the walk); deviation 2.2, three of them below: 88.
    random = np.random.default_rng(1)
    found = [fit(BASE_NS + np.cumsum(PERIOD_NS + random.gamma(4, 5_000, 300))) for _ in range(100)]
    drifting = [one for one in found if one.rhythm is Rhythm.DRIFTING]
    assert len(drifting) >= 88
    assert all(one.first_ns is None for one in drifting)
    # Mean of gamma(4, 5 us): 20 us on top of the sleep.
    held = sum(abs(one.period_ns - PERIOD_NS - 20_000) <= one.half_width_ns for one in drifting)
    assert held >= 0.9 * len(drifting)


@pytest.mark.parametrize("seed", SEEDS)
def test_timer_beside_random_wake_ups_keeps_its_period(seed: int):
    random = np.random.default_rng(seed)
    others = BASE_NS + np.cumsum(random.exponential(PERIOD_NS, 600))
    assert is_right(fit(timer(600, random), others))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.7, 0.8, 1.0])
def test_starts_that_wait_for_ticks_give_neither_the_tick_nor_a_multiple(seed: int, share: float):
    # A 5 ms task of which many starts wait for a tick every 4 ms: 20 ms recurs, and is not it; nor
    # are the 4 ms, of which every fifth has no start.
    random = np.random.default_rng(seed)
    arrivals = timer(800, random)
    ticks = np.ceil(arrivals / 4e6) * 4e6 + random.gamma(4, 4_000, 800)
    found = fit(np.where(random.random(800) < share, ticks, arrivals))
    if share < 0.5:
        assert is_right(found)  # most are on time
    else:
        assert found.rhythm is Rhythm.IRREGULAR


def test_late_arrival_belongs_to_the_release_before_it():
    found = fit(BASE_NS + np.arange(100) * PERIOD_NS)
    at_ns = BASE_NS + PERIOD_NS * np.array([0, 1, 1.9, 2, 7.5])
    assert found.slots(at_ns.astype(np.int64)).tolist() == [0, 1, 1, 2, 7]
    assert found.releases_ns(np.array([0, 3])).tolist() == [BASE_NS, BASE_NS + 3 * PERIOD_NS]


def test_irregular_thread_has_no_slots():
    with pytest.raises(ValueError, match="no releases without a period"):
        PeriodFit(Rhythm.IRREGULAR, 20).slots(np.array([1]))


@pytest.mark.parametrize("seed", range(10))
def test_loop_that_was_late_once_is_not_periodic(seed: int):
    # It sleeps for 10.16 ms after each pass; one pass took 0.6 of that longer, and the phase that
    # it then has never comes back.
    random = np.random.default_rng(seed)
    steps_ns = 10_160_000 + random.normal(0, 10_000, 80)
    steps_ns[random.integers(20, 60)] += 6_100_000
    assert estimate_period(np.cumsum(steps_ns).astype(np.int64)).rhythm is not Rhythm.PERIODIC
