# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as costs.json, and as rows of crpd.npy: a model, or a RecordError."""

import sys

import atheris
import numpy as np

with atheris.instrument_imports(include=["laxity"]):
    from laxity.analysis import crpd
    from laxity.errors import RecordError
    from laxity.model.costs import Costs, decode_costs
    from laxity.model.manifest import Tool, encode_document
    from laxity.model.streams import CRPD

ROW = np.dtype([(field.name, field.kind) for field in CRPD])


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of cost models and to the analysis of observations."""
    try:
        costs = decode_costs(data, "costs.json")
    except RecordError as error:
        assert str(error)
    else:
        assert decode_costs(encode_document(costs), "costs.json") == costs
    rows = np.frombuffer(data[: len(data) // ROW.itemsize * ROW.itemsize], ROW)
    try:
        entries = crpd.entries(crpd.gammas(np.ma.MaskedArray(rows), "run"))
    except RecordError as error:
        assert str(error)
        return
    made = Costs(tool=Tool(name="laxity", version="0"), machine_hash="", entries=entries)
    assert decode_costs(encode_document(made), "costs.json") == made


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
