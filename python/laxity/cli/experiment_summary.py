# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The answer of `laxity bound --experiment`: which share of the sets is schedulable."""

import csv
import io
from collections.abc import Sequence

from laxity.model.percent import show_percent
from laxity.model.text_table import format_table
from laxity.report.experiment_data import ShareCurve, SharePoint, point_document
from laxity.report.run_data import RunData

_NOT_TESTED = "not tested"


def experiment_text(data: RunData) -> str:
    """Write the shares as a table: a row per utilisation, a column per curve."""
    curves: tuple[ShareCurve, ...] = data.findings
    asked = data.manifest.experiment
    if asked is None or not curves:
        return ""
    headers = ("utilisation", "n", *(curve.name for curve in curves))
    rows = [
        (show_percent(at), _n_text(points[0]), *(_share_text(one) for one in points))
        for at, points in zip(
            asked.utilisations_ppm, zip(*(curve.points for curve in curves), strict=True),
            strict=True,
        )
    ]  # fmt: skip
    weighted = [_percent(curve.weighted) for curve in curves]
    rows.append(("weighted", "", *weighted))
    table = format_table(headers, rows, right=range(len(headers)))
    return f"share of sets that are proven schedulable\n\n{table}\n{_footer(curves)}"


def experiment_csv(curves: Sequence[ShareCurve]) -> str:
    """Write the shares as CSV, a line per utilisation and curve; absent is empty."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    columns = ("utilisation_ppm", "n", "schedulable", "share_ratio", "lower_ratio", "upper_ratio")
    writer.writerow(("test", "has_costs", *columns))
    for curve in curves:
        for point in curve.points:
            values = point_document(point)
            has_costs = int(curve.asked.has_costs)
            writer.writerow((curve.asked.test, has_costs, *(values[name] for name in columns)))
    return output.getvalue()


def _n_text(point: SharePoint) -> str:
    return "0" if point.share is None else str(point.share.n)


def _share_text(point: SharePoint) -> str:
    return _NOT_TESTED if point.share is None else _percent(point.share.value)


def _percent(share: float | None) -> str:
    """Two decimals: a single one of ten thousand sets shows."""
    return _NOT_TESTED if share is None else f"{100 * share:.2f} %"


def _footer(curves: Sequence[ShareCurve]) -> str:
    shares = [point.share for curve in curves for point in curve.points if point.share is not None]
    if not shares:
        return ""
    widest = max(max(one.upper - one.value, one.value - one.lower) for one in shares)
    return (
        "n: sets drawn and tested at each utilisation; 95 % intervals (Wilson) reach "
        f"{_percent(widest)} at most to either side\n"
        "weighted: sum u S(u) / sum u over the utilisations u\n"
    )
