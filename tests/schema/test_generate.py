# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The header that is made of a schema, as a C compiler understands it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.laxity_command import ROOT

from laxity.model.streams import STREAMS, dtype_of

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
#include <stdio.h>
#include "schema.h"

struct field { const char *name; char kind; unsigned bytes; };
static const struct field dots[] = {LAXITY_DOTS_FIELDS};
#define SHOW(name, kind, bytes, when) printf("%s %c%d %d\\n", #name, kind, bytes, when);
struct job { LAXITY_JOBS_MEMBERS };

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
    return 0;
}
"""


def make(directory: Path, schema: str, program: str) -> str:
    """Compile a program with the header of a schema and give what it prints."""
    (directory / "schema.toml").write_text(schema)
    (directory / "program.c").write_text(program)
    for command in (
        [sys.executable, str(ROOT / "schema" / "generate.py"), "schema.toml", "schema.h"],
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
    ]


@pytest.mark.parametrize("stream", sorted({*STREAMS} - {"jobs", "sets", "vetted"}))
def test_a_row_in_c_is_as_long_as_one_in_numpy(stream: str, tmp_path: Path):
    program = f"""
#include <stdio.h>
#include "schema.h"
int main(void) {{ printf("%zu", sizeof(struct laxity_{stream}_row)); return 0; }}
"""
    schema = (ROOT / "schema" / "streams.toml").read_text()
    assert int(make(tmp_path, schema, program)) == np.dtype(dtype_of(stream)).itemsize
