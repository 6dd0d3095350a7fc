# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""docs/bibliography.md has what the docstrings name as their sources."""

import ast
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "bibliography.py"))


def test_page_is_as_the_docstrings_have_it():
    assert (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8") == TOOL["page"]()


def test_a_source_is_taken_with_its_lines_and_one_that_leads_elsewhere_is_not():
    text = '''
def one():
    """Do it.

    Source:
        Joseph and Pandya, a | b,
        1986.
    """

def other():
    """Do it.

    Source:
        See the head of this file.
    """
'''
    assert list(TOOL["sources"](ast.parse(text))) == [("one", "Joseph and Pandya, a / b, 1986.")]


def test_index_of_the_site_has_every_document():
    docs = ROOT / "docs"
    listed = (docs / "index.md").read_text(encoding="utf-8").split()
    pages = {str(one.relative_to(docs).with_suffix("")) for one in docs.rglob("*.md")}
    inside = {one for one in pages if one.startswith("architecture/")}
    assert pages - inside - {"index"} <= set(listed)
