# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Two cost models, entry by entry."""

from typing import Any

import numpy as np
import pytest
from tests.bounds.made_up_costs import entry, gamma, model

from laxity.compare.comparison import Figure
from laxity.compare.costs import compare_costs, cost_subjects, entry_name
from laxity.costs.model import Costs, Entry


def delta(median: int, p90: int, **more: Any) -> Entry:  # noqa: ANN401 - any field of an entry
    quantiles = {"0.5": median, "0.9": p90}
    return entry("delta", 90_000, case="best", **{"n": 400, "quantiles": quantiles, **more})


def median_of(base: Entry, new: Entry, *noise: Entry) -> Figure:
    found = compare_costs(model(base), model(new), [model(one) for one in noise])
    return next(one for one in found.figures if one.statistic == "median")


def test_a_median_has_an_interval_modelled_from_its_p90():
    # p90 - p50 = 800 hold 0.4 of 400 samples: density 0.0005, standard error
    # 1 / (2 * 0.0005 * 20) = 50, 95 %: 98.0; of both 138.6, rounded up 139. Shift 500.
    found = median_of(delta(10_000, 10_800), delta(10_500, 11_300))
    assert (found.shift, found.low, found.high) == (500, 361, 639)
    # Noise floors 1 + 1.
    assert (found.floor, found.verdict) == (2, "longer")
    assert found.shift_percent == 5.0


def test_few_samples_without_a_p90_have_an_interval_from_their_largest():
    # 1000 hold half of 25 samples: density 0.0005, error 1 / (2 * 0.0005 * 5) = 200, 95 %: 392;
    # of both 554.4.
    few = {"n": 25, "quantiles": {"0.5": 5_000}}
    found = median_of(entry("irq", 6_000, **few), entry("irq", 6_000, **few))
    assert (found.low, found.high) == (-555, 555)


def test_a_difference_within_both_noise_floors_is_below_the_floor():
    # 361 .. 639 as above; 200 + 161 reaches to 0, 200 + 160 does not.
    base = delta(10_000, 10_800, noise_floor=200)
    for floor, verdict in ((161, "below_noise_floor"), (160, "longer")):
        found = median_of(base, delta(10_500, 11_300, noise_floor=floor))
        assert (found.floor, found.verdict) == (200 + floor, verdict)


@pytest.mark.parametrize("kind", ["normal", "skewed", "even"])
@pytest.mark.parametrize("n", [40, 1000])
def test_models_that_do_not_differ_show_a_difference_in_at_most_one_of_twenty(kind: str, n: int):
    # 5 % of 300 are 15; 25 are three standard deviations of 3.8 more.
    random = np.random.default_rng(5)
    draw = {
        "normal": lambda: random.normal(1e6, 1e5, n),
        "skewed": lambda: random.lognormal(13, 0.3, n),
        "even": lambda: random.uniform(1e6, 2e6, n),
    }[kind]
    found = [median_of(sampled(draw()), sampled(draw())).verdict for _ in range(300)]
    assert sum(one in {"longer", "shorter"} for one in found) <= 25


def sampled(samples: "np.ndarray[Any, Any]") -> Entry:
    """Make an entry of samples, nearest ranks."""
    ordered, n = np.sort(samples.astype(np.int64)), samples.size
    return delta(int(ordered[n // 2 - 1]), int(ordered[9 * n // 10 - 1]), n=n, noise_floor=0)


def test_further_models_of_the_baseline_tell_the_noise():
    # 10,000, 10,100, 10,200: standard deviation 100, 4.303 * sqrt(2) * 100 = 608.5.
    more = [delta(median, median + 800) for median in (10_100, 10_200)]
    found = median_of(delta(10_000, 10_800), delta(10_500, 11_300), *more)
    assert (found.floor, found.verdict) == (609, "below_noise_floor")


def test_what_was_not_measurable_has_no_verdict():
    found = median_of(delta(10_000, 11_000), delta(50, 60, verdict="not_measurable"))
    assert (found.verdict, found.reason) == ("no_verdict", "NEW: not measurable")


def test_what_is_simulated_is_so_many_times_what_was_measured():
    def costs(kind: str, *medians: int) -> Costs:
        sizes = (1, 2, 4, 8)
        return model(
            *(
                gamma(size, 90_000, kind=kind, quantiles={"0.5": median}, verdict=verdict)
                for size, median, verdict in zip(
                    sizes, medians, ("ok", "ok", "ok", "not_measurable"), strict=True
                )
            )
        )

    # 1.5, 1 and 5 times; the fourth was not measurable, and tells nothing.
    base, new = costs("measured", 20, 30, 40, 50), costs("simulated", 30, 30, 200, 900)
    medians = [one for one in compare_costs(base, new).figures if one.statistic == "median"]
    assert [one.ratio for one in medians] == [1.5, 1.0, 5.0, 18.0]
    assert [one.is_predicted for one in medians] == [True, True, True, False]
    assert {one.verdict for one in medians} == {"no_verdict"}
    assert not any(one.is_predicted for one in compare_costs(base, base).figures)


def test_a_missing_median_is_no_zero():
    found = median_of(entry("tick", 900, quantiles={}), entry("tick", 900, quantiles={"0.5": 10}))
    assert (found.base, found.shift, found.verdict) == (None, None, "no_verdict")
    assert found.reason == "BASE: no median of 1000 samples"


def test_an_unknown_noise_floor_gives_no_verdict():
    found = median_of(delta(10_000, 11_000, noise_floor=None), delta(12_000, 13_000))
    assert (found.verdict, found.reason) == ("no_verdict", "BASE: its noise floor is not known")


def test_entries_are_matched_by_name_and_axes_and_the_rest_is_named():
    base, new = model(gamma(64, 5_000), gamma(256, 9_000)), model(gamma(64, 6_000), gamma(512, 1))
    found = compare_costs(base, new)
    name = "gamma@{},cpu=1,case=synchronous_chase,evict=write"
    assert {one.subject for one in found.figures} == {name.format("64KiB")}
    assert found.only_base == (name.format("256KiB"),)
    assert found.only_new == (name.format("512KiB"),)


def test_the_largest_samples_are_told_and_not_judged():
    found = compare_costs(model(gamma(64, 5_000)), model(gamma(64, 6_000)))
    largest = next(one for one in found.figures if one.statistic == "max")
    assert (largest.shift, largest.low, largest.verdict) == (1_000, None, "not_judged")


def test_an_entry_without_axes_has_the_name_of_its_cost():
    assert entry_name(entry("tick", 1, cpu=None)) == "tick"


def test_the_curve_over_measured_sizes_is_no_figure_that_is_never_told():
    points = [(64 * 1024, 5_000)]
    curve = entry("gamma", 5_000, points=points, case="synchronous_chase", evict="write")
    one = model(gamma(64, 5_000, quantiles={"0.5": 4_000}), curve)
    measured = entry_name(one.entries[0])
    assert {found.subject for found in compare_costs(one, one).figures} == {measured}
    assert [found.name for found in cost_subjects(one)] == [measured]
