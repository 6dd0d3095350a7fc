# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How much memory programs need: what processes measured, without the harness's own share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from laxity.store.manifest import MemoryNeed, Need, Record

# Runs beside those of the processes: that of a workload that does nothing, whose need is the
# harness's, and those of each program with a limit.
HARNESS = "harness"
KEPT, CROSSED = "kept", "crossed"

Quantity = Literal["requested", "mapped", "touched", "written"]
QUANTITIES: tuple[Quantity, ...] = ("requested", "mapped", "touched", "written")


class Share(Record, frozen=True, kw_only=True):
    """Bytes of one quantity; null in the record: nobody can tell.

    `peak_bytes`: at most at once; `total_bytes`: all that were ever added. Each is the largest of
    all processes; `least_peak_bytes` is the smallest.
    """

    peak_bytes: int
    total_bytes: int
    least_peak_bytes: int


class NeedRecord(Record, frozen=True, kw_only=True):
    """The memory need of one program, beyond that of a workload that does nothing.

    `static_bytes`: what the executable and its libraries can write, mapped before its init.
    `is_confirmed`: in processes of their own a limit of the bytes requested at once was kept, and
    one of a byte less was crossed; null: there was no such process. `method`: how pages were looked
    at.
    """

    target: int
    processes: int
    requested: Share
    mapped: Share
    touched: Share
    written: Share | None
    static_bytes: int
    is_confirmed: bool | None
    method: str


def share_of(needs: Sequence[Need], harness: Need, common_bytes: int = 0) -> Share:
    """Take the harness's share from what processes needed.

    Args:
        needs: At least one.
        harness: What a workload that does nothing needed.
        common_bytes: Of that, what the workload needs, too, in the same place.
    """
    return Share(
        peak_bytes=_beyond(max(one.peak_bytes for one in needs), harness.peak_bytes - common_bytes),
        total_bytes=_beyond(
            max(one.total_bytes for one in needs), harness.total_bytes - common_bytes
        ),
        least_peak_bytes=_beyond(
            min(one.peak_bytes for one in needs), harness.peak_bytes - common_bytes
        ),
    )


def _beyond(value: int, harness: int) -> int:
    return max(value - max(harness, 0), 0)


def need_of(
    target: int,
    measured: Sequence[MemoryNeed],
    harness: MemoryNeed,
    is_confirmed: bool | None,
) -> NeedRecord:
    """Describe the need of one program.

    Args:
        target: Its place in the profile.
        measured: By its processes; at least one.
        harness: By the process of a workload that does nothing.
        is_confirmed: As the record has it.
    """
    written = [one.written for one in measured if one.written is not None]
    # A stack that goes deeper than the harness's needs all of it by itself.
    is_deeper = min(one.stack_bytes for one in measured) > harness.stack_bytes
    common_bytes = harness.stack_bytes if is_deeper else 0
    return NeedRecord(
        target=target,
        processes=len(measured),
        requested=share_of([one.requested for one in measured], harness.requested),
        mapped=share_of([one.mapped for one in measured], harness.mapped, common_bytes),
        touched=share_of([one.touched for one in measured], harness.touched, common_bytes),
        written=share_of(written, harness.written, common_bytes)
        if len(written) == len(measured) and harness.written is not None
        else None,
        static_bytes=_beyond(max(one.static_bytes for one in measured), harness.static_bytes),
        is_confirmed=is_confirmed,
        method=measured[0].method,
    )


def run_name(prefix: str, what: str) -> str:
    """Name a run of a program: what it is of, and which process, `KEPT` or `CROSSED`."""
    return f"{prefix}-{what}"


def need_records(
    processes: Mapping[int, Sequence[str]], measured: Mapping[str, MemoryNeed]
) -> Iterator[NeedRecord]:
    """Describe the need of programs; of one without a process that ended well nothing.

    Args:
        processes: By program, the runs of its processes.
        measured: By run, what it measured.
    """
    harness = measured.get(HARNESS)
    for target, runs in processes.items():
        found = [measured[run] for run in runs if run in measured]
        if harness is None or not found:
            continue
        prefix = runs[0].rpartition("-")[0]
        limited = [measured.get(run_name(prefix, what)) for what in (KEPT, CROSSED)]
        yield need_of(target, found, harness, is_confirmed(*limited))


def is_confirmed(kept: MemoryNeed | None, crossed: MemoryNeed | None) -> bool | None:
    """Tell whether limits say what was counted: one that just holds, and one of a byte less.

    Args:
        kept: Of the process with the first limit; None: it does not exist.
        crossed: Of the other one; None also where less than nothing cannot be asked for.
    """
    if kept is None:
        return None
    return kept.limit_is_crossed is False and (crossed is None or bool(crossed.limit_is_crossed))
