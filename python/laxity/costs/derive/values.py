# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The values of a platform file that follow from access times, each with where it is from.

The model knows no time of a hit in the first level but that of the instruction, so that only what
further levels take beyond the one before is a value. What a curve does not show stays assumed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from textwrap import wrap
from typing import Any

from laxity.core.schema import platform_keys, platform_limit
from laxity.core.units import exact_size, format_duration_ns
from laxity.core.wording import visible
from laxity.costs.derive.data import Seen
from laxity.costs.memory_latency.cache_levels import Claim, Level
from laxity.errors import ConfigError
from laxity.platform.machine import Cache, caches_of
from laxity.platform.platform_file import PlatformModel, parse_platform
from laxity.platform.platform_text import write_document

# What kernels call processors that programs are cross-built for.
_ARCHITECTURES = {"armv7l": "armhf", "armv8l": "armhf", "ppc": "powerpc"}
_MOST_CORES = 64
_PS_PER_S = 10**12
_PS_PER_NS = 1000
_STREAM_BYTES = 64
# Assumed where nothing says it: a cycle is then a nanosecond.
_ASSUMED_HZ = 10**9
_ASSUMED_WAYS = 8
_ASSUMED_SWITCH_NS = 2000
_ASSUMED_ROW = "4KiB"
# Of what a line takes, for its transfer, where no stream was measured.
_ASSUMED_TRANSFER = 4
_LONGEST_SOURCE = 200
# Pages that lie anywhere make a cache seem full before it is. Chains through simulated caches of
# 512 KiB in 8 ways and of 2 MiB in 16 are so much slower from 3/4 on; at most it is half.
_FULL_SHARE = 0.75
_COLLIDING = 2
# Of a comment in the file.
_WIDTH = 118

_Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Derived:
    """A platform file.

    Attributes:
        model: As it is read.
        left_out: What was seen or claimed and is not in it, and why.
    """

    model: PlatformModel
    left_out: tuple[str, ...]

    @property
    def assumed(self) -> dict[str, list[str]]:
        """Keys without a source, by their tables."""
        keys: dict[str, list[str]] = {}
        for value in self.model.shown():
            if value.origin in ("assumed", "default"):
                table, _, key = value.place.rpartition(".")
                keys.setdefault(table, []).append(key)
        return keys


@dataclass(frozen=True, slots=True)
class _Found:
    """A level that is in the file: `l1d`, `L2`."""

    name: str
    level: Level
    claim: Claim | None
    cache: Cache | None


def derive_platform(seen: Seen) -> Derived:
    """Derive a platform file.

    Raises:
        ConfigError: There are no programs for the machine's architecture.
    """
    found, left_out = _found(seen)
    hz, clock = _clock(seen)
    cores, sharing = _cores(seen, found)
    document: _Table = {
        "schema": 1,
        "title": f"{visible(seen.machine.stable.model or 'a machine')}, as {seen.run} saw it"[:100],
        "architecture": _architecture(seen),
        "line": _line(seen),
        "core": {"count": cores, "clock": clock, "switch_cycles": _switch(seen, hz)},
    }
    document |= _first_levels(seen, found)
    document["level"] = [
        _size(seen, one) | sharing(one) | {"hit_cycles": _hit(seen, found, one, hz)}
        for one in found
        if one.name != "l1d"
    ]
    # Of the memory's own clock nothing is known: its cycles are counted as the core's.
    plain = clock["value"] if isinstance(clock, dict) else clock
    document["memory"] = {"clock": plain} | _memory(seen, found, hz)
    if seen.has_colours:
        document["memory"]["placement"] = "random"
    text = write_document(document)
    model = parse_platform(text.encode(), seen.run)
    derived = Derived(model, tuple(left_out))
    comment = "".join(
        f"# {part}\n" for line in _comment(seen, derived) for part in wrap(line, _WIDTH)
    )
    return Derived(parse_platform(f"{comment}{text}".encode(), seen.run), derived.left_out)


def _comment(seen: Seen, derived: Derived) -> Iterator[str]:
    name = visible(seen.run)
    yield f"Derived from {name}, what laxity measure memory-latency saw of CPU {seen.cpu}."
    yield "A value without a source is assumed: no curve of access times shows it."
    yield from (f"Left out: {line}." for line in derived.left_out)
    for table, keys in derived.assumed.items():
        yield f"Assumed: {table}: {' '.join(keys)}."


def _found(seen: Seen) -> tuple[list[_Found], list[str]]:
    """Put detected levels and what the system tells of together; second, what is left out.

    Every level of the curve is one of the file, whether the system tells of it or not, so that the
    simulated curve has it.
    """
    caches = {
        (one.level, one.size_bytes): one
        for one in caches_of(seen.machine, seen.cpu)
        if one.kind.lower() != "instruction"
    }
    # What is behind the last cache is the memory.
    levels = [one for one in seen.hierarchy.levels if one.fits_bytes is not None]
    claims, left_out = _claims(seen, levels)
    found: list[_Found] = []
    number = 0
    for at, level in enumerate(levels):
        claim = claims.get(at)
        number = max(number + 1, claim.level if claim else 0)
        name = "l1d" if number == 1 else f"L{number}"
        if len(found) > platform_limit("levels_max"):
            left_out.append(
                f"accesses of {_time(level.latency_ps)} in arrays up to "
                f"{exact_size(level.fits_bytes or 0)}: there are no more levels in a platform"
            )
            continue
        cache = caches.get((claim.level, claim.size_bytes)) if claim else None
        found.append(_Found(name, level, claim, cache))
    return found, left_out


def _claims(seen: Seen, levels: Sequence[Level]) -> tuple[dict[int, Claim], list[str]]:
    """Return the caches that levels are, by the levels' places, and which caches none is."""
    found = {}
    left_out = []
    matched = [judged.comparison.found for judged in seen.hierarchy.claims]
    for at, judged in enumerate(seen.hierarchy.claims):
        claim = judged.comparison.claim
        # A level of another size, where the order leaves no other cache that it could be: what
        # this CPU gets of one that others use, too.
        between = _between(levels, matched[:at], matched[at + 1 :])
        level = matched[at] = matched[at] or next(iter(between), None)
        if level is not None:
            found[levels.index(level)] = claim
            continue
        name = "l1d" if claim.level == 1 else f"L{claim.level}"
        why = f" ({judged.causes[0]})" if judged.causes else ""
        left_out.append(f"{name} of {exact_size(claim.size_bytes)}: not told apart{why}")
    return found, left_out


def _between(
    levels: Sequence[Level], inner: Sequence[Level | None], outer: Sequence[Level | None]
) -> Sequence[Level]:
    """Return the levels behind the last one of those inside, and before those outside."""
    first = max((levels.index(one) + 1 for one in inner if one is not None), default=0)
    end = min((levels.index(one) for one in outer if one is not None), default=len(levels))
    return levels[first:end]


def _architecture(seen: Seen) -> str:
    name = seen.machine.stable.architecture or "not known"
    known = next(key for key in platform_keys("") if key.name == "architecture").words
    found = _ARCHITECTURES.get(name, name)
    if found not in known:
        msg = (
            f"run {seen.run}: its machine is {name}, and no programs are built for it; only "
            f"{' '.join(known)} can be simulated"
        )
        raise ConfigError(msg)
    return found


def _sourced(value: object, source: str) -> _Table:
    return {"value": value, "source": source[:_LONGEST_SOURCE]}


def _told(seen: Seen, value: object) -> _Table:
    """Give a value that the system tells."""
    return _sourced(value, f"{seen.run}: machine.json")


def _measured(seen: Seen, value: object, what: str, n: int) -> _Table:
    return _sourced(value, f"{seen.kind}: {seen.run}, median of n = {n}: {what}")


def _time(ps: int) -> str:
    return format_duration_ns(ps / _PS_PER_NS)


def _line(seen: Seen) -> _Table | str:
    told = any(one.line_bytes == seen.line_bytes for one in caches_of(seen.machine, seen.cpu))
    line = exact_size(seen.line_bytes)
    return _told(seen, line) if told else line


def _clock(seen: Seen) -> tuple[Fraction, _Table | str]:
    """Return the clock in Hz, and as it is written: in whole kHz."""
    cpu = next((one for one in seen.machine.stable.cpus if one.cpu == seen.cpu), None)
    hz = cpu.max_frequency_hz if cpu is not None else None
    hz = hz or seen.machine.state.frequencies_hz.get(f"cpu{seen.cpu}")
    khz = round((hz or _ASSUMED_HZ) / 1000)
    text = f"{khz // 1000}MHz" if khz % 1000 == 0 else f"{khz}kHz"
    return Fraction(khz * 1000), _told(seen, text) if hz else text


def _cores(seen: Seen, found: Sequence[_Found]) -> tuple[_Table | int, Any]:
    """Count the cores, and say of a level who shares it.

    Where groups that share a cache are not all alike, there are as many cores as share the last.
    """
    # A core is those CPUs that share it: its number may be one of each cluster.
    core_of = {
        one.cpu: one.siblings or (one.cpu,) for one in seen.machine.stable.cpus if one.is_online
    }

    def count(cpus: Iterable[int]) -> int:
        return max(1, len({core_of[cpu] for cpu in cpus if cpu in core_of}))

    cores = min(count(core_of), _MOST_CORES)
    for one in reversed(found):
        if one.cache is not None and cores % count(one.cache.cpus):
            cores = count(one.cache.cpus)

    def sharing(one: _Found) -> _Table:
        if one.cache is None:
            return {}
        shared = count(one.cache.cpus)
        return {"shared_by": _told(seen, "all" if shared >= cores else shared)}

    return (_told(seen, cores) if core_of else cores), sharing


def _first_levels(seen: Seen, found: Sequence[_Found]) -> _Table:
    tables = {}
    for cache in caches_of(seen.machine, seen.cpu):
        if (cache.level, cache.kind.lower()) == (1, "instruction") and cache.size_bytes:
            size = exact_size(_fitting(seen, cache, cache.size_bytes))
            tables["l1i"] = {"size": _told(seen, size), "ways": _ways(seen, cache)}
    for one in found:
        if one.name == "l1d":
            tables["l1d"] = {key: value for key, value in _size(seen, one).items() if key != "name"}
    return tables


def _fitting(seen: Seen, cache: Cache | None, size_bytes: int) -> int:
    """Return the largest size up to a number of bytes whose sets are a power of two."""
    ways = cache.ways if cache is not None and cache.ways else _ASSUMED_WAYS
    set_bytes = ways * seen.line_bytes
    sets = max(size_bytes // set_bytes, 1)
    return set_bytes << (sets.bit_length() - 1)


def _size(seen: Seen, one: _Found) -> _Table:
    fits, full = one.level.fits_bytes or 0, one.level.full_bytes
    within = _fitting(seen, one.cache, full - 1) if full is not None else 0
    if full is not None and seen.has_colours:
        within = _fitting(seen, one.cache, int(full / _FULL_SHARE))
    size = within if within >= fits else _fitting(seen, one.cache, fits)
    edge = f"{exact_size(fits)} fit" + ("" if full is None else f", {exact_size(full)} do not")
    if one.claim is not None:
        edge += f"; the system says {exact_size(one.claim.size_bytes)}"
        reach = _COLLIDING * full if full is not None and seen.has_colours else full
        if fits <= one.claim.size_bytes and (reach is None or one.claim.size_bytes <= reach):
            size = _fitting(seen, one.cache, one.claim.size_bytes)
    elif seen.hierarchy.claims:
        edge += "; the system tells of no such cache"
    source = f"{seen.kind}: {seen.run}, {edge}"
    return {
        "name": one.name,
        "size": _sourced(exact_size(size), source),
        "ways": _ways(seen, one.cache),
    }


def _ways(seen: Seen, cache: Cache | None) -> _Table | int:
    if cache is None or not cache.ways:
        return _ASSUMED_WAYS
    return _told(seen, cache.ways)


def _cycles(ps: int, hz: Fraction) -> int:
    return round(ps * hz / _PS_PER_S)


def _hit(seen: Seen, found: Sequence[_Found], one: _Found, hz: Fraction) -> _Table:
    at = found.index(one)
    before = found[at - 1].level.latency_ps if at else 0
    cycles = max(1, _cycles(one.level.latency_ps, hz) - _cycles(before, hz))
    what = f"{_time(one.level.latency_ps)}" + (f" - {_time(before)}" if at else "")
    return _measured(seen, cycles, what, one.level.n)


def _memory(seen: Seen, found: Sequence[_Found], hz: Fraction) -> _Table:
    """Share what a line takes behind the last level among the parts of its way.

    Rows are not told apart: every one takes the same, and that is in the way.
    """
    last = seen.hierarchy.levels[-1]
    latency_ps, n = last.latency_ps, last.n
    if last.fits_bytes is not None:
        # The curve still rises where it ends.
        largest = seen.hierarchy.chase[-1]
        latency_ps, n = largest.median_ps, largest.n
    before_ps = found[-1].level.latency_ps if found else 0
    cycles = max(2, _cycles(latency_ps, hz) - _cycles(before_ps, hz))
    line: _Table | int = max(1, cycles // _ASSUMED_TRANSFER)
    if seen.stream is not None:
        stream_ps = seen.stream.median_ps
        taken = _cycles(stream_ps * seen.line_bytes // _STREAM_BYTES, hz)
        line = _measured(
            seen,
            min(max(1, taken), cycles - 1),
            f"{_STREAM_BYTES} bytes of stream read in {_time(stream_ps)}, by one core",
            seen.stream.n,
        )
    transfer = line["value"] if isinstance(line, dict) else line
    request = max(1, (cycles - transfer) // 2)
    what = f"{_time(latency_ps)} - {_time(before_ps)}, less the transfer; half of it, a guess"
    return {
        "row": _ASSUMED_ROW,
        "request_cycles": _measured(seen, request, what, n),
        "response_cycles": _measured(seen, cycles - transfer - request, what, n),
        "hit_cycles": 0,
        "empty_cycles": 0,
        "conflict_cycles": 0,
        "line_cycles": line,
    }


def _switch(seen: Seen, hz: Fraction) -> _Table | int:
    if seen.switch is None:
        return round(_ASSUMED_SWITCH_NS * hz / 10**9)
    cycles = max(1, round(seen.switch.median_ns * hz / 10**9))
    what = f"delta where nothing is evicted, {format_duration_ns(seen.switch.median_ns)}"
    source = f"{seen.kind}: {' '.join(seen.switch.runs)}, median of n = {seen.switch.n}: {what}"
    return _sourced(cycles, source)
