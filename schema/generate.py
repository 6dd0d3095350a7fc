# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Write the C header of a schema: `generate.py SCHEMA.toml [OTHER.toml...] HEADER.h`.

Called by meson. Others lend the schema their codes; it includes their headers. Needs nothing but
Python's standard library: the native half builds without the rest.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

C_TYPES = {
    "u1": "uint8_t",
    "u2": "uint16_t",
    "u4": "uint32_t",
    "u8": "uint64_t",
    "i4": "int32_t",
    "i8": "int64_t",
    "f4": "float",
}
# A member cannot be called as a keyword is.
KEYWORDS = frozenset({"case"})

# Of counts of pages.
PAGE_BYTES = 4096
# Of an option: its kind of value in native/cli/option.h, C type, and what its member ends with.
OPTION_TYPES = {
    "duration": ("DURATION", "int64_t", "_ns"),
    "size": ("SIZE", "uint64_t", "_bytes"),
    "count": ("COUNT", "uint64_t", ""),
    "choice": ("CHOICE", "int", ""),
    "flag": ("FLAG", "bool", ""),
    "text": ("TEXT", "const char *", ""),
    "cpus": ("CPUS", "struct laxity_cpus", ""),
    "word": ("WORD", "struct laxity_words", ""),
    "keep": ("KEEP", "struct laxity_keep_value", ""),
    "sizes": ("SIZES", "struct laxity_numbers", "s_bytes"),
    "counts": ("COUNTS", "struct laxity_numbers", "s"),
    "choices": ("CHOICES", "bool", ""),
    "pairs": ("PAIRS", "struct laxity_cpu_pairs", "s"),
}
# May be repeated; their default is of no member: the parser takes it where no word is given.
LISTS = frozenset({"sizes", "counts", "choices", "pairs"})
INT_MAX = (1 << 31) - 1
UINT_MAX = (1 << 32) - 1

Column = dict[str, Any]
Option = dict[str, Any]


def column_names(column: Column) -> list[str]:
    """Name the columns of a file that an entry stands for."""
    numbers = range(1, column.get("repeat", 1) + 1)
    return [column["name"].replace("%", str(number)) for number in numbers]


def size_of(column: Column) -> int:
    """Give the bytes of one column."""
    return int(column["type"][1:])


def member(column: Column) -> str:
    """Declare the member of a row's struct."""
    name = column["name"].replace("%", "")
    name += "_" if name in KEYWORDS else ""
    if column["type"][0] == "S":
        return f"char {name}[{size_of(column)}]"
    repeated = f"[{column['repeat']}]" if "repeat" in column else ""
    return f"{C_TYPES[column['type']]} {name}{repeated}"


def absent(column: Column) -> str:
    """Initialise the member of a row's struct with what stands for "absent"."""
    letter, bits = column["type"][0], 8 * size_of(column)
    values = {"i": f"INT{bits}_MIN", "u": f"UINT{bits}_MAX", "f": '__builtin_nanf("")'}
    return f".{column['name']} = {values[letter]}"


def has_padding(columns: list[Column]) -> bool:
    """Tell whether a compiler would leave a gap in the struct or behind it."""
    at, widest = 0, 1
    for column in columns:
        bytes_ = size_of(column)
        aligned = 1 if column["type"][0] == "S" else bytes_
        if at % aligned:
            return True
        at += bytes_ * column.get("repeat", 1)
        widest = max(widest, aligned)
    return at % widest != 0


def enum_of(key: str, words: dict[str, str]) -> list[str]:
    """Write the enumeration of codes, and how many there are."""
    prefix = f"LAXITY_{key.upper()}"
    lines = [f"    {prefix}_{word.upper()} = {code}," for code, word in enumerate(words)]
    return [
        f"enum laxity_{key} {{",
        *lines,
        "};",
        "enum {",
        f"    {prefix}_COUNT = {len(words)},",
        "};",
        f"#define {prefix}_WORDS " + ", ".join(f'"{word}"' for word in words),
    ]


def stream_of(name: str, stream: dict[str, Any]) -> list[str]:
    """Write the columns of a stream and its row; of one with a tail also those without it."""
    columns = stream["columns"]
    if stream.get("has_tail"):
        always = [column for column in columns if "when" not in column]
        tail = columns[len(always) :]
        when = next(column["when"] for column in columns if "when" in column)
        if any(column.get("when") != when for column in tail):
            message = f"{name}: columns of its tail must come last and exist together"
            raise SystemExit(message)
        return [*row_of(name, always), "", *row_of(f"{name}_{when}", columns)]
    if any("when" in column for column in columns):
        listed = [
            f"    COLUMN({column['name']}, '{column['type'][0]}', {size_of(column)}, "
            f"LAXITY_WHEN_{column.get('when', 'always').upper()})"
            for column in columns
        ]
        row = [f"    {member(column)};" for column in columns]
        return [
            f"/* {name}.npy: COLUMN(name, kind, bytes, when) of each, the members of a row, and",
            " * a row in which everything is absent. */",
            "enum {",
            f"    LAXITY_{name.upper()}_COLUMN_COUNT = {len(columns)},",
            "};",
            f"#define LAXITY_{name.upper()}_COLUMNS(COLUMN) " + "\\",
            " \\\n".join(listed),
            f"#define LAXITY_{name.upper()}_MEMBERS " + "\\",
            " \\\n".join(row),
            f"#define LAXITY_{name.upper()}_ABSENT " + "\\",
            ", \\\n".join(f"    {absent(column)}" for column in columns),
        ]
    return row_of(name, columns)


def row_of(name: str, columns: list[Column]) -> list[str]:
    """Write a row as it lies in the file, and its fields."""
    fields = [
        f"    {{\"{one}\", '{column['type'][0]}', {size_of(column)}}}"
        for column in columns
        for one in column_names(column)
    ]
    counts = [f"    LAXITY_{name.upper()}_FIELD_COUNT = {len(fields)},"]
    counts += [
        f"    LAXITY_{name.upper()}_{column['name'].partition('%')[0].upper()}_COUNT = "
        f"{column['repeat']},"
        for column in columns
        if "repeat" in column
    ]
    packed = "__attribute__((packed)) " if has_padding(columns) else ""
    return [
        f"/* {name}: a row as it lies in the file; its fields, a struct laxity_field each. */",
        "enum {",
        *counts,
        "};",
        f"struct {packed}laxity_{name}_row {{",
        *(f"    {member(column)};" for column in columns),
        "};",
        f"#define LAXITY_{name.upper()}_FIELDS " + "\\",
        ", \\\n".join(fields),
    ]


def limits_of(limits: dict[str, int]) -> list[str]:
    """Write numbers that bound something."""
    small = [f"    LAXITY_{name.upper()} = {n}," for name, n in limits.items() if n <= INT_MAX]
    large = [
        f"#define LAXITY_{name.upper()} INT64_C({n})" for name, n in limits.items() if n > INT_MAX
    ]
    return ["enum {", *small, "};", *large]


def option_member(option: Option) -> str:
    """Name the member that keeps an option."""
    if "member" in option:
        return str(option["member"])
    prefix = {"flag": "is_", "choices": "has_"}.get(option["type"], "")
    unit: str = OPTION_TYPES[option["type"]][2]
    return prefix + str(option["name"]).replace("-", "_") + unit


def option_default(option: Option) -> str | None:
    """Say what the member has if nothing is written; None: zero."""
    default = option.get("default")
    if option["type"] in LISTS:
        return None
    if isinstance(default, str):
        if option["type"] == "keep":
            return f"{{.keep = LAXITY_KEEP_{default.upper()}}}"
        return f"LAXITY_{option['choices'].upper()}_{default.upper()}"
    if default is None and option["type"] == "duration":
        return "LAXITY_ABSENT_NS"
    return None if default is None else str(default)


def own_type(option: Option) -> str:
    """Give the type of a task's own configuration: fixed, for processes of one run share it."""
    if option["type"] == "choice":
        return f"enum laxity_{option['choices']}"
    if option["type"] == "flag" or (option["type"] == "count" and option["high"] <= UINT_MAX):
        return "uint32_t"
    return OPTION_TYPES[option["type"]][1]


def own_cast(option: Option) -> str:
    """Cast to that type, where it differs from what options fill."""
    kind = own_type(option)
    return "" if kind == OPTION_TYPES[option["type"]][1] else f"({kind})"


def option_declared(option: Option) -> str:
    """Declare the member of what is filled."""
    size = f"[LAXITY_{option['choices'].upper()}_COUNT]" if option["type"] == "choices" else ""
    return declared(OPTION_TYPES[option["type"]][1], option_member(option) + size)


def declared(kind: str, name: str) -> str:
    """Declare a member."""
    return f"    {kind}{'' if kind.endswith('*') else ' '}{name};"


def option_entry(option: Option, codes: dict[str, Any], longest_ns: int) -> str:
    """Write the initialiser of a `struct laxity_option`."""
    kind = OPTION_TYPES[option["type"]][0]
    default = option.get("default")
    # Of a count the number itself: `shown` may be what laxity does.
    shown = option.get("shown", default)
    shown = default if option["type"] == "count" and default is not None else shown
    parts = [
        f'.name = "--{option["name"]}"',
        f".kind = LAXITY_OPTION_{kind}",
        f".offset = offsetof(target, {option_member(option)})",
        f'.help = "{option["help"]}"',
    ]
    if "letter" in option:
        parts.append(f".letter = '{option['letter']}'")
    if "metavar" in option:
        parts.append(f'.metavar = "{option["metavar"]}"')
    if "choices" in option:
        words = list(codes[option["choices"]])[: option.get("first")]
        parts.append(f'.choices = "{" ".join(words)}"')
    if "needed" in option:
        parts.append(f'.needed = "{option["needed"]}"')
    if option["type"] in LISTS and default is not None:
        parts.append(f'.initial = "{default}{"B" if option["type"] == "sizes" else ""}"')
    if shown is not None:
        parts.append(f'.default_text = "{shown}"')
    if option.get("none"):
        parts.append(".has_none = 1")
    high = option.get("high", longest_ns if option["type"] == "duration" else 0)
    parts.append(f".low = {option.get('low', 0)}, .high = INT64_C({high})")
    return "    {" + ", ".join(parts) + "}"


def options_of(
    group: str, options: list[Option], codes: dict[str, Any], longest_ns: int
) -> list[str]:
    """Write the options of a group as macros: their table, the struct they fill, its defaults."""
    prefix = f"LAXITY_{group.upper()}"
    defaults = [(option_member(option), option_default(option)) for option in options]
    own = [option for option in options if option.get("own")]
    macros = {
        f"{prefix}_OPTIONS(target)": ", \\\n".join(
            option_entry(option, codes, longest_ns) for option in options
        ),
        f"{prefix}_OPTION_MEMBERS": " \\\n".join(map(option_declared, options)),
        f"{prefix}_OPTION_DEFAULTS": ", \\\n".join(
            f"    .{member} = {value}" for member, value in defaults if value is not None
        )
        or "    0",
    }
    if own:
        macros[f"{prefix}_OWN_MEMBERS"] = " \\\n".join(
            declared(own_type(option), option_member(option)) for option in own
        )
        macros[f"{prefix}_OWN(from)"] = ", \\\n".join(
            f"    .{option_member(option)} = {own_cast(option)}(from)->{option_member(option)}"
            for option in own
        )
    lines = [
        f"/* The options of {group}: struct laxity_option each; members and defaults of the",
        " * target that they fill; what of it all processes share. */",
    ]
    for name, text in macros.items():
        lines += [f"#define {name} " + "\\", text]
    return lines


def whens_of(streams: dict[str, dict[str, Any]]) -> list[str]:
    """Write the enumeration of what a run must measure for a column to exist."""
    mixed = [stream["columns"] for stream in streams.values() if not stream.get("has_tail")]
    named = [one["when"] for columns in mixed for one in columns if "when" in one]
    lines = [f"    LAXITY_WHEN_{word.upper()}," for word in ("always", *dict.fromkeys(named))]
    return ["enum laxity_when {", *lines, "};"]


def with_bounds(option: Option, limits: dict[str, int]) -> Option:
    """Put numbers in place of names of limits."""
    bounds = {key: option[key] for key in ("low", "high") if key in option}
    return option | {key: limits.get(bound, bound) for key, bound in bounds.items()}


def registry_of(probes: dict[str, Any]) -> list[str]:
    """Write the struct that the options of each probe fill, and PROBE(name, NAME) of each."""
    lines: list[str] = []
    for name, probe in probes.items():
        if not probe.get("options"):
            message = f"probes.{name}: no options, and C has no empty struct; declare one"
            raise SystemExit(message)
        lines += [
            "",
            f"/* {probe['meaning']} */",
            f"struct laxity_{name}_settings {{",
            f"    LAXITY_{name.upper()}_OPTION_MEMBERS",
            "};",
        ]
    listed = [f"    PROBE({name}, {name.upper()})" for name in probes]
    return [*lines, "", "#define LAXITY_PROBES(PROBE) " + "\\", " \\\n".join(listed)]


def setting_of(
    key: dict[str, Any], name: str, table: dict[str, Any], numbers: dict[str, int]
) -> str:
    """Write SETTING(name, member, is_needed, most, low, high) of a key that the model knows.

    Args:
        key: The key.
        name: Of the setting; # is the number of one of a list.
        table: That has it.
        numbers: Limits, and how many words each choice has.
    """
    kind, low, high = key["type"], key.get("low", 0), key.get("high", 0)
    cache = table.get("cache", "")
    member = key["member"].replace("%", cache)
    is_needed = not cache and "most" not in table
    if kind == "cycles":
        # In ticks, of which a cycle has any number.
        low, high = min(low, 1), numbers["setting_max"]
    elif kind == "partition":
        return f'SETTING("{name}", {member}, false, {numbers["cores_max"]}, 1, UINT64_MAX)'
    elif kind == "hops":
        most, high = numbers["domains_max"], numbers["setting_max"]
        return f'SETTING("{name}.#", {member}, false, {most}, 0, UINT64_C({high}))'
    elif key["name"] == "way_to":
        high = numbers["regions_max"]
    elif kind == "sharing":
        low, high = 1, numbers["cores_max"]
    elif kind == "choice":
        high = numbers[key["choices"]] - 1
    elif kind == "flag":
        high = 1
    elif key.get("lines"):
        low = min(low, 1)
    elif key.get("pages"):
        low, high = low * PAGE_BYTES, high * PAGE_BYTES
    needed = "true" if is_needed else "false"
    return f'SETTING("{name}", {member}, {needed}, 1, {low}, UINT64_C({high}))'


def settings_of(schema: dict[str, Any]) -> list[str]:
    """Write the settings of a platform: those of a list once for each that there can be."""
    numbers = schema["limits"] | {key: len(words) for key, words in schema["codes"].items()}
    known = [(key, table) for key in schema["keys"] if "member" in key for table in key["tables"]]
    made = []
    for key, table in known:
        declared = schema["tables"].get(table, {})
        place = f"{table}.#" if "most" in declared else table
        setting = setting_of(key, f"{place}.{key['name']}".lstrip("."), declared, numbers)
        most = numbers[declared.get("most", "domains_max")]
        made += [setting.replace("#", str(n)) for n in range(most if "#" in setting else 1)]
    first = [
        f'SETTING("ticks_per_s", ticks_per_s, true, 2, 1, UINT64_C({numbers["ticks_per_s_max"]}))',
        f'SETTING("levels", n_levels, true, 1, 0, {numbers["levels_max"]})',
        f'SETTING("regions", n_regions, true, 1, 0, {numbers["regions_max"]})',
    ]
    return [
        "/* What laxity-sim is told: SETTING(name, member, is_needed, most, low, high) of each,",
        " * up to `most` numbers within low and high. */",
        "#define LAXITY_PLATFORM_SETTINGS(SETTING) " + "\\",
        " \\\n".join(f"    {one}" for one in [*first, *made]),
    ]


def top_of(source: str) -> list[str]:
    """Write what a header begins with."""
    guard = f"LAXITY_SCHEMA_{Path(source).stem.upper()}_H"
    made = f"/* Made of schema/{source} by schema/generate.py. */"
    return [made, f"#ifndef {guard}", f"#define {guard}", ""]


def platform_header(schema: dict[str, Any], source: str) -> str:
    """Write the header of the declaration of platform files."""
    events = enum_of("model_event", schema["codes"]["model_event"])
    parts = [*limits_of(schema["limits"]), "", *events, "", *settings_of(schema)]
    return "\n".join([*top_of(source), "#include <stdint.h>", "", *parts, "", "#endif", ""])


def header_of(schema: dict[str, Any], source: str, others: dict[str, dict[str, Any]]) -> str:
    """Write the whole header.

    Args:
        schema: What the file says.
        source: Its name.
        others: By the stem of their files.
    """
    if "keys" in schema:
        return platform_header(schema, source)
    codes, probes = schema.get("codes", {}), schema.get("probes", {})
    options = schema.get("options", {}) | {
        name: one.get("options", []) for name, one in probes.items()
    }
    known = codes | {key: words for one in others.values() for key, words in one["codes"].items()}
    limits = schema.get("limits", {})
    streams = {name: table for name, table in schema.items() if "columns" in table}
    lines = top_of(source)
    if probes:
        included = ["base/cpus.h", "base/lists.h", *(f"schema/{stem}.h" for stem in others)]
        lines += [*(f'#include "{name}"' for name in included), "", "#include <stdbool.h>"]
    lines.append("#include <stdint.h>")
    for key, words in codes.items():
        lines += ["", *enum_of(key, words)]
    if limits:
        lines += ["", *limits_of(limits)]
    for group, listed in options.items():
        bounded = [with_bounds(option, limits) for option in listed]
        lines += ["", *options_of(group, bounded, known, limits.get("duration_max_ns", 0))]
    if probes:
        lines += registry_of(probes)
    if streams:
        lines += ["", *whens_of(streams)]
    for name, stream in streams.items():
        lines += ["", *stream_of(name, stream)]
    return "\n".join([*lines, "", "#endif", ""])


def main(source: Path, *others: Path, output: Path) -> None:
    """Read the schema and write the header."""
    schema, *lent = (tomllib.loads(one.read_text(encoding="utf-8")) for one in (source, *others))
    by_stem = dict(zip((one.stem for one in others), lent, strict=True))
    output.write_text(header_of(schema, source.name, by_stem), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:-1]), output=Path(sys.argv[-1]))
