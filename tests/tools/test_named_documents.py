# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What messages, comments and documents send a reader to is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".py", ".c", ".h", ".cpp", ".hpp", ".toml", ".json", ".md"}
FOLDERS = (
    "python",
    "native",
    "include",
    "sim",
    "workingset",
    "workloads",
    "schema",
    "docs",
    "bench",
)
NAMED = re.compile(r"\bdocs/[\w/-]+\.(?:md|toml|svg|png)\b")


def test_every_document_that_is_named_exists():
    files = [
        *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")),
        *ROOT.glob("*.md"),
    ]
    named = {
        name
        for path in files
        if path.suffix in SUFFIXES and path.is_file()
        for name in NAMED.findall(path.read_text())
    }
    assert len(named) > 20
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
