# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The curves of an experiment: how many of the drawn sets are schedulable, test by test."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laxity.bounds.schedulability_tests import DRAWN_TESTS
from laxity.errors import RecordError
from laxity.jobs.run_data import RunData
from laxity.statistics.shares import Share, share_of, weighted_share
from laxity.store.experiment_result import CurveAsked, ExperimentRun
from laxity.store.run_directory import Run

_PPM = 1_000_000
_TITLES = {test.value: drawn.title for test, drawn in DRAWN_TESTS.items()}


@dataclass(frozen=True, slots=True)
class SharePoint:
    """One utilisation; `share` None: no set of it was tested."""

    utilisation_ppm: int
    share: Share | None

    @property
    def utilisation(self) -> float:
        """Of all tasks together; 1 is one CPU."""
        return self.utilisation_ppm / _PPM


@dataclass(frozen=True, slots=True)
class ShareCurve:
    """The answers of one test, with or without the platform's costs."""

    asked: CurveAsked
    points: tuple[SharePoint, ...]

    @property
    def name(self) -> str:
        """As tables and figures call it."""
        return f"{self.test_name}, {'with costs' if self.asked.has_costs else 'no costs'}"

    @property
    def test_name(self) -> str:
        """The test as people write it."""
        return _TITLES.get(self.asked.test, self.asked.test)

    @property
    def weighted(self) -> float | None:
        """The weighted schedulability; None: not all utilisations have sets."""
        shares = [one.share for one in self.points if one.share is not None]
        if len(shares) < len(self.points):
            return None
        return weighted_share([one.utilisation for one in self.points], [s.value for s in shares])


def read_shares(run: Run) -> tuple[tuple[ShareCurve, ...], tuple[str, ...]]:
    """Read the curves of an experiment, and what of it cannot be read."""
    asked = run.manifest.experiment
    if asked is None:
        return (), ()
    try:
        rows = np.ma.getdata(run.stream("sets"))
    except RecordError as error:
        return (), (str(error),)
    shape = (len(asked.curves), len(asked.utilisations_ppm))
    where = (rows["curve"], rows["point"])
    if len(rows) and any(int(one.max()) >= most for one, most in zip(where, shape, strict=True)):
        return (), (f"{run.path / 'sets.npy'}: holds curves that the manifest does not name",)
    n = np.zeros(shape, dtype=np.int64)
    count = np.zeros(shape, dtype=np.int64)
    np.add.at(n, where, 1)
    np.add.at(count, where, rows["schedulable"])
    return tuple(_curve(asked, index, count[index], n[index]) for index in range(shape[0])), ()


def _curve(
    asked: ExperimentRun, index: int, count: NDArray[np.int64], n: NDArray[np.int64]
) -> ShareCurve:
    points = tuple(
        SharePoint(utilisation_ppm, share_of(int(kept), int(tested)) if tested else None)
        for utilisation_ppm, kept, tested in zip(asked.utilisations_ppm, count, n, strict=True)
    )
    return ShareCurve(asked.curves[index], points)


def document(data: RunData) -> dict[str, Any]:
    """Write the shares for programs, from 0 to 1, with intervals of 95 % confidence."""
    curves: tuple[ShareCurve, ...] = data.findings
    return {
        "experiment": data.manifest.experiment,
        "curves": [
            {
                "test": curve.asked.test,
                "has_costs": curve.asked.has_costs,
                "weighted": curve.weighted,
                "points": [point_document(one) for one in curve.points],
            }
            for curve in curves
        ],
    }


def point_document(point: SharePoint) -> dict[str, Any]:
    """Write one share for programs, from 0 to 1, with its interval; None: not tested."""
    share = point.share
    return {
        "utilisation_ppm": point.utilisation_ppm,
        "n": 0 if share is None else share.n,
        "schedulable": None if share is None else share.count,
        "share_ratio": None if share is None else share.value,
        "lower_ratio": None if share is None else share.lower,
        "upper_ratio": None if share is None else share.upper,
    }


def shares_csv(curves: Sequence[ShareCurve]) -> str:
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
