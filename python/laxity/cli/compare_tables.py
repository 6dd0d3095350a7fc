# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The answer of `laxity compare` as text."""

from collections.abc import Sequence

from laxity.compare.comparison import LONGER, NO_VERDICT, NOT_JUDGED, SHORTER, Figure, Point
from laxity.compare.fail_on import QUANTITIES
from laxity.compare.sides import Answer, Comparison, Result
from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns

_PS_PER_NS = 1000
_PERCENT = 100
_FIGURE_COLUMNS = ("shift", "95 % interval", "percent", "floor", "n", "worth", "verdict")
# Of a cost model only what tells something; json has all.
_MOST_COSTS = 40
_MOST_LINES = 20
_TOLD = frozenset({LONGER, SHORTER, NO_VERDICT})


def answer_text(answer: Answer) -> str:
    """Write an answer as text."""
    parts = [f"BASE  {answer.base}\n", *(_result_text(one) for one in answer.results)]
    if answer.verdict != "compared":
        parts.append(f"\n{answer.verdict.replace('_', ' ')}\n")
    return "".join(parts)


def _result_text(result: Result) -> str:
    found = result.comparison
    parts = [f"{found.name:<5} {found.path}\n"]
    if found.differences:
        title = "compared all the same, as told" if found.is_compared else "not comparable"
        rows = [(one.what, one.base, one.new) for one in found.differences]
        table = format_table(("what", "BASE", found.name), rows)
        parts.append(f"\nDIFFERENT in more than figures: {title}\n{table}")
    if not found.is_compared:
        return "".join(parts)
    shown, hidden = _chosen(found.figures)
    if shown:
        columns = ("", "figure", "BASE", found.name, *_FIGURE_COLUMNS)
        table = format_table(columns, [_row(one) for one in shown], right=range(2, 10))
        kinds = ", ".join(dict.fromkeys(one.kind for one in shown))
        parts.append(f"\n{table}kind: {kinds}\n")
    if hidden:
        parts.append(
            f"and {hidden} figures of costs that have a verdict and are neither longer nor "
            "shorter, which --format json lists\n"
        )
    parts += [
        _reasons_text(shown),
        _misses_text(found),
        _ranks_text(found),
        _list_text("drift within the runs, first half to second", _drift_lines(found)),
        _list_text("doctor", found.doctor),
        _list_text("unmatched", found.unmatched),
        _list_text("note", (*found.notes, *_chance(found.figures))),
        _judgements_text(result),
    ]
    return "".join(parts)


def _judgements_text(result: Result) -> str:
    rows = [
        (one.answer.replace("_", " "), one.expression, one.subject, one.detail)
        for one in result.judgements
    ]
    headers = ("verdict", "--fail-on", "of", "figures")
    return f"\n{format_table(headers, rows)}" if rows else ""


def _chosen(figures: Sequence[Figure]) -> tuple[list[Figure], int]:
    """Leave out costs that show nothing where there are many: a model has hundreds.

    What has no verdict may have changed as much as you like, and is shown.
    """
    costs = [one for one in figures if one.quantity not in QUANTITIES]
    if len(costs) <= _MOST_COSTS:
        return list(figures), 0
    told = {one.subject for one in costs if one.verdict in _TOLD}
    shown = [one for one in figures if one.quantity in QUANTITIES or one.subject in told]
    return shown, len(figures) - len(shown)


def _row(one: Figure) -> tuple[str, ...]:
    is_cost = one.quantity not in QUANTITIES
    return (
        one.subject,
        one.statistic if is_cost else f"{one.quantity}.{one.statistic}",
        _value(one, one.base),
        _value(one, one.new),
        _signed(one, one.shift),
        _interval(one),
        "" if one.shift_percent is None else f"{one.shift_percent:+.1f} %",
        _shown(one.floor, one.unit),
        *_counts(one.base, one.new),
        one.verdict.replace("_", " "),
    )


def _counts(base: Point | None, new: Point | None) -> tuple[str, str]:
    """Give n and how many independent samples that is worth."""
    if base is None or new is None:
        return "", ""
    return _pair(base.n, new.n), _pair(base.n_effective, new.n_effective)


def _value(figure: Figure, point: Point | None) -> str:
    return "none" if point is None else _shown(point.value, figure.unit)


def _signed(figure: Figure, value: int | None) -> str:
    if value is None:
        return ""
    sign = "+" if value > 0 else ""
    return f"{sign}{_shown(value, figure.unit)}"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{_signed(figure, figure.low)} .. {_signed(figure, figure.high)}"


def _shown(value: int, unit: str) -> str:
    return format_duration_ns(value if unit == "ns" else value / _PS_PER_NS)


def _pair(base: int | None, new: int | None) -> str:
    if base is None or new is None:
        return ""
    return str(base) if base == new else f"{base}, {new}"


def _misses_text(found: Comparison) -> str:
    rows = [
        (one.task, f"{one.base_not_met} of {one.base_released}",
         f"{one.new_not_met} of {one.new_released}")
        for one in found.misses
    ]  # fmt: skip
    headers = ("deadlines not met", "BASE", found.name)
    return f"\n{format_table(headers, rows, right=(1, 2))}" if rows else ""


def _ranks_text(found: Comparison) -> str:
    rows = [
        (f"{one.task} {one.quantity}", f"{_PERCENT * one.longer_ratio:.1f} %",
         f"{one.p_value:.2g}", _pair(one.n_base, one.n_new))
        for one in found.ranks
    ]  # fmt: skip
    headers = ("rank-sum test", f"a job of {found.name} is longer in", "p", "n, far apart")
    return f"\n{format_table(headers, rows, right=(1, 2, 3))}" if rows else ""


def _drift_lines(found: Comparison) -> list[str]:
    return [
        f"{one.side} {one.task} {one.quantity}.{one.statistic}: "
        f"{format_duration_ns(one.shift_ns)} ({format_duration_ns(one.low_ns)} .. "
        f"{format_duration_ns(one.high_ns)}, 95 %)"
        for one in found.drifts
    ]


def _reasons_text(figures: Sequence[Figure]) -> str:
    """Say why figures have no verdict, all of them: each reason with those that it holds of."""
    names: dict[str, list[str]] = {}
    for one in figures:
        if one.verdict == NO_VERDICT:
            names.setdefault(one.reason or "not known why", []).append(_name(one))
    lines = [f"  {reason}: {', '.join(of)}\n" for reason, of in names.items()]
    return "".join(["\nno verdict\n", *lines]) if lines else ""


def _name(one: Figure) -> str:
    if one.quantity in QUANTITIES:
        return f"{one.subject} {one.quantity}.{one.statistic}"
    return f"{one.subject}.{one.statistic}"


def _chance(figures: Sequence[Figure]) -> list[str]:
    n = sum(one.verdict not in {NO_VERDICT, NOT_JUDGED} for one in figures)
    if not n:
        return []
    return [f"{n} intervals of 95 % each: one in 20 leaves out zero by chance"]


def _list_text(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    shown = [*lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(f"and {len(lines) - _MOST_LINES} more, which --format json lists")
    return f"\n{title}\n" + "".join(f"  {line}\n" for line in shown)
