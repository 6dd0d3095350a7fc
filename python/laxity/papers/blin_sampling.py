# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Blin et al., table 2: what a sampling interrupt takes from the work on its core."""

from itertools import starmap
from typing import Protocol

from laxity.papers.blin_overheads import alone
from laxity.papers.blin_programs import STAND_INS, StandIn
from laxity.papers.paper import Exhibit, Experiment, Row, TaskRun

_PERCENT = 100
_PERIODS_US = (10, 50)
_CYCLES_PER_US = 1200
# Chosen so that the first row comes out; what it fetches and loads is assumed.
_INTERRUPT = """
[timer]
interval = {interval}
cycles = 2770
code = "1KiB"
data = "512B"
"""
# Overhead on the best-effort core in percent, by period.
_TABLE_2 = {
    "adpcm decode small": (30.59, 3.63),
    "adpcm encode small": (31.87, 4.07),
    "fft small": (30.30, 2.52),
    "fft -i small": (30.51, 2.82),
    "patricia small": (47.59, 4.14),
    "qsort large": (34.00, 3.19),
    "qsort small": (32.00, 16.7),
    "rijndael decode small": (30.70, 2.76),
    "rijndael encode small": (31.42, 3.19),
    "sha small": (29.83, 2.83),
    "susan -c large": (31.60, 2.90),
    "susan -c small": (31.80, 3.53),
    "susan -e small": (29.64, 3.28),
}
_FITTED = "adpcm decode small", 10


class Times(Protocol):
    """What rows are computed from."""

    def start_to_finish_ns(self, experiment: Experiment) -> int:
        """Return how long the job lasts, interrupts included."""


def _run(program: StandIn, period_us: int) -> Experiment:
    task = {"workload": program.workload, "args": [program.word], "period": "20s", "cpus": "0"}
    return Experiment(
        f"sampled-{program.workload}-{program.word}-{period_us}",
        "sabrelite",
        TaskRun((task,), 1),
        _INTERRUPT.format(interval=period_us * _CYCLES_PER_US),
        f"with an interrupt each {period_us} µs",
    )


_PROGRAMS = {program.name: program for program in STAND_INS}
_ROWS = tuple(
    (_PROGRAMS[name], period_us, percent)
    for period in range(len(_PERIODS_US))
    for name, percents in _TABLE_2.items()
    if name in _PROGRAMS
    for period_us, percent in [(_PERIODS_US[period], percents[period])]
)


def _longer(found: Times, program: StandIn, period_us: int) -> float:
    alone_ns = found.start_to_finish_ns(alone(program))
    return _PERCENT * (found.start_to_finish_ns(_run(program, period_us)) / alone_ns - 1)


def _row(program: StandIn, period_us: int, percent: float) -> Row:
    is_fitted = (program.name, period_us) == _FITTED
    return Row(
        f"{program.name}: {program.ours}, each {period_us} µs",
        percent,
        "%",
        "fitted" if is_fitted else "predicted",
        lambda found: _longer(found, program, period_us),
        _SHORT if period_us == _PERIODS_US[0] else _LONG,
    )


_SHORT = (
    "The interrupt takes 2.3 µs and its lines, chosen for the first row. Linux may do more in some "
    "interrupts (patricia: 47.59 %), and in ours nothing differs but the lines that are evicted."
)
_LONG = (
    "One interrupt takes the same with both periods here. In the paper one of each 50 µs takes 1.3 "
    "to 2 µs, less than one of each 10 µs; for 16.7 % of qsort small it gives no reason. One "
    "interrupt more or less is 1 % of a job of 0.2 ms."
)
TABLE_2 = Exhibit(
    "table-2",
    "Table 2: cost of sampling on the best-effort core",
    tuple(
        {
            run.name: run
            for program, period_us, _ in _ROWS
            for run in (alone(program), _run(program, period_us))
        }.values()
    ),
    tuple(starmap(_row, _ROWS)),
    (
        "A job with all of the L2, its caches empty at the start. The simulated regulator reads "
        "traffic without an interrupt; here a timer interrupts the core of the job as often.",
        "Left out: the two columns of the real-time core (−0.70 to 0.90 % in the paper). In the "
        "model an interrupt on another core takes nothing from a job but its lines in the L2.",
        f"Nothing stands for {', '.join(name for name in _TABLE_2 if name not in _PROGRAMS)}.",
        "The text of the paper says that sampling costs up to 209 and 27 %; its table says 47.59 "
        "and 16.7 %.",
    ),
)
