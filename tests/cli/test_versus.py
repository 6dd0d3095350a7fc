# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity versus`: who is the quickest, here and simulated."""

import json
from pathlib import Path

import pytest
from tests.cli.laxity_command import Laxity

SIMULATED = ("--platform", "sim:sabrelite")


def of_run(laxity: Laxity, *words: str, code: int = 0) -> tuple[str, dict[str, object]]:
    done = laxity("versus", *words, "--run-dir", "V", "--quiet")
    assert done.returncode == code, done.stderr
    return done.stdout, json.loads((laxity.directory / "V" / "profile.json").read_text())


def test_simulated_programs_have_exact_ratios_and_the_quickest_comes_first(laxity: Laxity):
    said, profile = of_run(laxity, "mem 64KiB 4", "mem 64KiB 1", *SIMULATED)
    first, second = said.splitlines()[1:3]
    assert first.startswith("mem 64KiB 1 is the quickest (median ")
    rows = {(one["target"], one["quantity"]): one for one in profile["versus"]}  # type: ignore[attr-defined]
    assert rows[1, "start_to_finish"]["ratio"] == 1
    # Four passes in place of one, and what a job takes around them.
    ratio = rows[0, "execution"]["ratio"]
    assert 3 < ratio <= 4
    assert rows[0, "execution"]["low"] is None
    assert second.startswith("mem 64KiB 4 takes ")
    assert "Side by side" in (laxity.directory / "V" / "report.html").read_text()


def test_a_program_and_a_workload_are_compared_in_turn(laxity: Laxity):
    script = laxity.directory / "slow"
    script.write_text("#!/bin/sh\nsleep 0.02\n")
    script.chmod(0o755)
    words = ("--rounds", "5", "-t", "3", "--allow-unprivileged", "-c", "0")
    said, profile = of_run(laxity, "./slow", "empty", *words)
    assert said.splitlines()[1].startswith("empty is the quickest")
    # It sleeps for 20 ms, and no empty job takes as long.
    (slow,) = [
        one
        for one in profile["versus"]  # type: ignore[attr-defined]
        if (one["target"], one["quantity"]) == (0, "start_to_finish")
    ]
    assert slow["rounds"] == 5
    assert slow["ratio"] > slow["low"] > 1
    runs = json.loads((laxity.directory / "V" / "manifest.json").read_text())["runs"]
    in_turn = [name for name in runs if not name.startswith("pilot")]
    assert in_turn[:4] == [
        # Every second round in reverse order.
        "00-slow-alone-00", "01-empty-alone-00", "01-empty-alone-01", "00-slow-alone-01",
    ]  # fmt: skip


def test_a_program_that_takes_longer_than_stated_violates_and_the_interval_decides(
    laxity: Laxity,
):
    """`slow` sleeps for 20 ms, and no job of `mem` takes as long.

    `mem` loads the 1024 lines of 64 KiB, two in a cycle at most, so a job takes 100 ns or more at
    5 GHz: 20 ms are at most 200 000 times as long, a fifth of the second limit. A limit has six
    digits at most.
    """
    script = laxity.directory / "slow"
    script.write_text("#!/bin/sh\nsleep 0.02\n")
    script.chmod(0o755)
    words = ("--rounds", "5", "-t", "3", "--allow-unprivileged", "-c", "0")
    limits = ("--fail-on", "ratio > 1.5", "--fail-on", "ratio > 999999")
    said, profile = of_run(laxity, "mem 64KiB", "./slow", *words, *limits, code=1)
    sentences = said.splitlines()[1:3]
    assert sentences[0].startswith("VIOLATED: slow takes ")
    assert sentences[0].endswith("n = 5 rounds (--fail-on ratio > 1.5).")
    assert sentences[1].startswith("PASS: slow takes ")
    gates = profile["gates"]
    assert [(gate["target"], gate["answer"]) for gate in gates] == [(1, "violated"), (1, "holds")]  # type: ignore[attr-defined]
    assert gates[0]["low"] > 1.5  # type: ignore[index]


def test_few_rounds_have_neither_a_verdict_nor_a_winner(laxity: Laxity):
    words = ("--rounds", "2", "-t", "3", "--allow-unprivileged", "-c", "0")
    said, _ = of_run(laxity, "empty", "cpu", *words, "--fail-on", "ratio > 1.05", code=4)
    verdict, winner = said.splitlines()[1:3]
    assert verdict.startswith("NO VERDICT: cpu takes ")
    assert "n = 2 rounds, too few for an interval" in verdict
    assert winner == "The quickest program is unknown: an interval needs 5 rounds, not 2."


@pytest.mark.parametrize(
    ("passes", "code", "verdict", "winner"),
    [
        # Programs of equal words do the same, to the tick.
        (1, 0, "PASS: mem 64KiB 1 takes 1 times as long", "take equally long, simulated."),
        (2, 1, "VIOLATED: mem 64KiB 2 takes ", "mem 64KiB 1 is the quickest"),
    ],
)
def test_a_simulated_ratio_is_judged_as_it_is(
    laxity: Laxity, passes: int, code: int, verdict: str, winner: str
):
    commands = ("mem 64KiB 1", f"mem 64KiB {passes}")
    said, _ = of_run(laxity, *commands, *SIMULATED, "--fail-on", "ratio > 1", code=code)
    first, second = said.splitlines()[1:3]
    assert first.startswith(verdict)
    assert winner in second


def test_a_program_that_fails_is_told_and_the_other_has_its_times(laxity: Laxity):
    words = ("--rounds", "1", "-t", "3", "-p", "20ms", "--allow-unprivileged", "-c", "0")
    said, _ = of_run(laxity, "false", "true", *words, code=1)
    assert "true alone has jobs that finished" in said
    assert "No process of false ended well, so no job of it counts." in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mem",), "compares commands; name two or more, each quoted with its words"),
        (("mem", "nosuchprogram"), '"nosuchprogram": no executable file along PATH'),
        (("mem 1KB", "mem"), 'SIZE: "1KB" has the unknown unit "KB"; write 1kB or 1KiB'),
        (("mem", "true", *SIMULATED), "exec"),
        (("mem", "true", "--fail-on", "response.p99 > +5%"), "compares no ratio; write for exam"),
    ],
)
def test_what_cannot_be_compared_is_refused(laxity: Laxity, words: tuple[str, ...], said: str):
    done = laxity("versus", *words, "--run-dir", "V")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert not Path(laxity.directory, "V").exists()
