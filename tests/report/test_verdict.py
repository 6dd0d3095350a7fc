# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The sentences that a run begins with, where not all of its jobs were judged."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.report.run_builder import (
    Made,
    demo_runs,
    ordinary_rows,
    without_finish,
    write_composite,
    write_run,
)

from laxity.core.streams import Status
from laxity.report import answers, verdict
from laxity.report.read_run import read_page
from laxity.store.run_directory import open_run


def said(run: Path) -> tuple[str, str]:
    """Return what is said of a run, by itself and as one of several."""
    page = read_page(open_run(run))
    (sentence,) = verdict.said_of(page, page.runs[0])
    return sentence, answers._tasks_line(page.runs[0])


def of_own_program(run: Path, *, unknown: list[int]) -> Path:
    """Let the task be a program of its own, and some of its releases not be known."""
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["tasks"][0]["exec"] = ["./mine"]
    rows = np.load(run / "jobs.npy")
    absent = np.iinfo(np.int64).min
    rows["release_ns"][unknown] = absent
    rows["abs_deadline_ns"][unknown] = absent
    np.save(run / "jobs.npy", rows)
    (run / "manifest.json").write_text(json.dumps(manifest))
    return run


def test_jobs_that_are_still_pending_have_met_no_deadline(tmp_path: Path):
    rows = ordinary_rows(100)
    rows[30:] = without_finish(rows[30:].copy(), Status.PENDING)
    # Their deadlines are after the end of the run.
    rows["abs_deadline_ns"][30:] += 10**12
    sentence, answer = said(write_run(tmp_path / "run", Made(rows)))
    left = "70 not judged: still pending, their deadlines to come"
    assert (
        f"was released 100 times; 30 of these met their deadline; {left}. The slowest" in sentence
    )
    assert answer.endswith(f"met all deadlines of 30 releases (measured); “control”: {left}.")


def test_jobs_of_unknown_release_are_not_among_those_that_were_judged(tmp_path: Path):
    rows = ordinary_rows(30)
    # Two of the 20 that were judged.
    rows["finish_ns"][:2] = rows["release_ns"][:2] + 6_000_000
    rows["status"][:2] = Status.MISSED
    run = of_own_program(write_run(tmp_path / "run", Made(rows)), unknown=[*range(20, 30)])
    sentence, answer = said(run)
    left = "10 not judged: release not known"
    assert (
        f"2 of 20 (10 %) were not met; {left}. The slowest of 20 finished jobs whose " in sentence
    )
    assert (
        f"of 20 releases (measured) of “control” 2 were not met: 2 of “control”; “control”: {left}."
        in answer
    )


def test_a_job_known_by_its_bucket_is_not_said_to_be_later_than_a_deadline_that_it_met(
    tmp_path: Path,
):
    # The longest response is 4.99 ms of 5 ms; its bucket of 64 to a power of two ends later:
    # 2^22 ns = 4.194304 ms, a 64th of it 65.5 µs: 4.98 to 5.05 ms.
    rows = ordinary_rows(50)
    rows["finish_ns"][7] = rows["release_ns"][7] + 4_990_000
    sentence, _ = said(write_run(tmp_path / "run", Made(rows, keep="misses")))
    assert sentence.endswith(
        "every deadline was met. The slowest of 50 finished jobs took at most 5 ms, which is its "
        "deadline."
    )


def test_beside_co_runners_too_pending_jobs_have_met_nothing(tmp_path: Path):
    runs = demo_runs(100)
    rows = ordinary_rows(100)
    rows[30:] = without_finish(rows[30:].copy(), Status.PENDING)
    rows["abs_deadline_ns"][30:] += 10**12
    runs["interfered"] = replace(runs["interfered"], rows=rows)
    page = read_page(open_run(write_composite(tmp_path / "D", runs)))
    sentence = verdict.said_of(page, page.runs[1])[0]
    left = "70 not judged: still pending, their deadlines to come"
    assert f"each of 30 releases was met ({left}). The slowest of 30 " in sentence
