# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs in parts of equal progress."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.run_builder import Made, jobs_table, write_run

from laxity.core.streams import STREAMS, MarkKind
from laxity.page.blocks import Table
from laxity.profile.document import NamedPhaseRecord, Profile, ScenarioRecord, Target
from laxity.profile.traffic import (
    courses_of,
    drawn_event,
    mean_course,
    named_phases_of,
    parts_of,
)
from laxity.profile.traffic_section import traffic_blocks
from laxity.store.manifest import Event
from laxity.store.run_directory import open_run

MS = 1_000_000
T0_NS = 1_000_000_000_000
EVENTS = ("instructions", "mem_read_bytes")
COLUMNS = (("", "i8"), ("_scale_ratio", "f4"))
# Milliseconds since t0: instructions and bytes since then.
SAMPLES = {1: (100, 64), 5: (100, 64), 6: (200, 64), 7: (400, 64), 8: (450, 164), 9: (500, 464)}


def sampled_run(
    directory: Path, jobs: list[tuple[float, ...]], samples: Mapping[Any, tuple[int, ...]]
) -> Path:
    """Write a run of jobs, from and to in ms since t0, with their counts, that was sampled so."""
    plain = jobs_table(len(jobs))
    columns = [(f"{name}{end}", kind) for name in EVENTS for end, kind in COLUMNS]
    rows = np.zeros(len(jobs), dtype=[*plain.dtype.descr, *columns])
    for name in plain.dtype.names:
        rows[name] = plain[name]
    for at, (start, finish, *counts) in enumerate(jobs):
        for name, count in zip(EVENTS, counts or (100, 64), strict=True):
            rows[name][at], rows[f"{name}_scale_ratio"][at] = count, 1
        rows["start_ns"][at] = T0_NS + start * MS
        rows["finish_ns"][at] = T0_NS + finish * MS
        rows["status"][at] = 0
    run = write_run(directory / "run", Made(rows, events=[Event(name=one) for one in EVENTS]))
    table = [
        (T0_NS + int(at * MS), 0, event, value, 1.0)
        for at, counted in samples.items()
        for event, value in enumerate(counted)
    ]
    fields = [one for one in STREAMS["counters"] if one.is_required]
    np.save(run / "counters.npy", np.array(table, dtype=[(one.name, one.kind) for one in fields]))
    return run


def test_parts_are_of_equal_progress_and_the_first_job_is_left_out(tmp_path: Path):
    run = open_run(sampled_run(tmp_path, [(0, 1), (5, 9, 400, 400)], SAMPLES))
    # The second job executes 400 instructions: 100 by 6 ms, 300 by 7 ms, 350 by 8 ms, all by 9 ms.
    # Its quarters end at 6, 6.5, 7 and 9 ms; all of its 400 bytes are read in the last one.
    (course,) = courses_of(run, 4)
    assert course.times_ns.tolist() == [MS, MS / 2, MS / 2, 2 * MS]
    assert course.counts["mem_read_bytes"].tolist() == [0, 0, 0, 400]


def test_job_that_is_alone_is_not_left_out(tmp_path: Path):
    run = open_run(sampled_run(tmp_path, [(5, 9, 400, 400)], SAMPLES))
    assert len(list(courses_of(run, 4))) == 1


def test_finish_behind_the_last_sample_has_what_the_row_says(tmp_path: Path):
    samples = {2: (0, 0), 4: (200, 64)}
    run = open_run(sampled_run(tmp_path, [(2.5, 5, 300, 96)], samples))
    (course,) = courses_of(run, 3)
    # 100 and 200 instructions lie in the 1.5 ms up to the sample, the rest in the millisecond
    # behind it, and so do the bytes.
    assert course.times_ns.tolist() == [0.75 * MS, 0.75 * MS, MS]
    assert course.counts["mem_read_bytes"].tolist() == [32, 32, 32]


def test_mean_of_jobs_is_taken_part_by_part(tmp_path: Path):
    run = open_run(sampled_run(tmp_path, [(0, 1), (5, 9, 400, 400)], SAMPLES))
    (course,) = courses_of(run, 4)
    slower = type(course)(3 * course.times_ns, {"mem_read_bytes": np.array([0, 0, 200, 0])})
    mean = mean_course([course, slower])
    assert mean.times_ns.tolist() == [2 * MS, MS, MS, 4 * MS]
    assert mean.counts["mem_read_bytes"].tolist() == [0, 0, 100, 200]


def test_jobs_are_cut_into_as_many_parts_as_half_of_their_samples(tmp_path: Path):
    samples = {1 + at / 10: (at, at) for at in range(300)}
    run = open_run(sampled_run(tmp_path / "a", [(0, 40)], samples))
    assert parts_of([run]) == 100
    # 30 samples lie within 3 ms, with the one at its start and its end left out 29.
    run = open_run(sampled_run(tmp_path / "b", [(1, 4)], samples))
    assert parts_of([run]) == 14
    run = open_run(sampled_run(tmp_path / "c", [(1, 2)], samples))
    assert parts_of([run]) == 0


def test_phases_that_a_program_names_last_from_mark_to_mark(tmp_path: Path):
    path = sampled_run(tmp_path, [(0, 1), (5, 9, 400, 400)], SAMPLES)
    # A phase of the first job, a mark of another thread, and a probe count for nothing.
    rows = [(0.5, 4), (5.5, 4), (6, 9), (7, 2), (8, 4), (8.5, 3)]
    marks = np.zeros(len(rows), dtype=[(one.name, one.kind) for one in STREAMS["probe"]])
    marks["tid"], marks["kind"] = np.iinfo(np.int32).min, MarkKind.PHASE
    for at, (time_ms, phase) in enumerate(rows):
        marks["time_ns"][at], marks["probe"][at] = T0_NS + int(time_ms * MS), phase
    marks["tid"][marks["probe"] == 9] = 4712
    marks["kind"][marks["probe"] == 3] = MarkKind.PROBE
    np.save(path / "probe.npy", marks)
    two, four = named_phases_of(open_run(path))
    # 100 instructions are executed by 6 ms, 300 by 7 ms, 350 by 8 ms and 400 by 9 ms, so that 50
    # are by 5.5 ms; 100 bytes are read by 8 ms and all 400 by 9 ms, none by 7 ms.
    assert (two.phase, two.spans_ns.tolist(), two.time_ns) == (2, [[2 * MS, 3 * MS]], MS)
    assert two.counts == {"instructions": 50, "mem_read_bytes": 100}
    assert (four.phase, four.time_ns) == (4, 2.5 * MS)
    assert four.spans_ns.tolist() == [[0.5 * MS, 2 * MS], [3 * MS, 4 * MS]]
    assert four.counts == {"instructions": 300, "mem_read_bytes": 300}
    # Phase 2 lasts from 7 to 8 ms, where samples are. Phase 4 begins at 5.5 ms, between 0 at 5 ms
    # and 100 at 6 ms, ends at 7 ms, and comes again from 8 to 9 ms: 200 to 300, and 50.
    assert two.ranges == {"instructions": (50, 50), "mem_read_bytes": (100, 100)}
    assert four.ranges == {"instructions": (250, 350), "mem_read_bytes": (300, 300)}


def test_program_that_marks_nothing_names_no_phases(tmp_path: Path):
    run = open_run(sampled_run(tmp_path, [(0, 1), (5, 9, 400, 400)], SAMPLES))
    assert not list(named_phases_of(run))


@pytest.mark.parametrize(
    ("counts", "drawn"),
    [
        (
            {"mem_read_bytes": [1], "mem_write_bytes": [0], "llc_refill": [9]},
            ("mem_read_bytes", "mem_write_bytes"),
        ),
        ({"mem_read_bytes": [0], "llc_refill": [0, 0], "l2_refill": [0, 1]}, ("l2_refill",)),
        ({"l1d_refill": [3]}, ("l1d_refill",)),
        ({"l1d_refill": [0]}, ()),
    ],
)
def test_phases_are_those_of_the_traffic_else_of_the_last_misses(
    counts: dict[str, list[float]], drawn: tuple[str, ...]
):
    assert drawn_event(counts) == drawn


@pytest.mark.parametrize(
    ("ranges", "shown"),
    [
        ({"instructions": (213.0, 213.0)}, "213"),
        ({"instructions": (200.0, 230.0)}, "200 to 230"),
        # A document of a version before ranges: how far the count may be off is unknown.
        ({}, ""),
    ],
)
def test_instructions_of_a_phase_are_shown_as_exactly_as_they_are_known(
    ranges: dict[str, tuple[float, float]], shown: str
):
    phase = NamedPhaseRecord(
        target=0,
        scenario=0,
        phase=1,
        jobs=2,
        time_ns=1000,
        from_ns=0,
        to_ns=1000,
        counts={"instructions": 213.0},
        ranges=ranges,
    )
    asked = Profile(
        analyses=["memory-traffic"],
        kind="measured",
        targets=[Target(workload="mem", args=[])],
        scenarios=[ScenarioRecord(name="alone", interfere=[])],
        units=[],
        named_phases=[phase],
    )
    blocks = traffic_blocks(asked, 0, "mem")
    table = next(block for block in blocks if isinstance(block, Table))
    assert table.rows[0][2].text == shown
