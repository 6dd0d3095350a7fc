# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a migration costs, from the rows of migration.npy.

Per observation: loss = first pass after the event + following passes until warm - as many warm
passes of the CPU that they run on. A migration costs loss(moving) - median loss(staying). Sleeping
instead, and going and coming back, lose what is not the other CPU's cold caches.

Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", sec. III.B; loss as
for gamma (`costs/crpd/rows.py`), so that the two can be compared.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import CRPD_PATTERNS, MIGRATION_PASSES
from laxity.costs import samples
from laxity.costs.crpd.rows import WARM_QUANTILE, passes_loss_ns, passes_of
from laxity.costs.excess import Excess, entry, excess, join
from laxity.costs.model import MIGRATION, MIGRATION_MOVE, Axes, Entry
from laxity.errors import RecordError
from laxity.statistics import distribution
from laxity.statistics.distribution import Distribution
from laxity.store.measurements import MigrationMeasurement

IntArray: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = Any  # masked structured array of migration.npy
Domains: TypeAlias = Mapping[tuple[int, int], str]

STAY, MOVE, CONTROL, SLEEP, RETURN, FETCH = range(6)
_ROLES = 6
_UNKNOWN = "unknown"
CONTRADICTED = "contradicted"
_SHARED = "shared_l"
# A line that the other core has written comes through a cache that both share in one to three times
# what that cache itself takes (2.7 times on meshes of one socket); from afar here in six times.
_FAR_RATIO = 4
# Moving must also stand out from what sleeping, or going and coming back, takes beside other work.
_STANDS_OUT_RATIO = 2


@dataclass(frozen=True, slots=True, order=True)
class Route:
    """What a set of observations has in common; in the order in which tables show them.

    `is_fetched`: the task's memory went along to the node of the other CPU.
    """

    pattern: int
    is_fetched: bool
    cpu: int
    cpu_to: int
    working_set_bytes: int

    @property
    def case_name(self) -> str:
        """`chase`, `chase_fetched`: the `case` axis of a cost."""
        return CRPD_PATTERNS[self.pattern] + ("_fetched" if self.is_fetched else "")

    @property
    def curve(self) -> tuple[int, ...]:
        """What all working sets of one curve have in common."""
        return self.pattern, self.is_fetched, self.cpu, self.cpu_to


@dataclass(frozen=True, slots=True)
class Contradiction:
    """That two CPUs do not share the cache which the system claims, by what a run measured.

    Attributes:
        cpu: From where.
        cpu_to: To where.
        claimed: What they were said to have in common.
        working_set_bytes: Where it shows most.
        lost_ns: One move in ten loses so much at least: lower end of the 95 % interval of p90.
        shared_ns: What as many bytes take in warm passes from the cache that is said to be shared.
        n: Moves.
    """

    cpu: int
    cpu_to: int
    claimed: str
    working_set_bytes: int
    lost_ns: int
    shared_ns: int
    n: int


@dataclass(frozen=True, slots=True)
class Migration:
    """What one route costs.

    Attributes:
        route: From where, to where, with what.
        domain: What the two CPUs have in common, as the system claims; `contradicted` by the run.
        loss: What passes after the move took more than after none.
        move: What the call that moves took more than one that does not.
        sleep: Loss after sleeping equally long on the first CPU.
        round_trip: Loss after going and coming back.
        n_not_warm: Moves whose last pass was not yet warm: the loss is too small.
        warm_ns: A warm pass on the CPU that it went to, median.
        node: Where the memory lay; None: no nodes here.
        is_steady: Whether the medians of the first and of the second half of the moves agree, by
            their 95 % intervals.
        runs: Names of the runs.
        contradiction: Why the claim of the system was withdrawn; None: it was not.
    """

    route: Route
    domain: str
    loss: Excess
    move: Excess
    sleep: Excess
    round_trip: Excess
    n_not_warm: int
    warm_ns: int
    node: int | None
    is_steady: bool
    runs: tuple[str, ...]
    contradiction: Contradiction | None = None


def domains(asked: MigrationMeasurement) -> Domains:
    """Return what the CPUs of each pair have in common."""
    return {(pair.cpu, pair.cpu_to): pair.domain for pair in asked.pairs}


def own_caches(asked: MigrationMeasurement) -> Mapping[tuple[int, int], int]:
    """Return the caches before the ones that pairs share, in bytes, by the system's claim."""
    sizes = {(pair.cpu, pair.cpu_to): pair.own_bytes for pair in asked.pairs}
    return {pair: size for pair, size in sizes.items() if size is not None}


def judged(
    measured: Sequence[Migration], own_bytes: Mapping[tuple[int, int], int]
) -> tuple[Migration, ...]:
    """Withdraw what the system claims of two CPUs where their migrations contradict it.

    Lines that fit the own cache of a CPU are written by it and come from there. Where both share
    the next cache they take about as long as that cache does for its own CPU, which warm passes
    over more than the own cache show. A virtual machine's caches are what its host says.

    Args:
        measured: Of one run or of several, not pooled.
        own_bytes: By pair, as of `own_caches`; a pair that is not in it is not judged, nor one of
            which no working set between that size and twice as much was measured.

    Returns:
        The same migrations; those of a contradicted pair, both ways, say so.
    """
    found: dict[frozenset[int], Contradiction] = {}
    for parts in samples.group(measured, lambda one: (one.runs, one.route.curve)).values():
        route = parts[0].route
        one = _contradiction(parts, own_bytes.get((route.cpu, route.cpu_to)))
        if one is not None:
            found.setdefault(frozenset((route.cpu, route.cpu_to)), one)
    return tuple(_labelled(one, found) for one in measured)


def _labelled(one: Migration, found: Mapping[frozenset[int], Contradiction]) -> Migration:
    why = found.get(frozenset((one.route.cpu, one.route.cpu_to)))
    return one if why is None else replace(one, domain=CONTRADICTED, contradiction=why)


def _contradiction(curve: Sequence[Migration], own_bytes: int | None) -> Contradiction | None:
    """Find the working set of a curve that contradicts the claim most; None: none does."""
    route, claimed = curve[0].route, curve[0].domain
    is_judged = claimed.startswith(_SHARED) and CRPD_PATTERNS[route.pattern] == "chase"
    if own_bytes is None or not is_judged or route.is_fetched:
        return None
    least = 0 if claimed == f"{_SHARED}1" else own_bytes
    most = own_bytes if claimed == f"{_SHARED}1" else 2 * own_bytes
    shared = [one for one in curve if least < one.route.working_set_bytes <= most]
    if not shared:
        return None
    ns_per_byte = max(one.warm_ns / one.route.working_set_bytes for one in shared)
    found = []
    for one in curve:
        size, lost_ns = one.route.working_set_bytes, _stands_out_ns(one)
        shared_ns = ns_per_byte * size
        if size <= own_bytes and lost_ns is not None and lost_ns > _FAR_RATIO * shared_ns:
            found.append(
                Contradiction(
                    route.cpu, route.cpu_to, claimed, size, lost_ns, round(shared_ns), one.loss.n
                )
            )
    return max(found, key=lambda one: one.lost_ns / one.shared_ns, default=None)


def _stands_out_ns(one: Migration) -> int | None:
    """Return what one move in ten loses at least; None: too few, or the controls lose that, too."""
    loss, *controls = (
        distribution.quantile_interval(part.distribution, samples.BOUND_QUANTILE)
        for part in (one.loss, one.sleep, one.round_trip)
    )
    if loss is None or any(control is None for control in controls):
        return None
    still_ns = max(control.upper_ns for control in controls if control is not None)
    return loss.lower_ns if loss.lower_ns > _STANDS_OUT_RATIO * still_ns else None


def migrations(
    rows: Rows, run: str, known: Domains, *, is_exact: bool = False
) -> tuple[Migration, ...]:
    """Compute what every route costs that rows know.

    Args:
        rows: migration.npy, in the order of time.
        run: Name of the run.
        known: What the CPUs of each pair have in common.
        is_exact: Whether it was simulated.

    Returns:
        Sorted; a route without a move, or without one of the roles that it is compared with, is
        left out.

    Raises:
        RecordError: A row holds what no probe writes.
    """
    _check(rows)
    columns = [np.ma.getdata(rows[name]) for name in _ROUTE_COLUMNS]
    found = []
    for key in sorted(set(zip(*(column.tolist() for column in columns), strict=True))):
        matches = [column == value for column, value in zip(columns, key, strict=True)]
        of_route = rows[np.logical_and.reduce(matches)]
        pattern, cpu, cpu_to, size = key
        for is_fetched in (False, True):
            route = Route(pattern, is_fetched, cpu, cpu_to, size)
            domain = known.get((cpu, cpu_to), _UNKNOWN)
            one = _migration(rows, of_route, route, domain, run, is_exact=is_exact)
            if one is not None:
                found.append(one)
    return tuple(sorted(found, key=lambda one: one.route))


_ROUTE_COLUMNS = ("pattern", "cpu", "cpu_to", "working_set_bytes")
# Far beyond any memory and any time; sums of such values stay within 64 bits.
_LARGEST = 1 << 56
# Column: the smallest value that is none of its codes.
_CODES = {"role": _ROLES, "pattern": CRPD_PATTERNS.index("chase") + 1}


def _check(rows: Rows) -> None:
    for name in rows.dtype.names:
        column = rows[name].compressed() if name == "node" else np.ma.getdata(rows[name])
        limit = _CODES.get(name, _LARGEST)
        wrong = column[(column >= limit) | (column <= -limit)]
        if name == "working_set_bytes":
            wrong = column[(column >= limit) | (column == 0)]
        if wrong.size:
            msg = f"migration.npy: {name} {wrong[0]} is no value of a probe; the stream is damaged"
            raise RecordError(msg)


def _migration(
    rows: Rows, of_route: Rows, route: Route, domain: str, run: str, *, is_exact: bool
) -> Migration | None:
    roles = np.ma.getdata(of_route["role"])
    moving = FETCH if route.is_fetched else MOVE
    if not all((roles == role).any() for role in (moving, STAY, CONTROL, SLEEP, RETURN)):
        return None
    here = _warm(rows, route, route.cpu)
    there = _warm(rows, route, route.cpu_to)
    losses = {role: _loss(of_route[roles == role], here)[0] for role in (STAY, CONTROL)}
    losses |= {role: _loss(of_route[roles == role], here)[0] for role in (SLEEP, RETURN)}
    moved = of_route[roles == moving]
    moved_ns, is_warm_again = _loss(moved, there)
    events = np.ma.getdata(of_route["event_ns"])
    nodes = moved["node"].compressed()
    still = (losses[STAY], losses[CONTROL])
    beyond = partial(excess, is_exact=is_exact)
    return Migration(
        route=route,
        domain=domain,
        loss=beyond(moved_ns, *still),
        move=beyond(events[roles == moving], events[roles == STAY], events[roles == CONTROL]),
        sleep=beyond(losses[SLEEP], *still),
        round_trip=beyond(losses[RETURN], *still),
        n_not_warm=int(np.count_nonzero(~is_warm_again)),
        warm_ns=there.quantile_ns(0.5),
        node=int(nodes[0]) if nodes.size else None,
        is_steady=_is_steady(moved_ns),
        runs=(run,),
    )


def _warm(rows: Rows, route: Route, cpu: int) -> Distribution:
    """Return warm passes on a CPU; where it was only ever gone to, the last passes there.

    Cores differ (big and little ones), so what is warm on one says nothing of another.
    """
    same = np.ma.getdata(rows["pattern"]) == route.pattern
    same &= np.ma.getdata(rows["working_set_bytes"]) == route.working_set_bytes
    is_here = same & (np.ma.getdata(rows["cpu"]) == cpu)
    if is_here.any():
        return distribution.from_samples(np.ma.getdata(rows["warm_ns"])[is_here])
    is_there = same & (np.ma.getdata(rows["cpu_to"]) == cpu)
    is_there &= np.isin(np.ma.getdata(rows["role"]), (MOVE, FETCH))
    return distribution.from_samples(np.ma.getdata(rows[f"pass{MIGRATION_PASSES}_ns"])[is_there])


def _loss(rows: Rows, warm: Distribution) -> tuple[IntArray, NDArray[np.bool_]]:
    return passes_loss_ns(
        passes_of(rows, MIGRATION_PASSES), warm.quantile_ns(0.5), warm.quantile_ns(WARM_QUANTILE)
    )


def _is_steady(samples_ns: IntArray) -> bool:
    """Whether both halves, in the order of time, may have one median.

    The hosts of virtual machines move CPUs; then a pair of them is suddenly nearer or further.
    """
    half = samples_ns.size // 2
    parts = (samples_ns[:half], samples_ns[half:])
    first, second = (samples.median_interval(part) for part in parts)
    if first is None or second is None:
        return True
    return first.lower_ns <= second.upper_ns and second.lower_ns <= first.upper_ns


def pool(measured: Iterable[Migration]) -> tuple[Migration, ...]:
    """Join what several runs found on the same routes: all samples, the largest noise floor."""
    groups = samples.group(measured, lambda one: one.route)
    return tuple(_pool_route(groups[route]) for route in sorted(groups))


def _pool_route(parts: Sequence[Migration]) -> Migration:
    return Migration(
        route=parts[0].route,
        domain=parts[0].domain,
        loss=join([one.loss for one in parts]),
        move=join([one.move for one in parts]),
        sleep=join([one.sleep for one in parts]),
        round_trip=join([one.round_trip for one in parts]),
        n_not_warm=sum(one.n_not_warm for one in parts),
        warm_ns=max(one.warm_ns for one in parts),
        node=parts[0].node,
        is_steady=all(one.is_steady for one in parts),
        runs=_runs(parts),
        contradiction=parts[0].contradiction,
    )


def _runs(parts: Iterable[Migration]) -> tuple[str, ...]:
    return samples.join_names(one.runs for one in parts)


def curves(measured: Iterable[Migration]) -> list[tuple[Migration, ...]]:
    """Part migrations into curves over the working set, each in ascending order of it."""
    ordered = sorted(measured, key=lambda one: one.route)
    return [tuple(curve) for curve in samples.group(ordered, lambda one: one.route.curve).values()]


def by_domain(measured: Iterable[Migration]) -> dict[str, list[Migration]]:
    """Part migrations by pattern, memory and what their CPUs have in common: `chase_shared_l3`."""
    ordered = sorted(measured, key=lambda one: (one.route.case_name, one.domain))
    return samples.group(ordered, lambda one: f"{one.route.case_name}_{one.domain}")


def entries(measured: Sequence[Migration]) -> list[Entry]:
    """Write migrations as entries of a cost model.

    In this order: one per route; one per curve of a pair; one per domain, with the largest bound of
    its pairs at each working set; what the move itself takes, per pair. A pair whose domain is
    contradicted says nothing of others.
    """
    ordered = sorted(measured, key=lambda one: one.route)
    told = [one for one in ordered if one.domain != CONTRADICTED]
    routes = [_route_entry(one) for one in ordered]
    pairs = [_curve_entry(curve, _axes(curve[0], None)) for curve in curves(ordered)]
    regions = [_curve_entry(parts, Axes(case=case)) for case, parts in by_domain(told).items()]
    return [*routes, *pairs, *regions, *_move_entries(ordered)]


def entry_samples(measured: Iterable[Migration]) -> list[tuple[Entry, IntArray]]:
    """Return each entry that is of one route with its samples, in the order of the rows."""
    return [
        (_route_entry(one), one.loss.samples_ns)
        for one in sorted(measured, key=lambda one: one.route)
    ]


def _route_entry(one: Migration) -> Entry:
    return entry(MIGRATION, one.loss, _axes(one, one.route.working_set_bytes), one.runs)


def _curve_entry(parts: Sequence[Migration], axes: Axes) -> Entry:
    return samples.curve_entry(
        MIGRATION,
        [one.loss.samples for one in parts],
        axes,
        _runs(parts),
        samples.upper_bound((one.route.working_set_bytes, one.loss.bound_ns) for one in parts),
    )


def _move_entries(ordered: Iterable[Migration]) -> Iterator[Entry]:
    """Write what the call takes, per pair; patterns are joined, they differ by cold kernel code."""
    groups = samples.group(
        ordered, lambda one: (one.route.cpu, one.route.cpu_to, one.route.is_fetched)
    )
    for (cpu, cpu_to, is_fetched), parts in groups.items():
        axes = Axes(cpu=cpu, cpu_to=cpu_to, case="fetched" if is_fetched else None)
        points = samples.upper_bound(
            (one.route.working_set_bytes, one.move.bound_ns) for one in parts
        )
        yield entry(MIGRATION_MOVE, join([one.move for one in parts]), axes, _runs(parts), points)


def _axes(one: Migration, working_set_bytes: int | None) -> Axes:
    return Axes(
        cpu=one.route.cpu,
        cpu_to=one.route.cpu_to,
        node=one.node,
        working_set_bytes=working_set_bytes,
        case=one.route.case_name,
    )
