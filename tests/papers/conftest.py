# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Fixtures of the tests of papers."""

from pathlib import Path

import pytest
from tests.cli.laxity_command import Laxity, make_laxity


@pytest.fixture
def laxity(tmp_path: Path) -> Laxity:
    """`laxity` in an empty directory."""
    return make_laxity(tmp_path)
