# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a preemption and a migration cost, in one sentence: 2 delta + gamma (Sebek, section 1.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.costs.model import DELTA, GAMMA, MIGRATION, MIGRATION_MOVE, Costs, Entry

# The working set of the sentence is the largest that was measured up to this one.
_USUAL_BYTES = 256 << 10
_GAMMA = "\N{GREEK SMALL LETTER GAMMA}"
_MEDIAN = "0.5"
_BEST = "best"
# How a preemptor evicts, the most usual first.
_EVICTS = ("write", "read", "execute")


@dataclass(frozen=True, slots=True)
class CostAnswer:
    """Medians, all of one working set.

    Attributes:
        kind: Of all of them.
        n: Samples behind each, at least.
        size_bytes: The working set.
        delta_ns: A switch, of which a preemption has two; None: not measured.
        gamma_ns: Loading again what a preemption evicts.
        migration_ns: What a migration takes, the move and loading again, of the quickest pair of
            CPUs and of the slowest; None: not measured.
        move_ns: The move in it, likewise; None: not measured, and not in it.
        n_pairs_unknown: Pairs of CPUs that were tried, and their loss could not be measured.
        delta_cpu: Where delta was measured; None: where gamma was.
    """

    kind: str
    n: int
    size_bytes: int
    delta_ns: int | None
    gamma_ns: int
    migration_ns: tuple[int, int] | None
    move_ns: tuple[int, int] | None = None
    n_pairs_unknown: int = 0
    delta_cpu: int | None = None

    @property
    def preemption_ns(self) -> int | None:
        """2 delta + gamma."""
        return None if self.delta_ns is None else 2 * self.delta_ns + self.gamma_ns

    @property
    def count(self) -> str:
        """How many samples, in words."""
        return f"n ≥ {self.n}"

    @property
    def size(self) -> str:
        """The working set, in words."""
        return format_size_bytes(self.size_bytes)

    @property
    def migration(self) -> str | None:
        """Of one pair, or the range of several."""
        return None if self.migration_ns is None else _range_text(self.migration_ns)

    def sentence(self) -> str:
        """Say it."""
        gamma = f"{format_duration_ns(self.gamma_ns)} to load {self.size} again ({_GAMMA})"
        if self.preemption_ns is None or self.delta_ns is None:
            said = f"A preemption costs, beside its switches, {gamma}"
        else:
            where = "" if self.delta_cpu is None else f" of CPU {self.delta_cpu}"
            said = (
                f"A preemption costs {format_duration_ns(self.preemption_ns)}: two switches of "
                f"{format_duration_ns(self.delta_ns)} (δ{where}, best case) and {gamma}"
            )
        if self.migration is not None:
            said += f"; a migration costs {self.migration}"
            if self.move_ns is not None:
                said += f", {_range_text(self.move_ns)} of them the move"
            else:
                said += " beside the move"
            if self.n_pairs_unknown:
                pairs = "pair" if self.n_pairs_unknown == 1 else "pairs"
                said += f" ({self.n_pairs_unknown} more {pairs} of CPUs: not measurable)"
        return f"{said} (medians, {self.count}, {self.kind})."


def _range_text(ends_ns: tuple[int, int]) -> str:
    shown = list(dict.fromkeys(format_duration_ns(one) for one in ends_ns))
    number, _, unit = shown[0].partition(" ")
    if len(shown) > 1 and shown[1].endswith(f" {unit}"):
        shown[0] = number
    return " to ".join(shown)


def cost_answer(costs: Costs) -> CostAnswer | None:
    """Pick what the sentence says; None: gamma of no working set could be measured.

    Args:
        costs: Of one machine or platform.
    """
    gammas = _usual(costs)
    if not gammas:
        return None
    sizes = sorted({_size(one) for one in gammas})
    size = max((one for one in sizes if one <= _USUAL_BYTES), default=sizes[0])
    gamma = max((one for one in gammas if _size(one) == size), key=_median)
    deltas = [one for one in _found(costs, DELTA) if one.axes.case == _BEST]
    of_its_cpu = [one for one in deltas if one.axes.cpu == gamma.axes.cpu]
    delta = max(of_its_cpu or deltas, key=_median, default=None)
    # Chase or sequential: a migration's passes are those of the preemption.
    pattern = (gamma.axes.case or "").rpartition("_")[2]
    losses = {
        (one.axes.cpu, one.axes.cpu_to): one
        for one in _found(costs, MIGRATION)
        if (one.axes.working_set_bytes, one.axes.case) == (size, pattern)
    }
    # That of memory taken along is another one.
    moves = {
        (one.axes.cpu, one.axes.cpu_to): one
        for one in _found(costs, MIGRATION_MOVE)
        if one.axes.case is None
    }
    asked = {
        (one.axes.cpu, one.axes.cpu_to)
        for one in costs.entries
        if one.name == MIGRATION
        and one.axes.cpu is not None
        and (one.axes.working_set_bytes, one.axes.case) == (size, pattern)
    }
    of_losses = [moves[pair] for pair in losses] if losses.keys() <= moves.keys() else []
    move_ns = dict(zip(losses, map(_median, of_losses), strict=False))
    migrations = [_median(loss) + move_ns.get(pair, 0) for pair, loss in losses.items()]
    used = [gamma, *([] if delta is None else [delta]), *losses.values(), *of_losses]
    return CostAnswer(
        kind=gamma.kind,
        n=min(one.n for one in used),
        size_bytes=size,
        delta_ns=None if delta is None else _median(delta),
        gamma_ns=_median(gamma),
        migration_ns=(min(migrations), max(migrations)) if migrations else None,
        move_ns=(min(move_ns.values()), max(move_ns.values())) if move_ns else None,
        n_pairs_unknown=len(asked - losses.keys()),
        delta_cpu=None if delta is None or delta in of_its_cpu else delta.axes.cpu,
    )


def _usual(costs: Costs) -> Sequence[Entry]:
    """Pick what another task evicts by writing, the victim's lines at random, or what is nearest.

    What is flushed is in no cache any more, which a task alone cannot do to another one. Where what
    is picked could not be measured, nothing is taken in its place.
    """
    asked = [
        one
        for one in costs.entries
        if one.name == GAMMA and one.axes.working_set_bytes and one.axes.evict in _EVICTS
    ]
    best = min(map(_rank, asked), default=None)
    return [one for one in _found(costs, GAMMA) if one in asked and _rank(one) == best]


def _rank(gamma: Entry) -> tuple[int, bool, bool]:
    case = gamma.axes.case or ""
    place = _EVICTS.index(gamma.axes.evict or "")
    return place, not case.startswith("synchronous"), not case.endswith("chase")


def _found(costs: Costs, name: str) -> Sequence[Entry]:
    return [
        one
        for one in costs.entries
        if one.name == name and one.verdict == "ok" and _MEDIAN in one.quantiles
    ]


def _size(entry: Entry) -> int:
    return entry.axes.working_set_bytes or 0


def _median(entry: Entry) -> int:
    return entry.quantiles[_MEDIAN]
