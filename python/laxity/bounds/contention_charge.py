# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What co-runners make a task longer, from its contention table (docs/regulation.md)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from laxity.bounds.platform_costs import OBSERVED, PPM, UsedCost
from laxity.core.spec import RegulateSpec
from laxity.core.task_set import DeclaredTask
from laxity.costs.model import GAMMA
from laxity.errors import ConfigError

if TYPE_CHECKING:
    from laxity.contention.table import ContentionTable


@dataclass(frozen=True, slots=True)
class CoRunners:
    """Co-runners of a task set: their CPUs, and their programs with arguments."""

    cpus: Collection[int] = ()
    programs: Collection[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class ContentionCharge:
    """A charge for contention.

    Attributes:
        table: Its path, as the file names it.
        loads: Of the profile.
        theta_ppm: What the regulator of a run allows; None: the task is not regulated.
        overhead_ppm: Charged, of C.
        contention_ns: The same for one job.
        observed_with: Loads of the profile, in words.
    """

    task: str
    table: str
    kind: Literal["simulated"]
    loads: int
    theta_ppm: int | None
    overhead_ppm: int
    contention_ns: int
    observed_with: str = ""


def charged(
    task: DeclaredTask,
    table: "ContentionTable",
    regulate: RegulateSpec | None,
    others: Sequence[DeclaredTask] = (),
    corunners: CoRunners = CoRunners(),
) -> tuple[DeclaredTask, ContentionCharge]:
    """Charge a task with what its table says.

    A regulated job takes (1 + theta) C + k gamma. A job that is not regulated loses what it lost in
    the profile if each part of it met the load that delays that part most. By a table without that,
    it loses at most the largest rate G of its wall time, which is o = G / (1 - G) of its solo time.

    Args:
        task: It names the table.
        table: Read from there.
        regulate: Of the file; None: it has none.
        others: All other tasks of the file.
        corunners: Of the file.

    Raises:
        ConfigError: The table is of another program or CPU, bounds nothing, or does not cover the
            traffic of the file, or a regulated run would be refused.
    """
    from laxity.contention.coverage import check_traffic, loads_text  # noqa: PLC0415 - loads numpy
    from laxity.contention.plan import Terms, check_terms, solo_ns_of  # noqa: PLC0415 - likewise

    profiled, runs = (table.workload, *table.args), task.work.program
    if runs and profiled != runs:
        msg = f"is of '{' '.join(profiled)}', the task runs '{' '.join(runs)}'; profile that"
        raise ConfigError(msg)
    if task.cpu not in {None, table.cpu}:
        msg = f"is of CPU {table.cpu}, the task is on CPU {task.cpu}; profile with --cpu {task.cpu}"
        raise ConfigError(msg)
    # Tasks that name no CPU share one.
    is_shared = any(table.cpu in (other.cpus or {table.cpu}) for other in others)
    table = table.for_cpu(is_shared=is_shared)
    keys = replace(task.keys, wcet_ns=task.wcet_ns)
    solo_ns = solo_ns_of(table, keys, is_shared=is_shared)
    is_regulated = regulate is not None and regulate.task == task.name
    check_traffic(table, others, corunners.cpus, corunners.programs, is_regulated=is_regulated)
    if regulate is not None and is_regulated:
        check_terms(table, Terms(regulate, core=0, solo_ns=solo_ns))
        overhead_ppm = regulate.theta_ppm
    else:
        overhead_ppm = _overhead_ppm(table, solo_ns, is_shared=is_shared)
    keys = replace(task.keys, overhead_ppm=overhead_ppm)
    if keys.gamma_ns is None and table.preempted is not None:
        n = table.preempted.n_alone + table.preempted.n_loaded
        keys = replace(keys, gamma_ns=table.gamma_ns, gamma_n=n)
    return replace(task, keys=keys), ContentionCharge(
        task=task.name,
        table=task.keys.contention or "",
        kind="simulated",
        loads=len(table.loads),
        theta_ppm=overhead_ppm if is_regulated else None,
        overhead_ppm=overhead_ppm,
        contention_ns=-(-task.wcet_ns * overhead_ppm // PPM),
        observed_with=loads_text(table),
    )


def left_out(charges: Sequence[ContentionCharge], used: Sequence[UsedCost]) -> Iterator[str]:
    """Say which costs co-runners raise although they were measured without co-runners."""
    for charge in charges:
        same = "" if charge.theta_ppm is None else " at the same traffic"
        yield (
            f"co-runners that cost {charge.task} more{same} than {charge.observed_with}: "
            f"{charge.table} is observed, not proven"
        )
    contended = {charge.task for charge in charges}
    alone = [cost for cost in used if cost.name == GAMMA and cost.n and cost.verdict != OBSERVED]
    names = [cost.of for cost in alone if cost.of in contended]
    if names:
        yield (
            f"what co-runners add to gamma of {', '.join(map(str, names))}, which was measured "
            'without co-runners: state gamma = "TIME" of the task'
        )
    if used and charges:
        yield "what co-runners add to switches and interrupts, which were measured without them"


def _overhead_ppm(table: "ContentionTable", solo_ns: int, *, is_shared: bool) -> int:
    """Return what co-runners that nothing stops cost a job, of its time alone; rounded up."""
    from laxity.contention.table import RATE_ONE  # noqa: PLC0415 - loads numpy

    lost_ns = table.lost_ns(solo_ns, is_shared=is_shared)
    if lost_ns is not None:
        return -(-lost_ns * PPM // solo_ns)
    rate = table.worst_rate
    if rate >= RATE_ONE:
        msg = "a job may lose all of its time to traffic, so nothing bounds it; regulate the task"
        raise ConfigError(msg)
    return -(-rate * PPM // (RATE_ONE - rate))
