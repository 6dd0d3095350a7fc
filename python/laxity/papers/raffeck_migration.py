# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Figures 8 to 13 of Raffeck et al.: jobs of a task that changes its core every few jobs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from laxity.core.units import format_size_bytes
from laxity.costs.migration_jobs import probe as migration_jobs
from laxity.costs.migration_jobs.figure import Series, job_series
from laxity.papers.paper import Drawing, Exhibit, Experiment, Measurement, Row
from laxity.papers.raffeck_found import Found

KIB, MIB = 1 << 10, 1 << 20
_NS_PER_S = 10**9
# One time that is longer than another by less than this is told from it by no figure.
VISIBLE = 1.05
SMALL, MEDIUM, LARGE, HUGE = 2 * KIB, 32 * KIB, 786 * KIB, 8 * MIB
# Stands for the load CPU, which has no working set.
PRIMES = 0


@dataclass(frozen=True, slots=True)
class _Machine:
    """Table I.

    Attributes:
        name: There.
        platform: Ours.
        cpus: Among which the task changes: two neighbours of each of two domains, or all.
        domain_cores: Cores of a domain; 0: there is one domain.
    """

    name: str
    platform: str
    cpus: tuple[int, ...]
    domain_cores: int

    def region(self, cpu: int) -> str:
        """Name a core's domain, or the core where there is one domain."""
        return f"domain {cpu // self.domain_cores}" if self.domain_cores else f"core {cpu}"


M1 = _Machine("M1", "i7-2600", (0, 1, 2, 3), 0)
# Domains 0 and 3, which are two hops apart.
M2 = _Machine("M2", "opteron-6180", (0, 1, 18, 19), 6)
M3 = _Machine("M3", "xeon-e7-4830", (0, 1, 12, 13), 12)
MACHINES = (M1, M2, M3)
# Jobs of each load, and about how many there are between two changes. A job of 786 KiB takes half a
# second to simulate, one of 8 MiB five.
_JOBS = {PRIMES: 120, SMALL: 120, MEDIUM: 120, LARGE: 60, HUGE: 16}
_CHANGE = {HUGE: 4}
_USUAL_CHANGE = 5
_PAUSE_NS = 10_000


def _load(machine: _Machine, size_bytes: int) -> Experiment:
    asked = migration_jobs.Asked(
        cpus=machine.cpus,
        workloads=("mem",) if size_bytes else ("cpu",),
        sizes_bytes=(size_bytes,) if size_bytes else (),
        repetitions=_JOBS[size_bytes],
        jobs_per_cpu=_CHANGE.get(size_bytes, _USUAL_CHANGE),
        pause_ns=_PAUSE_NS,
    )
    words = format_size_bytes(size_bytes).replace(" ", "").lower() if size_bytes else "cpu"
    name = f"{machine.name.lower()}-{words}"
    return Experiment(name, machine.platform, Measurement("migration_jobs", asked))


OF = {
    (machine.name, size_bytes): _load(machine, size_bytes)
    for machine, sizes in (
        (M1, (PRIMES, SMALL, MEDIUM, LARGE)),
        (M2, (PRIMES, SMALL, MEDIUM, LARGE)),
        (M3, (PRIMES, SMALL, MEDIUM, LARGE, HUGE)),
    )
    for size_bytes in sizes
}
NEAR, FAR = False, True


def first_over_later(machine: _Machine, size_bytes: int, is_far: bool) -> Callable[[Found], float]:
    """Divide the first job's time on a core by that of later ones there, median of all changes.

    Args:
        machine: Of the table.
        size_bytes: Of the load.
        is_far: Of changes to another domain, or else within one.
    """
    experiment = OF[machine.name, size_bytes]

    def ratio(found: Found) -> float:
        changes = [one for one in found.changes(experiment) if one.is_far == is_far]
        return float(np.median([one.first_ns / one.later_ns for one in changes]))

    return ratio


def _later_cycles(machine: _Machine, size_bytes: int) -> Callable[[Found], float]:
    """Median time of the jobs that have only been preempted, in cycles of the core."""
    experiment = OF[machine.name, size_bytes]

    def cycles(found: Found) -> float:
        later_ns = float(np.median([one.later_ns for one in found.changes(experiment)]))
        return later_ns * float(found.platform(experiment).clock_hz) / _NS_PER_S

    return cycles


def _cost_cycles(machine: _Machine, size_bytes: int, is_far: bool) -> Callable[[Found], float]:
    """Subtract later jobs' time on a core from the first one's, median of all changes, cycles."""
    experiment = OF[machine.name, size_bytes]

    def cycles(found: Found) -> float:
        changes = [one for one in found.changes(experiment) if one.is_far == is_far]
        cost_ns = float(np.median([one.first_ns - one.later_ns for one in changes]))
        return cost_ns * float(found.platform(experiment).clock_hz) / _NS_PER_S

    return cycles


def _is_visible(ratio: float) -> bool:
    return ratio > VISIBLE


def _is_not_visible(ratio: float) -> bool:
    return ratio <= VISIBLE


_SWITCHES = "“higher costs … at switches to a new processor”"
_SPIKES = "“distinct spikes”"
_NO_EFFECT = "“no clear effect distinguishes preemption and migration”"
_CHANGES = (
    (M1, NEAR, _NO_EFFECT, _is_not_visible),
    (M2, NEAR, _SWITCHES, _is_visible),
    (M2, FAR, _SPIKES, _is_visible),
    (M3, NEAR, _SWITCHES, _is_visible),
    (M3, FAR, _SPIKES, _is_visible),
)
_FETCHED = (
    "A preempted job finds its lines in the core's own caches, where those of both tasks have "
    "room; a migrated one fetches each from the other core and makes it its own (transfer_cycles, "
    "upgrade_cycles)."
)
_LINKS = (
    "As within a domain, and each line takes the links four times: there and back to fetch it, "
    "there and back to make it its own. Nothing of one line overlaps with another's, as it would "
    "where a core executes out of order and prefetches."
)
_HIDDEN = (
    "That is 0.7 µs; in the paper's times are the kernel's and the tracer's own, beside which it "
    "is probably not seen."
)
_L2_TAKEN = "Here these are the L2, of which a real kernel, its tracer and other work take a part."
_NO_TLB = "The platform has no TLB, in which a real core does not find the task's pages at first."
_DRAINED = "The ordinary task drains the core's own caches, so that all jobs fetch from the L3."


def _change_name(machine: _Machine, is_far: bool) -> str:
    if is_far:
        return f"{machine.name}, another domain"
    return f"{machine.name}, another core{' of the domain' if machine.domain_cores else ''}"


def _size_rows(size_bytes: int, reasons: Mapping[tuple[str, bool], str]) -> tuple[Row, ...]:
    """Say what the first job on a core takes; reasons by machine and whether it is far."""
    ratios = tuple(
        Row(
            f"{_change_name(machine, is_far)}: first job over later ones",
            None,
            "times",
            "predicted",
            first_over_later(machine, size_bytes, is_far),
            reasons[machine.name, is_far],
            said=said,
            agrees=agrees,
        )
        for machine, is_far, said, agrees in _CHANGES
    )
    costs = tuple(
        Row(
            f"{_change_name(machine, is_far)}: first job less later ones",
            None,
            "cycles",
            "predicted",
            _cost_cycles(machine, size_bytes, is_far),
            "Nothing is said of it.",
        )
        for machine, is_far, _, _ in _CHANGES
    )
    less = Row(
        "the last one of M2 over that of M3",
        None,
        "times",
        "predicted",
        lambda found: (
            _cost_cycles(M2, size_bytes, FAR)(found) / _cost_cycles(M3, size_bytes, FAR)(found)
        ),
        "Links of 36 cycles one way, two hops, against 66, one hop. In cycles, as the paper's "
        "axes; what later jobs take is left out of it.",
        said="on M2 the effect is “less prevalent”",
        agrees=lambda ratio: ratio < 1,
    )
    return (*ratios, *costs, less)


def _drawing(machine: _Machine, size_bytes: int) -> Drawing:
    experiment = OF[machine.name, size_bytes]
    load = f"MEM {format_size_bytes(size_bytes)}" if size_bytes else "CPU"

    def draw(found: Found, prefix: str, alt: str) -> str:
        rows = found.migration_jobs(experiment)
        cpus = np.ma.getdata(rows["cpu"]).tolist()
        series = Series(
            job=np.ma.getdata(rows["job"]).astype(np.int64),
            exec_ns=np.ma.getdata(rows["exec_ns"]).astype(np.int64),
            region=np.array(list(map(machine.region, cpus))),
            is_migrated=np.ma.filled(rows["since_change"], -1) == 0,
        )
        return job_series(series, prefix, alt)

    caption = (
        f"{machine.name}, {load}: execution times of {_JOBS[size_bytes]} jobs one after the other "
        "(simulated); crosses are the first jobs on another core."
    )
    return Drawing(experiment.name, caption, draw)


def _drawings(size_bytes: int) -> tuple[Drawing, ...]:
    return tuple(_drawing(machine, size_bytes) for machine in MACHINES)


def _experiments(size_bytes: int) -> tuple[Experiment, ...]:
    return tuple(OF[machine.name, size_bytes] for machine in MACHINES)


_REDUCED = (
    "Reduced: the task changes among cores 0 to 3 of M1, cores 0, 1, 18 and 19 of M2 (domains 0 "
    "and 3, two hops apart) and cores 0, 1, 12 and 13 of M3 (domains 0 and 1), where the paper has "
    "all 48; an ordinary task is on each of these, the other cores are idle. {} jobs of each load "
    "in place of 500; changes come after 3 to 7."
)
_OWN_CLOCK = (
    "The job is timed by the task's own clock, so that switch and wake-up are not in it; the paper "
    "times between the kernel's switches. Nothing but the ordinary task disturbs the caches here."
)


def clusters(times_ns: list[int]) -> int:
    """Count groups of times that are apart by more than can be told."""
    ordered = sorted(times_ns)
    return 1 + sum(after > VISIBLE * before for before, after in pairwise(ordered))


def _cpu_rows(machine: _Machine) -> tuple[Row, ...]:
    experiment = OF[machine.name, PRIMES]

    def most(found: Found) -> float:
        return max(one.first_ns / one.later_ns for one in found.changes(experiment))

    return (
        Row(
            f"{machine.name}, clusters of execution times",
            None,
            "clusters",
            "predicted",
            lambda found: float(
                clusters(np.ma.getdata(found.migration_jobs(experiment)["exec_ns"]).tolist())
            ),
            "One for each of the two limits, which alternate. The limits are ours, 1200 and 1500; "
            "the paper does not state its own.",
            said="two “on all machines”",
            agrees=lambda number: number == len(("lower", "upper")),
        ),
        Row(
            f"{machine.name}, first job on any other core over later ones, the most",
            None,
            "times",
            "predicted",
            most,
            "No memory but the line of its code is used, and that once on each core.",
            said="memory is “responsible” for what MEM shows",
            agrees=_is_not_visible,
        ),
    )


FIGURE_8 = Exhibit(
    "figure-8",
    "Figure 8: a processor-bound task that changes its core",
    _experiments(PRIMES),
    tuple(row for machine in MACHINES for row in _cpu_rows(machine)),
    notes=(_REDUCED.format(_JOBS[PRIMES]), _OWN_CLOCK),
    drawings=_drawings(PRIMES),
)

FIGURE_9 = Exhibit(
    "figure-9",
    "Figure 9: MEM 2 KiB",
    _experiments(SMALL),
    _size_rows(
        SMALL,
        {
            ("M1", NEAR): f"{_FETCHED} {_HIDDEN}",
            ("M2", NEAR): _FETCHED,
            ("M2", FAR): _LINKS,
            ("M3", NEAR): _FETCHED,
            ("M3", FAR): _LINKS,
        },
    ),
    notes=(_REDUCED.format(_JOBS[SMALL]), _OWN_CLOCK),
    drawings=_drawings(SMALL),
)
FIGURE_10 = Exhibit(
    "figure-10",
    "Figure 10: MEM 32 KiB",
    _experiments(MEDIUM),
    _size_rows(
        MEDIUM,
        {
            ("M1", NEAR): f"{_FETCHED} {_L2_TAKEN}",
            ("M2", NEAR): f"{_FETCHED} On M2 that is the L1, of 64 KiB.",
            ("M2", FAR): _LINKS,
            ("M3", NEAR): _FETCHED,
            ("M3", FAR): _LINKS,
        },
    ),
    notes=(_REDUCED.format(_JOBS[MEDIUM]), _OWN_CLOCK),
    drawings=_drawings(MEDIUM),
)


class _Axis(NamedTuple):
    """The cycles that the labels of a figure's axis go from and to; its points are an image."""

    low: int
    high: int

    @property
    def middle(self) -> float:
        """Stands for the times that it shows."""
        return (self.low + self.high) / 2

    @property
    def words(self) -> str:
        """Say so."""
        return f"The paper's is the middle of its axis, {self.low:,} to {self.high:,}."


AXIS_M1 = _Axis(550_000, 600_000)
AXIS_M2 = _Axis(10_000, 50_000)
AXIS_M3 = _Axis(400_000, 550_000)
AXIS_M3_ZOOMED = _Axis(375_000, 475_000)
_LINES = LARGE // 64
_L3_CYCLES = (
    "Each of {:,} lines comes from the L3, whose cycles the platform file has from a source on M1 "
    "and assumes on M3."
)


def _axis_row(machine: _Machine, axis: _Axis, reason: str) -> Row:
    return Row(
        f"{machine.name}, a later job",
        axis.middle,
        "cycles",
        "predicted",
        _later_cycles(machine, LARGE),
        f"{axis.words} {_L3_CYCLES.format(_LINES)} {reason}",
    )


def _spike_row(axis: _Axis) -> Row:
    return Row(
        "M3, another domain: first job over later ones, at most",
        axis.high / axis.low,
        "times",
        "predicted",
        first_over_later(M3, LARGE, FAR),
        f"The paper's is the end of its axis over the beginning, {axis.high:,} over {axis.low:,}. "
        "The model's spike is far too high: 320 cycles a line, none of them beside another's.",
    )


_M3_LATER = "The real core executes out of order and prefetches into its L2, the model's does not."
FIGURE_11 = Exhibit(
    "figure-11",
    "Figure 11: MEM 786 KiB",
    _experiments(LARGE),
    (
        *_size_rows(
            LARGE,
            {
                ("M1", NEAR): _DRAINED,
                ("M2", NEAR): f"{_DRAINED} {_NO_TLB}",
                ("M2", FAR): f"{_DRAINED} That is the other domain's L3, over the links. {_LINKS}",
                ("M3", NEAR): f"{_DRAINED} {_NO_TLB}",
                ("M3", FAR): f"{_DRAINED} That is the other domain's L3, over the links. {_LINKS}",
            },
        ),
        _axis_row(
            M1,
            AXIS_M1,
            "What kernel and tracer add is not in it.",
        ),
        Row(
            "M2, a later job",
            None,
            "cycles",
            "predicted",
            _later_cycles(M2, LARGE),
            f"Erratum: by that axis {LARGE // 32:,} pairs of a read and a write would take at most "
            "two cycles each, in a working set larger than the L2. Ours takes 61 cycles a line.",
            said=f"{AXIS_M2.low:,} to {AXIS_M2.high:,} by its axis",
            agrees=lambda cycles: AXIS_M2.low <= cycles <= AXIS_M2.high,
        ),
        _axis_row(M3, AXIS_M3, _M3_LATER),
        _spike_row(AXIS_M3),
    ),
    notes=(_REDUCED.format(_JOBS[LARGE]), _OWN_CLOCK),
    drawings=_drawings(LARGE),
)
FIGURE_12 = Exhibit(
    "figure-12",
    "Figure 12: M3 from near, CPU and MEM 786 KiB",
    (OF["M3", PRIMES], OF["M3", LARGE]),
    (
        Row(
            "CPU, another domain: first job over later ones",
            None,
            "times",
            "predicted",
            first_over_later(M3, PRIMES, FAR),
            "None: its memory is a line of code.",
            said="memory is “responsible for the observed pattern”",
            agrees=_is_not_visible,
        ),
        Row(
            "MEM, another core of the domain: first job over later ones",
            None,
            "times",
            "predicted",
            first_over_later(M3, LARGE, NEAR),
            f"{_DRAINED} {_NO_TLB}",
            said=_SWITCHES,
            agrees=_is_visible,
        ),
        Row(
            "MEM, another domain: first job over later ones",
            None,
            "times",
            "predicted",
            first_over_later(M3, LARGE, FAR),
            _LINKS,
            said=_SPIKES,
            agrees=_is_visible,
        ),
        _axis_row(M3, AXIS_M3_ZOOMED, _M3_LATER),
        _spike_row(AXIS_M3_ZOOMED),
    ),
    notes=("The pictures of M3 in figures 8 and 11 are as near as this one: 120 and 60 jobs.",),
)


def _away_over_home(found: Found) -> float:
    """Divide later jobs' time on cores of another domain by that where the memory is."""
    experiment = OF["M3", HUGE]
    rows = found.migration_jobs(experiment)
    is_later = np.ma.filled(rows["since_change"], 0) > 0
    is_home = np.ma.getdata(rows["cpu"]) < M3.domain_cores
    times_ns = np.ma.getdata(rows["exec_ns"])
    return float(np.median(times_ns[is_later & ~is_home]) / np.median(times_ns[is_later & is_home]))


FIGURE_13 = Exhibit(
    "figure-13",
    "Figure 13: MEM 8 MiB on M3",
    (OF["M3", HUGE],),
    (
        Row(
            "another domain: all but the first job over those where the memory is",
            None,
            "times",
            "predicted",
            _away_over_home,
            "None as to the kind: the memory stays in domain 0, where the task began. Neither does "
            "the paper's follow the task, as far as it says.",
            said="“higher cost after switching NUMA domains”",
            agrees=_is_visible,
        ),
        Row(
            "another domain: first job over later ones",
            None,
            "times",
            "predicted",
            first_over_later(M3, HUGE, FAR),
            "What the ordinary tasks of 8 MiB leave of the task in an L3 of 16 MiB is nothing, so "
            "that the first job fetches what each later one fetches, too. The text does not say "
            "whether its cost is the first job's alone.",
            said="“higher cost after switching NUMA domains”",
            agrees=_is_visible,
        ),
        Row(
            "another core of the domain: first job over later ones",
            None,
            "times",
            "predicted",
            first_over_later(M3, HUGE, NEAR),
            "None: “the influence of caches declines”.",
            said="“but not after switching cores”",
            agrees=_is_not_visible,
        ),
    ),
    notes=(_REDUCED.format(_JOBS[HUGE]), _OWN_CLOCK),
    drawings=(_drawing(M3, HUGE),),
)
FIGURES = (FIGURE_8, FIGURE_9, FIGURE_10, FIGURE_11, FIGURE_12, FIGURE_13)
