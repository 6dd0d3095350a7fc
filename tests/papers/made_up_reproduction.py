# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A reproduction as it is stored, made without running anything."""

from pathlib import Path
from typing import get_args

from laxity import __version__
from laxity.papers.paper import Basis, Kind
from laxity.papers.result import ReproducedRow, Reproduction
from laxity.store.manifest import Manifest, Tool, encode_document
from laxity.store.run_directory import MANIFEST, REPRODUCTION, hash_files


def row(
    paper: float | None,
    ours: float,
    unit: str = "µs",
    kind: Kind = "predicted",
    basis: Basis = "measured",
    *,
    agrees: bool | None = None,
) -> ReproducedRow:
    """One value of a table."""
    return ReproducedRow(
        figure="table-1",
        what="a switch",
        paper=paper,
        basis=basis,
        ours=ours,
        unit=unit,
        kind=kind,
        reason="",
        agrees=agrees,
    )


def write_reproduction(path: Path) -> Path:
    """Write a whole run with a row of each kind; give its directory."""
    path.mkdir(parents=True)
    rows = [row(43.1, 43.1, kind=kind) for kind in get_args(Kind)]
    document = Reproduction(paper="sebek", figures=["table-1"], rows=rows)
    (path / REPRODUCTION).write_bytes(encode_document(document))
    manifest = Manifest(
        tool=Tool(name="laxity", version=__version__),
        kind="reproduction",
        name="sebek",
        command_line=["laxity", "reproduce", "sebek", "table-1"],
        status="complete",
        exit_code=0,
        started_at="2026-11-24T12:00:00Z",
        finished_at="2026-11-24T12:00:01Z",
        platform="sim:mpc750-no-l2",
        machine_hash="ab" * 32,
        files=hash_files(path),
    )
    (path / MANIFEST).write_bytes(encode_document(manifest))
    return path
