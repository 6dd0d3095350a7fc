# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What runs beside a task while it is profiled: nothing, or co-runners on other CPUs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.spec_reader import parse_interfere_option
from laxity.errors import ConfigError

ALONE = "alone"
# Larger than most last-level caches' share per core: the traffic reaches memory.
_ARRAY = "16MiB"
_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Co-runners that run together, each as `--interfere` takes it; none: the task is alone."""

    name: str
    interfere: tuple[str, ...] = ()


def usual_scenarios(cpus: Sequence[int]) -> tuple[Scenario, ...]:
    """Return those of RT-Bench's evaluation: readers of memory, half of each kind, writers.

    Args:
        cpus: On which co-runners may run; none: the task is always alone.

    Source:
        Nicolella et al., "RT-Bench: an extensible benchmark framework for the analysis and
        management of real-time applications", RTNS 2022, section 4.
    """
    half = len(cpus) // 2
    if not cpus:
        return (Scenario(ALONE),)
    mixed = (_streaming("read", cpus[:half]), _streaming("write", cpus[half:]))
    return (
        Scenario(ALONE),
        Scenario("readers", (_streaming("read", cpus),)),
        *([Scenario("mixed", mixed)] if half else []),
        Scenario("writers", (_streaming("write", cpus),)),
    )


def read_scenarios(asked: Sequence[str]) -> tuple[Scenario, ...]:
    """Read `NAME=WORKLOAD ARG...@CPUS; ...`; before them is that of the task alone.

    Raises:
        ConfigError: One is none, or a name stands there twice.
    """
    found = {ALONE: Scenario(ALONE)}
    for text in asked:
        name, _, words = text.partition("=")
        if not _NAME.fullmatch(name) or not words.strip():
            msg = f'--scenario "{text}": write NAME=WORKLOAD ARG...@CPUS, several with semicolons'
            raise ConfigError(msg)
        if name in found:
            why = "is that of the task alone" if name == ALONE else "stands there twice"
            msg = f'--scenario "{text}": the name {name} {why}; choose another'
            raise ConfigError(msg)
        interfere = tuple(one.strip() for one in words.split(";"))
        for one in interfere:
            parse_interfere_option(one)
        found[name] = Scenario(name, interfere)
    return tuple(found.values())


def _streaming(how: str, cpus: Sequence[int]) -> str:
    return f"bandwidth {how} {_ARRAY}@{format_cpus(cpus)}"
