# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What began a backlog and why releases were skipped, against hand calculations."""

from tests.jobs.test_rows import job, make_jobs

from laxity.jobs import backlog


def skipped(release: int) -> dict[str, int]:
    return {"release_ns": release, "status": 2}


def test_skips_by_a_late_start_are_told_from_skips_by_a_long_job():
    # T = 10. Job 0 starts 25 late and takes 4: on time it would have finished at 4, before 10.
    # Job 3 starts at once and takes 15 > 10, of which it executes 12 > 10 as well.
    # Job 5 takes 11 > 10, but executes only 7.
    rows = make_jobs(
        job(0, 25, 29, exec_ns=4), skipped(10), skipped(20),
        job(30, 30, 45, exec_ns=12), skipped(40),
        job(50, 50, 61, exec_ns=7), skipped(60),
    )  # fmt: skip
    assert backlog.skip_reasons(rows) == backlog.SkipReasons(2, 2, 0, 1)


def test_a_long_job_that_also_started_late_divides_its_skips():
    # starts 15 late, takes 12: on time it would have passed 10 but not 20
    rows = make_jobs(job(0, 15, 27), skipped(10), skipped(20), without=["exec_ns"])
    assert backlog.skip_reasons(rows) == backlog.SkipReasons(1, 1, 0, None)


def test_releases_that_a_dead_task_never_started_have_no_job_to_blame():
    rows = make_jobs(skipped(0), job(10, 11, 12), skipped(20), {"release_ns": 30, "status": 3},
                     skipped(40))  # fmt: skip
    assert backlog.skip_reasons(rows) == backlog.SkipReasons(0, 0, 3, 0)
    assert backlog.skip_reasons(make_jobs()) == backlog.SkipReasons(0, 0, 0, 0)


def test_misses_behind_one_late_start_are_one_burst():
    # T = D = 10, each job takes 5; job 1 starts 18 late: 33, 38, 43, 48, 53: job 5 waits for none
    rows = make_jobs(
        job(0, 0, 5, abs_deadline_ns=10),
        job(10, 28, 33, abs_deadline_ns=20, status=1),
        job(20, 33, 38, abs_deadline_ns=30, status=1),
        job(30, 38, 43, abs_deadline_ns=40, status=1),
        job(40, 43, 48, abs_deadline_ns=50),
        job(50, 50, 61, abs_deadline_ns=60, status=1),
        {"release_ns": 70, "status": 4},
    )
    assert backlog.first_of_burst(rows).tolist() == [0, 1, 1, 1, 1, 5, 6]
    late, alone = backlog.worst_bursts(rows)
    assert (late.first, late.last, late.worst, late.n_not_met) == (1, 4, 1, 3)
    assert (late.latency_ns, late.start_to_finish_ns, late.began_late) == (18, 5, True)
    assert (alone.first, alone.last, alone.n_not_met) == (5, 5, 1)
    assert len(backlog.worst_bursts(rows, limit=1)) == 1


def test_a_job_without_release_waited_for_no_other():
    rows = make_jobs({"start_ns": 0, "finish_ns": 9}, {"start_ns": 5, "finish_ns": 12})
    assert backlog.first_of_burst(rows).tolist() == [0, 1]


def test_a_burst_behind_a_long_job_is_not_called_late():
    # starts at once, takes 12 of T = 10
    rows = make_jobs(job(0, 0, 12, abs_deadline_ns=10, status=1), job(10, 12, 15))
    (burst,) = backlog.worst_bursts(rows)
    assert (burst.last, burst.began_late) == (1, False)


def test_rows_that_were_not_kept_and_a_finish_at_the_release_end_a_burst():
    rows = make_jobs(job(0, 0, 30), job(20, 30, 40, job=2), job(40, 40, 41, job=3))
    assert backlog.first_of_burst(rows).tolist() == [0, 1, 2]


def test_an_aborted_job_can_end_a_burst_but_begins_none():
    rows = make_jobs(
        job(0, 0, 12, abs_deadline_ns=10, status=1),
        {"release_ns": 10, "start_ns": 12, "status": 3},
    )
    assert [(one.first, one.worst, one.n_not_met) for one in backlog.worst_bursts(rows)] == [
        (0, 1, 2)
    ]
