# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was sampled by interrupts, and what that took, in words that summary and report share."""

from collections.abc import Iterator

from laxity.core.units import format_duration_ns
from laxity.store.manifest import Event, Interrupts, Manifest, SampleCost, Sampling
from laxity.trace.sampling_cost import is_told_from_noise

_LOST = "figures over them have no verdict"


def sampling_lines(manifest: Manifest) -> Iterator[str]:
    """Say what interrupts read, how often, what is missing, and how much of a CPU they took."""
    sampling = manifest.sampling
    if sampling is None or sampling.interrupts is None:
        return
    one = sampling.interrupts
    counted = [event.name for event in manifest.events if event.platform_event is not None]
    yield (
        f"counted on {_count(len(one.cpus), 'CPU')}, whatever ran there: {', '.join(counted)}; "
        f"read {when_sampled(sampling, manifest.events)}: {_count(sampling.samples, 'sample')}"
    )
    yield from missing_lines(sampling)
    if any(cpu.groups > 1 for cpu in one.cpus):
        yield "counters took turns: what they counted is an estimate (scale_ratio in counters.npy)"
    if one.cost is not None:
        yield f"{cost_words(one.cost)}{_share_words(manifest, one)}"


def when_sampled(sampling: Sampling, events: list[Event]) -> str:
    """Say what made the interrupts."""
    if sampling.bucket_ns is not None:
        return f"every {format_duration_ns(sampling.bucket_ns)} by a timer's interrupt"
    count = None if sampling.interrupts is None else sampling.interrupts.every_count
    return f"by an interrupt whenever {events[0].name} came {count} times on a CPU"


def missing_lines(sampling: Sampling) -> Iterator[str]:
    """Say which samples there should be and are not."""
    if sampling.interrupts is None:
        return
    one = sampling.interrupts
    missing = sum(cpu.missing for cpu in one.cpus)
    throttled = sum(cpu.throttled for cpu in one.cpus)
    if sampling.lost:
        yield f"{_count(sampling.lost, 'sample')} found no room; {_LOST}"
    if one.lost_rows:
        yield f"{_count(one.lost_rows, 'row')} of samples could not be written; {_LOST}"
    if throttled:
        yield f"the kernel held counting back {_count(throttled, 'time')}; {_LOST}"
    if missing:
        went_on = "" if throttled else "; counts went on"
        yield f"{_count(missing, 'sample')} that the timer owed did not come{went_on}"


def why_samples_have_no_verdict(sampling: Sampling | None) -> str:
    """Say why figures of what interrupts have sampled have no verdict; "": they have one."""
    if sampling is None or sampling.interrupts is None:
        return ""
    one = sampling.interrupts
    n_throttled = sum(cpu.throttled for cpu in one.cpus)
    if sampling.lost or one.lost_rows:
        return f"{sampling.lost} samples of counters and {one.lost_rows} rows of theirs were lost"
    if n_throttled:
        times = _count(n_throttled, "time")
        return f"the kernel held counting back {times}; sample less often"
    return ""


def cost_words(cost: SampleCost) -> str:
    """Say how long a sample takes, with its interval."""
    if cost.ns is None or cost.low_ns is None or cost.high_ns is None:
        return f"what a sample takes was not measured: only {_count(cost.n, 'pair')} undisturbed"
    low, high = (format_duration_ns(round(value)) for value in (cost.low_ns, cost.high_ns))
    seen = f"95 % interval {low} to {high}, n = {cost.n} pairs of a loop without and with samples"
    if not is_told_from_noise(cost):
        return f"what a sample takes is not told from noise ({seen})"
    return f"a sample takes {format_duration_ns(round(cost.ns))} ({seen})"


def _share_words(manifest: Manifest, one: Interrupts) -> str:
    clock, cost = manifest.clock, one.cost
    if cost is None or cost.ns is None or not is_told_from_noise(cost) or not one.cpus:
        return ""
    if one.every_count is not None:
        return ", by a timer; an event's own interrupt may take more or less"
    if clock is None or clock.t0_ns is None or clock.end_ns is None:
        return ""
    duration_ns = clock.end_ns - clock.t0_ns
    if duration_ns <= 0:
        return ""
    most = max(cpu.samples for cpu in one.cpus)
    return f": {100 * most * cost.ns / duration_ns:.2g} % of a CPU, caches not counted"


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
