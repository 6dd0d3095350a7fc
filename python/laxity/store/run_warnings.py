# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What runs within a run say of themselves that weakens their figures, each warning once.

A command that is made of runs answers from their rows; the warnings in their manifests reach its
answer from here.
"""

from collections.abc import Iterable, Iterator

from laxity.core.units import format_duration_ns
from laxity.store.manifest import Manifest, Record, displaced_lines
from laxity.store.run_directory import Run


class RunWarning(Record, frozen=True, kw_only=True):
    """A warning, and the names of the runs that state it."""

    text: str
    runs: list[str]


def warnings_within(runs: Iterable[Run]) -> list[RunWarning]:
    """Join the warnings of runs, those of runs within them included.

    Raises:
        RecordError: The manifest of a run within is unreadable.
    """
    found: dict[str, list[str]] = {}
    for name, manifest in _manifests(runs, ""):
        for text in _texts(manifest):
            found.setdefault(text, []).append(name)
    return [RunWarning(text=text, runs=names) for text, names in found.items()]


def _manifests(runs: Iterable[Run], prefix: str) -> Iterator[tuple[str, Manifest]]:
    for run in runs:
        name = f"{prefix}{run.path.name}"
        yield name, run.manifest
        yield from _manifests(run.children, f"{name}/")


def _texts(manifest: Manifest) -> Iterator[str]:
    for fallback in manifest.fallbacks:
        yield f"fallback: {fallback.what}: {fallback.used} used ({fallback.reason})"
    yield from stall_lines(manifest)
    for note in manifest.notes:
        yield f"note: {note}"
    for task in manifest.tasks:
        yield from displaced_lines(task.name, task.displaced)
        if task.lost_rows:
            yield f"rows of {task.name} were lost: the log ring was full"
        if task.lost_marks:
            yield f"marks of {task.name} were lost: their ring was full"
    for corunner in manifest.corunners:
        yield from displaced_lines(f"co-runner {corunner.workload}", corunner.displaced)


def stall_lines(manifest: Manifest) -> list[str]:
    """Say when a run, or a task of it, stood still; empty: never."""
    clock = manifest.clock
    t0_ns = 0 if clock is None or clock.t0_ns is None else clock.t0_ns
    names = {task.index: f'task "{task.name}" was stopped' for task in manifest.tasks}
    found = []
    for stall in manifest.stalls:
        whose = (
            "the run stood still" if stall.task is None else names.get(stall.task, "a task stopped")
        )
        began = format_duration_ns(max(stall.from_ns - t0_ns, 0))
        end_ns = stall.to_ns if stall.to_ns is not None else None if clock is None else clock.end_ns
        lasted = "" if end_ns is None else f" for {format_duration_ns(end_ns - stall.from_ns)}"
        found.append(
            f"{whose}{lasted}, {began} after the first release; its jobs of that time are in no "
            "figure, and the run supports no verdict"
        )
    if manifest.stalls_unlisted:
        n = manifest.stalls_unlisted
        found.append(f"the run stood still {n} more times; the figures hold those jobs")
    return found
