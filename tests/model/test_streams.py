# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tables of columns."""

import numpy as np
import pytest

from laxity.model.streams import JOBS, STREAMS, absent_value


def test_columns_of_jobs_stand_in_the_order_of_the_design():
    names = [field.name for field in JOBS]
    assert names == [
        "task",
        "job",
        "release_ns",
        "abs_deadline_ns",
        "start_ns",
        "finish_ns",
        "exec_ns",
        "start_ticks",
        "finish_ticks",
        "tid",
        "cpu_start",
        "cpu_finish",
        "preemptions",
        "blockings",
        "migrations",
        "minor_faults",
        "major_faults",
        "status",
        "cause",
        "calls",
        "roi_ns",
        "roi_count",
    ]


def test_required_columns_of_jobs_are_those_of_the_design():
    required = {field.name for field in JOBS if field.is_required}
    times = {"release_ns", "abs_deadline_ns", "start_ns", "finish_ns"}
    assert required == {"task", "job", "status"} | times


@pytest.mark.parametrize("stream", sorted(STREAMS))
def test_every_column_is_a_numpy_type_and_named_once(stream: str):
    fields = STREAMS[stream]
    assert len({field.name for field in fields}) == len(fields)
    for field in fields:
        assert np.dtype(field.kind).itemsize == int(field.kind[1:])
        assert field.meaning


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("i8", -(2**63)),
        ("i4", -(2**31)),
        ("u1", 255),
        ("u2", 65_535),
        ("u8", 2**64 - 1),
        ("f4", None),
        ("S16", None),
    ],
)
def test_absent_is_the_smallest_signed_or_the_largest_unsigned(kind: str, expected: int | None):
    assert absent_value(kind) == expected
