# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs and cost models read for `laxity compare`, one side each."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from laxity.compare.comparison import Kind
from laxity.compare.fail_on import EXECUTION, RELEASE_LATENCY, RESPONSE
from laxity.compare.jobs import Samples
from laxity.core.own_program import with_program_of_before
from laxity.core.streams import Quantity as Stream
from laxity.costs.merge import read_costs
from laxity.costs.model import Costs
from laxity.errors import EXIT_NO_VERDICT, ConfigError, NoVerdict, RecordError
from laxity.jobs import rows as analysis
from laxity.jobs.finish import open_recovered
from laxity.jobs.integrity import find_damage
from laxity.jobs.read_tasks import read_tasks
from laxity.jobs.run_data import TaskData
from laxity.statistics import distribution
from laxity.store.hindrances import stall_lines
from laxity.store.manifest import Manifest, displaced_lines, kind_of_figures
from laxity.store.observation import RECORDER_KILLED, Observation
from laxity.store.run_directory import COSTS, DOCTOR, MACHINE, SPEC, Run
from laxity.suites.result import SuiteDocument, SuiteProgram
from laxity.suites.stored_results import read_suite

_STREAM_OF = {RESPONSE: Stream.RESPONSE_TIME, RELEASE_LATENCY: Stream.RELEASE_LATENCY}
_STATE = "state"
_SHORT_HASH = 12
# Words of the workload `guest` in a spec (suites/prepare.py: Suite.words) that name other places
# in each run: its standard input, and the directory with its input files.
_PLACES = frozenset({4, 6})
# Kinds of run that have jobs of their own; what else a demo holds is costs, or a verdict.
_KINDS_WITH_JOBS = frozenset({"run", "observe"})
# What ended these is not among their jobs. Who interrupts a run has all jobs up to there.
_STATUSES_IN_DOUBT = {"failed": "the run failed", "recovered": "the run was killed"}


@dataclass(frozen=True, slots=True)
class Part:
    """One run of a side: its tasks, and what it was made with."""

    manifest: Manifest
    spec: Mapping[str, Any]
    tasks: tuple[TaskData, ...]
    resolution_ns: int
    checks: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Side:
    """What the user named: a cost model, a run, or a run of runs.

    `parts`: by the name of the run within, an empty one for a plain run; empty for a file.
    """

    name: str
    path: Path
    parts: Mapping[str, Part]
    costs: Costs | None

    @property
    def machine_hash(self) -> str | None:
        """Hash of the machine that it is about; None: not known."""
        if self.costs is not None:
            return self.costs.machine_hash
        return next((part.manifest.machine_hash for part in self.parts.values()), None)

    def tasks(self) -> Iterator[tuple[str, Part, TaskData]]:
        """Return every task with its name: `alone/control` in a run of runs."""
        for label, part in self.parts.items():
            for task in part.tasks:
                yield named(label, task.result.name), part, task

    def task(self, name: str) -> tuple[Part, TaskData] | None:
        """Find a task by the name that `tasks` gives it."""
        return next(((part, task) for one, part, task in self.tasks() if one == name), None)


def named(label: str, name: str) -> str:
    """Name something within a run of runs."""
    return f"{label}/{name}" if label else name


def read_side(name: str, path: Path) -> Side:
    """Read one side.

    Args:
        name: How messages call it: `BASE`, `NEW`.
        path: A run, or a costs.json.

    Raises:
        ConfigError: There is no such file or run.
        NoVerdict: It is damaged, or holds neither jobs nor costs.
    """
    if path.is_file():
        return Side(name, path, {}, read_costs(path))
    run = open_recovered(path)
    if run.manifest.kind == "compare":
        msg = f"run {path}: is a comparison itself; name the runs that it compares"
        raise ConfigError(msg)
    if run.manifest.kind == "workingset":
        msg = f"run {path}: holds working sets; compare by laxity workingset --against RUN"
        raise ConfigError(msg)
    damage = find_damage(run)
    if damage:
        msg = f"run {path}: damaged ({damage[0]}); a comparison with it proves nothing"
        raise RecordError(msg)
    built = _built(run)
    parts = {child.path.name: _read_part(child, built) for child in run.children}
    if not run.children:
        parts = {"": _read_part(run, {})}
    costs = read_costs(path) if (run.path / COSTS).exists() else None
    if costs is None and not any(part.tasks for part in parts.values()):
        msg = f"run {path}: holds neither jobs nor costs; nothing can be compared"
        raise NoVerdict(msg)
    return Side(name, path, parts, costs)


def _built(run: Run) -> dict[str, str]:
    """Say of what the programs of a suite were made, by run; empty for other runs."""
    if run.manifest.kind != "suite":
        return {}
    document = read_suite(run.path)
    return {one.run: _made_of(document, one) for one in document.programs if one.run is not None}


def _made_of(document: SuiteDocument, program: SuiteProgram) -> str:
    parts = [
        f"{document.cc} ({document.link})",
        f"sources {(program.sources_sha256 or '')[:_SHORT_HASH]}",
    ]
    if program.inputs_sha256 is not None:
        parts.append(f"inputs {program.inputs_sha256[:_SHORT_HASH]}")
    return ", ".join(parts)


def _read_part(run: Run, built: Mapping[str, str]) -> Part:
    problems: list[str] = []
    tasks = read_tasks(run, problems) if run.manifest.kind in _KINDS_WITH_JOBS else ()
    if problems:
        raise RecordError("; ".join(problems))
    has_spec = (run.path / SPEC).exists()
    try:
        spec = tomllib.loads(run.spec_text) if has_spec else {}
        spec = {**spec, "task": with_program_of_before(spec.get("task", []))} if spec else {}
    except tomllib.TOMLDecodeError as error:
        msg = f"{run.path / SPEC}: unreadable ({error}); the run is damaged"
        raise RecordError(msg) from error
    if run.path.name in built:
        spec = _without_places(spec, built[run.path.name])
    return Part(run.manifest, spec, tasks, _resolution_ns(run), _checks(run))


def _without_places(spec: dict[str, Any], built: str) -> dict[str, Any]:
    """Put in place of the object's path, another one each time, of what it was made.

    The path of its input and the directory with its input files are others each time, too.
    """
    tasks = [
        {
            **task,
            "args": [
                built,
                *("given" if at in _PLACES and word else word for at, word in enumerate(words, 1)),
            ],
        }
        for task in spec.get("task", [])
        for words in [task.get("args", [])[1:]]
    ]
    return {**spec, "task": tasks}


def _resolution_ns(run: Run) -> int:
    """Return the resolution of the clock; 0: not known, as of a bound on costs from a file."""
    if not (run.path / MACHINE).exists():
        return 0
    value = run.machine.get(_STATE, {}).get("clock_resolution_ns")
    return value if isinstance(value, int) else 0


def _checks(run: Run) -> dict[str, str]:
    """Return the states of the doctor's checks before the run, by id; empty: it was not asked."""
    if not (run.path / DOCTOR).exists():
        return {}
    before = run.doctor.get("before")
    checks = before.get("checks", []) if isinstance(before, dict) else []
    return {str(one.get("id")): str(one.get(_STATE)) for one in checks if isinstance(one, dict)}


def samples_of(side: str, part: Part, task: TaskData, quantity: str) -> Samples | None:
    """Take one quantity of one task; None where the run did not measure it."""
    finished = analysis.finished(task.rows)
    calibration_ns = 0
    if quantity == EXECUTION:
        calibration_ns = _calibration_ns(part)
        column = analysis.execution_ns(finished, calibration_ns)
    elif quantity == RESPONSE:
        column = analysis.response_time_ns(finished)
    else:
        column = analysis.release_latency_ns(finished)
    found = None
    values_ns = None
    if task.is_whole:
        values_ns = None if column is None else analysis.present(column)
        found = None if values_ns is None else distribution.from_samples(values_ns)
    elif quantity in _STREAM_OF:
        found = task.distributions[_STREAM_OF[quantity]]
    if found is None or not found.n:
        return None
    doubt = "; ".join(_doubts(part, task, quantity)) or None
    kind = _kind(part, task, quantity)
    return Samples(side, found, values_ns, part.resolution_ns, calibration_ns, doubt, kind)


def why_no_samples(task: TaskData, quantity: str) -> str:
    """Say in words, before the name of a side, why there is nothing of a quantity."""
    if not task.n_finished:
        return "no job finished in"
    if quantity == EXECUTION and not task.is_whole:
        return "not every job was kept by"
    return "not measured by"


def _calibration_ns(part: Part) -> int:
    cost = part.manifest.snapshots
    return 0 if cost is None or cost.exec_ns is None else round(cost.exec_ns)


def doubt_of_misses(part: Part, task: TaskData) -> str | None:
    """Say why it is not known how many jobs of a task were not met; None: it is."""
    return doubt_of(part, task) or task.unjudged or None


def doubt_of(part: Part, task: TaskData) -> str | None:
    """Say why what became of all jobs of a task is not known; None: nothing is known against it."""
    if task.result.lost_rows:
        return f"{task.result.lost_rows} rows were lost"
    unlike_plan = _not_as_planned(part.manifest)
    if unlike_plan is not None:
        return unlike_plan
    if part.manifest.observation is not None:
        return _doubt_of_observed(part.manifest, part.manifest.observation, task)
    return _STATUSES_IN_DOUBT.get(part.manifest.status)


def _not_as_planned(manifest: Manifest) -> str | None:
    """Say what of a run was scheduled otherwise than planned, or ended before its tasks."""
    named = [(f"task {one.name}", one.displaced) for one in manifest.tasks]
    named += [(f"co-runner {one.index}", one.displaced) for one in manifest.corunners]
    lines = (line for name, displaced in named for line in displaced_lines(name, displaced))
    died = (
        f"co-runner {one.index} did not live to the end"
        for one in manifest.corunners
        if one.end_cause not in {None, "stopped"}
    )
    return next(chain(stall_lines(manifest), lines, died), None)


def _doubt_of_observed(manifest: Manifest, seen: Observation, task: TaskData) -> str | None:
    left_out = sum(one.n_contradictory for one in seen.threads if one.task == task.result.index)
    if left_out:
        return f"{left_out} jobs were left out, since the trace lacks a switch of theirs"
    if manifest.exit_code == EXIT_NO_VERDICT and manifest.message == RECORDER_KILLED:
        return manifest.message
    return _STATUSES_IN_DOUBT.get(manifest.status)


def _doubts(part: Part, task: TaskData, quantity: str) -> Iterator[str]:
    whole = doubt_of(part, task)
    if whole is not None:
        yield whole
    unknown, pending = task.n_release_unknown, task.result.counts.pending
    if unknown and quantity != EXECUTION:
        yield f"the release of {unknown} of {task.n_finished} finished jobs is not known"
    if pending and quantity != EXECUTION:
        yield f"{pending} jobs were still pending, so the longest are not among the figures"
    aborted = task.result.counts.aborted
    if aborted and quantity != RELEASE_LATENCY:
        yield f"{aborted} jobs were aborted, so the longest are not among the figures"
    if quantity == EXECUTION:
        own = analysis.own_times(task.rows, _calibration_ns(part))
        if own is not None and not own.is_measurable:
            yield f"{own.n_without} of {own.n} finished jobs have no processor time of their own"


def _kind(part: Part, task: TaskData, quantity: str) -> Kind:
    """Say how a quantity is known; one from a release is no better known than the release."""
    if task.has_modelled_releases and quantity != EXECUTION:
        return "modelled"
    return kind_of_figures(part.manifest)


def read_sides(
    base: str, others: tuple[str, ...], noise: tuple[str, ...]
) -> tuple[Side, tuple[Side, ...], tuple[Side, ...]]:
    """Read the baseline, what is compared with it, and the runs that tell the noise.

    Raises:
        ConfigError: One is named twice: it would differ from itself in nothing.
        LaxityError: As `read_side`.
    """
    _refuse_twice((base, *others, *noise))
    baseline = read_side("BASE", Path(base))
    new = "NEW" if len(others) == 1 else "NEW{}"
    sides = tuple(
        read_side(new.format(number), Path(path)) for number, path in enumerate(others, start=1)
    )
    noises = tuple(
        read_side(f"NOISE{number}", Path(path)) for number, path in enumerate(noise, start=1)
    )
    return baseline, sides, noises


def _refuse_twice(paths: tuple[str, ...]) -> None:
    seen: set[Path] = set()
    for path in paths:
        place = Path(path).resolve()
        if place in seen:
            msg = f"{path}: is named twice; it would differ from itself in nothing"
            raise ConfigError(msg)
        seen.add(place)
