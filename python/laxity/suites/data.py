# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the page of a suite run or of a vetting needs, read once; what is damaged is a note."""

from dataclasses import dataclass
from typing import Literal

from laxity.core.streams import Quantity
from laxity.jobs.read_tasks import read_tasks, try_read
from laxity.statistics.distribution import Distribution
from laxity.store.manifest import Fallback, Manifest, kind_of_figures
from laxity.store.run_directory import Run
from laxity.suites.result import Spread, SuiteDocument, SuiteProgram
from laxity.suites.stored_results import read_suite

START_TO_FINISH = "start_to_finish"


@dataclass(frozen=True, slots=True)
class ProgramData:
    """One program: its row of suite.json, and what only its own run holds.

    `manifest` None: it has no run. `samples` None: no job of it finished.
    """

    row: SuiteProgram
    manifest: Manifest | None = None
    samples: Distribution | None = None

    @property
    def times(self) -> Spread | None:
        """From start to finish; None: no job finished."""
        return times_of(self.row)


@dataclass(frozen=True, slots=True)
class SuiteData:
    """A suite run."""

    document: SuiteDocument
    programs: tuple[ProgramData, ...]

    @property
    def ran(self) -> tuple[ProgramData, ...]:
        """The programs that have a result."""
        return tuple(one for one in self.programs if one.row.result is not None)

    @property
    def kind(self) -> Literal["measured", "simulated"]:
        """Where its figures come from."""
        manifests = (one.manifest for one in self.ran if one.manifest is not None)
        return next(map(kind_of_figures, manifests), "measured")


def times_of(program: SuiteProgram, quantity: str = START_TO_FINISH) -> Spread | None:
    """Return one quantity of a program; None: no job of it finished."""
    times = [] if program.result is None else program.result.times
    return next((one for one in times if one.quantity == quantity), None)


def read_suite_data(run: Run, *, has_samples: bool = True) -> tuple[SuiteData, tuple[str, ...]]:
    """Read a suite run, and what cannot be read of it.

    Args:
        run: The whole.
        has_samples: Read the times of all jobs, too; only drawings need them.

    Raises:
        RecordError: suite.json is damaged.
    """
    document = read_suite(run.path)
    problems: list[str] = []
    below: tuple[Run, ...] = try_read(lambda: run.children, (), problems)
    children = {child.path.name: child for child in below}
    programs = tuple(
        _program(one, children.get(one.run or ""), problems, has_samples=has_samples)
        for one in document.programs
    )
    return SuiteData(document, programs), tuple(problems)


def _program(
    row: SuiteProgram, child: Run | None, problems: list[str], *, has_samples: bool
) -> ProgramData:
    if child is None or not has_samples:
        return ProgramData(row, None if child is None else child.manifest)
    tasks = read_tasks(child, problems)
    samples = tasks[0].distributions[Quantity.START_TO_FINISH] if tasks else None
    return ProgramData(row, child.manifest, samples if samples is not None and samples.n else None)


def fallbacks_of(data: SuiteData) -> list[tuple[Fallback, list[str]]]:
    """Return every fallback once, with the programs that it is of."""
    found: dict[Fallback, list[str]] = {}
    for one in data.programs:
        for fallback in one.manifest.fallbacks if one.manifest is not None else ():
            found.setdefault(fallback, []).append(one.row.program)
    return list(found.items())
