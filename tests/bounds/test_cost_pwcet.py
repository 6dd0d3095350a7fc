# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""pWCET of entries of a cost model, and which of them a bound needs."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.bounds.made_up_costs import KIB, SWITCHES, entry, gamma, model

from laxity.bounds.cost_pwcet import pwcet_of_samples
from laxity.bounds.platform_costs import Accounted, Choice, account
from laxity.costs.model import Entry
from laxity.errors import NoVerdict
from laxity.tasksets.task_model import Task

P = Decimal("1e-4")
HIGH = Task(name="high", wcet_ns=1, period_ns=10, deadline_ns=10, priority=2, cpu=1)
LOW = replace(HIGH, name="low", priority=1, working_set_bytes=64 * KIB)


class Samples:
    """Gamma-distributed samples of every entry but some; remembers who was asked for."""

    def __init__(self, *without: Entry) -> None:
        self.without = without
        self.asked: list[Entry] = []

    def __call__(self, one: Entry) -> NDArray[np.int64]:
        self.asked.append(one)
        if one in self.without:
            msg = "out of reach"
            raise NoVerdict(msg)
        samples = 1_000 * np.random.default_rng(1).gamma(4, 3, 2_000)
        return samples.astype(np.int64)


def accounted(samples: Samples, *entries: Entry) -> Accounted:
    choice = Choice(exceedance=P, pwcet_of=pwcet_of_samples(samples, P))
    return account(model(*entries), (LOW, HIGH), choice)


def test_each_entry_is_bounded_once_and_only_if_it_counts():
    gammas = [gamma(kib, 5_000) for kib in (32, 64, 128)]
    samples = Samples()
    found = accounted(samples, *SWITCHES, *gammas)
    assert found.missing == ()
    assert len(samples.asked) == len({(one.name, one.axes) for one in samples.asked})
    # 64 KiB hold the working set, so 128 KiB say nothing; the tick's period is a median.
    assert [one for one in samples.asked if one.name == "gamma"] == gammas[:2]
    assert "tick_period" not in {one.name for one in samples.asked}


def test_one_case_without_pwcet_leaves_open_which_is_the_largest():
    best, worst = SWITCHES[:2]
    found = accounted(Samples(best), *SWITCHES, gamma(64, 5_000))
    assert found.costs is None
    assert found.missing == (
        "delta: no pWCET of n = 1000 (best, CPU 1, run R): out of reach; run laxity measure switch "
        "anew (--repetitions), or count costs with --use-costs max",
    )
    # The halves do not stand in for it.
    halves = (entry("preempt_in", 15_000), entry("preempt_out", 8_000))
    assert accounted(Samples(best), best, worst, *halves, gamma(64, 1)).costs is None


@pytest.mark.parametrize("name", ["timer_latency", "release_isr", "tick"])
def test_cost_that_may_be_left_out_is_missing_where_it_was_measured(name: str):
    refused = next(one for one in SWITCHES if one.name == name)
    found = accounted(Samples(refused), *SWITCHES, gamma(64, 5_000))
    assert found.costs is None
    assert [told.partition(":")[0] for told in found.missing] == [name]
    assert not any(f"({name})" in told for told in found.not_accounted)


def test_gamma_without_pwcet_names_the_task():
    refused = gamma(32, 5_000)
    found = accounted(Samples(refused), *SWITCHES, refused, gamma(64, 5_000))
    (told,) = found.missing
    assert told.startswith(
        'gamma of task "low": no pWCET of n = 1000 (synchronous_chase, write, CPU 1, 32KiB, run R)'
    )


def test_what_is_a_bound_already_counts_as_it_is():
    samples = Samples()
    proven = [entry("delta", 10_000, kind="proven"), gamma(64, 5_000, kind="modelled")]
    found = accounted(samples, *proven)
    assert (found.costs.switch_ns, found.costs.gamma_ns) == (20_000, {"low": 5_000})
    assert (samples.asked, [one.pwcet for one in found.used]) == ([], [None, None])


def test_what_is_not_measurable_counts_with_its_noise_floor_if_that_is_larger():
    # Nothing of the samples comes near 1 ms.
    noisy = entry("delta", 10_000, verdict="not_measurable", noise_floor=1_000_000)
    assert accounted(Samples(), noisy, gamma(64, 5_000)).costs.switch_ns == 2_000_000


def test_noise_alone_has_no_pwcet():
    def below_zero(_: Entry) -> NDArray[np.int64]:
        return np.arange(-3_000, 1, dtype=np.int64)

    with pytest.raises(NoVerdict, match="no sample is above 0"):
        pwcet_of_samples(below_zero, P)(entry("delta", 0))
