# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a profile is told of targets that are programs of a suite (laxity.suites.profiled)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from laxity.errors import EXIT_DONE
from laxity.platform.platform import Platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.platform.tools import find_program, find_workload
from laxity.profile.document import Target
from laxity.store.manifest import Fallback
from laxity.store.run_directory import file_sha256


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

    def targets(self, tasks: Sequence[Mapping[str, Any]], platform: Platform) -> Sequence[Target]:
        """Return the targets as profile.json names them.

        Args:
            tasks: Tables of tasks as a spec has them.
            platform: Where they run.

        Raises:
            ConfigError: There is no such program.
            PlatformError, ToolError: Something is not installed, or not built.
        """
        return self.known_as or [_target(one, platform) for one in tasks]


def _target(task: Mapping[str, Any], platform: Platform) -> Target:
    program, *words = [task["workload"], *task["args"]] if "workload" in task else task["exec"]
    if isinstance(platform, SimulatedPlatform):
        executable = platform.program_of(str(program), (), 1).path
    else:
        executable = (find_workload if "workload" in task else find_program)(str(program))
    digest = None
    # Whoever may execute a program need not be allowed to read it.
    with suppress(OSError):
        digest = file_sha256(executable)
    return Target(workload=str(program), args=list(words), executable_sha256=digest)


NO_GUESTS = Guests()
