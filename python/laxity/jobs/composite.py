# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A run that consists of runs: DIR/manifest.json, DIR/runs/NAME, one report."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from laxity.core.executor import Workers, worked
from laxity.core.progress import part_of_whole
from laxity.core.signals import Forwarder
from laxity.errors import EXIT_DONE, EXIT_INTERRUPTED, LaxityError
from laxity.jobs import finish, take_up
from laxity.jobs.ends import now
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest, write_diagnosis
from laxity.platform.doctor import Diagnosis, drift
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.store import run_directory
from laxity.store.manifest import Fallback, Manifest, Status
from laxity.store.run_directory import MACHINE, MANIFEST, NewRun

# What a worker's program needs to see that its worker is gone, and to end its run.
_PATIENCE_S, _POLL_S = 10, 0.02


@dataclass(frozen=True, slots=True)
class Child:
    """One run within.

    Attributes:
        name: Of the run.
        run: Runs it into the directory that it is given.
        is_needed: Unless it ends well, those after it are of no use and are left out.
        is_extra: How it ends says nothing of the whole; if it cannot be made, that is a fallback.
        stage: Where several run at once, only those of one stage do, each behind all before it.
        expected_s: How long it takes; None: not known before.
    """

    name: str
    run: Callable[[Path, Forwarder], Finished]
    is_needed: bool = False
    is_extra: bool = False
    stage: int = 0
    expected_s: float | None = None


class Display(Protocol):
    """Shows how far it is."""

    def go_on(self, n_done: int, n_all: int) -> None:
        """Tell where it begins."""

    def show(self, n_done: int) -> None:
        """Show how many there are."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class _Silent:
    def go_on(self, n_done: int, n_all: int) -> None:
        pass

    def show(self, n_done: int) -> None:
        pass

    def close(self) -> None:
        pass


def _write_nothing(_tmp: Path) -> None:
    pass


def _never(_runs: Path, _n_run: int) -> bool:
    return False


def _ended_well(_tmp: Path) -> tuple[int, str]:
    return EXIT_DONE, ""


@dataclass(frozen=True, slots=True)
class Composite:
    """What the whole is, where it is stored, and what was typed.

    Attributes:
        begin: Writes what else belongs to the whole into its directory, before the first child.
        is_enough: Asked before each child, with the directory of the runs and how many there are:
            the others are not needed any more.
        judge: Asked, where all children ended well, how the whole did: exit code, and why.
        check_same: Raises ConfigError unless a directory holds this very run: then what an
            interrupted or killed one has left is taken up, and children that are complete are not
            run again. None: no directory may be there.
        parents: Runs that it rests on.
        platform: Of all of them, as the manifest names it.
        workers: Who runs the children; with several none may be extra, and each depends on those of
            stages before its own alone.
        display: Shows progress.
    """

    kind: Literal["cache-misses", "demo", "measure", "monitor", "profile", "reproduction", "suite"]
    name: str
    final: Path
    command_line: list[str]
    seed: int | None
    cpus: tuple[int, ...]
    fallbacks: tuple[Fallback, ...]
    children: tuple[Child, ...]
    begin: Callable[[Path], None] = _write_nothing
    is_enough: Callable[[Path, int], bool] = _never
    judge: Callable[[Path], tuple[int, str]] = _ended_well
    check_same: Callable[[Path], None] | None = None
    parents: tuple[str, ...] = ()
    platform: str = "native"
    workers: Workers = field(default_factory=Workers)
    display: Display = field(default_factory=_Silent)


def run_composite(
    whole: Composite, signals: Forwarder, platform: Platform = THIS_MACHINE
) -> Finished:
    """Run the children one after the other and store all of them as one run.

    Returns:
        Where it is; of several children that did not end well the first one decides how it ended.
        A complete one that is there already is left as it is.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As a child's; what was measured before stays.
    """
    if whole.check_same is not None:
        done = take_up.stored(whole.final, whole.check_same)
        if done is not None and done.status == "complete":
            return Finished(whole.final, done)
        if done is not None:
            take_up.reopen(whole.final)
        run = take_up.claim(whole.final, whole.check_same)
    else:
        run = run_directory.create_run(whole.final)
    try:
        manifest, before = _write_before(run, whole, platform)
        run_all = _run_children if whole.workers.count == 1 else _run_at_once
        try:
            finished, left_out, is_interrupted = run_all(run, whole, signals)
        finally:
            whole.display.close()
        manifest = msgspec.structs.replace(manifest, fallbacks=[*manifest.fallbacks, *left_out])
        after = platform.examine(before.cpus).diagnosis
        write_diagnosis(run.tmp, before, after)
        manifest = msgspec.structs.replace(manifest, doctor_drift=list(drift(before, after)))
        deciding = [done.manifest for child, done in finished if not child.is_extra]
        kept = [done.path.name for _, done in finished if done.path is not None]
        manifest = _ended(manifest, kept, deciding, is_interrupted=is_interrupted)
        return _finish(run, manifest, whole.judge)
    except LaxityError:
        if not any((run.tmp / "runs").glob("*")):
            shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _run_children(
    run: NewRun, whole: Composite, signals: Forwarder
) -> tuple[list[tuple[Child, Finished]], list[Fallback], bool]:
    """Run the children.

    Returns:
        Those that ended, extra ones that could not be made, whether a signal came between two.
    """
    finished: list[tuple[Child, Finished]] = []
    left_out: list[Fallback] = []
    runs = run.tmp / "runs"
    complete = _complete_runs(runs)
    whole.display.go_on(len(complete), len(whole.children))
    n_done = len(complete)
    expected_s = [child.expected_s for child in whole.children]
    for number, child in enumerate(whole.children, 1):
        if signals.has_received:
            return [*finished, *_others(whole, complete, finished)], left_out, True
        if whole.is_enough(runs, len(finished)):
            break
        if child.name in complete:
            finished.append((child, complete[child.name]))
            continue
        try:
            with part_of_whole(number, expected_s):
                done = child.run(runs / child.name, signals)
        except KeyboardInterrupt:
            return [*finished, *_others(whole, complete, finished)], left_out, True
        except LaxityError as error:
            if not child.is_extra:
                raise
            left_out.append(Fallback(what=child.name, used="none", reason=str(error)))
            continue
        finished.append((child, done))
        n_done += 1
        whole.display.show(n_done)
        code = done.manifest.exit_code
        if code == EXIT_INTERRUPTED or (child.is_needed and code != EXIT_DONE):
            break
    return finished, left_out, False


def _run_at_once(
    run: NewRun, whole: Composite, signals: Forwarder
) -> tuple[list[tuple[Child, Finished]], list[Fallback], bool]:
    """Run the children as `_run_children` does, several at a time.

    What it finds is the same: a child depends on nothing that runs beside it.
    """
    runs = run.tmp / "runs"
    complete = _complete_runs(runs)
    whole.display.go_on(len(complete), len(whole.children))
    finished: list[tuple[Child, Finished]] = []
    for _, stage in groupby(whole.children, key=lambda child: child.stage):
        if whole.is_enough(runs, len(finished)):
            break
        children = list(stage)
        left = [child for child in children if child.name not in complete]
        for child, done in _worked(run, left, whole.workers, signals):
            complete[child.name] = done
            whole.display.show(len(complete))
        if signals.has_received:
            _await_orphans(runs)
            return _others(whole, _complete_runs(runs), []), [], True
        for child in children:
            finished.append((child, complete[child.name]))
            if child.is_needed and complete[child.name].manifest.exit_code != EXIT_DONE:
                _remove_others(runs, finished)
                return finished, [], False
    return finished, [], False


def _worked(
    run: NewRun, children: Sequence[Child], workers: Workers, signals: Forwarder
) -> Iterator[tuple[Child, Finished]]:
    """Run children in other processes, and give each with its end."""

    def work(at: int) -> Finished:
        child = children[at]
        # Who waits for the results hears signals, and ends the workers.
        return child.run(run.tmp / "runs" / child.name, Forwarder())

    results = worked(
        work,
        range(len(children)),
        workers,
        lambda: signals.has_received,
        not_inherited=[run.lock_fd],
    )
    with closing(results):
        for at, done in results:
            yield children[at], done


def _await_orphans(runs: Path) -> None:
    """Wait until the programs of workers that were ended have let go of their runs."""
    patience_s = time.monotonic() + _PATIENCE_S
    for left in sorted(runs.glob(f"*{run_directory.TMP_SUFFIX}")):
        while left.is_dir() and time.monotonic() < patience_s:
            lock_fd = run_directory.lock_directory(left)
            if lock_fd is not None:
                os.close(lock_fd)
                break
            time.sleep(_POLL_S)


def _remove_others(runs: Path, finished: Sequence[tuple[Child, Finished]]) -> None:
    """Remove the runs that were made beside one without which all others are of no use."""
    kept = {done.path.name for _, done in finished if done.path is not None}
    for path in runs.glob("*"):
        if path.name not in kept:
            shutil.rmtree(path)


def _others(
    whole: Composite, complete: Mapping[str, Finished], finished: Sequence[tuple[Child, Finished]]
) -> list[tuple[Child, Finished]]:
    """Give the complete runs that an interrupted command has not come to."""
    seen = {child.name for child, _ in finished}
    left = (child for child in whole.children if child.name not in seen)
    return [(child, complete[child.name]) for child in left if child.name in complete]


def _complete_runs(runs: Path) -> dict[str, Finished]:
    """Find the runs that an earlier command has left complete; what others have left is removed.

    Raises:
        ConfigError: One is still being written.
    """
    for left in sorted(runs.glob(f"*{run_directory.TMP_SUFFIX}")):
        finish.recover_left(left)
    complete = {}
    for path in sorted(runs.glob("*")):
        manifest = run_directory.read_manifest(path)
        if manifest.status == "complete":
            complete[path.name] = Finished(path, manifest)
        else:
            shutil.rmtree(path)
    return complete


def _write_before(run: NewRun, whole: Composite, platform: Platform) -> tuple[Manifest, Diagnosis]:
    found = platform.examine(whole.cpus)
    manifest = msgspec.structs.replace(
        new_manifest(whole.kind, whole.name, whole.command_line, found.machine.hash),
        platform=whole.platform,
        seed=whole.seed,
        on=platform.on,
        fallbacks=list(whole.fallbacks),
        runs=[child.name for child in whole.children],
        parents=list(whole.parents),
    )
    if (run.tmp / MANIFEST).is_file():
        left = run_directory.read_manifest(run.tmp)
        manifest = msgspec.structs.replace(manifest, started_at=left.started_at)
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    run_directory.write_document(run.tmp / MACHINE, found.machine)
    whole.begin(run.tmp)
    write_diagnosis(run.tmp, found.diagnosis, None)
    return manifest, found.diagnosis


def _ended(
    manifest: Manifest, kept: list[str], ends: Sequence[Manifest], *, is_interrupted: bool
) -> Manifest:
    """Say how the whole ended: the runs that were kept, and the ends of those that decide."""
    unwell = [end for end in ends if end.exit_code != EXIT_DONE or end.status != "complete"]
    status: Status = "complete"
    code: int | None = EXIT_DONE
    message = ""
    if unwell:
        code, message = unwell[0].exit_code, _message(manifest, unwell[0])
        status = next((end.status for end in unwell if end.status != "complete"), "complete")
    elif is_interrupted:
        code, message = EXIT_INTERRUPTED, "interrupted between two runs" if kept else "interrupted"
    if is_interrupted:
        status = "interrupted"
    return msgspec.structs.replace(
        manifest,
        status=status,
        exit_code=code,
        message=message,
        finished_at=now(),
        runs=kept,
    )


def _finish(run: NewRun, manifest: Manifest, judge: Callable[[Path], tuple[int, str]]) -> Finished:
    """Write the manifest of the whole and give it its name; nothing stays without a run within."""
    if not manifest.runs:
        shutil.rmtree(run.tmp)
        return Finished(None, manifest)
    finish.write_joined(run.tmp, manifest)
    if manifest.status == "complete" and manifest.exit_code == EXIT_DONE:
        code, message = judge(run.tmp)
        manifest = msgspec.structs.replace(manifest, exit_code=code, message=message)
    finish.write_final_manifest(run.tmp, manifest)
    return finish.finish_run(run.tmp, has_survived=True)


def _message(manifest: Manifest, end: Manifest) -> str:
    """Name the child, where it is not clear which one is meant."""
    named = {"cache-misses", "measure", "profile", "reproduction", "suite"}
    is_named = manifest.kind in named and end.message
    return f"{end.name}: {end.message}" if is_named else end.message
