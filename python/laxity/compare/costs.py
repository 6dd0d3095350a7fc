# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Two cost models: entries of the same name and axes, their medians and largest samples.

A cost model holds no samples, so how well a median is known is modelled: as if the samples from it
to p90 lay evenly. Where they get rarer from the median on, as those of costs do, it is known
better.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from laxity.compare.comparison import (
    NO_VERDICT,
    NOT_JUDGED,
    Figure,
    FloorPart,
    Point,
    between_runs,
    judge,
    largest,
)
from laxity.compare.fail_on import MAX, MEDIAN
from laxity.compare.regression import Subject
from laxity.core.units import exact_size
from laxity.costs.model import Axes, Costs, Entry
from laxity.costs.samples import RESOLUTION

# Quantile 0.975 of the normal distribution, for a two-sided interval of 95 %.
_NORMAL_95 = 1.959964
# Share of the samples from the median to p90, and to the largest.
_TO_P90 = 0.4
_TO_MAX = 0.5


@dataclass(frozen=True, slots=True)
class ComparedCosts:
    """What two models show; names of entries that only one of them has."""

    figures: tuple[Figure, ...]
    only_base: tuple[str, ...]
    only_new: tuple[str, ...]


def compare_costs(base: Costs, new: Costs, noise: Sequence[Costs] = ()) -> ComparedCosts:
    """Compare the entries of two models.

    Args:
        base: The baseline.
        new: What is compared with it.
        noise: Models measured as the baseline was: what they differ in is noise.
    """
    old_entries, new_entries = _by_name(base), _by_name(new)
    noises = [_by_name(one) for one in noise]
    figures: list[Figure] = []
    for key, entry in old_entries.items():
        other = new_entries.get(key)
        if other is None or (_is_curve(entry) and _is_curve(other)):
            continue
        likes = [one[key] for one in noises if key in one]
        figures += [_figure(statistic, entry, other, likes) for statistic in (MEDIAN, MAX)]
    return ComparedCosts(
        tuple(figures),
        tuple(entry_name(one) for key, one in old_entries.items() if key not in new_entries),
        tuple(entry_name(one) for key, one in new_entries.items() if key not in old_entries),
    )


def entry_name(entry: Entry) -> str:
    """Name an entry as `--fail-on` takes it: `gamma@64KiB,cpu=1,case=synchronous_chase`."""
    size = entry.axes.working_set_bytes
    parts = [] if size is None else [exact_size(size)]
    parts += [f"{key}={value}" for key, value in entry.axes.stated if key != "working_set_bytes"]
    return f"{entry.name}@{','.join(parts)}" if parts else entry.name


def cost_subjects(costs: Costs) -> tuple[Subject, ...]:
    """Name every entry for statements, whether another model has it or not."""
    return tuple(
        Subject(entry_name(one), one.name, tuple(one.axes.stated))
        for one in costs.entries
        if not _is_curve(one)
    )


def _is_curve(entry: Entry) -> bool:
    """Whether an entry only bounds what others measured: it has no figures but theirs."""
    return bool(entry.points) and not entry.quantiles


def _by_name(costs: Costs) -> dict[tuple[str, Axes], Entry]:
    return {(entry.name, entry.axes): entry for entry in costs.entries}


def _figure(statistic: str, base: Entry, new: Entry, likes: Sequence[Entry]) -> Figure:
    old_point, new_point = _point(base, statistic), _point(new, statistic)
    between = [point for one in likes if (point := _point(one, statistic)) is not None]
    parts = [
        # Each value may lie anywhere within its own floor; without noise it is rounded.
        FloorPart("of both measurements", sum(one.noise_floor or RESOLUTION for one in (base, new)))
    ]
    shift = None
    if old_point is not None and new_point is not None:
        shift = new_point.value - old_point.value
        parts += between_runs([old_point.value, *(one.value for one in between)])
    reason = _why_not(statistic, base, new)
    kinds = base.kind, new.kind
    is_predicted = reason is None and kinds == ("measured", "simulated")
    if reason is None and base.kind != new.kind:
        reason = f"BASE is {base.kind}, NEW {new.kind}"
    verdict, ends = (NO_VERDICT, None) if reason else (NOT_JUDGED, None)
    if reason is None and shift is not None and statistic == MEDIAN:
        half = math.ceil(math.hypot(_half_width(base), _half_width(new)))
        ends = shift - half, shift + half
        verdict = judge(*ends, largest(tuple(parts)))
    return Figure(
        subject=entry_name(base),
        quantity=base.name,
        statistic=statistic,
        unit=base.unit,
        kind=base.kind,
        base=old_point,
        new=new_point,
        shift=shift,
        low=None if ends is None else ends[0],
        high=None if ends is None else ends[1],
        floor=largest(tuple(parts)),
        floor_parts=tuple(parts),
        verdict=verdict,
        reason=reason,
        axes=tuple(base.axes.stated),
        is_predicted=is_predicted,
    )


def _point(entry: Entry, statistic: str) -> Point | None:
    value = entry.max if statistic == MAX else entry.quantiles.get("0.5")
    if value is None:
        return None
    if statistic == MAX:
        return Point(value, entry.n, low=value, high=value)
    half = math.ceil(_half_width(entry))
    return Point(value, entry.n, low=value - half, high=value + half)


def _why_not(statistic: str, base: Entry, new: Entry) -> str | None:
    """Say why two entries support no verdict."""
    for side, entry in (("BASE", base), ("NEW", new)):
        if entry.verdict != "ok":
            return f"{side}: {entry.verdict.replace('_', ' ')}"
        if _point(entry, statistic) is None:
            return f"{side}: no {statistic} of {entry.n} samples"
        if entry.noise_floor is None:
            return f"{side}: its noise floor is not known"
    if base.unit != new.unit:
        return f"BASE is in {base.unit}, NEW in {new.unit}"
    return None


def _half_width(entry: Entry) -> float:
    """Return half the modelled 95 % interval of a median.

    Its standard error is 1 / (2 * f * sqrt(n)), f the density of the samples at the median; evenly
    spread that is their share over their range. Without a p90, of few samples, up to the largest.
    """
    median, p90 = entry.quantiles.get("0.5", 0), entry.quantiles.get("0.9")
    upper, share = (p90, _TO_P90) if p90 is not None else (entry.max or median, _TO_MAX)
    error = (upper - median) / (2 * share * math.sqrt(max(entry.n, 1)))
    return _NORMAL_95 * max(error, 0.0)
