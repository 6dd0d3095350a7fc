# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whole reports of made-up runs: what they must say, and what they must never say."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.report import run_builder
from tests.report.page_text import make_report, text_of, value_of
from tests.report.run_builder import Made, ordinary_rows, overrun, without_finish, write_run

from laxity.core.streams import Status, absent_value
from laxity.errors import ConfigError
from laxity.jobs.sections import distributions, missed, split
from laxity.report.page import write_report
from laxity.report.read_run import read_page
from laxity.report.verdict import build as build_verdict
from laxity.store.manifest import Fallback, Memory
from laxity.store.run_directory import open_run

pytestmark = pytest.mark.usefixtures("without_drawing")


ABSENT = absent_value("i8")


def test_every_quantity_has_unit_count_kind_and_run(tmp_path: Path):
    _, quantities = make_report(tmp_path, Made(ordinary_rows(400)))
    assert len(quantities) > 20
    for one in quantities:
        assert one["unit"]
        assert one["kind"] == "measured"
        assert one["run"] == "control"
        assert isinstance(one["n"], int)
        assert one["value"] is not None or one["note"]


def test_quantities_equal_what_the_rows_say(tmp_path: Path):
    rows = ordinary_rows(400)
    _, quantities = make_report(tmp_path, Made(rows))
    response = np.sort(rows["finish_ns"] - rows["release_ns"])
    assert value_of(quantities, "response_time_max")["value"] == response[-1]
    # nearest rank: ceil(0.5*400) = 200th, ceil(0.99*400) = 396th
    assert value_of(quantities, "response_time_median")["value"] == response[199]
    assert value_of(quantities, "response_time_p99")["value"] == response[395]
    assert value_of(quantities, "response_time_p99.9")["value"] is None
    longest = rows["exec_ns"].max() - run_builder.SNAPSHOT_EXEC_NS
    assert value_of(quantities, "wcet_observed")["value"] == longest


def test_sentence_says_what_was_not_met(tmp_path: Path):
    rows = ordinary_rows(100)
    overrun(rows, 40, 12_000_000)  # passes the releases at 5 and 10 ms: 1 missed + 2 skipped
    text, quantities = make_report(tmp_path, Made(rows))
    assert "was released 100 times; 3 of these (3 %) were not met." in text
    assert "took 12 ms, 7 ms longer than its deadline of 5 ms." in text
    assert value_of(quantities, "releases_not_met")["value"] == 3
    assert value_of(quantities, "not_met_ratio")["value"] == 0.03
    assert "long execution" in text
    assert "2 preemptions" in text


def test_met_deadlines_leave_a_stated_laxity(tmp_path: Path):
    rows = ordinary_rows(10)
    rows["finish_ns"] = rows["release_ns"] + 2_000_000
    text, _ = make_report(tmp_path, Made(rows))
    assert "every deadline was met" in text
    assert "3 ms of its deadline of 5 ms was left." in text


@pytest.mark.parametrize("n", [0, 1])
def test_report_of_no_or_one_job_is_written(tmp_path: Path, n: int):
    text, quantities = make_report(tmp_path, Made(ordinary_rows(n)))
    if n == 0:
        assert "Task “control” was never released: nothing was measured." in text
        assert value_of(quantities, "not_met_ratio")["value"] is None
        assert "no release" in text
    else:
        assert "was released once; every deadline was met." in text
        assert "needs 368 jobs" in text


def test_zero_finished_jobs_show_no_zero_as_a_time(tmp_path: Path):
    rows = without_finish(ordinary_rows(20), Status.SKIPPED)
    text, quantities = make_report(tmp_path, Made(rows))
    assert "20 of these (100 %)" in text or "no job finished" in text
    assert "No job finished, so there is nothing to show here." in text
    assert not [one for one in quantities if one["unit"] == "ns"]
    assert " 0 ns" not in text.replace("offset 0 ns", "")


def test_all_missed_is_told(tmp_path: Path):
    rows = ordinary_rows(30)
    rows["abs_deadline_ns"] = rows["release_ns"] + 3_000_000
    rows["finish_ns"] = rows["abs_deadline_ns"] + np.arange(1, 31) * 1000
    rows["status"] = Status.MISSED
    text, _ = make_report(tmp_path, Made(rows, deadline_ns=3_000_000))
    assert "30 of these (100 %) were not met." in text
    assert "The worst 20 jobs of 30" in text


def test_without_snapshots_nothing_is_said_of_execution(tmp_path: Path):
    made = Made(ordinary_rows(50), without=run_builder.SNAPSHOT_COLUMNS)
    text, quantities = make_report(tmp_path, made)
    assert "Execution was not measured (--snapshots none)" in text
    assert value_of(quantities, "mean_execution_time")["value"] is None
    assert not [one for one in quantities if one["name"] == "wcet_observed"]


def test_wcet_observed_is_never_longer_than_the_longest_job(tmp_path: Path):
    rows = ordinary_rows(50)
    # 2 us more processor time, snapshot cost subtracted, than passed from start to finish
    passed = rows["finish_ns"] - rows["start_ns"]
    rows["exec_ns"] = passed + run_builder.SNAPSHOT_EXEC_NS + 2000
    text, quantities = make_report(tmp_path, Made(rows))
    assert "In 50 of 50 jobs the processor time less the calibrated cost came out" in text
    observed = value_of(quantities, "wcet_observed")
    assert observed["value"] == passed.max()
    assert value_of(quantities, "mean_not_attributed")["value"] == 0
    assert not re.search(
        r"−\d", text[text.index("Split of the response time:") : text.index("Releases by")]
    )


def test_execution_times_are_called_calibrated_and_state_their_uncertainty(tmp_path: Path):
    rows = ordinary_rows(400)
    rows["exec_ns"][7] = run_builder.SNAPSHOT_EXEC_NS - 347
    text, quantities = make_report(tmp_path, Made(rows))
    # No more than reading the clocks costs is not zero.
    assert value_of(quantities, "execution_time_min")["value"] is None
    names = [f"execution_time_{part}" for part in ("min", "median", "p99", "max")]
    for name in (*names, "wcet_observed", "mean_execution_time", "mean_not_attributed"):
        one = value_of(quantities, name)
        assert one["resolution"] == "calibrated"
        assert "700 ns, a median of n = 1 000 readings".replace(" 000", "\u202f000") in one["note"]
    assert value_of(quantities, "execution_time_p99.9")["note"] == "needs 3688 samples"
    assert "every execution time is uncertain by about that much" in text


def test_without_deadline_no_miss_is_invented(tmp_path: Path):
    made = Made(ordinary_rows(50, deadline=False), deadline_ns=None)
    text, _ = make_report(tmp_path, made)
    assert "50 jobs finished, no deadline was set." in text
    assert "releases not met no deadline" in text


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("interrupted", "The run was interrupted"),
        ("failed", "The run failed"),
        ("recovered", "The run was cut off and recovered"),
    ],
)
def test_an_unfinished_run_says_so(tmp_path: Path, status: str, word: str):
    rows = ordinary_rows(50)
    rows["finish_ns"][-1], rows["exec_ns"][-1], rows["status"][-1] = ABSENT, ABSENT, 3
    rows["cause"][-1] = 3
    made = Made(rows, status=status, exit_code=1, message="task crashed", end_cause="signal")
    text, _ = make_report(tmp_path, made)
    assert word in text
    assert "task crashed" in text
    assert "aborted: killed by a signal of its own (crash)" in text


@pytest.mark.parametrize("keep", ["misses", "tail:10"])
def test_kept_part_of_the_rows_gives_distributions_from_the_histogram(tmp_path: Path, keep: str):
    rows = ordinary_rows(500)
    overrun(rows, 100, 6_000_000)
    text, quantities = make_report(tmp_path, Made(rows, keep=keep))
    assert f"The run kept only part of its rows (--keep {keep})" in text
    median = value_of(quantities, "response_time_median")
    assert median["resolution"] == "bucket_upper"
    assert median["n"] == 499  # 500 releases, one of them skipped
    finished = rows[rows["status"] < Status.SKIPPED]
    exact = np.sort(finished["finish_ns"] - finished["release_ns"])[249]  # ceil(0.5*499) = 250th
    assert 0 <= median["value"] - exact < exact / 64


def test_minimum_of_buckets_is_a_lower_end_and_the_rest_upper_ends(tmp_path: Path):
    rows = ordinary_rows(500)
    text, quantities = make_report(tmp_path, Made(rows, keep="tail:10"))
    lowest = value_of(quantities, "response_time_min")
    exact = (rows["finish_ns"] - rows["release_ns"]).min()
    assert lowest["resolution"] == "bucket_lower"
    assert 0 <= exact - lowest["value"] < exact / 64
    assert value_of(quantities, "response_time_max")["resolution"] == "bucket_upper"
    assert "the minimum and the lower end of each interval are lower ends" in text


def test_keep_misses_without_a_miss_is_told(tmp_path: Path):
    rows = ordinary_rows(100)
    rows["status"] = Status.DONE
    text, _ = make_report(tmp_path, Made(rows, keep="misses"))
    assert "every deadline was met" in text
    # Nothing can be drawn over time, though jobs did finish.
    assert "No row of a finished job was kept" in text


def test_fallbacks_come_before_the_figures(tmp_path: Path):
    fallback = Fallback(what="SCHED_FIFO 90", used="SCHED_OTHER", reason="no permission")
    text, _ = make_report(tmp_path, Made(ordinary_rows(20), fallbacks=[fallback]))
    assert text.index("1 fallback") < text.index("no permission")
    assert text.index("no permission") < text.index("Histogram of the")


def test_notes_come_before_the_figures_as_text(tmp_path: Path):
    note = 'co-runner 0 ("<b>"): it runs only while the task sleeps'
    text, _ = make_report(tmp_path, Made(ordinary_rows(20), notes=[note]))
    places = [text.index(part) for part in ("Fallbacks and notes", f"{note}.", "Histogram of the")]
    assert places == sorted(places)


def test_lost_rows_support_no_verdict(tmp_path: Path):
    text, _ = make_report(tmp_path, Made(ordinary_rows(20), lost_rows=5))
    assert "5 rows were lost (log ring full)" in text
    assert "supports no verdict" in text


def test_simulated_runs_are_never_called_measured(tmp_path: Path):
    text, quantities = make_report(tmp_path, Made(ordinary_rows(20), platform="sim:example"))
    assert {one["kind"] for one in quantities} == {"simulated"}
    assert "simulated, n = 20 jobs" in text


def test_drift_and_doctor_are_shown(tmp_path: Path):
    made = Made(ordinary_rows(20), drift=["CPU 1: frequency 2.4 GHz, after 1.8 GHz"])
    text, _ = make_report(tmp_path, made)
    assert "Changed during the run: CPU 1: frequency 2.4 GHz, after 1.8 GHz." in text
    assert "drifted" in text


def mostly_without_own_time(n: int, n_own: int, exec_ns: int) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    """N jobs, of which all but the first `n_own` took `exec_ns`, as it is read."""
    rows = ordinary_rows(n)
    rows["exec_ns"] = exec_ns
    rows["exec_ns"][:n_own] = run_builder.SNAPSHOT_EXEC_NS + 12_300
    return rows


@pytest.mark.parametrize(
    ("exec_ns", "why"),
    [
        (run_builder.SNAPSHOT_EXEC_NS, "with no more than reading the clocks costs"),
        (absent_value("i8"), "of which none was recorded"),
    ],
)
def test_execution_time_of_a_few_jobs_is_not_that_of_all(tmp_path: Path, exec_ns: int, why: str):
    made = Made(mostly_without_own_time(2000, 11, exec_ns))
    text, quantities = make_report(tmp_path, made)
    assert (
        f"Execution is not measurable: 1 989 of 2 000 finished jobs have no processor time of "
        f"their own (1 989 {why})"
    ) in text
    assert "12.3 µs" not in text
    for name in ("mean_execution_time", "execution_time_median", "wcet_observed"):
        found = value_of(quantities, name)
        assert (found["value"], found["n"]) == (None, 2000)
        assert "989 of 2\N{NARROW NO-BREAK SPACE}000 finished jobs" in found["note"]


@pytest.mark.parametrize(("n_own", "is_measurable"), [(10, False), (11, True)])
def test_execution_is_measurable_where_most_jobs_have_one(
    tmp_path: Path, n_own: int, is_measurable: bool
):
    # Of 20 jobs 10 are not most.
    made = Made(mostly_without_own_time(20, n_own, run_builder.SNAPSHOT_EXEC_NS))
    _, quantities = make_report(tmp_path, made)
    assert (value_of(quantities, "wcet_observed")["value"] == 12_300) == is_measurable
    # The least is no zero: nothing can be told of it.
    if is_measurable:
        assert value_of(quantities, "execution_time_min")["value"] is None


def test_card_is_not_green_where_tasks_waited_for_a_cpu_all_the_time(tmp_path: Path):
    waited = (
        "other work: some task waited for a CPU during 100 % of the run (its own co-runners count)"
    )
    for name, drift in (("calm", ()), ("loaded", (waited,))):
        page = write_report(write_run(tmp_path / name, Made(ordinary_rows(20), drift=drift)))
        card = page.read_text().partition('<section class="verdict ')[2]
        assert card.startswith("attention" if drift else "good")
        text = text_of(page)
        assert (f"Disturbed during the run: {waited}." in text) == bool(drift)
        assert ("complete, disturbed" in text) == bool(drift)


def test_what_may_have_disturbed_a_run_unseen_is_said(tmp_path: Path):
    run = write_run(tmp_path / "D", Made(ordinary_rows(20)))
    doctor = json.loads((run / "doctor.json").read_bytes())
    for when, pressure_us in (("before", 10), ("after", 20)):
        doctor[when]["counters"] |= {
            "time_ns": pressure_us * 10**9, "pressure_us": pressure_us,
            "cpu_ticks": [pressure_us] * 8,
        }  # fmt: skip
    (run / "doctor.json").write_text(json.dumps(doctor))
    assert "Not known" not in text_of(write_report(run))
    doctor["after"]["counters"]["pressure_us"] = None
    (run / "doctor.json").write_text(json.dumps(doctor))
    text = text_of(write_report(run))
    assert (
        "Not known: whether tasks waited for a CPU (/proc/pressure/cpu; boot with psi=1)." in text
    )
    doctor["after"]["counters"] |= {"pressure_us": 20, "cpu_ticks": []}
    (run / "doctor.json").write_text(json.dumps(doctor))
    assert "Not known: whether a hypervisor took time" in text_of(write_report(run))
    del doctor["after"]
    (run / "doctor.json").write_text(json.dumps(doctor))
    assert "Not known: whether anything disturbed the run" in text_of(write_report(run))


def test_co_runner_progress_and_death_are_shown(tmp_path: Path):
    dead = run_builder.corunner(passes=0, end_cause="signal")
    text, _ = make_report(tmp_path, Made(ordinary_rows(20), corunners=[dead]))
    assert "Co-runner 0 completed no pass" in text
    assert "Co-runner 0 did not live to the end: signal" in text
    # 5120 passes in 10 s
    alive = Made(ordinary_rows(20), corunners=[run_builder.corunner()])
    text = text_of(write_report(write_run(tmp_path / "alive", alive)))
    assert "512 passes/s" in text


def test_progress_that_is_not_known_is_not_zero(tmp_path: Path):
    made = Made(ordinary_rows(20), corunners=[run_builder.corunner(passes=None)])
    text, quantities = make_report(tmp_path, made)
    assert "0 passes/s" not in text
    assert value_of(quantities, "corunner_0_passes")["value"] is None


def test_hashes_command_and_spec_are_in_the_page(tmp_path: Path):
    text, _ = make_report(tmp_path, Made(ordinary_rows(5)))
    manifest = msgspec.json.decode((tmp_path / "run" / "manifest.json").read_bytes())
    for name, digest in manifest["files"].items():
        assert name in text
        assert digest in text
    assert "laxity run mem -b 64KiB --interfere 'bandwidth write@0'" in text
    assert 'workload = "mem"' in text


def test_a_damaged_stream_is_named_and_the_rest_shown(tmp_path: Path):
    run = write_run(tmp_path / "run", Made(ordinary_rows(20)))
    (run / "jobs.npy").write_bytes(b"damaged")
    (run / "machine.json").unlink()
    text = text_of(write_report(run))
    assert "jobs.npy" in text
    assert "distributions are taken from histogram.npy" in text
    assert "machine.json is missing or unreadable" in text


def test_names_from_a_run_cannot_write_markup(tmp_path: Path):
    made = Made(ordinary_rows(20), name="<script>alert(1)</script>", message="<b>&")
    page = write_report(write_run(tmp_path / "run", made)).read_text()
    assert "<script" not in page
    assert "&lt;b&gt;&amp;" in page


def test_wcet_is_only_named_to_say_that_it_is_not_known(tmp_path: Path):
    text, _ = make_report(tmp_path, Made(ordinary_rows(20)))
    for found in re.finditer(r"WCET", text):
        assert re.search(
            r"not a WCET|a WCET is a bound", text[found.start() - 8 : found.end() + 12]
        )


def test_writing_the_report_changes_no_hashed_file(tmp_path: Path):
    run = write_run(tmp_path / "run", Made(ordinary_rows(20)))
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    write_report(run)
    after = {path.name: path.read_bytes() for path in run.iterdir()}
    assert set(after) - set(before) == {"report.html", "derived.json"}
    assert {name: after[name] for name in before} == before


def test_no_run_is_a_usage_error(tmp_path: Path):
    with pytest.raises(ConfigError, match="does not exist"):
        write_report(tmp_path / "none")


def test_run_that_failed_in_init_measures_nothing(tmp_path: Path):
    made = Made(ordinary_rows(0), has_begun=False, status="failed", exit_code=1, end_cause="exit")
    text, quantities = make_report(tmp_path, made)
    assert "memory locked not measured" in text
    assert "page faults after the first job not measured" in text
    assert "measured, n = 0" not in text
    assert "0 minor" not in text
    assert not [one for one in quantities if "faults" in one["name"]]


def test_memory_of_a_task_stands_with_its_limit(tmp_path: Path):
    memory = Memory(peak_bytes=65536, limit_bytes=131072)
    text, quantities = make_report(tmp_path / "a", Made(ordinary_rows(20), memory=memory))
    assert "memory held, at most 64 KiB (limit 128 KiB)" in text
    peak = value_of(quantities, "memory_peak")
    assert (peak["value"], peak["unit"], peak["n"]) == (65536, "B", 20)
    text, _ = make_report(tmp_path / "b", Made(ordinary_rows(20), memory=Memory(peak_bytes=0)))
    assert "memory held, at most 0 B (no limit)" in text


def test_memory_that_was_not_counted_is_not_zero(tmp_path: Path):
    text, quantities = make_report(tmp_path, Made(ordinary_rows(20)))
    assert "memory held, at most not measured" in text
    assert not [one for one in quantities if "memory" in one["name"]]


def test_release_skipped_after_a_late_start_does_not_blame_a_running_job(tmp_path: Path):
    rows = ordinary_rows(100)
    overrun(rows, 40, 12_000_000)
    # woke up 11 ms late and ran for 1 ms: on time it would have finished before the next release
    rows["start_ns"][40] = rows["release_ns"][40] + 11_000_000
    text, quantities = make_report(tmp_path, Made(rows))
    assert "still ran" not in text
    assert "Of 2 skipped releases (measured): 2 because the job before started late" in text
    assert value_of(quantities, "releases_skipped_started_late")["value"] == 2
    assert value_of(quantities, "releases_skipped_took_long")["value"] == 0
    assert "started late, after 11 ms" in text
    assert "long execution" not in text


def _queued_rows(late_ns: int) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    """Jobs of 1 ms; job 10 starts late, those after it wait until the backlog is done."""
    rows = ordinary_rows(100)
    free_ns = 0
    for job in range(10, len(rows)):
        ready = rows["release_ns"][job] + (late_ns if job == 10 else 5_000)
        rows["start_ns"][job] = max(ready, free_ns)
        free_ns = rows["finish_ns"][job] = rows["start_ns"][job] + 1_000_000
        rows["exec_ns"][job] = 990_000
    rows["status"] = np.where(rows["finish_ns"] > rows["abs_deadline_ns"], 1, 0)
    return rows


def test_misses_behind_one_late_start_are_one_burst_that_names_it(tmp_path: Path):
    # 71 ms late; job 10 + k finishes 72 + k ms after release 10, that is 72 - 4 k after its own:
    # late for k <= 16 (72 - 64 = 8 > 5, ... 17: 4); job 10 + 18 (72 - 68 = 4 > 0 at 17) waits last
    text, _ = make_report(tmp_path, Made(_queued_rows(71_000_000), overrun="queue"))
    assert "The worst 1 job of 17 that missed" in text
    assert (
        "one burst: jobs 10 to 27, 17 of them not met; it began when job 10 started 71 ms late"
        in text
    )
    assert "past this release" not in text


def test_release_latency_in_queue_mode_is_said_to_hold_the_backlog(tmp_path: Path):
    text, _ = make_report(tmp_path, Made(_queued_rows(1), overrun="queue"))
    assert "with overrun queue also the wait behind the task's own earlier jobs" in text
    assert "With overrun queue it also holds the wait" in text
    text = text_of(write_report(write_run(tmp_path / "skip", Made(ordinary_rows(9)))))
    assert "overrun queue" not in text


def test_co_runner_on_the_tasks_cpu_is_said_to_run_only_while_it_sleeps(tmp_path: Path):
    # 819800 passes in 10 s
    shared = run_builder.corunner(passes=819_800, cpus="1")
    text, _ = make_report(tmp_path, Made(ordinary_rows(20), corunners=[shared]))
    assert (
        "Co-runner 0 shares CPU 1 with task “control”: there it only runs while the task sleeps"
    ) in text
    assert "82.0 k passes/s" in text
    apart = Made(ordinary_rows(20), corunners=[run_builder.corunner()])
    assert "shares CPU" not in text_of(write_report(write_run(tmp_path / "apart", apart)))


def test_numbers_that_count_from_modelled_releases_say_so(tmp_path: Path):
    made = Made(ordinary_rows(40), others=[Made(ordinary_rows(40), name="vision")])
    page = read_page(open_run(write_run(tmp_path / "run", made)))
    first, second = page.runs[0].tasks
    run = replace(page.runs[0], tasks=(first, replace(second, is_observed=True)))
    table = build_verdict(replace(page, runs=(run,))).table
    assert table is not None
    names = [row[0] for row in table.rows]
    assert [(one.text, one.remark) for one in names] == [
        ("control", ""),
        ("vision", "releases modelled"),
    ]


def test_whatever_counts_from_a_modelled_release_is_modelled_and_nothing_else(tmp_path: Path):
    """`not_met_ratio` and the reasons of skipped releases were called measured."""
    rows = ordinary_rows(40)
    overrun(rows, 10, 12_000_000)
    page = read_page(open_run(write_run(tmp_path / "run", Made(rows))))
    (task,) = page.runs[0].tasks
    run = replace(page.runs[0], tasks=(replace(task, is_observed=True),))
    sections = (distributions.build_response(run), missed.build(run), split.build(run))
    kinds = {one.name: one.kind for part in sections if part is not None for one in part.quantities}
    measured = {name for name, kind in kinds.items() if kind == "measured"}
    assert {"response_time_max", "not_met_ratio", "releases_skipped_took_long"} <= kinds.keys()
    assert {name.removesuffix("_max") for name in measured if name.endswith("_max")} == {
        "execution_time"
    }
    from_release = ("response", "latency", "releases", "not_met")
    assert not [name for name in measured if any(word in name for word in from_release)]


def test_two_tasks_stand_side_by_side_with_their_own_numbers(tmp_path: Path):
    slow = ordinary_rows(300, 3, base_ns=2_000_000)
    overrun(slow, 100, 12_000_000)
    made = Made(ordinary_rows(400), others=[Made(slow, name="vision", deadline_ns=4_000_000)])
    text, quantities = make_report(tmp_path, made)
    assert "Task “control” was released 400 times; every deadline was met." in text
    assert "Task “vision” was released 300 times; 3 of these (1 %) were not met." in text
    assert "The tasks in five numbers (measured)" in text
    assert "Tasks: asked for, and seen (measured) control vision" in text
    assert "deadline 5 ms 4 ms" in text
    assert "“vision”: mem 64KiB every 5 ms, deadline 4 ms" in text
    medians = {one["task"]: one for one in quantities if one["name"] == "response_time_median"}
    assert {name: one["n"] for name, one in medians.items()} == {"control": 400, "vision": 298}
    assert medians["control"]["value"] < medians["vision"]["value"]
