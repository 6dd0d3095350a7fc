# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""C of a task that was measured, a pWCET, and the gates in front of it: what answers hold."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Gate:
    """One test and its answer.

    Attributes:
        name: Of the test.
        asks: What must hold.
        statistic: The test's own figure.
        p_value: Probability of a figure at least as far off where it holds; None: not a test of
            chance, the statistic itself counts.
        level: Limit of p, or of the statistic where there is none.
        is_open: False: no pWCET.
    """

    name: str
    asks: str
    statistic: float
    p_value: float | None
    level: float
    is_open: bool


@dataclass(frozen=True, slots=True)
class Pwcet:
    """A bound, with all that it rests on.

    Attributes:
        exceedance: Probability that one job takes longer, at most.
        bound_ns: What is printed; never below the largest sample.
        confidence: That the bound is not too low, for samples like these.
        n: Samples.
        threshold_ns: Above it lies the tail.
        n_above: Samples in the tail.
        shape: xi of the fit; `shape_low` to `shape_high` is its 95 % interval.
        decided_by: Which bound is the largest one: that of a fitted tail (pareto), that of an
            exponential one, or the largest sample (max).
        n_decided: Samples above the threshold that decides: all of the tail, or its upper part.
        max_ns: Largest sample.
        gates: All tests, each passed.
    """

    exceedance: float
    bound_ns: int
    confidence: float
    method: str
    n: int
    threshold_ns: int
    n_above: int
    shape: float
    shape_low: float
    shape_high: float
    decided_by: str
    n_decided: int
    max_ns: int
    gates: tuple[Gate, ...]


@dataclass(frozen=True, slots=True)
class NoPwcet:
    """Why there is no bound.

    Attributes:
        reason: Ends with what to do where something can be done.
        gates: Those that were reached.
    """

    exceedance: float
    n: int
    reason: str
    gates: tuple[Gate, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredWcet:
    """C of a task, and what it rests on.

    Attributes:
        task: Of the task set.
        run: As `wcet_from` names it.
        run_task: Of the run.
        wcet_ns: What the bound counts with, margin included.
        use: Which figure: max, p99.9, pwcet:1e-9.
        n: Jobs behind it.
        max_ns: The longest of them.
        kind: modelled: extrapolated, a pWCET.
        pwcet: None: not asked for.
        notes: What makes the figure weaker than it looks.
    """

    task: str
    run: str
    run_task: str
    machine_hash: str | None
    kind: Literal["measured", "modelled", "simulated"]
    wcet_ns: int
    use: str
    n: int
    max_ns: int
    pwcet: Pwcet | None
    notes: tuple[str, ...]
