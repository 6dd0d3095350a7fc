# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The run of a profile, made up: one program, alone and beside a writer, a process each."""

from pathlib import Path

import msgspec
from tests.report.run_builder import Made, ordinary_rows, write_composite

from laxity.profile.document import Profile, ScenarioRecord, Target, Unit
from laxity.profile.join import join
from laxity.store.manifest import encode_document
from laxity.store.run_directory import MANIFEST, PROFILE, hash_files, read_manifest, write_document

SCENARIOS = {"alone": [], "writers": ["bandwidth write 16MiB@0"]}


def write_profile(directory: Path, n_jobs: int = 40) -> Path:
    """Write it."""
    names = [f"mem-{scenario}-00" for scenario in SCENARIOS]
    runs = {name: Made(ordinary_rows(n_jobs, seed), name="mem") for seed, name in enumerate(names)}
    write_composite(directory, runs)
    manifest = msgspec.structs.replace(read_manifest(directory), kind="profile", name="profile")
    asked = Profile(
        analyses=["wcet", "schedulability"],
        kind="measured",
        targets=[Target(workload="mem", args=["64KiB"])],
        scenarios=[ScenarioRecord(name=name, interfere=words) for name, words in SCENARIOS.items()],
        units=[
            Unit(run=name, target=0, scenario=scenario, process=0)
            for scenario, name in enumerate(names)
        ],
    )
    write_document(directory / PROFILE, asked)
    join(directory, manifest)
    manifest = msgspec.structs.replace(manifest, files=hash_files(directory))
    (directory / MANIFEST).write_bytes(encode_document(manifest))
    return directory
