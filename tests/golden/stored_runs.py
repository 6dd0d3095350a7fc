# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Stored runs, put together: the directory `shared` holds once what all of them would repeat.

Costs are computed from the samples of the run. `record` calls `python -m tests.golden.stored_runs
RUNS`, which takes these documents out of runs; where costs.json changes by intention, call that
with tests/golden/runs to have the manifests state its hash anew.
"""

import hashlib
import json
import shutil
import sys
from functools import cache
from pathlib import Path

import msgspec

from laxity.costs.merge import merge_runs
from laxity.store.manifest import encode_document
from laxity.store.run_directory import COSTS, DOCTOR, MACHINE, MANIFEST, file_sha256, read_manifest

HERE = Path(__file__).parent
STORED = HERE / "runs"
SHARED = HERE / "shared"
RUNS = sorted(path.name for path in STORED.iterdir())
# In the order in which `record` merges them.
MERGED = ("crpd", "switch")


def copy_run(name: str, to: Path) -> Path:
    """Copy a stored run with all documents that its manifest lists; return `to`."""
    shutil.copytree(STORED / name, to)
    for manifest in to.rglob(MANIFEST):
        for file in json.loads(manifest.read_text())["files"]:
            path = manifest.parent / file
            if path.name in {MACHINE, DOCTOR} and not path.exists():
                shutil.copy(SHARED / path.name, path)
            elif path.name == COSTS and not path.exists():
                path.write_bytes(costs_of(name))
    return to


@cache
def costs_of(name: str) -> bytes:
    """Compute costs.json of a stored run from all samples; its manifest states the hash."""
    if read_manifest(STORED / name).kind == "bound":
        return encode_document(merge_runs([STORED / one for one in MERGED]))
    costs = merge_runs([STORED / name])
    return encode_document(msgspec.structs.replace(costs, tool=read_manifest(STORED / name).tool))


def copy_runs(to: Path) -> Path:
    """Copy all stored runs into a new directory; return it."""
    for name in RUNS:
        copy_run(name, to / name)
    return to


def take_out(runs: Path) -> None:
    """Remove what `copy_run` puts back, and state its hashes in the manifests.

    A run of another machine than the shared one keeps its documents.
    """
    shared_hash = json.loads((SHARED / MACHINE).read_text())["hash"]
    # A run within a run first: the manifest around it holds its hash.
    for path in sorted(runs.rglob(MANIFEST), key=lambda path: -len(path.parts)):
        manifest = json.loads(path.read_text())
        files: dict[str, str] = manifest["files"]
        for name in (MACHINE, DOCTOR):
            if name in files and manifest["machine_hash"] == shared_hash:
                (path.parent / name).unlink(missing_ok=True)
                files[name] = file_sha256(SHARED / name)
        if (path.parent / COSTS).exists():
            (path.parent / COSTS).unlink()
        elif COSTS in files:
            files[COSTS] = hashlib.sha256(costs_of(path.parent.name)).hexdigest()
        for name in files:
            if name.endswith(f"/{MANIFEST}"):
                files[name] = file_sha256(path.parent / name)
        path.write_bytes(encode_document(manifest))


if __name__ == "__main__":
    take_out(Path(sys.argv[1]))
