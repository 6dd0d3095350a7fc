# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The kind of job that a run stops on: `miss`, or `response>TIME`."""

import re
from collections.abc import Iterable

import msgspec

from laxity.core.units import exact_duration, parse_duration_ns
from laxity.errors import ConfigError, located

_MISS = "miss"
_RESPONSE = re.compile(r"response\s*>\s*(\S+)")
# How much of the scheduling trace before the end of that job is kept.
STOP_WINDOW_NS = 100_000_000


class StopOn(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A deadline miss (`response_ns` None), or a response time above `response_ns`."""

    response_ns: int | None = None


def parse_stop_on(value: object, deadlines_ns: Iterable[int | None]) -> StopOn | None:
    """Read `stop_on` of `[run]`.

    Args:
        value: What the user wrote; None: nothing.
        deadlines_ns: Deadlines of the tasks, None for a task without one.

    Raises:
        ConfigError: It is neither form, or no task can miss a deadline.
    """
    if value is None:
        return None
    if value == _MISS:
        if all(deadline_ns is None for deadline_ns in deadlines_ns):
            msg = "stop_on miss: no task has a deadline; set one or write response>5ms"
            raise ConfigError(msg)
        return StopOn()
    match = _RESPONSE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        msg = f'stop_on "{value}" is unknown; write miss or, with a time of yours, response>5ms'
        raise ConfigError(msg)
    with located("stop_on response"):
        return StopOn(response_ns=parse_duration_ns(match[1]))


def stop_on_text(stop_on: StopOn) -> str:
    """Write it so that `parse_stop_on` gives the same."""
    if stop_on.response_ns is None:
        return _MISS
    return f"response>{exact_duration(stop_on.response_ns)}"
