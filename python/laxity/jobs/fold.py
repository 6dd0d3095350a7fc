# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A run of tasks is made of what laxity-run has left of it."""

import subprocess
import sys
from pathlib import Path

import msgspec

from laxity.errors import EXIT_PLATFORM, EXIT_USAGE, PlatformError, RecordError
from laxity.jobs import limits
from laxity.jobs.ends import End, judge_end, last_change, read_native
from laxity.jobs.results import corunner_results, counted_from_rows, stop_result, task_results
from laxity.platform.tools import find_tool
from laxity.store.manifest import Counts, Manifest, TaskResult, kind_of_figures
from laxity.store.native import Native
from laxity.store.run_directory import SEGMENT, SPEC
from laxity.trace import record

# Exit codes of laxity-run that mean "refused", not "ended": usage, and what the machine lacks.
_REFUSALS = (EXIT_USAGE, EXIT_PLATFORM)


def fold(tmp: Path, manifest: Manifest, end: End) -> tuple[Manifest, bool]:
    """Put the halves of laxity-run and laxity-trace into the manifest.

    Returns:
        The manifest, and whether there is anything to keep.
    """
    if not (tmp / SPEC).exists() and not (tmp / "jobs.npy").exists():
        # Its writer died between its first files: no release can have happened.
        return manifest, False
    folded = record.fold_trace(tmp, _fold_tasks(tmp, manifest, end))
    return folded, _has_measured(tmp, folded)


def _fold_tasks(tmp: Path, manifest: Manifest, end: End) -> Manifest:
    native = read_native(tmp)
    if native is None and _has_segment(tmp):
        _recover_segment(tmp)
        native = read_native(tmp)
    spec = limits.read_resolved_spec(tmp)
    if native is None:
        return _fold_nothing(tmp, manifest, end.returncode)
    folded = msgspec.structs.replace(
        manifest,
        clock=native.clock,
        counter=native.counter,
        snapshots=native.snapshots,
        events=native.events,
        sampling=native.sampling,
        stop=stop_result(spec, native.stop),
        stalls=native.stalls,
        stalls_unlisted=native.stalls_unlisted,
        memory_traffic=native.memory_traffic,
        status=native.status if end.has_survived else "recovered",
        exit_code=native.exit_code,
        message=_message_of(native),
        tasks=task_results(spec, native.tasks),
        corunners=corunner_results(spec, native.corunners),
        fallbacks=native.fallbacks,
        finished_at=end.time(tmp),
    )
    return limits.apply(tmp, spec, folded)


def _message_of(native: Native) -> str:
    """Leave out the advice how to complete the run: that is being done."""
    if native.exit_code != EXIT_PLATFORM or native.clock.t0_ns is None:
        return native.message
    return native.message.rpartition("; ")[0] or native.message


def _fold_nothing(tmp: Path, manifest: Manifest, returncode: int | None) -> Manifest:
    """Make the best of a run whose harness left no result."""
    spec = limits.read_resolved_spec(tmp)
    counts = counted_from_rows(tmp / "jobs.npy")
    tasks: list[TaskResult] = [
        msgspec.structs.replace(task, counts=found, released=found.released, started=found.started)
        for task in task_results(spec, [])
        for found in [counts.get(task.index, Counts())]
    ]
    is_simulated = kind_of_figures(manifest) == "simulated"
    tool = "laxity-sim" if is_simulated else "laxity-run"
    status, exit_code, message = judge_end(returncode, tool)
    if spec.keep != "all" and counts:
        message += f"; keep {spec.keep} has left rows of some jobs alone: shares are of these"
    return msgspec.structs.replace(
        manifest,
        status=status,
        exit_code=exit_code,
        message=message,
        tasks=tasks,
        corunners=corunner_results(spec, []),
        finished_at=last_change(tmp),
    )


def _has_measured(tmp: Path, manifest: Manifest) -> bool:
    """Whether there is anything to keep: a run that was refused, or never began, leaves nothing."""
    if manifest.clock is None:
        return (tmp / "jobs.npy").exists() and manifest.exit_code not in _REFUSALS
    return manifest.clock.t0_ns is not None or manifest.exit_code not in _REFUSALS


def _has_segment(tmp: Path) -> bool:
    """Whether the segment is there; after a reboot only its link is left."""
    return (tmp / SEGMENT).exists()


def _recover_segment(tmp: Path) -> None:
    tool = find_tool("laxity-run")
    done = subprocess.run(
        [tool, "--recover", tmp.absolute()],
        check=False,
        stdout=2,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if not done.returncode:
        sys.stderr.write(done.stderr)
        return
    # It has said why; that is the message.
    said = done.stderr.strip().removeprefix("laxity-run: ") or f"exit code {done.returncode}"
    kind = PlatformError if done.returncode == EXIT_PLATFORM else RecordError
    msg = f"run {tmp}: cannot be completed: {said}"
    raise kind(msg)
