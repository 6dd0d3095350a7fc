# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity workingset --why OBJECT@LINE` as a user calls it."""

import json

from tests.cli.laxity_command import Laxity
from tests.cli.test_workingset_command import needs_llvm, write

# Lines count from 1.
PROGRAM = """\
#include <stdlib.h>
static int table[8], limit, unused;
volatile int device; // whoever else has its name may read it
static void fill(int n) { for (int i = 0; i < n; i++) table[i] = i; }
static int sum(void) {
  int s = 0;
  for (int i = 0; i < 8; i++)
    s += table[i];
  return s + limit;
}
static void leave(void) { _Exit(unused); }
int main(int argc, char **argv) {
  int local[4];
  unused = argc;
  for (int i = 0; i < 4; i++) local[i] = argc;
  fill(argc);
  limit = 3;
  int a = sum() + local[argc & 3];
  device = a;
  if (argc > 5) leave();
  table[0] = 1;
  return argv[0] == 0;
}
"""


def why(laxity: Laxity, question: str, *words: str, code: int = 0) -> str:
    """Ask; what is printed, messages included."""
    done = laxity("workingset", write(laxity, "p.c", PROGRAM), "--why", question, *words)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_llvm
def test_the_path_to_the_read_goes_through_calls_and_names_file_line_and_column(laxity: Laxity):
    text = why(laxity, "table@16")
    assert "table (global, 32 B): live before p.c:16:3" in text
    assert "bytes 0-31" in text
    assert "calls fill, which leaves it alone and returns" in text
    assert "enters sum" in text
    # `table[i]` stands at column 10 of line 8.
    assert "p.c:8:10" in text
    assert "is read in sum (load)" in text


@needs_llvm
def test_json_has_context_bytes_and_steps_and_no_run_is_stored(laxity: Laxity):
    found = json.loads(why(laxity, "local@p.c:8", "--format", "json"))
    assert found["verdict"] == "live"
    assert found["object"]["name"] == "main:0:local"
    path = found["path"]
    assert (path["root"], path["needs_context"]) == ("main", True)
    assert [(call["function"], call["line"]) for call in path["calls"]] == [("main", 18)]
    assert path["steps"][-1]["what"] == "reads"
    assert path["steps"][-1]["at"]["line"] == 18
    assert not list(laxity.directory.glob("laxity-*"))


@needs_llvm
def test_what_is_not_live_says_why(laxity: Laxity):
    assert "p.c:17:9" in why(laxity, "limit@16")  # overwritten there
    assert "not live at p.c:4: not there" not in why(laxity, "main:local@4")
    assert "nothing can have been written to it before" in why(laxity, "local@14")
    assert "always live" in why(laxity, "device@14")
    # Behind the last read of it nothing overwrites it.
    assert "not read again" in why(laxity, "limit@21")


@needs_llvm
def test_ambiguous_and_unknown_names_are_refused_with_what_there_is(laxity: Laxity):
    text = why(laxity, "nothing@16", code=2)
    assert "main:0:local" in text
    assert "--form o0" in text
    assert "next lines that have" in why(laxity, "table@1", code=2)
    assert "OBJECT@LINE" in why(laxity, "table", code=2)
    # In memory every `i` is a variable of its own.
    text = why(laxity, "i@16", "--form", "o0", code=2)
    assert "fill:" in text
    assert "sum:" in text


@needs_llvm
def test_more_than_one_program_is_refused_with_the_way_to_choose(laxity: Laxity):
    write(laxity, "suite/a/a.c", PROGRAM)
    write(laxity, "suite/b/b.c", PROGRAM)
    done = laxity("workingset", "--suite", "suite", "--why", "table@16")
    assert done.returncode == 2
    assert "--only NAME" in done.stderr
    done = laxity("workingset", "--suite", "suite", "--only", "a", "--why", "table@16")
    assert done.returncode == 0, done.stderr
