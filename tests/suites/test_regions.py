# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which functions of a program bracket its regions of interest."""

from pathlib import Path

import pytest

from laxity.suites.discover import discover
from laxity.suites.jobs import Guest, How, run_session
from laxity.suites.regions import Regions, regions_of
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, build_guest

PROGRAMS = Path(__file__).parent / "programs"


def test_a_known_pair_is_a_region_and_half_of_one_is_none():
    called = {"photonStartTiming", "photonEndTiming", "start_trigger", "printf"}
    assert regions_of(called) == Regions((("photonStartTiming", "photonEndTiming"),))


def test_what_the_user_names_replaces_what_is_known():
    called = {"photonStartTiming", "photonEndTiming", "selfCheck", "tic", "toc", "verify"}
    named = regions_of(called, brackets=[("tic", "toc")], check="verify")
    assert named == Regions((("tic", "toc"),), ("verify",))
    assert named.wrapped == ("tic", "toc", "verify")


def test_a_program_without_brackets_has_nothing_to_wrap():
    assert regions_of({"printf"}).wrapped == ()


@pytest.mark.parametrize(
    ("name", "regions", "check"), [("regions_of_interest", 2, 1), ("regions_wrong_check", 0, -1)]
)
def test_every_region_of_every_job_is_counted_and_its_check_read(
    name: str, regions: int, check: int, tmp_path: Path
):
    toolchain = Toolchain()
    (tmp_path / "build").mkdir()
    program = discover(PROGRAMS / name, tmp_path / "build", toolchain).programs[0]
    guest = build_guest(VetRequest(PROGRAMS / name, tmp_path, toolchain, 2), program)
    assert isinstance(guest, Path)
    jobs = run_session(Guest(program, guest), How(jobs=2)).jobs
    assert [one.regions for one in jobs] == [regions, regions]
    assert [one.check.code for one in jobs if one.check] == [check, check]
    for one in jobs:
        assert 0 <= one.regions_ns <= one.duration_ns
