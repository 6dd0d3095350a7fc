# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of what was counted: misses of each cache, and what binds a program."""

from collections.abc import Iterator, Sequence
from functools import partial

from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Table,
    number_cell,
    show_count,
    text_cell,
)
from laxity.profile.document import Profile, RatioRecord
from laxity.profile.events import (
    BYTES_PER_INSTRUCTION,
    MISS_RATIOS,
    MISSES_PER_1000,
    PER_CYCLE,
    WAITING,
    Ratio,
)
from laxity.profile.figure import Placed, placement

_PERCENT = 100
_CACHE = (*MISS_RATIOS, *MISSES_PER_1000)
_INTENSITY = (MISSES_PER_1000[-1], BYTES_PER_INSTRUCTION, PER_CYCLE, WAITING)
_LAST, _BEFORE_LAST = "llc", "l2"


def cache_blocks(asked: Profile, target: int, name: str) -> Iterator[Block]:
    """Say how many references of each cache missed."""
    yield from _table(asked, target, f"misses of {name} ({asked.kind})", _levels(asked, target))


def intensity_blocks(asked: Profile, target: int, name: str) -> Iterator[Block]:
    """Say what binds a program: how often it goes to the memory, and how long it waits for it."""
    caption = f"processor and memory of {name} ({asked.kind})"
    yield from _table(asked, target, caption, _INTENSITY)


def cache_sentence(asked: Profile, target: int, name: str) -> str:
    """Say how the last level does alone, and where it does worst."""
    said = _alone_and_worst(asked, target, _last_ratio(asked, target))
    return f"{name}: {said}; {asked.kind}." if said else f"{name}: no cache was counted."


def intensity_sentence(asked: Profile, target: int, name: str) -> str:
    """Say how long a program waits, alone and where it waits longest."""
    for ratio in (WAITING, MISSES_PER_1000[-1]):
        if said := _alone_and_worst(asked, target, ratio):
            return f"{name}: {said}; {asked.kind}."
    return f"{name}: nothing was counted that tells what binds it."


def placement_blocks(asked: Profile, names: Sequence[str]) -> Iterator[Block]:
    """Place all programs beside each other: traffic per instruction, instructions per cycle."""
    placed = []
    for target, name in enumerate(names):
        points = []
        for scenario in range(len(asked.scenarios)):
            traffic = _record(asked, target, scenario, BYTES_PER_INSTRUCTION)
            pace = _record(asked, target, scenario, PER_CYCLE)
            if traffic is None or pace is None or traffic.value is None or pace.value is None:
                break
            points.append((traffic.value, pace.value))
        if len(points) == len(asked.scenarios):
            placed.append(Placed(name, points[0], min(points, key=lambda one: one[1])))
    if placed:
        alt = "Instructions per cycle of each program against its memory traffic per instruction"
        caption = (
            f"{alt} ({asked.kind}): a dot alone, a line to where it is slowest. To the right and "
            "below: bound by the memory; above: by the processor."
        )
        yield Figures((FigureBlock("placed", partial(placement, placed, "placed", alt), caption),))


def quantities(asked: Profile, run: str, target: int, name: str) -> Iterator[Quantity]:
    """Give all ratios under names of their own."""
    for one in asked.ratios:
        if one.target == target and one.value is not None:
            yield Quantity(
                name=f"{asked.scenarios[one.scenario].name}_{'_'.join(one.over)}_per_{one.under}",
                value=one.value,
                unit="",
                n=one.jobs,
                kind=asked.kind,
                run=run,
                task=name,
                note=_estimated(one) or None,
            )


def _levels(asked: Profile, target: int) -> list[Ratio]:
    """Leave out what was not counted, and the last level where it is the second one."""
    same = _is_same(asked, target)
    return [
        one
        for one in _CACHE
        if any(_record(asked, target, at, one) for at in range(len(asked.scenarios)))
        and not (same and one.over[0].startswith(_LAST))
    ]


def _is_same(asked: Profile, target: int) -> bool:
    """Tell whether the last level is the second: it has the same counts in every scenario."""
    totals = {
        level: [
            (one.over_total, one.under_total)
            for one in asked.ratios
            if one.target == target and one.over == [f"{level}_refill"]
        ]
        for level in (_LAST, _BEFORE_LAST)
    }
    return bool(totals[_LAST]) and totals[_LAST] == totals[_BEFORE_LAST]


def _last_ratio(asked: Profile, target: int) -> Ratio:
    shares = [one for one in _levels(asked, target) if one in MISS_RATIOS]
    return shares[-1] if shares else MISS_RATIOS[-1]


def _record(asked: Profile, target: int, scenario: int, ratio: Ratio) -> RatioRecord | None:
    return next(
        (
            one
            for one in asked.ratios
            if (one.target, one.scenario, one.under) == (target, scenario, ratio.under)
            and tuple(one.over) == ratio.over
        ),
        None,
    )


def _table(asked: Profile, target: int, caption: str, ratios: Sequence[Ratio]) -> Iterator[Block]:
    rows, estimated = [], ""
    shown = [
        ratio
        for ratio in ratios
        if any(_record(asked, target, at, ratio) for at in range(len(asked.scenarios)))
    ]
    for scenario, of in enumerate(asked.scenarios):
        found = [_record(asked, target, scenario, ratio) for ratio in shown]
        counted = [one for one in found if one is not None]
        if counted:
            cells = (_cell(one, ratio) for one, ratio in zip(found, shown, strict=True))
            n_jobs = min(one.jobs for one in counted)
            rows.append((text_cell(of.name), number_cell(show_count(n_jobs)), *cells))
            estimated = estimated or next(filter(None, map(_estimated, counted)), "")
    if not rows:
        yield Paragraph(f"{caption}: nothing was counted.", "warning")
        return
    has_interval = asked.kind == "measured"
    remarks = ("", "", *("95 % interval" for _ in shown)) if has_interval else ()
    head = ("scenario", "jobs", *(ratio.name for ratio in shown))
    yield Table(caption, head, tuple(rows), remarks=remarks)
    if estimated:
        yield Paragraph(f"{caption}: {estimated}.", "warning")


def _estimated(one: RatioRecord) -> str:
    if one.scale_ratio <= 1:
        return ""
    share = _PERCENT / one.scale_ratio
    return f"estimates: counters took turns, and one counted {share:.0f} % of the time"


def _cell(one: RatioRecord | None, ratio: Ratio) -> Cell:
    if one is None or one.value is None:
        return number_cell("")
    if one.low is None or one.high is None:
        return number_cell(_show(one.value, ratio))
    return number_cell(
        _show(one.value, ratio), f"{_show(one.low, ratio)} to {_show(one.high, ratio)}"
    )


def _show(value: float, ratio: Ratio) -> str:
    return f"{_PERCENT * value:.2f} %" if ratio.is_share else f"{ratio.per * value:.3g}"


def _alone_and_worst(asked: Profile, target: int, ratio: Ratio) -> str:
    found = [
        (one.value, of.name)
        for at, of in enumerate(asked.scenarios)
        if (one := _record(asked, target, at, ratio)) is not None and one.value is not None
    ]
    if not found:
        return ""
    (alone, first), worst = found[0], max(found)
    said = f"{ratio.name} {_show(alone, ratio)} ({first})"
    return said if worst[0] <= alone else f"{said}, {_show(worst[0], ratio)} ({worst[1]})"
