# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What LLVM's verifier takes is analysed or refused with a message; nothing ends by a signal."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.workingset.degenerate_ir import degenerate_program
from tests.workingset.oracle_runs import need_tool, run

from laxity.platform.tools import find_tool

# Not one program in so many may be lost to the verifier: then the generator is broken.
_LEAST_VERIFIED = 0.8


def verified(seeds: Sequence[int], folder: Path) -> list[Path]:
    """Write the programs of these seeds that LLVM takes."""
    need_tool()
    taken = []
    for seed in seeds:
        program = folder / f"p{seed}.ll"
        program.write_text(degenerate_program(seed), encoding="utf-8")
        if run("opt-19", "-passes=verify", "-disable-output", program).returncode == 0:
            taken.append(program)
    assert len(taken) >= _LEAST_VERIFIED * len(seeds)
    return taken


def must_end(*words: Path | str, codes: Sequence[int]) -> bool:
    """Run a tool that may refuse with a message; tell whether it did not."""
    done = run(*words)
    assert done.returncode in codes, f"{words}: {done.returncode}: {done.stderr}"
    assert done.returncode == 0 or ": " in done.stderr, f"{words}: no message"
    return done.returncode == 0


def prove_endings(seeds: Sequence[int], folder: Path) -> None:
    """Put each program through the analysis, --why for all of it, and the oracle."""
    n_analysed = 0
    for program in verified(seeds, folder):
        out = folder / "out"
        is_analysed = must_end(find_tool("laxity-workingset"), program, "--out", out, codes=(0, 2))
        n_analysed += is_analysed
        if is_analysed:
            summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
            assert summary["instructions"] > 0
            must_end(find_tool("laxity-workingset").with_name("workingset-why-agrees"), program,
                     codes=(0,))  # fmt: skip
        oracle = need_tool()
        copy = folder / "copy.bc"
        must_end(oracle, "instrument", program, "-o", copy, codes=(0, 2))
        must_end(oracle, "poison-values", program, "-o", copy, codes=(0, 2))
    # Sizes that nobody knows are refused, and hardly anything else is.
    assert n_analysed >= len(seeds) // 2


def test_degenerate_programs_are_analysed_or_refused(tmp_path: Path) -> None:
    prove_endings(range(40), tmp_path)


@pytest.mark.slow
def test_many_degenerate_programs_are_analysed_or_refused(tmp_path: Path) -> None:
    prove_endings(range(1000, 2500), tmp_path)


def refusal(source: str, tmp_path: Path) -> str:
    """Return the message with which a program is refused."""
    program = tmp_path / "p.ll"
    program.write_text(source, encoding="utf-8")
    done = run(find_tool("laxity-workingset"), program, "--out", tmp_path / "out")
    assert done.returncode == 2
    return done.stderr


def test_a_value_whose_length_only_the_machine_knows_is_refused(tmp_path: Path) -> None:
    need_tool()
    message = refusal(
        "define i32 @main() {\n  %v = add <vscale x 4 x i32> zeroinitializer, zeroinitializer\n"
        "  ret i32 0\n}\n",
        tmp_path,
    )
    assert "a value of main has no size that is known" in message
    assert "-msve-vector-bits" in message


def test_oracle_refuses_an_argument_whose_length_only_the_machine_knows(tmp_path: Path) -> None:
    # No instruction uses it, or is of its type.
    program = tmp_path / "p.ll"
    program.write_text(
        "define i32 @f(<vscale x 4 x i32> %v) {\n  ret i32 0\n}\n"
        "define ptr @g(ptr %p) {\n  %q = getelementptr <vscale x 4 x i32>, ptr %p, i32 1\n"
        "  ret ptr %q\n}\n",
        encoding="utf-8",
    )
    for command in ("instrument", "poison-values"):
        done = run(need_tool(), command, program, "-o", tmp_path / "copy.bc")
        assert done.returncode == 2
        assert "f has vectors as long as the machine's" in done.stderr


@pytest.mark.parametrize(
    "use",
    [
        "%p = addrspacecast ptr @never to ptr addrspace(1)",
        "call void @llvm.lifetime.end.p0(i64 1, ptr @never)",
    ],
)
def test_function_that_is_named_but_never_called_is_kept(use: str, tmp_path: Path) -> None:
    # No value of it is one that could be called: it was removed, and its name was left.
    program = tmp_path / "p.ll"
    program.write_text(
        "declare void @llvm.lifetime.end.p0(i64, ptr)\n"
        "define internal void @never() {\n  ret void\n}\n"
        f"define i32 @main() {{\n  {use}\n  ret i32 0\n}}\n",
        encoding="utf-8",
    )
    need_tool()
    done = run(find_tool("laxity-workingset"), program, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    # The use, main's return and that of the function.
    assert summary["instructions"] == 3


def test_call_that_may_not_throw_leaves_nothing_live_where_exceptions_go(tmp_path: Path) -> None:
    # main unwinds and may not: nothing follows the call, though f, called back from the unknown
    # call, could be left by an exception that is caught there.
    program = tmp_path / "p.ll"
    program.write_text(
        "define void @f() {\n  %slot = alloca i32\n  %code = call i32 @main()\n"
        "  call void null()\n  %value = load volatile i32, ptr %slot\n  ret void\n}\n"
        "define i32 @main() nounwind personality ptr null {\n"
        "  resume { ptr, i32 } zeroinitializer\n}\n",
        encoding="utf-8",
    )
    need_tool()
    agrees = find_tool("laxity-workingset").with_name("workingset-why-agrees")
    done = run(agrees, program)
    assert done.returncode == 0, done.stderr


def test_exceptions_in_funclets_are_refused(tmp_path: Path) -> None:
    # What cleanupret leaves to the caller is no return: nothing would be live after it.
    need_tool()
    message = refusal(
        "declare i32 @__CxxFrameHandler3(...)\ndeclare void @may_throw()\n"
        "define i32 @main() personality ptr @__CxxFrameHandler3 {\n"
        "  invoke void @may_throw() to label %done unwind label %pad\n"
        "pad:\n  %p = cleanuppad within none []\n  cleanupret from %p unwind to caller\n"
        "done:\n  ret i32 0\n}\n",
        tmp_path,
    )
    assert "exceptions of main are handled in funclets" in message
