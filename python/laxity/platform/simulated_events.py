# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a simulated platform counts in each job, by the names that a machine's events have."""

from collections.abc import Iterator, Sequence

from laxity.core.spec import SIMULATED, CountedBy
from laxity.errors import ConfigError
from laxity.platform.platform_checks import domains_of
from laxity.platform.platform_file import PlatformModel

_FIRST_LEVELS = ("l1i", "l1d")
_TLBS = ("itlb", "dtlb")
_NOT_COUNTED = "is not among the platform's counters.events"


def check_events(model: PlatformModel, asked: Sequence[str], counters: CountedBy) -> None:
    """Check that a platform counts events, all of them at once, or that its model does.

    Raises:
        ConfigError: It does not.
    """
    known = model.values["counters.events"].key.words
    for name in asked:
        reason = _reason(model, name) if name in known else "the model has no counterpart"
        if reason:
            msg = (
                f'events: "{name}": {reason}; leave it out '
                f"(laxity list events {SIMULATED}{model.name})"
            )
            raise ConfigError(msg)
    beyond = list(beyond_platform(model, asked))
    if beyond and counters is CountedBy.PLATFORM:
        msg = (
            f"events: {beyond[0]}; leave some out, use several runs, which differ in nothing else, "
            "or count by the model (--counters model)"
        )
        raise ConfigError(msg)


def beyond_platform(model: PlatformModel, asked: Sequence[str]) -> Iterator[str]:
    """Tell of which events the model alone knows, not the processor of the platform."""
    for name in asked:
        if not _is_counted(model, name):
            yield f'"{name}": {_NOT_COUNTED}'
    registers = model.values["counters.registers"]
    if len(asked) > model.number(registers.place):
        yield (
            f"{len(asked)} of them, and {SIMULATED}{model.name} counts {registers.text} at once "
            "(counters.registers)"
        )


def events_of(model: PlatformModel) -> Iterator[tuple[str, str, str]]:
    """List the events of the model: name, meaning, why the platform does not count it or empty."""
    for name, meaning in model.values["counters.events"].key.words.items():
        reason = _reason(model, name)
        if not reason and not _is_counted(model, name):
            reason = _NOT_COUNTED
        yield name, meaning, reason


def countable(model: PlatformModel, wanted: Sequence[str], counters: CountedBy) -> tuple[str, ...]:
    """Choose of events those that a platform counts, the first of them, as many as it can."""
    found = [name for name in wanted if not _reason(model, name)]
    if counters is CountedBy.PLATFORM:
        found = [name for name in found if _is_counted(model, name)]
        found = found[: model.number("counters.registers")]
    return tuple(found)


def modelled_events(model: PlatformModel) -> list[str]:
    """Name the events that a platform has, whether or not its processor counts them."""
    known = model.values["counters.events"].key.words
    return [name for name in known if not _reason(model, name)]


def _is_counted(model: PlatformModel, name: str) -> bool:
    """Tell whether the processor counts an event of the model."""
    counted = model.values["counters.events"]
    if counted.number:
        return name in counted.text.split()
    # No processor knows who has evicted a line, or left it elsewhere.
    return not (name.startswith("moved_") or name.endswith("_extrinsic"))


def _reason(model: PlatformModel, name: str) -> str:
    """Tell why there is nothing to count; empty: there is."""
    part = name.partition("_")[0]
    if part in _TLBS and not model.has_tlb(part):
        return "the platform has no such TLB"
    if part == "uncached" and not model.regions:
        return "the platform has no such region"
    if part == "remote" and len(domains_of(model.values)) == 1:
        return "the platform has one domain"
    if part == "branch" and not model.number("core.predictor_entries"):
        return "the platform predicts no branches"
    is_missing = part in _FIRST_LEVELS and not model.has_cache(part)
    is_missing |= part in ("l2", "llc") and not any(map(model.has_cache, model.levels))
    return "the platform has no such cache" if is_missing else ""
