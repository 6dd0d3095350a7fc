# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a sample takes, from pairs of a loop without and with samples."""

import pytest

from laxity.store.manifest import (
    Clock,
    Event,
    Interrupts,
    Manifest,
    SampleCost,
    SampledCpu,
    Sampling,
    Tool,
)
from laxity.trace.sampled_words import cost_words, sampling_lines, why_samples_have_no_verdict
from laxity.trace.sampling_cost import Pair, cost_of, is_told_from_noise, least_period_ns

MS, S = 1_000_000, 1_000_000_000


def pairs(*each_ns: int) -> list[Pair]:
    """Pairs of ten samples each, which took so long."""
    return [Pair(1000, 1000 + 10 * one, 10) for one in each_ns]


def test_cost_is_the_median_over_pairs_with_its_ranks_as_interval():
    # Of ten, the 2nd and the 9th enclose the median with 1 - 2 * 11 / 1024 = 97.9 %.
    cost = cost_of(pairs(10, 9, 8, 7, 6, 5, 4, 3, 2, 1))
    assert (cost.n, cost.ns, cost.low_ns, cost.high_ns) == (10, 5.5, 2, 9)
    # Ten samples of 5.5 ns beside 1000 ns.
    assert cost.ratio == pytest.approx(1.055)
    assert is_told_from_noise(cost)


def test_five_pairs_have_no_interval_and_six_have():
    # Even the extremes enclose the median with 1 - 2 / 32 = 93.75 % only; of six, 1 - 2 / 64.
    assert cost_of(pairs(1, 2, 3, 4, 5)) == SampleCost(n=5)
    assert cost_of(pairs(1, 2, 3, 4, 5, 6)).low_ns == 1


@pytest.mark.parametrize(("least_ns", "is_told"), [(-1, False), (0, False), (1, True)])
def test_cost_whose_interval_reaches_nought_is_not_told_from_noise(least_ns: int, is_told: bool):
    cost = cost_of(pairs(least_ns, 2, 3, 4, 5, 6))
    assert is_told_from_noise(cost) == is_told
    assert ("not told from noise" in cost_words(cost)) != is_told


def test_rate_is_chosen_by_the_upper_bound_of_the_cost():
    # 2000 ns of every 200,000 are 1 %.
    assert least_period_ns(SampleCost(n=9, ns=1, low_ns=1, high_ns=2000), 0.01) == 200_000
    assert least_period_ns(SampleCost(n=9, ns=-2, low_ns=-3, high_ns=0), 0.01) is None
    assert least_period_ns(SampleCost(n=2), 0.01) is None


def sampled(**changes: object) -> list[str]:
    cpus = [SampledCpu(cpu=0, samples=500), SampledCpu(cpu=1, samples=400, **changes)]  # type: ignore[arg-type]
    cost = SampleCost(n=40, ns=4000, low_ns=3900, high_ns=4100, ratio=1.05)
    manifest = Manifest(
        tool=Tool(name="laxity", version="0"), kind="observe", name="x", command_line=[],
        status="complete", started_at="", clock=Clock(name="c", t0_ns=0, end_ns=S),
        events=[Event(name="page-faults", platform_event="P"), Event(name="cycles")],
        sampling=Sampling(
            bucket_ns=2 * MS, samples=900, interrupts=Interrupts(cpus=cpus, cost=cost)
        ),
    )  # fmt: skip
    return list(sampling_lines(manifest))


def test_what_samples_took_is_a_share_of_the_cpu_that_had_most():
    # 500 samples of 4 us in a second: 0.2 %.
    first, cost = sampled()
    assert first == (
        "counted on 2 CPUs, whatever ran there: page-faults; read every 2 ms by a timer's "
        "interrupt: 900 samples"
    )
    assert cost.startswith("a sample takes 4 µs (95 % interval 3.90 µs to 4.10 µs, n = 40 pairs")
    assert cost.endswith(": 0.2 % of a CPU, caches not counted")


def test_samples_that_are_not_there_are_told():
    assert "1 sample that the timer owed did not come; counts went on" in sampled(missing=1)
    assert any("held counting back 3 times" in line for line in sampled(throttled=3))
    assert any("took turns" in line for line in sampled(groups=2))
    # While it was held back, nothing was counted.
    assert "1 sample that the timer owed did not come" in sampled(missing=1, throttled=1)


def test_lost_and_throttled_samples_have_no_verdict_and_missing_ones_have():
    def why(lost: int = 0, lost_rows: int = 0, **cpu: int) -> str:
        cpus = [SampledCpu(cpu=0, **cpu)]
        interrupts = Interrupts(cpus=cpus, lost_rows=lost_rows)
        return why_samples_have_no_verdict(Sampling(bucket_ns=MS, lost=lost, interrupts=interrupts))

    assert why() == why(missing=7) == ""
    assert why(lost=3, lost_rows=2) == "3 samples of counters and 2 rows of theirs were lost"
    assert why(throttled=1) == "the kernel held counting back 1 time; sample less often"
    # Samplers of tasks lose what they sleep through, which their task's jobs do not rest on.
    assert why_samples_have_no_verdict(Sampling(bucket_ns=MS, lost=3)) == ""
