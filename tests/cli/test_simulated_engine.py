# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The engine of simulated platforms against the naive engine, on more cases than the C test has."""

import subprocess

import pytest
from tests.cli.laxity_command import of_simulator

CASES, FIRST_SEED = 1000, 1000
PROGRAM = of_simulator("test_engine_equal")


@pytest.mark.slow
@pytest.mark.skipif(not PROGRAM.exists(), reason="simulated platforms are not built")
def test_both_engines_tell_the_same_of_many_cases():
    command = [str(PROGRAM), str(CASES), str(FIRST_SEED)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
