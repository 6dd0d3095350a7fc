# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was found of migration points, in words."""

from laxity.model.migration_points import MigrationPoint, MigrationPoints, Window
from laxity.model.units import format_duration_ns
from laxity.report.blocks import count_noun, show_count
from laxity.report.working_set_words import show_bits


def points_sentences(found: MigrationPoints) -> list[str]:
    """Say what was asked for and found, and what stands against it."""
    sentences: list[str] = []
    if found.candidates:
        run = "no loop bounds say how long a run may be"
        if found.longest_run is not None:
            run = f"the longest run is {show_count(found.longest_run)}"
        sentences.append(f"{count_noun(len(found.candidates), 'candidate')}; {run}")
    if found.reason:
        sentences.append(f"no verdict: {found.reason}")
    if found.distance is not None:
        sentences.append(_placement(found, found.distance))
    if found.window is not None:
        sentences.append(_window(found.window, found))
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
    return (
        f"{count_noun(len(found.placed), 'point')} keep a distance of {show_count(distance)} on "
        f"every path (the largest is {kept}); at most {show_bits(found.largest_bits)} is live at "
        "them, and no choice has less"
    )


def _window(window: Window, found: MigrationPoints) -> str:
    where = f"between {show_count(window.first)} and {show_count(window.last)}"
    if not window.ranked:
        return f"no run comes by a candidate {where}"
    live = {one.number: one.live_bits for one in found.candidates}
    best = live[window.ranked[0]] or 0
    text = f"{where} a run may come by {count_noun(len(window.ranked), 'candidate')}; "
    text += f"at the cheapest {show_bits(best)} is live"
    for what, bits in (("the dearest", window.worst_bits), ("the middle", window.here_bits)):
        if bits:
            text += f", {100 * (bits - best) / bits:.1f} % less than at {what}"
    return text
