# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Instructions at which more is live than allowed, as SARIF 2.1.0: what code reviews show."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from laxity import __version__
from laxity.core.units import exact_size
from laxity.workingset.document import BITS_PER_BYTE, Violation, WorkingSetAnswer

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULE = "live-working-set"


def sarif_document(answer: WorkingSetAnswer) -> dict[str, Any]:
    """Write the violations of a limit as one SARIF run.

    Args:
        answer: With a limit.

    Source:
        OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
    """
    violations = [] if answer.limit is None else answer.limit.violations
    limit_bits = 0 if answer.limit is None else answer.limit.limit_bits
    rule = {
        "id": _RULE,
        "shortDescription": {"text": "More data is live than may be."},
        "fullDescription": {
            "text": "The data that must move if the task migrates here exceeds the stated limit."
        },
    }
    driver = {"name": "laxity workingset", "version": __version__, "rules": [rule]}
    run = {
        "tool": {"driver": driver},
        "results": [_result(one, limit_bits) for one in violations],
        "properties": {"form": answer.form, "target": answer.target},
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(one: Violation, limit_bits: int) -> dict[str, Any]:
    found = "no bound" if one.live_bits is None else f"{-(-one.live_bits // BITS_PER_BYTE)} bytes"
    found += " and what has no bound" if one.is_partial else ""
    limit = exact_size(limit_bits // BITS_PER_BYTE)
    text = f"{one.program}: live working set in {one.place.function}: {found}; the limit is {limit}"
    return {
        "ruleId": _RULE,
        "level": "error",
        "message": {"text": text},
        "locations": [_location(one)],
    }


def _location(one: Violation) -> dict[str, Any]:
    place = one.place
    logical = {"name": place.function, "kind": "function"}
    location: dict[str, Any] = {"logicalLocations": [logical]}
    if place.file is not None and place.line is not None:
        path = Path(place.file)
        uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
        region = {"startLine": place.line}
        if place.column:
            region["startColumn"] = place.column
        location["physicalLocation"] = {"artifactLocation": {"uri": uri}, "region": region}
    return location
