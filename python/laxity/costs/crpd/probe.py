# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Cache-related preemption delay (gamma): what the probe `crpd` is asked, and what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.cpus import format_cpus, parse_cpus
from laxity.core.streams import CRPD_CASES, CRPD_EVICTS, CRPD_PATTERNS, CRPD_ROLES
from laxity.core.units import format_size_bytes
from laxity.costs import probe
from laxity.costs.crpd import data, rows, section
from laxity.costs.options import (
    cpus_option,
    priority_option,
    repetitions_option,
    size_option,
    sizes_option,
    time_option,
    words_option,
)
from laxity.costs.pace import Pace
from laxity.costs.places import (
    cache_bytes,
    check_cpus,
    default_cpu,
    sizes_bytes,
    usual_limits_bytes,
)
from laxity.costs.probe import Probe, Source, repeated
from laxity.errors import ConfigError
from laxity.jobs.view import View
from laxity.platform.facts import Facts
from laxity.platform.machine import Machine, SimulatedFacts, describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import CODE_PATTERNS, CrpdMeasurement, crpd_serves

# Instruction sets that code can be written for (native/codegen/isa.c), as uname names them.
_WRITES_CODE = frozenset({"x86_64", "aarch64", "armv7l", "armv8l", "ppc", "riscv64"})
# Instruction sets whose user may flush a line (native/base/port/flush.h).
_FLUSHES = frozenset({"x86_64", "aarch64"})
# What a byte of the working set takes against one that evicts: a dozen passes of those that
# prefetchers help; a chain beyond the second cache takes some five times as long (as measured; it
# is good for a guess how long the rest takes, and for nothing else).
_IN_ORDER, _CHASED = 8, 48
_OPTIONS = (
    cpus_option("Measured one after the other.  [default: one]"),
    sizes_option(
        "Working sets.  [default: from 4KiB to min(4 x L2, 2 x last level, 64MiB, 1/8 of memory); "
        "simulated: to 5/4 of the last cache]"
    ),
    size_option("Largest working set that is chosen."),
    sizes_option(
        "What the preemptor writes, reads or executes; several give gamma over the length of the "
        "preemption.  [default: 4 x L2; simulated: 2 x last cache]",
        "--evict-size",
        "evict_sizes_bytes",
    ),
    words_option(
        "--case",
        "cases",
        CRPD_CASES,
        "Preempted between two passes, or anywhere by a timer.  [default: both; simulated: "
        "synchronous]",
    ),
    words_option(
        "--pattern",
        "patterns",
        CRPD_PATTERNS,
        "What the victim does: data in order, at random; code straight on, by a jump per line.  "
        "[default: all]",
    ),
    words_option(
        "--evict",
        "evicts",
        CRPD_EVICTS,
        "How lines are evicted: read data only, execute code only.  [default: all that the "
        "processor has]",
    ),
    repetitions_option("Evicting observations of each kind; as many spin twice."),
    priority_option("Of the victim; the preemptor has one more."),
    time_option("--preemption", "preemption_ns", "The preemptor lasts at least so long."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(probe.Asked):
    """What the user asked of `measure crpd`; empty or None: chosen for the machine.

    Attributes:
        sizes_bytes: Working sets.
        max_bytes: Largest working set that is chosen.
        evict_sizes_bytes: What the preemptor writes or reads; several: gamma over its length.
    """

    sizes_bytes: tuple[int, ...] = ()
    max_bytes: int | None = None
    evict_sizes_bytes: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    evicts: tuple[str, ...] = ()
    repetitions: int = 60
    preemption_ns: int = 0


def plan_crpd(
    asked: Asked, facts: Facts, cpus: Cpus
) -> tuple[CrpdMeasurement, tuple[Fallback, ...]]:
    """Decide what `measure crpd` measures on a machine.

    Args:
        asked: What the user chose.
        facts: The machine.
        cpus: What this process may use.

    Returns:
        The measurement, and what was left out and why.

    Raises:
        ConfigError: There is no such CPU, or a way to evict or a pattern that no other one serves.
        PlatformError: A CPU that this process may not use, or a way to evict that it lacks.
    """
    machine = describe_machine(facts)
    chosen = asked.cpus or default_cpu(facts, cpus)
    check_cpus(chosen, cpus)
    patterns, evicts, fallbacks = _ways(asked, _Abilities.of(facts, machine))
    _check_ways(patterns, evicts)
    limit_bytes, evict_bytes = usual_limits_bytes(facts, chosen[0])
    measurement = CrpdMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        working_sets_bytes=list(
            asked.sizes_bytes
            or sizes_bytes(cache_bytes(machine, chosen[0])[0], asked.max_bytes or limit_bytes)
        ),
        cases=list(asked.cases or _usual_cases(facts)),
        patterns=patterns,
        evicts=evicts,
        evict_sizes_bytes=list(asked.evict_sizes_bytes or (evict_bytes,)),
        preemption_ns=asked.preemption_ns,
        timeout_ns=asked.timeout_ns,
    )
    return measurement, fallbacks


def _usual_cases(facts: Facts) -> tuple[str, ...]:
    """Choose both; on a simulated platform the second one tells nothing new, at twice the time."""
    return CRPD_CASES[:1] if isinstance(facts, SimulatedFacts) else tuple(CRPD_CASES)


def describe(measurement: CrpdMeasurement) -> str:
    """Say in one line what is measured."""
    sizes = measurement.working_sets_bytes
    return (
        f"{len(sizes)} working sets ({', '.join(measurement.patterns)}) from "
        f"{format_size_bytes(min(sizes))} to {format_size_bytes(max(sizes))} on CPU "
        f"{measurement.cpus}, evicting by "
        f"{', '.join(measurement.evicts)} "
        f"({', '.join(map(format_size_bytes, measurement.evict_sizes_bytes))}), "
        f"{measurement.repetitions} times each"
    )


@dataclass(frozen=True, slots=True)
class _Abilities:
    """What can be measured: `processor` is what lacks the rest."""

    processor: str
    writes_code: bool
    flushes: bool

    @classmethod
    def of(cls, facts: Facts, machine: Machine) -> "_Abilities":
        if isinstance(facts, SimulatedFacts):
            return cls("a simulated platform", writes_code=True, flushes=False)
        processor = machine.stable.architecture or "this processor"
        return cls(processor, processor in _WRITES_CODE, processor in _FLUSHES)


def _ways(asked: Asked, has: _Abilities) -> tuple[list[str], list[str], tuple[Fallback, ...]]:
    """Choose patterns and ways to evict: what was asked for, else all that serve and are had."""
    fallbacks = []
    patterns = asked.patterns or tuple(
        one for one in CRPD_PATTERNS if not asked.evicts or _serves_any(asked.evicts, (one,))
    )
    if not asked.patterns and not has.writes_code and {*patterns} & {*CODE_PATTERNS}:
        patterns = tuple(one for one in patterns if one not in CODE_PATTERNS)
        reason = f"laxity writes no code for {has.processor}"
        fallbacks.append(Fallback(what="pattern code, jumps", used="data only", reason=reason))
    evicts = asked.evicts or tuple(one for one in CRPD_EVICTS if _serves_any((one,), patterns))
    if not asked.evicts and not has.flushes:
        evicts = tuple(one for one in evicts if one != "flush")
        reason = f"a user of {has.processor} has no instruction for it"
        used = f"{' and '.join(evicts)} only"
        fallbacks.append(Fallback(what="evict flush", used=used, reason=reason))
    return list(patterns), list(evicts), tuple(fallbacks)


def _check_ways(patterns: Sequence[str], evicts: Sequence[str]) -> None:
    """Refuse what laxity-probe would refuse (laxity_crpd_check), before it is started."""
    for evict in evicts:
        if not _serves_any((evict,), patterns):
            served = " and ".join(one for one in CRPD_PATTERNS if crpd_serves(evict, one))
            msg = f"--evict {evict}: serves {served} only; add such a --pattern"
            raise ConfigError(msg)
    for pattern in patterns:
        if not _serves_any(evicts, (pattern,)):
            msg = f"--pattern {pattern}: no way to evict that serves it; add --evict write"
            raise ConfigError(msg)


def _serves_any(evicts: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(crpd_serves(evict, pattern) for evict in evicts for pattern in patterns)


def _words(asked: CrpdMeasurement) -> list[str]:
    return [
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *repeated("--case", asked.cases),
        *repeated("--pattern", asked.patterns),
        *repeated("--evict", asked.evicts),
        *repeated("--evict-size", [f"{size}B" for size in asked.evict_sizes_bytes]),
        *("--preemption", f"{asked.preemption_ns}ns"),
    ]


def _measured(sources: Sequence[Source]) -> tuple[rows.Gamma, ...]:
    return rows.pool(
        gamma
        for source in sources
        for gamma in rows.gammas(source.streams["crpd"], source.run, is_exact=source.is_exact)
    )


def _paced(asked: CrpdMeasurement) -> Pace:
    """Tell of each working set and pattern, in the order of crpd.c, how long a row takes.

    It is evicting, and a number of passes. Both in what writing a byte of the buffer takes.
    """
    evict_bytes = sum(asked.evict_sizes_bytes) / len(asked.evict_sizes_bytes)
    patterns = [one for one in CRPD_PATTERNS if one in asked.patterns]
    ways = {one: _n_ways(asked, one) for one in patterns}
    return Pace(
        [
            (
                ways[one] * len(asked.cases) * len(CRPD_ROLES) * asked.repetitions,
                evict_bytes + size * (_CHASED if one == "chase" else _IN_ORDER),
            )
            for _ in parse_cpus(asked.cpus)
            for size in asked.working_sets_bytes
            for one in patterns
        ]
    )


def _n_ways(asked: CrpdMeasurement, pattern: str) -> int:
    n_sizes = len(asked.evict_sizes_bytes)
    served = (one for one in asked.evicts if crpd_serves(one, pattern))
    return sum(1 if one == "flush" else n_sizes for one in served)


PROBE = Probe(
    help="""Measure the cache-related preemption delay (gamma) against the working set.

    A victim passes over its working set; a preemptor on the same CPU either evicts its lines or
    spins equally long, alternating at random. gamma is what the evicting one costs more. A figure
    that does not stand out of the noise is shown as not measurable.
    """,
    asked=Asked,
    options=_OPTIONS,
    plan=plan_crpd,
    describe=describe,
    words=_words,
    paced=_paced,
    streams=("crpd",),
    measured=_measured,
    entries=rows.entries,
    samples=rows.entry_samples,
    view=View(
        read=data.read_curves,
        document=data.document,
        asked="what a preemption costs the caches of its victim",
        sentences=section.sentences,
        sections=(section.build, section.build_code, section.build_method),
    ),
)
