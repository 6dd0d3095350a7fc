# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the values of a platform file must be to each other, and what laxity-sim is told of them."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, gcd, isqrt, lcm
from typing import Any

from laxity.core.memory_place import read_memory_places
from laxity.core.schema import platform_limit
from laxity.core.units import exact_size
from laxity.errors import ConfigError, located, suggestion
from laxity.platform.platform_values import Value

NO_SCHEDULING = "none"
# Of a region: it has memory of its own.
NO_REGION = "none"
# The table of the main memory.
MAIN = "memory"
_WAY_TO = "way_to"
# What a region says that is another way to memory.
_OF_WAYS = ("name", "cached", _WAY_TO)
_COLOURED = "coloured"
_TREE = "plru"
# More than any processor that LLVM 19 has tables of issues in order.
_MOST_ISSUED = 8
_FIRST_LEVELS = ("l1i", "l1d")
_TLBS = ("itlb", "dtlb")
_PAGE_BYTES = 4096
# The model notes written bytes in a word of 64 bits.
_LONGEST_MERGED_BYTES = 64
_LATENCIES = ("memory.hit_cycles", "memory.empty_cycles", "memory.conflict_cycles")

Values = dict[str, Value]


def ticks_per_s(values: Values) -> Fraction:
    """Return the smallest frequency of which each clock is a whole part.

    Instructions that are issued in one cycle are ticks apart: where LLVM knows how many, a multiple
    of it, so that it does not depend on what clocks have in common.
    """
    clocks = [one.number for one in values.values() if isinstance(one.number, Fraction)]
    smallest = Fraction(
        lcm(*(one.numerator for one in clocks)), gcd(*(one.denominator for one in clocks))
    )
    if values["core.scheduling"].text == NO_SCHEDULING:
        return smallest
    return smallest * ceil(_MOST_ISSUED / (smallest / _hz(values, "core")))


def check_platform(values: Values, levels: tuple[str, ...], regions: tuple[str, ...]) -> None:
    """Check what no value can be checked for alone.

    Raises:
        ConfigError: They do not fit together.
    """
    ticks, most = ticks_per_s(values), platform_limit("ticks_per_s_max")
    if ticks.numerator > most:
        msg = (
            f"memory.clock: a tick that divides {values['core.clock'].text} and "
            f"{values['memory.clock'].text} comes {float(ticks):.3g} times per second, more than "
            f"{most:.0e}; round one of the clocks"
        )
        raise ConfigError(msg)
    _check_caches(values, levels)
    _check_sharing(values, levels)
    on = [name for name in levels if _number(values, f"{name}.size")]
    for name in levels:
        _check_partition(values, name)
        if values[f"{name}.prefetch"].number:
            _check_prefetch(name, on)
    _check_memory(values)
    _check_core(values)
    _check_domains(values)
    for at, name in enumerate(regions):
        _check_region(values, name, regions[:at])
    _check_places(values, regions)
    for _ in settings_of_values(values, levels, regions):
        pass  # each is checked as it is made


def _check_core(values: Values) -> None:
    if values["core.merges_stores"].number and _number(values, "line") > _LONGEST_MERGED_BYTES:
        msg = (
            f"core.merges_stores: the line is longer than {_LONGEST_MERGED_BYTES}B, its written "
            "bytes cannot be noted; write false"
        )
        raise ConfigError(msg)
    _check_writes(values)
    _check_placement(values)
    lines = _number(values, "core.kernel_code") + _number(values, "core.kernel_data")
    if lines and not _number(values, "core.switch_cycles"):
        msg = "core.switch_cycles: 0, and the kernel has lines to fetch or load; write 1 or more"
        raise ConfigError(msg)
    if _number(values, "timer.interval") and not _number(values, "timer.cycles"):
        msg = "timer.cycles: 0, and there is an interval; write 1 or more"
        raise ConfigError(msg)


def _number(values: Values, place: str) -> int:
    number = values[place].number
    assert isinstance(number, int)  # noqa: S101 - no caller asks for anything else
    return number


def _hz(values: Values, table: str) -> Fraction:
    number = values[f"{table}.clock"].number
    assert isinstance(number, Fraction)  # noqa: S101 - read_value gave it
    return number


def _check_caches(values: Values, levels: tuple[str, ...]) -> None:
    for cache in (*_FIRST_LEVELS, *levels):
        if f"{cache}.size" in values:
            _check_cache(values, cache)
    for tlb in _TLBS:
        if f"{tlb}.entries" in values:
            _check_tlb(values, tlb)


def _check_cache(values: Values, cache: str) -> None:
    size_bytes, line_bytes = _number(values, f"{cache}.size"), _number(values, "line")
    ways = _number(values, f"{cache}.ways")
    if 0 < size_bytes < ways * line_bytes:
        msg = (
            f"{cache}.ways: {ways} of {exact_size(line_bytes)} do not fit into "
            f"{exact_size(size_bytes)}; write fewer ways or a larger size"
        )
        raise ConfigError(msg)
    _check_ways(values, cache)
    near = _near_sizes(size_bytes, ways * line_bytes)
    if near:
        less, more = map(exact_size, near)
        msg = (
            f"{cache}.size: {exact_size(size_bytes)} in {ways} ways of {exact_size(line_bytes)} "
            f"lines make {size_bytes / ways / line_bytes:.4g} sets, not a power of two; "
            f"write {less} or {more}"
        )
        raise ConfigError(msg)


def _check_ways(values: Values, cache: str) -> None:
    """Check that the tree of a set is a whole one."""
    ways = _number(values, f"{cache}.ways")
    if values[f"{cache}.replacement"].text == _TREE and ways & (ways - 1):
        less = 1 << (ways.bit_length() - 1)
        msg = (
            f"{cache}.ways: {ways} is not a power of two, and {_TREE} needs one; "
            f"write {less} or {2 * less}, or another replacement"
        )
        raise ConfigError(msg)


def _near_sizes(size: int, set_size: int) -> tuple[int, int] | None:
    """Return the sizes below and above whose sets are a power of two; None: the size's are."""
    less = set_size << max((size // set_size).bit_length() - 1, 0)
    return None if size in (0, less) else (less, 2 * less)


def _check_tlb(values: Values, tlb: str) -> None:
    entries, ways = _number(values, f"{tlb}.entries"), _number(values, f"{tlb}.ways")
    if 0 < entries < ways:
        msg = f"{tlb}.ways: {ways} of {entries} entries; write fewer ways or more entries"
        raise ConfigError(msg)
    _check_ways(values, tlb)
    near = _near_sizes(entries, ways)
    if near:
        msg = (
            f"{tlb}.entries: {entries} in {ways} ways make {entries / ways:.4g} sets, "
            f"not a power of two; write {near[0]} or {near[1]}"
        )
        raise ConfigError(msg)
    walk = _number(values, "core.walk_loads") + _number(values, "core.walk_cycles")
    if entries and not walk and not values[f"{tlb}.ideal"].number:
        msg = (
            f"{tlb}.entries: a miss of the TLB costs no loads and no cycles; "
            "write core.walk_loads or core.walk_cycles, or ideal = true"
        )
        raise ConfigError(msg)


def _check_sharing(values: Values, levels: tuple[str, ...]) -> None:
    cores, before, before_name = _number(values, "core.count"), 1, ""
    for name in levels:
        place = f"{name}.shared_by"
        shared_by = _number(values, place) or cores
        if cores % shared_by:
            msg = f"{place}: {shared_by} does not divide {cores} cores; write a number that does"
            raise ConfigError(msg)
        if shared_by % before:
            msg = (
                f"{place}: {shared_by} cores, but {before_name} before it is shared by {before}; "
                "put private levels before shared ones, smaller groups before larger ones"
            )
            raise ConfigError(msg)
        before, before_name = shared_by, name


def _check_partition(values: Values, name: str) -> None:
    place = f"{name}.partition"
    masks, ways = values[place].number, _number(values, f"{name}.ways")
    cores = _number(values, "core.count")
    assert isinstance(masks, tuple)  # noqa: S101 - read_value gave it
    if masks and len(masks) != cores:
        msg = f"{place}: {len(masks)} lists of ways for {cores} cores; write one of each core"
        raise ConfigError(msg)
    for core, mask in enumerate(masks):
        if mask >> ways:
            msg = (
                f"{place}: core {core} has way {mask.bit_length() - 1}, and the ways are 0 to "
                f"{ways - 1}; leave it out"
            )
            raise ConfigError(msg)


def _check_writes(values: Values) -> None:
    through = values.get("l1d.writes_through")
    if through is not None and through.number and values["core.merges_stores"].number:
        msg = (
            "l1d.writes_through: stores that go through the first level do not merge, and "
            "core.merges_stores says so; make one of them false"
        )
        raise ConfigError(msg)


def _check_placement(values: Values) -> None:
    is_coloured = values["memory.placement"].text == _COLOURED
    if is_coloured != (_number(values, "memory.colours") > 1):
        msg = (
            f"memory.colours: {values['memory.colours'].text} with placement "
            f"{values['memory.placement'].text}; coloured pages have 2 colours or more, others 1"
        )
        raise ConfigError(msg)


def _check_prefetch(name: str, on: list[str]) -> None:
    if name not in on[-1:]:
        last = f"the last level is {on[-1]}" if on else "no level is on"
        msg = f"{name}.prefetch: only the last level prefetches, and {last}; write none"
        raise ConfigError(msg)


def _check_memory(values: Values) -> None:
    for place, less in zip(_LATENCIES[1:], _LATENCIES, strict=False):
        if _number(values, place) < _number(values, less):
            least = values[less].text
            msg = f"{place}: {values[place].text} is less than {less}; write {least} or more"
            raise ConfigError(msg)
    interval, cycles = "memory.refresh_interval", "memory.refresh_cycles"
    if 0 < _number(values, interval) <= _number(values, cycles):
        msg = f"{interval}: {values[interval].text} is not longer than {cycles}; correct one"
        raise ConfigError(msg)


def domains_of(values: Values) -> list[tuple[int, ...]]:
    """List the cores of each domain."""
    cores = _number(values, "core.count")
    per = _number(values, "domain.cores") or cores
    return [tuple(range(one, min(one + per, cores))) for one in range(0, cores, per)]


def _check_domains(values: Values) -> None:
    n, most = len(domains_of(values)), platform_limit("domains_max")
    if n > most:
        msg = (
            f"domain.cores: makes {n} domains; the model has at most {most}, write a larger number"
        )
        raise ConfigError(msg)
    hops = values["domain.hops"].number
    assert isinstance(hops, tuple)  # noqa: S101 - read_value gave it
    if hops and len(hops) != n * n:
        msg = f"domain.hops: {isqrt(len(hops))} rows for {n} domains; write one of each domain"
        raise ConfigError(msg)


def _check_region(values: Values, name: str, before: tuple[str, ...]) -> None:
    n, domain = len(domains_of(values)), _number(values, f"{name}.domain")
    if domain >= n:
        msg = f"{name}.domain: {domain}, and the domains are 0 to {n - 1}; write one of these"
        raise ConfigError(msg)
    way_to = values[f"{name}.way_to"].text
    if way_to == NO_REGION:
        return
    if way_to not in (MAIN, *before):
        known = ", ".join((MAIN, *before))
        msg = f'{name}.way_to: "{way_to}" is no region before this one; write one of {known}'
        raise ConfigError(msg)
    if way_to != MAIN and values[f"{way_to}.way_to"].text != NO_REGION:
        msg = f'{name}.way_to: "{way_to}" is itself another way; name the region that it leads to'
        raise ConfigError(msg)
    for place, value in values.items():
        table, _, key = place.rpartition(".")
        if table == name and value.origin != "default" and key not in _OF_WAYS:
            msg = f"{place}: is that of {way_to}, which this is a way to; leave it out"
            raise ConfigError(msg)


def _check_places(values: Values, regions: tuple[str, ...]) -> None:
    known = (MAIN, *regions)
    with located("place"):
        for one in read_memory_places(values["place"].text):
            if one.region not in known:
                advice = suggestion(one.region, known, f"use one of {' '.join(known)}")
                msg = f'"{one.region}" is no region; {advice}'
                raise ConfigError(msg)


def settings_of_values(
    values: Values, levels: tuple[str, ...], regions: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Write what laxity-sim is told: names and values of schema/platform.h.

    Levels that are off are left out.

    Raises:
        ConfigError: A value is too large in ticks, or no whole number of lines.
    """
    ticks = ticks_per_s(values)
    on = [name for name in levels if _number(values, f"{name}.size")]
    yield "ticks_per_s", f"{ticks.numerator} {ticks.denominator}"
    yield "cycle_ticks", str(ticks / _hz(values, "core"))
    yield "architecture", values["architecture"].text
    yield "core.scheduling", values["core.scheduling"].text
    yield "levels", str(len(on))
    yield "regions", str(len(regions))
    numbered = {name: f"level.{at}" for at, name in enumerate(on)}
    numbered |= {name: f"region.{at}" for at, name in enumerate(regions)}
    for place, value in values.items():
        table = place.rpartition(".")[0]
        if value.key.member is None or (table in levels and table not in on):
            continue
        if value.key.type == "hops":
            yield from _links(values, ticks)
        elif value.key.name == _WAY_TO:
            ways = (NO_REGION, MAIN, *regions)
            yield f"{numbered[table]}.{_WAY_TO}", str(ways.index(value.text))
        elif value.number != ():
            name = f"{numbered[table]}.{value.key.name}" if table in numbered else place
            yield name, _setting(values, value, ticks)


def _links(values: Values, ticks: Fraction) -> Iterator[tuple[str, str]]:
    """Write what links take: a row for each domain, where there is more than one."""
    hops: Any = values["domain.hops"].number
    n = len(domains_of(values))
    cycles: Any = values["domain.link_cycles"].number
    per_hop = cycles * ticks / _hz(values, "core")
    for one in range(n) if n > 1 else ():
        row = hops[one * n : one * n + n] if hops else [int(one != to) for to in range(n)]
        links = [per_hop * count for count in row]
        _check_ticks("domain.link_cycles", f"{max(row)} hops of {cycles} cycles", max(links))
        yield f"domain.hops.{one}", " ".join(map(str, links))


def _setting(values: Values, value: Value, ticks: Fraction) -> str:
    number: Any = value.number
    if isinstance(number, tuple):
        return " ".join(map(str, number))
    if value.key.type == "sharing":
        return str(number or _number(values, "core.count"))
    if value.key.lines:
        number = Fraction(number, _number(values, "line"))
        if number.denominator > 1:
            msg = (
                f"{value.place}: {value.text} is no whole number of lines of "
                f"{values['line'].text}; write a multiple"
            )
            raise ConfigError(msg)
    if value.key.pages:
        number *= _PAGE_BYTES
    if value.key.clock is not None:
        number = number * ticks / _hz(values, value.key.clock)
        _check_ticks(value.place, f"{value.text} cycles", number)
    return str(number)


def _check_ticks(place: str, cycles: str, ticks: Fraction) -> None:
    most = platform_limit("setting_max")
    if ticks > most:
        advice = "write fewer, or clocks that have more in common"
        msg = f"{place}: {cycles} are {ticks} ticks, more than {most}; {advice}"
        raise ConfigError(msg)
