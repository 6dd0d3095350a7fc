# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Waiting for what another process does."""

import time
from collections.abc import Callable

from tests.cli.laxity_command import PATIENCE_S


def wait_until(condition: Callable[[], bool], what: str, limit_s: float = PATIENCE_S) -> None:
    """Look until it holds; a test fails that waits too long."""
    end_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end_s, f"never came: {what}"
        time.sleep(0.01)
