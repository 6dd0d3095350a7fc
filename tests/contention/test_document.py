# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a profile says of its phases."""

from tests.contention.test_table import FIRST, SECOND, table

from laxity.contention.document import profile_text
from laxity.core.percent import percent


def test_table_of_one_phase_says_what_marks_would_gain():
    assert "one phase. With marks in the program (laxity_phase" in profile_text(table())


def test_phases_of_a_table_are_counted():
    assert "The table has 2 phases" in profile_text(table(phases=[FIRST, SECOND]))


def test_zero_has_no_sign():
    assert [percent(ppm) for ppm in (-49, 0, 49, -51, 51)] == [
        *("0.00 %", "0.00 %", "0.00 %", "-0.01 %", "0.01 %")
    ]
