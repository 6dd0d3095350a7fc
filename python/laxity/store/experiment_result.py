# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What manifest.json holds of an experiment with task sets drawn at random (`laxity experiment`).

The resolved FILE.toml is spec.toml, the answers are sets.npy; here stands what both mean.
"""

from typing import Literal

import msgspec


class Part(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of the parts: closed and immutable."""


class CurveAsked(Part, frozen=True, kw_only=True):
    """One way in which each set was tested; `has_costs` false: zero overheads."""

    test: str
    has_costs: bool


class CostUsed(Part, frozen=True, kw_only=True):
    """A figure of the cost model that sets were tested with; `n` samples are behind it."""

    name: str
    value_ns: int
    kind: Literal["measured", "simulated", "modelled", "proven"]
    n: int
    verdict: str
    case: str | None
    evict: str | None
    cpu: int | None
    working_set_bytes: int | None
    runs: list[str]


class CostsUsed(Part, frozen=True, kw_only=True):
    """The costs of the curves that have them.

    `gamma_steps`: [working set up to, bytes; gamma, ns], ascending. `not_accounted`: what no curve
    counts.
    """

    path: str
    machine_hash: str
    use: str
    margin: str
    entries: list[CostUsed]
    gamma_steps: list[tuple[int, int]]
    not_accounted: list[str]


class ExperimentRun(Part, frozen=True, kw_only=True):
    """An experiment. `costs` null: zero overheads, as the user said."""

    tasks: int
    sets: int
    cpus: int
    utilisations_ppm: list[int]
    curves: list[CurveAsked]
    costs: CostsUsed | None
