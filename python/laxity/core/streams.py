# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Every stream's fields as data: name, type, unit, meaning. Design: design.md section 4.

Those that native code writes are of `schema/streams.toml`; what Python alone writes stands here. A
quantity that was not measured in a whole run has no column; one that is absent in a row holds the
smallest value of its signed type, or all ones of its unsigned one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from laxity.core.schema import Codes, streams_schema, words_of


class Status(Codes):
    """What became of a release."""


class Cause(Codes):
    """Why a job was aborted."""


class Quantity(Codes):
    """What a row of histogram.npy counts."""


class SchedKind(Codes):
    """What a row of sched.npy says happened."""


class SwitchesQuantity(Codes):
    """What a row of switches.npy counts."""


class MarkKind(Codes):
    """What a row of probe.npy is."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a stream.

    Attributes:
        name: Name, carrying the unit of a quantity.
        kind: Letter and bytes as in numpy: `u2`, `i8`, `f4`, `S16`.
        unit: `ns`, `ticks`, `count`, or empty.
        meaning: One line.
        is_required: Whether every file of this stream has the column.
    """

    name: str
    kind: str
    unit: str
    meaning: str
    is_required: bool = True


def _optional(name: str, kind: str, unit: str, meaning: str) -> Field:
    return Field(name, kind, unit, meaning, is_required=False)


def _unit_of(name: str) -> str:
    return next((unit for unit in _UNITS if name.endswith(f"_{unit}")), "")


def _meaning_of(column: Mapping[str, Any]) -> str:
    """Write what a column means: `0 write, 1 read; of the buffer`."""
    meanings = streams_schema()["codes"][column["codes"]] if "codes" in column else {}
    codes = [f"{code} {meaning or word}" for code, (word, meaning) in enumerate(meanings.items())]
    between = "; " if any("," in text for text in codes) else ", "
    return "; ".join(filter(None, (between.join(codes), column.get("meaning", ""))))


def _fields_of(stream: str) -> tuple[Field, ...]:
    """Return the fields of a stream of the schema; one that is repeated counts from 1."""
    return tuple(
        Field(
            column["name"].replace("%", str(number)),
            column["type"],
            column.get("unit", _unit_of(column["name"])),
            _meaning_of(column).replace("%", str(number)),
            is_required="when" not in column,
        )
        for column in streams_schema()[stream]["columns"]
        for number in range(1, column.get("repeat", 1) + 1)
    )


def _passes_of(stream: str) -> int:
    return sum(field.name.startswith("pass") for field in _fields_of(stream))


_UNITS = ("ns", "bytes", "ticks")

# Words of codes, in the order of their numbers, as the commands take them.
CRPD_CASES = words_of("crpd_case")
CRPD_PATTERNS = words_of("crpd_pattern")
CRPD_ROLES = words_of("crpd_role")
CRPD_EVICTS = words_of("crpd_evict")
CRPD_PASSES = _passes_of("crpd")
MEMORY_CASES = words_of("memory_case")
MEMORY_PAGES = words_of("memory_pages")
MIGRATION_PASSES = _passes_of("migration")
STOP_REASONS = words_of("stop_reason")

SETS = (
    Field("point", "u2", "", "index of the utilisation among experiment.utilisations_ppm"),
    Field("set", "u4", "", "number of the drawn set among those of its utilisation"),
    Field("curve", "u1", "", "index among experiment.curves of manifest.json"),
    Field("schedulable", "u1", "", "1: proven to keep all deadlines; 0: not proven"),
)

# Of `suite vet`: jobs of third-party programs, against those of fresh processes.
VETTED = (
    Field("program", "u2", "", "index among programs of vetting.json"),
    Field("mode", "u1", "", "0 none, 1 reinit, 2 restore, 3 fork, 4 exec"),
    Field("job", "u8", "", "number of the job in its session, from 0"),
    Field("right", "u1", "", "1: end, check and output are those of a fresh process"),
    Field("state", "u1", "", "1: leaves the state that the first job of its session left"),
    Field("instructions", "i8", "count", "by callgrind, in a session of its own; absent: not"),
    Field("duration_ns", "i8", "ns", "of the job; several sessions ran at once: no timing"),
    Field("isolating_ns", "i8", "ns", "between this job and the next, likewise"),
    Field("heap_bytes", "i8", "bytes", "held after the job; absent: not counted"),
    Field("descriptors", "i4", "count", "open beyond those before the first job"),
    Field("threads", "i4", "count", "running beyond those before the first job"),
    Field("handlers", "i4", "count", "signals answered otherwise than before the first job"),
    Field("output_bytes", "i8", "bytes", "written to standard output and error"),
)

STREAMS: Mapping[str, tuple[Field, ...]] = {
    **{name: _fields_of(name) for name in streams_schema() if name != "codes"},
    "sets": SETS,
    "vetted": VETTED,
}
# Streams whose files may hold columns not listed above: one f4 per value that a workload logs, and
# per event of the run one i8 NAME with one f4 NAME_scale_ratio.
STREAMS_WITH_EXTRA_COLUMNS = frozenset({"jobs"})
EXTRA_COLUMN_KINDS = frozenset({"f4", "i8"})
RATIO_SUFFIX = "_scale_ratio"
# What `laxity schema` says of them.
EVENT_FIELDS = (
    _optional(
        "EVENT",
        "i8",
        "count",
        "one column per event of the run, under its name: counted within the job, raw "
        "(events[].empty_count in manifest.json is what reading the counters adds)",
    ),
    _optional(
        f"EVENT{RATIO_SUFFIX}",
        "f4",
        "",
        "time enabled / time counted: 1 = counted all the time, 2 = half of it (multiplexed); "
        "EVENT times this is the estimate for the whole job",
    ),
)


def dtype_of(stream: str) -> list[tuple[str, str]]:
    """Return all columns of a stream as NumPy takes them: name and type.

    Args:
        stream: Key of `STREAMS`.
    """
    return [(field.name, field.kind) for field in STREAMS[stream]]


def absent_value(kind: str) -> int | None:
    """Return the value that stands for "absent" in a column of a type.

    Args:
        kind: Letter and bytes: `i8`, `u2`, `f4`, `S16`.

    Returns:
        The smallest value of a signed type, all ones of an unsigned one; None for other types:
        NaN is absent in a floating-point column, and text has no absent value.
    """
    letter, bits = kind[0], 8 * int(kind[1:])
    if letter == "i":
        return -(1 << (bits - 1))
    if letter == "u":
        return (1 << bits) - 1
    return None
