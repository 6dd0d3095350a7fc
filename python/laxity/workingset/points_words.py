# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was found of migration points, in words."""

from statistics import mean

from laxity.core.units import format_duration_ns
from laxity.page.blocks import count_noun, show_count
from laxity.workingset.migration_points_document import (
    MigrationPoint,
    MigrationPoints,
    RunWindows,
    Window,
)
from laxity.workingset.words import show_bits


def points_sentences(found: MigrationPoints) -> list[str]:
    """Say what was asked for and found, and what stands against it."""
    sentences: list[str] = []
    if found.candidates:
        run = "no loop bounds say how long a run may be"
        if found.longest_run is not None:
            run = f"the longest run is {show_count(found.longest_run)} {found.unit}"
        sentences.append(f"{count_noun(len(found.candidates), 'candidate')}; {run}")
    if found.reason:
        sentences.append(f"no verdict: {found.reason}")
    if found.distance is not None:
        sentences.append(_placement(found, found.distance))
    if found.window is not None:
        sentences.append(_window(found.window, found))
    if found.run is not None:
        sentences += _run_windows(found.run)
    if found.cost:
        sentences.append(f"costs: {found.cost}")
    if found.cost_missing:
        sentences.append(f"no costs: {found.cost_missing}")
    return [*sentences, *found.assumptions]


def cost_text(one: MigrationPoint) -> str:
    """Show what a migration at a point costs, with what is behind the figure."""
    if one.cost_ns is None:
        return "not known"
    return f"{format_duration_ns(one.cost_ns)} ({one.cost_kind}, n = {one.cost_n})"


def _placement(found: MigrationPoints, distance: int) -> str:
    if found.placed is None:
        least = found.smallest_distance
        kept = "none" if least is None else f"{show_count(least)} at best"
        return (
            f"no choice of points keeps a distance of {show_count(distance)}; all candidates "
            f"together keep {kept}"
        )
    if not found.placed:
        return f"no point is needed: no run is longer than {show_count(distance)}"
    kept = "-" if found.largest_distance is None else show_count(found.largest_distance)
    keep, them = ("keeps", "it") if len(found.placed) == 1 else ("keep", "them")
    return (
        f"{count_noun(len(found.placed), 'point')} {keep} a distance of {show_count(distance)} on "
        f"every path (the largest is {kept}); at most {show_bits(found.largest_bits)} is live at "
        f"{them}, and no choice has less"
    )


def _run_windows(run: RunWindows) -> list[str]:
    """Say what one run of the program came by, window by window, and what that is worth."""
    if run.reason:
        return [f"no windows of a run: {run.reason}"]
    length, window = show_count(run.length or 0), show_count(run.window or 0)
    text = (
        f"windows of one run ({run.kind}, n = 1): {length} {run.unit} in "
        f"{count_noun(len(run.windows), 'window')} of {window}"
    )
    saved = [
        100 * (one.here_bits - one.ranked[0].live_bits) / one.here_bits
        for one in run.windows
        if one.ranked and one.here_bits
    ]
    if saved:
        text += (
            f"; the cheapest candidate of a window has {mean(saved):.1f} % less live than its "
            f"middle (mean of {len(saved)}; best {max(saved):.1f} %)"
        )
    worst = "some windows hold no candidate at which what is live has a bound"
    if (run.window or 0) > (run.length or 0):
        worst = "the run is shorter than a window, so that nothing tells of others"
    if run.worst_least_bits is not None:
        worst = (
            f"wherever a window of that length begins, there is a candidate of at most "
            f"{show_bits(run.worst_least_bits)}"
        )
    return [text, worst]


def _window(window: Window, found: MigrationPoints) -> str:
    where = f"between {show_count(window.first)} and {show_count(window.last)}"
    more = count_noun(window.unbounded, "candidate")
    if not window.ranked and window.unbounded:
        return f"{where} a run may come by {more}, where what is live has no bound"
    if not window.ranked:
        return f"no run comes by a candidate {where}"
    live = {one.number: one.live_bits for one in found.candidates}
    best = live[window.ranked[0]] or 0
    text = f"{where} a run may come by {count_noun(len(window.ranked), 'candidate')}; "
    if window.unbounded:
        text = f"{text[:-2]} and {more} where what is live has no bound; "
    text += f"at the cheapest {show_bits(best)} is live"
    for what, bits in (("the dearest", window.worst_bits), ("the middle", window.here_bits)):
        if bits:
            text += f", {100 * (bits - best) / bits:.1f} % less than at {what}"
    return text
