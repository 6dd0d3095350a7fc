# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The task that every schedulability test reads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One recurring task; times are whole nanoseconds.

    Attributes:
        name: Unique in its set.
        wcet_ns: Processor time that no job exceeds when nothing preempts it; above 0.
        period_ns: Least distance of two releases before jitter; above 0.
        deadline_ns: Counts from the release before jitter; above 0, may exceed the period.
        jitter_ns: How much later than its release a job becomes ready, at most.
        blocking_ns: How long tasks of lower priority keep it from running, at most.
        priority: Larger is higher. Tests of fixed priorities alone read it.
        cpu: The one CPU it runs on.
        contention_ns: The part of `wcet_ns` that co-runners on other CPUs may cause.
        working_set_bytes: What it may have to load again after a preemption; None: not known.
        gamma_ns: How long that takes, co-runners included; None: by its working set.
        gamma_n: Preemptions that `gamma_ns` was observed in; 0: it is stated.
        ucb: Cache sets that hold useful blocks of it; empty: not known or none.
        ecb: Cache sets that it may evict; empty: not known or none.
    """

    name: str
    wcet_ns: int
    period_ns: int
    deadline_ns: int
    jitter_ns: int = 0
    blocking_ns: int = 0
    priority: int = 0
    cpu: int = 0
    contention_ns: int = 0
    working_set_bytes: int | None = None
    gamma_ns: int | None = None
    gamma_n: int = 0
    ucb: frozenset[int] = frozenset()
    ecb: frozenset[int] = frozenset()
