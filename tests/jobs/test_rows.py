# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Job arithmetic, split, counts and what is said of missed jobs, against hand calculations."""

from collections.abc import Sequence

import numpy as np
import pytest

from laxity.jobs import rows as analysis
from laxity.statistics import distribution as dist
from laxity.store.hindrances import Stall

ABSENT = np.iinfo(np.int64).min
FIELDS = {
    "task": "u2",
    "job": "u8",
    "release_ns": "i8",
    "abs_deadline_ns": "i8",
    "start_ns": "i8",
    "finish_ns": "i8",
    "exec_ns": "i8",
    "tid": "i4",
    "cpu_start": "i4",
    "cpu_finish": "i4",
    "preemptions": "i4",
    "blockings": "i4",
    "minor_faults": "i4",
    "major_faults": "i4",
    "status": "u1",
    "cause": "u1",
}


def make_jobs(*rows: dict[str, int], without: Sequence[str] = ()) -> analysis.Jobs:
    """Rows as dicts; what is not given is absent, except task 0, job = row number, status done."""
    fields = [(name, kind) for name, kind in FIELDS.items() if name not in without]
    table = np.ma.zeros(len(rows), dtype=fields)
    for number, row in enumerate(rows):
        full = {"task": 0, "job": number, "status": 0, "cause": 0} | row
        for name, _ in fields:
            if name in full:
                table[name][number] = full[name]
            else:
                table[name][number] = np.ma.masked
    return table


def job(release: int, start: int, finish: int, **more: int) -> dict[str, int]:
    return {"release_ns": release, "start_ns": start, "finish_ns": finish} | more


def test_times_of_a_job_add_up():
    # released at 100, starts at 110, finishes at 150
    rows = make_jobs(job(100, 110, 150, abs_deadline_ns=140))
    assert analysis.response_time_ns(rows).tolist() == [50]
    assert analysis.release_latency_ns(rows).tolist() == [10]
    assert analysis.start_to_finish_ns(rows).tolist() == [40]
    assert analysis.lateness_ns(rows).tolist() == [10]


def test_times_of_a_skipped_job_are_masked_and_never_zero():
    rows = make_jobs({"release_ns": 100, "status": 2})
    assert analysis.response_time_ns(rows).mask.tolist() == [True]
    assert analysis.present(analysis.response_time_ns(rows)).size == 0


def test_finished_holds_done_and_missed_only():
    rows = make_jobs(
        job(0, 1, 2),
        job(10, 11, 25, status=1),
        {"release_ns": 20, "status": 2},
        {"release_ns": 30, "start_ns": 31, "status": 3},
        {"release_ns": 40, "status": 4},
    )
    assert analysis.finished(rows)["job"].tolist() == [0, 1]


def test_of_task_picks_one_task():
    rows = make_jobs(job(0, 1, 2), job(0, 2, 3, task=1))
    assert analysis.of_task(rows, 1)["job"].tolist() == [1]


def test_execution_is_less_the_snapshot_cost_and_none_without_column():
    rows = make_jobs(job(0, 1, 9, exec_ns=8))
    assert analysis.execution_ns(rows, 3).tolist() == [5]
    assert analysis.execution_ns(make_jobs(job(0, 1, 9), without=["exec_ns"])) is None


def test_summary_of_five_samples_states_no_p99():
    summary = analysis.summarize(dist.from_samples(np.array([5, 1, 4, 2, 3])))
    assert (summary.n, summary.min_ns, summary.median_ns, summary.max_ns) == (5, 1, 3, 5)
    assert summary.quantile_ns(0.99) is None
    assert [q.n_needed for q in summary.quantiles] == [6, 368, 3688]


def test_summary_states_p99_from_368_samples_on():
    # ceil(0.99 * 368) = ceil(364.32) = 365th of 1..368
    summary = analysis.summarize(dist.from_samples(np.arange(1, 369)))
    assert summary.quantile_ns(0.99) == 365
    assert analysis.summarize(dist.from_samples(np.arange(1, 368))).quantile_ns(0.99) is None


def test_summary_of_nothing_is_none():
    assert analysis.summarize(dist.from_samples(np.array([], dtype=np.int64))) is None


def test_not_met_counts_missed_skipped_aborted_and_pending_too_late():
    # pending jobs with deadlines 99, 100, 101 and none; the task ended at 100: 99 and 100 have come
    rows = make_jobs(
        job(0, 1, 2),
        job(10, 11, 25, status=1),
        {"release_ns": 20, "status": 2},
        {"release_ns": 30, "start_ns": 31, "status": 3},
        {"release_ns": 40, "status": 4, "abs_deadline_ns": 99},
        {"release_ns": 50, "status": 4, "abs_deadline_ns": 100},
        {"release_ns": 60, "status": 4, "abs_deadline_ns": 101},
        {"release_ns": 70, "status": 4},
    )
    counts = analysis.count_status(rows, end_ns=100)
    assert (counts.done, counts.missed, counts.skipped, counts.aborted, counts.pending) == (
        1, 1, 1, 1, 4,
    )  # fmt: skip
    assert counts.not_met == 5  # 3 + 2
    assert counts.released == 8
    assert counts.started == 3
    assert counts.undecided == 2  # 101 and none
    assert analysis.count_status(rows).not_met == 3


def test_split_of_a_job_adds_up_to_its_response_time():
    # response 50 = latency 10 + execution (28 - 3) + rest 15
    rows = make_jobs(job(100, 110, 150, exec_ns=28))
    split = analysis.split_of_job(rows[0], snapshot_exec_ns=3)
    assert (split.response_ns, split.release_latency_ns, split.start_to_finish_ns) == (50, 10, 40)
    assert (split.execution_ns, split.not_attributed_ns) == (25, 15)


def test_split_without_processor_time_is_none_and_not_zero():
    split = analysis.split_of_job(make_jobs(job(0, 1, 9), without=["exec_ns"])[0])
    assert split.execution_ns is None
    assert split.not_attributed_ns is None


def test_processor_time_is_never_negative_nor_longer_than_what_passed():
    # cost 3: 2 - 3 < 0 becomes 0, 11 - 3 = 8 and 12 - 3 = 9 > 8 = finish - start becomes 8
    rows = make_jobs(*(job(0, 1, 9, exec_ns=raw) for raw in (2, 3, 11, 12)))
    assert analysis.execution_ns(rows, 3).tolist() == [0, 0, 8, 8]
    splits = [analysis.split_of_job(row, 3) for row in rows]
    assert [one.execution_ns for one in splits] == [0, 0, 8, 8]
    for one in splits:
        parts = (one.release_latency_ns, one.execution_ns, one.not_attributed_ns)
        assert min(parts) >= 0
        assert sum(parts) == one.response_ns


def test_mean_split_adds_up_and_counts_what_was_limited():
    # responses 10 and 20 (mean 15), latencies 2 and 4 (3), execution 6 and 16 (17 > 120 - 104);
    # rest 10-2-6 = 2 and 20-4-16 = 0 (mean 1): one job whose processor time was limited
    rows = make_jobs(job(0, 2, 10, exec_ns=6), job(100, 104, 120, exec_ns=17))
    mean = analysis.mean_split(rows)
    assert (mean.n, mean.response_ns, mean.release_latency_ns) == (2, 15.0, 3.0)
    assert (mean.execution_ns, mean.not_attributed_ns, mean.n_limited) == (11.0, 1.0, 1)
    parts = mean.release_latency_ns + mean.execution_ns + mean.not_attributed_ns
    assert parts == mean.response_ns


def test_mean_split_of_no_finished_job_is_none():
    assert analysis.mean_split(make_jobs({"release_ns": 0, "status": 2})) is None


def test_mean_split_states_no_execution_where_one_job_lacks_it():
    mean = analysis.mean_split(make_jobs(job(0, 2, 10, exec_ns=6), job(100, 104, 120)))
    assert mean.execution_ns is None
    assert mean.start_to_finish_ns == 12.0  # (8 + 16) / 2


def test_job_at_quantile_is_a_job_that_ran():
    # responses 10, 30, 20: the median (2nd of 3) is job 2
    rows = make_jobs(job(0, 1, 10), job(100, 101, 130), job(200, 201, 220))
    assert int(analysis.job_at_quantile(rows, 0.5)["job"]) == 2
    assert int(analysis.job_at_quantile(rows, 1.0)["job"]) == 1
    assert analysis.job_at_quantile(make_jobs(), 0.5) is None


def test_worst_jobs_are_the_aborted_then_the_latest():
    # lateness: job 1: 25-20 = 5, job 2: 48-30 = 18
    rows = make_jobs(
        job(0, 1, 2, abs_deadline_ns=10),
        job(10, 11, 25, abs_deadline_ns=20, status=1),
        job(20, 26, 48, abs_deadline_ns=30, status=1),
        {"release_ns": 30, "status": 2},
        {"release_ns": 50, "start_ns": 51, "status": 3},
    )
    assert analysis.worst_jobs(rows).tolist() == [4, 2, 1]
    assert analysis.worst_jobs(rows, limit=1).tolist() == [4]


def test_skipped_after_counts_to_the_next_job_that_was_not():
    rows = make_jobs(*({"release_ns": n, "status": s} for n, s in enumerate([1, 2, 2, 0, 2])))
    assert [analysis.skipped_after(rows, index) for index in range(5)] == [2, 1, 0, 1, 0]


USUAL = analysis.Usual(
    release_latency_ns=5,
    execution=analysis.UsualLength(median_ns=100, met_p99_ns=120),
    start_to_finish=analysis.UsualLength(median_ns=110, met_p99_ns=130),
)


def _seen(
    row: dict[str, int],
    previous: analysis.Row | None = None,
    usual: analysis.Usual = USUAL,
    cost: int = 0,
    without: Sequence[str] = (),
) -> dict[str, tuple[int | None, int | None]]:
    rows = make_jobs(row, without=without)
    neighbours = analysis.Neighbours(previous, usual, cost)
    return {
        item.code: (item.value, item.reference) for item in analysis.why_missed(rows[0], neighbours)
    }


def test_late_release_is_seen_beyond_a_tenth_of_the_deadline():
    # deadline 1000 after release, a tenth is 100, usual latency 5: 105 is not late, 106 is
    on_time = job(0, 105, 205, abs_deadline_ns=1000, exec_ns=100)
    late = job(0, 106, 206, abs_deadline_ns=1000, exec_ns=100)
    assert _seen(on_time) == {}
    assert _seen(late) == {"late_release": (106, 5)}


def test_previous_job_past_the_release_explains_the_late_start():
    previous = make_jobs(job(-1000, -990, 300))[0]
    row = job(0, 301, 400, abs_deadline_ns=1000, exec_ns=99)
    assert _seen(row, previous) == {"previous_finished_late": (300, None)}


def test_previous_job_that_finished_at_the_release_did_not_overrun():
    previous = make_jobs(job(-1000, -990, 0))[0]
    assert _seen(job(0, 1, 100, abs_deadline_ns=1000, exec_ns=99), previous) == {}


def test_long_execution_is_seen_beyond_the_p99_of_the_jobs_that_met():
    # p99 of those that met 120, cost of snapshots 10: 130 - 10 is not long, 131 - 10 = 121 is
    assert _seen(job(0, 1, 201, abs_deadline_ns=150, exec_ns=130), cost=10) == {}
    assert _seen(job(0, 1, 201, abs_deadline_ns=150, exec_ns=131), cost=10) == {
        "long_execution": (121, 100)
    }


def test_long_execution_that_explains_little_of_the_lateness_is_noise():
    # 150 is 50 more than usual: a tenth of 500 late is explained, of 510 late it is not
    assert "long_execution" in _seen(job(0, 1, 600, abs_deadline_ns=100, exec_ns=150))
    assert "long_execution" not in _seen(job(0, 1, 610, abs_deadline_ns=100, exec_ns=150))


def test_long_run_is_named_only_where_processor_time_is_unknown():
    # p99 of start to finish of those that met: 130
    assert _seen(job(0, 1, 132, abs_deadline_ns=100), without=["exec_ns"]) == {
        "long_run": (131, 110)
    }
    assert _seen(job(0, 1, 131, abs_deadline_ns=100), without=["exec_ns"]) == {}


def test_preemptions_faults_and_migration_are_seen_with_their_counts():
    row = job(
        0, 1, 100, abs_deadline_ns=50, exec_ns=99, preemptions=3, blockings=0, minor_faults=2,
        major_faults=1, cpu_start=0, cpu_finish=1,
    )  # fmt: skip
    assert _seen(row) == {
        "preempted": (3, None),
        "minor_faults": (2, None),
        "major_faults": (1, None),
        "migrated": (1, 0),
    }


def test_aborted_job_names_its_cause():
    assert _seen({"release_ns": 0, "start_ns": 1, "status": 3, "cause": 2}) == {
        "aborted": (2, None)
    }


def test_nothing_is_said_where_nothing_was_measured():
    usual = analysis.Usual(None, None, None)
    assert _seen({"release_ns": 0, "status": 2}, usual=usual) == {}


def test_usual_values_are_medians_and_the_p99_of_jobs_that_met():
    rows = make_jobs(
        job(0, 1, 10, exec_ns=8), job(100, 103, 120, exec_ns=18), job(200, 202, 230, exec_ns=28),
        job(300, 304, 399, exec_ns=90, status=1),
    )  # fmt: skip
    # latencies 1 2 3 4; execution - 3: 5 15 25 and, missed, 87; start to finish 9 17 28 and 95
    assert analysis.usual_values(rows, 3) == analysis.Usual(
        2, analysis.UsualLength(15, 25), analysis.UsualLength(17, 28)
    )
    assert analysis.usual_values(make_jobs()) == analysis.Usual(None, None, None)


def test_nothing_is_usually_long_where_no_job_met():
    usual = analysis.usual_values(make_jobs(job(0, 1, 10, exec_ns=8, status=1)))
    assert usual == analysis.Usual(1, None, None)


@pytest.mark.parametrize("field", ["finish_ns", "start_ns"])
def test_absent_smallest_value_never_reaches_a_figure(field: str):
    rows = make_jobs(job(0, 1, 2), job(10, 11, 12))
    rows[field][1] = ABSENT
    rows[field][1] = np.ma.masked
    assert analysis.present(rows[field]).min() >= 0


def test_a_job_without_release_has_no_split_and_stands_by_its_start():
    rows = make_jobs(
        {"start_ns": 25, "finish_ns": 30, "exec_ns": 4},
        {"release_ns": 10, "start_ns": 12, "finish_ns": 18, "exec_ns": 5},
        {"release_ns": 40, "start_ns": 41, "finish_ns": 44, "exec_ns": 2},
    )
    assert analysis.in_order(rows)["job"].tolist() == [1, 0, 2]
    assert analysis.with_release(rows)["job"].tolist() == [1, 2]
    mean = analysis.mean_split(rows)
    assert mean is not None
    # (18 - 10 + 44 - 40) / 2
    assert (mean.n, mean.response_ns) == (2, 6.0)
    worst = analysis.job_at_quantile(rows, 1.0)
    assert worst is not None
    assert int(worst["job"]) == 1
    usual = analysis.usual_values(rows)
    seen = analysis.why_missed(rows[0], analysis.Neighbours(rows[2], usual))
    assert [one.code for one in seen] == []


def test_jobs_of_a_standstill_and_those_that_waited_for_them_are_found():
    rows = make_jobs(
        job(0, 1, 5),
        job(10, 11, 42),  # it ran when the run stood still, from 20 to 40
        {"release_ns": 20, "status": 2},
        {"release_ns": 30, "status": 2},
        job(40, 43, 55),  # released at its end, and waited for the job before it
        job(50, 56, 60),  # waited for that job, which finished at 55
        job(70, 71, 75),
    )
    stall = Stall(task=None, from_ns=20, to_ns=40)
    expected = [False, True, True, True, True, True, False]
    assert analysis.stalled(rows, [stall]).tolist() == expected
    assert not analysis.stalled(rows, []).any()


def test_a_stopped_task_sets_no_job_of_another_apart():
    rows = make_jobs(job(0, 1, 5), job(10, 11, 15))
    assert analysis.stalled(rows, [Stall(task=1, from_ns=0, to_ns=20)]).tolist() == [False] * 2
    assert analysis.stalled(rows, [Stall(task=0, from_ns=12, to_ns=None)]).tolist() == [False, True]
