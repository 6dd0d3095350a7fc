# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""C from the jobs of a run; what a run does not tell is said, or is no verdict."""

from decimal import Decimal

import numpy as np
import pytest
from tests.jobs.test_rows import job, make_jobs

from laxity.bounds.measured_wcet import ExecutionTimes, choose_wcet, execution_times
from laxity.bounds.platform_costs import Choice
from laxity.core.streams import Cause, Status
from laxity.errors import NoVerdict
from laxity.jobs.rows import Jobs
from laxity.store.manifest import Counts, TaskResult


def result(done: int = 0, missed: int = 0, lost_rows: int = 0) -> TaskResult:
    return TaskResult(
        index=0, name="control", workload="mem", args=[], policy="fifo", priority=50, cpus="1",
        period_ns=100, deadline_ns=100, offset_ns=0, overrun="skip",
        counts=Counts(done=done, missed=missed), lost_rows=lost_rows,
    )  # fmt: skip


def three_jobs(**last: int) -> Jobs:
    """Two done jobs of 30 and 40 ns, and one that is what `last` says."""
    return make_jobs(
        job(0, 10, 60, exec_ns=30), job(100, 110, 160, exec_ns=40), job(200, 210, 260) | last
    )


def times(*samples_ns: int) -> ExecutionTimes:
    return ExecutionTimes(np.array(samples_ns, dtype=np.int64), ())


def test_done_and_missed_jobs_count_as_they_were_read():
    rows = three_jobs(exec_ns=90, status=Status.MISSED)
    found = execution_times(rows, result(done=2, missed=1))
    assert found.samples_ns.tolist() == [30, 40, 90]
    assert found.notes == ()


def test_jobs_of_other_tasks_do_not_count():
    rows = three_jobs(exec_ns=90, task=1)
    assert execution_times(rows, result(done=2)).samples_ns.tolist() == [30, 40]


def test_aborted_job_is_told():
    rows = three_jobs(status=Status.ABORTED, cause=Cause.INTERRUPT)
    found = execution_times(rows, result(done=2))
    assert found.samples_ns.tolist() == [30, 40]
    assert found.notes == ("aborted jobs: 1, how long they take is open; they do not count",)


def test_job_without_a_processor_time_is_told():
    found = execution_times(three_jobs(), result(done=3))
    assert found.notes == ("jobs without a processor time: 1, what they took is open",)


def test_job_ended_by_its_timeout_is_no_verdict():
    rows = three_jobs(status=Status.ABORTED, cause=Cause.TIMEOUT)
    with pytest.raises(NoVerdict, match="jobs ended by their timeout: 1"):
        execution_times(rows, result(done=2))


def test_lost_rows_are_no_verdict():
    with pytest.raises(NoVerdict, match=r"rows lost \(log ring full\): 2"):
        execution_times(three_jobs(exec_ns=50), result(done=3, lost_rows=2))


def test_rows_that_were_not_kept_are_no_verdict():
    with pytest.raises(NoVerdict, match="holds rows of 3 of 4 finished jobs"):
        execution_times(three_jobs(exec_ns=50), result(done=3, missed=1))


def test_run_without_processor_times_is_no_verdict():
    rows = make_jobs(job(0, 10, 60), without=["exec_ns"])
    with pytest.raises(NoVerdict, match="no processor time was measured"):
        execution_times(rows, result(done=1))


def test_run_without_a_finished_job_is_no_verdict():
    with pytest.raises(NoVerdict, match="no job finished with a processor time"):
        execution_times(make_jobs(job(0, 10, 60, status=Status.PENDING)), result())


def test_longest_job_is_the_default():
    assert choose_wcet(times(30, 90, 40), Choice()) == (90, None)


def test_quantile_needs_as_many_jobs_as_its_interval():
    # 0.99^n <= 0.025 from n = 368 on; the 365th of 1 to 368 is ceil(0.99 * 368).
    choice = Choice(Decimal("0.99"))
    assert choose_wcet(times(*range(1, 369)), choice) == (365, None)
    with pytest.raises(NoVerdict, match="367 jobs are too few for p99; measure 368 or more"):
        choose_wcet(times(*range(1, 368)), choice)


def test_pwcet_that_is_refused_is_no_verdict():
    choice = Choice(exceedance=Decimal("1e-6"))
    assert choice.use == "pwcet:1e-6"
    with pytest.raises(NoVerdict, match="no pWCET of 3 jobs: 3 samples are too few"):
        choose_wcet(times(1, 2, 3), choice)
