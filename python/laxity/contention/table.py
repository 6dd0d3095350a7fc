# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The contention table of a program: upper envelope of its windows, packed (docs/regulation.md, 2).

Today a job is one phase.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from laxity.contention.windows import Windows
from laxity.errors import ConfigError

IntArray: TypeAlias = npt.NDArray[np.int64]

SCHEMA = 1
# Blin et al., 3.3: the granularity of their tables.
STEP_BYTES_PER_S = 20_480_000
# native/regulator/table.h
RATE_ONE = 1 << 20
STEPS_MAX = 256
# Windows that no profile has seen lie above the largest seen ones by some percent.
MARGIN_PPM = 50_000
_MILLION = 1_000_000

Time = Annotated[int, Meta(ge=0, le=3600 * 10**9)]
Rate = Annotated[int, Meta(ge=0, le=RATE_ONE)]
Cpu = Annotated[int, Meta(ge=0, le=63)]


class Load(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A load: `load 4MiB READS DELAY` on each of its CPUs."""

    reads: Annotated[int, Meta(ge=0, le=10)]
    delay: Annotated[int, Meta(ge=0, le=1_000_000)]
    cpus: Annotated[list[Cpu], Meta(min_length=1)]


class MeasuredLoad(Load, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A load and the execution time that it adds to a whole job."""

    overhead_ppm: int


class ContentionTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What `laxity contention profile` writes.

    `platform_sha256` is that of the platform file. `solo_ns`: the job alone, its caches cold.
    `loss`: lost time per wall time in units of 2^-20, by step of the platform's traffic, margin
    included. `reload_ns`: bound of what a stop costs the job.
    """

    schema: Literal[1]
    version: str
    platform: str
    platform_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    workload: str
    args: list[str]
    cpu: Cpu
    solo_ns: Annotated[int, Meta(ge=1, le=3600 * 10**9)]
    reload_ns: Time
    step_bytes_per_s: Annotated[int, Meta(ge=1, le=1 << 34)]
    loss: Annotated[list[Rate], Meta(min_length=2, max_length=STEPS_MAX)]
    loads: Annotated[list[MeasuredLoad], Meta(min_length=1)]


def pack(curve: IntArray) -> IntArray:
    """Raise a curve to its upper concave hull, rounded up, as native/regulator/table.c does.

    Args:
        curve: Whole numbers; shape (step,).
    """
    corners: list[int] = []
    for i in range(len(curve)):
        while len(corners) > 1:
            a, b = corners[-2:]
            if (curve[b] - curve[a]) * (i - a) > (curve[i] - curve[a]) * (b - a):
                break
            corners.pop()
        corners.append(i)
    packed = curve.copy()
    for a, b in pairwise(corners):
        steps = np.arange(a + 1, b)
        rise = int(curve[b] - curve[a])
        packed[a + 1 : b] = curve[a] - (-rise * (steps - a) // (b - a))
    return packed


def envelope_of(windows: Iterable[Windows]) -> list[int]:
    """Bound the loss by the traffic, over all windows; with margin, rising and packed.

    A window between two steps stands at the lower step: a mixture of its traffic and none would
    otherwise lie above the hull.

    Raises:
        ConfigError: The traffic is larger than a table can tell.
    """
    parts = list(windows)
    traffic = np.concatenate([part.traffic_bytes_per_s for part in parts])
    loss = np.concatenate([part.loss for part in parts])
    steps = (traffic // STEP_BYTES_PER_S).astype(np.int64)
    # The last step stands for all traffic above; what was seen lies below it with its margin.
    n_steps = max(2, int(steps.max() * (_MILLION + MARGIN_PPM) // _MILLION) + 2)
    if n_steps > STEPS_MAX:
        msg = f"traffic of {traffic.max() / 1e6:.0f} MB/s: more than a contention table can hold"
        raise ConfigError(msg)
    curve = np.zeros(n_steps, dtype=np.int64)
    rates = np.ceil(loss * RATE_ONE * (_MILLION + MARGIN_PPM) / _MILLION).astype(np.int64)
    np.maximum.at(curve, steps, np.minimum(rates, RATE_ONE))
    packed: list[int] = pack(np.maximum.accumulate(curve)).tolist()
    return packed


def windows_above(table: ContentionTable, windows: Windows) -> int:
    """Count windows that lose more than the table says."""
    steps = np.ceil(windows.traffic_bytes_per_s / table.step_bytes_per_s).astype(np.int64)
    bounds = np.array(table.loss)[np.minimum(steps, len(table.loss) - 1)]
    return int(np.count_nonzero(windows.loss * RATE_ONE > bounds))


def decode_table(data: bytes) -> ContentionTable:
    """Read a table strictly.

    Raises:
        ConfigError: It is none, or its curve falls or is not packed.
    """
    try:
        table = msgspec.json.decode(data, type=ContentionTable)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        msg = f"no contention table: {error}"
        raise ConfigError(msg) from error
    curve = np.array(table.loss, dtype=np.int64)
    if np.any(np.diff(curve) < 0) or np.any(pack(curve) > curve + 1):
        msg = "no contention table: loss falls with the traffic, or is not packed"
        raise ConfigError(msg)
    return table
