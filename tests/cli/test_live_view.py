# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a run shows on a terminal while it lasts, and what stays of it."""

import os
import sys

import pytest
from tests.cli.laxity_command import Laxity, on_terminal

LAXITY = [sys.executable, "-P", "-m", "laxity"]
RUN = ["run", "mem", "64KiB", "-p", "2ms", "--allow-unprivileged", "--no-report"]
# Back to the line above, and everything below it cleared: nothing is left of what was drawn.
CLEARED = "\r\x1b[J"


def drawn(laxity: Laxity, *words: str) -> tuple[str, str]:
    """Run on a terminal; give what was drawn over, and what stays."""
    told = on_terminal(laxity, [*LAXITY, *RUN, *words])
    before, _, after = told.rpartition(CLEARED)
    return before, after


@pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="needs a CPU without a task")
def test_native_run_shows_its_jobs_and_the_time_left_and_then_its_answer_alone(laxity: Laxity):
    cpu = str(min(os.sched_getaffinity(0)))
    before, after = drawn(laxity, "--duration", "3s", "--cpus", cpu)
    assert "mem " in before
    assert "s of 3s, " in before
    assert "response time" in before
    assert "min to max" in before
    assert after.startswith("complete\r\n")
    assert "min to max" not in after


def test_simulated_run_shows_its_jobs_as_well(laxity: Laxity):
    before, after = drawn(laxity, "--platform", "sim:sabrelite", "-t", "3000")
    assert "of 3000 jobs started" in before
    assert "response time" in before
    assert after.startswith("complete\r\n")


def test_quiet_run_draws_nothing(laxity: Laxity):
    before, after = drawn(laxity, "-t", "2", "--quiet")
    assert before == ""
    assert after.startswith("complete\r\n")
