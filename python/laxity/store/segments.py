# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Segments of runs that died and whose directory nobody has read since: memory that stays taken."""

import fcntl
import os
import time
from pathlib import Path

SEGMENT_DIRECTORY = Path("/dev/shm")  # noqa: S108 - where native/harness/launch.c makes them
_PATTERN = "laxity-*"
# A run that starts now has a moment between making its segment and locking it.
_MIN_AGE_S = 3600


def left_segments(directory: Path = SEGMENT_DIRECTORY) -> list[Path]:
    """List old segments that no living process holds.

    The run of one may still be completed by `laxity show DIR`; where DIR was deleted, the next run
    on this machine removes the segment (native/harness/recover.c).
    """
    oldest_s = time.time() - _MIN_AGE_S
    try:
        found = sorted(directory.glob(_PATTERN))
        return [path for path in found if path.stat().st_mtime < oldest_s and _is_free(path)]
    except OSError:
        # Taken away meanwhile; there is a next time.
        return []


def _is_free(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(fd)
