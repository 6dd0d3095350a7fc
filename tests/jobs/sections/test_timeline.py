# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What stands below the times of jobs over time."""

from pathlib import Path

import pytest
from tests.report.run_builder import Made, ordinary_rows, overrun, write_run

from laxity.report.page import write_report


@pytest.mark.parametrize(
    ("keep", "deadline", "said"),
    [
        ("all", True, "No job missed."),
        # One has, before the ten that were kept.
        ("tail:10", True, "No kept job missed."),
        ("all", False, ""),
    ],
)
def test_what_is_said_of_misses_is_of_the_jobs_that_are_drawn(
    tmp_path: Path, keep: str, deadline: bool, said: str
):
    rows = ordinary_rows(60, deadline=deadline)
    if keep != "all":
        overrun(rows, 20, 6_000_000)
    made = Made(rows, keep=keep, deadline_ns=5_000_000 if deadline else None)
    page = write_report(write_run(tmp_path / "run", made)).read_text()
    (found,) = {one for one in ("No job missed.", "No kept job missed.") if one in page} or {""}
    assert found == said
