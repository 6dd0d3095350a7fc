# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tests of the engine of simulated platforms catch what is wrong with it."""

import pytest
from bench.planted_faults import FAULTS, TESTS, Fault, catchers
from tests.cli.laxity_command import ROOT, of_simulator

PROGRAMS = [of_simulator(f"test_engine_{name}") for name in TESTS]
BUILD = PROGRAMS[0].parents[1]

needs_engine = pytest.mark.skipif(
    not all(program.exists() for program in PROGRAMS), reason="simulated platforms are not built"
)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.what for fault in FAULTS])
def test_source_has_the_text_that_a_planted_fault_replaces_once(fault: Fault):
    assert (ROOT / "sim" / fault.file).read_text().count(fault.right) == 1


@pytest.mark.slow
@needs_engine
def test_no_test_fails_without_a_fault():
    assert list(catchers(BUILD, None)) == []


@pytest.mark.slow
@needs_engine
@pytest.mark.parametrize("fault", FAULTS, ids=[fault.what for fault in FAULTS])
def test_planted_fault_is_caught(fault: Fault):
    assert any(catchers(BUILD, fault))
