# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How figures are written for people."""

import pytest

from laxity.page.blocks import show_ratio, show_upper


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (1, 3, "33.3 %"),
        (1, 10_000_000, "1e-05 %"),
        (200, 200, "100 %"),
        # 99.95 % in three digits would be all of them.
        (9_995, 10_000, "99.95 %"),
        (9_999_999, 10_000_000, "99.99999 %"),
        (999, 1_000, "99.9 %"),
    ],
)
def test_share_that_is_not_all_is_not_shown_as_all(part: int, whole: int, shown: str):
    assert show_ratio(part / whole) == shown


def test_bound_in_a_sentence_is_rounded_up():
    # 2,018,849 ns in four digits: 2.018849 ms is at most 2.019 ms.
    assert show_upper(2_018_849) == "2.019 ms"
    assert show_upper(2_018_000) == "2.018 ms"
