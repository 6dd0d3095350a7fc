# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The version stands in four files."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def find_version(name: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert found is not None, name
    return found[1]


def test_all_files_agree_on_the_version() -> None:
    package = find_version("python/laxity/__init__.py", r'^__version__ = "(.+)"')
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert find_version("meson.build", r"^  version: '(.+?)'") == package
    assert project["version"] == package
    assert find_version("CITATION.cff", r"^version: (.+)") == package
