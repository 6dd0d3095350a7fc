# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Exceptions of C++: what is live on the way to a handler, and in whose context."""

from pathlib import Path

import pytest
from tests.workingset.oracle_runs import make_subject

PROGRAMS = {
    "a table that only the handler reads": """
static int table[4], other;
static void fail(int i) { if (i > 2) throw i; other += i; }
static int call(int i) { try { fail(i); } catch (int what) { return table[what]; } return other; }
int main() {
    for (int i = 0; i < 4; i++) table[i] = i;
    return call(1) + call(3) - 4;
}
""",
    "an exception with a destructor that reads a table": """
static int table[2], seen;
struct Failure { int index; Failure(int i) : index(i) {} ~Failure() { seen += table[index]; } };
static void fail(int i) { table[i] = 5; throw Failure(i); }
int main() {
    try { fail(1); } catch (const Failure &failure) { seen += failure.index; }
    return seen - 6;
}
""",
    "a loop that goes on behind a handler of anything": """
static int state, caught;
struct Guard {
    int *kept;
    int saved;
    Guard(int *what) : kept(what), saved(*what) {}
    void keep() { kept = nullptr; }
    ~Guard() { if (kept) *kept = saved; }
};
static int odd(int value) { if (value & 1) throw value; return value; }
static int rethrow(int value) {
    try { return odd(value); } catch (int what) { caught += what; throw; }
}
static int even_of(int value) {
    int result = -1;
    for (int i = 0; i < 2; i++) {
        Guard guard(&state);
        state = value + i;
        try {
            result = rethrow(value + i); guard.keep(); break;
        } catch (...) { caught++; continue; }
    }
    return result;
}
int main() {
    int sum = 0;
    for (int i = 0; i < 4; i++) sum = sum * 3 + even_of(i);
    return sum + caught - 34;
}
""",
    "frames that are cleaned up on the way": """
static int log[3], count;
struct Guard { int number; Guard(int n) : number(n) {} ~Guard() { log[count++] = number; } };
static void fail(int depth) {
    Guard guard(depth);
    if (depth == 2) throw 7;
    fail(depth + 1);
}
int main() {
    try { fail(0); } catch (int what) { return what - 7 + log[0] - 2 + log[1] - 1 + log[2]; }
    return 1;
}
""",
    "one that is thrown again, to a handler for its base": """
struct Base { int code; };
struct Derived : Base { int more; };
static int kept;
static void fail() { Derived it; it.code = 3; it.more = 4; throw it; }
static void pass() { try { fail(); } catch (const Derived &d) { kept += d.more; throw; } }
int main() {
    try { pass(); } catch (const Base &b) { return b.code + kept - 7; }
    return 1;
}
""",
    "handlers of other types on the way": """
struct A { int a; };
struct B { int b; };
static int wrong;
static void fail(int i) { if (i) throw B{i}; throw A{i}; }
static int inner(int i) { try { fail(i); } catch (const A &a) { wrong = 1; return a.a; } return 9; }
int main() { try { return inner(2); } catch (const B &b) { return b.b - 2 + wrong; } }
""",
    "calls of the same function before and after": """
static int first, second;
static int get(int *cell) { return *cell; }
static void fail() { throw 1; }
int main() {
    first = 2; second = 3;
    int sum = get(&first);
    try { fail(); } catch (int) { sum += get(&second); }
    sum += get(&first);
    return sum - 7;
}
""",
    "a callback that throws through the C library": """
#include <stdlib.h>
static int bound;
static int compare(const void *a, const void *b) {
    if (*(const int *)a > bound) throw *(const int *)a;
    return *(const int *)a - *(const int *)b;
}
int main() {
    int numbers[4] = {1, 2, 9, 3};
    bound = 5;
    try { qsort(numbers, 4, sizeof(int), compare); } catch (int what) { return what - 9; }
    return 1;
}
""",
    "a static variable of a function": """
static int calls;
static int make() { return ++calls; }
static int get() { static int value = make(); return value; }
int main() { return get() + get() - 2; }
""",
    "a static variable of a function that is called once": """
static int calls;
static int make() { return ++calls; }
static int get() { static int value = make(); return value; }
int main() { return get() - 1; }
""",
    "objects of the heap with a constructor that throws": """
static int alive;
struct Part { Part() { alive++; } ~Part() { alive--; } };
struct Whole {
    Part part;
    int *cells;
    Whole(int n) : cells(new int[2]) {
        cells[0] = n;
        if (n > 1) { delete[] cells; throw n; }
    }
    ~Whole() { delete[] cells; }
};
int main() {
    int sum = 0;
    for (int i = 1; i < 3; i++) {
        try { Whole *whole = new Whole(i); sum += whole->cells[0]; delete whole; }
        catch (int n) { sum += 10 * n; }
    }
    return sum - 21 + alive;
}
""",
}


# One test, since to compile and trace the program is most of either.
@pytest.mark.parametrize("name", PROGRAMS)
def test_live_bytes_are_in_the_static_set_and_the_rest_may_be_garbage(
    name: str, tmp_path: Path
) -> None:
    subject = make_subject(PROGRAMS[name], tmp_path, "cpp")
    assert subject.run_plain().returncode == 0
    assert subject.trace().returncode == 0
    assert subject.judge()["status"] == "covered"
    bytes_run, byte_count = subject.run_poisoned()
    values_run, value_count = subject.run_with_poisoned_values()
    assert (bytes_run.returncode, values_run.returncode) == (0, 0)
    assert byte_count > 0
    assert value_count > 0


def test_values_of_a_function_with_a_handler_may_be_garbage(tmp_path: Path) -> None:
    # main is the only function: what dies dies between its throw and its handler, or there.
    subject = make_subject(
        "int main(int argc, char **) { int kept = argc * 3; "
        "try { throw argc + 1; } catch (int what) { return kept - what - 1; } }",
        tmp_path,
        "cpp",
    )
    done, count = subject.run_with_poisoned_values()
    assert done.returncode == 0
    # argc, the exception and what is caught, at least.
    assert count >= 3


# The second and third job are left by an exception before `state` is written again, and main goes
# on: 0 + 0 + 1 + 2 + 3 = 6; 6 + 6 + 7 + 8 + 9 = 36; 36 + 36 + 37 + 38 + 39 = 186.
THROWN_JOBS = """
static int state[4], kept;
extern "C" void benchmark_init(int, void **) { for (int i = 0; i < 4; i++) state[i] = i; }
extern "C" void benchmark_execution(int, void **) {
    for (int i = 0; i < 4; i++) kept += state[i];
    for (int i = 0; i < 4; i++) state[i] = kept + i;
    if (kept > 10) throw kept;
    for (int i = 0; i < 4; i++) state[i] = kept + i;
}
extern "C" int benchmark_teardown(int, void **) { return kept - 186; }
int main() {
    benchmark_init(0, nullptr);
    for (int job = 0; job < 3; job++) {
        try { benchmark_execution(0, nullptr); } catch (int) {}
    }
    return benchmark_teardown(0, nullptr);
}
"""


def test_what_the_next_job_reads_is_live_where_an_exception_leaves_a_job(tmp_path: Path) -> None:
    subject = make_subject(THROWN_JOBS, tmp_path, "cpp")
    assert subject.run_plain().returncode == 0
    assert subject.trace().returncode == 0
    verdict = subject.judge("--job", "benchmark_execution")
    assert verdict["status"] == "covered", verdict["violations"]
    assert subject.run_poisoned("--job", "benchmark_execution")[0].returncode == 0


# What the trace of an uncaught one ends with is the end of the program: 134 is what a shell says.
def test_an_exception_that_nobody_handles_ends_the_trace(tmp_path: Path) -> None:
    subject = make_subject(
        "static int cell; int main(int argc, char **) { cell = argc; throw cell; }", tmp_path, "cpp"
    )
    assert subject.trace().returncode == -6
    assert subject.judge()["status"] == "covered"
