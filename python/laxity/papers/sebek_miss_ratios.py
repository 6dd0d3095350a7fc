# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What Sebek's figure 6 is here: miss ratios of four tasks over time."""

from typing import Protocol

from laxity.papers import sebek_figures as figures
from laxity.papers.paper import Drawing, Exhibit, Experiment, Row
from laxity.papers.sebek_misses import EXACT, FIGURE_6, IDLE, LINES, PAPER_PERCENT, Windows

_PERCENT = 100


class _Found(Protocol):
    def windows(self, experiment: Experiment) -> Windows:
        """Read the samples of a run."""


def _ratio_row(task: str) -> Row:
    sized = f"Its {LINES[task]} lines are"
    return Row(
        f"{task}, windows without a switch",
        PAPER_PERCENT[task],
        "% of instructions",
        "fitted",
        lambda found: found.windows(FIGURE_6).quiet_percent(task),
        f"{sized} half of the cache: none is lost."
        if task == IDLE
        else f"{sized} chosen for it, and a line more or less is 0.1 points.",
    )


def _largest_difference(found: _Found) -> float:
    measured, exact = found.windows(FIGURE_6), found.windows(EXACT)
    return max(
        _PERCENT * abs(measured.quiet_percent(task) / exact.quiet_percent(task) - 1)
        for task in LINES
        if task != IDLE
    )


EXHIBIT_6 = Exhibit(
    "figure-6",
    "Figure 6: miss ratios of four tasks over time",
    (FIGURE_6, EXACT),
    (
        *map(_ratio_row, LINES),
        Row(
            "measured against exact LRU, largest difference",
            None,
            "%",
            "predicted",
            _largest_difference,
            "Tree-PLRU loses what exact LRU does where code comes round in order; what is left is "
            "passes that samples cut in two, and what a job does before its passes.",
            said="less than 1 %, against the theoretical values",
            agrees=lambda percent: percent < 1,
        ),
        Row(
            "lowest peak at a switch, over the task's own ratio",
            None,
            "times",
            "predicted",
            lambda found: found.windows(FIGURE_6).lowest_peak_times,
            "None; how high a peak is depends on how long a window is, here 100 µs.",
            said="initial peaks at the context switches",
            agrees=lambda times: times > 1,
        ),
    ),
    notes=(
        "Misses of the instruction cache by executed instruction, read every 100 µs; the kernel's "
        "switches are in the picture, not in the rows. An interrupt reads, and takes and evicts "
        "what section 3.2 has for it. His tasks' sizes are not known. The loop around "
        "the code has five lines: one in a set of nine costs 1 miss a pass, one in a set that was "
        "just full costs 9.",
    ),
    drawings=(
        Drawing(
            "miss-ratios",
            "Misses per instruction in each window of 100 µs, by the task that executed most of "
            "it (simulated); dashed: what the paper has for it.",
            lambda found, prefix, alt: figures.draw_windows(found.windows(FIGURE_6), prefix, alt),
        ),
    ),
)
