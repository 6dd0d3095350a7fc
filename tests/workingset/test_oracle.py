# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The static live working set covers what a run shows to be live; the oracle sees where not."""

import re
import shutil
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import ROOT, make_subject, must, run
from tests.workingset.random_loops import random_loops
from tests.workingset.random_programs import random_program

from laxity.runner.working_set_oracle import is_cpp

PROGRAMS = {
    "a table that a call reads": """
static int table[4];
static int sum(void) { int s = 0; for (int i = 0; i < 4; i++) s += table[i]; return s; }
int main(void) { for (int i = 0; i < 4; i++) table[i] = i; return sum() - 6; }
""",
    "a caller's array across a call": """
static int next(int *counter) { return ++*counter; }
int main(void) {
    int counter = 0, kept[3] = {1, 2, 3};
    next(&counter); next(&counter);
    return kept[0] + kept[1] + kept[2] - 3 * counter;
}
""",
    "a struct by value": """
struct pair { int first, second, third, fourth, fifth; };
static int sum(struct pair pair) { pair.first++; return pair.first + pair.fifth; }
int main(void) { struct pair pair = {1, 2, 3, 4, 5}; return sum(pair) + sum(pair) - 14; }
""",
    "a struct by value without a name": """
#include <stdarg.h>
struct pair { int *first; long second, third; };
static struct pair pair;
static int value;
static int sum(int n, ...) {
    va_list list; va_start(list, n);
    struct pair pair = va_arg(list, struct pair);
    va_end(list);
    return *pair.first + (int)pair.second;
}
int main(void) { value = 5; pair.first = &value; pair.second = 3; return sum(1, pair) - 8; }
""",
    "a table of labels": """
static int count(int turns) {
    static void *labels[] = {&&one, &&two, &&done};
    int sum = 0;
    goto *labels[turns & 1];
one: sum += 1;
two: sum += 2; turns--;
    goto *labels[turns > 0 ? sum & 1 : 2];
done: return sum;
}
int main(int argc, char **argv) { return count(argc + 3) - 9; }
""",
    "recursion that needs its frames afterwards": """
static int depth(int n, int *above) {
    int mine[2] = {n, *above};
    if (n > 0) depth(n - 1, mine);
    return mine[0] + mine[1];
}
int main(void) { int start = 5; return depth(4, &start) - 9; }
""",
    "a large frame that was left while its caller goes on": """
static int sum(int n) {
    int a[512], s = 0;
    for (int i = 0; i < 512; i++) a[i] = n;
    for (int i = 0; i < 512; i++) s += a[i];
    return s;
}
int main(void) {
    int r = 0;
    for (int i = 0; i < 3; i++) { r += sum(i); if (r > 512) r++; }
    return r - 3 * 512 - 1;
}
""",
    "blocks of the heap": """
#include <stdlib.h>
int main(void) {
    int *a = malloc(8), *b = malloc(8);
    a[0] = 3; a[1] = 4; b[1] = a[0];
    b[1] += a[1]; a = realloc(a, 16); a[2] = b[1];
    int r = a[2] - 7; free(a); free(b); return r;
}
""",
    "exit() from below, with a handler": """
#include <stdio.h>
#include <stdlib.h>
static char table[4] = "ab";
static void at_end(void) { puts(table); }
static void leave(void) { exit(0); }
int main(void) { atexit(at_end); leave(); return 1; }
""",
    "destructors that run after the exit handlers": """
#include <stdio.h>
#include <stdlib.h>
static int table[4];
static void tell(int i) { printf("%d", table[i]); }
__attribute__((destructor(101))) static void last(void) { tell(1); tell(2); }
__attribute__((destructor)) static void first(void) { tell(3); table[1] = 5; }
static void handle(void) { table[3] = 7; tell(0); }
int main(void) {
    atexit(handle);
    for (int i = 0; i < 4; i++) table[i] = i;
    exit(0);
}
""",
    "commands that are found by the linker's symbols of their section": """
struct command { int number, calls; };
#define COMMAND(name, n) \\
    static struct command name __attribute__((used, section("commands"))) = {n, 0}
COMMAND(stop, 1);
COMMAND(go, 2);
extern struct command __start_commands[], __stop_commands[];
int main(void) {
    int sum = 0;
    stop.calls = 5;
    go.calls = 7;
    for (struct command *c = __start_commands; c < __stop_commands; c++) sum += c->calls;
    return sum - 12;
}
""",
    "functions that the source itself puts before main and behind it": """
#include <stdlib.h>
static int table[3];
static void early(void) { table[1] = 9; }
static void late(void) { if (table[2] != 5) abort(); }
__attribute__((section(".init_array"), used)) static void (*first[1])(void) = {early};
__attribute__((section(".fini_array"), used)) static void (*last)(void) = late;
int main(void) { int read = table[1]; table[2] = 5; return read - 9; }
""",
    "variables of the environment that the program puts there": """
#include <stdlib.h>
extern char **environ;
static char variable[4] = "Ax", *table[2];
int main(int argc, char **argv) {
    (void)argv;
    variable[1] = argc == 1 ? '=' : 'x'; table[0] = variable; environ = table;
    return !getenv("A");
}
""",
    "a value of the last round that is used after the loop": """
int main(int argc, char **argv) {
    (void)argv;
    int i = argc, last;
    do { last = i; i += 2; } while (i < 9); /* 1, 3, 5, 7 */
    return last - 7;
}
""",
    "a table of functions": """
static int add(int a) { return a + 1; }
static int twice(int a) { return a * 2; }
static int (*const table[2])(int) = {add, twice};
int main(void) { int r = 1; for (int i = 0; i < 4; i++) r = table[i & 1](r); return r - 10; }
""",
    "elements that qsort() compares": """
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    int a[5] = {3, 1, 4, 1, 5};
    qsort(a, 5, sizeof(a[0]), compare); return a[0] + a[4] - 6;
}
""",
    "a table that bsearch() looks through": """
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    int a[5] = {1, 2, 4, 8, 9}, key = 8;
    return *(int *)bsearch(&key, a, 5, sizeof(a[0]), compare) - 8;
}
""",
    "what realloc() keeps": """
#include <stdlib.h>
int main(void) {
    int *a = malloc(8); a[1] = 4;
    a = realloc(a, 16); int r = a[1] - 4; free(a); return r;
}
""",
    # glibc: of nothing it is malloc(), to nothing it frees and returns NULL.
    "realloc() of nothing and to nothing": """
#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argv;
    int *a = realloc(NULL, 8 * (size_t)argc); a[1] = 4;
    int r = a[1] - 4; a = realloc(a, (size_t)argc - 1); return r + (a != NULL);
}
""",
    "an allocator that is called through a pointer": """
#include <stdlib.h>
static void *(*volatile allocate)(size_t) = malloc;
int main(int argc, char **argv) {
    (void)argv;
    int *a = allocate(8); a[0] = argc; a[1] = 3;
    int r = a[0] + a[1] - 4; free(a); return r;
}
""",
    "zeros of calloc()": """
#include <stdlib.h>
int main(void) { int *b = calloc(2, 4); b[1] = 3; int r = b[0]; free(b); return r; }
""",
    "a copy made by strdup()": """
#include <stdlib.h>
#include <string.h>
int main(void) { char *b = strdup("ab"); int r = b[0] - b[1] + 1; free(b); return r; }
""",
    "a count that printf() stores": """
#include <stdio.h>
int main(void) { int n; printf("abc%n\\n", &n); return n - 3; }
""",
    "variables of the C library": """
#include <errno.h>
#include <stdio.h>
extern char **environ;
static char text[4];
int main(int argc, char **argv) {
    (void)argv; text[0] = (char)('0' + argc); errno = argc;
    fprintf(stdout, "%s\\n", text); fputs(text, stderr);
    return errno - 1 + (environ == NULL);
}
""",
    "heap that a constructor fills": """
#include <stdlib.h>
static int *table;
__attribute__((constructor)) static void fill(void) {
    table = malloc(8); table[0] = 3; table[1] = 4;
}
int main(void) { return table[0] + table[1] - 7; }
""",
    "a function that exit() enters again below itself": """
#include <stdlib.h>
static int *kept, depth, total;
static void note(int n) {
    int both[2] = {n, n + 1};
    if (depth++ == 0) { kept = both; exit(0); }
    total += both[0] + both[1];
}
static void finish(void) { note(40); total += kept[0] + kept[1]; if (total != 96) _Exit(1); }
int main(void) { atexit(finish); note(7); return 1; }
""",
    "a loop whose only exit is the header of the one in it": """
static int table[4];
int main(int argc, char **argv) {
    (void)argv; int sum = 0;
    for (int i = 0; i < 4; i++) table[i] = argc + i;
    for (int k = 0; k < 3; k++) {
        for (;;)
            for (int j = 0;; j++) {
                sum += table[j];
                if (j >= 3) goto out;
                if (j * 2 >= 10) break;
            }
    out:
        for (int i = 0; i < 4; i++) table[i] = k;
    }
    return sum - 14;
}
""",
    "a struct by value in a function that only reads": """
struct big { int a[10]; };
static struct big table;
__attribute__((noinline)) static int sum(struct big b) {
    int s = 0;
    for (int i = 0; i < 10; i++) s += b.a[i];
    return s;
}
int main(void) { for (int i = 0; i < 10; i++) table.a[i] = i; return sum(table) - 45; }
""",
    "text that the C library reads and writes": """
#include <stdio.h>
#include <string.h>
int main(void) {
    char a[16], b[16];
    snprintf(a, 16, "%s-%d", "x", 7); strcpy(b, a); puts(b);
    return (int)strlen(b) - 3;
}
""",
}


# One test, since to compile and trace the program is most of either.
@pytest.mark.parametrize("name", PROGRAMS)
def test_live_bytes_are_in_the_static_set_and_the_rest_may_be_garbage(
    name: str, tmp_path: Path
) -> None:
    subject = make_subject(PROGRAMS[name], tmp_path)
    plain = subject.run_plain()
    assert subject.trace().returncode == 0
    verdict = subject.judge()
    assert verdict["violations"] == []
    assert verdict["impossible_calls"] == []
    assert verdict["unknown_allocations"] == []
    assert verdict["points"] > 0
    bytes_run, _ = subject.run_poisoned()
    values_run, value_count = subject.run_with_poisoned_values()
    assert (bytes_run.returncode, bytes_run.stdout) == (plain.returncode, plain.stdout)
    assert (values_run.returncode, values_run.stdout) == (plain.returncode, plain.stdout)
    assert value_count > 0


def test_poison_overwrites_what_is_not_read_any_more(tmp_path: Path) -> None:
    source = PROGRAMS["a table that a call reads"]
    subject = make_subject(source, tmp_path)
    subject.trace()
    done, amount = subject.run_poisoned()
    assert done.returncode == 0
    # The 16 bytes are dead when main begins, where they are written first, and when it ends.
    assert amount >= 2 * 16


def twice_deep(levels: int) -> str:
    """A program whose functions call the next one twice each: 2^levels contexts of the last."""
    calls = "".join(
        f"static void f{level}(void) {{ f{level + 1}(); f{level + 1}(); }}\n"
        for level in reversed(range(levels))
    )
    last = f"static int sum;\nstatic void f{levels}(void) {{ sum++; }}\n"
    return f"{last}{calls}int main(void) {{ f0(); return sum != {2**levels}; }}\n"


def test_contexts_that_nothing_tells_apart_are_one_row_of_what_is_dead(tmp_path: Path) -> None:
    # sum is live everywhere, so all contexts of a function are one to the analysis. Each costs the
    # 8 bytes that say where its row is: 2^10 - 2^7 = 896 contexts more, 7168 bytes, and some for
    # three more functions. Rows of their own would be another 7168: 4 bytes for the one end of the
    # last function (448 contexts), 12 for the three ends of the others (448).
    sizes = []
    for levels in (6, 9):
        folder = tmp_path / str(levels)
        folder.mkdir()
        subject = make_subject(twice_deep(levels), folder)
        assert subject.trace().returncode == 0
        verdict = subject.judge()
        # main, f0 once, f1 twice, ...: one node of the tree of calls each.
        assert verdict["contexts"] == 2 ** (levels + 1)
        sizes.append(subject.path(".table").stat().st_size)
    assert 7168 <= sizes[1] - sizes[0] < 7168 + 7168 // 2


def test_values_of_a_function_with_setjmp_may_be_garbage(tmp_path: Path) -> None:
    # kept is read after the jump only: it must live until then.
    subject = make_subject(
        """
#include <setjmp.h>
static jmp_buf place;
static void leave(int n) { if (n) longjmp(place, n); }
int main(int argc, char **argv) {
    (void)argv;
    int kept = argc * 3;
    if (setjmp(place)) return kept - 3;
    int other = argc + 4; leave(other); return other;
}
""",
        tmp_path,
    )
    done, count = subject.run_with_poisoned_values()
    assert done.returncode == 0
    # At least n of leave(), argc and other of main.
    assert count >= 3


def test_a_byte_that_was_never_written_is_not_live(tmp_path: Path) -> None:
    subject = make_subject(
        """
static int first(const int *p, int n) { return n > 1 ? p[1] * 0 : 0; }
int main(void) { int a[4]; a[0] = 1; return first(a, 2); }
""",
        tmp_path,
    )
    subject.trace()
    verdict = subject.judge()
    # p[1] is read, 4 bytes, and nobody wrote them.
    assert verdict["undefined_read_bytes"] == 4
    assert verdict["violations"] == []


JOBS = """
static int state = 1, scratch[2], result;
void benchmark_execution(void) {
    scratch[0] = state; scratch[1] = 2; state = scratch[0] * scratch[1]; result = state + 1;
}
int benchmark_teardown(void) { return result - 25; }
int main(void) {
    state = 3; benchmark_execution(); benchmark_execution(); benchmark_execution();
    return benchmark_teardown();
}
"""


def test_a_job_is_judged_against_the_next_one_and_teardown(tmp_path: Path) -> None:
    subject = make_subject(JOBS, tmp_path)
    # 3 * 2 * 2 * 2 = 24, and one more.
    assert subject.trace().returncode == 0
    verdict = subject.judge("--job", "benchmark_execution")
    assert verdict["violations"] == []
    assert verdict["points"] > 0
    assert verdict["points_outside"] > 0


JOB_AROUND = """
#include <stdlib.h>
static int *table, sum, ended;
static void finish(void) { ended = sum; if (ended != 14) _Exit(1); }
void benchmark_execution(void) { sum += table[0] + table[1]; if (sum == 14) exit(0); }
int main(void) {
    table = malloc(8); table[0] = 3; table[1] = 4; atexit(finish);
    for (;;) benchmark_execution();
}
"""


def test_a_job_reads_what_main_made_before_and_its_exit_is_followed(tmp_path: Path) -> None:
    subject = make_subject(JOB_AROUND, tmp_path)
    # Twice 3 + 4.
    assert subject.trace().returncode == 0
    verdict = subject.judge("--job", "benchmark_execution")
    assert verdict["violations"] == []
    assert verdict["impossible_calls"] == []


def test_an_external_without_a_wrapper_is_refused_by_name(tmp_path: Path) -> None:
    subject = make_subject(
        "int mystery(int *); int main(void) { int a = 1; return mystery(&a); }", tmp_path
    )
    done = run(subject.tool, "instrument", subject.bitcode, "-o", tmp_path / "out.bc")
    assert done.returncode == 2
    assert "mystery" in done.stderr


def test_jumps_that_are_intrinsics_are_refused_not_taken_for_calls(tmp_path: Path) -> None:
    subject = make_subject(
        "static void *buffer[5]; static void leave(void) { __builtin_longjmp(buffer, 1); }"
        " int main(void) { if (__builtin_setjmp(buffer) == 0) leave(); return 0; }",
        tmp_path,
    )
    analysis = subject.tool.with_name("laxity-workingset")
    done = run(analysis, subject.bitcode, "--out", tmp_path / "tables")
    assert done.returncode == 2
    assert "llvm.eh.sjlj" in done.stderr
    assert "use setjmp and longjmp" in done.stderr


def test_an_indirect_function_is_refused_not_traced_to_a_crash(tmp_path: Path) -> None:
    subject = make_subject(
        "static int one(void) { return 1; } static int (*choose(void))(void) { return one; }"
        ' int f(void) __attribute__((ifunc("choose"))); int main(void) { return f(); }',
        tmp_path,
    )
    done = run(subject.tool, "instrument", subject.bitcode, "-o", tmp_path / "out.bc")
    assert done.returncode == 2
    assert "the indirect function (ifunc) f" in done.stderr


def test_a_trace_that_breaks_off_is_refused(tmp_path: Path) -> None:
    subject = make_subject(PROGRAMS["a table that a call reads"], tmp_path)
    subject.trace()
    trace = subject.path(".trace")
    trace.write_bytes(trace.read_bytes()[:-8])
    done = run(subject.tool, "check", subject.bitcode, trace)
    assert done.returncode == 2
    assert "breaks off" in done.stderr


def test_every_row_of_the_model_table_is_known_to_the_oracle() -> None:
    table = (ROOT / "workingset/analysis/external_models.def").read_text(encoding="utf-8")
    known = (ROOT / "workingset/oracle/externals.def").read_text(encoding="utf-8")
    rows = set(re.findall(r'^(?:MODEL|ANYTHING)\("(\w+)"', table, re.MULTILINE))
    wrapped = set(re.findall(r"^(?:WRAPPED|PLAIN|SAVES|REFUSED)\((\w+)\)", known, re.MULTILINE))
    # Personality routines are named in the code, never called by it.
    assert rows ^ wrapped <= {"__gcc_personality_v0"}


def test_lackey_sees_the_same_accesses_to_a_global(tmp_path: Path) -> None:
    if not shutil.which("valgrind"):
        pytest.skip("needs valgrind")
    subject = make_subject(
        "int table[64]; int main(void) { for (int i = 0; i < 64; i++) table[i] = i; "
        "int s = 0; for (int i = 0; i < 64; i++) s += table[i]; return s - 2016; }",
        tmp_path,
    )
    executable = tmp_path / "plain"
    must("clang-19", "-O0", "-w", "-no-pie", "-static", subject.bitcode, "-o", executable)
    symbols = must("nm", executable).stdout
    start = int(
        next(line for line in symbols.splitlines() if line.endswith(" table")).split()[0], 16
    )
    accesses = must(
        "valgrind",
        "--tool=lackey",
        "--trace-mem=yes",
        "--log-file=" + str(tmp_path / "lackey"),
        executable,
    )
    assert accesses.returncode == 0
    kinds = {" S": 0, " L": 0}
    for line in (tmp_path / "lackey").read_text().splitlines():
        if line[:2] in kinds and start <= int(line[3:].split(",")[0], 16) < start + 256:
            kinds[line[:2]] += 1
    # Each of the 64 elements is stored once and loaded once.
    assert kinds == {" S": 64, " L": 64}


# The names by which the analysis knows what comes before and after the jobs.
HOOKS = {
    "run_job": "benchmark_execution",
    "tear_down": "benchmark_teardown",
    "init(": "benchmark_init(",
}


def random_jobs(seed: int, language: str = "c") -> str:
    """A random program whose jobs the analysis finds."""
    text = random_program(seed, language)
    for ours, theirs in HOOKS.items():
        text = text.replace(ours, theirs)
    return text


def check_program(source: str, folder: Path, language: str = "c") -> None:
    """All of it on one program: coverage, poisoned bytes and poisoned values."""
    subject = make_subject(source, folder, language)
    plain = subject.run_plain()
    traced = subject.trace()
    assert (traced.returncode, traced.stdout) == (plain.returncode, plain.stdout)
    verdict = subject.judge()
    assert (verdict["violations"], verdict["impossible_calls"]) == ([], [])
    assert verdict["status"] == "covered"
    for done, count in (subject.run_poisoned(), subject.run_with_poisoned_values()):
        assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
        assert count > 0


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_are_covered(seed: int, tmp_path: Path) -> None:
    check_program(random_program(seed), tmp_path)


# clang calls the variable constant (llvm.invariant.start) once its first value is computed. Of the
# runtime of C++ only operator new[] and delete[] occur. Exit code (3 + 5) - 8.
ARRAY_OF_RUN_TIME_SIZE = """
static int next(int *made) { return ++*made; }
static int made = 2;
static const int first = next(&made);
int main()
{
    int *values = new int[first];
    values[first - 1] = 5;
    int result = first + values[first - 1] - 8;
    delete[] values;
    return result;
}
"""


def test_new_arrays_and_constants_made_at_start_are_judged(tmp_path: Path) -> None:
    check_program(ARRAY_OF_RUN_TIME_SIZE, tmp_path, "cpp")
    assert "llvm.invariant.start" in must("llvm-dis-19", tmp_path / "program.bc", "-o", "-").stdout


@pytest.mark.parametrize("name", ["_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "__cxa_throw"])
def test_whoever_names_the_runtime_of_cpp_is_linked_with_it(tmp_path: Path, name: str) -> None:
    bitcode = tmp_path / "program.bc"
    bitcode.write_bytes(b"BC\xc0\xde main " + name.encode())
    assert is_cpp(bitcode)
    bitcode.write_bytes(b"BC\xc0\xde main malloc")
    assert not is_cpp(bitcode)


@pytest.mark.parametrize("seed", range(2))
def test_random_jobs_are_covered(seed: int, tmp_path: Path) -> None:
    check_program(random_jobs(seed), tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_with_exceptions_are_covered(seed: int, tmp_path: Path) -> None:
    check_program((random_jobs if seed % 2 else random_program)(seed, "cpp"), tmp_path, "cpp")


@pytest.mark.parametrize("seed", range(3))
def test_random_loops_are_covered(seed: int, tmp_path: Path) -> None:
    check_program(random_loops(seed), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 300))
def test_many_random_loops_are_covered(seed: int, tmp_path: Path) -> None:
    check_program(random_loops(seed), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 500))
def test_many_random_programs_are_covered(seed: int, tmp_path: Path) -> None:
    language = "cpp" if seed % 3 == 0 else "c"
    source = (random_jobs if seed % 2 else random_program)(seed, language)
    check_program(source, tmp_path, language)


def test_the_same_seed_gives_the_same_program() -> None:
    assert random_program(7) == random_program(7)
    assert random_program(7) != random_program(8)
    assert "throw" in random_program(7, "cpp")
