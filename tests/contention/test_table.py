# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Envelope, packing and strict reading of contention tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from laxity.contention.table import (
    RATE_ONE,
    STEP_BYTES_PER_S,
    Checkpoint,
    ContentionTable,
    checkpoints_of,
    content_sha256,
    decode_table,
    envelopes_of,
    last_passages_of,
    longest_of,
    pack,
    raised,
    read_table,
    signed,
    soonest_of,
    windows_above,
)
from laxity.contention.windows import Progress, Windows
from laxity.errors import ConfigError


def windows(*points: tuple[float, float], at_ns: tuple[float, float] = (0, 10_000)) -> Windows:
    """Make windows of (steps of traffic, loss), all at one place of the job."""
    steps, loss = np.array(points, dtype=float).T
    begins_ns, ends_ns = (np.full(len(points), edge) for edge in at_ns)
    return Windows(begins_ns, ends_ns, steps * STEP_BYTES_PER_S, loss)


def phase(*loss: int, at_ns: int = 0, passage: int = 0) -> dict[str, Any]:
    """Make a phase; passage 0: the first of the job."""
    checkpoint = {"mark": 7, "passage": passage} if passage > 0 else None
    reserve_ns = [0] * len(loss)
    return {
        "checkpoint": checkpoint,
        "begins_ns": at_ns,
        "loss": loss,
        "reserve_ns": reserve_ns,
        "overheads": [[0, 2 * RATE_ONE, RATE_ONE // 2, 0]],
    }


FIRST = phase(0, RATE_ONE // 4, RATE_ONE // 2)
SECOND = phase(0, 100, 200, at_ns=6_000_000, passage=2)
LATER = {
    "checkpoint": {"mark": 7, "passage": 2},
    "begins_ns": 6_000_000,
    "soonest_ns": 5_000_000,
}


LOAD = {
    "reads": 0,
    "delay": 0,
    "cpus": [1],
    "overhead_ppm": 250_000,
    "traffic_bytes_per_s": 1_000_000_000,
}


PREEMPTED = {
    "kind": "observed",
    "program": ["mem", "524288B"],
    "dirty_ns": 8_400_000,
    "n_alone": 12,
    "alone_ns": 300_000,
    "n_loaded": 11,
    "loaded_ns": 1_000_000,
    "loaded_at_ns": 2_000_000,
    "load": {"reads": 0, "delay": 0, "cpus": [1]},
}


REPEATED = {"kind": "observed", "n": 4, "most_ns": 8_100_000}


STOPPED = {
    "kind": "observed",
    "n": 12,
    "reload_ns": 190_000,
    "at_ns": 2_000_000,
    "load": {"reads": 0, "delay": 0, "cpus": [1]},
    "queue_ns": 2_000,
    "is_level_shared": True,
}


def later_jobs(latest_ns: int, rest_ns: int) -> dict[str, Any]:
    """Make members of a table for jobs that follow one another; the times are of its last phase."""
    first = FIRST | {"latest_ns": 0, "rest_ns": 8_100_000}
    second = SECOND | {"latest_ns": latest_ns, "rest_ns": rest_ns}
    return {"phases": [first, second], "repeated": REPEATED}


def table(**changed: object) -> ContentionTable:
    whole = {
        "schema": 2,
        "version": "0",
        "platform": "sim:sabrelite-partitioned",
        "platform_sha256": "0" * 64,
        "workload": "dijkstra",
        "args": ["large"],
        "cpu": 0,
        "solo_ns": 8_000_000,
        "solo_traffic_bytes_per_s": 100_000_000,
        "reload_ns": 2_000,
        "step_bytes_per_s": STEP_BYTES_PER_S,
        "last_passages": [{"mark": 7, "passage": 3}],
        "phases": [FIRST],
        "loads": [LOAD],
    }
    return msgspec.convert(whole | changed, ContentionTable)


def write_signed(path: Path, document: dict[str, Any]) -> None:
    """Write a changed table with the hash of what it says now."""
    path.write_bytes(msgspec.json.encode(document | {"sha256": content_sha256(document)}))


def cold_only(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out what tables lacked before jobs that follow one another were profiled."""
    phases = [phase | {"latest_ns": None, "rest_ns": None} for phase in document["phases"]]
    return document | {"repeated": None, "phases": phases}


def leaves(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:  # noqa: ANN401 - JSON
    """Find the places of all numbers and texts of a document."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in pairs:
            yield from leaves(child, *path, key)
    elif value is not None:
        yield path


def test_gamma_and_c_of_a_shared_cpu_have_the_margin_of_a_table():
    """1 ms and 5 %; 8 ms and what dirty lines add, 0.4 ms and 5 %."""
    found = table(preempted=PREEMPTED)
    assert (found.gamma_ns, found.shared_ns) == (1_050_000, 8_420_000)
    assert (table().gamma_ns, table().shared_ns) == (None, None)


def test_c_is_that_of_a_job_after_one_of_its_own():
    """8 ms, and what is more than that, 0.1 ms, with 5 %; the other program's lines cost less."""
    found = table(repeated=REPEATED, preempted=PREEMPTED | {"dirty_ns": 8_050_000})
    assert (found.longest_ns, found.alone_ns, found.shared_ns) == (8_100_000, 8_105_000, 8_105_000)
    shorter = table(repeated=REPEATED | {"most_ns": 7_000_000})
    assert (shorter.longest_ns, shorter.alone_ns) == (8_000_000, 8_000_000)


def test_job_that_nothing_regulates_loses_what_its_parts_lost():
    """10 - 8 ms and a fifth, and 2 % of 10 ms: 2.6 ms. 0.1 ms more lose as much again at the top.

    After jobs of other tasks: 8.05 ms alone; 11 - 8.05 ms and a fifth, and 0.22 ms: 3.76 ms.
    """
    found = table(contended_ns=10_000_000, preempted=PREEMPTED | {"dirty_ns": 8_050_000})
    assert found.lost_ns(8_000_000, is_shared=False) == 2_600_000
    assert found.lost_ns(8_100_000, is_shared=False) == 2_700_000
    assert found.lost_ns(8_000_000, is_shared=True) is None
    found = msgspec.structs.replace(found, shared_contended_ns=11_000_000)
    assert found.lost_ns(8_000_000, is_shared=True) == 3_760_000


def test_time_beyond_the_profile_may_lose_all():
    first = FIRST | {"loss": [0, RATE_ONE]}
    found = table(contended_ns=10_000_000, phases=[first | {"reserve_ns": [0, 0]}])
    assert found.lost_ns(8_000_000, is_shared=False) == 2_600_000
    assert found.lost_ns(8_000_001, is_shared=False) is None


def test_longest_parts_are_those_of_any_job_that_passes_the_checkpoint():
    """Of 100 us a cold job passes it at 60; of 110 another passes it at 50; a third never does."""
    points = [Checkpoint(mark=7, passage=1)]
    mark, none = np.array([7]), np.zeros(0, np.int64)
    jobs = [(100, mark, np.array([60])), (110, mark, np.array([50])), (120, none, none)]
    assert longest_of(points, jobs) == [(0, 120), (60, 60)]


def test_c_of_a_shared_cpu_is_at_least_that_of_empty_caches():
    found = table(preempted=PREEMPTED | {"dirty_ns": 7_900_000})
    assert found.shared_ns == 8_000_000


def test_losses_after_other_tasks_take_the_place_of_the_others_where_they_were_measured():
    higher = [0, RATE_ONE // 2, RATE_ONE // 2]
    found = table(phases=[FIRST | {"shared_loss": higher}, SECOND]).for_cpu(is_shared=True)
    assert [phase.loss for phase in found.phases] == [higher, list(SECOND["loss"])]


def test_packed_curve_is_the_hull_rounded_up():
    """As in tests/native/regulator/test_table.c: at step 2 it passes 6 + 3/2, rounded up."""
    assert pack(np.array([0, 6, 0, 9])).tolist() == [0, 6, 8, 9]


def test_packing_equals_the_largest_of_all_mixtures():
    rng = np.random.default_rng(1)
    for _ in range(50):
        curve = rng.integers(0, 100, size=12)
        mixed = [
            max(
                -(-(int(curve[a]) * (b - i) + int(curve[b]) * (i - a)) // (b - a))
                for a in range(i + 1)
                for b in range(i, 12)
                if a < b
            )
            for i in range(12)
        ]
        assert pack(curve).tolist() == mixed


def test_envelope_lies_above_each_window_with_a_margin():
    """A loss of 0.4 at step 2.9 stands at step 2. Without loss the margin is 2 % of the time.

    0.4 of the time are an overhead of 2/3. With a fifth more, and 2 % of the time 5/3, that is
    0.8 + 1/30 = 5/6, and 5/11 of the time. The line passes the middle.
    """
    (curve,) = envelopes_of([windows((0.5, 0.0), (2.9, 0.4)), windows((2.2, 0.1))], [0])
    assert curve[0] == np.ceil(RATE_ONE / 51)
    assert curve[2] == np.ceil(RATE_ONE * 5 / 11)
    assert curve[1] == -(-(curve[0] + curve[2]) // 2)
    # The last step stands for all traffic above, and lies above what was seen.
    assert curve[-1] == curve[2]
    assert len(curve) == 4


def test_window_without_progress_loses_less_than_all():
    """All of its time is lost; a rate of 1 would leave no time for progress in a bound."""
    (curve,) = envelopes_of([windows((1.0, 1.0))], [0])
    assert 0.99 * RATE_ONE < curve[-1] <= RATE_ONE


def test_envelope_never_falls():
    (curve,) = envelopes_of([windows((1.0, 0.5), (9.0, 0.1))], [0])
    assert curve == sorted(curve)


def test_window_counts_in_each_phase_that_it_touches():
    """Phases begin at 0, 20 and 40 µs; a window to 20 µs touches the first alone."""
    parts = [
        windows((1.0, 0.2), at_ns=(10_000, 20_000)),
        windows((1.0, 0.4), at_ns=(30_000, 50_000)),
    ]
    curves = envelopes_of(parts, [0, 20_000, 40_000])
    tops = np.ceil(raised(np.array([0.2, 0.4, 0.4])) * RATE_ONE)
    assert [curve[-1] for curve in curves] == tops.tolist()


def test_traffic_that_no_table_holds_is_refused():
    with pytest.raises(ConfigError, match="more than a contention table can hold"):
        envelopes_of([windows((255.0, 0.1))], [0])


def course(*marks: tuple[int, int]) -> Progress:
    """Make the course of a job of (mark, µs)."""
    nothing = np.zeros(0)
    numbers, at_us = (np.array(column, dtype=np.int64) for column in zip(*marks, strict=True))
    return Progress(nothing, nothing, nothing, numbers, at_us * 1_000)


def test_checkpoint_is_a_mark_and_its_passage_at_least_50_us_after_the_one_before():
    """Of the passages of mark 3 at 60, 109, 110 and 151 µs the first and the third count."""
    solo = course((3, 60), (3, 109), (3, 110), (4, 130), (3, 151))
    chosen = checkpoints_of(solo, 200_000)
    assert [(at_ns, point.mark, point.passage) for at_ns, point in chosen] == [
        (60_000, 3, 1),
        (110_000, 3, 3),
    ]
    assert [(last.mark, last.passage) for last in last_passages_of(solo)] == [(3, 4), (4, 1)]


def test_job_of_many_marks_has_63_checkpoints_at_most():
    """100 marks 100 µs apart in 10.1 ms: 10.1 ms / 63 = 160.3 µs, so each second mark counts."""
    solo = course(*((1, 100 * i) for i in range(1, 101)))
    chosen = checkpoints_of(solo, 10_100_000)
    assert [point.passage for _, point in chosen] == list(range(2, 101, 2))


def test_phase_begins_no_sooner_than_all_phases_before_take_at_least():
    """Least phases are 50 µs of the second job, then 40 of the first; of each 95 % count.

    The passage of mark 4 is missing in the second job, so that any time may be left out.
    """
    points = [Checkpoint(mark=3, passage=n) for n in (1, 3)]
    jobs = [course((3, 60), (3, 70), (3, 100)), course((3, 50), (3, 60), (3, 120))]
    seen = [(job.marks, job.marks_ns) for job in jobs]
    assert soonest_of(points, seen) == [0, 47_500, 85_500]
    points.append(Checkpoint(mark=4, passage=1))
    seen[0] = (np.append(seen[0][0], 4), np.append(seen[0][1], 200_000))
    assert soonest_of(points, seen) == [0, 47_500, 85_500, 85_500]
    assert soonest_of([], seen) == [0]


def test_largest_loss_after_a_start_is_that_of_phases_that_can_be_reached():
    two = table(phases=[SECOND | {"checkpoint": None, "begins_ns": 0}, FIRST | LATER])
    assert two.worst_within(4_999_999) == 200
    assert two.worst_within(5_000_000) == RATE_ONE // 2


def test_windows_above_a_table_are_counted():
    """Step 1 bounds by 1/4, step 1.5 counts as step 2 with 1/2, step 7 as the last."""
    seen = windows((1.0, 0.25), (1.0, 0.26), (1.5, 0.5), (7.0, 0.51))
    assert windows_above(table(), seen) == 2


def test_window_is_above_a_table_only_if_it_is_above_all_phases_that_it_touches():
    two = table(phases=[FIRST, SECOND])
    assert windows_above(two, windows((1.0, 0.1), at_ns=(5_990_000, 6_010_000))) == 0
    assert windows_above(two, windows((1.0, 0.1), at_ns=(6_000_000, 6_010_000))) == 1


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(ConfigError, match="no contention table"):
        decode_table(b'{"version": "\x89"}')


@pytest.mark.parametrize("schema", [1, 3])
def test_table_of_another_version_is_to_be_profiled_again(schema: int):
    """Its other keys may be any: it is not said to lack one of this version."""
    document = {"schema": schema, "workload": "dijkstra"}
    with pytest.raises(ConfigError, match=f"of schema {schema}, this build reads 2; profile again"):
        decode_table(msgspec.json.encode(document))


def test_table_is_read_as_it_was_written():
    whole = signed(table(phases=[FIRST, SECOND]))
    assert decode_table(msgspec.json.encode(whole)) == whole
    # Layout and order of the members may be any.
    members = reversed(msgspec.to_builtins(whole).items())
    assert decode_table(msgspec.json.format(msgspec.json.encode(dict(members)))) == whole


def test_each_changed_value_of_a_table_is_found():
    whole = msgspec.to_builtins(signed(table(phases=[FIRST, SECOND])))
    places = list(leaves(whole))
    assert ("phases", 1, "loss", 2) in places
    for *path, last in places:
        document = msgspec.json.decode(msgspec.json.encode(whole))
        parent = document
        for key in path:
            parent = parent[key]
        old = parent[last]
        parent[last] = (
            old + 1 if isinstance(old, int) else old[1:] + ("1" if old[0] == "0" else "0")
        )
        with pytest.raises(ConfigError):
            decode_table(msgspec.json.encode(document))


def test_table_with_a_lowered_curve_is_to_be_profiled_again():
    document = msgspec.to_builtins(signed(table()))
    document["phases"][0]["loss"] = [0, 1, 2]
    with pytest.raises(ConfigError, match=r"has changed since it was written .*; profile again"):
        decode_table(msgspec.json.encode(document))


def test_table_without_a_hash_is_read_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "old.json"
    document = msgspec.to_builtins(table())
    del document["sha256"]
    path.write_bytes(msgspec.json.encode(document))
    assert read_table(path)[0] == table()
    assert read_table(path)[0] == table()
    # Once, however often it is read.
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"laxity: {path}: the table has no sha256")
    write_signed(tmp_path / "new.json", document)
    read_table(tmp_path / "new.json")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"phases": [phase(0, 9, 3)]}, "falls"),
        ({"phases": [phase(0, 2, 90)]}, "not packed"),
        ({"phases": [phase(0)]}, "length >= 2"),
        ({"phases": [phase(0, RATE_ONE + 1)]}, "<= 1048576"),
        ({"phases": []}, "length >= 1"),
        ({"phases": [FIRST] * 65}, "length <= 64"),
        ({"phases": [FIRST, FIRST]}, "a phase begins"),
        ({"phases": [SECOND]}, "phase 0 begins after"),
        ({"phases": [FIRST, SECOND | {"begins_ns": 0}]}, "a phase begins"),
        ({"phases": [FIRST, SECOND | {"begins_ns": 8_000_000}]}, "a phase begins"),
        ({"phases": [FIRST, SECOND, SECOND | {"begins_ns": 7_000_000}]}, "two phases begin"),
        ({"phases": [FIRST, phase(0, 1, 2, at_ns=6_000_000, passage=4)]}, "unknown passage"),
        ({"phases": [FIRST, phase(0, 1, at_ns=6_000_000, passage=1)]}, "fewer steps"),
        ({"phases": [FIRST | {"reserve_ns": [0, 0]}]}, "fewer steps"),
        ({"phases": [FIRST | {"soonest_ns": 1}]}, "soonest_ns of a phase is less"),
        ({"phases": [FIRST, SECOND | {"soonest_ns": 6_000_001}]}, "a phase begins sooner than"),
        (later_jobs(5_999_999, 2_000_000), "later than at the latest"),
        (later_jobs(6_000_000, 1_999_999), "longer than the longest"),
        ({"contended_ns": 0}, "with loads takes less than alone"),
        (
            {
                "shared_contended_ns": 8_049_999,
                "preempted": PREEMPTED | {"dirty_ns": 8_050_000},
            },
            "with loads takes less than alone",
        ),
        ({"contended_ns": 7_999_999}, "with loads takes less than alone"),
        ({"shared_contended_ns": 7_999_999}, "with loads takes less than alone"),
        ({"repeated": REPEATED}, "need latest_ns and rest_ns where jobs were repeated"),
        ({"phases": [FIRST | {"latest_ns": 0, "rest_ns": 8_000_000}]}, "and only there"),
        ({"phases": [FIRST | {"overheads": []}]}, "lacks overheads"),
        ({"phases": [FIRST], "loads": [LOAD | {"cpus": [1, 2]}]}, "lacks overheads"),
        ({"phases": [FIRST, SECOND | {"overheads": [[0, 0]]}]}, "overheads of a phase have fewer"),
        ({"phases": [FIRST | {"overheads": [[0, 1 << 32]]}]}, "overheads"),
        ({"last_passages": [{"mark": 256, "passage": 1}]}, "mark"),
        ({"last_passages": [{"mark": 7, "passage": 3}] * 2}, "last_passages has a mark twice"),
        ({"schema": 1}, "schema"),
        ({"solo_ns": 0}, "solo_ns"),
        ({"loads": []}, "loads"),
        ({"loads": [{**LOAD, "factors": [1, 2]}]}, "a factor for other CPUs"),
        ({"loads": [{**LOAD, "factors": [0]}]}, "factors"),
        ({"loads": [{"reads": 0, "delay": 0, "cpus": [], "overhead_ppm": 1}]}, "cpus"),
        ({"loads": [LOAD | {"cpus": [0]}]}, "on the CPU of the job"),
        ({"loads": [LOAD | {"cpus": [2, 1]}]}, "its CPUs do not rise"),
        ({"loads": [LOAD | {"overhead_ppm": -1_000_001}]}, "overhead_ppm"),
        ({"platform_sha256": "x"}, "platform_sha256"),
        ({"sha256": "x"}, "sha256"),
        ({"sha256": "0" * 64}, "has changed since it was written"),
        ({"more": 1}, "unknown field `more`"),
    ],
)
def test_table_that_cannot_be_is_refused(changed: dict[str, Any], reason: str):
    document = msgspec.to_builtins(table()) | changed
    with pytest.raises(ConfigError, match=reason):
        decode_table(msgspec.json.encode(document))
