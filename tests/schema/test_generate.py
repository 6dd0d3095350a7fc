# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The header that is made of a schema, as a C compiler understands it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.laxity_command import ROOT

from laxity.core.streams import STREAMS, dtype_of

SCHEMA = """
[codes.colour]
red = ""
dark_blue = "at night"

[dots]
columns = [
  { name = "time_ns", type = "i8", meaning = "when" },
  { name = "pass%_ns", repeat = 3, type = "i8", meaning = "pass %" },
  { name = "case", type = "u1", codes = "colour" },
]

[gapless]
columns = [
  { name = "a", type = "u4", meaning = "a" },
  { name = "b", type = "i4", meaning = "b" },
  { name = "text", type = "S8", meaning = "text" },
]

[jobs]
columns = [
  { name = "task", type = "u2", meaning = "task" },
  { name = "ticks", type = "u8", when = "ticks", meaning = "ticks" },
]
"""
PROGRAM = """
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "schema.h"

struct field { const char *name; char kind; unsigned bytes; };
static const struct field dots[] = {LAXITY_DOTS_FIELDS};
#define SHOW(name, kind, bytes, when) printf("%s %c%d %d\\n", #name, kind, bytes, when);
struct job { LAXITY_JOBS_MEMBERS };
static const struct job absent = {LAXITY_JOBS_ABSENT};

int main(void)
{
    struct laxity_dots_row row = {.case_ = LAXITY_COLOUR_DARK_BLUE};
    for (int i = 0; i < LAXITY_DOTS_FIELD_COUNT; i++) {
        printf("%s %c%u\\n", dots[i].name, dots[i].kind, dots[i].bytes);
    }
    printf("%d %d %d\\n", row.case_, LAXITY_COLOUR_COUNT, LAXITY_DOTS_PASS_COUNT);
    printf("%zu %zu\\n", sizeof row, offsetof(struct laxity_dots_row, case_));
    printf("%zu %zu\\n", sizeof(struct laxity_gapless_row), _Alignof(struct laxity_gapless_row));
    LAXITY_JOBS_COLUMNS(SHOW)
    printf("%d %zu\\n", LAXITY_JOBS_COLUMN_COUNT, sizeof(((struct job *)0)->ticks));
    printf("%u %llx\\n", absent.task, (unsigned long long)absent.ticks);
    return 0;
}
"""


GENERATE = (sys.executable, str(ROOT / "schema" / "generate.py"))


def make(directory: Path, schema: str, program: str) -> str:
    """Compile a program with the header of a schema and give what it prints."""
    (directory / "schema.toml").write_text(schema)
    (directory / "program.c").write_text(program)
    for command in (
        [*GENERATE, "schema.toml", "schema.h"],
        ["cc", "-Wall", "-Wextra", "-Werror", "-o", "program", "program.c"],
    ):
        subprocess.run(command, cwd=directory, check=True, timeout=120)
    done = subprocess.run(
        ["./program"], cwd=directory, check=True, timeout=60, capture_output=True, text=True
    )
    return done.stdout


def test_header_holds_codes_fields_and_rows_as_they_lie_in_the_file(tmp_path: Path):
    assert make(tmp_path, SCHEMA, PROGRAM).splitlines() == [
        "time_ns i8",
        "pass1_ns i8",
        "pass2_ns i8",
        "pass3_ns i8",
        "case u1",
        "1 2 3",
        # 8 + 3 * 8 + 1 bytes, packed: the compiler would make them 40
        "33 32",
        # 4 + 4 + 8 bytes have no gap: no member of it is misaligned
        "16 4",
        "task u2 0",
        "ticks u8 1",
        "2 8",
        # What nobody fills in is absent: all ones of an unsigned type.
        "65535 ffffffffffffffff",
    ]


OPTIONS = """
[limits]
many = 7
duration_max_ns = 34_560_000_000_000_000

[codes.colour]
red = ""
blue = ""

[[options.task]]
name = "time-out"
type = "duration"
letter = "o"
metavar = "TIME"
low = 5
own = true
help = "At last."

[[options.task]]
name = "count"
type = "count"
high = "many"
default = 3
shown = "as laxity likes"
own = true
help = "So many."

[[options.task]]
name = "colour"
type = "choice"
choices = "colour"
default = "blue"
own = true
help = "How it looks."
"""
OPTIONS_PROGRAM = """
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "schema.h"

enum { LAXITY_OPTION_DURATION, LAXITY_OPTION_COUNT, LAXITY_OPTION_CHOICE };
#define LAXITY_ABSENT_NS INT64_MIN
struct option {
    const char *name, *metavar, *choices, *default_text, *help;
    int kind;
    char letter;
    int64_t low, high;
    size_t offset;
};
struct laxity_task_options { LAXITY_TASK_OPTION_MEMBERS };
struct own { LAXITY_TASK_OWN_MEMBERS };
static const struct option options[] = {LAXITY_TASK_OPTIONS(struct laxity_task_options)};

int main(void)
{
    const struct laxity_task_options filled = {LAXITY_TASK_OPTION_DEFAULTS};
    const struct own own = {LAXITY_TASK_OWN(&filled)};
    for (int i = 0; i < 3; i++) {
        const struct option *one = &options[i];
        printf("%s %d %c %s %s %s %s ", one->name, one->kind, one->letter ? one->letter : '-',
            one->metavar ? one->metavar : "-", one->choices ? one->choices : "-",
            one->default_text ? one->default_text : "-", one->help);
        printf("%lld %lld %zu\\n", (long long)one->low, (long long)one->high, one->offset);
    }
    printf("%d %d\\n", own.time_out_ns == INT64_MIN, own.colour == LAXITY_COLOUR_BLUE);
    printf("%u %zu %d\\n", own.count, sizeof own.count, LAXITY_MANY);
    return 0;
}
"""


def test_header_holds_options_with_bounds_and_defaults(tmp_path: Path):
    assert make(tmp_path, OPTIONS, OPTIONS_PROGRAM).splitlines() == [
        "--time-out 0 o TIME - - At last. 5 34560000000000000 0",
        # What laxity-run does by itself is shown, not what laxity does.
        "--count 1 - - - 3 So many. 0 7 8",
        "--colour 2 - - red blue blue How it looks. 0 0 16",
        "1 1",
        # Not above 2^32: 4 bytes are enough in what processes share.
        "3 4 7",
    ]


PROBES = """
[limits]
many = 7

[probes.dots]
meaning = "how many dots there are"

[[probes.dots.options]]
name = "size"
type = "sizes"
low = 1_024
high = 4_096
default = 2_048
help = "so large"

[[probes.dots.options]]
name = "colour"
type = "choices"
metavar = "HOW"
choices = "colour"
first = 1
default = "red"
help = "how it looks"

[[probes.dots.options]]
name = "node"
type = "counts"
high = "many"
needed = "no node; add --node 0"
help = "where"
"""


def test_header_of_probes_has_their_lists_and_their_registry(tmp_path: Path):
    (tmp_path / "dots.toml").write_text(PROBES)
    (tmp_path / "codes.toml").write_text('[codes.colour]\nred = ""\nblue = ""\n')
    subprocess.run(
        [*GENERATE, "dots.toml", "codes.toml", "dots.h"], cwd=tmp_path, check=True, timeout=60
    )
    header = (tmp_path / "dots.h").read_text()
    assert '#include "schema/codes.h"' in header
    assert "struct laxity_dots_settings {\n    LAXITY_DOTS_OPTION_MEMBERS\n};" in header
    assert "bool has_colour[LAXITY_COLOUR_COUNT];" in header
    assert "struct laxity_numbers sizes_bytes;" in header
    # A word stands for no word at all; the member of a list has no value before.
    assert '.initial = "2048B"' in header
    assert '.choices = "red", .initial = "red"' in header
    assert "#define LAXITY_DOTS_OPTION_DEFAULTS \\\n    0\n" in header
    assert '.needed = "no node; add --node 0", .low = 0, .high = INT64_C(7)' in header
    assert "#define LAXITY_PROBES(PROBE) \\\n    PROBE(dots, DOTS)\n" in header


@pytest.mark.parametrize(
    "stream", sorted({*STREAMS, "counters_per_cpu"} - {"jobs", "sets", "vetted"})
)
def test_a_row_in_c_is_as_long_as_one_in_numpy(stream: str, tmp_path: Path):
    program = f"""
#include <stdio.h>
#include "schema.h"
int main(void) {{ printf("%zu", sizeof(struct laxity_{stream}_row)); return 0; }}
"""
    schema = (ROOT / "schema" / "streams.toml").read_text()
    columns = dtype_of(stream.removesuffix("_per_cpu"))
    if stream == "counters":
        columns = columns[:-2]  # cpu and tid, which only those of CPUs have
    if stream == "regulation":
        columns = columns[:-1]  # reason, which stands in the tail: older files lack it
    assert int(make(tmp_path, schema, program)) == np.dtype(columns).itemsize


TAIL = """
[dots]
has_tail = true
columns = [
  { name = "a", type = "u4", meaning = "a" },
  { name = "b", type = "u1", when = "seen", meaning = "b" },
  { name = "c", type = "u4", WHEN meaning = "c" },
]
"""
TAIL_PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include "schema.h"

struct field { const char *name; char kind; unsigned bytes; };
static const struct field fields[] = {LAXITY_DOTS_FIELDS};
static const struct field seen[] = {LAXITY_DOTS_SEEN_FIELDS};

int main(void)
{
    printf("%zu %zu\\n", sizeof(struct laxity_dots_row), sizeof(struct laxity_dots_seen_row));
    printf("%zu ", sizeof fields / sizeof fields[0]);
    printf("%zu %s\\n", sizeof seen / sizeof seen[0], seen[2].name);
    return 0;
}
"""


def test_stream_with_a_tail_has_a_row_without_it_and_one_with_it(tmp_path: Path):
    # 4 bytes; and 4 + 1 + 4, packed.
    whole = TAIL.replace("WHEN", 'when = "seen",')
    assert make(tmp_path, whole, TAIL_PROGRAM) == "4 9\n1 3 c\n"


@pytest.mark.parametrize("other", ["", 'when = "heard",'])
def test_tail_that_does_not_exist_as_a_whole_is_refused(other: str, tmp_path: Path):
    (tmp_path / "schema.toml").write_text(TAIL.replace("WHEN", other))
    done = subprocess.run(
        [*GENERATE, "schema.toml", "schema.h"],
        cwd=tmp_path, check=False, timeout=60, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "dots: columns of its tail must come last and exist together" in done.stderr


PLATFORM = """
[limits]
levels_max = 2
regions_max = 4
domains_max = 2
cores_max = 3
ticks_per_s_max = 100
setting_max = 200
[codes.model_event]
hits = "of a cache"
misses = ""

[codes.colour]
red = ""
blue = ""
[tables]
core = { help = "" }
l1 = { help = "", cache = "first" }
level = { help = "", most = "levels_max", cache = "levels[#].cache" }
[[keys]]
tables = [""]
name = "title"
type = "text"
[[keys]]
tables = ["core"]
name = "wait"
type = "cycles"
low = 5
high = 6
member = "ticks"
[[keys]]
tables = ["l1", "level"]
name = "colour"
type = "choice"
choices = "colour"
member = "%.colour"
[[keys]]
tables = ["level"]
name = "ways"
type = "partition"
member = "levels[#].masks"
[[keys]]
tables = ["core"]
name = "hops"
type = "hops"
member = "links[#]"
"""


def test_header_of_platforms_has_a_setting_of_each_key_that_the_model_knows(tmp_path: Path):
    (tmp_path / "platform.toml").write_text(PLATFORM)
    subprocess.run([*GENERATE, "platform.toml", "platform.h"], cwd=tmp_path, check=True, timeout=60)
    header = (tmp_path / "platform.h").read_text()
    listed = [line.strip(" \\") for line in header.splitlines() if line.startswith("    SETTING")]
    assert "    LAXITY_MODEL_EVENT_MISSES = 1," in header.splitlines()
    assert listed == [
        'SETTING("ticks_per_s", ticks_per_s, true, 2, 1, UINT64_C(100))',
        'SETTING("levels", n_levels, true, 1, 0, 2)',
        'SETTING("regions", n_regions, true, 1, 0, 4)',
        # A cycle is one tick or more.
        'SETTING("core.wait", ticks, true, 1, 1, UINT64_C(200))',
        'SETTING("l1.colour", first.colour, false, 1, 0, UINT64_C(1))',
        'SETTING("level.0.colour", levels[0].cache.colour, false, 1, 0, UINT64_C(1))',
        'SETTING("level.1.colour", levels[1].cache.colour, false, 1, 0, UINT64_C(1))',
        'SETTING("level.0.ways", levels[0].masks, false, 3, 1, UINT64_MAX)',
        'SETTING("level.1.ways", levels[1].masks, false, 3, 1, UINT64_MAX)',
        # A row for each domain, of as many numbers.
        'SETTING("core.hops.0", links[0], false, 2, 0, UINT64_C(200))',
        'SETTING("core.hops.1", links[1], false, 2, 0, UINT64_C(200))',
    ]
