# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""When longer jobs are said to be an effect of samples."""

import pytest

from laxity.jobs.intrusion import Intrusion
from laxity.jobs.sections.intrusion import _why_not_told
from laxity.page.blocks import Kind
from laxity.statistics.rank_test import RankTest


@pytest.mark.parametrize(
    ("unobserved_ns", "observed_ns", "kind", "why"),
    [
        (1000, 1010, "measured", ""),
        # Each job is longer, by the shift, and all together are shorter: a few outliers are gone.
        # "longer by -70.9 %" was said of it.
        (1000, 291, "measured", "not longer on average"),
        (1000, 990, "simulated", "not longer on average"),
        (1000, 1010, "simulated", ""),
    ],
)
def test_jobs_that_are_not_longer_on_average_are_not_said_to_be(
    unobserved_ns: int, observed_ns: int, kind: Kind, why: str
):
    test = RankTest(9, 9, 0.01, 0.9, 10, 10, 10)
    found = Intrusion(9, unobserved_ns, observed_ns, 40, test)
    assert _why_not_told(found, kind) == why
