# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What moves at migrations beside what is live: by hand, and in programs of ours."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_workingset_command import needs_llvm

from laxity.core.signals import forwarded_signals
from laxity.papers.live import (
    Instant,
    LivePlaces,
    Moves,
    lines_spanned,
    live_lines,
    moves_of,
    saved_ns,
)
from laxity.papers.live_stream import job_addresses
from laxity.papers.live_tasks import EVENTS, LEAST, MIDDLE, least_live, middles, migrated_tasks
from laxity.papers.paper import Exhibit, Experiment, LiveAnalysis, MigratedRun
from laxity.papers.raffeck import PAPER
from laxity.papers.raffeck_found import Found
from laxity.papers.raffeck_live import LIVE, PROGRAMS, RUNS
from laxity.papers.reproduce import ReproduceRequest, run_reproduction
from laxity.store.run_directory import open_run
from laxity.workingset.tables import Table

LINE_BYTES = 64
# Few enough for a second or two a program.
PARTS = 10


def instant(time_ns: int, live_bits: int, cost_ns: int, loaded: int = 0) -> Instant:
    moved = dict.fromkeys(EVENTS, 0) | {"moved_load": loaded}
    return Instant(time_ns, live_bits, live_lines=3, moved=moved, cost_ns=cost_ns, moved_ns=0)


def moves(middle: list[Instant], least: list[Instant]) -> Moves:
    first = instant(0, 0, 0)
    return Moves(1000, 4, 2, first, middles=tuple(middle), least=tuple(least))


def table(**columns: Sequence[object]) -> Table:
    return Table({name: np.ma.asarray(cells) for name, cells in columns.items()})


def test_bytes_in_a_row_lie_in_a_line_more_where_they_begin_at_the_end_of_one():
    assert [lines_spanned(one, LINE_BYTES) for one in (0, 1, 2, 65, 66)] == [0, 1, 2, 2, 3]


def test_object_has_a_line_for_each_live_byte_at_most_and_those_that_it_spans():
    sizes_bytes = {"main:0:few": 640, "all": 640, "tiny": 4}
    # Three bytes of 640; 640 bytes, which span 11 lines; 4 bytes, which span 2.
    objects = "all:5120;tiny:32;main:0:few:20"
    assert live_lines(objects, 5120 + 32 + 20, sizes_bytes, LINE_BYTES) == 11 + 2 + 3
    # 16 bits more of objects that are not named: two bytes, a line each.
    assert live_lines(objects, 5120 + 32 + 24 + 16, sizes_bytes, LINE_BYTES) == 11 + 2 + 3 + 2
    assert live_lines("", 0, {}, LINE_BYTES) == 0


# Function f: a block of three instructions, the second of which needs no code of its own.
INSTRUCTIONS = table(
    function=["f", "f", "f"],
    block=["0", "0", "0"],
    index=[0, 1, 2],
    objects=["a:512", "a:256", "a:1024"],
    live_total_bits=[512, 256, 1024],
    **{
        f"live_{one}_bits": [512, 256, 1024] if one == "global" else [0, 0, 0]
        for one in ("stack", "global", "const", "heap", "volatile")
    },
)
OBJECTS = table(name=["a"], size_bytes=[128])
# The function begins two bytes before its first label.
ADDRESSES = table(
    function=["f", "f", "f", "f"],
    block=["0", "0", "0", "0"],
    index=[0, 0, 1, 2],
    address=[0x1000, 0x1002, 0x1009, 0x1009],
    frame_bytes=[24, 24, 24, 24],
)


def test_address_is_the_instruction_that_begins_there_or_is_being_executed():
    places = LivePlaces((INSTRUCTIONS, OBJECTS, ADDRESSES), LINE_BYTES)
    # 128 bytes span 3 lines, wherever they begin; so do 64 bytes, of which nobody knows where.
    assert places.at(0x1000) == (512, 3)
    assert places.at(0x1002) == (512, 3)
    assert places.at(0x1005) == (512, 3)
    # The second has no code, so what is said of both holds.
    assert places.at(0x1009) == (256, 3)
    assert places.at(0x1018) == (256, 3)
    # 15 bytes at most behind the last label, and nothing before the function.
    assert places.at(0x1019) is None
    assert places.at(0xFFF) is None
    # 0x1000 to 0x1018 lie in one line; two more for the loop around the jobs. 24 bytes and a return
    # address span 2 lines, and the loop has two of its own.
    assert (places.code_lines, places.stack_lines) == (1 + 2, 2 + 2)


def job_rows(migrated_at: int, moved_load: int) -> "np.ma.MaskedArray":
    names = ("task", "migrations", "migrated_at", "exec_ns", "stall_moved_ns", "start_ns")
    rows = np.ma.zeros(10, dtype=[(one, "i8") for one in (*names, "release_ns", *EVENTS)])
    rows["task"] = [0] * 5 + [1] * 5
    rows["exec_ns"] = [150, 100, 160, 107, 100] + [5] * 5
    rows["start_ns"] = [1000, 2000, 3000, 4000, 5000] * 2
    rows["release_ns"] = [0] * 5 + [3040, 0, 0, 0, 0]
    rows["migrations"][2] = 1
    rows["migrated_at"][2] = migrated_at
    rows["stall_moved_ns"][2:4] = [58, 7]
    rows["moved_load"][2:4] = [moved_load - 1, 1]
    return rows


def test_cost_is_what_the_job_and_those_behind_it_take_longer():
    places = LivePlaces((INSTRUCTIONS, OBJECTS, ADDRESSES), LINE_BYTES)
    names = [f"{MIDDLE}0", "drives0"]
    found = moves_of(job_rows(0x1002, 7), names, places)
    assert found is not None
    assert found.length_ns == 100
    # Driven away at 3040 - 3000; 160 - 100 and 107 - 100, of which 58 + 7 for lines left behind.
    assert (found.first.time_ns, found.first.cost_ns, found.first.moved_ns) == (40, 67, 65)
    # 3 lines are live, and 4 of the stack: 7 are explained, an eighth is not.
    assert (found.first.loaded, found.unexplained(found.first)) == (7, 0)
    beyond = moves_of(job_rows(0x1002, 8), names, places)
    assert beyond is not None
    assert beyond.unexplained(beyond.first) == 1


def test_job_that_went_on_elsewhere_than_in_the_program_is_left_out():
    places = LivePlaces((INSTRUCTIONS, OBJECTS, ADDRESSES), LINE_BYTES)
    assert moves_of(job_rows(0x2000, 7), [f"{MIDDLE}0", "drives0"], places) is None


def test_migration_waits_or_hurries_within_its_window_to_where_least_is_live():
    here = [instant(100, 800, 50), instant(200, 800, 60), instant(300, 400, 70)]
    least = [instant(150, 8, 5), instant(390, 0, 90)]
    # Within 99: 150, 150 and 390. Within 49 each has nothing better than itself.
    assert saved_ns(moves(here, least), 99, in_hindsight=False) == [45, 55, 70 - 90]
    assert saved_ns(moves(here, least), 49, in_hindsight=False) == [0, 0, 0]
    # In hindsight nobody goes where it is dearer.
    assert saved_ns(moves(here, least), 99, in_hindsight=True) == [45, 55, 0]


def test_of_equal_places_the_nearest_is_taken():
    here = [instant(100, 8, 50)]
    far, near = instant(90, 0, 10), instant(105, 0, 20)
    assert saved_ns(moves(here, [far, near]), 10, in_hindsight=False) == [50 - 20]


def test_least_live_is_told_for_each_part_of_a_job():
    executed = np.array([1, 2, 3, 1, 2, 9, 3, 3])
    # 2 is no place. Parts of four: 1 and 3 have 40 and 20 bits, and 3 has 20 again.
    assert least_live(executed, {1: 40, 3: 20}, 2) == [2, 6]
    assert least_live(executed, {9: 0}, 2) == [5]
    # The middles of quarters of eight: an eighth, three eighths, ...
    assert middles(8, 4) == [1, 3, 5, 7]


def test_tasks_come_in_pairs_of_which_one_drives_the_other_away_in_its_third_job():
    tasks = migrated_tasks(Path("/p"), (0, 6), [(MIDDLE, 10), (LEAST, 70)], 1000)
    # A period is twice 1000 and 100,000; ten of them are between two pairs.
    assert [one["offset"] for one in tasks] == ["0ns", "204010ns", "1020000ns", "1224070ns"]
    assert [one["cpus"] for one in tasks] == ["0,6", "0", "0,6", "0"]
    assert [one["name"] for one in tasks] == ["middle0", "drives0", "least1", "drives1"]


def test_job_of_a_stream_is_what_lies_between_its_marks():
    execution, block, call = 1 << 62, 2 << 62, 3 << 62
    store = 1 << 52
    start, finish = 0x60000000 + 770, 0x60000000 + 771
    words = [
        # Block 0 at 0x100: three instructions of 1, 2 and 4 bytes. Block 1 at 0x200: one of 5.
        *(block | 0, 0x100, 3, 0x040201, 0),
        *(block | 1, 0x200, 1, 0x05, 0),
        # The second instruction of block 0 starts the job, the third one is its first.
        *(execution | 0, store | 1 << 53 | start),
        *(execution | 1, 0x9000),
        # A call of the kernel and its answer are no part of it.
        *(call | 12, 1, 2, 3, 4, 5, 6, call | 1 << 32 | 12, 7),
        # In the second round the third instruction ends it.
        *(execution | 0, 0x9000, store | 2 << 53 | finish),
        *(execution | 1,),
    ]
    assert job_addresses(words).tolist() == [0x103, 0x200, 0x100, 0x101]


@needs_llvm
@pytest.mark.parametrize("program", PROGRAMS)
def test_no_more_lines_follow_a_job_than_live_bytes_stack_and_code_explain(
    program: str, tmp_path: Path
):
    asked = RUNS[program].work
    assert isinstance(asked, MigratedRun)
    sets = Experiment("live-sets", "", LiveAnalysis((program,)))
    few = MigratedRun(program, asked.cpus, PARTS, asked.instruction_ns)
    run = Experiment(f"few-{program}", "opteron-6180", few)
    request = ReproduceRequest(
        paper=PAPER,
        exhibits=(Exhibit(LIVE.name, LIVE.title, (sets, run), ()),),
        final=tmp_path / "R",
        command_line=["laxity"],
        on_begin=lambda _line: None,
    )
    with forwarded_signals() as signals:
        assert run_reproduction(request, signals).manifest.status == "complete"
    found = Found({child.path.name: child for child in open_run(tmp_path / "R").children})
    moved = found.moves(sets, run)
    # At the very first instruction of a job it begins on the other core.
    assert 2 * PARTS - 1 <= len(moved.all) <= 2 * PARTS
    assert [moved.unexplained(one) for one in moved.all] == [0] * len(moved.all)
    # Something moves, and what it takes is told: of each job the parts sum up to it.
    assert max(one.loaded for one in moved.all) > 0
    assert all(one.cost_ns >= 0 for one in moved.all)
    assert all(one.cost_ns >= one.moved_ns for one in moved.all)
    # The first one finds no code on the other core, the others do.
    assert moved.first.moved["moved_fetch"] > 0
    assert {one.moved["moved_fetch"] for one in (*moved.middles, *moved.least)} == {0}
    # Without what is live the stack explains little, and nearly half of it would not do.
    assert max(one.loaded for one in moved.all) > moved.stack_lines
    if program != "waves":
        assert max(one.loaded / one.live_lines for one in moved.all) > 0.5
