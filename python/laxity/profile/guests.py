# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a profile is told of targets that are programs of a suite (laxity.suites.profiled)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from laxity.errors import EXIT_DONE
from laxity.profile.document import Target
from laxity.store.manifest import Fallback


def _provide_nothing(_target: int) -> None:
    pass


def _ended_well(_directory: Path) -> tuple[int, str]:
    return EXIT_DONE, ""


@dataclass(frozen=True, slots=True)
class Guests:
    """What is told of targets that are programs of a suite, and what they need.

    Attributes:
        known_as: As profile.json names the targets.
        left_out: Programs that cannot be profiled, and why.
        options: What makes it another profile, beside them.
        parents: Runs that it rests on.
        idle: The task of a program that does nothing, where need of memory is measured.
        provide: Lays out what jobs of a target read, before each of its processes.
        judge: Asked, where all processes ended well, how their jobs did.
    """

    known_as: tuple[Target, ...] = ()
    left_out: tuple[Fallback, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    parents: tuple[str, ...] = ()
    idle: Mapping[str, Any] | None = None
    provide: Callable[[int], None] = _provide_nothing
    judge: Callable[[Path], tuple[int, str]] = _ended_well

    def targets(self, tasks: Sequence[Mapping[str, Any]]) -> Sequence[Target]:
        """Return the targets as profile.json names them.

        Args:
            tasks: Tables of tasks as a spec has them.
        """
        return self.known_as or [
            Target(workload=str(one["workload"]), args=list(one["args"]))
            if "workload" in one
            else Target(workload=str(one["exec"][0]), args=list(one["exec"][1:]))
            for one in tasks
        ]


NO_GUESTS = Guests()
