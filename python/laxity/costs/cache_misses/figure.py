# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of counted against generated misses."""

from laxity.costs.cache_misses.document import uses_of
from laxity.costs.cache_misses.found import Found, FoundCase
from laxity.page.svg import INK, drawing, to_svg

# Colour, marker and size say the same: which counter it is. Where all agree they lie on each other.
_LOOKS = (("alone", "o", 11), ("interfered", "s", 8), ("latency", "^", 4))
_WHOLE = 100


def counted_figure(found: Found, prefix: str, alt: str) -> str:
    """Draw misses per use, in percent; hollow markers are not judged.

    Args:
        found: At least one case was counted.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing() as (figure, axes):
        axes.plot([0, _WHOLE], [0, _WHOLE], color=INK["muted"], linewidth=0.8, linestyle=":")
        for one, (ink, marker, size) in zip(found.caches, _LOOKS, strict=False):
            name: str | None = one.cache.event
            for case in one.cases:
                if case.counted is None:
                    continue
                uses = uses_of(case.case, one.cache)
                axes.plot(
                    [_WHOLE * case.generated / uses],
                    [_WHOLE * case.counted / uses],
                    linestyle="none",
                    marker=marker,
                    markersize=size,
                    markeredgecolor=INK[ink],
                    markerfacecolor="none" if _is_hollow(case) else INK[ink],
                    label=name,
                )
                name = None
        axes.set_xlabel("generated: misses per use under exact LRU, %")
        axes.set_title("counted: misses per use, %")
        axes.grid(visible=True, axis="both")
        axes.legend(loc="upper left")
        return to_svg(figure, prefix, alt)


def _is_hollow(case: FoundCase) -> bool:
    return case.result in ("not judged", "no verdict")
