# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How often instructions are executed, and live bytes along a run, of programs counted by hand."""

import csv
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import Subject, make_subject, must, run

# twice() is called 3 times; the loop's condition is looked at 4 times. never() is not reached.
LOOP = """\
int total;
__attribute__((noinline)) static int twice(int x) { return x * 2; }
__attribute__((noinline)) static int never(int x) { return x + 7; }
int main(int argc, char **argv) {
  for (int i = 0; i < 3; i++)
    total += twice(i);
  if (argc > 5)
    total = never(total);
  return total == 6 ? 0 : 1;
}
"""
# Two jobs; helper() runs once in each, once in what comes before them, and once in main, which is
# no part of a job.
JOBS = """\
int state;
__attribute__((noinline)) static void helper(void) { state++; }
void benchmark_init(void) { helper(); }
void benchmark_execution(void) { helper(); }
int main(void) {
  benchmark_init();
  benchmark_execution();
  benchmark_execution();
  helper();
  return state == 4 ? 0 : 1;
}
"""
# Written word by word, then read word by word: 64 bytes live in between.
RAMP = """\
int table[16];
int main(void) {
  for (int i = 0; i < 16; i++) table[i] = i;
  int sum = 0;
  for (int i = 0; i < 16; i++) sum += table[i];
  return sum == 120 ? 0 : 1;
}
"""
TABLE_BYTES = 64


def executions(subject: Subject, *options: str, **environment: str) -> dict[tuple[str, str], int]:
    """Executions of each instruction: by function and "block.index"."""
    traced = subject.trace()
    assert traced.returncode == 0, traced.stderr
    trace, table = subject.path(".trace"), subject.path(".csv")
    if environment:
        executable = subject.path(".traced.trace")
        must(executable, LAXITY_WORKINGSET_TRACE=str(trace), **environment)
    must(subject.tool, "executions", subject.bitcode, trace, "-o", table, *options)
    with table.open(newline="", encoding="utf-8") as file:
        return {
            (row["function"], f"{row['block']}.{row['index']}"): int(row["executions"])
            for row in csv.DictReader(file)
        }


def of_function(found: dict[tuple[str, str], int], name: str) -> set[int]:
    """The counts that occur in a function."""
    return {count for (function, _), count in found.items() if function == name}


@pytest.mark.parametrize("environment", [{}, {"LAXITY_WORKINGSET_COUNT_ONLY": "1"}])
def test_instructions_count_as_often_as_they_were_executed(
    tmp_path: Path, environment: dict[str, str]
):
    found = executions(make_subject(LOOP, tmp_path), **environment)
    assert of_function(found, "twice") == {3}
    assert of_function(found, "never") == {0}
    # Before and after the loop once, its condition 4 times, its body 3 times, never() not.
    assert of_function(found, "main") == {0, 1, 3, 4}


def test_a_trace_of_counts_grows_with_the_program_and_not_with_its_run(tmp_path: Path):
    sizes = []
    for passes in ("3", "3000"):
        folder = tmp_path / passes
        folder.mkdir()
        text = LOOP.replace("i < 3", f"i < {passes}").replace("total == 6", "total")
        text = text.replace("? 0 : 1", "? 0 : 0")
        subject = make_subject(text, folder)
        executions(subject, LAXITY_WORKINGSET_COUNT_ONLY="1")
        sizes.append(subject.path(".trace").stat().st_size)
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("environment", [{}, {"LAXITY_WORKINGSET_COUNT_ONLY": "1"}])
def test_of_jobs_what_is_around_them_counts_as_far_as_it_is_analysed(
    tmp_path: Path, environment: dict[str, str]
):
    found = executions(make_subject(JOBS, tmp_path), "--job", "benchmark_execution", **environment)
    assert of_function(found, "helper") == {3}
    assert of_function(found, "benchmark_execution") == {2}
    assert of_function(found, "benchmark_init") == {1}
    assert of_function(found, "main") == {0}


def test_a_trace_of_another_program_is_refused(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    long, short = make_subject(LOOP, tmp_path / "a"), make_subject(RAMP, tmp_path / "b")
    long.trace()
    words = ("executions", short.bitcode, long.path(".trace"), "-o", tmp_path / "x.csv")
    done = run(short.tool, *words)
    assert done.returncode == 2
    assert "trace the same file" in done.stderr


@pytest.mark.parametrize("stretches", [1, 7, 100_000])
def test_stretches_hold_every_executed_instruction_and_every_peak(tmp_path: Path, stretches: int):
    subject = make_subject(RAMP, tmp_path)
    subject.trace()
    table = subject.path(".csv")
    words = ("progression", subject.bitcode, subject.path(".trace"), "-o", table)
    must(subject.tool, *words, "--stretches", str(stretches))
    with table.open(newline="", encoding="utf-8") as file:
        rows = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(file)]
    points = subject.judge()["points"]
    assert len(rows) == min(stretches, points)
    assert sum(row["executed"] for row in rows) == points
    assert [row["first"] for row in rows] == [
        sum(row["executed"] for row in rows[:i]) for i in range(len(rows))
    ]
    # The table is live whole between both loops, and not at all before the first and at the end.
    assert max(row["dynamic_max_bytes"] for row in rows) == TABLE_BYTES
    assert min(row["dynamic_min_bytes"] for row in rows) == 0
    assert all(row["dynamic_max_bytes"] <= row["static_max_bytes"] for row in rows)
    assert max(row["executed"] for row in rows) - min(row["executed"] for row in rows) <= 1


def by_point(subject: Subject) -> list[tuple[int, int]]:
    """What was live and what is called live, in bytes, before each executed instruction."""
    table = subject.path(".csv")
    words = ("progression", subject.bitcode, subject.path(".trace"), "-o", table)
    must(subject.tool, *words, "--stretches", "100000")
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["executed"] for row in rows} == {"1"}
    return [(int(row["dynamic_max_bytes"]), int(row["static_max_bytes"])) for row in rows]


def test_a_byte_is_live_between_its_write_and_its_read(tmp_path: Path):
    text = "static int cell; int main(void) { cell = 7; return cell - 7; }"
    subject = make_subject(text, tmp_path)
    subject.trace()
    # store, load, sub, ret: only before the load are the 4 bytes live, and so called.
    assert by_point(subject) == [(0, 0), (4, 4), (0, 0), (0, 0)]


MANY_CELLS = """\
static int cells[512];
int main(int argc, char **argv) {
  int sum = 0;
  (void)argv;
  @WRITES@
  @READS@
  return sum == @CELLS@ ? 0 : 1;
}
"""


# 512 cells are more than a set of them holds within itself.
@pytest.mark.parametrize("n_cells", [1, 512])
def test_the_bound_and_what_was_live_add_up_to_what_the_judge_says(tmp_path: Path, n_cells: int):
    writes = " ".join(f"cells[{i}] = argc;" for i in range(n_cells))
    reads = " ".join(f"sum += cells[{i}];" for i in range(n_cells))
    text = MANY_CELLS.replace("@WRITES@", writes).replace("@READS@", reads)
    subject = make_subject(text.replace("@CELLS@", str(n_cells)), tmp_path)
    assert subject.trace().returncode == 0
    verdict = subject.judge()
    rows = by_point(subject)
    assert len(rows) == verdict["points"]
    assert sum(dynamic for dynamic, _ in rows) == verdict["dynamic_byte_points"]
    assert sum(static for _, static in rows) == verdict["static_byte_points"]
    # Behind the last write all is live that will be read.
    assert max(rows) == (4 * n_cells, 4 * n_cells)
