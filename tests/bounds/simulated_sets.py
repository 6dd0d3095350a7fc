# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets of made-up programs on simulated platforms (tests/native/sim/task_sets.cpp).

One tick of the platforms here is a nanosecond.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.laxity_command import of_simulator

from laxity.platform.platform_file import parse_platform
from laxity.platform.simulated import settings_of

DRIVER = of_simulator("task_sets")
needs_simulator = pytest.mark.skipif(
    not DRIVER.exists(), reason="simulated platforms are not built"
)


@dataclass(frozen=True)
class Program:
    """What the jobs of a task do: steps, each a line of code with an access to a line of data."""

    shortest: int
    longest: int
    seed: int = 1
    first_code_line: int = 0
    code_lines: int = 1
    instructions: int = 1
    first_data_line: int = 0
    data_lines: int = 0
    stride: int = 1
    stores_in_8: int = 0

    def words(self) -> str:
        return (
            f"{self.seed} {self.first_code_line} {self.code_lines} {self.instructions} "
            f"{self.first_data_line} {self.data_lines} {self.stride} {self.stores_in_8} "
            f"{self.shortest} {self.longest}"
        )


@dataclass(frozen=True)
class SimulatedTask:
    """A task; `reserved`: under EDF, with a budget that its deadline alone limits."""

    program: Program
    jobs: int
    period: int
    deadline: int
    first: int = 0
    priority: int = 0
    cores: int = 1
    skips: bool = False
    reserved: bool = False

    def words(self) -> str:
        deadline, period = (self.deadline, self.period) if self.reserved else (0, 0)
        return (
            f"task {self.priority} {self.cores} {self.first} {self.period} {self.deadline} "
            f"{int(self.skips)} {self.jobs} {deadline} {deadline} {period} {self.program.words()}"
        )


class SimulatedJob(NamedTuple):
    """What the engine tells of a job; times in ns."""

    task: int
    job: int
    status: int
    start: int
    finish: int
    execution: int
    busy: int
    own: int
    reload: int
    moved: int
    shared: int
    preemptions: int
    migrations: int
    core: int


class OnPlatform(NamedTuple):
    """Task sets, and the settings of the platform that they run on."""

    platform: str
    tasks: Sequence[SimulatedTask]
    registers: int = 0  # what registers and ticks of instructions follow from; 0: there are none


def write_settings(text: str, path: Path) -> str:
    """Make of a platform file what the engine reads."""
    path.write_text(settings_of(parse_platform(text.encode(), path.stem)))
    return str(path)


def simulate(sets: Sequence[OnPlatform]) -> list[list[SimulatedJob]]:
    """Run task sets, each from an empty platform; tell the jobs of each in the order they end."""
    asked = "".join(
        f"platform {one.platform} {one.registers}\n"
        + "".join(f"{task.words()}\n" for task in one.tasks)
        + "run\n"
        for one in sets
    )
    done = subprocess.run([str(DRIVER)], input=asked, capture_output=True, text=True, check=True)
    told = done.stdout.split("\n\n")[:-1]
    assert len(told) == len(sets)
    found = []
    for one, text in zip(sets, told, strict=True):
        rows = [line.split() for line in text.splitlines()]
        jobs = [SimulatedJob(*map(int, row[1:])) for row in rows if row[0] == "job"]
        # Each task has ended by its number of jobs.
        assert [row[2] for row in rows if row[0] == "end"] == ["0"] * len(one.tasks)
        found.append(jobs)
    return found
