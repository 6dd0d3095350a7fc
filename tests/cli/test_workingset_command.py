# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity workingset` as a user calls it."""

import csv
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity

from laxity.platform.tools import find_in_build
from laxity.workingset import tables as store

TOOL = find_in_build("workingset/laxity-workingset")
needs_llvm = pytest.mark.skipif(
    TOOL is None or shutil.which("clang-19") is None, reason="no LLVM 19 in this build"
)
# While the loop runs all that is still to be read of `table` is live: 16 numbers of 32 bits.
SUM = """\
int table[16];
int add(void) {
  int sum = 0;
  _Pragma("loopbound min 16 max 16")
  for (int i = 0; i < 16; i++)
    sum += table[i];
  return sum;
}
int main(void) {
  for (int i = 0; i < 16; i++) table[i] = i;
  return add();
}
"""
TABLE_BITS = 16 * 32


def answer(laxity: Laxity, *words: str, code: int = 0) -> dict[str, Any]:
    """Call it for JSON."""
    done = laxity("workingset", *words, "--run-dir", "R", "--format", "json", "--quiet")
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def write(laxity: Laxity, name: str, text: str) -> str:
    """Write a source."""
    path = laxity.directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


@needs_llvm
def test_a_table_that_is_still_to_be_read_is_live_and_the_run_holds_every_instruction(
    laxity: Laxity,
):
    (one,) = answer(laxity, write(laxity, "sum.c", SUM))["programs"]
    assert one["program"] == "sum"
    assert one["status"] == "exact"
    assert one["triple"]
    assert one["data_layout"]
    assert one["classes"]["global"] == TABLE_BITS
    # Nothing else is in memory, so the largest set is the table and some values in registers.
    assert TABLE_BITS < one["live"]["max"] < TABLE_BITS + 4 * 64
    assert one["resident_bits"] == TABLE_BITS
    with (laxity.directory / "R" / "workingset.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["status"] != "unreached"]
    assert len(rows) == one["instructions"]
    assert max(int(row["live_total_bits"]) for row in rows) == one["live"]["max"]
    for name in ("workingset.parquet", "report.html", "annotated/sum.html", "objects.csv"):
        assert (laxity.directory / "R" / name).is_file()
    assert laxity("show", "R", "--verify").returncode == 0


@needs_llvm
def test_what_the_columns_of_every_table_hold_is_known(laxity: Laxity):
    answer(laxity, write(laxity, "sum.c", SUM))
    tables = sorted((laxity.directory / "R").glob("*.csv"))
    assert "workingset.csv" in {path.name for path in tables}
    for path in tables:
        with path.open() as file:
            assert set(next(csv.reader(file))) <= store._TYPES.keys()


@needs_llvm
def test_a_limit_is_judged_at_its_border(laxity: Laxity):
    name = write(laxity, "sum.c", SUM)
    most = answer(laxity, name)["programs"][0]["live"]["max"]
    # Whole bytes that hold the largest set; one less does not.
    size = -(-most // 8)
    for limit, code in ((size, 0), (size - 1, 1)):
        shutil.rmtree(laxity.directory / "R")
        found = answer(laxity, name, "--fail-above", f"{limit}B", code=code)
        assert bool(found["limit"]["violations"]) == bool(code)


@needs_llvm
def test_what_exceeds_a_limit_is_named_by_its_line_also_as_sarif(laxity: Laxity):
    name = write(laxity, "sum.c", SUM)
    words = ("--fail-above", "8B", "--sarif", "found.sarif", "--no-report", "--run-dir", "R")
    done = laxity("workingset", name, *words)
    assert done.returncode == 1
    assert "sum.c:6:" in done.stdout
    document = json.loads((laxity.directory / "found.sarif").read_text())
    lines = {
        one["locations"][0]["physicalLocation"]["region"]["startLine"]
        for one in document["runs"][0]["results"]
        if "physicalLocation" in one["locations"][0]
    }
    assert 6 in lines


@needs_llvm
def test_a_file_that_cannot_be_written_is_named_by_its_option(laxity: Laxity):
    name = write(laxity, "sum.c", SUM)
    words = ("--fail-above", "8B", "--sarif", "none/found.sarif", "--no-report", "--run-dir", "R")
    done = laxity("workingset", name, *words)
    assert done.returncode == 2
    assert "--sarif none/found.sarif: none is no directory" in done.stderr


def test_a_path_that_is_no_text_is_a_usage_error(laxity: Laxity):
    name = os.fsdecode(b"sum\xff.c")
    write(laxity, name, SUM)
    done = laxity("workingset", name)
    assert done.returncode == 2
    assert "its path is no UTF-8 text; rename it" in done.stderr


STEP = """\
int in, out, kept;
void step(void) { kept += in; out = kept; }
int main(void) { for (in = 0; in < 4; in++) { step(); if (out > 9) return 1; } return 0; }
"""


@needs_llvm
def test_what_is_read_of_a_job_outside_counts_where_it_is_declared(laxity: Laxity):
    name = write(laxity, "step.c", STEP)
    alone = answer(laxity, name, "--job", "step")["programs"][0]
    # in and kept are read by the next job, kept is a value then; out by nobody.
    assert alone["classes"]["global"] == 64
    assert any("what else is read of its results" in one for one in alone["assumptions"])
    shutil.rmtree(laxity.directory / "R")
    declared = answer(laxity, name, "--job", "step", "--output", "out")["programs"][0]
    assert declared["classes"]["global"] == 96
    assert "declared output, live after each job: out" in declared["assumptions"]
    why = laxity("workingset", name, "--job", "step", "--output", "out", "--why", "out@2")
    assert "out (global, 4 B): live" in why.stdout
    shutil.rmtree(laxity.directory / "R")
    words = ("--job", "step", "--output", "nothing", "--run-dir", "R", "--no-report")
    done = laxity("workingset", name, *words)
    assert done.returncode == 4
    assert 'has no global "nothing"' in done.stdout


PART = """\
static int old[4];
int mode, out;
void choose(int wanted) { mode = wanted; }
void step(void) {
  if (mode) out = old[3];
  for (int i = 3; i > 0; i--) old[i] = old[i - 1];
  old[0] = out;
}
"""


@needs_llvm
def test_what_the_rest_of_a_program_sets_is_unknown_to_a_job_without_main(laxity: Laxity):
    part = answer(laxity, write(laxity, "part.c", PART), "--job", "step")["programs"][0]
    # mode, out and all of old: nobody says that mode stays 0, as it begins.
    assert part["classes"]["global"] == 32 + 32 + 4 * 32
    shutil.rmtree(laxity.directory / "R")
    whole = PART + "int main(void) { choose(0); step(); step(); return 0; }\n"
    found = answer(laxity, write(laxity, "whole.c", whole), "--job", "step")["programs"][0]
    # It does, so nobody reads old[3] before it is overwritten.
    assert found["classes"]["global"] == 32 + 32 + 3 * 32


INLINE = """\
namespace part { inline int mode; }
inline int twice(int value) { return value * 2; }
static int old[4], out;
void choose(int wanted) { part::mode = wanted; }
extern "C" void step(void) { out = part::mode == 3 ? old[3] : twice(out); old[3] = old[1]; }
"""


@needs_llvm
def test_inline_variables_of_a_job_without_main_are_unknown_too(laxity: Laxity):
    part = answer(laxity, write(laxity, "part.cpp", INLINE), "--job", "step")["programs"][0]
    assert part["classes"]["global"] == 32 + 32 + 2 * 32


DRIVEN = """\
#include <stdio.h>
int order;
static int own;
void drive(void);
int main(void) { order = 1; own = 2; puts("go"); drive(); return 0; }
"""


@needs_llvm
def test_what_a_missing_part_of_a_program_can_name_is_live_when_it_is_called(laxity: Laxity):
    found = answer(laxity, write(laxity, "driven.c", DRIVEN))["programs"][0]
    # drive() may read order, which is not static.
    assert found["classes"]["global"] == 32
    shutil.rmtree(laxity.directory / "R")
    whole = DRIVEN + "void drive(void) {}\n"
    found = answer(laxity, write(laxity, "whole.c", whole))["programs"][0]
    assert found["classes"]["global"] == 0


@needs_llvm
def test_loop_bounds_weigh_and_one_missing_bound_leaves_no_verdict(laxity: Laxity):
    # main's loop has no bound.
    found = answer(laxity, write(laxity, "sum.c", SUM), "--weight", "wcet", code=4)
    occurrence = found["programs"][0]["occurrences"][-1]
    assert occurrence["counts"] is None
    assert "1 of 2 loops" in occurrence["reason"]
    assert [one["line"] for one in occurrence["gaps"]] == [10]
    shutil.rmtree(laxity.directory / "R")
    bounded = SUM.replace("  for (int i = 0; i < 16; i++) table", "  _Pragma(\"loopbound min 16 max 16\")\n  for (int i = 0; i < 16; i++) table")  # fmt: skip  # noqa: E501
    found = answer(laxity, write(laxity, "sum.c", bounded), "--weight", "wcet")
    (one,) = found["programs"]
    # Instructions in loops count 16 times, so all together more than each once.
    assert sum(one["occurrences"][-1]["counts"]) > one["instructions"]


FILLED_TWICE = """\
int first[8], second[8];
static void fill(int *to, int by) { for (int i = 0; i < 8; i++) to[i] = by; }
int main(void) {
  fill(first, 1);
  fill(second, 2);
  return first[0] + second[7];
}
"""


@needs_llvm
def test_by_situation_a_callee_counts_once_for_each_array_that_it_is_given(laxity: Laxity):
    name = write(laxity, "filled.c", FILLED_TWICE)
    (one,) = answer(laxity, name, "--weight", "situation")["programs"]
    counts = {row["weight"]: row["counts"] for row in one["occurrences"]}
    with (laxity.directory / "R" / "situations.csv").open() as file:
        rows = list(csv.DictReader(file))
    of_fill = [row for row in rows if row["function"] == "fill"]
    # Two calls, each with an array of its own: twice the same instructions, those of main once.
    assert {row["situation"] for row in of_fill} == {"0", "1"}
    assert sum(counts["situation"]) == one["instructions"] + len(of_fill) / 2 == len(rows)
    # While the second call goes on the first array is live, of which one number is read; before
    # the first call nothing is. So its situations differ, where the largest set hides the first.
    assert sum(counts["static"]) == one["instructions"]
    most = [max(int(row["live_total_bits"]) for row in of_fill if row["situation"] == number)
            for number in ("0", "1")]  # fmt: skip
    assert most[1] - most[0] == 32


@needs_llvm
def test_a_build_with_a_larger_table_shows_against_the_other(laxity: Laxity):
    old = laxity("workingset", write(laxity, "sum.c", SUM), "--run-dir", "old", "--no-report")
    assert old.returncode == 0, old.stderr
    write(laxity, "sum.c", SUM.replace("16", "32"))
    words = ("--against", "old", "--run-dir", "new", "--no-report")
    done = laxity("workingset", "sum.c", *words)
    assert done.returncode == 0, done.stderr
    # 16 and 32 numbers of 4 bytes.
    assert "64 B to 128 B (+100.0 %)" in done.stdout


@needs_llvm
def test_a_target_has_its_own_sizes(laxity: Laxity):
    text = "int *p; int v; int main(void) { p = &v; return *p; }\n"
    words = ("--target", "powerpc-linux-gnu", "--form", "o0")
    (one,) = answer(laxity, write(laxity, "p.c", text), *words)["programs"]
    assert one["triple"].startswith("powerpc")
    # A pointer and a number of 32 bits each, and main's own result.
    assert one["resident_bits"] == 3 * 32


@needs_llvm
def test_what_does_not_compile_is_refused_and_what_has_no_main_has_no_answer(laxity: Laxity):
    done = laxity("workingset", write(laxity, "broken.c", "int main(void) { return x; }\n"))
    assert done.returncode == 2
    assert "does not compile" in done.stderr
    done = laxity("workingset", write(laxity, "f.c", "int f(void) { return 1; }\n"), "--no-report")
    assert done.returncode == 4
    assert "main" in done.stdout


@needs_llvm
def test_without_something_to_analyse_the_three_ways_are_named(laxity: Laxity):
    done = laxity("workingset")
    assert done.returncode == 2
    assert "--suite DIR" in done.stderr


def test_without_llvm_the_set_to_install_is_named(laxity: Laxity, tmp_path: Path):
    tools = tmp_path / "tools"
    tools.mkdir()
    # Everything but the analysis is there, and no other build is looked at.
    environment = {"LAXITY_TOOLS": str(tools), "LAXITY_ROOT": str(tools)}
    name = write(laxity, "sum.c", SUM)
    done = laxity("workingset", name, environment=environment)
    assert done.returncode == 3
    assert "laxity setup --with workingset" in done.stderr


FACTORIAL = """\
int fac(int n) { return n < 2 ? 1 : n * fac(n - 1); }
int main(void) { return fac(5); }
"""


@needs_llvm
def test_recursion_has_a_number_once_its_depth_is_annotated(laxity: Laxity):
    name = write(laxity, "fac.c", FACTORIAL)
    note = write(laxity, "notes.toml", "schema = 1\n[recursion]\nfac = 5\n")
    unbounded = answer(laxity, name)["programs"][0]
    assert unbounded["status"] == "unbounded"
    shutil.rmtree(laxity.directory / "R")
    document = answer(laxity, name, "--annotations", note)
    (one,) = document["programs"]
    assert one["status"] == "exact"
    # Four activations keep n, 32 bits, and the fifth has n, and n - 1 or the product, beside it.
    assert one["live"]["max"] == 4 * 32 + 2 * 32
    assert "annotated: at most 5 activations of fac at once" in one["assumptions"]
    assert document["annotations"] == {"recursion": {"fac": 5}}


@needs_llvm
def test_what_has_no_bound_keeps_no_limit_and_its_rest_may_exceed_one(laxity: Laxity):
    name = write(laxity, "fac.c", FACTORIAL)
    limit = answer(laxity, name, "--fail-above", "1GiB", code=4)["limit"]
    assert (limit["instructions"], limit["violations"]) == (0, [])
    assert limit["undecided"] > 0
    assert limit["undecided_programs"] == ["fac"]
    shutil.rmtree(laxity.directory / "R")
    shown = laxity("workingset", name, "--fail-above", "1GiB", "--no-report", "--run-dir", "R")
    assert shown.returncode == 4
    assert f"No verdict at {limit['undecided']} instructions of fac" in shown.stdout
    shutil.rmtree(laxity.directory / "R")
    # n alone is 4 bytes, however deep the recursion: that outweighs what has no verdict.
    limit = answer(laxity, name, "--fail-above", "3B", code=1)["limit"]
    assert any(one["is_partial"] for one in limit["violations"])
    assert all(one["live_bits"] > 24 for one in limit["violations"])


HEAP = """\
#include <stdlib.h>
static int table[16];
int main(int argc, char **argv) {
    (void)argv;
    int *block = malloc((size_t)argc * sizeof(int));
    if (!block) return 1;
    for (int i = 0; i < 16; i++) table[i] = argc + i;
    *block = argc;
    int sum = *block;
    for (int i = 0; i < 16; i++) sum += table[i & argc];
    free(block);
    return sum;
}
"""


@needs_llvm
def test_one_block_of_unknown_size_leaves_the_sizes_of_the_rest(laxity: Laxity):
    name = write(laxity, "heap.c", HEAP)
    (one,) = answer(laxity, name)["programs"]
    assert one["live"]["max"] is one["resident_bits"] is None
    # The table is 16 * 32 bits; beside it are values, and never the block.
    assert 16 * 32 <= one["bounded"]["max"] < 16 * 32 + 6 * 64
    assert one["resident_bounded_bits"] == 16 * 32
    assert one["unbounded_objects"] == ["main:malloc:0"]
    (drawn,) = one["occurrences"]
    assert sum(drawn["counts"]) == one["instructions"]
    with (laxity.directory / "R" / "workingset.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["status"] != "unreached"]
    assert max(int(row["bounded_total_bits"]) for row in rows) == one["bounded"]["max"]
    for row in rows:
        assert row["live_total_bits"] in ("", row["bounded_total_bits"])
    assert one["unbounded"] == sum(row["live_total_bits"] == "" for row in rows) > 0
    page = (laxity.directory / "R" / "report.html").read_text()
    assert "+ unbounded" in page
    assert "heap (bounded part)" in page
    assert "main:malloc:0" in page
    shown = laxity("workingset", name, "--no-report", "--run-dir", "R2")
    assert "B + unbounded" in shown.stdout


@needs_llvm
def test_an_annotation_that_fits_nothing_is_refused_with_its_name(laxity: Laxity):
    name = write(laxity, "fac.c", FACTORIAL)
    note = write(laxity, "notes.toml", "schema = 1\n[recursion]\nfact = 5\n")
    done = laxity("workingset", name, "--annotations", note, "--run-dir", "R")
    assert done.returncode == 2
    assert 'annotation of "fact": no program has such a recursive function' in done.stderr
    assert not (laxity.directory / "R").exists()


DEVICE = """\
#include <stdint.h>
static char buffer[64], scratch[32];
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 64; i++) buffer[i] = (char)argc;
  for (int i = 0; i < 32; i++) scratch[i] = (char)argc;
  *(volatile uint32_t *)0x40000000 = (uint32_t)(uintptr_t)buffer;
  while (!*(volatile uint32_t *)0x40000004) { }
  return 0;
}
"""


@needs_llvm
def test_memory_that_a_device_was_told_of_is_live_and_assumed(laxity: Laxity):
    name = write(laxity, "device.c", DEVICE)
    (one,) = answer(laxity, name)["programs"]
    told = [text for text in one["assumptions"] if text.startswith("devices: ")]
    assert len(told) == 1
    assert "a device may learn where buffer is" in told[0]
    assert one["live"]["min"] == 64 * 8  # buffer, of scratch nothing is ever read
    objects = (laxity.directory / "R/objects.csv").read_text(encoding="utf-8").splitlines()
    rows = [row for row in csv.DictReader(objects) if row["name"] in {"buffer", "scratch"}]
    assert {row["name"]: (row["use"], float(row["live_ratio"])) for row in rows} == {
        "buffer": ("read-write", 1.0),
        "scratch": ("never-read", 0.0),
    }
    why = laxity("workingset", name, "--why", "buffer@9")
    assert "always live" in why.stdout
    assert "a device may know where it is" in why.stdout


@needs_llvm
def test_a_device_that_only_writes_needs_nothing_of_a_buffer(laxity: Laxity):
    name = write(laxity, "device.c", DEVICE)
    text = 'schema = 1\n[devices]\nbuffers = [{ object = "buffer", device = "writes" }]\n'
    note = write(laxity, "notes.toml", text)
    (one,) = answer(laxity, name, "--annotations", note)["programs"]
    assert one["live"]["min"] == 0
    assert "annotated: a device only writes buffer" in one["assumptions"]


@needs_llvm
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[devices]\nregisters = ["buffer"]', "nothing accesses it as volatile"),
        ('[threads]\nshared = ["buffer"]', "no thread or signal handler that is known"),
        ('[devices]\nbuffers = [{ object = "main", device = "reads" }]', "is no memory"),
        ('[devices]\nbuffers = [{ object = "buf", device = "reads" }]', "or object"),
        ('[objects]\n"buffer" = { bytes = 4 }', "the code says that it has 64 bytes"),
    ],
)
def test_an_annotation_that_cannot_be_about_what_it_names_is_refused(
    laxity: Laxity, text: str, reason: str
):
    name = write(laxity, "device.c", DEVICE)
    note = write(laxity, "notes.toml", f"schema = 1\n{text}\n")
    done = laxity("workingset", name, "--annotations", note, "--run-dir", "R")
    assert done.returncode == 2, done.stderr
    assert 'annotation of "' in done.stderr
    assert reason in done.stderr
    assert not (laxity.directory / "R").exists()


@needs_llvm
@pytest.mark.parametrize(
    "text",
    [
        "[devices]\nregisters = []",
        "[threads]\nshared = []",
        '[devices]\nbuffers = [{ object = "buffer", device = "both" }]',
    ],
)
def test_an_annotation_that_changes_no_figure_is_told(laxity: Laxity, text: str):
    name = write(laxity, "device.c", DEVICE)
    note = write(laxity, "notes.toml", f"schema = 1\n{text}\n")
    (one,) = answer(laxity, name, "--annotations", note)["programs"]
    told = [text for text in one["assumptions"] if text.startswith("annotated: ")]
    assert len(told) == 1
    assert told[0].endswith("; this changes no figure")


def by_loop_bounds(document: dict[str, Any]) -> dict[str, Any]:
    """Pick the row of the heat map by loop bounds."""
    (one,) = document["programs"]
    (row,) = [row for row in one["occurrences"] if row["weight"] == "wcet"]
    assert isinstance(row, dict)
    return row


ONE_JOB = """\
int table[16];
void benchmark_execution(void) {
  _Pragma("loopbound min 4 max 4")
  for (int i = 0; i < 16; i++) table[i]++;
}
int main(void) { benchmark_execution(); return 0; }
"""


@needs_llvm
def test_loop_bounds_count_from_the_job_and_not_below_what_the_code_does(laxity: Laxity):
    document = answer(laxity, write(laxity, "job.c", ONE_JOB), "--weight", "wcet")
    assert document["programs"][0]["job"] == "benchmark_execution"
    found = by_loop_bounds(document)
    # Sixteen rounds, whatever is stated, as with the right statement.
    assert [gap["what"] for gap in found["gaps"]] == [
        "a loop of benchmark_execution goes round 16 times, and 4 is stated"
    ]
    shutil.rmtree(laxity.directory / "R")
    right = write(laxity, "job.c", ONE_JOB.replace("min 4 max 4", "min 16 max 16"))
    assert by_loop_bounds(answer(laxity, right, "--weight", "wcet"))["counts"] == found["counts"]
    assert sum(found["counts"]) > 16
