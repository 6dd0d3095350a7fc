# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Directories as a measurement leaves them, made without measuring anything."""

from pathlib import Path
from typing import Literal

import numpy as np

from laxity.core.streams import CRPD_PATTERNS, dtype_of
from laxity.store import run_directory
from laxity.store.manifest import Clock, Manifest, Tool
from laxity.store.measurements import CrpdMeasurement
from laxity.store.native import Native

WARM_NS = 1_000
Status = Literal["complete", "interrupted", "failed"]


def write_rows(
    path: Path, gamma_ns: dict[int, int], n: int = 20, pattern: int = 1, spread_ns: int = 5
) -> None:
    """Write crpd.npy: N blocks per working set, in which evicting costs `gamma_ns` more."""
    rows = np.zeros(3 * n * len(gamma_ns), dtype=dtype_of("crpd"))
    for number in range(1, 7):
        rows[f"pass{number}_ns"] = WARM_NS
    rows["warm_ns"], rows["cpu"], rows["pattern"] = WARM_NS, 1, pattern
    rows["evict_bytes"], rows["preemptor_ns"] = 4 << 20, 130_000
    rows["role"] = np.arange(len(rows)) % 3
    rows["working_set_bytes"] = np.repeat(list(gamma_ns), 3 * n)
    # Up to four more than what is asked, so that there is a little noise.
    lost = np.array([gamma_ns[size] for size in rows["working_set_bytes"].tolist()], int)
    rows["pass1_ns"] += np.arange(len(rows)) // 3 % spread_ns
    rows["pass1_ns"] += np.where(rows["role"] == 1, lost, 0)
    np.save(path / "crpd.npy", rows)


def left_measurement(  # noqa: PLR0913 - each is a part of what a run leaves
    tmp: Path,
    gamma_ns: dict[int, int],
    n: int = 20,
    *,
    machine_hash: str = "abc",
    result: Native | None = None,
    pattern: int = 1,
    platform: str = "native",
    spread_ns: int = 5,
) -> Path:
    """Make `DIR.tmp` as it is when laxity-probe has ended."""
    tmp.mkdir(parents=True)
    measurement = CrpdMeasurement(
        cpus="1",
        priority=80,
        repetitions=n,
        working_sets_bytes=list(gamma_ns),
        cases=["synchronous"],
        patterns=[CRPD_PATTERNS[pattern]],
        evicts=["write"],
        evict_sizes_bytes=[4 << 20],
        timeout_ns=10**9,
    )
    manifest = Manifest(
        tool=Tool(name="laxity", version="0.1.0"),
        kind="measure",
        name="crpd",
        platform=platform,
        command_line=["laxity", "measure", "crpd"],
        status="running",
        started_at="2026-11-21T00:31:07.000Z",
        machine_hash=machine_hash,
        measurement=measurement,
    )
    run_directory.write_document(tmp / "manifest.json", manifest)
    (tmp / "machine.json").write_text("{}")
    (tmp / "doctor.json").write_text("{}")
    write_rows(tmp, gamma_ns, n, pattern, spread_ns)
    if result is not None:
        run_directory.write_document(tmp / "native.json", result)
    return tmp


def ended(status: Status = "complete", exit_code: int = 0) -> Native:
    """What laxity-probe leaves."""
    return Native(
        clock=Clock(name="CLOCK_MONOTONIC", t0_ns=1, end_ns=2),
        status=status,
        exit_code=exit_code,
    )
