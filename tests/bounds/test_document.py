# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""bound.json: its members are what `laxity schema bound` lists; damage is told."""

import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest

from laxity.bounds.document import Answer, CostsUsed, decode_answer
from laxity.bounds.members import BOUND_MEMBERS, BOUND_SCHEMA
from laxity.bounds.sensitivity import Factor
from laxity.core.schedulers import Scheduler
from laxity.errors import RecordError

ANSWER = Answer(
    schema=BOUND_SCHEMA,
    verdict="schedulable",
    scheduler=Scheduler.FIXED_PRIORITY,
    priorities="stated",
    tasks=(),
    cpus=(),
    partition=None,
    sensitivity=None,
    costs=CostsUsed(None, None, None, None, ()),
    missing=(),
    not_accounted=(),
    notes=("a note",),
)


def paths(kind: Any, before: str = "") -> Iterator[str]:  # noqa: ANN401 - any annotation
    """Name the members of a dataclass as the schema does; factors are alike and named once."""
    for field in fields(kind):
        name = f"{before}{field.name}"
        inner, is_list = _inner(get_type_hints(kind)[field.name])
        if not is_dataclass(inner):
            yield name
            continue
        if is_list:
            yield from paths(inner, f"{name}[].")
            continue
        if name != "costs":
            yield name
        if inner is Factor:
            yield from (f"{before}*.{one.name}" for one in fields(Factor))
        else:
            yield from paths(inner, f"{name}.")


def _inner(kind: Any) -> tuple[Any, bool]:  # noqa: ANN401 - any annotation
    """Take `| None` and `tuple[..., ...]` off a type."""
    if get_origin(kind) is types.UnionType:
        kind = next(one for one in get_args(kind) if one is not type(None))
    if get_origin(kind) is tuple:
        return get_args(kind)[0], True
    return kind, False


def test_schema_lists_every_member():
    listed = [member.name for member in BOUND_MEMBERS]
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(paths(Answer))


def test_answer_is_read_as_it_was_written():
    assert decode_answer(msgspec.json.encode(ANSWER), "bound.json") == ANSWER


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"{", "unreadable"),
        (b"{}", "unreadable"),
        (msgspec.json.encode({**msgspec.to_builtins(ANSWER), "schema": 99}), "schema 99"),
        (msgspec.json.encode({**msgspec.to_builtins(ANSWER), "verdict": "maybe"}), "unreadable"),
    ],
)
def test_damaged_answer_is_told(data: bytes, told: str):
    with pytest.raises(RecordError, match=told):
        decode_answer(data, "bound.json")
