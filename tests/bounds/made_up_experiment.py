# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A stored experiment with made-up answers, for tests of the report."""

from pathlib import Path

import msgspec

from laxity.bounds.stored_sets import SetRows, close_rows
from laxity.jobs.ends import now
from laxity.jobs.finish import write_final_manifest
from laxity.jobs.run_once import new_manifest
from laxity.store.experiment_result import CostsUsed, CostUsed, CurveAsked, ExperimentRun
from laxity.store.manifest import Manifest
from laxity.store.run_directory import MANIFEST, SPEC, write_document, write_file

GAMMA = CostUsed(
    name="gamma",
    value_ns=5_000,
    kind="measured",
    n=1000,
    verdict="ok",
    case="synchronous_chase",
    evict="write",
    cpu=1,
    working_set_bytes=65536,
    runs=["R"],
)
ASKED = ExperimentRun(
    tasks=5,
    sets=4,
    cpus=1,
    utilisations_ppm=[500_000, 1_000_000],
    curves=[CurveAsked(test="edf", has_costs=has_costs) for has_costs in (False, True)],
    costs=CostsUsed(
        path="<costs>.json",
        machine_hash="ab",
        use="max",
        margin="0%",
        entries=[GAMMA],
        gamma_steps=[(65536, 5_000)],
        not_accounted=["interrupts of devices (irq)"],
    ),
)
# Without costs, with costs: of four sets at each utilisation. 4 and 3 at 50 %, 2 and 0 at 100 %.
ANSWERS = (
    ((True, True), (True, True), (True, True), (True, False)),
    ((True, False), (True, False), (False, False), (False, False)),
)


def write_experiment(path: Path, *, n_points: int = 2) -> Path:
    """Store the answers at the first utilisations as `laxity experiment` does."""
    path.mkdir(parents=True)
    manifest = made_up_manifest()
    write_document(path / MANIFEST, manifest)
    write_file(path / SPEC, b"schema = 1\n[experiment]\ntasks = 5\nsets = 4\n")
    rows = SetRows(path, ASKED)
    for point in range(n_points):
        rows.append(point, range(4), ANSWERS[point])
    rows.close()
    close_rows(path, manifest)
    write_final_manifest(path, manifest)
    return path


def made_up_manifest() -> Manifest:
    command_line = ["laxity", "experiment", "file.toml"]
    manifest = new_manifest("experiment", "experiment", command_line, "ab")
    more = {"status": "complete", "exit_code": 0, "finished_at": now(), "experiment": ASKED}
    return msgspec.structs.replace(manifest, **more)
