# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tables of columns."""

import numpy as np
import pytest

from laxity.core.streams import (
    STREAMS,
    Cause,
    MarkKind,
    Quantity,
    SchedKind,
    Status,
    SwitchesQuantity,
    absent_value,
)


def test_required_columns_of_jobs_are_those_of_the_design():
    required = {field.name for field in STREAMS["jobs"] if field.is_required}
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


@pytest.mark.parametrize(
    ("stream", "name", "kind", "unit", "meaning"),
    [
        # A code without a meaning is told by its word.
        ("jobs", "status", "u1", "", "0 done, 1 missed, 2 skipped, 3 aborted, 4 pending"),
        # What the column adds comes last.
        (
            "crpd",
            "pattern",
            "u1",
            "",
            "0 sequential, 1 chase, 2 code, 3 jumps; chase: lines in random order",
        ),
        # Of six columns in one entry, the third; the unit is in the name.
        ("crpd", "pass3_ns", "i8", "ns", "pass 3 from the preemption on"),
        (
            "crpd",
            "evict_bytes",
            "u8",
            "bytes",
            "what the preemptor used; flushing: the working set",
        ),
        ("jobs", "preemptions", "i4", "count", None),
    ],
)
def test_a_column_says_its_unit_and_its_codes(
    stream: str, name: str, kind: str, unit: str, meaning: str | None
):
    (field,) = [one for one in STREAMS[stream] if one.name == name]
    assert (field.kind, field.unit) == (kind, unit)
    assert meaning in {None, field.meaning}


def test_meanings_with_commas_are_kept_apart():
    (field,) = [one for one in STREAMS["switches"] if one.name == "quantity"]
    # "0 the kernel's switch, off to on, ...; 1 that alone, ..."
    assert [text.split()[0] for text in field.meaning.split("; ")] == ["0", "1"]


def test_members_of_an_enumeration_are_the_codes_of_its_name():
    assert [member.name for member in MarkKind] == ["PHASE", "PROBE"]
    assert (Cause.NONE, Cause.MEMORY_LIMIT, Cause.KILLED) == (0, 5, 6)
    assert all(list(one) for one in (Status, Cause, Quantity, SchedKind, SwitchesQuantity))
    with pytest.raises(AttributeError):
        Status.UNHEARD_OF  # noqa: B018 - asked for
