# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs that Csmith draws: nothing is lost, with volatile variables, pointers and bit-fields."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import make_subject

# Each seed is a program of some hundred lines that ends within milliseconds; that of 9 has no end.
SEEDS = (*range(1, 9), *range(10, 13))
# So that no program runs for long: few functions and blocks, small arrays.
SIZE = ("--max-funcs", "4", "--max-block-depth", "3", "--max-array-len-per-dim", "6")
DRAW_LIMIT_S = 60


def draw(seed: int, folder: Path) -> str:
    """Draw a program; its own header comes with it, as text."""
    csmith = shutil.which("csmith")
    if csmith is None:
        pytest.skip("needs csmith")
    done = subprocess.run(
        [csmith, "--seed", str(seed), *SIZE],
        cwd=folder,  # it writes platform.info there
        capture_output=True,
        text=True,
        timeout=DRAW_LIMIT_S,
        check=True,
    )
    headers = Path(csmith).parents[1] / "include" / "csmith"
    return done.stdout.replace('#include "csmith.h"', f'#include "{headers}/csmith.h"')


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_live_of_a_drawn_program_is_called_dead(seed: int, tmp_path: Path) -> None:
    subject = make_subject(draw(seed, tmp_path), tmp_path)
    plain = subject.run_plain()
    traced = subject.trace()
    assert (traced.returncode, traced.stdout) == (plain.returncode, plain.stdout)
    verdict = subject.judge()
    assert verdict["status"] == "covered", verdict["violations"]
    assert verdict["points"] > 0
    poisoned, _ = subject.run_poisoned()
    assert (poisoned.returncode, poisoned.stdout) == (plain.returncode, plain.stdout)
