# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Matplotlib figures as inline SVG that follows the page's colours and font.

Matplotlib writes documents; a page holds many. So ids that nothing refers to are dropped and the
others get the figure's prefix, the document's own style sheet goes, fonts are the page's, and every
colour of `INK` becomes a CSS variable, which is what makes one figure right in light and dark.

Matplotlib is imported where something is drawn: what only prints need not wait for it.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

Axis: TypeAlias = Any  # matplotlib's XAxis or YAxis, whose methods are untyped

# Points; two of them stand side by side on a desk, one fills a telephone, text stays near 9 px.
WIDTH_PT = 400
HEIGHT_PT = 240
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
FONT_PT = 9.5
_POINTS_PER_INCH = 72
# A logarithmic axis of fewer decades needs ticks between the powers of ten.
_TICKS = (
    (0.5, (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)),
    (1.0, (1.0, 2.0, 3.0, 5.0, 7.0)),
    (2.5, (1.0, 2.0, 5.0)),
    (float("inf"), (1.0,)),
)
_MANY_DECADES = 7
# A count axis of more than this ratio holds two powers of ten.
_PLAIN_COUNT_RANGE = 40
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))

# Name → colour that stands for it while matplotlib draws. Any colour does that is used for nothing
# else; the page's style sheet gives the real ones.
INK = {
    "text": "#010203",
    "muted": "#010204",
    "grid": "#010205",
    "page": "#010206",
    "alone": "#010207",
    "interfered": "#010208",
    "missed": "#010209",
    "latency": "#01020a",
    "execution": "#01020b",
    "rest": "#01020c",
    "deadline": "#01020d",
    "skipped": "#01020e",
    "contention": "#01020f",
    "range": "#010210",
}

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "laxity",
    "font.size": FONT_PT,
    "axes.edgecolor": INK["muted"],
    "axes.labelcolor": INK["text"],
    "axes.titlecolor": INK["text"],
    "axes.titlesize": FONT_PT,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "grid.color": INK["grid"],
    "grid.linewidth": 0.6,
    "hatch.color": INK["page"],
    "legend.frameon": False,
    "legend.fontsize": FONT_PT,
    "lines.linewidth": 1.6,
    "path.simplify": False,
    "text.color": INK["text"],
    "xtick.color": INK["muted"],
    "xtick.labelcolor": INK["text"],
    "ytick.color": INK["muted"],
    "ytick.labelcolor": INK["text"],
}


@contextmanager
def drawing(height_pt: int = HEIGHT_PT) -> Iterator[tuple[Figure, Axes]]:
    """Return a figure with one axes, in our style; independent of the user's matplotlibrc."""
    import matplotlib as mpl  # noqa: PLC0415 - slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        size = (WIDTH_PT / _POINTS_PER_INCH, height_pt / _POINTS_PER_INCH)
        figure = Figure(figsize=size, layout="constrained")
        yield figure, figure.add_subplot()


def to_svg(figure: Figure, prefix: str, alt: str) -> str:
    """Write a figure for inclusion in a page.

    Args:
        figure: Made inside `drawing`.
        prefix: Of ids; unique on the page.
        alt: What the figure shows, for those who do not see it.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415 - slow

    buffer = io.StringIO()
    canvas: Any = FigureCanvasSVG(figure)
    with warnings.catch_warnings():
        # Text stays text, so the reader's fonts have to hold its characters, not matplotlib's.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        canvas.print_svg(buffer, metadata=_NO_METADATA)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\n\s*", "\n", text)
    text = re.sub(r"\n+", "\n", text)
    text = _replace_ids(text, prefix)
    # It names fonts that the reader may not have; the page's font is inherited.
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = text.replace(' transform="rotate(-0', ' data-unused="rotate(-0')
    text = re.sub(r" data-unused=\"[^\"]*\"", "", text)
    # A hundredth of a point is finer than any screen.
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), text)
    text = re.sub(r" ?\n(?=[LMzQC\"])", " ", text)
    text = re.sub(r"<g>\s*</g>\n?", "", text)
    for name, colour in INK.items():
        text = text.replace(colour, f"var(--fig-{name})")
    return _replace_root(text, alt)


def _replace_ids(text: str, prefix: str) -> str:
    used = set(re.findall(r"(?:href=\"#|url\(#)([^\")]+)", text))

    def rename(match: re.Match[str]) -> str:
        return f' id="{prefix}-{match[1]}"' if match[1] in used else ""

    text = re.sub(r" id=\"([^\"]+)\"", rename, text)
    text = re.sub(r"(href=\"#|url\(#)", rf"\g<1>{prefix}-", text)
    return text.replace("xlink:href", "href")


def _replace_root(text: str, alt: str) -> str:
    box = re.search(r"viewBox=\"([^\"]+)\"", text)
    if box is None:  # pragma: no cover - matplotlib always writes one
        msg = "matplotlib wrote an SVG without viewBox"
        raise ValueError(msg)
    label = alt.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    head = f'<svg viewBox="{box[1]}" role="img" aria-label="{label}" xmlns="http://www.w3.org/2000/svg">'
    return head + text[text.index(">") + 1 :].strip()


def unit_for(largest_ns: float) -> tuple[float, str]:
    """Return factor and symbol of the unit that fits the largest value on an axis."""
    return next(((f, s) for f, s in _UNITS if abs(largest_ns) >= f), _UNITS[-1])


def set_time_axis(axis: Axis, limits_ns: tuple[float, float], label: str, *, is_log: bool) -> None:
    """Set up an x or y axis of nanoseconds.

    Args:
        axis: `axes.xaxis` or `axes.yaxis`.
        limits_ns: Smallest and largest value shown.
        label: Name of the quantity; a linear axis gets its unit
            there, a logarithmic one at the ticks.
        is_log: Whether the axis is logarithmic (it must have been set to that scale before).
    """
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - slow

    if is_log:
        set_log_ticks(axis, limits_ns, _tick_with_unit)
        _name(axis, label)
        return
    factor, unit = unit_for(max(abs(limits_ns[0]), abs(limits_ns[1])))
    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(lambda value, _: f"{value / factor:.10g}")
    _name(axis, f"{label} ({unit})")


def set_log_ticks(axis: Axis, limits: tuple[float, float], write: Callable[[float], str]) -> None:
    """Put few labelled ticks on a logarithmic axis."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator  # noqa: PLC0415 - slow

    decades = np.log10(limits[1] / limits[0]) if limits[0] > 0 else 1.0
    subs = next(subs for below, subs in _TICKS if decades < below)
    axis.set_major_locator(LogLocator(subs=subs, numticks=_MANY_DECADES + 1))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(lambda value, _: write(value))


def _tick_with_unit(value_ns: float) -> str:
    # 999.999 must not become "1000 ns" where 1 µs is meant.
    factor, unit = unit_for(value_ns * (1 + 1e-9))
    return f"{value_ns / factor:.4g} {unit}"


def set_count_ticks(axis: Axis, limits: tuple[float, float], *, is_share: bool) -> None:
    """Put ticks at whole counts, or at shares of at most 100 %, on a logarithmic axis."""
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - slow

    def write(value: float) -> str:
        if is_share:
            return f"{value * 100:.10g} %" if value <= 1 else ""
        return f"{value:.10g}" if value >= 1 else ""

    set_log_ticks(axis, limits, write)
    if limits[1] > _PLAIN_COUNT_RANGE * limits[0]:
        axis.set_major_locator(LogLocator(numticks=_MANY_DECADES + 1))


def _name(axis: Axis, label: str) -> None:
    """Name an axis; y above it and level, where it can be read."""
    if axis.axis_name == "y":
        axis.axes.set_title(label)
    else:
        axis.axes.set_xlabel(label)


def draw_dots(axes: Axes, x: ArrayLike, y: ArrayLike, ink: str, size: float) -> None:
    """Draw points, `size` in points, as one path of dots: half of what as many markers take."""
    from matplotlib.patches import PathPatch  # noqa: PLC0415 - slow
    from matplotlib.path import Path  # noqa: PLC0415 - slow

    points = np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])
    if not len(points):
        return
    vertices = np.repeat(points, 2, axis=0)
    codes = np.tile([Path.MOVETO, Path.LINETO], len(points))
    axes.add_patch(
        PathPatch(
            Path(vertices, codes),
            edgecolor=INK[ink],
            facecolor="none",
            linewidth=size,
            capstyle="round",
        )
    )
