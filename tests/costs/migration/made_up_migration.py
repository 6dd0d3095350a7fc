# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Directories as a measurement of migrations leaves them, made without measuring anything."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from tests.costs.made_up_measurement import ended, left_measurement

from laxity.core.streams import absent_value, dtype_of
from laxity.jobs.finish import finish_run
from laxity.store import run_directory
from laxity.store.manifest import Manifest
from laxity.store.measurements import (
    KnownGamma,
    Measured,
    MigrationJobsMeasurement,
    MigrationMeasurement,
    Pair,
)

WARM_NS = 1_000
MACHINE = {
    "stable": {
        "caches": [{"level": 2, "kind": "Unified", "size_bytes": 1 << 20, "cpus": [0]}],
        "nodes": [{"node": 0}],
        "virtualisation": {"is_virtual_machine": True},
    }
}


def write_rows(
    path: Path, lost_ns: dict[int, int], n: int, pairs: list[Pair], moving_ns: int
) -> None:
    """Write migration.npy: N rounds per working set, in which moving costs `lost_ns` more."""
    n_roles = 5
    rows = np.zeros(
        n_roles * n * len(lost_ns) * len(pairs),
        dtype=dtype_of("migration"),
    )
    for number in range(1, 7):
        rows[f"pass{number}_ns"] = WARM_NS
    index = np.arange(len(rows))
    rows["warm_ns"], rows["pattern"] = WARM_NS, 1
    rows["role"] = index % n_roles
    rows["working_set_bytes"] = np.tile(np.repeat(list(lost_ns), n_roles * n), len(pairs))
    which = index // (n_roles * n * len(lost_ns))
    rows["cpu"] = np.array([pair.cpu for pair in pairs])[which]
    rows["cpu_to"] = np.array([pair.cpu_to for pair in pairs])[which]
    is_moving = rows["role"] == 1
    rows["event_ns"] = np.where(is_moving, moving_ns, 3_000)
    lost = np.array([lost_ns[size] for size in rows["working_set_bytes"].tolist()], int)
    # Within ten of what is asked, so that there is a little noise.
    rows["pass1_ns"] += index // n_roles % 5
    rows["pass1_ns"] += np.where(is_moving, lost, 0)
    np.save(path / "migration.npy", rows)


def finished_migration(  # noqa: PLR0913 - each is a part of what a run holds
    path: Path,
    lost_ns: dict[int, int],
    n: int = 20,
    domains: tuple[str, str] = ("shared_l3", "shared_l3"),
    gamma: Sequence[KnownGamma] = (),
    *,
    own_bytes: int | None = None,
    moving_ns: int = 20_000,
) -> Path:
    """Make a run that measured migrations from CPU 0 to 1 and back, in random order of lines.

    Args:
        path: Of the run.
        lost_ns: By working set: what moving costs.
        n: Rounds.
        domains: What the CPUs have in common, there and back.
        gamma: What a preemption costs, as the plan was told.
        own_bytes: The cache before the shared one, by the same claim.
        moving_ns: What the call takes; 3 us where nobody moves.
    """
    pairs = [replace(pair, own_bytes=own_bytes) for pair in there_and_back(*domains)]
    measurement = MigrationMeasurement(
        cpus="0-1",
        priority=80,
        repetitions=n,
        timeout_ns=10**9,
        pairs=pairs,
        working_sets_bytes=list(lost_ns),
        patterns=["chase"],
        budget_ns=10**9,
        gamma=list(gamma),
    )
    tmp = left_by(path, measurement)
    write_rows(tmp, lost_ns, n, pairs, moving_ns)
    return finish_run(tmp, has_survived=True, returncode=0).path


def finished_migration_jobs(path: Path, longer_ns: int, stretches: int = 40) -> Path:
    """Make a run of MEM 32 KiB, in which the first job of each stretch on a CPU takes longer.

    Args:
        path: Of the run.
        longer_ns: So much longer, over 500 to 502 ns.
        stretches: After the six jobs before any change: five jobs each.
    """
    measurement = MigrationJobsMeasurement(
        cpus="0-1",
        priority=80,
        repetitions=6 + 5 * stretches,
        timeout_ns=10**9,
        working_sets_bytes=[32 << 10],
        has_primes=False,
        changes=there_and_back("shared_l3", "shared_l3"),
        jobs_per_cpu=5,
        pause_ns=10**6,
    )
    tmp = left_by(path, measurement)
    rows = np.zeros(6 + 5 * stretches, dtype=dtype_of("migration_jobs"))
    index = np.arange(len(rows))
    rows["job"], rows["working_set_bytes"], rows["interfering_passes"] = index, 32 << 10, 2
    rows["exec_ns"] = 500 + index // 5 % 3
    rows["since_change"][:6] = absent_value("i4")
    rows["since_change"][6:] = (index[6:] - 6) % 5
    rows["cpu"][6:] = (1 + (index[6:] - 6) // 5) % 2
    rows["exec_ns"] += np.where(rows["since_change"] == 0, longer_ns, 0)
    np.save(tmp / "migration_jobs.npy", rows)
    return finish_run(tmp, has_survived=True, returncode=0).path


def there_and_back(domain: str, domain_back: str) -> list[Pair]:
    """CPU 0 to 1 and 1 to 0."""
    return [
        Pair(cpu=0, cpu_to=1, domain=domain),
        Pair(cpu=1, cpu_to=0, domain=domain_back),
    ]


def left_by(path: Path, measurement: Measured) -> Path:
    """Make `DIR.tmp` as it is when laxity-probe has ended, but for its rows."""
    tmp = left_measurement(path.with_name(path.name + ".tmp"), {}, result=ended())
    (tmp / "crpd.npy").unlink()
    manifest = msgspec.json.decode((tmp / "manifest.json").read_bytes(), type=Manifest)
    run_directory.write_document(
        tmp / "manifest.json",
        msgspec.structs.replace(manifest, name=measurement.probe, measurement=measurement),
    )
    run_directory.write_document(tmp / "machine.json", MACHINE)
    return tmp
