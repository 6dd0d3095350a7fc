# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What manifest.json holds of a program that ran already when it was observed."""

import msgspec


class Part(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of the parts: closed and immutable."""


class Scheduling(Part, frozen=True, kw_only=True):
    """How a thread was scheduled when it was last looked at. `priority` null: its policy has none.

    `cpus`: those that it may use.
    """

    tid: int
    policy: str
    priority: int | None
    cpus: str


# What to do about a trace that knows switches alone, as that of perf.
# Says so where a run has no verdict for it.
RECORDER_KILLED = "the recorder was killed; what it had lost is not known"
WITH_IDLE_CPUS = "observe it outside this container, where wake-ups are traced"
WITH_WAKE_UPS = "observe it as root and without --trace-backend perf, so that wake-ups are traced"


class ObservedThread(Part, frozen=True, kw_only=True):
    """What was found of one thread of an observed program. Estimates are null where there are none.

    `task` null: no job of it was seen. `rhythm`: `periodic`, `drifting` (a mean distance, but no
    fixed releases), `not periodic`, `too few jobs`. `half_width_ns`: of 95 % confidence intervals.
    The other counts are those of `laxity.trace.observed_jobs.ThreadJobs`.
    """

    task: int | None
    tid: int
    pid: int
    comm: str
    rhythm: str
    n_arrivals: int
    n_used: int
    period_ns: float | None = None
    period_half_width_ns: float | None = None
    first_release_ns: int | None = None
    first_release_half_width_ns: float | None = None
    spread_ns: float | None = None
    n_stretches: int = 0
    n_lost: int = 0
    n_contradictory: int = 0
    n_cut: int = 0
    n_without_job: int = 0


class Observation(Part, frozen=True, kw_only=True):
    """What a program that runs already was watched for, and what was found (kind observe).

    `target`: as the user named it. `processes`: all their threads are observed, with `cgroup` also
    processes that they start. `has_wake_ups` null: not yet known.
    `ended_by`: program, jobs, duration, interrupt; null: killed.
    """

    target: str
    processes: list[int]
    program: list[str]
    cgroup: str | None = None
    deadline_ns: int | None = None
    is_split: bool = False
    has_wake_ups: bool | None = None
    ended_by: str | None = None
    scheduling: list[Scheduling] = []
    threads: list[ObservedThread] = []
