# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Blin et al., figure 5: traffic of the load alone, by mix of reads and writes, and delay."""

from typing import Protocol

from laxity.papers.blin_figures import Line, draw_lines
from laxity.papers.paper import Drawing, Exhibit, Experiment, Row, TaskRun

# Of the Cortex-A9.
LINE_BYTES = 32
EVENTS = ("mem_read_bytes", "mem_write_bytes")
# Lines of each 10 that are read, and turns of the wait loop; the paper has 11 and 18.
_MIXES, _DELAYS = (0, 2, 4, 6, 8, 10), (0, 20, 60, 200, 1000)
_BY_MIX = {
    (reads, delay): Experiment(
        f"load-{reads}-{delay}",
        "sabrelite",
        TaskRun(
            (
                {
                    "workload": "load",
                    "args": ["4MiB", str(reads), str(delay)],
                    "period": "200ms",
                    "cpus": "0",
                },
            ),
            3,
            events=EVENTS,
            sample_bucket="1ms",
        ),
    )
    for reads in _MIXES
    for delay in _DELAYS
}
# Section 3.1.
_HIGHEST_MB_PER_S = 2020


class Rates(Protocol):
    """What rows are computed from."""

    def mb_per_s(self, experiment: Experiment) -> float:
        """Return the traffic of a load once the caches are full."""


def _highest_of_others(rates: Rates) -> float:
    return max(rates.mb_per_s(run) for mix, run in _BY_MIX.items() if mix != (0, 0))


def _row(reads: int, delay: int) -> Row:
    return Row(
        f"{reads} of 10 lines read, delay {delay}",
        None,
        "MB/s",
        "predicted",
        lambda rates: rates.mb_per_s(_BY_MIX[reads, delay]),
        "The figure is a drawing. The core of the model executes in order, so that reads are "
        "likely slower than on the board.",
        said="no value",
    )


def _draw(rates: Rates, prefix: str, alt: str) -> str:
    lines = [
        Line(
            f"delay {delay}",
            _MIXES,
            [rates.mb_per_s(_BY_MIX[reads, delay]) for reads in _MIXES],
        )
        for delay in _DELAYS
    ]
    return draw_lines(lines, "lines read, of 10", "traffic (MB/s)", prefix, alt)


FIGURE_5 = Exhibit(
    "figure-5",
    "Figure 5: traffic of the load generator alone",
    tuple(_BY_MIX.values()),
    (
        Row(
            "writes alone, no delay",
            _HIGHEST_MB_PER_S,
            "MB/s",
            "fitted",
            lambda rates: rates.mb_per_s(_BY_MIX[0, 0]),
            "The time of a row conflict in the platform file was chosen for this value.",
        ),
        Row(
            "highest of all other mixes and delays",
            None,
            "MB/s",
            "predicted",
            _highest_of_others,
            "None.",
            said="less than writes alone without delay",
            agrees=lambda rate: rate < _HIGHEST_MB_PER_S,
        ),
        *(_row(reads, 0) for reads in _MIXES if reads),
        *(_row(reads, delay) for reads in (0, 4, 10) for delay in _DELAYS if delay),
    ),
    (
        "Passes through 4 MiB after the first one, which finds empty caches. Reduced: 6 of the "
        "paper's 11 mixes and 5 of its 18 delays.",
    ),
    (
        Drawing(
            "load",
            "Traffic of load 4MiB alone on core 0 by mix and delay (simulated), n = 2 passes each.",
            _draw,
        ),
    ),
)
