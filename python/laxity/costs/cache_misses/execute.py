# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run what was generated for each cache, and store all of it as one run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from laxity.core.signals import Forwarder
from laxity.core.spec import Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.units import exact_duration
from laxity.costs.cache_misses.document import (
    CacheMisses,
    CacheRecord,
    CaseRecord,
    lines_of,
    percent_text,
    uses_of,
)
from laxity.costs.cache_misses.found import judge
from laxity.costs.measure_all import AllRequest
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.platform.platform import Platform
from laxity.platform.platform_file import platform_in_run
from laxity.store.manifest import Fallback
from laxity.store.run_directory import MISSES, write_document

NAME: Final = "cache-misses"
# The first job finds caches as nobody left them and is not looked at. The second may still find in
# a cache below what others do not find; a median leaves it out.
_JOBS, _JOBS_SIMULATED = 24, 4
# Of a pass, at most on most processors; where it is more, releases are skipped, and more follow.
_NS_PER_LINE, _NS_PER_USE = 100, 2
# Waiting takes no time where it is simulated.
_ROOM_SIMULATED = 20
# Half of the time is left to others: the kernel stops real-time tasks that take all of it.
_ROOM = 2
_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class CacheMissesPlan:
    """What is generated, and where it runs.

    Attributes:
        asked: The caches and cases.
        left_out: What is not tested, and why.
        cpu: Where.
        place: As the key of a task; empty: where memory lies anyway.
        resolution_ns: Of the clock that releases jobs.
    """

    asked: CacheMisses
    left_out: tuple[Fallback, ...]
    cpu: int
    place: str
    resolution_ns: int


def run_cache_misses(
    tested: CacheMissesPlan, request: AllRequest, signals: Forwarder, platform: Platform
) -> Finished:
    """Run the cases of each cache, one event counted at a time.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As a run; what was measured before stays.
    """
    seed = request.seed
    children = []
    for cache in tested.asked.caches:
        spec = prepare_spec(_spec(tested, cache, seed, platform.name), platform)
        seed = spec.seed
        children.append(Child(cache.run, partial(_run, request, spec, platform)))
    whole = Composite(
        kind=NAME,
        name=NAME,
        final=request.final,
        command_line=request.command_line,
        seed=seed,
        cpus=(tested.cpu,),
        fallbacks=tested.left_out,
        children=tuple(children),
        begin=lambda tmp: write_document(tmp / MISSES, tested.asked),
        judge=judge,
        platform=platform_in_run(platform.name),
    )
    return run_composite(whole, signals, platform)


def cache_misses_child(tested: CacheMissesPlan, request: AllRequest, platform: Platform) -> Child:
    """Make the test a run within a run."""

    def run(final: Path, signals: Forwarder) -> Finished:
        within = msgspec.structs.replace(request, final=final)
        return run_cache_misses(tested, within, signals, platform)

    return Child(NAME, run)


def _run(
    request: AllRequest, spec: Spec, platform: Platform, final: Path, signals: Forwarder
) -> Finished:
    once = RunRequest(
        spec=spec,
        name=final.name,
        final=final,
        command_line=request.command_line,
        allow_unprivileged=request.allow_unprivileged,
        is_quiet=request.is_quiet,
    )
    return run_once(once, signals, platform)


def _spec(tested: CacheMissesPlan, cache: CacheRecord, seed: int | None, platform: str) -> Spec:
    """Make tasks that all are released at once and run one after the other.

    All that make the fewer passes come first, so that each finds the caches as the one of its case
    that makes more finds them, behind the same case; job by job the cases take turns.
    """
    cases = [case for case in tested.asked.cases if case.run == cache.run]
    tasks = [
        *(_task(case, cache, case.short, case.passes) for case in cases),
        *(_task(case, cache, case.long, 2 * case.passes) for case in cases),
    ]
    is_simulated = tested.asked.kind == "simulated"
    room = _ROOM_SIMULATED if is_simulated else _ROOM
    common = {
        "period": _period(cases, cache, room),
        "deadline": "none",
        "cpus": str(tested.cpu),
        "place": tested.place,
    }
    run: dict[str, Any] = {
        "platform": platform,
        "jobs": _JOBS_SIMULATED if is_simulated else _JOBS,
        "events": [cache.event],
        **({} if seed is None else {"seed": seed}),
    }
    return resolve_spec(run, [task | common for task in tasks], [], tested.resolution_ns)


def _task(case: CaseRecord, cache: CacheRecord, name: str, passes: int) -> dict[str, Any]:
    args = [
        f"{case.used}={case.size_bytes}B",
        f"{case.used}_miss={percent_text(case.miss_ratio)}%",
        f"line={cache.line_bytes}B",
        f"passes={passes}",
    ]
    return {"name": name, "workload": "generated", "args": args}


def _period(cases: Sequence[CaseRecord], cache: CacheRecord, room: int) -> str:
    # Once and twice.
    all_ns = sum(
        3
        * case.passes
        * (lines_of(case, cache) * _NS_PER_LINE + uses_of(case, cache) * _NS_PER_USE)
        for case in cases
    )
    return exact_duration((room * all_ns // _NS_PER_MS + 1) * _NS_PER_MS)
