# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The mini-programs on other instruction sets, emulated, loaded and statically linked."""

from pathlib import Path

import pytest
from tests.cross_builds import cross_build, isa_marks
from tests.suites.test_static_guests import expected_of, programs_for, vet_some
from tests.suites.test_vetting import EXPECTED

from laxity.suites.target import Link, Wanted
from laxity.suites.toolchain import make_toolchain

# 32 bits each; powerpc is big-endian and puts small data into sections of their own by itself.
NAMES = ("armhf", "powerpc")
# State in small data, a crash under an emulator, a clock with times of 32 bits, less work.
FEW = ("small_data", "crash_in_second_job", "prints_time", "shrinking_work")
# The program counts its own blocks there, not those of a C library that is a part of it.
LIKE_LOADED = ("aligned_blocks",)
TARGETS = [
    pytest.param(name, link, id=f"{name}-{link}", marks=isa_marks(name))
    for name in NAMES
    for link in Link
]
GUEST = "native/laxity-guest.link"


@pytest.mark.parametrize(("name", "link"), TARGETS)
def test_mini_programs_for_another_instruction_set_are_judged_alike(
    name: str, link: Link, tmp_path: Path
):
    cross_build(name, GUEST)
    verdicts = vet_some(Wanted(name, link), tmp_path, FEW)
    got = {one: (set(verdicts[one].classes), verdicts[one].mode) for one in FEW}
    assert got == {one: expected_of(one, link) for one in FEW}
    # Nobody counts instructions there: the program counts its own blocks. Sorting 64 values from
    # the wrong order takes 2016 = 63 * 64 / 2 moves, each a block; sorted already, none.
    words = verdicts["shrinking_work"].evidence[0].split()
    assert words[words.index("basic") + 1] == "blocks,"
    shrunk, fresh = int(words[words.index("is") + 1]), int(words[words.index("state") + 1])
    assert fresh > 2016 > shrunk


@pytest.mark.slow
@pytest.mark.parametrize(("name", "link"), TARGETS)
def test_every_mini_program_for_another_instruction_set_is_judged_alike(
    name: str, link: Link, tmp_path: Path
):
    cross_build(name, GUEST)
    wanted = Wanted(name, link)
    verdicts = vet_some(wanted, tmp_path, tuple(EXPECTED))
    got = {one: (set(verdict.classes), verdict.mode) for one, verdict in verdicts.items()}
    assert got == {
        one: expected_of(one, Link.DYNAMIC if one in LIKE_LOADED else link)
        for one in programs_for(make_toolchain(wanted))
    }
