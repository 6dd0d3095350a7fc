# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""JSON documents that laxity writes, each with the type that reads or makes it."""

import importlib
from typing import Any

import msgspec

# Name: (what it is, module, type in it).
DOCUMENTS = {
    "manifest": ("manifest.json of a run", "laxity.store.manifest", "Manifest"),
    "machine": ("machine.json of a run", "laxity.platform.machine", "Machine"),
    "doctor": (
        "what laxity doctor prints; doctor.json of a run holds one before and one after",
        "laxity.platform.doctor",
        "Diagnosis",
    ),
    "compare": ("what laxity compare prints", "laxity.compare.sides", "Answer"),
    "cache-misses": (
        "misses.json of a test of cache counters",
        "laxity.costs.cache_misses.document",
        "CacheMisses",
    ),
    "profile": ("profile.json of a profile", "laxity.profile.document", "Profile"),
    "reproduction": (
        "reproduction.json of a run: values of a paper, and ours",
        "laxity.papers.result",
        "Reproduction",
    ),
    "suite-run": ("suite.json of a suite run", "laxity.suites.result", "SuiteDocument"),
    "vetting": ("vetting.json of a vetting", "laxity.suites.result", "VettingDocument"),
    "workingset": (
        "workingset.json of a run; what laxity workingset prints",
        "laxity.workingset.document",
        "WorkingSetAnswer",
    ),
    "hints": (
        "what laxity workingset --hints writes",
        "laxity.workingset.migration_points_document",
        "Hints",
    ),
}
_REFERENCE = "$ref"


def document_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document.

    Args:
        name: Of `DOCUMENTS`.
    """
    _, module, attribute = DOCUMENTS[name]
    found = msgspec.json.schema(getattr(importlib.import_module(module), attribute))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def document_members(name: str) -> list[tuple[str, str, str]]:
    """List the members of a document: path, type, values that it may have."""
    schema = document_schema(name)
    return list(_members(schema, schema["$defs"], ""))


def _members(node: dict[str, Any], types: dict[str, Any], path: str) -> list[tuple[str, str, str]]:
    """List the members below a node, itself first unless it is the whole document."""
    choices = _choices(node, types)
    rows = [(path, _type_of(choices, types), _values_of(choices))] if path else []
    for choice in choices:
        for key, member in choice.get("properties", {}).items():
            rows += _members(member, types, f"{path}.{key}" if path else key)
        items = choice.get("items")
        if isinstance(items, dict):
            rows += _members(items, types, f"{path}[]")[1:]
    return rows


def _choices(node: dict[str, Any], types: dict[str, Any]) -> list[dict[str, Any]]:
    """List the alternatives of a node; an alternative may itself be a choice of types."""
    while _REFERENCE in node:
        node = types[node[_REFERENCE].rpartition("/")[2]]
    if "anyOf" not in node:
        return [node]
    return [choice for one in node["anyOf"] for choice in _choices(one, types)]


def _type_of(choices: list[dict[str, Any]], types: dict[str, Any]) -> str:
    words: list[str] = []
    for choice in choices:
        kind = choice.get("type", "text" if "enum" in choice else "any")
        if kind == "array" and isinstance(choice.get("items"), dict):
            kind = f"array of {_type_of(_choices(choice['items'], types), types)}"
        words.append(str(kind))
    return ", ".join(dict.fromkeys(words))


def _values_of(choices: list[dict[str, Any]]) -> str:
    values = [value for choice in choices for value in choice.get("enum", [])]
    return " ".join(str(value) for value in values if value is not None)
