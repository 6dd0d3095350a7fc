# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a comparison shows: shifts, statements, what else differs, and how it was judged.

The report and a terminal say it alike; the terminal has no drawings and no list of terms.
"""

import statistics
from collections.abc import Iterator, Sequence, Set
from functools import partial
from itertools import islice

from laxity.compare import figure as compare_figure
from laxity.compare.comparison import LONGER, NO_VERDICT, NOT_JUDGED, SHORTER, Figure, Point
from laxity.compare.fail_on import MAX, MEDIAN, QUANTITIES, RESPONSE
from laxity.compare.sides import Answer, Comparison, Result
from laxity.core.units import format_duration_ns
from laxity.page.blocks import (
    Block,
    FigureBlock,
    Figures,
    Folded,
    Paragraph,
    Quantity,
    Section,
    Table,
    Tone,
    count_noun,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)

_PS_PER_NS = 1000
_PERCENT = 100
# Nobody reads a share of thousands of percent.
_MOST_IN_PERCENT = 3
# More rows in one drawing cannot be read; the table has all.
_MOST_NAMED = 3
# Of a response, what the first sentence has.
_ANSWERS = {MEDIAN: "a median of", MAX: "at most"}
_MOST_DRAWN = 24
# Of more costs only those stand in the table that tell something: a model has hundreds.
_MOST_COSTS = 40
_TOLD = frozenset({LONGER, SHORTER, NO_VERDICT})
# Longer lists are cut on a terminal.
_MOST_LINES = 20
# What is violated says so itself; where nothing was stated there is nothing to say.
_VERDICTS = {"holds": ["Nothing stated has happened."], "no_verdict": ["No verdict."]}
_NEXT = (
    "On a drifting machine use laxity versus OLD NEW --fail-on 'ratio > 1.05': both programs run "
    "alternately in one run."
)
_LEGEND = (
    "Line: 95 % interval of the shift; grey: noise floor. Filled triangles are longer or shorter: "
    "interval and noise floor leave out zero. Hollow diamond: below the noise floor; circle: no "
    "difference shown, which is not “equal”."
)
_EXACTLY = "Both are simulated, and nothing in them is random: every difference is exact."
_EXACT_LEGEND = "Triangles: longer or shorter, exactly. What is equal is not drawn."
_SHIFT = ("shift", "figure of NEW − figure of BASE; quantiles: nearest rank")
_METHOD_OF_EXACT = (
    _SHIFT,
    (
        "exact",
        "simulated on both sides, and no job asks for what varies: the same runs made again give "
        "the same figures, so that a shift has no interval and no noise floor; quantiles are those "
        "of the jobs that were simulated, however few",
    ),
    ("--fail-on", "violated where the shift, or the figure of NEW, is beyond; else it holds"),
)
_METHOD = (
    _SHIFT,
    (
        "interval",
        "95 %, from the order statistics of both, their ranks those of as many independent jobs as "
        "the jobs are worth; of costs modelled: samples from median to p90 spread evenly",
    ),
    (
        "worth",
        "n over the variance of means of blocks of 2, 4, 8, ... jobs against that of independent "
        "ones, for “exceeds this quantile”",
    ),
    (
        "noise floor",
        "the largest of: clock; calibration; drift within a run; scatter between runs of BASE (95 "
        "% limit of Student's t), where --noise named some; of costs the sum of both entries' own",
    ),
    ("max", "told, not judged: it grows with the number of jobs"),
    (
        "--fail-on",
        "violated where all of the interval, widened by the floor, is beyond; without --noise "
        "where each part of NEW is beyond each part of BASE (at most eight parts)",
    ),
)


def sentences(answer: Answer) -> tuple[str, ...]:
    """Say which are identical, what is violated, and what each comparison shows."""
    return (*_identical(answer), *_found(answer))


def _identical(answer: Answer) -> list[str]:
    return [
        f"BASE and {one.comparison.name} are identical: all streams are the same to the byte."
        for one in answer.results
        if one.comparison.is_identical
    ]


def _found(answer: Answer) -> tuple[str, ...]:
    return (
        *(
            f"{one.expression} is violated: {one.subject}, {one.detail}."
            for result in answer.results
            for one in result.judgements
            if one.answer == "violated"
        ),
        *((_NEXT,) if _has_drift(answer) else ()),
        *(line for one in answer.results for line in _responses(one.comparison)),
        *(_sentence(one.comparison) for one in answer.results),
    )


def _has_drift(answer: Answer) -> bool:
    """Tell whether there is no verdict on jobs that were measured at different times."""
    figures = [figure for result in answer.results for figure in result.comparison.figures]
    is_of_jobs = any(figure.quantity in QUANTITIES and not figure.is_exact for figure in figures)
    return answer.verdict == "no_verdict" and is_of_jobs


def blocks_of(answer: Answer) -> list[Block]:
    """Return what a terminal gets: the verdict, then all that it rests on."""
    found = [block for one in _comparisons(answer) for block in one.blocks]
    lines = [*_identical(answer), *_VERDICTS.get(answer.verdict, []), *_found(answer)]
    return [*(Paragraph(line) for line in lines), *found]


def sections(answer: Answer) -> Sequence[Section]:
    """Build one section per comparison, and the method."""
    exact = {figure.is_exact for one in answer.results for figure in one.comparison.figures}
    return (*_comparisons(answer), build_method(exact))


def _comparisons(answer: Answer) -> list[Section]:
    return [build(answer, one, number) for number, one in enumerate(answer.results, start=1)]


def build(answer: Answer, result: Result, number: int) -> Section:
    """Build the section of one comparison."""
    found, prefix = result.comparison, f"compare{number}"
    blocks: list[Block] = [Paragraph(f"BASE: {answer.base}. {found.name}: {found.path}.")]
    if found.differences:
        verb = "Compared all the same, as told" if found.is_compared else "Not compared"
        blocks.append(Paragraph(f"{verb}: more differs than figures.", "warning"))
        rows = tuple(
            (text_cell(one.what), text_cell(one.base), text_cell(one.new))
            for one in found.differences
        )
        blocks.append(Table("What else differs", ("what", "BASE", found.name), rows))
    blocks += _drawing(found, prefix)
    blocks += _statements(result)
    blocks += _figures(found)
    blocks += _details(found)
    title = f"{found.name} against BASE"
    quantities = tuple(_quantity(found, one) for one in found.figures)
    return Section(prefix, title, tuple(blocks), quantities)


def build_method(exact: Set[bool]) -> Section:
    """Build the section that says how it was judged.

    Args:
        exact: Whether figures are, of all comparisons.
    """
    kinds = (("Terms", _METHOD, False), ("Terms of what is exact", _METHOD_OF_EXACT, True))
    tables = [
        Table(caption, ("", ""), tuple((text_cell(word), text_cell(text)) for word, text in terms))
        for caption, terms, is_exact in kinds
        if is_exact in exact or not (exact or is_exact)
    ]
    return Section("method", "How it was judged", tuple(tables))


def _sentence(found: Comparison) -> str:
    if not found.is_compared:
        what = ", ".join(dict.fromkeys(one.what for one in found.differences))
        return f"{found.name} was not compared: it differs from BASE in {what}."
    verdicts = [one.verdict for one in found.figures]
    counted = [
        f"{count_noun(verdicts.count(verdict), 'figure')} {words}"
        for verdict, words in (
            ("longer", "longer"),
            ("shorter", "shorter"),
            ("below_noise_floor", "below the noise floor"),
            ("no_difference_shown", "without a difference shown"),
            ("equal", "equal"),
            ("no_verdict", "without verdict"),
            ("not_judged", "not judged"),
        )
        if verdict in verdicts
    ]
    shown = f"{found.name} against BASE: {', '.join(counted) or 'nothing could be compared'}."
    if moved := [one for one in found.figures if one.verdict in {LONGER, SHORTER}]:
        # Of a baseline of nothing no shift is a share, however small: it is first.
        moved.sort(key=lambda one: (one.shift_percent is not None, -abs(one.shift_percent or 0.0)))
        each = (f"{_name(one)} {_signed(one, one.shift)} ({_percent(one)})" for one in moved)
        shown += f" Most: {', '.join(islice(each, _MOST_NAMED))}."
    is_exact = bool(found.figures) and all(one.is_exact for one in found.figures)
    return f"{shown} {_EXACTLY}" if is_exact else " ".join((shown, *_predictions(found)))


def _responses(found: Comparison) -> Iterator[str]:
    """Say of each of a few tasks how its responses did, what is judged and what is not."""
    of_tasks: dict[str, list[Figure]] = {}
    for one in () if found.is_identical else found.figures:
        if one.quantity == RESPONSE and one.statistic in _ANSWERS and one.base and one.new:
            of_tasks.setdefault(one.subject, []).append(one)
    for task, figures in of_tasks.items() if len(of_tasks) <= _MOST_NAMED else ():
        each = (
            f"{_ANSWERS[one.statistic]} {_point(one, one.new)} against {_point(one, one.base)} "
            f"({one.verdict.replace('_', ' ')})"
            for one in figures
        )
        yield f"{found.name}: “{task}” responds in {', '.join(each)}."


def _predictions(found: Comparison) -> Iterator[str]:
    """Say of each cost how what is simulated compares with what was measured."""
    ratios: dict[str, list[float]] = {}
    for one in found.figures:
        if one.is_predicted and one.statistic == MEDIAN and one.ratio:
            ratios.setdefault(one.quantity, []).append(one.ratio)
    for quantity, of_it in ratios.items():
        each = [f"{ratio:.2f}" for ratio in (min(of_it), statistics.median(of_it), max(of_it))]
        n = len(of_it)
        yield (
            f"{quantity}, simulated, is {each[1]} times what was measured (median of n = {n} "
            f"figures; {each[0]} to {each[2]} times)."
        )


def _drawing(found: Comparison, prefix: str) -> list[Block]:
    drawn = [one for one in found.figures if compare_figure.is_drawn(one)]
    if len(drawn) > _MOST_DRAWN:
        drawn = sorted(drawn, key=lambda one: -abs(one.shift_percent or 0.0))[:_MOST_DRAWN]
    if not drawn:
        return []
    has_one_subject = len({one.subject for one in drawn}) == 1
    labels = [_label(one, has_subject=not has_one_subject) for one in drawn]
    alt = f"Shifts of {found.name} against BASE"
    draw = partial(compare_figure.shifts, drawn, labels, prefix, alt)
    n = min(min(one.base.n, one.new.n) for one in drawn if one.base and one.new)
    kinds = ", ".join(dict.fromkeys(one.kind for one in drawn))
    legend = _EXACT_LEGEND if all(one.is_exact for one in drawn) else _LEGEND
    caption = f"{legend} n ≥ {show_count(n)}, {kinds}."
    return [Figures((FigureBlock(f"{prefix}-shifts", draw, caption),))]


def _label(one: Figure, *, has_subject: bool) -> str:
    if one.quantity not in QUANTITIES:
        return one.subject
    name = f"{one.quantity} {one.statistic}".replace("_", " ")
    return f"{one.subject}: {name}" if has_subject else name


def _statements(result: Result) -> list[Block]:
    rows = tuple(
        (text_cell(one.answer.replace("_", " ")), text_cell(one.expression),
         text_cell(one.subject), text_cell(one.detail))
        for one in result.judgements
    )  # fmt: skip
    head = ("verdict", "--fail-on", "of", "figures")
    return [Table("What was stated", head, rows)] if rows else []


def _figures(found: Comparison) -> list[Block]:
    """Show all figures of tasks; costs that show nothing are folded where there are many.

    What has no verdict may have changed as much as you like, and is shown.
    """
    costs = [one for one in found.figures if one.quantity not in QUANTITIES]
    told = {one.subject for one in costs if one.verdict in _TOLD}
    is_all = len(costs) <= _MOST_COSTS
    shown = [
        one for one in found.figures
        if is_all or one.quantity in QUANTITIES or one.subject in told
    ]  # fmt: skip
    folded = [one for one in found.figures if one not in shown]
    exact = [one for one in shown if one.is_exact]
    others = [one for one in shown if not one.is_exact]
    blocks: list[Block] = [_exact_table(found, exact)] if exact else []
    blocks += [_table(found, others)] if others else []
    if folded:
        text = (
            f"{count_noun(len(folded), 'figure')} of costs have a verdict and are neither longer "
            "nor shorter; --format json lists them, and so does the page."
        )
        blocks += [Paragraph(text), Folded("All other costs", (_table(found, folded),))]
    return blocks


def _table(found: Comparison, figures: Sequence[Figure]) -> Table:
    rows = tuple(
        (
            text_cell(_name(one)),
            text_cell(one.verdict.replace("_", " "), one.reason or ""),
            number_cell(_signed(one, one.shift), _interval(one)),
            number_cell(_percent(one)),
            number_cell(_point(one, one.base), _counted(one.base)),
            number_cell(_point(one, one.new), _counted(one.new)),
            number_cell(_shown(one, one.floor)),
        )
        for one in figures
    )
    head = ("figure", "verdict", "shift", "of BASE", "BASE", found.name, "noise floor")
    remarks = ("", "why", "95 % interval", "", "samples", "samples")
    kinds = ", ".join(dict.fromkeys(one.kind for one in figures))
    caption = f"Figures of both; {kinds}. With n, and what it is worth"
    return Table(caption, head, rows, remarks=remarks)


def _exact_table(found: Comparison, figures: Sequence[Figure]) -> Table:
    """Make the table of what has no interval and no noise floor."""
    rows = tuple(
        (
            text_cell(_name(one)),
            text_cell(one.verdict.replace("_", " "), one.reason or ""),
            number_cell(_signed(one, one.shift)),
            number_cell(_percent(one)),
            number_cell(_point(one, one.base), _counted(one.base)),
            number_cell(_point(one, one.new), _counted(one.new)),
        )
        for one in figures
    )
    head = ("figure", "verdict", "shift", "of BASE", "BASE", found.name)
    kinds = ", ".join(dict.fromkeys(one.kind for one in figures))
    return Table(
        f"Figures of both; {kinds}, exact", head, rows, remarks=("", "why", "", "", "jobs", "jobs")
    )


def _name(one: Figure) -> str:
    """Name a figure as --fail-on does."""
    if one.quantity in QUANTITIES:
        return f"{one.subject}.{one.quantity}.{one.statistic}"
    return f"{one.subject}.{one.statistic}"


def _details(found: Comparison) -> list[Block]:
    blocks: list[Block] = []
    if found.misses:
        rows = tuple(
            (text_cell(one.task),
             number_cell(f"{show_count(one.base_not_met)} of {show_count(one.base_released)}"),
             number_cell(f"{show_count(one.new_not_met)} of {show_count(one.new_released)}"))
            for one in found.misses
        )  # fmt: skip
        blocks.append(Table("Deadlines not met, releases", ("task", "BASE", found.name), rows))
    drifts = [
        f"{one.side}, {one.task} {one.quantity} {one.statistic}: {show_duration(one.shift_ns)} "
        f"({show_duration(one.low_ns)} to {show_duration(one.high_ns)}, 95 %) from first half to "
        "second"
        for one in found.drifts
    ]
    blocks += _folded("Drift within the runs", drifts)
    blocks += _folded("What the doctor saw", found.doctor)
    if found.ranks:
        blocks.append(Folded("Rank-sum test", (_ranks_table(found),), is_figures=True))
    blocks += _folded("On one side only", found.unmatched)
    notes = [f"{note}." for note in (*found.notes, *_chance(found.figures))]
    return [*blocks, *_lines(notes, "note")]


def _ranks_table(found: Comparison) -> Table:
    rows = tuple(
        (
            text_cell(f"{one.task} {one.quantity}"),
            number_cell(f"{_PERCENT * one.longer_ratio:.1f} %"),
            number_cell(f"{one.p_value:.2g}"),
            number_cell(f"{show_count(one.n_base)} and {show_count(one.n_new)}"),
        )
        for one in found.ranks
    )
    head = ("", f"a job of {found.name} is longer in", "p", "n, jobs far apart")
    return Table("Rank-sum test: a job of each side, all pairs", head, rows)


def _folded(summary: str, lines: Sequence[str]) -> list[Block]:
    return [Folded(summary, tuple(_lines(lines)), is_figures=True)] if lines else []


def _lines(lines: Sequence[str], tone: Tone = "plain") -> list[Block]:
    """Write lines; of many a terminal has the first."""
    blocks: list[Block] = [Paragraph(line, tone) for line in lines[:_MOST_LINES]]
    rest = tuple(Paragraph(line, tone) for line in lines[_MOST_LINES:])
    if rest:
        text = f"And {show_count(len(rest))} more, which --format json lists, and the page."
        blocks += [Paragraph(text, tone), Folded("The others", rest)]
    return blocks


def _chance(figures: Sequence[Figure]) -> list[str]:
    n = sum(one.verdict not in {NO_VERDICT, NOT_JUDGED} and not one.is_exact for one in figures)
    return [f"{n} intervals of 95 % each: one in 20 leaves out zero by chance"] if n else []


def _quantity(found: Comparison, one: Figure) -> Quantity:
    n = min((point.n for point in (one.base, one.new) if point is not None), default=0)
    words = [one.verdict.replace("_", " ")]
    if one.is_exact:
        words.append("exact")
    if one.low is not None:
        words.append(f"95 % interval {one.low} to {one.high}, noise floor {one.floor}")
    if one.verdict == NO_VERDICT and one.reason:
        words.append(one.reason)
    return Quantity(
        name=f"{one.subject}_{one.quantity}_{one.statistic}_shift",
        value=one.shift,
        unit=one.unit,
        n=n,
        kind=one.kind,
        run=found.path,
        task=one.subject if one.quantity in QUANTITIES else None,
        note="; ".join(words),
    )


def _point(figure: Figure, point: Point | None) -> str:
    return "none" if point is None else _shown(figure, point.value)


def _counted(point: Point | None) -> str:
    if point is None:
        return ""
    worth = "" if point.n_effective is None else f", worth {show_count(point.n_effective)}"
    return f"n = {show_count(point.n)}{worth}"


def _interval(one: Figure) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"{_signed(one, one.low)} to {_signed(one, one.high)}"


def _percent(one: Figure) -> str:
    if one.shift_percent is None:
        return "no share"
    if one.ratio is not None and one.ratio >= _MOST_IN_PERCENT:
        return f"{one.ratio:.3g} times"
    return f"{one.shift_percent:+.1f} %".replace("-", "\N{MINUS SIGN}")


def _shown(figure: Figure, value: int | None) -> str:
    if value is None:
        return "none"
    shown = value if figure.unit == "ns" else value / _PS_PER_NS
    return format_duration_ns(shown).replace("-", "\N{MINUS SIGN}")


def _signed(figure: Figure, value: int | None) -> str:
    return f"{'+' if value is not None and value > 0 else ''}{_shown(figure, value)}"
