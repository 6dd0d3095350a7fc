# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How much work the jobs of a third-party program are, and whether two are as much. Pure."""

from collections.abc import Collection
from typing import NamedTuple

from laxity.suites.jobs import BASIC_BLOCKS, INSTRUCTIONS, Session

# What a job's instructions may differ by: the C library's own paths vary by so much.
WORK_TOLERANCE_RATIO = 0.01
# Outside of the program: malloc looks through lists that grow with every job of a process. The
# most that was seen was 1094 (ten blocks of 4 KiB alignment, taken and given back); a microsecond.
LIBRARY_TOLERANCE_COUNT = 4096
# Beginnings of the functions by which a program in C or C++ starts threads.
_STARTS_THREADS = ("pthread_create", "thrd_create", "_ZNSt6thread")
# Aligned and unaligned copies of a few bytes.
WORK_TOLERANCE_COUNT = 64
# The same in basic blocks of eight instructions, though the C library's own are not counted.
_TOLERANCE_COUNTS = {INSTRUCTIONS: WORK_TOLERANCE_COUNT, BASIC_BLOCKS: WORK_TOLERANCE_COUNT // 8}


class Work(NamedTuple):
    """What a job was counted to be; `library` None: that outside of the program is not known."""

    total: int
    library: int | None = None

    @property
    def own(self) -> int:
        """The program's own part; the whole where it is not known."""
        return self.total - (self.library or 0)


def works_of(session: Session) -> list[Work]:
    """Return what each job of a session was counted to be."""
    known = session.library_work or (None,) * len(session.work)
    return [Work(*both) for both in zip(session.work, known, strict=True)]


def starts_threads(imports: Collection[str]) -> bool:
    """Tell whether a program starts threads, by the functions that it calls and does not define."""
    return any(name.startswith(_STARTS_THREADS) for name in imports)


def is_as_much(work: Work, reference: Work, unit: str, *, has_threads: bool = False) -> bool:
    """Tell whether a job is as much work as another, but for the C library's paths.

    Where the work of libraries is known, they may differ by it more than the program itself. Where
    it is not, that of threads may: who joins one that has ended already does not wait for it.
    """
    tolerance = _TOLERANCE_COUNTS[unit]
    if work.library is None or reference.library is None:
        if has_threads and unit == INSTRUCTIONS:
            tolerance = LIBRARY_TOLERANCE_COUNT
        return _is_near(work.total, reference.total, tolerance)
    return _is_near(work.own, reference.own, tolerance) and _is_near(
        work.library, reference.library, LIBRARY_TOLERANCE_COUNT
    )


def _is_near(count: int, reference: int, tolerance: int) -> bool:
    return abs(count - reference) <= max(tolerance, WORK_TOLERANCE_RATIO * reference)
