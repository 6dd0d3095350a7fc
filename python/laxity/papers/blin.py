# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Blin et al., Maximizing parallelism: what its tables and figures are here."""

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from laxity.contention.trial import Trial, read_trial
from laxity.jobs.rates import Rates, rates_of
from laxity.papers.blin_load import EVENTS, FIGURE_5, LINE_BYTES
from laxity.papers.blin_overheads import FIGURE_2, FIGURE_3, TABLE_1
from laxity.papers.blin_regulation import REGULATION
from laxity.papers.blin_sampling import TABLE_2
from laxity.papers.paper import Experiment, Paper, Runs


class Results:
    """The runs that are whole, by the names of their experiments."""

    def __init__(self, runs: Runs) -> None:
        """Take them; nothing is read yet."""
        self.runs = runs
        self.exec_ns = cache(self._read_exec_ns)
        self.mb_per_s = cache(self._read_mb_per_s)
        self.trial = cache(self._read_trial)

    def _read_exec_ns(self, experiment: Experiment) -> int:
        return int(self.runs[experiment.name].stream("jobs")["exec_ns"].sum())

    def start_to_finish_ns(self, experiment: Experiment) -> int:
        """Return how long the only job lasts, interrupts included."""
        (job,) = self.runs[experiment.name].stream("jobs")
        return int(job["finish_ns"]) - int(job["start_ns"])

    def traffic(self, experiment: Experiment) -> Mapping[str, Rates]:
        """Return what the platform read and wrote since the first job started, by event."""
        start_ns = int(self.runs[experiment.name].stream("jobs")["start_ns"][0])
        return {name: since(start_ns, rates) for name, rates in self._sampled(experiment)}

    def _sampled(self, experiment: Experiment) -> Iterator[tuple[str, Rates]]:
        samples = self.runs[experiment.name].stream("counters")
        for event, name in enumerate(EVENTS):
            rates = rates_of(samples, None, event, 0)
            assert rates is not None  # noqa: S101 - for mypy: both are sampled
            yield name, rates

    def _read_mb_per_s(self, experiment: Experiment) -> float:
        """Return the traffic of all jobs after the first one."""
        run = self.runs[experiment.name]
        first, *others = run.stream("jobs")
        traffic = run.manifest.memory_traffic
        assert traffic  # noqa: S101 - for mypy: simulated runs have it
        moved = (traffic.lines_read + traffic.lines_written) * LINE_BYTES
        # Between two jobs nothing moves, so that it does not matter when the sample was taken.
        idle_ns = (int(first["finish_ns"]) + int(others[0]["start_ns"])) // 2
        for _, rates in self._sampled(experiment):
            moved -= int(np.interp(idle_ns, rates.edges_ns, rates.counts))
        return moved / sum(int(job["exec_ns"]) for job in others) * 1e3

    def _read_trial(self, experiment: Experiment) -> Trial:
        return read_trial(self.runs[experiment.name])


def since(start_ns: int, rates: Rates) -> Rates:
    """Leave out what was counted before an instant, linear between samples."""
    later = rates.edges_ns > start_ns
    before = float(np.interp(start_ns, rates.edges_ns, rates.counts))
    return Rates(
        np.concatenate([[0.0], rates.edges_ns[later] - start_ns]),
        np.concatenate([[0.0], rates.counts[later] - before]),
        rates.is_exact,
    )


_SMOKE = "smoke"
_PRESETS = {
    name: (TABLE_1, FIGURE_2, FIGURE_3, FIGURE_5, *regulation[:2], TABLE_2, *regulation[2:])
    for name, regulation in REGULATION.items()
}
PAPER = Paper(
    name="blin",
    title="Blin et al., Maximizing parallelism",
    reference=(
        "A. Blin, C. Courtaud, J. Sopena, J. Lawall and G. Muller, “Maximizing parallelism without "
        "exploding deadlines in a mixed criticality embedded system”, Inria RR-8838, 2016."
    ),
    summary=(
        "They ran programs of MiBench on a SABRE Lite, with up to three cores that load the "
        "memory. Here programs of ours that follow the same methods run on sim:sabrelite and "
        "sim:sabrelite-partitioned, and workload load is the load of its figure 4. Most figures "
        "of the paper are drawings without numbers: the value is what its text says."
    ),
    missing=(
        "Figures 1 and 4 show the board and the load program. --preset says for how many programs "
        "and loads figures 6 to 9 are made: smoke for 2 programs, quick for 12, full for 12 with "
        "the paper's 990 loads."
    ),
    exhibits=_PRESETS[_SMOKE],
    read=Results,
    presets=_PRESETS,
    preset=_SMOKE,
)
