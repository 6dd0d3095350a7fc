# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as the answer of laxity-facts: facts that can be judged, or a LaxityError."""

import sys

import atheris

with atheris.instrument_imports(include=["laxity"]):
    from laxity import __version__
    from laxity.errors import LaxityError
    from laxity.platform.doctor import diagnose
    from laxity.platform.facts_wire import parse_facts, second_request
    from laxity.platform.machine import describe_machine

GREETING = f"laxity-facts {__version__}\n".encode()


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of facts, and what it made of it to those who judge it."""
    try:
        facts = parse_facts(GREETING + data)
    except LaxityError as error:
        assert str(error)
        return
    assert second_request(facts).endswith(b"\n") or not second_request(facts)
    describe_machine(facts)
    try:
        diagnose(facts)
    except LaxityError as error:
        assert str(error)


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
