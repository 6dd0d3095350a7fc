# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a user knows about a program and its code does not say, for `laxity workingset`.

A wrong annotation makes live sets too small: so those that were used stand in the answer, and one
that fits nothing, or cannot be about what it names, is refused.
"""

from typing import Any, Literal, get_args

import msgspec

from laxity.core.spec_tables import check_keys, read_document
from laxity.errors import ConfigError

# It is read by people; the bound keeps a mistyped path to a huge file out of memory.
MAX_ANNOTATIONS_BYTES = 1 << 20

# Far above any stack or heap; the bits of that many objects still fit 64 bits.
_MOST_INSTANCES = 1 << 32
_MOST_BYTES = 1 << 24

_HOW_BUFFERS = 'write { object = "ring", device = "both" }, or "reads", or "writes"'


class ObjectBound(
    msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True, omit_defaults=True
):
    """How much of an object there is at once: how many of it, and bytes of each."""

    instances: int | None = None
    bytes: int | None = None


# What a device does with memory whose address it has.
DeviceUse = Literal["reads", "writes", "both"]


class Annotations(
    msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True, omit_defaults=True
):
    """The file; also what laxity-workingset reads, as JSON.

    `recursion`: activations of a function that are on the stack at once, at most. `objects`: by
    their names in objects.csv. `shared`: the only objects that more than one thread or signal
    handler touches; None: not said. `registers`: the only volatile objects that are registers of a
    device, the others are memory as any; None: not said, all may be. `buffers`: what a device does
    with these objects, whether the code gives it their addresses or not.
    """

    recursion: dict[str, int] = {}
    objects: dict[str, ObjectBound] = {}
    shared: list[str] | None = None
    registers: list[str] | None = None
    buffers: dict[str, DeviceUse] = {}


def read_annotations(data: bytes) -> Annotations:
    """Read a file of annotations.

    Raises:
        ConfigError: Not TOML, or something that is not known.
    """
    document = read_document(
        data, ("recursion", "objects", "threads", "devices"), "laxity workingset"
    )
    threads = _table(document, "threads")
    check_keys(threads, ("shared",), "[threads]")
    devices = _table(document, "devices")
    check_keys(devices, ("registers", "buffers"), "[devices]")
    return Annotations(
        recursion={
            name: _count(levels, _MOST_INSTANCES, f'[recursion] "{name}"')
            for name, levels in _table(document, "recursion").items()
        },
        objects={
            name: _bound(bound, f'[objects] "{name}"')
            for name, bound in _table(document, "objects").items()
        },
        shared=_names(threads.get("shared"), "[threads] shared"),
        registers=_names(devices.get("registers"), "[devices] registers"),
        buffers=_buffers(devices.get("buffers", [])),
    )


def _bound(bound: object, where: str) -> ObjectBound:
    if not bound or not isinstance(bound, dict):
        msg = f"{where}: says nothing; write {{ instances = N }} or {{ bytes = N }}"
        raise ConfigError(msg)
    check_keys(bound, ("instances", "bytes"), where)
    instances, size = bound.get("instances"), bound.get("bytes")
    return ObjectBound(
        instances=None if instances is None else _count(instances, _MOST_INSTANCES, where),
        bytes=None if size is None else _count(size, _MOST_BYTES, where),
    )


def _count(value: object, most: int, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        msg = f"{where}: {value} is not a whole number from 1 to {most}; correct it"
        raise ConfigError(msg)
    return value


def _names(value: object, where: str) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        msg = f'{where}: is no list of names; write ["queue", "flag"], or [] for none'
        raise ConfigError(msg)
    return value


def _buffers(value: object) -> dict[str, DeviceUse]:
    """Read [{ object = NAME, device = USE }, ...]; an object has one use."""
    where = "[devices] buffers"
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        msg = f'{where}: is no list of tables; write [{{ object = "ring", device = "both" }}]'
        raise ConfigError(msg)
    buffers: dict[str, DeviceUse] = {}
    for one in value:
        check_keys(one, ("object", "device"), where)
        name, use = one.get("object"), one.get("device")
        if not isinstance(name, str) or use not in get_args(DeviceUse):
            msg = f"{where}: {one} names no object, or no use; {_HOW_BUFFERS}"
            raise ConfigError(msg)
        if name in buffers:
            msg = f'{where}: "{name}" is there twice; say once what the device does with it'
            raise ConfigError(msg)
        buffers[name] = use
    return buffers


def _table(document: dict[str, Any], key: str) -> dict[str, Any]:
    table = document.get(key, {})
    if not isinstance(table, dict):
        msg = f"{key} is not a table; write [{key}]"
        raise ConfigError(msg)
    return table
