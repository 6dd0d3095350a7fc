# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The words for who schedules tasks, and where, as options, files and answers have them."""

from enum import StrEnum


class Scheduler(StrEnum):
    """The order in which jobs run, and whether they keep to one CPU."""

    FIXED_PRIORITY = "fixed-priority"
    EDF = "edf"
    GLOBAL_EDF = "global-edf"
    GLOBAL_FIXED_PRIORITY = "global-fixed-priority"

    @property
    def is_global(self) -> bool:
        """Whether a job may run on any CPU and resume on another one."""
        return self in {Scheduler.GLOBAL_EDF, Scheduler.GLOBAL_FIXED_PRIORITY}

    @property
    def is_edf(self) -> bool:
        """Whether deadlines order jobs, and priorities do not count."""
        return self in {Scheduler.EDF, Scheduler.GLOBAL_EDF}


class SetTest(StrEnum):
    """What is asked of each drawn set; one curve each."""

    RATE_MONOTONIC = "rate-monotonic"
    DEADLINE_MONOTONIC = "deadline-monotonic"
    EDF = "edf"


class Fit(StrEnum):
    """Which of the CPUs that have room takes the next task."""

    FIRST = "first"
    BEST = "best"
    WORST = "worst"
