# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tables of columns."""

import re
from pathlib import Path

import numpy as np
import pytest

from laxity.model.streams import JOBS, STREAMS, absent_value

PROBES = Path(__file__).parents[2] / "native" / "probes"


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


@pytest.mark.parametrize(
    ("stream", "column", "header", "enum"),
    [
        ("crpd", "case", "crpd.h", "crpd_case"),
        ("crpd", "evict", "crpd.h", "crpd_evict"),
        ("crpd", "pattern", "crpd.h", "crpd_pattern"),
        ("memory_latency", "case", "memory_latency.h", "memory_case"),
    ],
)
def test_meaning_of_a_code_names_every_one_that_the_probe_writes(
    stream: str, column: str, header: str, enum: str
):
    # enum laxity_crpd_evict { LAXITY_CRPD_WRITE, ... LAXITY_CRPD_EVICTS }: the last one counts them
    text = (PROBES / header).read_text()
    body = text.split(f"enum laxity_{enum} {{")[1].split("};")[0]
    names = re.findall(r"^ +LAXITY_[A-Z]+?_([A-Z_]+)", body, re.MULTILINE)[:-1]
    (field,) = [one for one in STREAMS[stream] if one.name == column]
    codes = ", ".join(f"{code} {name.lower()}" for code, name in enumerate(names))
    assert re.split("[:;]", field.meaning)[0] == codes


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
