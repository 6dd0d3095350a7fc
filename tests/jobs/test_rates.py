# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Rates between samples, by hand."""

from typing import Any

import numpy as np
import pytest

from laxity.core.streams import STREAMS, absent_value
from laxity.jobs.rates import Rates, Samples, cpus_of, of_cpu, rates_of, rates_of_threads

NOBODY, NOT_COUNTED = absent_value("u2"), absent_value("i8")
T0_NS = 1000


def samples(*rows: tuple[int | float, ...]) -> Samples:
    """Rows of counters.npy, of tasks or of CPUs, absent values masked."""
    fields = STREAMS["counters"][: len(rows[0])]
    table: Any = np.ma.array(list(rows), dtype=[(one.name, one.kind) for one in fields])
    table["task"] = np.ma.masked_equal(table["task"], NOBODY)
    table["value"] = np.ma.masked_equal(table["value"], NOT_COUNTED)
    return table


def test_rate_holds_from_one_sample_to_the_next():
    # 10 in the first 100 ns, 0 in the next 100, 60 in 200 ns: 1e8, 0, 3e8 per second.
    found = rates_of(
        samples((1100, 0, 0, 10, 1), (1200, 0, 0, 10, 1), (1400, 0, 0, 70, 1)), 0, 0, T0_NS
    )
    assert found is not None
    assert found.edges_ns.tolist() == [0, 100, 200, 400]
    assert found.per_s == pytest.approx([1e8, 0, 3e8])
    assert found.mean_per_s == pytest.approx(70 / 400e-9)
    assert (found.n, found.is_exact) == (3, True)


def test_samples_are_told_apart_by_task_and_event():
    rows = samples(
        (1100, 0, 0, 1, 1), (1100, 1, 0, 2, 1), (1100, 1, 1, 3, 1), (1100, NOBODY, 1, 4, 1)
    )
    counts = {
        (task, event): None
        if (one := rates_of(rows, task, event, T0_NS)) is None
        else one.counts[-1]
        for task in (0, 1, None)
        for event in (0, 1)
    }
    assert counts == {(0, 0): 1, (0, 1): None, (1, 0): 2, (1, 1): 3, (None, 0): None, (None, 1): 4}


def test_cpus_are_told_apart_where_samples_are_of_cpus():
    rows = samples((1100, NOBODY, 0, 5, 1, 3, 70), (1110, NOBODY, 0, 9, 1, 1, 0))
    assert cpus_of(rows) == [1, 3]
    found = {cpu: rates_of(of_cpu(rows, cpu), None, 0, T0_NS) for cpu in (1, 3)}
    assert {cpu: one.counts.tolist() for cpu, one in found.items() if one} == {1: [0, 9], 3: [0, 5]}
    assert cpus_of(samples((1100, 0, 0, 5, 1))) == []


def test_count_of_a_shared_counter_is_an_estimate_and_none_is_no_zero():
    # Counted half of the time: 40 are 80. The sample without a count says nothing.
    found = rates_of(
        samples((1100, 0, 0, 40, 2), (1200, 0, 0, NOT_COUNTED, np.nan), (1300, 0, 0, 60, 2)),
        0,
        0,
        T0_NS,
    )
    assert found is not None
    assert found.counts.tolist() == [0, 80, 120]
    assert not found.is_exact


def test_thinned_rates_are_those_of_longer_times():
    all_of_them = Rates(
        np.arange(0.0, 800, 100), np.array([0.0, 1, 3, 6, 10, 15, 21, 28]), is_exact=True
    )
    few = all_of_them.thinned(3)
    # Every third, and the last one.
    assert few.edges_ns.tolist() == [0, 300, 600, 700]
    assert few.per_s == pytest.approx([6 / 300e-9, 15 / 300e-9, 7 / 100e-9])
    assert all_of_them.thinned(7).n == 7


def test_windows_of_a_cpu_are_of_the_thread_that_was_interrupted_at_their_end():
    kinds = [("time_ns", "i8"), ("task", "u2"), ("event", "u2"), ("value", "i8")]
    kinds += [("scale_ratio", "f4"), ("cpu", "i4"), ("tid", "i4")]
    # CPU 1 counts 10, 5, 7 and 1 until its samples of 100, 200, 300 and 400 ns; thread 8 was there
    # at 100, 300 and 400. On CPU 0 it was seen once.
    rows = [
        (t, 65535, 0, v, 1.0, 1, tid)
        for t, v, tid in ((100, 10, 8), (200, 15, 9), (300, 22, 8), (400, 23, 8))
    ]
    rows += [(150, 65535, 0, 40, 1.0, 0, 8)]
    samples = np.ma.masked_array(np.array(rows, dtype=kinds))
    samples["task"].mask = True
    found = rates_of_threads(samples, np.array([8]), 0, 0)
    assert found is not None
    assert np.diff(found.counts).tolist() == [10, 0, 7, 1]
    assert found.edges_ns.tolist() == [0, 100, 200, 300, 400]
    assert rates_of_threads(samples, np.array([5]), 0, 0) is None
