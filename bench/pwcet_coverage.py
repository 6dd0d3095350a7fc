#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How often is a printed pWCET too low, or none printed, where the true quantile is known?

bench/README.md says how to read the table.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from scipy import stats

from laxity.analysis.pwcet import bound_pwcet
from laxity.analysis.wcet_model import Pwcet

# Samples and exceedance: one sample in a hundred, in 500, in 10^5 more than there are.
CASES: Final = ((2_000, 1e-4), (2_000, 1e-6), (10_000, 1e-6), (10_000, 1e-9))
# A time of 1.0 in these is 10 us, after 100 us that each job takes: so a step of the clock is 1 ns.
_STEP_NS, _LEAST_NS = 10_000, 100_000
_CHUNK = 10
HEADERS: Final = (
    *("of", "n", "exceedance", "repeats", "too low", "printed"),
    *("ratio p5", "p50", "p95", "refused first by"),
)
_QUANTILES = (0.05, 0.5, 0.95)

# Of the first four the true quantiles at 1e-6 are 64.1, 95.6, 215 and 1000. The others lie between
# light and heavy, or at the ends.
KINDS: Final[Mapping[str, Any]] = {
    "gamma": stats.gamma(4, scale=3),
    "bounded": stats.beta(2, 5, scale=100),
    "lognormal": stats.lognorm(0.5, scale=20),
    "Pareto": stats.pareto(3, scale=10),
    "exponential": stats.expon(scale=10),
    "uniform": stats.uniform(0, 100),
    "Weibull 0.7": stats.weibull_min(0.7, scale=10),
    "Pareto 10": stats.pareto(10, scale=10),
}


@dataclass(frozen=True, slots=True)
class Repeat:
    """One sample; `ratio` is bound / true quantile, None: refused, by the `closed` gates."""

    kind: str
    n: int
    exceedance: float
    ratio: float | None
    closed: tuple[str, ...]


def repeat(case: tuple[str, int, float, int]) -> Repeat:
    """Draw one sample and bound it."""
    kind, n, exceedance, number = case
    generator = np.random.default_rng([number, n, list(KINDS).index(kind)])
    drawn = KINDS[kind].rvs(n, random_state=generator)
    samples_ns = (drawn * _STEP_NS + _LEAST_NS).astype(np.int64)
    found = bound_pwcet(samples_ns, exceedance)
    closed = tuple(gate.name for gate in found.gates if not gate.is_open)
    if not isinstance(found, Pwcet):
        return Repeat(kind, n, exceedance, None, closed)
    truth_ns = float(KINDS[kind].isf(exceedance)) * _STEP_NS + _LEAST_NS
    return Repeat(kind, n, exceedance, found.bound_ns / truth_ns, closed)


def rows(done: list[Repeat]) -> Iterator[tuple[str, ...]]:
    """Sum up each kind and case."""
    for (n, exceedance, kind), group in groupby(
        done, lambda one: (one.n, one.exceedance, one.kind)
    ):
        repeats = list(group)
        ratios = np.array([one.ratio for one in repeats if one.ratio is not None])
        spread = [f"{np.quantile(ratios, q):.2f}" if ratios.size else "-" for q in _QUANTILES]
        closed = Counter(one.closed[0] for one in repeats if one.closed)
        why = ", ".join(f"{name} {count}" for name, count in closed.most_common())
        low = int(np.count_nonzero(ratios < 1))
        counts = (str(n), f"{exceedance:g}", str(len(repeats)), str(low), str(ratios.size))
        yield (kind, *counts, *spread, why)


@click.command()
@click.option("--repeats", type=int, default=200, show_default=True)
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(repeats: int, json_path: Path | None) -> None:
    """Draw samples of known distributions, and count bounds that are too low."""
    # One thread each: the processes are the parallelism.
    os.environ["OMP_NUM_THREADS"] = "1"
    cases = [
        (kind, n, exceedance, number)
        for n, exceedance in CASES
        for kind in KINDS
        for number in range(repeats)
    ]
    with ProcessPoolExecutor() as pool:
        done = list(pool.map(repeat, cases, chunksize=_CHUNK))
    for row in (HEADERS, ("---",) * len(HEADERS), *rows(done)):
        click.echo(f"| {' | '.join(row)} |")
    if json_path is not None:
        json_path.write_text(json.dumps([asdict(one) for one in done]))


if __name__ == "__main__":
    main()
