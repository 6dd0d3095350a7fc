# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The checks of `laxity doctor`, one small function each, by theme.

A check reads facts and returns a finding; it changes nothing. `base.check` makes it a row of
the table; `CHECKS` is the table, in the order in which it is shown.
"""

from types import ModuleType

from laxity.platform.doctor_checks import isolation, memory, observation, processor, scheduling
from laxity.platform.doctor_checks.base import CheckEntry


def _entries(module: ModuleType) -> tuple[CheckEntry, ...]:
    """List the checks of one module in the order of their definitions."""
    return tuple(value for value in vars(module).values() if isinstance(value, CheckEntry))


CHECKS: tuple[CheckEntry, ...] = (
    *_entries(scheduling),
    *_entries(isolation),
    *_entries(processor),
    *_entries(memory),
    *_entries(observation),
)
