# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where memory of tasks lies on a simulated platform: regions of its file, and who has them."""

from collections.abc import Iterator

from laxity.core.memory_place import CLASSES, MAIN_REGION, MemoryPlace, read_memory_places
from laxity.core.spec import SIMULATED, Spec, corunners_of
from laxity.errors import ConfigError, located, suggestion
from laxity.platform.platform_checks import MAIN, NO_REGION, domains_of
from laxity.platform.platform_file import PlatformModel

# Region 0: where pages of the main memory are at home.
_HOME = (1 << 32) - 1


def place_settings(model: PlatformModel, spec: Spec) -> Iterator[str]:
    """Write what laxity-sim is told of places: `INDEX CLASS REGION INSTANCE` of each.

    Args:
        model: The platform.
        spec: Every task and co-runner has its cores.

    Raises:
        ConfigError: The platform has no such region, or no such core or domain.
    """
    placed = [(f'task "{one.name}"', one.place, one.cpus) for one in spec.tasks]
    placed += [
        (f'co-runner {index} ("{one.workload}")', one.place, (cpu,))
        for index, (one, cpu) in enumerate(corunners_of(spec))
    ]
    usual = {one.storage: one for one in read_memory_places(model.values["place"].text)}
    for index, (who, text, cores) in enumerate(placed):
        with located(f"{who}: place"):
            own = {one.storage: one for one in read_memory_places(text)}
            for storage, one in (usual | own).items():
                region, instance = _resolved(model, one, cores[0])
                yield f"{index} {CLASSES.index(storage)} {region} {instance}"


def _resolved(model: PlatformModel, place: MemoryPlace, core: int) -> tuple[int, int]:
    """Number a region, and which of it."""
    known = (MAIN_REGION, *model.regions)
    if place.region not in known:
        advice = suggestion(place.region, known, f"use one of {' '.join(known)}")
        msg = f'"{place.region}" is no region of {SIMULATED}{model.name}; {advice}'
        raise ConfigError(msg)
    domains = domains_of(model.values)
    there = _of(model, place.region)
    n = {"platform": 1, "domain": len(domains), "core": model.cores}[there]
    if place.at is not None and place.at >= n:
        what = f"{there}s are 0 to {n - 1}" if n > 1 else "there is one"
        msg = f'"{place.region}@{place.at}" is not there; {what}'
        raise ConfigError(msg)
    own = {"platform": 0, "domain": _domain_of(domains, core), "core": core}[there]
    is_home = place.at is None and _leads_to(model, place.region) == MAIN_REGION
    at = own if place.at is None else place.at
    return known.index(place.region), _HOME if is_home else at


def _leads_to(model: PlatformModel, region: str) -> str:
    """Tell whose memory a region is."""
    if region == MAIN_REGION:
        return region
    way_to = model.values[f"{region}.way_to"].text
    return region if way_to == NO_REGION else way_to


def _of(model: PlatformModel, region: str) -> str:
    """Tell what there is one of a region of."""
    leads_to = _leads_to(model, region)
    if leads_to == MAIN:
        return "domain" if model.number("memory.per_domain") else "platform"
    return model.values[f"{leads_to}.of"].text


def _domain_of(domains: list[tuple[int, ...]], core: int) -> int:
    return next(at for at, cores in enumerate(domains) if core in cores)
