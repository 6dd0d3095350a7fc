# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What came of a regulated run: was the promise kept, and how long could co-runners run?"""

from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from laxity.contention.plan import KEPT_TABLE, LEASE_PERIODS, gamma_ns_of, solo_ns_of
from laxity.contention.table import decode_table
from laxity.core.percent import percent
from laxity.core.spec import Spec
from laxity.core.streams import STOP_REASONS
from laxity.core.task_set import bound_keys_of
from laxity.core.units import format_duration_ns
from laxity.errors import ConfigError, RecordError, cannot_read
from laxity.jobs import rows
from laxity.jobs.limits import read_resolved_spec
from laxity.store.npy import read_stream
from laxity.store.run_directory import Run, open_run

_MILLION = 1_000_000
# Why co-runners may not run after a reading, by the codes of regulation.npy.
REASONS = {
    "start": "unknown start",
    "outside": "outside the profile",
    "slack": "slack too small",
    "beyond": "traffic above the table",
    "reserve": "slack reserved",
    "waits": "stop not confirmed",
    "job": "job running",
    "budget": "traffic used",
}


class Regulated(msgspec.Struct, frozen=True, kw_only=True):
    """A regulated task; times in ns.

    `solo_ns` is C, `gamma_ns` the reload after one preemption: a job with k of them is promised
    (1 + theta) C + k gamma of processor time. `nearest_job` has the least left of its promise.
    `parallelism_ppm`: part of the jobs' time, start to finish, in which co-runners were allowed.
    `reasons`: of the stops, by code, the most frequent first; null: an older run lacks them.
    """

    kind: Literal["simulated", "measured"]
    task: str
    theta_ppm: int
    solo_ns: int
    gamma_ns: int
    jobs: int
    kept: int
    nearest_job: int | None
    nearest_ns: int | None
    nearest_promised_ns: int | None
    parallelism_ppm: int | None
    stops: int
    reasons: dict[str, int] | None = None


def regulated_at(path: Path) -> Regulated | None:
    """Judge the jobs of a run by its directory; None: it was not regulated.

    Raises:
        RecordError: The run is damaged.
    """
    return read_regulated(open_run(path)) if (path / KEPT_TABLE).is_file() else None


def read_regulated(run: Run) -> Regulated | None:
    """Judge the jobs of a run; None: it was not regulated.

    Raises:
        RecordError: The run is damaged.
    """
    if not (run.path / KEPT_TABLE).is_file():
        return None
    spec = read_resolved_spec(run.path)
    if spec.regulate is None:
        return None
    index = [task.name for task in spec.tasks].index(spec.regulate.task)
    jobs = rows.finished(rows.in_order(rows.of_task(run.stream("jobs"), index)))
    return _judge(spec, index, run, jobs)


def _judge(spec: Spec, index: int, run: Run, jobs: rows.Jobs) -> Regulated:
    regulate, keys = spec.regulate, bound_keys_of(spec.tasks[index])
    assert regulate is not None  # noqa: S101 - for mypy
    try:
        table = decode_table((run.path / KEPT_TABLE).read_bytes())
    except OSError as error:
        raise cannot_read(run.path / KEPT_TABLE, error) from error
    except ConfigError as error:
        msg = f"{run.path / KEPT_TABLE}: {error}; the run is of another version, or damaged"
        raise RecordError(msg) from error
    is_shared = len(spec.tasks) > 1
    solo_ns = solo_ns_of(table, keys, is_shared=is_shared)
    gamma_ns = (gamma_ns_of(table, keys) or 0) if is_shared else 0
    own_ns, preemptions = (
        np.ma.getdata(jobs[column]).astype(np.int64) for column in ("exec_ns", "preemptions")
    )
    budget_ns = solo_ns * regulate.theta_ppm // _MILLION
    promised_ns = solo_ns + budget_ns + preemptions * gamma_ns
    nearest = int(np.argmin(promised_ns - own_ns)) if len(jobs) else None
    readings = read_readings(run.path)
    lease_ns = LEASE_PERIODS * regulate.period_ns if table.is_native else None
    allowed, stops = shares(jobs, readings, lease_ns)
    return Regulated(
        kind="measured" if table.is_native else "simulated",
        task=regulate.task,
        theta_ppm=regulate.theta_ppm,
        solo_ns=solo_ns,
        gamma_ns=gamma_ns,
        jobs=len(jobs),
        kept=int(np.count_nonzero(own_ns <= promised_ns)),
        nearest_job=None if nearest is None else int(jobs["job"][nearest]),
        nearest_ns=None if nearest is None else int(own_ns[nearest]),
        nearest_promised_ns=None if nearest is None else int(promised_ns[nearest]),
        parallelism_ppm=None if allowed is None else int(allowed * _MILLION),
        stops=stops,
        reasons=reasons_of(readings),
    )


def read_readings(run_path: Path) -> Any:  # noqa: ANN401 - as streams
    """Read regulation.npy of a run.

    Raises:
        RecordError: It is missing or damaged, or no regulator can have written it.
    """
    path = run_path / "regulation.npy"
    readings = read_stream(path)
    times_ns, allowed = (np.ma.getdata(readings[column]) for column in ("time_ns", "allowed"))
    # Absent without a sensor.
    traffic_bytes = np.ma.filled(readings["traffic_bytes"], 0)
    flaws = {
        "time_ns is negative": times_ns < 0,
        "time_ns does not rise": times_ns[1:] <= times_ns[:-1],
        "traffic_bytes is negative": traffic_bytes < 0,
        "allowed is neither 0 nor 1": allowed > 1,
    }
    if has_reasons(readings):
        reason = np.ma.getdata(readings["reason"])
        flaws["reason is unknown"] = reason >= len(STOP_REASONS)
        flaws["reason and allowed contradict each other"] = (reason == 0) != (allowed == 1)
    for flaw, is_so in flaws.items():
        if np.any(is_so):
            msg = f"{path}: {flaw} in row {int(np.argmax(is_so))}; the run is damaged"
            raise RecordError(msg)
    return readings


def shares(
    jobs: rows.Jobs,
    readings: Any,  # noqa: ANN401 - as streams
    lease_ns: int | None = None,
) -> tuple[float | None, int]:
    """Tell for which part of the jobs' time co-runners were allowed, and how often they stopped.

    Args:
        jobs: Rows of jobs.npy, finished; shape (job,).
        readings: Rows of regulation.npy; shape (reading,). A decision holds until the next one,
            and co-runners run before the first.
        lease_ns: How long a permission lasts; None: until the next reading.

    Returns:
        The part, None without a job; stops of the whole run.
    """
    starts, ends = (
        np.ma.getdata(jobs[column]).astype(np.int64) for column in ("start_ns", "finish_ns")
    )
    times = np.ma.getdata(readings["time_ns"]).astype(np.int64)
    is_allowed = np.ma.getdata(readings["allowed"]).astype(bool)
    stops = int(np.count_nonzero(np.diff(np.concatenate([[1], is_allowed.astype(int)])) < 0))
    total_ns = int((ends - starts).sum())
    if total_ns == 0:
        return None, stops
    if len(times) == 0:
        return 1.0, stops
    if lease_ns is not None:
        ends_early = is_allowed & (np.diff(times, append=times[-1]) > lease_ns)
        times = np.concatenate([times, times[ends_early] + lease_ns])
        order = np.argsort(times, kind="stable")
        is_allowed = np.concatenate([is_allowed, np.zeros(int(ends_early.sum()), dtype=bool)])
        times, is_allowed = times[order], is_allowed[order]
    # Time that was allowed until an instant, linear between readings.
    edges = np.concatenate([times, [max(int(times[-1]), int(ends.max())) + 1]])
    until = np.concatenate([[0], np.cumsum(np.diff(edges) * is_allowed)])
    before = np.minimum(np.stack([starts, ends]), times[0]) - times[0]
    allowed = np.interp(np.stack([starts, ends]), edges, until) + before
    return float((allowed[1] - allowed[0]).sum()) / total_ns, stops


def has_reasons(readings: Any) -> bool:  # noqa: ANN401 - as streams
    """Tell whether readings say why co-runners may not run: those of older runs do not."""
    return "reason" in (readings.dtype.names or ())


def reasons_of(readings: Any) -> dict[str, int] | None:  # noqa: ANN401 - as streams
    """Count the stops of a run by their reasons.

    Args:
        readings: Rows of regulation.npy; shape (reading,). Co-runners run before the first.

    Returns:
        By code, the most frequent first; None: an older run lacks them.
    """
    if not has_reasons(readings):
        return None
    is_allowed = np.ma.getdata(readings["allowed"]).astype(int)
    is_stop = np.diff(np.concatenate([[1], is_allowed])) < 0
    counts = np.bincount(np.ma.getdata(readings["reason"])[is_stop], minlength=len(STOP_REASONS))
    codes = np.argsort(-counts, kind="stable")
    return {STOP_REASONS[code]: int(counts[code]) for code in codes if counts[code]}


def regulated_lines(found: Regulated) -> list[str]:
    """Say whether the promise was kept, how near the nearest job came, and what co-runners had."""
    promise = f"(1 + {percent(found.theta_ppm)}) C"
    if found.gamma_ns:
        promise += " + k \N{GREEK SMALL LETTER GAMMA}"
    lines = [
        f"{found.task} kept the promise of {promise} in {found.kept} of {found.jobs} jobs "
        f"({found.kind}, C {format_duration_ns(found.solo_ns)}"
        + (
            f", \N{GREEK SMALL LETTER GAMMA} {format_duration_ns(found.gamma_ns)})."
            if found.gamma_ns
            else ")."
        )
    ]
    if found.nearest_ns is not None and found.nearest_promised_ns is not None:
        left_ns = found.nearest_promised_ns - found.nearest_ns
        how = "came nearest" if left_ns >= 0 else "went furthest beyond"
        lines.append(
            f"Job {found.nearest_job} {how}: it took {format_duration_ns(found.nearest_ns)}, "
            f"{format_duration_ns(abs(left_ns))} {'less' if left_ns >= 0 else 'more'} than "
            "promised."
        )
    if found.parallelism_ppm is not None:
        lines.append(
            f"Co-runners were allowed for {percent(found.parallelism_ppm)} of the jobs' time and "
            f"stopped {found.stops} times."
        )
    if found.reasons:
        reasons = ", ".join(f"{n} {REASONS[code]}" for code, n in found.reasons.items())
        lines.append(f"Reasons of the stops: {reasons}.")
    return lines
