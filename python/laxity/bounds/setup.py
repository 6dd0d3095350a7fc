# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who schedules the tasks, where, and how preemption delays are counted: what selects a test."""

from dataclasses import dataclass

from laxity.bounds.crpd_sets import Method, Policy
from laxity.core.schedulers import Fit, Scheduler


@dataclass(frozen=True, slots=True)
class CacheSets:
    """Preemption delays by the cache sets of the tasks instead of measured curves.

    Attributes:
        method: How evicted blocks are counted.
        policy: Of replacement.
        ways: Blocks of a set.
        reload_ns: To load one block again; None: as the costs have it.
    """

    method: Method
    policy: Policy
    ways: int = 1
    reload_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a task set runs, as far as the file does not say it.

    Attributes:
        sets: None: gamma of working sets, as measured.
        fit: Tasks are shared out to `cpus`; None: they stay where the file has them.
        cpus: Of global scheduling, or of the partition; empty otherwise.
        has_sensitivity: Whether it is asked how far another answer is.
        from_wakeup: The kernel counts deadlines from when a job wakes up, not from its release.
    """

    scheduler: Scheduler = Scheduler.FIXED_PRIORITY
    sets: CacheSets | None = None
    fit: Fit | None = None
    cpus: tuple[int, ...] = ()
    has_sensitivity: bool = True
    from_wakeup: bool = False


# Fixed priorities, each task on its CPU.
USUAL = Setup()
