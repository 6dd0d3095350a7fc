# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs against deadlines of WCET / utilisation."""

import numpy as np
import pytest

from laxity.profile.schedulability import Process, deadline_of, met_of


def test_deadline_is_the_wcet_over_the_utilisation_rounded_up():
    # 1 ms at 5 %: 20 ms; at 100 %: itself; 1000 ns at 30 %: 3333.3.
    assert deadline_of(1_000_000, 5) == 20_000_000
    assert deadline_of(1_000_000, 100) == 1_000_000
    assert deadline_of(1_000, 30) == 3_334


def test_constant_work_has_its_step_where_arithmetic_says():
    # Responses of 1250 with a WCET of 1000: met while 1000 / u >= 1250, so up to 80 %.
    process = Process(np.full(10, 1_250), n_aborted=0)
    met = {one.percent: one.met for one in met_of([process], 1_000)}
    assert {percent for percent, n in met.items() if n == 10} == set(range(5, 81, 5))
    assert {percent for percent, n in met.items() if n == 0} == {85, 90, 95, 100}


def test_aborted_jobs_have_met_no_deadline():
    process = Process(np.full(6, 1), n_aborted=2)
    first = next(iter(met_of([process], 1_000)))
    assert (first.met, first.jobs) == (6, 8)


def test_interval_is_that_of_processes_and_needs_twenty():
    # Half of 20 processes meet all 50 deadlines, half none: the 1000 jobs tell as much as 20, of
    # which 10: Clopper and Pearson's interval of 10 of 20 is 27.2 to 72.8 %, and that of fewer
    # degrees of freedom is a little wider; of 10 of 1000 it would be 46.9 to 53.1 %.
    processes = [Process(np.full(50, 1 if at % 2 else 5_000), 0) for at in range(20)]
    last = list(met_of(processes, 1_000))[-1]
    assert (last.met, last.jobs) == (500, 1000)
    assert last.low == pytest.approx(0.272, abs=0.03)
    assert last.high == pytest.approx(0.728, abs=0.03)
    assert last.low <= 0.272
    few = list(met_of(processes[:19], 1_000))[-1]
    assert (few.low, few.high) == (None, None)
