# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The answer of `laxity bound` as sections: those of its report, and what a terminal gets."""

from laxity.bounds import costs_section, section, wcet_section
from laxity.bounds.document import Answer
from laxity.page.blocks import Block, Paragraph

# In reading order; the first is always there.
BUILDERS = (
    section.build,
    section.build_parts,
    section.build_sensitivity,
    wcet_section.build,
    costs_section.build,
)


def blocks_of(answer: Answer) -> list[Block]:
    """Return what an answer that is not stored says: the verdict, then why."""
    built = (build(answer, "bound") for build in BUILDERS)
    found = [block for one in built if one is not None for block in one.blocks]
    return [*(Paragraph(line) for line in section.sentences(answer)), *found]
