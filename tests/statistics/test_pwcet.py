# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""pWCET: never a bare point, refused wherever it would mean nothing.

How often a bound is too low is measured by bench/pwcet_coverage.py.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from laxity.statistics.pwcet import bound_pwcet, rarest_of, samples_for
from laxity.statistics.wcet_model import NoPwcet, Pwcet

N = 2_000
GAMMA = stats.gamma(4, scale=3)


def times_ns(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """1.0 is 10 us, on top of 100 us that each job takes."""
    return (values * 10_000 + 100_000).astype(np.int64)


def gamma_ns(n: int = N, seed: int = 7) -> NDArray[np.int64]:
    return times_ns(GAMMA.rvs(n, random_state=np.random.default_rng(seed)))


def refusal(samples_ns: NDArray[np.int64], exceedance: float = 1e-5) -> str:
    found = bound_pwcet(samples_ns, exceedance)
    assert isinstance(found, NoPwcet)
    return found.reason


def test_bound_is_above_the_truth_and_says_what_it_rests_on():
    found = bound_pwcet(gamma_ns(10_000), 1e-6)
    assert isinstance(found, Pwcet)
    truth_ns = GAMMA.isf(1e-6) * 10_000 + 100_000
    assert truth_ns < found.bound_ns < 2 * truth_ns
    assert (found.n, found.n_above, found.exceedance) == (10_000, 1_000, 1e-6)
    assert found.confidence == 0.95
    assert found.shape_low <= 0
    assert found.shape_low < found.shape < found.shape_high
    assert found.threshold_ns < found.max_ns <= found.bound_ns
    names = [gate.name for gate in found.gates]
    assert names == [
        *("resolution", "runs", "runs at the threshold", "Ljung-Box", "Kolmogorov-Smirnov", "KPSS"),
        *("shape", "shape 50%", "shape 25%", "shape of block maxima"),
        *("Anderson-Darling", "stability 50%", "stability 25%", "block maxima", "reach"),
    ]
    assert all(gate.is_open for gate in found.gates)


def test_bound_of_the_same_samples_is_the_same():
    assert bound_pwcet(gamma_ns(), 1e-5) == bound_pwcet(gamma_ns(), 1e-5)


def test_rarer_is_longer():
    bounds = [bound_pwcet(gamma_ns(), exceedance) for exceedance in (1e-3, 1e-4, 1e-5)]
    found = [one.bound_ns for one in bounds if isinstance(one, Pwcet)]
    assert len(found) == 3
    assert found == sorted(found)


def test_bounded_times_get_no_less_than_an_exponential_tail():
    drawn = stats.beta(2, 5, scale=100).rvs(10_000, random_state=np.random.default_rng(3))
    found = bound_pwcet(times_ns(drawn), 1e-6)
    assert isinstance(found, Pwcet)
    assert found.decided_by == "exponential"
    # The end of the distribution: nothing is longer, and the bound does not promise less.
    assert found.bound_ns > 95 * 10_000 + 100_000


def test_heavy_tail_is_refused():
    drawn = stats.pareto(3, scale=10).rvs(10_000, random_state=np.random.default_rng(4))
    told = refusal(times_ns(drawn))
    assert told.startswith("shape: it does not hold that the shape's interval is not above 0")


def test_jobs_that_depend_on_each_other_are_refused():
    generator = np.random.default_rng(5)
    values = np.zeros(N)
    for i in range(1, N):
        values[i] = 0.5 * values[i - 1] + generator.gamma(4, 3)
    assert refusal(times_ns(values)).endswith("they are not alike and independent")


def test_drift_is_refused():
    values = GAMMA.rvs(N, random_state=np.random.default_rng(6)) + np.linspace(0, 6, N)
    assert refusal(times_ns(values)).endswith("they are not alike and independent")


def test_rare_jobs_of_another_kind_are_refused():
    # One job in fifty takes 60 to 65 longer: no one tail fits both.
    generator = np.random.default_rng(7)
    values = generator.normal(20, 1, N)
    values += np.where(generator.uniform(size=N) < 0.02, generator.uniform(60, 65, N), 0)
    assert isinstance(bound_pwcet(times_ns(values), 1e-6), NoPwcet)


def test_steps_of_the_clock_are_refused():
    # Steps of 20 us, of a tail whose mean excess is about 40 us.
    assert refusal(gamma_ns() // 20_000 * 20_000).endswith(
        "the clock is too coarse, or samples too much alike"
    )


def test_value_that_is_most_of_the_tail_is_refused_also_at_the_threshold():
    # Half of the jobs take 300 us exactly, of the others a fiftieth is longer: the threshold lies
    # on 300 us, and too little above it.
    samples_ns = gamma_ns()
    samples_ns[::2] = int(np.quantile(samples_ns, 0.98))
    assert refusal(samples_ns).startswith("resolution")


def test_of_many_samples_1000_are_the_tail():
    drawn = stats.expon(scale=10).rvs(60_000, random_state=np.random.default_rng(2))
    found = bound_pwcet(times_ns(drawn), 1e-6)
    assert isinstance(found, Pwcet)
    assert found.n_above == 1_000
    # 60,000 samples and 1,000 above: a tenth of that is 1 of 600.
    assert "show it themselves; use a quantile" in refusal(times_ns(drawn), 1 / 600)
    assert isinstance(bound_pwcet(times_ns(drawn), 1 / 601), Pwcet)


def student_ns(degrees: int, n: int) -> NDArray[np.int64]:
    """n values that lie as they are expected to, in an order of chance."""
    at = (np.arange(n) + 0.5) / n
    return times_ns(
        np.random.default_rng(11).permutation(stats.t.ppf(at, degrees, loc=20, scale=3))
    )


@pytest.mark.parametrize("n", [10_000, 50_000])
@pytest.mark.parametrize("degrees", [10, 20])
def test_tail_that_grows_heavier_beyond_the_threshold_is_not_bounded_too_low(n: int, degrees: int):
    # Student's shape is -0.16 at one in ten with 10 degrees, 0.05 at one in 10^4, 0.1 at last. A
    # tenth of 50,000 as the tail is sure of -0.04: its bound is 0.75 of the truth.
    found = bound_pwcet(student_ns(degrees, n), 1e-7)
    assert isinstance(found, Pwcet)
    assert found.bound_ns > stats.t.isf(1e-7, degrees, loc=20, scale=3) * 10_000 + 100_000


def test_upper_part_of_the_tail_decides_where_its_shape_is_larger():
    found = bound_pwcet(student_ns(10, 10_000), 1e-7)
    assert isinstance(found, Pwcet)
    # A quarter of a tenth of 10,000.
    assert (found.decided_by, found.n_above, found.n_decided) == ("pareto", 1_000, 250)


def test_one_value_is_refused():
    assert refusal(np.full(N, 1_000)).startswith("resolution")


def test_1999_samples_are_too_few_and_2000_are_not():
    assert refusal(gamma_ns()[:1_999]) == "1999 samples are too few; measure 2000 or more"
    assert isinstance(bound_pwcet(gamma_ns(), 1e-4), Pwcet)


def test_a_tail_is_extrapolated_by_as_many_powers_of_ten_as_it_spans():
    # 200 of 2,000 in the tail, which spans 1/10 to 1/2000: as far again, 1 / (2000 · 200).
    assert rarest_of(2_000) == 2.5e-6
    assert rarest_of(10_000) == 1e-7
    # 1,000 at most: 1 / (30,000 · 1,000) = 3.33e-8, rounded up.
    assert rarest_of(30_000) == 3.4e-8
    assert rarest_of(1_000_000) == 1e-9


def test_samples_that_are_said_to_reach_a_probability_are_the_fewest():
    assert samples_for(1e-9) == 1_000_000
    assert samples_for(1e-7) == 10_000
    # 204 of 2042 in the tail: 1 / 416,568 = 2.4006e-6; of 2043: 1 / 416,772 = 2.3994e-6.
    assert samples_for(2.4e-6) == 2_043


def test_refusal_names_what_these_samples_bear_and_it_is_printed():
    assert refusal(gamma_ns(10_000), 1e-9) == (
        "reach: 1e-09 is rarer than these 10000 samples bear; 1e-07 is possible; "
        "1000000 or more samples may reach it"
    )
    assert isinstance(bound_pwcet(gamma_ns(10_000), 1e-7), Pwcet)
    assert isinstance(bound_pwcet(gamma_ns(10_000), 9.9e-8), NoPwcet)


def test_shape_that_is_known_too_badly_shortens_the_reach():
    # 50 in the upper quarter: a shape up to 0.6 is not excluded, and (e^(0.6 L) - 1) / (0.6 L)
    # is above 10 from L = 6 on.
    samples_ns = times_ns(stats.expon(scale=10).rvs(N, random_state=np.random.default_rng(2)))
    told = refusal(samples_ns, 2.5e-6)
    assert told.endswith("the shape is known too badly, more samples may help")
    possible = float(told.partition("bear; ")[2].partition(" is possible")[0])
    assert 2.5e-6 < possible < 1e-3
    found = bound_pwcet(samples_ns, possible)
    assert isinstance(found, Pwcet)
    assert found.decided_by == "pareto"
    assert isinstance(bound_pwcet(samples_ns, 0.9 * possible), NoPwcet)


@pytest.mark.parametrize("exceedance", [0, -1e-6, 0.01, 1])
def test_probability_that_is_none_of_a_tail_is_an_error(exceedance: float):
    with pytest.raises(ValueError, match=r"is not above 0 and below 0\.01"):
        bound_pwcet(gamma_ns(), exceedance)
