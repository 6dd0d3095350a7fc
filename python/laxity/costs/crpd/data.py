# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Gamma of a run, read once for the short answer and for the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from laxity.core.units import format_size_bytes
from laxity.costs import lines
from laxity.costs.crpd import rows as crpd
from laxity.costs.crpd.rows import Gamma
from laxity.costs.lines import Line
from laxity.costs.samples import RESOLUTION
from laxity.errors import RecordError
from laxity.jobs.run_data import RunData
from laxity.store.manifest import kind_of_figures
from laxity.store.run_directory import Run


@dataclass(frozen=True, slots=True)
class GammaCurve:
    """Gamma over the working set, and the lines through it.

    Attributes:
        points: One per working set, ascending.
        rise: Line through what is measurable up to the highest point; None: too few points.
        falling_zero_bytes: Where the falling part would meet zero; None: it does not fall.
    """

    points: tuple[Gamma, ...]
    rise: Line | None
    falling_zero_bytes: int | None

    @property
    def name(self) -> str:
        """Write `synchronous chase, write 4 MiB`."""
        place = self.points[0].place
        buffer = f" {format_size_bytes(place.evict_bytes)}" if place.evict_bytes else ""
        return f"{place.case_name.replace('_', ' ')}, {place.evict_name}{buffer}"

    @property
    def measurable(self) -> tuple[Gamma, ...]:
        """The points whose median stands out of the noise."""
        return tuple(one for one in self.points if one.verdict == "ok")

    @property
    def has_verdict(self) -> bool:
        """Whether any point has samples enough to say whether it stands out."""
        return any(one.verdict != "no_verdict" for one in self.points)

    @property
    def is_zero(self) -> bool:
        """Whether every median is told, and is nothing but the rounding of times."""
        is_told = len(self.measurable) == len(self.points)
        return is_told and all(one.median_ns <= RESOLUTION for one in self.points)

    @property
    def highest(self) -> Gamma | None:
        """The measurable point with the largest median."""
        return max(self.measurable, key=lambda one: one.median_ns, default=None)


def read_curves(run: Run) -> tuple[tuple[GammaCurve, ...], tuple[str, ...]]:
    """Read the curves of a run that measured crpd, and what of it cannot be read."""
    try:
        is_exact = kind_of_figures(run.manifest) == "simulated"
        measured = crpd.gammas(run.stream("crpd"), run.path.name, is_exact=is_exact)
    except RecordError as error:
        return (), (str(error),)
    return tuple(make_curve(points) for points in crpd.curves(measured)), ()


def make_curve(points: Sequence[Gamma]) -> GammaCurve:
    """Put lines through the points of one curve."""
    known = [(one.place.working_set_bytes, one.median_ns) for one in points if one.verdict == "ok"]
    # The rounding of times neither rises nor falls.
    if all(median_ns <= RESOLUTION for _, median_ns in known):
        known = []
    return GammaCurve(
        points=tuple(points),
        rise=lines.fit_line(lines.rising_points(known)),
        falling_zero_bytes=lines.falling_zero_bytes(known),
    )


def document(data: RunData) -> dict[str, Any]:
    """Write the lines through the curves for programs; figures themselves are in costs.json."""
    curves: tuple[GammaCurve, ...] = data.findings
    lines = [
        {
            "cost": curve.points[0].place.cost_name,
            "cpu": curve.points[0].place.cpu,
            "case": curve.points[0].place.case_name,
            "evict": curve.points[0].place.evict_name,
            "evict_bytes": curve.points[0].place.evict_bytes or None,
            "kind": data.kind,
            "n": sum(one.n for one in curve.points),
            "slope_ns_per_byte": None if curve.rise is None else curve.rise.slope_ns_per_byte,
            "intercept_ns": None if curve.rise is None else curve.rise.intercept_ns,
            "intercept_half_width_ns": None
            if curve.rise is None
            else curve.rise.intercept_half_width_ns,
            "falling_zero_bytes": curve.falling_zero_bytes,
        }
        for curve in curves
    ]
    return {"curves": lines}
