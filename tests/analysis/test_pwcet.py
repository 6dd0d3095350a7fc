# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""pWCET: never a bare point, refused wherever it would mean nothing.

How often a bound is too low is measured by bench/pwcet_coverage.py.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from laxity.analysis.pwcet import bound_pwcet
from laxity.analysis.wcet_model import NoPwcet, Pwcet

N = 2_000
GAMMA = stats.gamma(4, scale=3)


def times_ns(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """1.0 is 10 us, on top of 100 us that each job takes."""
    return (values * 10_000 + 100_000).astype(np.int64)


def gamma_ns(n: int = N, seed: int = 1) -> NDArray[np.int64]:
    return times_ns(GAMMA.rvs(n, random_state=np.random.default_rng(seed)))


def refusal(samples_ns: NDArray[np.int64], exceedance: float = 1e-6) -> str:
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
        *("Anderson-Darling", "stability 50%", "stability 25%", "shape"),
        *("shape of block maxima", "block maxima"),
    ]
    assert all(gate.is_open for gate in found.gates)


def test_bound_of_the_same_samples_is_the_same():
    assert bound_pwcet(gamma_ns(), 1e-6) == bound_pwcet(gamma_ns(), 1e-6)


def test_rarer_is_longer():
    bounds = [bound_pwcet(gamma_ns(), exceedance) for exceedance in (1e-4, 1e-6, 1e-8)]
    found = [one.bound_ns for one in bounds if isinstance(one, Pwcet)]
    assert len(found) == 3
    assert found == sorted(found)


def test_bounded_times_get_no_less_than_an_exponential_tail():
    drawn = stats.beta(2, 5, scale=100).rvs(N, random_state=np.random.default_rng(3))
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


def test_of_many_samples_5000_are_the_tail():
    drawn = stats.expon(scale=10).rvs(60_000, random_state=np.random.default_rng(2))
    found = bound_pwcet(times_ns(drawn), 1e-6)
    assert isinstance(found, Pwcet)
    assert found.n_above == 5_000
    # 60,000 samples and 5,000 above: a tenth of that is 1 of 120.
    assert "show it themselves; use a quantile" in refusal(times_ns(drawn), 1 / 120)


def test_one_value_is_refused():
    assert refusal(np.full(N, 1_000)).startswith("resolution")


def test_1999_samples_are_too_few_and_2000_are_not():
    assert refusal(gamma_ns()[:1_999]) == "1999 samples are too few; measure 2000 or more"
    assert isinstance(bound_pwcet(gamma_ns(), 1e-6), Pwcet)


def test_one_in_a_hundred_thousand_times_the_samples_is_as_far_as_it_goes():
    # 2000 samples, 10^5 times as rare: 5e-9.
    assert isinstance(bound_pwcet(gamma_ns(), 5e-9), Pwcet)
    assert refusal(gamma_ns(), 4e-9) == ("2000 samples do not reach so far; measure 2500 or more")


@pytest.mark.parametrize("exceedance", [0, -1e-6, 0.01, 1])
def test_probability_that_is_none_of_a_tail_is_an_error(exceedance: float):
    with pytest.raises(ValueError, match=r"is not above 0 and below 0\.01"):
        bound_pwcet(gamma_ns(), exceedance)
