# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What rows of Raffeck's figures compute from; each run is read when it is first asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import MEMORY_CASES
from laxity.costs.memory_latency.rows import AccessTime, access_times
from laxity.costs.migration_jobs.rows import SETTLED_AFTER, domains, loads
from laxity.errors import RecordError
from laxity.papers.live import LivePlaces, Moves, moves_of
from laxity.papers.paper import Experiment, MigratedRun, Runs
from laxity.platform.platform_file import PLATFORM, PlatformModel, parse_platform
from laxity.store.measurements import MigrationJobsMeasurement
from laxity.workingset.data import WorkingSetData, read_working_set
from laxity.workingset.document import ProgramAnswer, Weight
from laxity.workingset.tables import ADDRESSES, INSTRUCTIONS, OBJECTS, read_program

Rows: TypeAlias = Any  # masked structured array of a stream
# What two cores have in common, as probes name it: nothing.
_OTHER_DOMAIN = "other_node"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of core.

    Attributes:
        is_far: To a core of another domain.
        first_ns: The first job there.
        later_ns: Of jobs of the same load there that have only been preempted, median.
    """

    is_far: bool
    first_ns: int
    later_ns: float


class Found:
    """The runs that are whole, by the names of their experiments."""

    def __init__(self, runs: Runs) -> None:
        """Take them; nothing is read yet."""
        self._runs = runs
        self.jobs_ns = cache(self._read_jobs)
        self.access_times = cache(self._read_access_times)
        self.migration_jobs = cache(self._read_migration_jobs)
        self.changes = cache(self._read_changes)
        self.working_sets = cache(self._read_working_sets)
        self.moves = cache(self._read_moves)

    def _read_jobs(self, experiment: Experiment) -> dict[str, NDArray[np.int64]]:
        """Read the execution times of each task, in the order of its jobs."""
        run = self._runs[experiment.name]
        rows = run.stream("jobs")
        return {
            task.name: rows[rows["task"] == task.index]["exec_ns"].compressed().astype(np.int64)
            for task in run.manifest.tasks
        }

    def job_ns(self, experiment: Experiment, task: str) -> float:
        """Median execution time of a task's jobs."""
        return float(np.median(self.jobs_ns(experiment)[task]))

    def _read_access_times(self, experiment: Experiment) -> tuple[AccessTime, ...]:
        run = self._runs[experiment.name]
        return access_times(run.stream("memory_latency"), experiment.name)

    def access_ns(self, experiment: Experiment, case: str, node: int) -> dict[int, float]:
        """Median times of an access, by the size of the array in bytes."""
        number = MEMORY_CASES.index(case)
        return {
            one.place.working_set_bytes: one.median_ps / 1000
            for one in self.access_times(experiment)
            if (one.place.case, one.place.node) == (number, node)
        }

    def _read_migration_jobs(self, experiment: Experiment) -> Rows:
        return self._runs[experiment.name].stream("migration_jobs")

    def _read_changes(self, experiment: Experiment) -> tuple[Change, ...]:
        """Compare the first job behind each change with later ones on that core, same limit."""
        asked = self._runs[experiment.name].manifest.measurement
        known = domains(asked) if isinstance(asked, MigrationJobsMeasurement) else {}
        return tuple(
            change
            for load, rows in loads(self.migration_jobs(experiment))
            for change in _changes(rows, load.limit, known)
        )

    def _read_working_sets(self, experiment: Experiment) -> WorkingSetData:
        return read_working_set(self._runs[experiment.name])

    def program(self, experiment: Experiment, name: str) -> ProgramAnswer:
        """Return what was answered of a program; the experiment is only made with all it names."""
        programs = self.working_sets(experiment).answer.programs
        return next(one for one in programs if one.program == name)

    def tenths(self, experiment: Experiment, name: str, weight: Weight) -> list[float]:
        """Return how often working sets of each tenth of a program's range occur; [] if unknown."""
        occurrences = self.program(experiment, name).occurrences
        return next((one.counts or [] for one in occurrences if one.weight == weight), [])

    def _read_moves(self, sets: Experiment, run: Experiment) -> Moves:
        """Lay what moved in a run beside what is live in its program.

        Raises:
            RecordError: No job migrated in it.
        """
        assert isinstance(run.work, MigratedRun)  # noqa: S101 - as the exhibit has it
        folder, program = self._runs[sets.name].path, run.work.program
        tables = (
            read_program(folder, INSTRUCTIONS, program),
            read_program(folder, OBJECTS, program),
            read_program(folder, ADDRESSES, program),
        )
        places = LivePlaces(tables, self.platform(run).number("line"))
        names = [one.name for one in self._runs[run.name].manifest.tasks]
        moves = moves_of(self._runs[run.name].stream("jobs"), names, places)
        if moves is None:
            msg = f"run {run.name}: no job went on on another core within the program"
            raise RecordError(msg)
        return moves

    def platform(self, experiment: Experiment) -> PlatformModel:
        """Read the platform file that a run has kept."""
        data = (self._runs[experiment.name].path / PLATFORM).read_bytes()
        return parse_platform(data, experiment.name)


def _changes(rows: Rows, limit: int, known: Mapping[tuple[int, int], str]) -> Iterator[Change]:
    since = np.ma.filled(rows["since_change"], -1)
    cpus, times_ns = (np.ma.getdata(rows[name]) for name in ("cpu", "exec_ns"))
    is_of_limit = np.ma.getdata(rows["limit"]) == limit
    for at in np.flatnonzero((since == 0) & is_of_limit).tolist():
        later = (cpus == cpus[at]) & (since >= SETTLED_AFTER) & is_of_limit
        if later.any():
            change = (int(cpus[at - 1]), int(cpus[at]))
            is_far = known.get(change) == _OTHER_DOMAIN
            yield Change(is_far, int(times_ns[at]), float(np.median(times_ns[later])))
