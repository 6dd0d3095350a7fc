# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Fixtures of the whole-command tests."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.laxity_command import Laxity, make_laxity


@pytest.fixture
def laxity(tmp_path: Path) -> Laxity:
    """`laxity` in an empty directory."""
    return make_laxity(tmp_path)


@pytest.fixture
def open_path() -> Iterator[Path]:
    """An empty directory that other users may enter.

    That of tmp_path is closed to them again by every pytest that starts on this machine.
    """
    with tempfile.TemporaryDirectory(prefix="laxity-test-") as directory:
        path = Path(directory)
        path.chmod(0o755)
        yield path
