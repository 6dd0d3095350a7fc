# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as costs.json, and as rows of crpd.npy and switch.npy: a model, or a RecordError."""

import sys
from typing import Any

import atheris
import numpy as np

with atheris.instrument_imports(include=["laxity"]):
    from laxity.core.streams import STREAMS, Field, absent_value
    from laxity.costs.crpd import rows as crpd
    from laxity.costs.model import Costs, Entry, decode_costs
    from laxity.costs.switch import costs as switch
    from laxity.errors import RecordError
    from laxity.store.manifest import Tool, encode_document


def rows_of(data: bytes, fields: tuple[Field, ...]) -> "np.ma.MaskedArray[Any, Any]":
    """Take bytes as rows of a stream, absent values masked as the reader does."""
    row = np.dtype([(field.name, field.kind) for field in fields])
    rows = np.frombuffer(data[: len(data) // row.itemsize * row.itemsize], row)
    mask: np.ndarray[Any, Any] = np.zeros(rows.shape, np.ma.make_mask_descr(row))
    for field in fields:
        absent = absent_value(field.kind)
        if absent is not None:
            mask[field.name] = rows[field.name] == absent
    return np.ma.MaskedArray(rows, mask=mask)


def entries_of_crpd(data: bytes) -> list[Entry]:
    """Take bytes as crpd.npy."""
    return crpd.entries(crpd.gammas(rows_of(data, STREAMS["crpd"]), "run"))


def entries_of_switch(data: bytes) -> list[Entry]:
    """Take bytes as switch.npy."""
    return switch.entries(switch.costs(rows_of(data, STREAMS["switch"]), "run"))


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of cost models and to the analysis of observations."""
    try:
        costs = decode_costs(data, "costs.json")
    except RecordError as error:
        assert str(error)
    else:
        assert decode_costs(encode_document(costs), "costs.json") == costs
    for entries_of in (entries_of_crpd, entries_of_switch):
        try:
            entries = entries_of(data)
        except RecordError as error:
            assert str(error)
            continue
        made = Costs(tool=Tool(name="laxity", version="0"), machine_hash="", entries=entries)
        assert decode_costs(encode_document(made), "costs.json") == made


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
