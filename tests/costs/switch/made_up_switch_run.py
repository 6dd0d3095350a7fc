# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A finished run of `laxity measure switch` whose preemptions cost what a test says."""

from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from tests.costs.switch.made_up_switch import preemption, stored

from laxity.costs.from_rows import join_entries
from laxity.costs.model import Costs
from laxity.store.manifest import Manifest, Tool
from laxity.store.measurements import SwitchMeasurement
from laxity.store.run_directory import open_run, write_document

Times: TypeAlias = NDArray[np.int64]
TOOL = Tool(name="laxity", version="0.1.0")
_APART_NS = 1_000_000


def write_switch_run(
    path: Path,
    delta_ns: Times,
    late_ns: Times,
    *,
    order: NDArray[np.intp] | None = None,
    started_at: str = "2026-11-21T00:31:07.000Z",
) -> Path:
    """Write a run and its costs.

    Args:
        path: Its directory.
        delta_ns: Of each preemption, in order of time; entering and leaving take the same.
        late_ns: Timer latency of each.
        order: In which rows lie in the file; None: of time.
        started_at: As the manifest says it.
    """
    path.mkdir(parents=True)
    rows = stored(
        [
            preemption((index + 1) * _APART_NS, int(delta), int(delta), late_ns=int(late))
            for index, (delta, late) in enumerate(zip(delta_ns, late_ns, strict=True))
        ]
    )
    np.save(path / "switch.npy", rows if order is None else rows[order])
    measurement = SwitchMeasurement(
        cpus="1",
        priority=80,
        repetitions=len(delta_ns),
        timeout_ns=10**9,
        to_cpus="",
        quantities=["preemption"],
        evict_bytes=1 << 20,
        spin_ns=0,
    )
    manifest = Manifest(
        tool=TOOL,
        kind="measure",
        name="switch",
        command_line=["laxity", "measure", "switch"],
        status="complete",
        exit_code=0,
        started_at=started_at,
        machine_hash="ab",
        measurement=measurement,
    )
    write_document(path / "manifest.json", manifest)
    write_model(path / "costs.json", path)
    return path


def write_model(file: Path, *runs: Path) -> Path:
    """Write the costs of runs, all samples pooled."""
    entries = join_entries([open_run(path) for path in runs])
    write_document(file, Costs(tool=TOOL, machine_hash="ab", entries=entries))
    return file
