# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""costs.json as the design describes it."""

import json

import msgspec
import pytest

from laxity.costs.model import MEMBERS, Axes, Costs, Entry, decode_costs
from laxity.errors import RecordError
from laxity.store.manifest import Tool, encode_document


def model() -> Costs:
    entry = Entry(
        name="gamma",
        kind="measured",
        n=60,
        quantiles={"0.5": 100},
        max=300,
        noise_floor=20,
        verdict="ok",
        runs=["a"],
        axes=Axes(cpu=1, working_set_bytes=4096, case="synchronous_chase", evict="write"),
        points=[(0, 5), (4096, 300)],
    )
    return Costs(tool=Tool(name="laxity", version="0"), machine_hash="ab", entries=[entry])


def test_members_are_those_of_the_design():
    document = json.loads(encode_document(model()))
    assert list(document) == ["schema", "tool", "machine_hash", "entries"]
    entry = document["entries"][0]
    assert list(entry) == [
        *("name", "kind", "unit", "n", "quantiles", "max", "noise_floor", "verdict", "runs"),
        *("axes", "points"),
    ]
    axes = ["cpu", "cpu_to", "node", "working_set_bytes", "case", "evict"]
    assert list(entry["axes"]) == axes


def test_every_member_is_explained():
    document = json.loads(encode_document(model()))
    names = {f"entries[].{name}" for name in document["entries"][0]} - {"entries[].axes"}
    names |= {f"entries[].axes.{name}" for name in document["entries"][0]["axes"]}
    # Left out of a model without tables.
    others = {"schema", "tool", "machine_hash", "contention"}
    assert {member.name for member in MEMBERS} == names | others


def test_model_is_read_as_it_was_written():
    assert decode_costs(encode_document(model()), "f") == model()


@pytest.mark.parametrize(
    "change",
    [
        {"entries": [{"name": "gamma"}]},
        {"schema": 2},
        {"schema": "1"},
        {"extra": 1},
        {"machine_hash": None},
    ],
)
def test_anything_else_is_refused(change: dict[str, object]):
    document = msgspec.to_builtins(model()) | change
    with pytest.raises(RecordError, match=r"^f: "):
        decode_costs(msgspec.json.encode(document), "f")


@pytest.mark.parametrize("data", [b"", b"\xff", b"[" * 100_000, b"{}"])
def test_bytes_that_are_no_model_are_refused(data: bytes):
    with pytest.raises(RecordError, match=r"^f: "):
        decode_costs(data, "f")
