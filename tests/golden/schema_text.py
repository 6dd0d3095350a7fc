# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""JSON Schemas as text: one line per member of a type, and the members of a whole document."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

Node = dict[str, Any]


def types_text(documents: dict[str, Node]) -> str:
    """Write the types of all documents, each type once: members in order, type, default.

    Raises:
        AssertionError: Two documents describe one name differently, or a type lacks a description.
    """
    roots = [f"{name}: {_written(node)}" for name, node in documents.items()]
    types: dict[str, Node] = {}
    for document in documents.values():
        for name, node in document["$defs"].items():
            assert types.setdefault(name, node) == node, name
            assert node["title"] == name
            assert node["description"].strip(), name
    return "\n".join([*roots, *(line for name in sorted(types) for line in _type(types[name]))])


def members_of(document: Node) -> list[tuple[str, ...]]:
    """List path, type and allowed values of each member, as the table of a document has them."""
    return list(_members(document, document["$defs"], ""))


def _type(node: Node) -> Iterator[str]:
    required = node.get("required", [])
    properties: dict[str, Node] = node.get("properties", {})
    assert set(required) <= set(properties), node["title"]
    extras = node.get("additionalProperties")
    yield f"\n{node['title']}{'' if extras is None else f' (others: {json.dumps(extras)})'}"
    for name, member in properties.items():
        default = "" if name in required else f" = {json.dumps(member.get('default', '?'))}"
        yield f"  {name}: {_written(member)}{default}"


def _written(node: Node) -> str:
    """Write a type in one line; a constraint without words of its own is written as JSON."""
    rest = dict(node)
    for key in ("default", "$schema", "$defs"):
        rest.pop(key, None)
    if "anyOf" in rest:
        text = " | ".join(_written(one) for one in rest.pop("anyOf"))
    elif "$ref" in rest:
        text = rest.pop("$ref").removeprefix("#/$defs/")
    elif "enum" in rest:
        text = " | ".join(json.dumps(one) for one in rest.pop("enum"))
    elif "prefixItems" in rest:
        text = f"({', '.join(_written(one) for one in rest.pop('prefixItems'))})"
        sizes = rest.pop("type"), rest.pop("minItems"), rest.pop("maxItems"), rest.pop("items")
        assert sizes == ("array", text.count(",") + 1, text.count(",") + 1, False), sizes
    else:
        text = rest.pop("type", "any")
        if "items" in rest:
            text += f" of [{_written(rest.pop('items'))}]"
        if isinstance(rest.get("additionalProperties"), dict):
            text += f" of [{_written(rest.pop('additionalProperties'))}]"
    return f"{text} {json.dumps(rest)}" if rest else str(text)


def _members(node: Node, types: dict[str, Node], path: str) -> Iterator[tuple[str, ...]]:
    choices = _choices(node, types)
    if path:
        kinds = dict.fromkeys(_kind(one, types) for one in choices)
        values = [str(one) for part in choices for one in part.get("enum", []) if one is not None]
        yield path, ", ".join(kinds), " ".join(values)
    for choice in choices:
        for name, member in choice.get("properties", {}).items():
            yield from _members(member, types, f"{path}.{name}" if path else name)
        if isinstance(choice.get("items"), dict):
            yield from list(_members(choice["items"], types, f"{path}[]"))[1:]


def _choices(node: Node, types: dict[str, Node]) -> Sequence[Node]:
    """The alternatives of a node, with references followed."""
    if "$ref" in node:
        return _choices(types[node["$ref"].removeprefix("#/$defs/")], types)
    if "anyOf" in node:
        return [part for one in node["anyOf"] for part in _choices(one, types)]
    return [node]


def _kind(node: Node, types: dict[str, Node]) -> str:
    if "enum" in node:
        return str(node.get("type", "text"))
    kind = str(node.get("type", "any"))
    if kind == "array" and isinstance(node.get("items"), dict):
        inner = dict.fromkeys(_kind(one, types) for one in _choices(node["items"], types))
        return f"array of {', '.join(inner)}"
    return kind
