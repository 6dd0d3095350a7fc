# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a section consists of: paragraphs, tables, figures, and the quantities they show.

Sections make these; the templates write them as HTML; `derived.json` holds the quantities.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from laxity.core.units import decimal_duration, format_duration_ns, upper_duration

# modelled: computed with an estimate of ours, as of a release that nobody told.
Kind = Literal["measured", "simulated", "modelled", "proven"]
Tone = Literal["plain", "note", "warning"]
Resolution = Literal["exact", "bucket", "bucket_lower", "bucket_upper", "calibrated"]

NOT_MEASURED = "not measured"
_ALL_PERCENT = 100.0
# A ratio of two counts has no more.
_MOST_DIGITS = 15
_PREFIXES = ((1e9, "G "), (1e6, "M "), (1e3, "k "))


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the report, as derived.json holds it; it never stands without unit, n, kind.

    `value` null means not measured or not supported by n; `note` then says why. `resolution`:
    exact; bucket_lower, bucket_upper: that end of a bucket at most 1/64 wide; bucket: computed from
    such ends; calibrated: a calibrated cost was subtracted, the note says which.
    """

    name: str
    value: int | float | None
    unit: str
    n: int
    kind: Kind
    run: str
    task: str | None = None
    resolution: Resolution = "exact"
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; notes and warnings are set off. An explanation says nothing of this run."""

    text: str
    tone: Tone = "plain"
    block: str = "paragraph"
    is_explanation: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; numbers are set right and may carry a smaller remark below.

    `href`: where the text leads. `svg`: a drawing of ours (`small.py`) below the text.
    """

    text: str
    is_number: bool = False
    remark: str = ""
    mark: str = ""
    href: str = ""
    svg: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of each row is its header. The caption says unit and kind.

    `remarks`: what the remarks of each column are, empty: nothing that stands alone; a terminal
    has columns of their own for those that are named. Of a ranking it has the first rows alone.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    remarks: tuple[str, ...] = ()
    is_ranking: bool = False
    block: str = "table"


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """One drawing, its id, and the caption with sample count and kind.

    `draw` gives the drawing as SVG; only who shows it calls that.
    """

    identity: str
    draw: Callable[[], str]
    caption: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures side by side where there is room."""

    figures: tuple[FigureBlock, ...]
    block: str = "figures"


@dataclass(frozen=True, slots=True)
class Code:
    """Text to be copied or read as it is."""

    text: str
    label: str
    block: str = "code"


@dataclass(frozen=True, slots=True)
class Heading:
    """A sub-heading, such as the name of a task."""

    text: str
    block: str = "heading"


@dataclass(frozen=True, slots=True)
class Links:
    """Pages beside this one: (text, path relative to the run)."""

    label: str
    pages: tuple[tuple[str, str], ...]
    block: str = "links"


@dataclass(frozen=True, slots=True)
class Folded:
    """Details that a reader opens; printed open. A terminal has them if they are the figures."""

    summary: str
    blocks: tuple["Block", ...]
    block: str = "folded"
    identity: str = ""
    is_figures: bool = False


Block = Paragraph | Table | Figures | Code | Heading | Links | Folded


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the page: where it stands, what it says, the quantities it shows."""

    identity: str
    title: str
    blocks: tuple[Block, ...]
    quantities: tuple[Quantity, ...] = field(default=())


def text_cell(text: object, remark: str = "") -> Cell:
    """Make a cell of words."""
    return Cell(str(text), remark=remark)


def number_cell(text: str, remark: str = "") -> Cell:
    """Make a cell of a number with its unit."""
    return Cell(text, is_number=True, remark=remark)


def duration_cell(value_ns: float | None, remark: str = "") -> Cell:
    """Make a cell of a duration; None is shown as not measured, never as zero."""
    return number_cell(show_duration(value_ns), remark)


def noise_floor_cell(value_ns: float | None) -> Cell:
    """Make a cell of a noise floor, which is an interval of a median; None: too few for one."""
    if value_ns is None:
        from laxity.statistics.distribution import samples_needed  # noqa: PLC0415 - loads numpy

        return number_cell(NOT_MEASURED, f"needs {samples_needed(0.5)} observations")
    return duration_cell(value_ns)


def bound_cell(value_ns: int | None, remark: str = "") -> Cell:
    """Make a cell of a bound or of a part of one, exact; None: there is no bound."""
    return number_cell("no bound" if value_ns is None else show_bound(value_ns), remark)


def show_duration(value_ns: float | None) -> str:
    """Show nanoseconds in a fitting unit; None as not measured."""
    if value_ns is None:
        return NOT_MEASURED
    return format_duration_ns(value_ns).replace("-", "\N{MINUS SIGN}")


def show_bound(value_ns: int) -> str:
    """Show nanoseconds exactly in a fitting unit: what is rounded down bounds nothing."""
    return decimal_duration(value_ns, is_shown=True).replace("-", "\N{MINUS SIGN}")


def show_upper(value_ns: int) -> str:
    """Show nanoseconds in a fitting unit in four digits, rounded up: it still bounds."""
    return upper_duration(value_ns).replace("-", "\N{MINUS SIGN}")


def show_count(value: int | None) -> str:
    """Show a count with narrow spaces between thousands; None as not measured."""
    return NOT_MEASURED if value is None else f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def show_rate(value: float, unit: str) -> str:
    """Show a rate in three digits: 512 passes/s, 82.0 k passes/s."""
    factor, prefix = next(((f, p) for f, p in _PREFIXES if value >= f), (1.0, ""))
    number = value / factor
    decimals = next((d for limit, d in ((100, 0), (10, 1)) if number >= limit), 2)
    return f"{number:.{decimals}f} {prefix}{unit}"


def show_share(part: int, whole: int) -> str:
    """Show part of whole in percent, with enough digits that few of many is not 0 %."""
    if not whole:
        return "no release"
    return show_ratio(part / whole)


def show_ratio(ratio: float) -> str:
    """Show a ratio in percent, with three digits that count; what is not all is not 100 %."""
    digits = 3
    while (
        ratio < 1 and digits < _MOST_DIGITS and float(f"{100 * ratio:.{digits}g}") >= _ALL_PERCENT
    ):
        digits += 1
    return f"{100 * ratio:.{digits}g} %"


def count_noun(count: int, noun: str) -> str:
    """Write "1 job", "2 jobs", "2 processes"; plural by s."""
    ending = "es" if noun.endswith("s") else "s"
    return f"{show_count(count)} {noun}" + ("" if count == 1 else ending)


def name_some(names: Sequence[str], most: int = 6) -> str:
    """Name the first of many: "a, b and 3 more"."""
    more = len(names) - most
    return join_words([*names[:most], f"{show_count(more)} more"] if more > 0 else names)


def as_sentence(words: str) -> str:
    """Begin with a capital and end with a full stop."""
    return f"{words[0].upper()}{words[1:]}."


def join_words(words: Sequence[str]) -> str:
    """Write "a", "a and b", "a, b and c"."""
    if len(words) < 2:  # noqa: PLR2004 - one word needs no "and"
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
