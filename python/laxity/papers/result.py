# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""reproduction.json: the values of a paper beside ours, computed from the runs by who finishes."""

from pathlib import Path
from typing import Literal

import msgspec

from laxity.papers.paper import Basis, Kind, Row, experiments_of, paper_of
from laxity.store.manifest import Manifest, Record
from laxity.store.run_directory import REPRODUCTION, open_run, read_document, write_document


class ReproducedRow(Record, frozen=True, kw_only=True):
    """One value; `paper` null: the paper has words only, `said`. `basis` is of its value.

    `agrees`: whether ours is as those words say; null: they do not decide that.
    """

    figure: str
    what: str
    paper: float | None
    basis: Basis
    ours: float
    unit: str
    kind: Kind
    reason: str
    said: str = ""
    agrees: bool | None = None


class Reproduction(Record, frozen=True, kw_only=True):
    """reproduction.json.

    `figures`: what was asked for; `rows` of those whose runs are not whole are missing. `preset`:
    how much was simulated; empty: the paper has no presets.
    """

    schema: Literal[1] = 1
    paper: str
    figures: list[str]
    preset: str = ""
    rows: list[ReproducedRow] = msgspec.field(default_factory=list)


def read_reproduction(directory: Path) -> Reproduction:
    """Read reproduction.json of a run.

    Raises:
        RecordError: It is missing or damaged.
    """
    return read_document(directory / REPRODUCTION, Reproduction)


def join(tmp: Path, manifest: Manifest) -> None:
    """Compute the rows of a reproduction from its runs; of another run nothing.

    Raises:
        RecordError: A run within is damaged.
    """
    if manifest.kind != "reproduction":
        return
    asked = read_reproduction(tmp)
    runs = {name: open_run(tmp / "runs" / name) for name in manifest.runs}
    whole = {name: run for name, run in runs.items() if run.manifest.status == "complete"}
    paper = paper_of(asked.paper, asked.preset)
    found = paper.read(whole)
    rows = [
        _reproduced(exhibit.name, row, row.ours(found))
        for exhibit in paper.named(asked.figures)
        if all(one.name in whole for one in experiments_of((exhibit,)))
        for row in exhibit.rows
    ]
    write_document(tmp / REPRODUCTION, msgspec.structs.replace(asked, rows=rows))


def _reproduced(figure: str, row: Row, ours: float) -> ReproducedRow:
    return ReproducedRow(
        figure=figure,
        what=row.what,
        paper=row.paper,
        basis=row.basis,
        ours=ours,
        unit=row.unit,
        kind=row.kind,
        reason=row.reason,
        said=row.said,
        agrees=None if row.agrees is None else row.agrees(ours),
    )
