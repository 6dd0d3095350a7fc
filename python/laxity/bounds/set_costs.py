# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the platform takes from task sets that are drawn: gamma is looked up once for each size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted, Choice, UsedCost, account
from laxity.core.units import exact_size
from laxity.costs.model import GAMMA, Costs
from laxity.tasksets.random_sets import possible_sizes
from laxity.tasksets.task_model import Task

# Of the tasks that stand for a size; C and T are not looked at.
_ANY_NS = 1


@dataclass(frozen=True, slots=True)
class SetCosts:
    """What each drawn set is tested with.

    Attributes:
        base: All but gamma.
        gamma_ns: By working set, every size that is drawn.
        used: The figures behind them, each once.
        not_accounted: What is left out.
    """

    base: PlatformCosts
    gamma_ns: Mapping[int, int]
    used: tuple[UsedCost, ...]
    not_accounted: tuple[str, ...]

    def of(self, tasks: Sequence[Task]) -> PlatformCosts:
        """Return the costs of one set."""
        gamma_ns = {one.name: self.gamma_ns[one.working_set_bytes or 0] for one in tasks}
        return replace(self.base, gamma_ns=gamma_ns)

    def steps(self) -> list[tuple[int, int]]:
        """List gamma as steps: up to which working set, in bytes, it is how much, in ns."""
        steps: dict[int, int] = {}
        sizes = sorted(self.gamma_ns)
        for size, larger in zip(sizes, [*sizes[1:], None], strict=True):
            if larger is None or self.gamma_ns[larger] != self.gamma_ns[size]:
                steps[size] = self.gamma_ns[size]
        return list(steps.items())


def set_costs(
    model: Costs, range_bytes: tuple[int, int], choice: Choice
) -> tuple[SetCosts | None, tuple[str, ...]]:
    """Choose the figures that all drawn sets are tested with.

    Args:
        model: What was measured.
        range_bytes: Smallest and largest working set.
        choice: Which figure of each entry, with which margin.

    Returns:
        The costs, or None and what is missing.
    """
    sizes = possible_sizes(*range_bytes)
    tasks = [_task_of(size) for size in sizes]
    # One is never preempted if it is alone.
    tasks.append(replace(tasks[-1], name="another task"))
    accounted = account(model, tasks, choice)
    if accounted.costs is None:
        return None, accounted.missing
    gammas = accounted.costs.gamma_ns
    return SetCosts(
        base=replace(accounted.costs, gamma_ns={}),
        gamma_ns={size: gammas[task.name] for size, task in zip(sizes, tasks, strict=False)},
        used=_each_once(accounted),
        not_accounted=accounted.not_accounted,
    ), ()


def _task_of(size_bytes: int) -> Task:
    return Task(
        name=f"drawn with {exact_size(size_bytes)}",
        wcet_ns=_ANY_NS,
        period_ns=_ANY_NS,
        deadline_ns=_ANY_NS,
        working_set_bytes=size_bytes,
    )


def _each_once(accounted: Accounted) -> tuple[UsedCost, ...]:
    """Drop whose gamma a figure is: many sizes share one."""
    bare = (replace(one, of=None) if one.name == GAMMA else one for one in accounted.used)
    return tuple(dict.fromkeys(bare))
