# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a contention table: a table that a plan can be made of, or a ConfigError."""

import sys
from dataclasses import replace

import atheris
import msgspec

with atheris.instrument_imports(include=["laxity"]):
    from laxity.contention.plan import POLICIES, Terms, plan_of
    from laxity.contention.table import decode_table, signed
    from laxity.core.regulate_table import resolve_regulate
    from laxity.core.spec import RegulateTable
    from laxity.errors import ConfigError

TERMS = Terms(resolve_regulate(RegulateTable(), "dijkstra"), core=1)


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of tables, and what it accepts to the writer of plans."""
    try:
        table = decode_table(data)
        again = signed(table)
        assert decode_table(msgspec.json.encode(again)) == again
        for policy in POLICIES:
            n_loads = len(table.phases[0].overheads)
            assert plan_of(table, replace(TERMS, policy=policy, n_loads=n_loads)).isascii()
    except ConfigError as error:
        assert str(error)


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
