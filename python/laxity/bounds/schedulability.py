# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The share of schedulable sets against utilisation: drawn, tested on all cores, stored.

Each set has a seed of its own, so neither the number of workers nor an interruption changes what is
found. The same command goes on with what an interrupted or killed one has left.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec

from laxity.bounds.experiment import Plan, judge_sets
from laxity.bounds.stored_sets import STREAM, SetRows, close_rows
from laxity.core.executor import Workers, worked
from laxity.core.progress import Countdown
from laxity.core.signals import Forwarder
from laxity.errors import EXIT_DONE, EXIT_INTERRUPTED, ConfigError, LaxityError, RecordError
from laxity.jobs import ends, finish, take_up
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest
from laxity.store import run_directory
from laxity.store.experiment_result import ExperimentRun
from laxity.store.manifest import Manifest
from laxity.store.run_directory import MANIFEST, SPEC, NewRun
from laxity.tasksets.experiment_spec import experiment_to_toml

NAME = "experiment"
# Sets of one unit of work: some ten milliseconds, against half a millisecond to hand it over.
_SETS_PER_UNIT = 100

# Index of the utilisation, numbers of its sets.
_Unit: TypeAlias = tuple[int, list[int]]


@dataclass(frozen=True, slots=True)
class ExperimentRequest:
    """What is run, where it is stored, and what was typed."""

    plan: Plan
    asked: ExperimentRun
    final: Path
    command_line: list[str]
    workers: Workers
    is_quiet: bool


def run_experiment(request: ExperimentRequest, signals: Forwarder) -> Finished:
    """Test all sets that are not tested yet, and store the answers.

    Returns:
        Where they are, and how it ended; an experiment that is complete is left as it is.

    Raises:
        ConfigError: The directory holds something else, or the generator cannot draw such sets.
        PlatformError: The output is full, or a worker was killed; the same command goes on.
    """
    check_same = partial(_check_same, request=request)
    done = take_up.stored(request.final, check_same)
    if done is not None and done.status == "complete":
        return Finished(request.final, done)
    if done is not None:
        take_up.reopen(request.final)
    run = take_up.claim(request.final, check_same)
    try:
        manifest = _begin(run, request)
        is_whole = _test_sets(run, request, signals)
        return _finish(run, manifest, is_whole=is_whole)
    except LaxityError:
        if not _has_rows(run.tmp):
            shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _check_same(directory: Path, request: ExperimentRequest) -> None:
    """Refuse to go on with what was not drawn and tested in the same way.

    Raises:
        ConfigError: It was not.
    """
    advice = "name another directory or remove it"
    try:
        run = run_directory.open_run(directory)
        found, spec_text = run.manifest.experiment, run.spec_text
    except (ConfigError, RecordError) as error:
        msg = f"run directory {directory}: exists and holds no experiment; {advice}"
        raise ConfigError(msg) from error
    if found is None:
        what = f"holds a run of kind {run.manifest.kind}"
    elif spec_text != experiment_to_toml(request.plan.experiment):
        what = "holds an experiment of another FILE.toml"
    elif _without_path(found) != _without_path(request.asked):
        what = "holds an experiment with other costs"
    elif run.manifest.tool.version != _begun(request).tool.version:
        what = f"was begun by laxity {run.manifest.tool.version}"
    else:
        return
    msg = f"run directory {directory}: {what}; {advice}"
    raise ConfigError(msg)


def _without_path(asked: ExperimentRun) -> ExperimentRun:
    """Leave out where the costs were read: it may be written in many ways."""
    if asked.costs is None:
        return asked
    return msgspec.structs.replace(asked, costs=msgspec.structs.replace(asked.costs, path=""))


def _begun(request: ExperimentRequest) -> Manifest:
    costs = request.asked.costs
    machine_hash = None if costs is None else costs.machine_hash
    return msgspec.structs.replace(
        new_manifest("experiment", NAME, request.command_line, machine_hash),
        seed=request.plan.experiment.seed,
        experiment=request.asked,
    )


def _begin(run: NewRun, request: ExperimentRequest) -> Manifest:
    """Write what is known before; of one that is taken up the start stays."""
    manifest = _begun(request)
    if (run.tmp / MANIFEST).is_file():
        left = run_directory.read_manifest(run.tmp)
        manifest = msgspec.structs.replace(manifest, started_at=left.started_at)
    run_directory.write_file(run.tmp / SPEC, experiment_to_toml(request.plan.experiment).encode())
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    return manifest


def _test_sets(run: NewRun, request: ExperimentRequest, signals: Forwarder) -> bool:
    """Test what is not tested yet; tell whether all of it is now."""
    rows = SetRows(run.tmp, request.asked)
    n_done = len(rows.tested)
    n_sets = len(request.asked.utilisations_ppm) * request.asked.sets
    progress = Countdown("laxity bound", "sets", is_quiet=request.is_quiet)
    progress.go_on(n_done, n_sets)
    units = _units(request.asked, rows.tested)
    try:
        with closing(
            worked(
                _work(request.plan),
                units,
                request.workers,
                lambda: signals.has_received,
                not_inherited=[run.lock_fd],
            )
        ) as results:
            for (point, numbers), answers in results:
                rows.append(point, numbers, answers)
                n_done += len(numbers)
                progress.show(n_done)
    except ValueError as error:
        msg = f'{error}; write generator = "randfixedsum"'
        raise ConfigError(msg) from error
    finally:
        progress.close()
        rows.close()
    return n_done == n_sets


def _work(plan: Plan) -> Callable[[_Unit], list[list[bool]]]:
    utilisations_ppm = plan.experiment.utilisations_ppm

    def work(unit: _Unit) -> list[list[bool]]:
        point, numbers = unit
        return judge_sets(plan, utilisations_ppm[point], numbers)

    return work


def _units(asked: ExperimentRun, tested: set[tuple[int, int]]) -> Iterator[_Unit]:
    """Part what is left into units, all utilisations at once: what is there early is a figure."""
    for first in range(0, asked.sets, _SETS_PER_UNIT):
        part = range(first, min(first + _SETS_PER_UNIT, asked.sets))
        for point in range(len(asked.utilisations_ppm)):
            numbers = [number for number in part if (point, number) not in tested]
            if numbers:
                yield point, numbers


def _finish(run: NewRun, manifest: Manifest, *, is_whole: bool) -> Finished:
    n_left = close_rows(run.tmp, manifest)
    if not (run.tmp / STREAM).exists():
        shutil.rmtree(run.tmp)
        raise KeyboardInterrupt
    manifest = msgspec.structs.replace(
        manifest,
        status="complete" if is_whole else "interrupted",
        exit_code=EXIT_DONE if is_whole else EXIT_INTERRUPTED,
        message=""
        if is_whole
        else f"interrupted, {n_left} sets were not tested yet; the same command goes on",
        finished_at=ends.now(),
    )
    finish.write_final_manifest(run.tmp, manifest)
    return finish.finish_run(run.tmp, has_survived=True)


def _has_rows(tmp: Path) -> bool:
    from laxity.store.npy import read_header  # noqa: PLC0415 - only after a failure

    return (tmp / STREAM).exists() and read_header(tmp / STREAM).rows > 0
