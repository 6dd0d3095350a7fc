# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The oracle says why the static sets are larger than what was live: one cause per byte-point.

Points are the instructions of the reference form that are executed, each before it takes effect.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.workingset.oracle_runs import make_subject
from tests.workingset.random_programs import random_program

CAUSES = ("time", "context", "unexecuted_path", "volatile", "array_range", "aliasing", "other")

# main: store, icmp, br, load, sub, br, ret. The first three lie before the branch that is not
# taken: 3 * 4 bytes of `cold`. Of `hot`, live before icmp, br and load, nothing is lost.
UNEXECUTED = """
static int cold = 7, hot;
int main(int argc, char **argv) {
    (void)argv;
    hot = argc;
    if (argc > 1) return hot / cold;
    return hot - 1;
}
"""
# main: sub, call, sub, ret; read_at: sext, gep, load, ret. All 32 bytes are called live up to the
# load, at 5 points, of which the run needs the first 4: 5 * 28.
ARRAY = """
static int read_at(const int *table, int at) { return table[at]; }
static int table[8] = {1};
int main(int argc, char **argv) { (void)argv; return read_at(table, argc - 1) - 1; }
"""
# main: store, ret. What is volatile is called live at both and never is.
VOLATILE = """
volatile int shown;
int main(void) { shown = 1; return 0; }
"""
# main: icmp, zext, select, load, sub, ret. Both are called live before the first four: 4 * 4 bytes
# of `a`.
ONE_OF_TWO = """
static int a = 1, b = 2;
int main(int argc, char **argv) { (void)argv; int *p = argc > 1 ? &a : &b; return *p - 2; }
"""
# main: call, sub, call, ret; show, first: icmp, br, load, store, br, ret; then icmp, br, load, sub,
# store, br, ret. `b` is live up to its load, and so called. `a` is up to its own: call, icmp, br,
# load, and called live up to the second br: 7 * 4 bytes more. At icmp and br it was live in the
# first context; at store, br, ret, sub, call it never was.
TWO_CONTEXTS = """
static int a = 1, b = 2, shown;
static void show(int which) { if (which) shown = a; else shown = -b; }
int main(int argc, char **argv) { (void)argv; show(argc); show(argc - 1); return 0; }
"""
# Two rounds. br; header (icmp, br) three times; test (icmp, br) twice; load, store, br; store, br;
# add, br twice; ret: 21 points, at 20 of which `first` is called live. It is until the load of the
# first round: 1 + 2 + 2 + 1 = 6 points. At the other two visits of the header and the second of the
# test, 3 * 2 points, it was live at another time. At the stores, their br and twice add and br, 8
# points, it never was: nothing but the value of i tells.
ROUNDS = """
static int first, shown, rest;
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i <= argc; i++)
        if (i == 0) shown = first; else rest = i;
    return 0;
}
"""


def attribution(source: str, folder: Path) -> dict[str, Any]:
    """Trace and judge a program that loses precision."""
    subject = make_subject(source, folder)
    subject.trace()
    return subject.judge()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (UNEXECUTED, {"unexecuted_path": 12}),
        (ARRAY, {"array_range": 140}),
        (VOLATILE, {"volatile": 8}),
        (ONE_OF_TWO, {"aliasing": 16}),
        (TWO_CONTEXTS, {"context": 8, "other": 20}),
        (ROUNDS, {"time": 24, "other": 32}),
    ],
    ids=["unexecuted path", "array range", "volatile", "aliasing", "context", "time"],
)
def test_a_cause_has_its_byte_points(source: str, expected: dict[str, int], tmp_path: Path):
    verdict = attribution(source, tmp_path)
    assert verdict["attribution"] == dict.fromkeys(CAUSES, 0) | expected


def test_the_objects_that_lose_most_come_first(tmp_path: Path):
    rows = attribution(TWO_CONTEXTS, tmp_path)["worst_objects"]
    # `a` at 11 points, live at 4 of them; nothing is lost of `b`.
    assert [(row["object"], row["class"]) for row in rows] == [("a", "global")]
    assert rows[0]["static_byte_points"] == 44
    assert rows[0]["dynamic_byte_points"] == 16
    assert rows[0]["lost"] == dict.fromkeys(CAUSES, 0) | {"context": 8, "other": 20}


@pytest.mark.parametrize("seed", range(8))
def test_the_causes_add_up_to_the_difference(seed: int, tmp_path: Path):
    verdict = attribution(random_program(seed), tmp_path)
    lost = verdict["static_byte_points"] - verdict["dynamic_byte_points"]
    assert sum(verdict["attribution"].values()) == lost
    assert all(amount >= 0 for amount in verdict["attribution"].values())


def test_nothing_is_attributed_to_a_verdict_that_is_none(tmp_path: Path):
    subject = make_subject(TWO_CONTEXTS, tmp_path)
    subject.trace()
    verdict = subject.judge_faulty("--fault", "callee-reads-dropped")
    assert verdict["status"] == "violated"
    assert "attribution" not in verdict
