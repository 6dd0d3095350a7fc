# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Faults that are made inside the analysis on purpose: the oracle notices each of them.

Every program here is covered by the analysis as it is, and is not by the one with the fault; so the
fault alone is what the oracle notices. workingset/analysis/faults.hpp says what each one is.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import Subject, make_subject, objects_of, run


@dataclass(frozen=True, slots=True)
class Faulty:
    """A fault, a program that shows it, and the objects of which live bytes are called dead."""

    fault: str
    objects: set[str]
    source: str
    options: tuple[str, ...] = ()
    language: str = "c"


# By what would go wrong unseen.
FAULTS = {
    "a store to one of two objects would overwrite both": Faulty(
        "weak-store-kills",
        {"first"},  # second is what is overwritten
        """
static int first = 1, second = 2;
static void set(int *either) { *either = 0; }
int main(int argc, char **argv) {
    (void)argv; first = argc; second = argc + 1;
    set(argc > 1 ? &first : &second); set(argc > 5 ? &first : &second);
    return first - 1 + second;
}
""",
    ),
    "a loop would overwrite what it reads first": Faulty(
        "loop-kills-read-first",
        {"table"},
        """
static int table[4];
int main(void) {
    for (int i = 0; i < 4; i++) table[i] = i;
    for (int i = 0; i < 4; i++) table[i] = table[i] + 1;
    return table[3] - 4;
}
""",
    ),
    "in each turn of a loop the write would come before the read": Faulty(
        "loop-writes-first",
        {"table"},
        """
static int table[4];
int main(void) {
    for (int i = 0; i < 4; i++) table[i] = i;
    for (int i = 0; i < 3; i++) table[i] = table[i + 1] + table[i];
    return table[2] - 5;
}
""",
    ),
    "the last of the elements that an index can reach would not be read": Faulty(
        "range-too-short",
        {"table"},
        """
static int table[8];
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 8; i++) table[i] = i + argc;
    return table[(argc + 2) & 3] - 4;
}
""",
    ),
    "where a pointer is in the last turn of its loop would not be read": Faulty(
        "range-too-short",
        {"table"},
        """
static int table[8];
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 8; i++) table[i] = i + argc;
    int sum = 0, step = 4, left = 3;
    const int *at = table;
    do { sum += *at; at += step; step /= 2; } while (--left); // 0, 4 and 6
    return sum - 1 - 5 - 7;
}
""",
    ),
    "an index that is loaded would be the first value of its variable": Faulty(
        "stored-values-dropped",
        {"table"},
        """
static int table[8], at;
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 8; i++) table[i] = i + argc;
    at = (argc + 2) & 3;
    return table[at] - 4;
}
""",
    ),
    "an overwrite on one path would be one on both": Faulty(
        "either-path-kills",
        {"cell"},
        """
static int cell;
static void set(int wanted) { if (wanted > 1) cell = wanted; }
int main(int argc, char **argv) { (void)argv; cell = 3; set(argc); return cell - 3; }
""",
    ),
    "what a callee has written would not count as written": Faulty(
        "callee-writes-dropped",
        {"main:0:table"},
        """
static void fill(int *table) { table[0] = 1; table[1] = 2; }
int main(void) { int table[2]; fill(table); return table[0] + table[1] - 3; }
""",
    ),
    "what a callee reads would not be live before the call": Faulty(
        "callee-reads-dropped",
        {"cell"},
        """
static int cell;
static int get(void) { return cell; }
int main(void) { cell = 3; return get() - 3; }
""",
    ),
    "what only an outer call of a recursion reads would not be live": Faulty(
        "recursion-solved-once",
        {"step"},
        """
static int step, sum;
static void add(int depth) {
    if (depth == 0) return;
    add(depth - 1);
    sum += step;
}
int main(void) { step = 2; sum = 0; add(3); return sum - 6; }
""",
    ),
    "what is read after the return would not be live in the callee": Faulty(
        "after-return-dropped",
        {"kept", "other"},
        """
static int kept, other;
static void set(void) { other = 1; other += 2; }
int main(void) { kept = 3; set(); return kept - other; }
""",
    ),
    "what a handler reads would not be live where an exception is thrown": Faulty(
        "after-unwind-dropped",
        # C++ names, and the exception itself
        {"_ZL4kept", "_ZL3setv:__cxa_allocate_exception:0"},
        """
static int kept, other;
static void set() { other = 1; if (other == 1) throw 1; }
int main() { kept = 3; try { set(); } catch (int) { return kept - 3; } return other; }
""",
        language="cpp",
    ),
    "what an exit handler reads would not be live where exit() is called": Faulty(
        "after-exit-dropped",
        {"status"},
        """
#include <stdlib.h>
static int status;
static void at_end(void) { if (status != 3) abort(); }
static void leave(void) { exit(0); }
int main(void) { status = 3; atexit(at_end); leave(); return 1; }
""",
    ),
    "what the next job and teardown read would not be live after a job": Faulty(
        "next-job-dropped",
        {"state", "result"},
        """
static int state = 1, scratch[2], result;
void benchmark_execution(void) {
    scratch[0] = state; scratch[1] = 2; state = scratch[0] * scratch[1]; result = state + 1;
}
int benchmark_teardown(void) { return result - 25; }
int main(void) {
    state = 3; benchmark_execution(); benchmark_execution(); benchmark_execution();
    return benchmark_teardown();
}
""",
        ("--job", "benchmark_execution"),
    ),
    "a pointer that walks through an array would lose it": Faulty(
        "widened-targets-lost",
        {"table"},
        """
static int table[4];
int main(int argc, char **argv) {
    (void)argv;
    int sum = 0;
    for (int i = 0; i < 4; i++) table[i] = argc;
    for (const int *at = table; at < table + 4; at++) sum += *at;
    return sum - 4;
}
""",
    ),
    "copying a struct for a callee would read nothing": Faulty(
        "byval-reads-dropped",
        {"main:0"},  # what clang passes: a copy of pair
        """
struct pair { int first, second, third, fourth, fifth; };
static struct pair pair;
static int sum(struct pair pair) { return pair.first + pair.fifth; }
int main(void) { pair.first = 1; pair.fifth = 5; return sum(pair) - 6; }
""",
    ),
    "copying a block would read nothing": Faulty(
        "block-reads-dropped",
        {"from"},
        """
#include <string.h>
static int from[8], to[8];
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 8; i++) from[i] = argc;
    memcpy(to, from, sizeof(to));
    return to[7] - 1;
}
""",
    ),
    "the C library would read nothing": Faulty(
        "external-reads-dropped",
        {"text"},
        """
#include <stdlib.h>
static char text[4];
int main(int argc, char **argv) {
    (void)argv; text[0] = '0' + argc; text[1] = 0;
    return atoi(text) - 1;
}
""",
    ),
    "all calls would enter the copy that is made for one of them": Faulty(
        "situations-mixed",
        {"first", "second"},  # nothing at all is live where no path leads
        """
static int first, second;
static int get_first(void) { return first; }
static int get_second(void) { return second; }
static int get(int which) { return which == 1 ? get_first() : get_second(); }
int main(int argc, char **argv) {
    (void)argv; first = argc; second = argc + 1;
    return get(1) + get(2) - 3;
}
""",
    ),
    "what is undefined would be taken for what it meets": Faulty(
        "undefined-trusted",
        {"second"},
        """
static int first, second;
static int get_first(void) { return first; }
static int get_second(void) { return second; }
static int choose(void) { return 7777; } // a constant that sroa does not know
int main(int argc, char **argv) {
    int which;
    (void)argv; first = argc; second = argc + 1;
    if (argc > 1) which = choose();
    return (which == 7777 ? get_first() : get_second()) * 0;
}
""",
    ),
    "one way of a comparison would be impossible": Faulty(
        "edge-dropped",
        {"first"},
        """
static int first, second;
static int get_first(void) { return first; }
static int get_second(void) { return second; }
int main(int argc, char **argv) {
    (void)argv; first = argc; second = argc + 1;
    return argc == 1 ? get_first() - 1 : get_second();
}
""",
    ),
}


def trace_program(faulty: Faulty, folder: Path) -> Subject:
    """The program of a fault, run once."""
    subject = make_subject(faulty.source, folder, faulty.language)
    assert subject.trace().returncode == 0
    return subject


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_inside_the_analysis_is_noticed(what: str, tmp_path: Path) -> None:
    faulty = FAULTS[what]
    subject = trace_program(faulty, tmp_path)
    # That the program is covered otherwise is what makes the fault the cause.
    assert subject.judge(*faulty.options)["violations"] == []
    assert subject.judge_faulty(*faulty.options)["violations"] == []
    verdict = subject.judge_faulty("--fault", faulty.fault, *faulty.options)
    assert verdict["status"] == "violated"
    assert objects_of(verdict) == faulty.objects


def test_a_value_that_is_reported_dead_before_a_phi_takes_it_over_is_noticed(
    tmp_path: Path,
) -> None:
    source = """
int main(int argc, char **argv) {
    (void)argv;
    int sum = argc, last = 1;
    for (int i = 0; i < argc + 3; i++) { sum += last; last = sum - last; }
    return sum - 8;
}
"""
    subject = make_subject(source, tmp_path)
    subject.trace()
    verdict = subject.judge()
    assert (verdict["status"], verdict["wrong_values"]) == ("covered", [])
    assert verdict["value_points"] > 10
    found = subject.judge_faulty("--fault", "phi-operands-dropped")
    assert found["status"] == "violated"
    # Memory is as before; before the branch back each of the three numbers waits for its phi.
    assert found["violations"] == []
    assert {one["opcode"] for one in found["wrong_values"]} >= {"br"}
    assert all(one["reported_bits"] < one["live_bits"] for one in found["wrong_values"])
    assert max(one["live_bits"] - one["reported_bits"] for one in found["wrong_values"]) == 3 * 32


def test_the_tool_that_users_get_has_no_faults(tmp_path: Path) -> None:
    subject = trace_program(FAULTS["the C library would read nothing"], tmp_path)
    words = (subject.tool, "check", subject.bitcode, subject.path(".trace"))
    for option in ("--fault=external-reads-dropped", "--drop=atoi:reads"):
        done = run(*words, option)
        assert done.returncode != 0
        assert "Unknown command line argument" in done.stderr


def test_a_fault_of_an_unknown_name_is_refused(tmp_path: Path) -> None:
    subject = trace_program(FAULTS["the C library would read nothing"], tmp_path)
    done = run(subject.faulty_tool(), "check", subject.bitcode, subject.path(".trace"), "--fault=x")
    assert done.returncode == 2
    assert "fault" in done.stderr


def test_executed_code_that_is_called_impossible_is_named_though_nothing_is_live(
    tmp_path: Path,
) -> None:
    source = """
static int shown;
int main(int argc, char **argv) {
    (void)argv;
    if (argc == 1)
        shown = 4;
    return 0;
}
"""
    subject = make_subject(source, tmp_path)
    assert subject.trace().returncode == 0
    assert subject.judge()["impossible_points"] == []
    verdict = subject.judge_faulty("--fault", "edge-dropped")
    assert verdict["status"] == "violated"
    assert verdict["violations"] == verdict["impossible_calls"] == []
    # The block of the store and no other: the way around it leads to the return, too.
    points = verdict["impossible_points"]
    assert verdict["impossible_point_count"] == len(points) == 2
    assert {(one["opcode"], one["function"], *one["context"]) for one in points} == {
        ("store", "main", "main"),
        ("br", "main", "main"),
    }
    assert {one["line"] for one in points if one["opcode"] == "store"} == {6}
