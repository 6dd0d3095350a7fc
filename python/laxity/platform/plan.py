# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a platform is asked to execute, in words that belong to no platform."""

from dataclasses import dataclass
from typing import TypeAlias

from laxity.core.cpus import parse_cpus
from laxity.core.spec import Spec
from laxity.store.measurements import Measured

# Plan of a regulation, in the directory of a run (native/regulator/plan.h).
REGULATION_PLAN = "regulation.plan"


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """Periodic tasks.

    Attributes:
        spec: Resolved experiment; its CPU sets are not empty.
        allow_unprivileged: Whether tasks may run under OTHER where FIFO is not permitted.
    """

    spec: Spec
    allow_unprivileged: bool = False

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that are measured."""
        return tuple(cpu for task in self.spec.tasks for cpu in task.cpus)


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """A measurement of what the platform costs.

    Attributes:
        measurement: What is asked of every probe.
        words: The probe's own options, as laxity-probe takes them.
        seed: Of what is drawn.
        allow_unprivileged: As of tasks.
    """

    measurement: Measured
    words: tuple[str, ...]
    seed: int
    allow_unprivileged: bool = False

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that are measured."""
        return parse_cpus(self.measurement.cpus)


Plan: TypeAlias = TaskPlan | ProbePlan
