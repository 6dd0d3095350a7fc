# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The pages of papers in the documentation."""

from tests.cli.laxity_command import ROOT

FOLDER = ROOT / "docs" / "papers"


def sections_of(page: str) -> dict[str, str]:
    """Part a page by the titles of its sections."""
    return {part.partition("\n")[0]: part.rstrip() for part in page.split("\n## ")[1:]}


def cells_of(line: str) -> list[str]:
    """Part a line of a table; spaces that do not break are spaces."""
    line = line.replace("\N{NO-BREAK SPACE}", " ")
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]
