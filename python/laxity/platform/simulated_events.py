# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a simulated platform counts in each job, by the names that a machine's events have."""

from collections.abc import Iterator, Sequence

from laxity.core.spec import SIMULATED
from laxity.errors import ConfigError
from laxity.platform.platform_file import PlatformModel

_FIRST_LEVELS = ("l1i", "l1d")


def check_events(model: PlatformModel, asked: Sequence[str]) -> None:
    """Check that a platform counts events, all of them at once.

    Raises:
        ConfigError: It does not.
    """
    reasons = {name: reason for name, _, reason in events_of(model)}
    for name in asked:
        reason = reasons.get(name, "the model has no counterpart")
        if reason:
            msg = (
                f'events: "{name}": {reason}; leave it out '
                f"(laxity list events {SIMULATED}{model.name})"
            )
            raise ConfigError(msg)
    registers = model.values["counters.registers"]
    if len(asked) > model.number(registers.place):
        msg = (
            f"events: {len(asked)} of them, and {SIMULATED}{model.name} counts {registers.text} at "
            "once (counters.registers); use several runs: they differ in nothing else"
        )
        raise ConfigError(msg)


def events_of(model: PlatformModel) -> Iterator[tuple[str, str, str]]:
    """List the events of the model: name, meaning, why the platform does not count it or empty."""
    counted = model.values["counters.events"]
    names = counted.text.split()
    for name, meaning in counted.key.words.items():
        reason = _reason(model, name)
        if not reason and counted.number and name not in names:
            reason = "is not among the platform's counters.events"
        yield name, meaning, reason


def _reason(model: PlatformModel, name: str) -> str:
    """Tell why there is nothing to count; empty: there is."""
    cache = name.partition("_")[0]
    is_missing = cache in _FIRST_LEVELS and not model.has_cache(cache)
    is_missing |= cache in ("l2", "llc") and not any(map(model.has_cache, model.levels))
    return "the platform has no such cache" if is_missing else ""
