# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The static live working set covers what a run shows to be live; the oracle sees where not."""

import re
import shutil
from pathlib import Path

import pytest
from tests.workingset.oracle_programs import PROGRAMS
from tests.workingset.oracle_runs import ROOT, Target, make_subject, must, run
from tests.workingset.random_loops import random_loops
from tests.workingset.random_programs import random_program

from laxity.workingset.oracle import is_cpp


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
    assert verdict["wrong_values"] == []
    assert verdict["impossible_calls"] == []
    assert verdict["unknown_allocations"] == []
    assert verdict["points"] > 0
    assert verdict["value_points"] > 0
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


# Where setjmp is no builtin, clang does not mark that it returns twice.
@pytest.mark.parametrize("flags", [(), ("-fno-builtin",)])
def test_values_of_a_function_with_setjmp_may_be_garbage(
    flags: tuple[str, ...], tmp_path: Path
) -> None:
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
        target=Target(flags=flags),
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


# What is called, and the words that name it.
UNTRACEABLE = {
    "an external without a wrapper": (
        "int mystery(int *); int main(void) { int a = 1; return mystery(&a); }",
        "mystery",
    ),
    "an indirect function": (
        "static int one(void) { return 1; } static int (*choose(void))(void) { return one; }"
        ' int f(void) __attribute__((ifunc("choose"))); int main(void) { return f(); }',
        "the indirect function (ifunc) f",
    ),
}


@pytest.mark.parametrize("name", UNTRACEABLE)
def test_what_cannot_be_traced_is_refused_by_name(name: str, tmp_path: Path) -> None:
    source, words = UNTRACEABLE[name]
    subject = make_subject(source, tmp_path)
    done = run(subject.tool, "instrument", subject.bitcode, "-o", tmp_path / "out.bc")
    assert done.returncode == 2
    assert words in done.stderr


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
