# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Print docs/bibliography.md: what the docstrings of the code name as their source."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "laxity"
_SOURCE = re.compile(r"\nSources?:\n((?:[ ]+\S.*\n?)+)")
_HEAD = """# Sources

The papers that laxity implements as one system: F. Sebek, *The real cost of task pre-emptions*,
Mälardalen University, 2002 ([reproduced](papers/sebek.md)); Raffeck et al. on the overheads of
migrations, OSPERT 2022 ([reproduced](papers/raffeck.md)); RT-Bench, RTNS 2022
([reproduced](papers/rt-bench.md)); Blin et al. on memory contention, 2016
([reproduced](papers/blin.md), on simulated platforms).

Below is what each function of the code names as its source, by the part that uses it: made from the
docstrings by `tools/bibliography.py`.
"""


def sources(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """List what a module names as sources: the name of what does, and the text."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(tree):
        found = _SOURCE.search(f"{ast.get_docstring(node)}\n") if isinstance(node, kinds) else None
        if found:
            text = " ".join(found[1].split()).replace("|", "/")
            # One that leads to another docstring names nothing itself.
            if not text.startswith("See "):
                yield getattr(node, "name", ""), text


def page() -> str:
    """Write the page."""
    lines = [_HEAD]
    for room in sorted(one for one in PACKAGE.iterdir() if one.is_dir()):
        rows = [
            f"| {text} | `{': '.join(filter(None, (str(path.relative_to(PACKAGE)), name)))}` |"
            for path in sorted(room.rglob("*.py"))
            for name, text in sources(ast.parse(path.read_text(encoding="utf-8")))
        ]
        if rows:
            lines += [f"## {room.name}\n", "| source | where |", "|---|---|", *rows, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())
