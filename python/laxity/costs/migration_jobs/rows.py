# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Preempted against migrated jobs, from the rows of migration_jobs.npy.

Every job follows a pause in which an ordinary task ran on its CPU. The first job after a change of
CPU has migrated; those from the third on have only been preempted. The second one belongs to
neither: what the first did not fetch may still be on the other CPU.

Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", sec. III.B and
figures 8 to 13; the test is ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.costs.excess import Excess, entry, excess, join
from laxity.costs.model import MIGRATION_OVER_PREEMPTION, Axes, Entry
from laxity.costs.samples import group, join_names
from laxity.errors import RecordError
from laxity.statistics.rank_test import RankTest, compare_ranks
from laxity.store.measurements import MigrationJobsMeasurement

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = Any  # masked structured array of migration_jobs.npy

MEM, CPU = 0, 1
_WORKLOADS, _LIMITS = 2, 2
# Jobs after a change of CPU until only preemption is left.
SETTLED_AFTER = 2
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, order=True)
class Load:
    """What the jobs do: MEM over a working set, or CPU, primes up to one of two limits."""

    workload: int
    working_set_bytes: int
    limit: int

    @property
    def case_name(self) -> str:
        """`mem`, `cpu_0`, `cpu_1`."""
        return "mem" if self.workload == MEM else f"cpu_{self.limit}"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Migrated against preempted jobs of one load, for one kind of pair of CPUs.

    Attributes:
        load: What they do.
        domain: What the CPUs before and after the change have in common.
        migrated_ns: Execution times, in the order of time.
        preempted_ns: Likewise.
        control_ns: More of the latter, of every second round over all CPUs: they differ in
            nothing, so what the two parts differ by is what the test cannot resolve.
        n_alone: Jobs before which no interfering task finished a pass; they are in neither.
        runs: Names of the runs.
        is_exact: Whether they were simulated, so that only what is drawn makes them differ.
    """

    load: Load
    domain: str
    migrated_ns: IntArray
    preempted_ns: IntArray
    control_ns: IntArray
    n_alone: int
    runs: tuple[str, ...]
    is_exact: bool = False

    @property
    def test(self) -> RankTest | None:
        """Migrated against preempted; None: too few."""
        return compare_ranks(self.migrated_ns, np.concatenate([self.preempted_ns, self.control_ns]))

    @property
    def control(self) -> RankTest | None:
        """Preempted against preempted; None: too few."""
        return compare_ranks(self.preempted_ns, self.control_ns)

    @property
    def cost(self) -> Excess:
        """What a migrated job takes beyond the median of the preempted ones."""
        return excess(self.migrated_ns, self.preempted_ns, self.control_ns, is_exact=self.is_exact)


def domains(asked: MigrationJobsMeasurement) -> Mapping[tuple[int, int], str]:
    """Return what the CPUs of each change have in common."""
    return {(pair.cpu, pair.cpu_to): pair.domain for pair in asked.changes}


def contrasts(
    rows: Rows, run: str, known: Mapping[tuple[int, int], str], *, is_exact: bool = False
) -> tuple[Contrast, ...]:
    """Compare migrated with preempted jobs, load by load.

    Args:
        rows: migration_jobs.npy, in the order of time.
        run: Name of the run.
        known: What the CPUs of each change have in common.
        is_exact: Whether they were simulated.

    Returns:
        In the order of loads and domains; what lacks one of the kinds of jobs is left out.

    Raises:
        RecordError: A row holds what no probe writes.
    """
    _check(rows)
    found = []
    for load, part in loads(rows):
        since = np.ma.filled(part["since_change"], -1).astype(np.int64)
        has_company = np.ma.getdata(part["interfering_passes"]) > 0
        of_load = _domains_of_rows(part, since, known)
        is_settled = (since >= SETTLED_AFTER) & has_company
        # Once around all CPUs goes into the one part, the next round into the other one.
        n_cpus = len(set(np.ma.getdata(part["cpu"]).tolist()))
        is_odd = np.cumsum(since == 0) // n_cpus % 2 == 1
        for domain in sorted(set(of_load.tolist()) - {""}):
            here = (of_load == domain) & (np.ma.getdata(part["limit"]) == load.limit)
            masks = (
                here & (since == 0) & has_company,
                here & is_settled & is_odd,
                here & is_settled & ~is_odd,
            )
            if all(mask.any() for mask in masks):
                migrated, preempted, control = (
                    np.ma.getdata(part["exec_ns"])[mask].astype(np.int64) for mask in masks
                )
                n_alone = int(np.count_nonzero(here & (since >= 0) & ~has_company))
                found.append(
                    Contrast(load, domain, migrated, preempted, control, n_alone, (run,), is_exact)
                )
    return tuple(found)


def loads(rows: Rows) -> Iterator[tuple[Load, Rows]]:
    """Part rows by what the jobs do; CPU comes twice with the same rows, once per limit."""
    workloads = np.ma.getdata(rows["workload"])
    sizes = np.ma.getdata(rows["working_set_bytes"])
    for workload, size in sorted(set(zip(workloads.tolist(), sizes.tolist(), strict=True))):
        part = rows[(workloads == workload) & (sizes == size)]
        for limit in sorted(set(np.ma.getdata(part["limit"]).tolist())):
            yield Load(workload, size, limit), part


def _domains_of_rows(
    part: Rows, since: IntArray, known: Mapping[tuple[int, int], str]
) -> NDArray[np.str_]:
    """Name what the CPUs of the change before each job have in common; "": no change yet."""
    cpus = np.ma.getdata(part["cpu"]).tolist()
    names: list[str] = []
    domain = ""
    for index, cpu in enumerate(cpus):
        if since[index] == 0 and index > 0:
            domain = known.get((cpus[index - 1], cpu), _UNKNOWN)
        names.append(domain)
    return np.array(names)


# Far beyond any memory and any time.
_LARGEST = 1 << 56
# Column: the smallest value that is none of its codes.
_CODES = {"workload": _WORKLOADS, "limit": _LIMITS}


def _check(rows: Rows) -> None:
    for name in rows.dtype.names:
        column = rows[name].compressed()
        limit = _CODES.get(name, _LARGEST)
        wrong = column[(column >= limit) | (column <= -limit)]
        if wrong.size:
            msg = (
                f"migration_jobs.npy: {name} {wrong[0]} is no value of a probe; the stream is "
                "damaged"
            )
            raise RecordError(msg)


def entries(found: Sequence[Contrast]) -> list[Entry]:
    """Write what migrated jobs take beyond preempted ones as entries of a cost model.

    Noise floors are per run: several runs are compared with themselves, not with each other.
    """
    groups = group(found, lambda one: (one.load, one.domain))
    return [
        entry(
            MIGRATION_OVER_PREEMPTION,
            join([one.cost for one in parts]),
            Axes(
                working_set_bytes=load.working_set_bytes or None,
                case=f"{load.case_name}_{domain}",
            ),
            _runs(parts),
        )
        for (load, domain), parts in sorted(groups.items())
    ]


def _runs(parts: Iterable[Contrast]) -> tuple[str, ...]:
    return join_names(one.runs for one in parts)
