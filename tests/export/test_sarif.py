# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Violations of a limit as SARIF."""

from laxity.export.sarif import sarif_document
from laxity.workingset.document import Limit, Place, Violation, WorkingSetAnswer


def answer(*violations: Violation) -> WorkingSetAnswer:
    """Make an answer with a limit of 4 KiB."""
    limit = Limit(limit_bits=4096 * 8, instructions=len(violations), violations=list(violations))
    return WorkingSetAnswer(form="sroa", limit=limit)


def test_a_violation_names_its_line_and_its_size():
    place = Place(
        function="f", block="1", index=2, opcode="load", file="/src/a b.c", line=7, column=3
    )
    # 32769 bits are 4096.125 bytes: 4097 are touched.
    document = sarif_document(answer(Violation(program="p", place=place, live_bits=32769)))
    (result,) = document["runs"][0]["results"]
    assert "4097 bytes; the limit is 4KiB" in result["message"]["text"]
    (location,) = result["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "file:///src/a%20b.c"
    assert physical["region"] == {"startLine": 7, "startColumn": 3}


def test_an_instruction_without_a_line_is_named_by_its_function_and_unbounded_has_no_number():
    place = Place(function="f", block="1", index=2, opcode="load")
    document = sarif_document(answer(Violation(program="p", place=place, live_bits=None)))
    (result,) = document["runs"][0]["results"]
    assert "no bound" in result["message"]["text"]
    assert result["locations"] == [{"logicalLocations": [{"name": "f", "kind": "function"}]}]


def test_a_relative_name_is_a_reference_too():
    place = Place(function="f", block="1", index=2, opcode="load", file="src/a b#1.c", line=7)
    document = sarif_document(answer(Violation(program="p", place=place, live_bits=40000)))
    (location,) = document["runs"][0]["results"][0]["locations"]
    artifact = location["physicalLocation"]["artifactLocation"]
    # A space is no part of a URI, and behind "#" would be a fragment.
    assert artifact == {"uri": "src/a%20b%231.c"}


def test_a_limit_that_holds_has_no_results():
    assert sarif_document(answer())["runs"][0]["results"] == []
