# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Overhead tables of Blin et al., section 3.2, to the letter (docs/regulation.md lists errata).

They are made of averages of constant loads, so that they do not bound what a job loses.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laxity.contention.table import OVERHEAD_MAX, RATE_ONE, STEP_BYTES_PER_S, Load
from laxity.contention.windows import FloatArray, IntArray, Progress

# Samples of the run-time system, 3.3: a shift by 10 of their bytes is a step of the table.
SAMPLE_NS = 50_000
SAMPLE_STEP_BYTES = 1 << 10
# A polynomial counts up to so much above the largest traffic that it was fitted to.
_BEYOND = 1.05
# Overheads are 0 above; the last step of a table stands for that.
_LARGEST_BYTES_PER_S = 3_000_000_000
_N_STEPS = _LARGEST_BYTES_PER_S // STEP_BYTES_PER_S + 1
_LARGEST_DEGREE = 5
# Loads of a ratio for each degree, as in the paper: 18 delays, 5 degrees. A polynomial through as
# many loads as it has coefficients says anything in between.
_LOADS_OF_A_DEGREE = 3
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Average:
    """A phase of a job with a constant load.

    Attributes:
        reads: Lines that the load reads, of 10.
        traffic_bytes_per_s: Mean traffic of the platform (ObsB).
        overhead: Execution time over that alone, less 1 (Ovd).
        solo_ns: Execution time of the phase alone.
        sampled_bytes: Traffic of the platform in each sample; shape (sample,).
    """

    reads: int
    traffic_bytes_per_s: float
    overhead: float
    solo_ns: float
    sampled_bytes: FloatArray


def phase_overheads(
    solo: Progress, begins_ns: Sequence[int], loads: Sequence[Load], courses: Sequence[Progress]
) -> list[list[list[int]]]:
    """Make the tables of all phases.

    Args:
        solo: The job alone.
        begins_ns: Where each phase begins in it, since its start; the first at 0.
        loads: On one CPU, on two, and so on.
        courses: The job with each of them.

    Returns:
        For each phase, for each number of CPUs: what `overheads_of` returns.
    """
    averages = [
        (len(load.cpus), averages_of(load.reads, solo, course, begins_ns))
        for load, course in zip(loads, courses, strict=True)
    ]
    numbers = range(1, max(n_cpus for n_cpus, _ in averages) + 1)
    return [
        [overheads_of([phases[p] for n_cpus, phases in averages if n_cpus == n]) for n in numbers]
        for p in range(len(begins_ns))
    ]


def averages_of(
    reads: int, solo: Progress, loaded: Progress, begins_ns: Sequence[int]
) -> list[Average]:
    """Cut a job with a load into its phases, matched by instructions.

    Args:
        reads: Lines that the load reads, of 10.
        solo: The job alone.
        loaded: The same job with the load.
        begins_ns: Where each phase begins in the job alone, since its start; the first at 0.
    """
    edges_ns = np.array([*(solo.times_ns[0] + np.array(begins_ns)), solo.times_ns[-1]])
    executed = np.interp(edges_ns, solo.times_ns, solo.instructions)
    loaded_ns = np.interp(executed, loaded.instructions, loaded.times_ns)
    averages = []
    for i, solo_ns in enumerate(np.diff(edges_ns)):
        took_ns = loaded_ns[i + 1] - loaded_ns[i]
        samples = max(1, round(took_ns / SAMPLE_NS))
        at_ns = np.linspace(loaded_ns[i], loaded_ns[i + 1], samples + 1)
        sampled = np.diff(np.interp(at_ns, loaded.times_ns, loaded.traffic_bytes))
        averages.append(
            Average(
                reads=reads,
                traffic_bytes_per_s=float(sampled.sum() / took_ns * _NS_PER_S),
                overhead=took_ns / solo_ns - 1,
                solo_ns=float(solo_ns),
                sampled_bytes=sampled * (samples * SAMPLE_NS / took_ns),
            )
        )
    return averages


def overheads_of(averages: Sequence[Average]) -> list[int]:
    """Make the table of a phase with a number of active best-effort cores.

    Args:
        averages: Of all loads on that number of cores.

    Returns:
        Overhead, in 1 / `RATE_ONE` of the solo time, by steps of 20.48 MB/s; 0 above 3000 MB/s.
    """
    curve = packed_overheads(overhead_curve(averages, degree_of(averages)))
    rates: IntArray = np.ceil(np.append(curve, 0.0) * RATE_ONE).astype(np.int64)
    # A polynomial through loads of nearly one traffic may say any number.
    return [min(int(rate), OVERHEAD_MAX) for rate in rates]


def overhead_curve(averages: Sequence[Average], degree: int) -> FloatArray:
    """Fit a polynomial for each ratio of reads, and take the largest at each traffic.

    Returns:
        Overhead at each multiple of 20.48 MB/s up to 3000 MB/s, at least 0.
    """
    largest = max(average.traffic_bytes_per_s for average in averages)
    steps = np.arange(_N_STEPS) * float(STEP_BYTES_PER_S)
    steps = np.minimum(steps, _BEYOND * largest)
    curve = np.zeros(_N_STEPS)
    for of_ratio in _by_ratio(averages):
        traffic = np.array([average.traffic_bytes_per_s for average in of_ratio])
        overhead = [average.overhead for average in of_ratio]
        # With full=True, loads of one traffic give the smallest of the best polynomials.
        fitted, *_ = np.polyfit(traffic / 1e6, overhead, degree, full=True)
        values = np.polyval(fitted, steps / 1e6)
        is_near = steps <= _BEYOND * traffic.max()
        curve = np.maximum(curve, np.where(is_near, values, 0.0))
    # Further digits of a least-squares fit depend on the processor.
    return np.round(curve, 9)


def packed_overheads(curve: FloatArray) -> FloatArray:
    """Raise each overhead to the largest of a sample whose traffic changes once.

    The paper prints Ovd = Req / (t1 ObtB1 + t2 ObtB2); by its own definition Ovd is 1 less.
    """
    progress = 1 / (1 + curve)
    packed = np.empty_like(curve)
    for at in range(len(curve)):
        low, high = np.arange(at + 1)[:, None], np.arange(at, len(curve))[None, :]
        part = (at - low) / np.maximum(high - low, 1)
        mixed = (1 - part) * progress[: at + 1, None] + part * progress[None, at:]
        packed[at] = 1 / mixed.min() - 1
    return packed


def degree_of(averages: Sequence[Average]) -> int:
    """Choose the degree that estimates the overheads best for most ratios of reads.

    The samples of each run are looked up in the table of each degree, before packing. Of degrees
    that are as good the lowest is taken. A degree needs three loads of each ratio.
    """
    ratios = _by_ratio(averages)
    fewest = min(len(of_ratio) for of_ratio in ratios)
    highest = min(_LARGEST_DEGREE, max(fewest // _LOADS_OF_A_DEGREE, 1), fewest - 1)
    degrees = range(min(1, highest), highest + 1)
    curves = [overhead_curve(averages, degree) for degree in degrees]
    best = Counter(
        int(np.argmin([_residual(curve, of_ratio) for curve in curves])) for of_ratio in ratios
    )
    most = max(best.values())
    return degrees[min(i for i, votes in best.items() if votes == most)]


def _residual(curve: FloatArray, averages: Sequence[Average]) -> float:
    """Sum the squares of estimated less measured overheads."""
    errors = [estimated_overhead(curve, average) - average.overhead for average in averages]
    return float(np.square(errors).sum())


def estimated_overhead(curve: FloatArray, average: Average) -> float:
    """Add the overheads of all samples of a phase, as the run-time system does."""
    index = (average.sampled_bytes // SAMPLE_STEP_BYTES).astype(np.int64)
    overheads = np.append(curve, 0.0)[np.minimum(index, len(curve))]
    return float(overheads.sum() * SAMPLE_NS / average.solo_ns)


def _by_ratio(averages: Sequence[Average]) -> list[list[Average]]:
    ratios = sorted({average.reads for average in averages})
    return [[average for average in averages if average.reads == reads] for reads in ratios]
