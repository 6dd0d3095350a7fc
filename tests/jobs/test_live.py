# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a run shows while it lasts, of segments that are made up."""

import os
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from laxity.core.spec import Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.streams import Quantity
from laxity.jobs import live
from laxity.jobs.live import LiveRow, LiveRun, live_lines
from laxity.store import live_segment
from laxity.store.live_segment import EDGES_NS

Times = Mapping[Quantity, Mapping[int, int]]


def spec_of(*names: str, platform: str = "native") -> Spec:
    tasks = [{"name": one, "workload": "mem", "period": "1ms", "cpus": "0"} for one in names]
    return resolve_spec({"platform": platform}, tasks, [], 1)


def counts_of(times: Mapping[int, int]) -> np.ndarray:
    """Count times as the drain process does."""
    counts = np.zeros(len(EDGES_NS) - 1, np.int64)
    for time_ns, n in times.items():
        counts[np.searchsorted(EDGES_NS, time_ns, side="right") - 1] += n
    return counts


def make_segment(directory: Path, *tasks: tuple[int, Times], version: int | None = None) -> None:
    """Write a segment: of each task how many were not met, and its times."""
    head = struct.pack("=IIQI", live_segment.MAGIC, version or live_segment.VERSION, 0, len(tasks))
    data = bytearray(head.ljust(live_segment.HEADER_BYTES, b"\xff"))
    for not_met, times in tasks:
        block = bytearray(b"\xff" * live_segment.TASK_BYTES)
        struct.pack_into("=Q", block, live_segment.NOT_MET_AT, not_met)
        counts = np.array([counts_of(times.get(one, {})) for one in Quantity])
        data_of = counts.tobytes()
        block[live_segment.HISTOGRAMS_AT : live_segment.HISTOGRAMS_AT + len(data_of)] = data_of
        data += block
    (directory / "segment").write_bytes(data)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process may use CPU 1 alone; block characters can be written."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {1})
    monkeypatch.setattr(live, "is_unicode", lambda: True)


def test_edges_are_those_of_the_native_histogram():
    # Exact below 64 ns, then 64 buckets per power of two: from 64 ns on 1 ns wide, from 128 on 2.
    assert EDGES_NS[:3].tolist() == [-1, 0, 1]
    assert EDGES_NS[64:67].tolist() == [63, 64, 65]
    assert EDGES_NS[128:132].tolist() == [127, 128, 130, 132]
    assert len(EDGES_NS) == 3713 + 1
    assert (np.diff(EDGES_NS) > 0).all()


def test_layout_is_that_of_the_native_segment():
    header = (Path(__file__).parents[2] / "native/harness/segment.h").read_text()
    for name, value in (
        ("LAXITY_SEGMENT_MAGIC", f"{live_segment.MAGIC:#x}"),
        ("LAXITY_SEGMENT_VERSION", live_segment.VERSION),
        ("LAXITY_VERSION_TASK_BYTES", live_segment.TASK_BYTES),
        ("LAXITY_VERSION_HEADER_BYTES", live_segment.HEADER_BYTES),
        ("LAXITY_VERSION_NOT_MET_OFFSET", live_segment.NOT_MET_AT),
        ("LAXITY_VERSION_HISTOGRAMS_OFFSET", live_segment.HISTOGRAMS_AT),
    ):
        assert f"{name} = {value}," in header


def test_nothing_is_read_of_a_task_but_what_is_counted_of_its_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    make_segment(tmp_path, (0, {Quantity.RESPONSE_TIME: {20: 1}}), (0, {}))
    read: list[tuple[int, int]] = []
    pread = os.pread

    def noted(fd: int, n: int, at: int) -> bytes:
        read.append((at, n))
        return pread(fd, n, at)

    monkeypatch.setattr(os, "pread", noted)
    assert len(live_segment.read_live(tmp_path / "segment", 2)) == 2
    tasks_at = [live_segment.HEADER_BYTES + at * live_segment.TASK_BYTES for at in range(2)]
    # 3713 buckets of 8 bytes, of three quantities.
    assert read == [
        one
        for at in tasks_at
        for one in (
            (at + live_segment.NOT_MET_AT, 8),
            (at + live_segment.HISTOGRAMS_AT, 3 * 3713 * 8),
        )
    ]


def test_row_says_how_long_the_jobs_took_so_far(tmp_path: Path):
    response = {Quantity.RESPONSE_TIME: {20: 60, 30: 39, 60: 1}}
    make_segment(tmp_path, (3, response))
    header, row = LiveRun(spec_of("control"), tmp_path).lines()
    assert header.split("  ")[0] == "response time"
    # 100 jobs: the 50th took 20 ns, the 99th 30 ns; 16 bins from 20 ns on, of 3 ns each.
    # Heights: log 61 of log 61 is 8; log 40 / log 61 = 0.897 is 8 of 8 (7.2 upwards);
    # log 2 / log 61 = 0.169 is 2.
    assert row.split() == "control 100 20 ns 20 ns 30 ns 60 ns 3 █ █ ▂".split()  # noqa: SIM905
    assert row.endswith("█  █         ▂")


def test_p99_of_few_jobs_is_not_told(tmp_path: Path):
    make_segment(tmp_path, (0, {Quantity.RESPONSE_TIME: {20: 99}}))
    _, row = LiveRun(spec_of("control"), tmp_path).lines()
    assert row.split()[:9] == ["control", "99", "20", "ns", "20", "ns", "-", "20", "ns"]


def test_program_whose_responses_are_not_known_shows_what_is(tmp_path: Path):
    make_segment(
        tmp_path,
        (0, {Quantity.RESPONSE_TIME: {20: 1}, Quantity.RELEASE_LATENCY: {10: 1}}),
        (0, {Quantity.RELEASE_LATENCY: {10: 1}, Quantity.START_TO_FINISH: {10: 1}}),
        (0, {}),
    )
    _, *rows = LiveRun(spec_of("a", "b", "c"), tmp_path).lines()
    assert [row[:19].rstrip() for row in rows] == ["a", "b (release latency)"]


@pytest.mark.parametrize(("skipped", "said"), [(0, "-"), (3, "3")])
def test_task_without_deadline_is_not_said_to_meet_it(tmp_path: Path, skipped: int, said: str):
    make_segment(tmp_path, (skipped, {Quantity.RESPONSE_TIME: {20: 1}}))
    task = {"name": "a", "workload": "mem", "period": "1ms", "deadline": "none", "cpus": "0"}
    _, row = LiveRun(resolve_spec({}, [task], [], 1), tmp_path).lines()
    assert row.split()[9] == said


def test_of_many_tasks_the_first_are_shown(tmp_path: Path):
    made = [(0, {Quantity.RESPONSE_TIME: {20: 1}})] * 10
    make_segment(tmp_path, *made)
    lines = LiveRun(spec_of(*(f"t{i}" for i in range(10))), tmp_path).lines()
    assert [line.split()[0] for line in lines[1:]] == [*(f"t{i}" for i in range(8)), "and"]
    assert lines[-1] == "and 2 more"


def test_nothing_is_read_where_every_cpu_has_a_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    make_segment(tmp_path, (0, {Quantity.RESPONSE_TIME: {20: 1}}))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    assert LiveRun(spec_of("control"), tmp_path).lines() == ()
    # A simulated task has no CPU here.
    assert LiveRun(spec_of("control", platform="sim:simple"), tmp_path).lines()


@pytest.mark.parametrize("damage", ["no segment", "other version", "cut"])
def test_what_cannot_be_read_is_not_shown(tmp_path: Path, damage: str):
    if damage != "no segment":
        version = live_segment.VERSION + (damage == "other version")
        make_segment(tmp_path, (0, {Quantity.RESPONSE_TIME: {20: 1}}), version=version)
    if damage == "cut":
        os.truncate(tmp_path / "segment", live_segment.HEADER_BYTES + 100)
    assert LiveRun(spec_of("control"), tmp_path).lines() == ()


def test_plain_characters_are_used_where_others_cannot_be(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live, "is_unicode", lambda: False)
    row = LiveRow("control", "response time", counts_of({20_000: 100, 60_000: 1}), 0)
    assert "\n".join(live_lines([row], 0)).isascii()
