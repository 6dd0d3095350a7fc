# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from laxity.core.streams import MEMORY_CASES, dtype_of
from laxity.costs.memory_latency import rows as memory_latency
from laxity.costs.memory_latency.rows import NO_NODE, access_times, entries
from laxity.errors import RecordError

EMPTY_NS = 20
ACCESSES = 4096


def rows(
    elapsed_ns: list[int], *, size: int = 4096, case: str = "chase", accesses: int = ACCESSES
) -> np.ma.MaskedArray:
    """One row per batch on CPU 1, node 0."""
    made = np.zeros(len(elapsed_ns), dtype=dtype_of("memory_latency"))
    made["elapsed_ns"], made["empty_ns"] = elapsed_ns, EMPTY_NS
    made["working_set_bytes"], made["accesses"], made["cpu"] = size, accesses, 1
    made["repetition"] = np.arange(len(elapsed_ns))
    made["line_bytes"], made["case"] = 64, MEMORY_CASES.index(case)
    return np.ma.array(made)


def test_time_per_access_is_without_the_clock():
    # (4116 - 20) / 4096 = 1 ns
    found = access_times(rows([4116] * 6), "a")
    assert [(one.median_ps, one.n, one.runs) for one in found] == [(1000, 6, ("a",))]


def test_picoseconds_are_rounded_not_cut():
    # (1045 - 20) * 1000 / 4096 = 250.24, (1046 - 20) * 1000 / 4096 = 250.49, 1047: 250.73
    found = access_times(rows([1045, 1046, 1047]), "a")[0]
    assert found.samples_ps.tolist() == [250, 250, 251]


def test_five_batches_support_no_verdict_and_six_do():
    # 2 * 0.5^6 = 0.031 < 0.05 < 2 * 0.5^5 = 0.0625
    assert access_times(rows([4116] * 5), "a")[0].verdict == "no_verdict"
    six = access_times(rows([4116] * 6), "a")[0]
    assert (six.verdict, six.interval_ps, six.noise_floor_ps) == ("ok", (1000, 1000), 1)


def test_what_is_no_longer_than_reading_the_clock_is_not_measurable():
    found = access_times(rows([EMPTY_NS] * 6), "a")[0]
    assert (found.median_ps, found.verdict) == (0, "not_measurable")


def test_noise_floor_is_what_equal_repetitions_differ_by():
    # Even ones 1000 ps, odd ones 4000 ps: 3000 ps apart; the interval of the median of 12 in all is
    # from the 3rd to the 10th, 1000 to 4000, half of it 1500.
    found = access_times(rows([4116, 16404] * 6), "a")[0]
    assert found.noise_floor_ps == 3000
    assert found.verdict == "not_measurable"


def test_uncertain_clock_is_in_the_noise_floor():
    made = rows([4116] * 6, accesses=10)
    made["empty_ns"] = [10, 10, 10, 30, 30, 30]
    # The interval of the median of 6 is from the 1st to the 6th, 10 to 30 ns: 20 000 ps / 10 / 2.
    assert access_times(made, "a")[0].noise_floor_ps == 1000


def test_places_are_told_apart_and_sorted():
    made = np.ma.concatenate(
        [
            rows([4116] * 6, size=8192),
            rows([4116] * 6),
            rows([4116] * 6, case="stream_read"),
        ]
    )
    made["node"][:6] = 1
    keys = [
        (one.place.node, one.place.case_name, one.place.working_set_bytes, one.place.is_stream)
        for one in access_times(made, "a")
    ]
    assert keys == [(0, "chase", 4096, False), (0, "read", 4096, True), (1, "chase", 8192, False)]


def test_memory_of_no_chosen_node_has_no_node_axis():
    made = rows([4116] * 6)
    made["node"] = np.ma.masked
    found = access_times(made, "a")
    assert found[0].place.node == NO_NODE
    assert entries(found)[0].axes.node is None


def test_bandwidth_is_lines_of_64_bytes_per_time():
    # (10260 - 20) / 1024 = 10 ns per 64 bytes: 6.4 GB/s
    found = access_times(rows([10260] * 6, case="stream_copy", accesses=1024), "a")[0]
    assert found.bytes_per_s == 6_400_000_000
    assert access_times(rows([4116] * 6), "a")[0].bytes_per_s is None


def test_bound_of_few_batches_is_the_maximum_and_never_falls():
    made = np.ma.concatenate([rows([4116] * 5 + [8212], size=4096), rows([4116] * 6, size=8192)])
    curve = memory_latency.curves(access_times(made, "a"))[0]
    # 8192 / 4096 = 2 ns at the first size; the second one's own maximum is 1 ns.
    assert memory_latency.upper_bound(curve) == [(0, 2000), (4096, 2000), (8192, 2000)]


def test_entries_are_picoseconds_with_the_quantiles_that_n_supports():
    found = entries(access_times(rows([4116] * 36), "run"))
    assert [(one.name, one.unit, one.axes.case) for one in found] == [
        ("memory_latency", "ps", "chase"),
        ("memory_latency", "ps", "chase"),
    ]
    # samples_needed(0.9) = ln 0.025 / ln 0.9 = 35.01, so 36; 368 for p99.
    assert found[0].quantiles == {"0.5": 1000, "0.9": 1000}
    assert found[0].axes.working_set_bytes == 4096
    assert (found[1].axes.working_set_bytes, found[1].points) == (None, [(0, 1000), (4096, 1000)])


def test_streams_are_a_cost_of_their_own():
    found = entries(access_times(rows([4116] * 6, case="stream_write"), "run"))
    assert {(one.name, one.axes.case) for one in found} == {("memory_stream", "write")}


def test_huge_pages_are_another_case():
    made = rows([4116] * 6)
    made["pages"] = 1
    assert entries(access_times(made, "run"))[0].axes.case == "chase_huge"


def test_runs_are_pooled_with_the_larger_noise_floor():
    first = access_times(rows([4116] * 6), "a")
    second = access_times(rows([4116, 4936] * 6), "b")
    pooled = memory_latency.pool([*first, *second])
    # 4936 - 4116 = 820 ns in 4096 accesses: 200 ps
    assert [(one.n, one.noise_floor_ps, one.runs) for one in pooled] == [(18, 200, ("a", "b"))]


@pytest.mark.parametrize(
    ("column", "value"),
    [("case", 6), ("pages", 2), ("accesses", 0), ("elapsed_ns", -1), ("working_set_bytes", 0)],
)
def test_damaged_rows_are_refused(column: str, value: int):
    made = rows([4116] * 6)
    made[column] = value
    with pytest.raises(RecordError, match=f"{column} {value} is no value of a probe"):
        access_times(made, "a")
