# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Lines that move along a job, under those that are live."""

from laxity.page.svg import INK, draw_dots, drawing, to_svg
from laxity.papers.live import Moves

_NS_PER_US = 1000
_HEADROOM = 1.08
_DOT = 2.5


def draw_moves(moves: Moves, prefix: str, alt: str) -> str:
    """Draw the bound as a line, and what loads and stores brought as dots.

    Args:
        moves: Of a program.
        prefix: Of ids.
        alt: What the figure shows.
    """
    times_us = [one.time_ns / _NS_PER_US for one in moves.all]
    bounds = [one.live_lines + moves.stack_lines for one in moves.all]
    stored = [one.moved["moved_store"] for one in moves.all]
    with drawing() as (figure, axes):
        axes.step(
            times_us, bounds, where="mid", color=INK["deadline"], label="live or stack, at most"
        )
        draw_dots(axes, times_us, [one.loaded for one in moves.all], "execution", _DOT)
        draw_dots(axes, times_us, stored, "rest", _DOT)
        for ink, label in (("execution", "brought by loads"), ("rest", "by stores alone")):
            axes.plot([], [], color=INK[ink], marker="o", linestyle="none", label=label)
        axes.set_xlim(0, moves.length_ns / _NS_PER_US)
        axes.set_ylim(0, _HEADROOM * max(*bounds, *stored))
        axes.set_title("lines")
        axes.set_xlabel("driven away, after the job's start (µs)")
        axes.grid(visible=True, axis="y")
        figure.legend(loc="outside lower center", ncols=3, handlelength=1)
        return to_svg(figure, prefix, alt)
