# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What runs within a run say of themselves that weakens their figures, each warning once.

A command that is made of runs answers from their rows; the warnings in their manifests reach its
answer from here.
"""

from collections.abc import Iterable, Iterator

from laxity.store.hindrances import stall_lines
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
