# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The share of schedulable sets against utilisation, the figure of this field."""

from collections.abc import Sequence

from laxity.bounds.experiment_data import ShareCurve
from laxity.page.svg import INK, drawing, to_svg

# Colour and marker say the same: the test.
_LOOKS = (("alone", "o"), ("interfered", "s"), ("missed", "^"), ("rest", "D"), ("latency", "v"))
# A dash says the same as "no costs".
_NO_COSTS, _COSTS = (0, (4, 2)), "solid"
_HEIGHT_PT = 280


def share_curves(curves: Sequence[ShareCurve], prefix: str, alt: str) -> str:
    """Draw all curves with the bands of their intervals.

    Args:
        curves: Of one experiment; a utilisation of which no set was tested is left out.
        prefix: Of ids.
        alt: What the figure shows.
    """
    tests = list(dict.fromkeys(curve.asked.test for curve in curves))
    with drawing(_HEIGHT_PT) as (figure, axes):
        for curve in curves:
            ink, marker = _LOOKS[tests.index(curve.asked.test) % len(_LOOKS)]
            shown = [(one.utilisation, one.share) for one in curve.points if one.share is not None]
            x = [100 * at for at, _ in shown]
            axes.fill_between(
                x,
                [100 * share.lower for _, share in shown],
                [100 * share.upper for _, share in shown],
                color=INK[ink],
                alpha=0.2,
                linewidth=0,
            )
            axes.plot(
                x,
                [100 * share.value for _, share in shown],
                color=INK[ink],
                linestyle=_COSTS if curve.asked.has_costs else _NO_COSTS,
                linewidth=1.4,
                marker=marker,
                markersize=3.5,
                markerfacecolor=INK[ink] if curve.asked.has_costs else "none",
                label=curve.name,
            )
        axes.set_ylim(-2, 102)
        axes.set_title("sets proven schedulable (%)")
        axes.set_xlabel("utilisation of the set (% of one CPU)")
        axes.grid(visible=True, axis="both")
        figure.legend(loc="outside lower center", ncols=2)
        return to_svg(figure, prefix, alt)
