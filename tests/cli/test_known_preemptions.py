# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A task set with known preemptions: what the trace makes of it, and what the victim sees of it."""

import subprocess
import sys

import numpy as np
import pytest
from bench.known_preemptions import FIRST, GAP_FROM, GAP_TO, LAST, known_preemptions, write_spec
from tests.cli.commands import BUILT, CPU, needs_fifo, needs_root
from tests.cli.laxity_command import Laxity
from tests.cli.thread_rows import most_preemptions, switches_of

from laxity.jobs import rows as analysis
from laxity.jobs.rows import IntArray
from laxity.jobs.run_data import RunData
from laxity.report.read_run import read_page
from laxity.store.run_directory import Run
from laxity.trace.attribution import Pieces

GAPS = BUILT.tools / "tests" / "native" / "gaps"
# Keeps the CPU busy: some kernels tell tracefs of no switch from the idle thread.
BUSY = f"import os\nos.sched_setaffinity(0, {{{CPU}}})\nwhile True: pass"


@pytest.fixture(scope="module", params=["perf", "tracefs"])
def traced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    directory = tmp_path_factory.mktemp("known")
    spec = directory / "known.toml"
    spec.write_text(write_spec(GAPS, CPU, seconds=1))
    laxity = Laxity(directory, BUILT.tools)
    with subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
        try:
            run = laxity.run("./known.toml", "--trace-backend", str(request.param))
        finally:
            busy.kill()
    (data,) = read_page(run).runs
    return run, data


pytestmark = [pytest.mark.serial, needs_fifo, needs_root]


def test_every_known_preemption_is_found_once_with_its_culprit(traced: tuple[Run, RunData]):
    _, data = traced
    known = known_preemptions(data)
    assert {one.name for one in known} == {"short", "long"}
    # Three of each in every job of the victim, were nobody else on this machine.
    assert len(known) > 3 * len(data.tasks[0].rows)
    every = data.attributions[0].preemptions
    for one in known:
        covering = [
            piece for piece in every
            if piece.from_ns < one.finish_ns and one.start_ns < piece.from_ns + piece.duration_ns
        ]  # fmt: skip
        assert [(piece.job, piece.cpu, piece.tid) for piece in covering] == [
            (one.victim_job, CPU, one.tid)
        ]
        assert covering[0].from_ns <= one.start_ns
        assert covering[0].from_ns + covering[0].duration_ns >= one.finish_ns


def test_victim_itself_saw_a_gap_around_each_preemption(traced: tuple[Run, RunData]):
    run, data = traced
    marks = np.ma.getdata(run.stream("probe"))
    gap_from, gap_to, first, last = (
        marks["value"][marks["probe"] == one] for one in (GAP_FROM, GAP_TO, FIRST, LAST)
    )
    assert len(gap_from) == len(gap_to)
    assert len(first) == len(last)
    seen = data.attributions[0].preemptions
    from_ns = np.array([one.from_ns for one in seen])
    to_ns = np.array([one.from_ns + one.duration_ns for one in seen])
    # What came before the victim's first reading, or behind its last one, it could not see.
    job = np.maximum(np.searchsorted(first, from_ns, "right") - 1, 0)
    is_seen = (from_ns >= first[job]) & (to_ns <= last[job])
    assert is_seen.sum() >= len(known_preemptions(data))
    at = np.searchsorted(gap_from, from_ns, "right") - 1
    assert (at[is_seen] >= 0).all()
    assert (to_ns <= gap_to[at])[is_seen].all()


def test_pieces_of_every_job_sum_up_and_agree_with_the_harness(traced: tuple[Run, RunData]):
    run, data = traced
    assert run.manifest.trace is not None
    assert run.manifest.trace.stopped_ns is not None
    is_full = run.manifest.trace.backend == "tracefs"
    for task in data.tasks:
        found = data.attributions[task.result.index]
        pieces = found.pieces
        jobs = analysis.finished(task.rows)
        assert (total(pieces) == np.ma.getdata(jobs["finish_ns"] - jobs["release_ns"])).all()
        known = pieces.is_known
        counted = np.ma.getdata(jobs["preemptions"])
        assert (pieces.n_preemptions <= counted)[known].all()
        rows = switches_of(run, int(jobs["tid"][0]))
        finish = np.ma.getdata(jobs["finish_ns"])
        most = most_preemptions(rows, finish, run.manifest.trace.stopped_ns)
        assert (counted <= most)[known].all()
        assert (found.interrupters is not None) == is_full
        assert (pieces.timer_latency_ns is not None) == is_full
        assert (pieces.interrupted_ns is not None) == is_full
        assert (pieces.switching_ns is not None) == is_full
    if is_full:
        victim = data.attributions[0]
        assert victim.interrupters
        # What preempted the victim was released by a timer's interrupt, which came while it ran.
        assert sum(one.n for one in victim.interrupters) >= len(known_preemptions(data))


def total(pieces: Pieces) -> IntArray:
    """Sum up all pieces; what a back-end does not supply is not among them."""
    parts = (
        pieces.release_latency_ns, pieces.execution_ns, pieces.preempted_ns, pieces.throttled_ns,
        pieces.switching_ns, pieces.interrupted_ns, pieces.blocked_ns, pieces.unexplained_ns,
    )  # fmt: skip
    return np.asarray(np.sum([part for part in parts if part is not None], axis=0), np.int64)


def test_release_latency_has_its_wake_up_in_it(traced: tuple[Run, RunData]):
    _, data = traced
    for task in data.tasks:
        pieces = data.attributions[task.result.index].pieces
        if pieces.timer_latency_ns is None or pieces.scheduling_latency_ns is None:
            continue
        known = pieces.is_known
        split = pieces.timer_latency_ns + pieces.scheduling_latency_ns
        assert (split == pieces.release_latency_ns).all()
        # A timer is never early, and no thread starts before it is woken.
        assert (pieces.timer_latency_ns[known] >= 0).all()
        assert (pieces.scheduling_latency_ns[known] > 0).all()
