# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where the truth is known a pWCET is too low in 2.5 % of samples at most, refused ones included.

bench/pwcet_coverage.py has the whole table; this is a seeded share of it.
"""

import pytest
from bench.pwcet_coverage import repeat

# All that are looked at, and those of which the gates are.
REPEATS, GATED = 100, 20
# 2.5 % are expected at most; of 100 with that share, more than 6 are too low in 1 of 100.
MOST_TOO_LOW = 6
LIGHT = ("gamma (4)", "beta (2, 5)", "uniform", "exponential")
HEAVY = ("Pareto (3)",)
BETWEEN = ("lognormal (0.5)", "Student t (5)", "Student t (10)", "1 % of three times")


@pytest.mark.slow
@pytest.mark.parametrize("case", [(2_000, (1e-4,)), (10_000, (1e-6, 1e-7))])
@pytest.mark.parametrize("kind", [*LIGHT, *HEAVY, *BETWEEN])
def test_bound_is_too_low_in_one_of_forty_at_most(kind: str, case: tuple[int, tuple[float, ...]]):
    done = [
        one for number in range(REPEATS) for one in repeat((kind, *case, number, number < GATED))
    ]
    for exceedance in case[1]:
        ratios = [one.ratio for one in done if one.exceedance == exceedance]
        assert sum(ratio is not None and ratio < 1 for ratio in ratios) <= MOST_TOO_LOW
        printed = sum(ratio is not None for ratio in ratios[:GATED])
        if kind in LIGHT:
            # 70 % of 20.
            assert printed >= 14
        if kind in HEAVY:
            assert printed <= 2
