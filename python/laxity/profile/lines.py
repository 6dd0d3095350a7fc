# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which lines of memory the jobs of a simulated program touch, by what kind of memory it is."""

from laxity.store.manifest import Record

# What is of all kinds together has this name.
ALL = "all"


class Touched(Record, frozen=True, kw_only=True):
    """Distinct lines, and distinct pages of 4 KiB. What is executed is read."""

    read_lines: int
    written_lines: int
    lines: int
    pages: int


class StorageLines(Record, frozen=True, kw_only=True):
    """Lines of one kind of memory: code, constants, data, bss, heap, stack, or `ALL`.

    A line or page that belongs to two kinds counts for both, and of `ALL` once. `largest`: of a
    job, each number by itself; `together`: of all jobs, where each line counts once.
    """

    storage: str
    largest: Touched
    together: Touched


class LinesRecord(Record, frozen=True, kw_only=True):
    """What the jobs of one program touch; `storage`: by kind, the last one is `ALL`."""

    target: int
    jobs: int
    line_bytes: int
    storage: list[StorageLines]
