# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was found of the threads of an observed program, in words that summary and report share."""

from collections.abc import Iterator

from laxity.core.units import format_duration_ns
from laxity.store.observation import WITH_WAKE_UPS, Observation, ObservedThread

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_MOST_DECIMALS = 9


def thread_lines(observation: Observation | None) -> Iterator[str]:
    """Write a line per thread that made jobs, and one for the others."""
    if observation is None:
        return
    for one in observation.threads:
        if one.task is not None:
            yield f"{one.comm} ({one.tid}): {'; '.join(facts_of(one, observation))}"
    n_idle = sum(one.task is None for one in observation.threads)
    if n_idle:
        were = "thread was" if n_idle == 1 else "threads were"
        yield f"{n_idle} more {were} not seen from a wake-up until it blocked"
    n_without = sum(one.task is not None and one.period_ns is None for one in observation.threads)
    if n_without and observation.has_wake_ups is False:
        have = "thread has" if n_without == 1 else "threads have"
        yield f"{n_without} {have} no period that starts alone would show; {WITH_WAKE_UPS}"


def facts_of(thread: ObservedThread, observation: Observation) -> Iterator[str]:
    """Say what is known of a thread: its period with its confidence, and what was left out."""
    yield rhythm_of(thread, observation)
    if thread.period_ns is not None and thread.rhythm == "periodic":
        yield f"releases are modelled: {release_source(observation)}"
    if thread.n_without_job:
        yield f"{thread.n_without_job} releases without a job of their own"
    if thread.n_cut:
        yield f"{thread.n_cut} jobs cut off by begin or end left out"
    if thread.n_lost:
        yield f"{thread.n_lost} jobs left out: records were lost there"
    if thread.n_contradictory:
        yield f"{thread.n_contradictory} jobs left out: the trace lacks a switch of theirs"


def rhythm_of(thread: ObservedThread, observation: Observation) -> str:
    """Write the verdict with period, confidence, sample count and kind."""
    arrivals = "wake-ups" if observation.has_wake_ups else "prompt starts"
    seen = f"n = {thread.n_used} of {thread.n_arrivals} {arrivals}"
    if thread.period_ns is None or thread.period_half_width_ns is None:
        return f"{thread.rhythm} (n = {thread.n_arrivals} {arrivals})"
    period = with_half_width(thread.period_ns, thread.period_half_width_ns)
    if thread.rhythm != "periodic":
        return f"{thread.rhythm}: {period} apart on average (95 %, {seen}), no fixed releases"
    return f"{thread.rhythm}: period {period} (95 %, {seen})"


def release_source(observation: Observation) -> str:
    """Say what releases of periodic threads were taken from."""
    if observation.has_wake_ups:
        return "as early as the wake-ups allow"
    return "as early as the starts allow (this trace has no wake-ups)"


def with_half_width(value_ns: float, half_width_ns: float) -> str:
    """Write an estimate so that its last digit is worth a tenth of its uncertainty."""
    scale, unit = next((one for one in _UNITS if value_ns >= one[0]), _UNITS[-1])
    step = max(half_width_ns, 1e-3) / 10 / scale
    decimals = 0
    while decimals < _MOST_DECIMALS and 10.0**-decimals > step:
        decimals += 1
    half = format_duration_ns(max(1, round(half_width_ns)))
    at_most = "" if half_width_ns >= 1 else "under "
    return f"{value_ns / scale:.{decimals}f} {unit} ± {at_most}{half}"
