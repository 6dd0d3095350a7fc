# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a task's memory came to in one run, in words that terminal and report share."""

from laxity.core.units import format_size_bytes
from laxity.store.manifest import MemoryNeed

_LIMITS = {None: "", False: "; its limit was kept", True: "; its limit was crossed"}


def need_words(need: MemoryNeed) -> str:
    """Say what was needed at once, the harness's share included."""
    told = {
        "requested": need.requested.peak_bytes,
        "mapped": need.mapped.peak_bytes,
        "touched": need.touched.peak_bytes,
    }
    sizes = ", ".join(f"{name} {format_size_bytes(value)}" for name, value in told.items())
    return sizes + _LIMITS[need.limit_is_crossed]
