# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Raffeck et al., Revisiting Migration Overheads: what their figures are here."""

from laxity.papers.paper import Paper
from laxity.papers.raffeck_access import FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5
from laxity.papers.raffeck_found import Found
from laxity.papers.raffeck_live import LIVE
from laxity.papers.raffeck_migration import FIGURES as MIGRATION
from laxity.papers.raffeck_working_sets import FIGURE_6, FIGURE_7

PAPER = Paper(
    name="raffeck",
    title="Raffeck et al., Revisiting Migration Overheads in Real-Time Systems",
    reference=(
        "P. Raffeck, W. Schröder-Preikschat and P. Ulbrich, “Revisiting Migration Overheads in "
        "Real-Time Systems: One Look at Not-So-Uniform Platforms”, OSPERT 2022."
    ),
    summary=(
        "They measured what memory of another domain costs, and what a migration costs beyond a "
        "preemption, on an AURIX TC397XE and three x86 machines (M1: Core i7-2600, M2: 4 Opteron "
        "6180, M3: 4 Xeon E7-4830). Here the same is measured on sim:tc397, sim:i7-2600, "
        "sim:opteron-6180 and sim:xeon-e7-4830. The paper's figures are drawings without numbers: "
        "its value is what its text says, and whether ours is so; where the labels of an axis are "
        "known, its value is the middle of that axis."
    ),
    missing=(
        "Figures 6 and 7 are of programs of TACLeBench, which laxity does not bring along: they "
        "are made only where a checkout is named, --suite DIR; docs/working-set.md has what came "
        "out. What is live in them is not laid beside what the simulator moves: that is done with "
        "programs of ours, below."
    ),
    exhibits=(FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_7, *MIGRATION, LIVE),
    read=Found,
    suite="TACLeBench",
)
