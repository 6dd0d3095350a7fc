# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tests of the engine of simulated platforms catch what is wrong with it."""

import pytest
from bench.planted_faults import FAULTS, TESTS, Fault, catchers
from tests.cli.laxity_command import of_simulator

PROGRAMS = [of_simulator(f"test_engine_{name}") for name in TESTS]
BUILD = PROGRAMS[0].parents[1]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(program.exists() for program in PROGRAMS),
        reason="simulated platforms are not built",
    ),
]


def test_no_test_fails_without_a_fault():
    assert list(catchers(BUILD, None)) == []


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.what for fault in FAULTS])
def test_planted_fault_is_caught(fault: Fault):
    assert any(catchers(BUILD, fault))
