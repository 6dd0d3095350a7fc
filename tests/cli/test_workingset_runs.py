# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity workingset` where it runs the programs, is told times, or compares two builds."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity
from tests.cli.test_workingset_command import SUM, answer, needs_llvm, write

# The table has 16 words of 4 bytes; the loop that reads it is the only place where it is live whole
# and then less and less, which the analysis does not follow.
TABLE_BYTES = 64
ARGUED = """\
#include <stdio.h>
#include <stdlib.h>
int count;
__attribute__((noinline)) static void step(void) { count++; }
int main(int argc, char **argv) {
  int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
  for (int i = 0; i < n; i++) step();
  while (getchar() != EOF) step();
  puts("printed");
  FILE *left = fopen("left", "w");
  if (left) fclose(left);
  return 3;
}
"""


def figures(laxity: Laxity, *words: str, code: int = 0) -> dict[str, Any]:
    """Call it for JSON, without a report."""
    return answer(laxity, *words, "--no-report", code=code)


def instructions(laxity: Laxity) -> list[dict[str, str]]:
    """Rows of the run's table."""
    with (laxity.directory / "R" / "workingset.csv").open() as file:
        return list(csv.DictReader(file))


def executions_of(laxity: Laxity, function: str) -> set[str]:
    """The counts that occur in a function."""
    return {row["executions"] for row in instructions(laxity) if row["function"] == function}


@needs_llvm
def test_instructions_weigh_as_often_as_they_were_executed(laxity: Laxity):
    found = figures(laxity, write(laxity, "sum.c", SUM), "--weight", "trace")
    (one,) = found["programs"]
    assert one["run"]["exit_code"] == 120  # 0 + 1 + ... + 15
    by_weight = {row["weight"]: row["counts"] for row in one["occurrences"]}
    assert set(by_weight) == {"static", "trace"}
    rows = [row for row in instructions(laxity) if row["status"] != "unreached"]
    # Each loop looks at its condition 17 times and goes through its body 16 times.
    assert executions_of(laxity, "add") == {"1", "16", "17"}
    steps = sum(int(row["executions"]) for row in rows if row["opcode"] != "phi")
    # Nobody is preempted at a phi.
    assert one["run"]["executed"] == sum(by_weight["trace"]) == steps


@needs_llvm
def test_without_a_run_the_column_of_executions_is_empty(laxity: Laxity):
    (one,) = figures(laxity, write(laxity, "sum.c", SUM))["programs"]
    assert one["run"] is None
    assert executions_of(laxity, "add") == {""}


@needs_llvm
def test_the_one_program_has_its_progression_from_first_to_last_instruction(laxity: Laxity):
    answer(laxity, write(laxity, "sum.c", SUM), "--weight", "trace")
    with (laxity.directory / "R" / "progression.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["program"] for row in rows} == {"sum"}
    assert max(int(row["dynamic_max_bytes"]) for row in rows) == TABLE_BYTES
    assert max(int(row["static_max_bytes"]) for row in rows) == TABLE_BYTES
    assert "Live bytes along a run" in (laxity.directory / "R" / "report.html").read_text()


@needs_llvm
def test_a_program_runs_with_its_arguments_and_input_and_leaves_nothing(laxity: Laxity):
    name = write(laxity, "argued.c", ARGUED)
    (laxity.directory / "five").write_text("12345")
    words = ("--weight", "trace", "--run-args", "7", "--run-stdin", "five")
    (one,) = figures(laxity, name, *words)["programs"]
    # 7 of the argument, 5 of the characters.
    assert executions_of(laxity, "step") == {"12"}
    assert (one["run"]["arguments"], one["run"]["exit_code"]) == (["7"], 3)
    assert not (laxity.directory / "left").exists()


@needs_llvm
@pytest.mark.parametrize(
    ("text", "timeout", "reason"),
    [
        ("#include <stdlib.h>\nint main(void) { abort(); }\n", "5m", "signal 6"),
        ("volatile int x = 1; int main(void) { while (x) {} return 0; }\n", "2s", "did not end"),
        ("#include <unistd.h>\nint main(void) { return fork(); }\n", "5m", "fork"),
    ],
)
def test_what_cannot_be_traced_is_named_and_is_no_verdict(
    laxity: Laxity, text: str, timeout: str, reason: str
):
    name = write(laxity, "bad.c", text)
    found = answer(laxity, name, "--weight", "trace", "--timeout", timeout, code=4)
    (one,) = found["programs"]
    assert one["run"]["executed"] is None
    assert reason in one["run"]["reason"]
    traced = next(row for row in one["occurrences"] if row["weight"] == "trace")
    assert traced["counts"] is None
    assert {row["executions"] for row in instructions(laxity)} == {""}
    page = (laxity.directory / "R" / "report.html").read_text()
    assert "Programs without a row" in page


@needs_llvm
def test_a_job_without_a_main_is_analysed_and_not_run(laxity: Laxity):
    text = "int x; void benchmark_execution(int n, char **a) { x = n; }\n"
    words = ("--weight", "trace")
    (one,) = figures(laxity, write(laxity, "job.c", text), *words, code=4)["programs"]
    assert one["live"] is not None
    assert "no main" in one["run"]["reason"]


@needs_llvm
def test_what_is_around_the_jobs_weighs_and_main_does_not(laxity: Laxity):
    text = (
        "int x;\n"
        "void benchmark_init(void) { x = 1; }\n"
        "void benchmark_execution(void) { x++; }\n"
        "int main(void) { benchmark_init(); benchmark_execution(); benchmark_execution();"
        " return x; }\n"
    )
    (one,) = figures(laxity, write(laxity, "job.c", text), "--weight", "trace")["programs"]
    assert (one["mode"], one["run"]["exit_code"]) == ("job", 3)
    assert executions_of(laxity, "benchmark_init") == {"1"}
    assert executions_of(laxity, "benchmark_execution") == {"2"}
    assert executions_of(laxity, "main") == {"0"}


@needs_llvm
def test_blocks_weigh_as_long_as_a_file_says(laxity: Laxity):
    name = write(laxity, "sum.c", SUM)
    figures(laxity, name)
    last = [row for row in instructions(laxity) if row["function"] == "add"][-1]
    n_of_block = sum(
        (row["function"], row["block"]) == ("add", last["block"]) for row in instructions(laxity)
    )
    (laxity.directory / "R").rename(laxity.directory / "before")
    # All time in the last block of add(): its instructions share it, the others have none.
    write(laxity, "times.csv", f"function,block,ns\nadd,{last['block']},600\n")
    found = figures(laxity, name, "--weight", "time", "--times", "times.csv")
    (one,) = found["programs"]
    counts = next(row["counts"] for row in one["occurrences"] if row["weight"] == "time")
    assert sum(counts) == pytest.approx(600)
    assert n_of_block > 0
    assert one["run"] is None


@needs_llvm
def test_times_of_one_execution_are_multiplied_by_the_executions_of_a_run(laxity: Laxity):
    name = write(laxity, "sum.c", SUM)
    figures(laxity, name, "--weight", "trace")
    blocks = {
        (row["function"], row["block"]): int(row["executions"]) for row in instructions(laxity)
    }
    lines = [f"{function},{block},10" for function, block in blocks]
    write(laxity, "times.csv", "\n".join(["function,block,cycles_per_execution", *lines, ""]))
    (laxity.directory / "R").rename(laxity.directory / "before")
    words = ("--weight", "time", "--times", "times.csv")
    (one,) = figures(laxity, name, *words)["programs"]
    counts = next(row["counts"] for row in one["occurrences"] if row["weight"] == "time")
    assert sum(counts) == pytest.approx(10 * sum(blocks.values()))


@needs_llvm
@pytest.mark.parametrize(
    ("table", "code", "words"),
    [
        ("function,block,ns\nadd,99,5\n", 4, "block 99 of add"),
        ("function,block,ns_per_execution\nadd,0,5\n", 4, "no time for"),
        ("function,block,ns\nadd,0,-5\n", 2, "is no time"),
        ("function,block,ns\nadd,0,5\nadd,0,6\n", 2, "twice"),
        ("function,block,watts\nadd,0,5\n", 2, "one of ns, cycles"),
    ],
)
def test_a_file_of_times_that_does_not_fit_gives_no_figure(
    laxity: Laxity, table: str, code: int, words: str
):
    name = write(laxity, "sum.c", SUM)
    write(laxity, "times.csv", table)
    given = ("--weight", "time", "--times", "times.csv", "--run-dir", "R", "--no-report")
    done = laxity("workingset", name, *given)
    assert done.returncode == code, done.stderr
    assert words in done.stdout + done.stderr


@needs_llvm
@pytest.mark.parametrize(
    "words",
    [
        ("--weight", "time"),
        ("--times", "t.csv"),
        ("--run-args", "7"),
        ("--weight", "trace", "--run-stdin", "absent"),
        ("--progression", "other"),
    ],
)
def test_options_that_mean_nothing_together_are_refused(laxity: Laxity, words: tuple[str, ...]):
    write(laxity, "t.csv", "function,block,ns\n")
    done = laxity("workingset", write(laxity, "sum.c", SUM), *words, "--run-dir", "R")
    assert done.returncode == 2
    assert not (laxity.directory / "R").exists()


@needs_llvm
def test_another_build_is_stored_beside_the_new_one_with_the_functions_that_differ(laxity: Laxity):
    name = write(laxity, "sum.c", SUM)
    assert laxity("workingset", name, "--run-dir", "old", "--no-report").returncode == 0
    write(laxity, "sum.c", SUM.replace("16", "32"))
    found = answer(laxity, name, "--against", "old", "--cflags", "-DX")
    against = found["against"]
    assert (against["run"], Path(against["path"]).name) == ("sum", "old")
    changed = {one["function"]: one["new_bits"] - one["old_bits"] for one in against["functions"]}
    # 16 more numbers of 32 bits, in both functions.
    assert changed == {"add": 16 * 32, "main": 16 * 32}
    page = re.sub(r"<[^>]+>", " ", (laxity.directory / "R" / "report.html").read_text())
    assert "Against another build" in page
    assert "The builds differ in flags: none there, -DX here." in page
    stored = json.loads((laxity.directory / "R" / "workingset.json").read_text())
    assert stored["against"] == against
