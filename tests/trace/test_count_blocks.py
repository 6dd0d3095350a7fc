# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How long after a wake-up threads block, from a trace that is still being written."""

from pathlib import Path

import numpy as np

from laxity.core.streams import SchedKind, dtype_of
from laxity.store.live_segment import EDGES_NS
from laxity.store.npy_writer import write_stream
from laxity.trace.count_blocks import BlockCounter, IntArray

WAKE, ON, OFF = SchedKind.WAKEUP, SchedKind.ON, SchedKind.OFF
TID, OTHER = 7, 8
# It is woken at 100, blocks at 150; woken at 200, preempted at 210, blocks at 290; begins without a
# wake-up at 300, blocks at 320.
EVENTS = [
    (50, TID, OFF, 0), (100, TID, WAKE, 0), (105, OTHER, OFF, 0), (110, TID, ON, 0),
    (150, TID, OFF, 0), (200, TID, WAKE, 0), (205, TID, ON, 0), (210, TID, OFF, 1),
    (220, OTHER, OFF, 0), (250, TID, ON, 0), (290, TID, OFF, 0), (300, TID, ON, 0),
    (320, TID, OFF, 0),
]  # fmt: skip


def write(path: Path, n: int) -> None:
    """Write the first events."""
    rows = np.zeros(n, dtype_of("sched"))
    chosen = np.array(EVENTS[:n])
    for at, name in enumerate(("time_ns", "tid", "kind", "preempted")):
        rows[name] = chosen[:, at]
    write_stream(path, rows)


def lengths(counts: IntArray) -> list[int]:
    return [int(one) for one in EDGES_NS[:-1][counts > 0]]


def test_stretch_is_from_the_first_wake_up_or_start_after_a_block_to_the_next(tmp_path: Path):
    write(tmp_path / "sched.npy", len(EVENTS))
    counter = BlockCounter(tmp_path / "sched.npy", deadline_ns=60)
    known = counter.look([TID])
    # What the first block ended began unseen. 50, 90 (preempted within) and 20 ns.
    assert lengths(known[TID].counts) == [20, 50, 90]
    assert (known[TID].n, known[TID].n_late) == (3, 1)
    assert list(known) == [TID]


def test_stretch_goes_on_from_one_look_to_the_next(tmp_path: Path):
    path = tmp_path / "sched.npy"
    counter = BlockCounter(path)
    assert counter.look([TID]) == {}
    found = []
    # Before the first wake-up; within the second stretch, where it is preempted; all.
    for n in (1, 8, len(EVENTS)):
        write(path, n)
        found.append(counter.look([TID])[TID].n)
    assert found == [0, 1, 3]
    assert lengths(counter.look([TID])[TID].counts) == [20, 50, 90]
