# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Limits of ratios: violated, holds, or no verdict, by where the interval lies."""

from pathlib import Path

import pytest

from laxity.errors import ConfigError
from laxity.profile.document import GateAnswer, GateRecord, Profile
from laxity.profile.ratio_gate import judge_ratios, parse_ratio_limit
from laxity.store.run_directory import PROFILE, write_document


@pytest.mark.parametrize(
    ("text", "low", "high", "expected"),
    [
        ("ratio > 1.05", 1.051, 1.2, "violated"),
        ("ratio > 1.05", 1.05, 1.2, "no_verdict"),  # the lower end is not above itself
        ("ratio > 1.05", 0.9, 1.051, "no_verdict"),
        ("ratio > 1.05", 0.9, 1.05, "holds"),
        ("ratio < 0.9", 0.7, 0.899, "violated"),
        ("ratio < 0.9", 0.9, 1.1, "holds"),
        ("ratio<0.9", 0.8, 0.9, "no_verdict"),
    ],
)
def test_the_whole_interval_decides(text: str, low: float, high: float, expected: str):
    assert parse_ratio_limit(text).judge((low + high) / 2, low, high) == expected


def test_a_ratio_without_an_interval_has_no_verdict():
    limit = parse_ratio_limit("ratio > 1.05")
    assert limit.judge(9.0, None, None) == "no_verdict"
    assert limit.judge(None, None, None) == "no_verdict"


@pytest.mark.parametrize(
    "text", ["ratio", "ratio > ", "ratio >= 1.1", "ratio > 5%", "ratio > 0", "response.p99 > +5%"]
)
def test_what_limits_no_ratio_is_refused(text: str):
    with pytest.raises(ConfigError, match=r"compares no ratio; write for example ratio > 1\.05"):
        parse_ratio_limit(text)


def gate(expression: str, answer: GateAnswer) -> GateRecord:
    return GateRecord(
        expression=expression, target=1, rounds=10, ratio=1.0, low=0.9, high=1.1, answer=answer
    )


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (("holds", "holds"), (0, "")),
        (("holds", "no_verdict"), (4, "no verdict: b")),
        (("violated", "no_verdict"), (1, "violated: a")),
    ],
)
def test_a_violation_outweighs_an_unknown_ratio_and_that_a_pass(
    tmp_path: Path, answers: tuple[GateAnswer, GateAnswer], expected: tuple[int, str]
):
    gates = [gate(expression, answer) for expression, answer in zip("ab", answers, strict=True)]
    asked = Profile(
        analyses=["versus"], kind="measured", targets=[], scenarios=[], units=[], gates=gates
    )
    write_document(tmp_path / PROFILE, asked)
    assert judge_ratios(tmp_path) == expected
