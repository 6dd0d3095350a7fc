# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Cache-related preemption delay (gamma) from the rows of crpd.npy.

Per observation: loss = preempted pass + following passes until warm - as many warm passes - time of
the preemptor. gamma = loss(evicting) - median loss(spinning equally long): what both have in
common, the switch above all, cancels.

Source: Sebek, "The real cost of task pre-emptions", sec. 3.5.1 and figure 9; design.md section 6.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import CRPD_CASES, CRPD_EVICTS, CRPD_PASSES, CRPD_PATTERNS
from laxity.costs import samples
from laxity.costs.excess import Excess
from laxity.costs.model import GAMMA, GAMMA_CODE, Axes, Entry
from laxity.errors import RecordError
from laxity.statistics import distribution
from laxity.store.measurements import CODE_PATTERNS

IntArray: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = Any  # masked structured array of crpd.npy

_ASYNCHRONOUS = CRPD_CASES.index("asynchronous")
_FLUSH = CRPD_EVICTS.index("flush")
_SPIN, EVICT, _CONTROL = 0, 1, 2
# A pass no longer than nine of ten warm ones is warm.
WARM_QUANTILE = 0.9


@dataclass(frozen=True, slots=True, order=True)
class GammaPlace:
    """What a set of observations has in common; in the order in which tables show them.

    `evict_bytes` is what the preemptor used, 0 where it flushed the working set.
    """

    cpu: int
    pattern: int
    case: int
    evict: int
    evict_bytes: int
    working_set_bytes: int

    @property
    def case_name(self) -> str:
        """`synchronous_chase`: the `case` axis of a cost."""
        return f"{CRPD_CASES[self.case]}_{CRPD_PATTERNS[self.pattern]}"

    @property
    def is_code(self) -> bool:
        """Whether the working set is executed; else it is data."""
        return CRPD_PATTERNS[self.pattern] in CODE_PATTERNS

    @property
    def cost_name(self) -> str:
        """The name of the cost: of data, or of instructions."""
        return GAMMA_CODE if self.is_code else GAMMA

    @property
    def evict_name(self) -> str:
        """The `evict` axis of a cost."""
        return CRPD_EVICTS[self.evict]

    @property
    def curve(self) -> tuple[int, ...]:
        """What all working sets of one curve have in common."""
        return self.cpu, self.pattern, self.case, self.evict, self.evict_bytes

    @property
    def way(self) -> tuple[int, ...]:
        """What all lengths of a preemption have in common."""
        return self.cpu, self.pattern, self.case, self.evict, self.working_set_bytes


@dataclass(frozen=True, slots=True)
class Gamma(Excess):
    """Samples of gamma at one place: what evicting took beyond spinning, one per evicting row.

    Attributes:
        place: Where.
        n_spinning: Observations that spun, both roles.
        n_not_warm: Evicting observations whose last pass was not yet warm: gamma is too small.
        warm_ns: A warm pass, median.
        preemptor_ns: How long evicting took, median.
        runs: Names of the runs.
    """

    place: GammaPlace
    n_spinning: int
    n_not_warm: int
    warm_ns: int
    preemptor_ns: int
    runs: tuple[str, ...]


def gammas(rows: Rows, run: str, *, is_exact: bool = False) -> tuple[Gamma, ...]:
    """Compute gamma at every place that rows know.

    Args:
        rows: crpd.npy, any order.
        run: Name of the run.
        is_exact: Whether it was simulated.

    Returns:
        Sorted; a place without an evicting or without a spinning observation is left out.

    Raises:
        RecordError: A row holds what no probe writes.
    """
    rows = rows[~may_lack_preemption(rows)]
    columns = [np.ma.getdata(rows[name]) for name in _PLACE_COLUMNS]
    is_flushing = columns[_PLACE_COLUMNS.index("evict")] == _FLUSH
    columns[_PLACE_COLUMNS.index("evict_bytes")] = np.where(
        is_flushing, 0, np.ma.getdata(rows["evict_bytes"])
    )
    _check_codes(rows)
    places = sorted({GammaPlace(*map(int, key)) for key in zip(*columns, strict=True)})
    found = (
        _gamma(rows[_is_at(columns, place)], place, run, is_exact=is_exact) for place in places
    )
    return tuple(one for one in found if one is not None)


def may_lack_preemption(rows: Rows) -> NDArray[np.bool_]:
    """Tell of each row whether its timer may have preempted nothing.

    So it is where no pass of an asynchronous observation came before that during which the
    preemptor said that it was done: the victim was held up until the preemptor had slept. Probes
    repeat such an observation; earlier ones kept it.
    """
    is_asynchronous = np.ma.getdata(rows["case"]) == _ASYNCHRONOUS
    return np.asarray(is_asynchronous & np.ma.getmaskarray(rows["warm_ns"]), dtype=np.bool_)


# Column: the smallest value that is none of its codes.
_CODES = {
    "case": len(CRPD_CASES),
    "pattern": len(CRPD_PATTERNS),
    "evict": len(CRPD_EVICTS),
    "role": 3,
}
# Far beyond any memory and any time; sums of such values stay within 64 bits.
_LARGEST = 1 << 56


def _check_codes(rows: Rows) -> None:
    for name in rows.dtype.names:
        column = np.ma.getdata(rows[name])
        if name == "warm_ns":
            column = rows[name].compressed()
        limit = _CODES.get(name, _LARGEST)
        wrong = column[(column >= limit) | (column <= -limit)]
        if name == "working_set_bytes":
            wrong = column[(column >= limit) | (column == 0)]
        if wrong.size:
            msg = f"crpd.npy: {name} {wrong[0]} is no value of a probe; the stream is damaged"
            raise RecordError(msg)


_PLACE_COLUMNS = ("cpu", "pattern", "case", "evict", "evict_bytes", "working_set_bytes")


def _is_at(columns: Sequence[NDArray[Any]], place: GammaPlace) -> NDArray[np.bool_]:
    values = (*place.curve, place.working_set_bytes)
    equal = [column == value for column, value in zip(columns, values, strict=True)]
    return np.asarray(np.logical_and.reduce(equal), dtype=np.bool_)


def _gamma(rows: Rows, place: GammaPlace, run: str, *, is_exact: bool) -> Gamma | None:
    role = np.ma.getdata(rows["role"])
    warm = rows["warm_ns"].compressed()
    if not warm.size or not (role == EVICT).any() or not (role != EVICT).any():
        return None
    warm_samples = distribution.from_samples(warm)
    losses, is_warm_again = losses_ns(
        rows, warm_samples.quantile_ns(0.5), warm_samples.quantile_ns(WARM_QUANTILE)
    )
    evicting, spinning = losses[role == EVICT], losses[role != EVICT]
    return Gamma(
        place=place,
        samples_ns=evicting - samples.median(spinning),
        noise_floor_ns=noise_floor_ns(
            losses[role == _SPIN], losses[role == _CONTROL], evicting, is_exact=is_exact
        ),
        n_spinning=int(spinning.size),
        n_not_warm=int(np.count_nonzero(~is_warm_again[role == EVICT])),
        warm_ns=warm_samples.quantile_ns(0.5),
        preemptor_ns=samples.median(np.ma.getdata(rows["preemptor_ns"])[role == EVICT]),
        runs=(run,),
    )


def losses_ns(rows: Rows, warm_ns: int, warm_limit_ns: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """Compute what each preemption cost its victim.

    The first pass counts always; each following one as long as it and all before it are not warm.

    Args:
        rows: Observations of one place, shape (n,).
        warm_ns: A warm pass.
        warm_limit_ns: A pass up to this is warm.

    Returns:
        Loss per observation, and whether the victim was warm again before the last pass ended.
    """
    losses, is_warm_again = passes_loss_ns(passes_of(rows, CRPD_PASSES), warm_ns, warm_limit_ns)
    is_asynchronous = np.ma.getdata(rows["case"]) == _ASYNCHRONOUS
    losses = losses - np.where(is_asynchronous, np.ma.getdata(rows["preemptor_ns"]), 0)
    return losses.astype(np.int64), is_warm_again


def passes_of(rows: Rows, n_passes: int) -> IntArray:
    """Return the passes of each observation, shape (observation, pass)."""
    columns = [np.ma.getdata(rows[f"pass{number}_ns"]) for number in range(1, n_passes + 1)]
    return np.stack(columns, axis=1)


def passes_loss_ns(
    passes_ns: IntArray, warm_ns: int, warm_limit_ns: int
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Sum up what passes took beyond warm ones: the first always, the others until one is warm.

    Args:
        passes_ns: Shape (observation, pass).
        warm_ns: A warm pass.
        warm_limit_ns: A pass up to this is warm.

    Returns:
        Loss per observation, and whether it was warm again before its last pass ended.
    """
    is_cold = passes_ns > warm_limit_ns
    is_cold[:, 0] = True
    counts = np.logical_and.accumulate(is_cold, axis=1)
    losses = np.where(counts, passes_ns - warm_ns, 0).sum(axis=1)
    return losses.astype(np.int64), ~counts[:, -1]


def noise_floor_ns(
    spin_ns: IntArray, control_ns: IntArray, evict_ns: IntArray, *, is_exact: bool = False
) -> int | None:
    """Tell below which value a median of gamma says nothing.

    The larger of two: what the two roles that do the same differ by (A/B/A control), and the sum of
    the half-widths of the 95 % intervals of the two medians that gamma is the difference of.

    Returns:
        Nanoseconds, as `samples.least_floor` has them; None where there are too few observations
        for an interval.
    """
    spinning = np.concatenate([spin_ns, control_ns])
    low, high = samples.median_interval(spinning), samples.median_interval(evict_ns)
    if not spin_ns.size or not control_ns.size or low is None or high is None:
        return None
    apart = abs(samples.median(spin_ns) - samples.median(control_ns))
    widths = (low.upper_ns - low.lower_ns) + (high.upper_ns - high.lower_ns)
    return samples.least_floor(max(apart, -(-widths // 2)), is_exact=is_exact)


def pool(measured: Iterable[Gamma]) -> tuple[Gamma, ...]:
    """Join what several runs found at the same places: all samples, the largest noise floor."""
    groups = samples.group(measured, lambda one: one.place)
    return tuple(_pool_place(place, groups[place]) for place in sorted(groups))


def _pool_place(place: GammaPlace, parts: Sequence[Gamma]) -> Gamma:
    joined = samples.join([one.samples for one in parts])
    return Gamma(
        place=place,
        samples_ns=joined.values,
        noise_floor_ns=joined.noise_floor,
        n_spinning=sum(one.n_spinning for one in parts),
        n_not_warm=sum(one.n_not_warm for one in parts),
        warm_ns=max(one.warm_ns for one in parts),
        preemptor_ns=max(one.preemptor_ns for one in parts),
        runs=samples.join_names(one.runs for one in parts),
    )


def entries(measured: Sequence[Gamma]) -> list[Entry]:
    """Write gammas as entries of a cost model: one per place, then one per curve.

    Where the preemptor used buffers of several sizes, an entry stands for the largest one, and its
    points bound gamma over the length of the preemption. Working sets that only smaller buffers
    evicted are left out: beside the others they would be one curve of unlike preemptions.
    """
    ways = _ways(measured)
    longest = [lengths[-1] for lengths in ways.values()]
    return [_entry(lengths) for lengths in ways.values()] + [
        _curve_entry(curve) for curve in curves(longest)
    ]


def entry_samples(measured: Sequence[Gamma]) -> list[tuple[Entry, IntArray]]:
    """Return each entry that is of one place with its samples, in the order of the rows."""
    return [(_entry(lengths), lengths[-1].samples_ns) for lengths in _ways(measured).values()]


def _ways(measured: Sequence[Gamma]) -> dict[tuple[int, ...], list[Gamma]]:
    """Part gammas by all but the size of the preemptor's buffer, each in ascending order of it.

    Left out: those of less than the largest buffer of their curve.
    """
    ways = samples.group(sorted(measured, key=lambda one: one.place), lambda one: one.place.way)
    by_buffer = sorted((one.place.evict_bytes, one.place) for one in measured)
    largest = {place.curve[:-1]: size for size, place in by_buffer}
    longest = (lengths[-1].place for lengths in ways.values())
    return {one.way: ways[one.way] for one in longest if one.evict_bytes == largest[one.curve[:-1]]}


def curves(measured: Sequence[Gamma]) -> list[tuple[Gamma, ...]]:
    """Part gammas into curves over the working set, each in ascending order of it."""
    ordered = sorted(measured, key=lambda one: one.place)
    return [tuple(curve) for curve in samples.group(ordered, lambda one: one.place.curve).values()]


def upper_bound(curve: Sequence[Gamma]) -> list[tuple[int, int]]:
    """Bound a curve from above: (working set in bytes, nanoseconds), as `samples.upper_bound`."""
    return samples.upper_bound((one.place.working_set_bytes, one.bound_ns) for one in curve)


def length_bound(lengths: Sequence[Gamma]) -> list[tuple[int, int]]:
    """Bound gamma of one working set over the length of the preemption, as `upper_bound`.

    Returns:
        (length, gamma), both in nanoseconds, ascending; empty with a single length.
    """
    if len(lengths) < 2:  # noqa: PLR2004 - one point is no axis
        return []
    return samples.upper_bound((one.preemptor_ns, one.bound_ns) for one in lengths)


def _entry(lengths: Sequence[Gamma]) -> Entry:
    one = lengths[-1]
    axes = _axes(one.place, one.place.working_set_bytes)
    return samples.entry(one.place.cost_name, one.samples, axes, one.runs, length_bound(lengths))


def _curve_entry(curve: Sequence[Gamma]) -> Entry:
    return samples.curve_entry(
        curve[0].place.cost_name,
        [one.samples for one in curve],
        _axes(curve[0].place, None),
        samples.join_names(one.runs for one in curve),
        upper_bound(curve),
    )


def _axes(place: GammaPlace, working_set_bytes: int | None) -> Axes:
    return Axes(
        cpu=place.cpu,
        working_set_bytes=working_set_bytes,
        case=place.case_name,
        evict=place.evict_name,
    )
