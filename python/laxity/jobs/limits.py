# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The limits that a spec states, judged when the run has ended; the exit code follows from them."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from laxity.core.spec import Spec
from laxity.core.spec_reader import read_spec_toml
from laxity.core.streams import Quantity
from laxity.core.units import decimal_duration, exact_duration
from laxity.errors import (
    EXIT_DONE,
    EXIT_NO_VERDICT,
    EXIT_VIOLATED,
    ConfigError,
    RecordError,
    cannot_read,
)
from laxity.page.blocks import count_noun
from laxity.store.manifest import Manifest, TaskResult
from laxity.store.npy import read_stream
from laxity.store.run_directory import SPEC

# A stored spec was checked against the clock of the machine it ran on; reading it needs no clock.
_ANY_RESOLUTION_NS = 1


def read_resolved_spec(directory: Path) -> Spec:
    """Read the resolved experiment that a run holds.

    Raises:
        RecordError: It is missing or was changed so that it is none.
    """
    path = directory / SPEC
    try:
        return read_spec_toml(path.read_bytes(), {}, _ANY_RESOLUTION_NS, is_stored=True)
    except OSError as error:
        raise cannot_read(path, error) from error
    except ConfigError as error:
        msg = f"{path}: {error}"
        raise RecordError(msg) from error


def apply(directory: Path, spec: Spec, manifest: Manifest) -> Manifest:
    """Judge a run that ended well by the limits of its spec.

    A run that ended otherwise keeps its exit code: that cause came first in time.

    Returns:
        The manifest, with exit code and message of the first limit that is violated.
    """
    if manifest.exit_code != EXIT_DONE:
        return manifest
    for code, message in (
        _judge_lost_rows(manifest),
        _judge_misses(directory, spec, manifest),
        _judge_response(directory, spec, manifest),
    ):
        if code != EXIT_DONE:
            return msgspec.structs.replace(manifest, exit_code=code, message=message)
    return manifest


def _judge_lost_rows(manifest: Manifest) -> tuple[int, str]:
    lost = sum(task.lost_rows for task in manifest.tasks)
    if lost:
        return EXIT_NO_VERDICT, f"{lost} rows were lost (log ring full): no verdict"
    return EXIT_DONE, ""


def _judge_misses(directory: Path, spec: Spec, manifest: Manifest) -> tuple[int, str]:
    limit = spec.max_misses
    if limit is None:
        return EXIT_DONE, ""
    not_met = sum(task.counts.not_met for task in manifest.tasks)
    if not_met > limit:
        return EXIT_VIOLATED, f"{not_met} jobs not met, above the limit max_misses {limit}"
    idle = next((task.name for task in manifest.tasks if not task.released), None)
    if idle is not None:
        return EXIT_NO_VERDICT, f'max_misses {limit}: task "{idle}" had no release: no verdict'
    unknown = _unknown_release(directory, manifest, with_deadline=True)
    if unknown is not None:
        return EXIT_NO_VERDICT, f"max_misses {limit}: {unknown}: no verdict"
    for task in manifest.tasks:
        if task.deadline_ns is not None and task.counts.undecided:
            jobs = count_noun(task.counts.undecided, "job")
            left = f'{jobs} of task "{task.name}" still pending'
            return EXIT_NO_VERDICT, f"max_misses {limit}: {left}: no verdict"
    return EXIT_DONE, ""


def _judge_response(directory: Path, spec: Spec, manifest: Manifest) -> tuple[int, str]:
    limit_ns = spec.max_response_ns
    if limit_ns is None:
        return EXIT_DONE, ""
    shown = exact_duration(limit_ns)
    low_ns, high_ns = _longest_response_ns(directory, manifest)
    low = decimal_duration(low_ns)
    if low_ns > limit_ns:
        longest = low if low_ns == high_ns else f"of at least {low}"
        return EXIT_VIOLATED, f"response time {longest} is above the limit max_response {shown}"
    if high_ns > limit_ns:
        message = (
            f"max_response {shown}: the longest response time lies between {low}"
            f" and {decimal_duration(high_ns)} (keep {spec.keep} stores no more): no verdict"
        )
        return EXIT_NO_VERDICT, message
    idle = next((task.name for task in manifest.tasks if not _n_finished([task])), None)
    if idle is not None:
        return (
            EXIT_NO_VERDICT,
            f'max_response {shown}: no job of task "{idle}" finished: no verdict',
        )
    unknown = _unknown_release(directory, manifest, with_deadline=False)
    if unknown is not None:
        return EXIT_NO_VERDICT, f"max_response {shown}: {unknown}: no verdict"
    for task in manifest.tasks:
        if task.counts.aborted or task.counts.pending:
            jobs = count_noun(task.counts.aborted + task.counts.pending, "job")
            left = f'{jobs} of task "{task.name}"'
            why = "did not finish, which would have taken longest"
            return EXIT_NO_VERDICT, f"max_response {shown}: {left} {why}: no verdict"
    return EXIT_DONE, ""


def _longest_response_ns(directory: Path, manifest: Manifest) -> tuple[int, int]:
    """Find the longest response time: exact if every finished job has its row.

    What was asked to be kept does not matter; without them it is as far as the histogram knows.

    Returns:
        Lower and upper limit, both inclusive; (0, 0) if no job finished.
    """
    rows = read_stream(directory / "jobs.npy")
    response_ns = (rows["finish_ns"] - rows["release_ns"]).compressed()
    if response_ns.size == _n_finished(manifest.tasks):
        longest_ns = int(response_ns.max()) if response_ns.size else 0
        return longest_ns, longest_ns
    histogram = read_stream(directory / "histogram.npy")
    is_counted = (histogram["quantity"] == Quantity.RESPONSE_TIME) & (histogram["count"] > 0)
    counted = histogram[is_counted.filled(fill_value=False)]
    if not counted.size:
        return 0, 0
    return int(counted["lower_ns"].max()), int(counted["upper_ns"].max()) - 1


def _unknown_release(directory: Path, manifest: Manifest, *, with_deadline: bool) -> str | None:
    """Say of which task with its own loop (`program`) a release is not known; None: of none.

    Every finished job counts in histogram.npy, its response time only where there is one.
    """
    asked = [
        task
        for task in manifest.tasks
        if task.makes_own_jobs and (task.deadline_ns is not None or not with_deadline)
    ]
    if not asked:
        return None
    histogram = read_stream(directory / "histogram.npy")
    for task in asked:
        is_known = (histogram["task"] == task.index) & (
            histogram["quantity"] == Quantity.RESPONSE_TIME
        )
        unknown = _n_finished([task]) - int(histogram["count"][is_known].sum() or 0)
        if unknown:
            return f'release of {unknown} jobs of task "{task.name}" is not known'
    return None


def _n_finished(tasks: Iterable[TaskResult]) -> int:
    return sum(task.counts.done + task.counts.missed for task in tasks)
