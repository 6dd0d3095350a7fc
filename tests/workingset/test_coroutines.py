# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Coroutines of C++: what is live while one is suspended, and what goes on in it."""

from pathlib import Path

import pytest
from tests.workingset.oracle_runs import make_subject, must, run

# The table is written by main while the coroutine is suspended, and read by the coroutine alone.
# sum = 0 + 1 + 2 + 3 = 6, and the local that is kept in the frame is 5: exit code 11 - 11.
PROGRAM = """
#include <coroutine>
struct Generator {
    struct promise_type {
        int value;
        Generator get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int next) { value = next; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
    ~Generator() { handle.destroy(); }
};
static int table[4];
static Generator generate(int kept)
{
    co_yield 1;
    int sum = kept;
    for (int i = 0; i < 4; i++) { sum += table[i]; }
    co_yield sum;
}
int main()
{
    Generator generator = generate(5);
    generator.handle.resume();
    for (int i = 0; i < 4; i++) { table[i] = i; }
    generator.handle.resume();
    return generator.handle.promise().value - 11;
}
"""


@pytest.mark.parametrize("form", ["o0", "sroa", "inline", "o2"])
def test_what_a_suspended_coroutine_reads_later_is_live(tmp_path: Path, form: str) -> None:
    subject = make_subject(PROGRAM, tmp_path, "cpp", form)
    assert subject.trace().returncode == 0
    verdict = subject.judge()
    assert verdict["status"] == "covered", verdict
    assert verdict["points"] > 0
    poisoned, _ = subject.run_poisoned()
    assert poisoned.returncode == 0, poisoned.stderr


def test_a_coroutine_that_is_not_split_is_refused_not_taken_for_a_function(tmp_path: Path) -> None:
    subject = make_subject(PROGRAM, tmp_path, "cpp")
    unsplit = tmp_path / "raw.bc"
    done = run(subject.tool.with_name("laxity-workingset"), unsplit, "--out", tmp_path / "tables")
    assert done.returncode == 2
    assert "_ZL8generatei is not split" in done.stderr
    split = tmp_path / "split.bc"
    must("opt-19", "-passes=coro-early,cgscc(coro-split),coro-cleanup", unsplit, "-o", split)
    must(subject.tool.with_name("laxity-workingset"), split, "--out", tmp_path / "tables")
