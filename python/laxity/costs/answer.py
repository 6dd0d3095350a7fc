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
        size_bytes: The working set.
        delta_ns: A switch, of which a preemption has two; None: not measured.
        gamma_ns: Loading again what a preemption evicts.
        migration_ns: What a migration takes, the move and loading again, of the quickest pair of
            CPUs and of the slowest; None: not measured.
        move_ns: The move in it, of the slowest pair; None: not measured, and not in it.
    """

    kind: str
    size_bytes: int
    delta_ns: int | None
    gamma_ns: int
    migration_ns: tuple[int, int] | None
    move_ns: int | None = None

    @property
    def preemption_ns(self) -> int | None:
        """2 delta + gamma."""
        return None if self.delta_ns is None else 2 * self.delta_ns + self.gamma_ns

    @property
    def size(self) -> str:
        """The working set, in words."""
        return format_size_bytes(self.size_bytes)

    @property
    def migration(self) -> str | None:
        """Of one pair, or the range of several."""
        if self.migration_ns is None:
            return None
        shown = list(dict.fromkeys(format_duration_ns(one) for one in self.migration_ns))
        number, _, unit = shown[0].partition(" ")
        if len(shown) > 1 and shown[1].endswith(f" {unit}"):
            shown[0] = number
        return " to ".join(shown)

    def sentence(self) -> str:
        """Say it."""
        gamma = f"{format_duration_ns(self.gamma_ns)} to load {self.size} again ({_GAMMA})"
        if self.preemption_ns is None or self.delta_ns is None:
            said = f"A preemption costs, beside its switches, {gamma}"
        else:
            said = (
                f"A preemption costs {format_duration_ns(self.preemption_ns)}: two switches of "
                f"{format_duration_ns(self.delta_ns)} (δ) and {gamma}"
            )
        if self.migration is not None:
            said += f"; a migration costs {self.migration}"
            if self.move_ns is not None:
                said += f", {format_duration_ns(self.move_ns)} of them the move"
            else:
                said += " beside the move"
        return f"{said} (medians, {self.kind})."


def cost_answer(costs: Costs) -> CostAnswer | None:
    """Pick what the sentence says; None: gamma of no working set could be measured.

    Args:
        costs: Of one machine or platform.
    """
    gammas = _usual([one for one in _found(costs, GAMMA) if one.axes.working_set_bytes])
    if not gammas:
        return None
    sizes = sorted({_size(one) for one in gammas})
    size = max((one for one in sizes if one <= _USUAL_BYTES), default=sizes[0])
    gamma = max((one for one in gammas if _size(one) == size), key=_median)
    deltas = [one for one in _found(costs, DELTA) if one.axes.case == _BEST]
    own = [one for one in deltas if one.axes.cpu == gamma.axes.cpu] or deltas
    # Chase or sequential: a migration's passes are those of the preemption.
    pattern = (gamma.axes.case or "").rpartition("_")[2]
    losses = {
        (one.axes.cpu, one.axes.cpu_to): _median(one)
        for one in _found(costs, MIGRATION)
        if (one.axes.working_set_bytes, one.axes.case) == (size, pattern)
    }
    moves = {(one.axes.cpu, one.axes.cpu_to): _median(one) for one in _found(costs, MIGRATION_MOVE)}
    has_moves = bool(losses) and losses.keys() <= moves.keys()
    migrations = [loss + (moves[pair] if has_moves else 0) for pair, loss in losses.items()]
    return CostAnswer(
        kind=gamma.kind,
        size_bytes=size,
        delta_ns=max(map(_median, own), default=None),
        gamma_ns=_median(gamma),
        migration_ns=(min(migrations), max(migrations)) if migrations else None,
        move_ns=max(moves[pair] for pair in losses) if has_moves else None,
    )


def _usual(gammas: Sequence[Entry]) -> Sequence[Entry]:
    """Keep those of one kind: what another task evicts by writing, the victim's lines at random.

    What is flushed is in no cache any more, which a task alone cannot do to another one.
    """

    def rank(one: Entry) -> tuple[int, bool, bool]:
        case = one.axes.case or ""
        evict = one.axes.evict or ""
        place = _EVICTS.index(evict) if evict in _EVICTS else len(_EVICTS)
        return place, not case.startswith("synchronous"), not case.endswith("chase")

    best = min(map(rank, gammas), default=None)
    return [one for one in gammas if rank(one) == best]


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
