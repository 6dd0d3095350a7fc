# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of a limit."""

import pytest

from laxity.workingset.document import LeftOut, Limit, ProgramAnswer, Sizes, WorkingSetAnswer
from laxity.workingset.words import limit_words, show_bits

FINE = ProgramAnswer(program="p", sources=[], status="ok", live=Sizes(min=8, median=8, max=80))
FAILED = ProgramAnswer(program="q", sources=[], status="failed", message="no such file")


@pytest.mark.parametrize(
    ("programs", "left_out", "said"),
    [
        ([FINE], [], "At no instruction of any program is more than 10290 B live."),
        (
            [FINE, FAILED],
            [],
            "At no instruction of 1 program that could be analysed is more than 10290 B live.",
        ),
        (
            [FINE],
            [LeftOut(path="q", reason="no bitcode")],
            "At no instruction of 1 program that could be analysed is more than 10290 B live.",
        ),
        (
            [FAILED],
            [],
            "Nobody tells whether more than 10290 B is live: nothing was analysed.",
        ),
    ],
)
def test_a_limit_is_kept_by_what_was_analysed_alone(
    programs: list[ProgramAnswer], left_out: list[LeftOut], said: str
):
    # 10290 B are 10.05 KiB: a limit is not rounded.
    limit = Limit(limit_bits=8 * 10290, instructions=0)
    answer = WorkingSetAnswer(form="source", programs=programs, left_out=left_out, limit=limit)
    assert limit_words(answer) == [said]


def test_bits_are_rounded_up_to_bytes():
    assert [show_bits(one) for one in (1, 7, 8, 73, 8 * 10289)] == [
        "1 bit", "7 bits", "1 B", "10 B", "10.1 KiB",
    ]  # fmt: skip
