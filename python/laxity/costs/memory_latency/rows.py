# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Access times against the size of the array, from the rows of memory_latency.npy.

A sample is one batch: (elapsed - median of the empty batches) / accesses, in picoseconds, because
an access to the first cache takes less than a nanosecond. Each batch of a place has physical pages
and a random order of its own, so that samples are independent.

Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", sec. III.B.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import MEMORY_CASES, MEMORY_PAGES
from laxity.costs import samples
from laxity.costs.model import MEMORY_LATENCY, MEMORY_STREAM, Axes, Entry, Verdict
from laxity.costs.samples import Samples
from laxity.errors import RecordError

IntArray: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = Any  # masked structured array of memory_latency.npy

CHASE = MEMORY_CASES.index("chase")
_STREAM = "stream_"
STREAM_LINE_BYTES = 64
PS_PER_NS = 1000
_PS_PER_S = 10**12
NO_NODE = -1


@dataclass(frozen=True, slots=True, order=True)
class AccessPlace:
    """What a set of batches has in common; in the order in which tables show them.

    `node` is NO_NODE where the memory lay wherever the kernel put it.
    """

    cpu: int
    node: int
    pages: int
    case: int
    working_set_bytes: int

    @property
    def is_stream(self) -> bool:
        """Whether it is about lines of 64 bytes in order, not about random accesses."""
        return MEMORY_CASES[self.case].startswith(_STREAM)

    @property
    def case_name(self) -> str:
        """`chase`, `read_huge`: the `case` axis of a cost."""
        name = MEMORY_CASES[self.case].removeprefix(_STREAM)
        return f"{name}_{MEMORY_PAGES[self.pages]}" if self.pages else name

    @property
    def curve(self) -> tuple[int, ...]:
        """What all sizes of one curve have in common."""
        return self.cpu, self.node, self.pages, self.case


@dataclass(frozen=True, slots=True)
class AccessTime:
    """Samples at one place.

    Attributes:
        place: Where.
        samples_ps: Per access, or per 64 bytes of a stream; one per batch, in any order; not
            positive where noise is larger than the time.
        noise_floor_ps: Below this a median says nothing; None: too few batches to tell.
        runs: Names of the runs.
    """

    place: AccessPlace
    samples_ps: IntArray
    noise_floor_ps: int | None
    runs: tuple[str, ...]

    @property
    def samples(self) -> Samples:
        """The samples with their noise floor, in picoseconds."""
        return Samples(self.samples_ps, self.noise_floor_ps)

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.samples.n

    @property
    def median_ps(self) -> int:
        """Median, nearest rank."""
        return self.samples.median

    @property
    def interval_ps(self) -> tuple[int, int] | None:
        """95 % interval of the median; None: too few batches."""
        interval = samples.median_interval(self.samples_ps)
        return None if interval is None else (interval.lower_ns, interval.upper_ns)

    @property
    def verdict(self) -> Verdict:
        """Whether the median stands out of the noise."""
        return self.samples.verdict

    @property
    def bound_ps(self) -> int:
        """Upper end of the 95 % interval of p90; the maximum where n does not support one."""
        return self.samples.bound

    @property
    def bytes_per_s(self) -> int | None:
        """Median bandwidth of a stream; None for random accesses, and where nothing is known."""
        if not self.place.is_stream or self.verdict != "ok":
            return None
        return STREAM_LINE_BYTES * _PS_PER_S // self.median_ps


def access_times(rows: Rows, run: str) -> tuple[AccessTime, ...]:
    """Compute the access times at every place that rows know.

    Args:
        rows: memory_latency.npy, any order.
        run: Name of the run.

    Returns:
        Sorted by place.

    Raises:
        RecordError: A row holds what no probe writes.
    """
    _check_values(rows)
    columns = [np.ma.filled(rows[name].astype(np.int64), NO_NODE) for name in _PLACE_COLUMNS]
    found = []
    for key in sorted(set(zip(*(column.tolist() for column in columns), strict=True))):
        equal = [column == value for column, value in zip(columns, key, strict=True)]
        is_here = np.logical_and.reduce(equal)
        empty_ns = np.ma.getdata(rows["empty_ns"])[columns[0] == key[0]]
        found.append(_access_time(rows[is_here], AccessPlace(*key), _ascending(empty_ns), run))
    return tuple(found)


_PLACE_COLUMNS = ("cpu", "node", "pages", "case", "working_set_bytes")
# Column: smallest and largest value that a probe writes. A batch of a day is none; neither are
# more accesses than a year has nanoseconds.
_RANGES = {
    "cpu": (0, 1 << 20),
    "node": (0, 1 << 20),
    "pages": (0, len(MEMORY_PAGES) - 1),
    "case": (0, len(MEMORY_CASES) - 1),
    "working_set_bytes": (1, 1 << 56),
    "elapsed_ns": (0, 86_400 * 10**9),
    "empty_ns": (0, 86_400 * 10**9),
    "accesses": (1, 1 << 48),
}


def _check_values(rows: Rows) -> None:
    for name, (low, high) in _RANGES.items():
        column = rows[name].compressed() if name == "node" else np.ma.getdata(rows[name])
        wrong = column[(column < low) | (column > high)]
        if wrong.size:
            msg = (
                f"memory_latency.npy: {name} {wrong[0]} is no value of a probe; "
                "the stream is damaged"
            )
            raise RecordError(msg)


def _access_time(rows: Rows, place: AccessPlace, empty_ns: IntArray, run: str) -> AccessTime:
    accesses = np.ma.getdata(rows["accesses"]).astype(np.float64)
    elapsed_ns = np.ma.getdata(rows["elapsed_ns"]) - samples.median(empty_ns)
    samples_ps = np.rint(elapsed_ns * float(PS_PER_NS) / accesses).astype(np.int64)
    is_even = np.ma.getdata(rows["repetition"]) % 2 == 0
    fewest = float(accesses.min())
    return AccessTime(
        place=place,
        samples_ps=np.sort(samples_ps),
        noise_floor_ps=noise_floor_ps(samples_ps[is_even], samples_ps[~is_even], empty_ns, fewest),
        runs=(run,),
    )


def noise_floor_ps(
    even_ps: IntArray, odd_ps: IntArray, empty_ns: IntArray, accesses: float
) -> int | None:
    """Tell below which value a median says nothing.

    The larger of two: what the medians of even and odd repetitions, which do the same, differ by
    (A/A control); and the half-widths of the 95 % intervals of the medians of the batches and of
    the empty batches, which it is the difference of.

    Args:
        even_ps: Samples of the even repetitions.
        odd_ps: Samples of the odd ones.
        empty_ns: All empty batches on the same CPU.
        accesses: Of a batch.

    Returns:
        Picoseconds, at least 1; None where there are too few batches for an interval.
    """
    own = samples.median_interval(np.concatenate([even_ps, odd_ps]))
    empty = samples.median_interval(empty_ns)
    if own is None or empty is None or not even_ps.size or not odd_ps.size:
        return None
    apart = abs(samples.median(even_ps) - samples.median(odd_ps))
    empty_width_ps = (empty.upper_ns - empty.lower_ns) * PS_PER_NS / accesses
    half_widths = round((own.upper_ns - own.lower_ns + empty_width_ps) / 2)
    return max(1, apart, half_widths)


def _ascending(samples: NDArray[Any]) -> IntArray:
    return np.sort(samples.astype(np.int64))


def pool(measured: Iterable[AccessTime]) -> tuple[AccessTime, ...]:
    """Join what several runs found at the same places: all samples, the largest noise floor."""
    groups = samples.group(measured, lambda one: one.place)
    return tuple(_pool_place(place, groups[place]) for place in sorted(groups))


def _pool_place(place: AccessPlace, parts: Sequence[AccessTime]) -> AccessTime:
    joined = samples.join([one.samples for one in parts])
    return AccessTime(
        place=place,
        samples_ps=joined.values,
        noise_floor_ps=joined.noise_floor,
        runs=samples.join_names(one.runs for one in parts),
    )


def curves(measured: Iterable[AccessTime]) -> list[tuple[AccessTime, ...]]:
    """Part access times into curves over the size, each in ascending order of it."""
    ordered = sorted(measured, key=lambda one: one.place)
    return [tuple(curve) for curve in samples.group(ordered, lambda one: one.place.curve).values()]


def upper_bound(curve: Sequence[AccessTime]) -> list[tuple[int, int]]:
    """Bound a curve from above: (bytes, picoseconds), as `samples.upper_bound`."""
    return samples.upper_bound((one.place.working_set_bytes, one.bound_ps) for one in curve)


def entries(measured: Iterable[AccessTime]) -> list[Entry]:
    """Write access times as entries of a cost model: one per place, then one per curve."""
    found = curves(measured)
    return [_entry(one) for curve in found for one in curve] + [
        _curve_entry(curve) for curve in found
    ]


def _entry(one: AccessTime) -> Entry:
    axes = _axes(one.place, one.place.working_set_bytes)
    return samples.entry(_cost_name(one.place), one.samples, axes, one.runs, unit="ps")


def _curve_entry(curve: Sequence[AccessTime]) -> Entry:
    return samples.curve_entry(
        _cost_name(curve[0].place),
        [one.samples for one in curve],
        _axes(curve[0].place, None),
        samples.join_names(one.runs for one in curve),
        upper_bound(curve),
        unit="ps",
    )


def _cost_name(place: AccessPlace) -> str:
    return MEMORY_STREAM if place.is_stream else MEMORY_LATENCY


def _axes(place: AccessPlace, working_set_bytes: int | None) -> Axes:
    return Axes(
        cpu=place.cpu,
        node=None if place.node == NO_NODE else place.node,
        working_set_bytes=working_set_bytes,
        case=place.case_name,
    )
