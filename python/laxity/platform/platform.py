# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where a run happens: on this machine, on a board (`board.py`), or simulated (`simulated.py`)."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from laxity.core.board_url import parse_board_url
from laxity.core.progress import Display
from laxity.core.signals import Forwarder
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, Spec, check_platform, workloads_of
from laxity.errors import PlatformError
from laxity.platform.doctor import Examination, examine_facts
from laxity.platform.facts import Facts, collect_facts
from laxity.platform.native import run_native
from laxity.platform.placement import Cpus, cpus_of_this_process
from laxity.platform.plan import Plan
from laxity.platform.tools import find_program, find_tool, find_workload, require_stdin
from laxity.store.run_directory import NewRun


class Platform(Protocol):
    """What tasks run on, and what probes measure."""

    @property
    def name(self) -> str:
        """As `--platform` names it."""

    @property
    def on(self) -> str | None:
        """Its URL; None for this machine."""

    def facts(self) -> Facts:
        """Take a snapshot of it."""

    def examine(self, cpus: Sequence[int]) -> Examination:
        """Describe it, and judge whether its CPUs are fit for real-time measurements."""

    def cpus(self) -> Cpus:
        """Tell which CPUs it has, and which tasks may use."""

    def require_programs(self, spec: Spec) -> None:
        """Raise a LaxityError unless it has laxity-run and the workloads of an experiment."""

    def notes(self, spec: Spec) -> list[str]:
        """Say of an experiment what of it is of less use there than it looks."""

    def place_of(self, final: Path) -> str | None:
        """Name the directory there that a run is written to first; None if it is DIR.tmp itself."""

    def execute(self, plan: Plan, run: NewRun, display: Display, signals: Forwarder) -> int:
        """Execute a plan to its end; what was measured is in `run.tmp` then."""

    @property
    def is_holding(self) -> bool:
        """Whether it holds something of the run that `run.tmp` does not."""

    def discard(self) -> None:
        """Remove what it still holds of a run that is stored here."""


class ThisMachine:
    """The machine that this process runs on."""

    name = NATIVE_PLATFORM
    on: str | None = None
    is_holding = False

    def facts(self) -> Facts:
        """Take a snapshot."""
        return collect_facts()

    def examine(self, cpus: Sequence[int]) -> Examination:
        """Ask the kernel."""
        return examine_facts(self.facts(), cpus)

    def cpus(self) -> Cpus:
        """Ask the kernel."""
        return cpus_of_this_process()

    def require_programs(self, spec: Spec) -> None:
        """Look for laxity-run and each workload."""
        find_tool("laxity-run")
        for name in workloads_of(spec):
            find_workload(name)
        commands = [task.command for task in spec.tasks]
        commands += [corunner.exec for corunner in spec.interfere]
        for command in filter(None, commands):
            find_program(command[0])
        for task in spec.tasks:
            require_stdin(task.stdin)

    def notes(self, spec: Spec) -> list[str]:  # noqa: ARG002 - as any platform
        """Nothing."""
        return []

    def place_of(self, final: Path) -> str | None:  # noqa: ARG002 - as any platform
        """Runs are written where they stay."""
        return None

    def execute(self, plan: Plan, run: NewRun, display: Display, signals: Forwarder) -> int:
        """Run it by a child of this process."""
        return run_native(plan, run, display, signals)

    def discard(self) -> None:
        """There is no copy."""


THIS_MACHINE = ThisMachine()


def open_platform(on: str | None, name: str = NATIVE_PLATFORM) -> AbstractContextManager[Platform]:
    """Reach the machine that `--on` names, or the platform that `--platform` names.

    Raises:
        ConfigError: There is no such platform, the URL cannot be read, or both are named.
        PlatformError, ToolError: The board cannot be reached, or cannot be given our programs; or
            it is simulated, and this is not Linux.
    """
    check_platform(name, on)
    if name.startswith(SIMULATED):
        if os.uname().sysname != "Linux":
            msg = (
                f"--platform {name}: needs Linux, and this is {os.uname().sysname}; run "
                "laxity in a container (examples/Containerfile, docs/simulation.md)"
            )
            raise PlatformError(msg)
        from laxity.platform.platform_file import read_platform  # noqa: PLC0415 - only where it is asked for
        from laxity.platform.simulated import SimulatedPlatform  # noqa: PLC0415 - only where it is asked for

        return nullcontext(SimulatedPlatform(read_platform(name), name))
    if on is None:
        return nullcontext(THIS_MACHINE)
    from laxity.platform.board import open_board  # noqa: PLC0415 - only where there is one

    return open_board(parse_board_url(on))


def open_for(spec: Spec) -> AbstractContextManager[Platform]:
    """Reach the platform of an experiment; raises as `open_platform`."""
    return open_platform(spec.on, spec.platform)
