# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Segments that nobody holds any more."""

import fcntl
import os
import time
from pathlib import Path

from laxity.store.segments import left_segments


def segment(path: Path, age_s: float) -> Path:
    path.write_bytes(b"")
    then_s = time.time() - age_s
    os.utime(path, (then_s, then_s))
    return path


def test_only_old_segments_without_a_holder_are_left(tmp_path: Path):
    old = segment(tmp_path / "laxity-old", 3700)
    held = segment(tmp_path / "laxity-held", 3700)
    segment(tmp_path / "laxity-new", 3500)
    segment(tmp_path / "other", 3700)
    with held.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert left_segments(tmp_path) == [old]
    assert left_segments(tmp_path) == [held, old]


def test_no_place_for_segments_has_none(tmp_path: Path):
    assert left_segments(tmp_path / "nowhere") == []
