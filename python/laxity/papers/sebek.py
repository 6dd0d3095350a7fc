# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sebek, The real cost of task pre-emptions: what its tables and figures are here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from laxity.costs.crpd import probe as crpd
from laxity.costs.crpd.rows import EVICT, WARM_QUANTILE, losses_ns
from laxity.costs.lines import falling_zero_bytes
from laxity.costs.model import PREEMPT_IN, PREEMPT_OUT
from laxity.costs.options import SIMULATED_REPETITIONS
from laxity.costs.switch import probe as switch
from laxity.costs.switch.costs import costs
from laxity.jobs.intrusion import Intrusion, Watched, intrusion_of
from laxity.jobs.rows import of_task
from laxity.papers import sebek_figures as figures
from laxity.papers.paper import (
    Drawing,
    Exhibit,
    Experiment,
    Kind,
    Measurement,
    Paper,
    Row,
    Runs,
)
from laxity.papers.sebek_figures import Curve
from laxity.papers.sebek_miss_ratios import EXHIBIT_6
from laxity.papers.sebek_misses import Windows, windows_of
from laxity.papers.sebek_probes import SECTION_3_2, job_percent_of
from laxity.platform.platform_file import PLATFORM, PlatformModel, parse_platform
from laxity.statistics import distribution

KIB = 1 << 10
LINE_BYTES = 32
CACHE_BYTES = 32 * KIB
# Section 3.4, table 1: of both switches.
SWITCH_MISSES = 44 + 55
_NS_PER_US, _NS_PER_MS = 1e3, 1e6
_PERCENT = 100
# Two working sets well below the cache, whose passes differ by nothing but their lines.
_SMALL, _LARGE = 8 * KIB, 24 * KIB


def _crpd(name: str, platform: str, sizes_bytes: Sequence[int], evict_bytes: int) -> Experiment:
    """Measure CRPD as in his figure 9: code of a jump per line, preempted by more such code."""
    asked = crpd.Asked(
        cpus=(0,),
        sizes_bytes=tuple(sizes_bytes),
        evict_sizes_bytes=(evict_bytes,),
        cases=("synchronous",),
        patterns=("jumps",),
        evicts=("execute",),
        repetitions=SIMULATED_REPETITIONS,
    )
    return Experiment(name, platform, Measurement("crpd", asked))


def _switches(name: str, platform: str) -> Experiment:
    asked = switch.Asked(cpus=(0,), quantities=("preemption",), repetitions=SIMULATED_REPETITIONS)
    return Experiment(name, platform, Measurement("switch", asked))


def _halves_kib(first: int, last: int) -> list[int]:
    """Every half KiB."""
    return [half * KIB // 2 for half in range(2 * first, 2 * last + 1)]


_RISE = [size * KIB for size in (4, 8, 12, 16, 20, 24, 28, 30, 31)]
_SIZES = (*_RISE, *_halves_kib(32, 38))
LEVEL_1 = _crpd("level-1", "mpc750-no-l2", _SIZES, CACHE_BYTES)
LEVEL_1_AT_233_MHZ = _crpd("level-1-at-233-mhz", "mpc750-233", _SIZES, CACHE_BYTES)
LEVEL_2 = _crpd("level-2", "mpc750", _SIZES, CACHE_BYTES)
LEVEL_2_EVICTED = _crpd(
    "level-2-evicted",
    "mpc750",
    [size * KIB for size in (32, 256, 512, 1024, 1280, 1536)],
    2048 * KIB,
)
SWITCHES = _switches("switches", "mpc750-no-l2")
SWITCHES_NO_CACHE = _switches("switches-no-cache", "mpc750-no-cache")


def _ways(ways: int) -> str:
    return f"{ways} way{'s' if ways > 1 else ''}"


def _of_ways(ways: int) -> Experiment:
    """Take level 1 in other ways; of each that CRPD should end at: half a KiB less, and it."""
    end = CACHE_BYTES + CACHE_BYTES // ways
    between = [CACHE_BYTES + (end - CACHE_BYTES) * step // 4 for step in range(4)]
    asked = sorted({16 * KIB, *(_SMALL, _LARGE), *between, 38 * KIB, end - KIB // 2, end, 66 * KIB})
    changed = f'[l1i]\nways = {ways}\n[[level]]\nname = "L2"\nsize = "0B"\n'
    one = _crpd(f"level-1-of-{_ways(ways).replace(' ', '-')}", "mpc750", asked, 2 * CACHE_BYTES)
    return replace(one, changed=changed, change=f"of {_ways(ways)}, without L2")


OF_WAYS = {1: _of_ways(1), 2: _of_ways(2), 4: _of_ways(4), 8: LEVEL_1}


@dataclass(frozen=True, slots=True)
class Passes:
    """Passes over working sets: warm ones, and what a preemption added to those behind it.

    Attributes:
        warm_ns: A warm pass by the size of the working set, median.
        loss_ns: Figure 9, (e - d) + (c - b) - (b - a): passes from the preemption until they are
            warm again, less as many warm ones, by the size, median.
        loss_to_kernel_ns: The same where the task that preempted touched nothing.
    """

    warm_ns: dict[int, int]
    loss_ns: dict[int, int]
    loss_to_kernel_ns: dict[int, int]

    @property
    def refill_ns(self) -> float:
        """What a line takes that comes back, beyond one that is there."""
        return (self.loss_ns[_LARGE] - self.loss_ns[_SMALL]) / ((_LARGE - _SMALL) // LINE_BYTES)

    @property
    def hit_ns(self) -> float:
        """What a line takes that is there."""
        return (self.warm_ns[_LARGE] - self.warm_ns[_SMALL]) / ((_LARGE - _SMALL) // LINE_BYTES)

    def miss_ratio(self, size_bytes: int) -> float:
        """Tell how many of the lines of a warm pass miss; the loop's own line is one of them."""
        lines = size_bytes // LINE_BYTES + 1
        waited_ns = self.warm_ns[size_bytes] - lines * self.hit_ns
        return round(waited_ns / self.refill_ns) / lines

    @property
    def highest_bytes(self) -> int:
        """The working set whose preemption costs most."""
        return max(self.loss_ns, key=lambda size: self.loss_ns[size])

    @property
    def highest_ns(self) -> int:
        """What that costs."""
        return self.loss_ns[self.highest_bytes]

    @property
    def end_bytes(self) -> int:
        """The smallest working set from which on a preemption costs nothing; 1 ns is rounding."""
        costly = [size for size, loss_ns in self.loss_ns.items() if loss_ns > 1]
        return min(size for size in self.loss_ns if size > max(costly))

    @property
    def falling_zero_bytes(self) -> int:
        """Where a line through the falling part meets zero."""
        found = falling_zero_bytes(sorted(self.loss_ns.items()))
        assert found is not None  # noqa: S101 - it falls behind the cache
        return found


def _median_ns(samples_ns: NDArray[np.int64]) -> int:
    return distribution.from_samples(samples_ns).quantile_ns(0.5)


class Found:
    """What rows compute from; each run is read when it is first asked for."""

    def __init__(self, runs: Runs) -> None:
        """Take the runs that are whole, by the names of their experiments."""
        self._runs = runs
        self.passes = cache(self._read_passes)
        self.switches = cache(self._read_switches)
        self.windows = cache(self._read_windows)
        self.job_percent = cache(self._read_job_percent)

    def _read_passes(self, experiment: Experiment) -> Passes:
        rows = self._runs[experiment.name].stream("crpd")
        sizes = np.ma.getdata(rows["working_set_bytes"])
        found = Passes({}, {}, {})
        for size in sorted(set(sizes.tolist())):
            of_size = rows[sizes == size]
            warm = distribution.from_samples(of_size["warm_ns"].compressed())
            warm_ns = found.warm_ns[size] = warm.quantile_ns(0.5)
            losses, _ = losses_ns(of_size, warm_ns, warm.quantile_ns(WARM_QUANTILE))
            is_evicted = np.ma.getdata(of_size["role"]) == EVICT
            found.loss_ns[size] = _median_ns(losses[is_evicted])
            found.loss_to_kernel_ns[size] = _median_ns(losses[~is_evicted])
        return found

    def _read_switches(self, experiment: Experiment) -> dict[tuple[str, str | None], int]:
        run = self._runs[experiment.name]
        found = costs(run.stream("switch"), experiment.name)
        return {(one.place.name, one.place.case): one.median_ns for one in found}

    def _read_windows(self, experiment: Experiment) -> Windows:
        return windows_of(self._runs[experiment.name])

    def _read_job_percent(self, experiment: Experiment) -> dict[str, float]:
        return job_percent_of(self._runs[experiment.name])

    def intrusion(self, unobserved: Experiment, observed: Experiment) -> Intrusion:
        """Compare T1, the first task, in two runs, from its second job on."""
        runs = [self._runs[one.name] for one in (unobserved, observed)]
        before, after = (Watched(of_task(run.stream("jobs"), 0)[1:], {}) for run in runs)
        found = intrusion_of(before, after)
        assert found is not None  # noqa: S101 - both have its jobs
        return found

    def platform(self, experiment: Experiment) -> PlatformModel:
        """Read the platform file that a run has kept."""
        data = (self._runs[experiment.name].path / PLATFORM).read_bytes()
        return parse_platform(data, experiment.name)


def _switch(name: str, case: str, where: Experiment = SWITCHES) -> Callable[[Found], float]:
    return lambda found: found.switches(where)[name, case] / _NS_PER_US


def _both(case: str, where: Experiment = SWITCHES) -> Callable[[Found], float]:
    into, back = _switch(PREEMPT_IN, case, where), _switch(PREEMPT_OUT, case, where)
    return lambda found: into(found) + back(found)


def _kernel_lines(found: Found) -> float:
    model = found.platform(SWITCHES)
    touched = model.number("core.kernel_code") + model.number("core.kernel_data")
    return 2 * touched / LINE_BYTES


def _switch_refill_us(found: Found) -> float:
    return SWITCH_MISSES * found.passes(LEVEL_1).refill_ns / _NS_PER_US


def _executing_us(found: Found) -> float:
    """Both switches in the worst case, and what their lines cost the task that was there."""
    return _both("worst")(found) + _switch_refill_us(found)


def _highest_us(experiment: Experiment) -> Callable[[Found], float]:
    return lambda found: found.passes(experiment).highest_ns / _NS_PER_US


def _total_us(found: Found) -> float:
    return _executing_us(found) + _highest_us(LEVEL_1)(found)


def _of_cache(size_bytes: int) -> float:
    return _PERCENT * size_bytes / CACHE_BYTES


def _miss_row(size_kib: int, ways: int, paper: float, reason: str) -> Row:
    """Compare with the formula of figure 5."""
    return Row(
        f"{size_kib} KiB in 32 KiB, {_ways(ways)}",
        paper,
        "%",
        "predicted",
        lambda found: _PERCENT * found.passes(OF_WAYS[ways]).miss_ratio(size_kib * KIB),
        reason,
        basis="reasoned",
    )


def _curve(found: Found, experiment: Experiment, name: str) -> Curve:
    points = found.passes(experiment).loss_ns
    return Curve(name, tuple(map(_of_cache, points)), tuple(points.values()))


def _end_row(ways: int) -> Row:
    return Row(
        f"CRPD ends, {_ways(ways)}",
        _of_cache(CACHE_BYTES + CACHE_BYTES // ways),
        "%",
        "predicted",
        lambda found: _of_cache(found.passes(OF_WAYS[ways]).end_bytes),
        "None: both follow from least recent use." if ways == max(OF_WAYS) else _BY_REASONING,
        basis="reasoned",
    )


_BY_REASONING = "None; the paper has 8 ways alone, and the reasoning for others (3.5.1)."
_ONE_SWITCH = (
    "The model has one switch for both ways: core.switch_cycles is half of the sum of table 1."
)
_REFILL = "A line takes 190.9 ns by figure 10; by table 1 it takes 21.9 µs / 99 = 221 ns."
_WRITTEN = (
    "Ours evicts by code and by writing data: 18 of the kernel's 50 lines are data here, and find "
    "a written line in their place, which goes to memory first: 18 × 190.9 ns = 3.4 µs a "
    "switch. He evicted by code alone."
)
_CASCADE = (
    "The paper takes it for the refills of 99 lines. Here 32 lines of the kernel's code come into "
    "sets that the task fills; its passes then evict in each of them what they need next, so that "
    "8 lines are lost to one. Tasks that leave room lose less."
)
_UNCACHED = (
    "The model's kernel touches each of its 50 lines once in a switch; without caches the real one "
    "fetches every instruction from memory: 671 of them in both switches and the probe task."
)

TABLE_1 = Exhibit(
    "table-1",
    "Table 1: what a context switch takes",
    (SWITCHES, SWITCHES_NO_CACHE, LEVEL_1),
    (
        Row("interrupt, best case", 18.5, "µs", "input", _switch(PREEMPT_IN, "best"), _ONE_SWITCH),
        Row("resume, best case", 24.6, "µs", "input", _switch(PREEMPT_OUT, "best"), _ONE_SWITCH),
        Row("both, best case", 43.1, "µs", "input", _both("best"), "None but rounding."),
        Row(
            "cache misses of both, worst case",
            SWITCH_MISSES,
            "lines",
            "input",
            _kernel_lines,
            "The model's two switches touch the same lines, 50 each; the paper has 44 and 55.",
        ),
        Row(
            "interrupt, worst case",
            28.4,
            "µs",
            "predicted",
            _switch(PREEMPT_IN, "worst"),
            f"{_ONE_SWITCH} {_WRITTEN}",
        ),
        Row("resume, worst case", 36.6, "µs", "predicted", _switch(PREEMPT_OUT, "worst"), _WRITTEN),
        Row("both, worst case", 65.0, "µs", "predicted", _both("worst"), _WRITTEN),
        Row("99 refills", 21.9, "µs", "predicted", _switch_refill_us, _REFILL),
        Row(
            "what the switches' lines cost a task of 32 KiB",
            21.9,
            "µs",
            "predicted",
            lambda found: found.passes(LEVEL_1).loss_to_kernel_ns[CACHE_BYTES] / _NS_PER_US,
            _CASCADE,
            basis="reasoned",
        ),
        Row(
            "both, worst case, and 99 refills",
            86.9,
            "µs",
            "predicted",
            _executing_us,
            "The sum of two rows above, whose differences cancel in part.",
            basis="reasoned",
        ),
        Row(
            "interrupt, no cache",
            52.5,
            "µs",
            "predicted",
            _switch(PREEMPT_IN, "best", SWITCHES_NO_CACHE),
            _UNCACHED,
        ),
        Row(
            "resume, no cache",
            66.1,
            "µs",
            "predicted",
            _switch(PREEMPT_OUT, "best", SWITCHES_NO_CACHE),
            _UNCACHED,
        ),
        Row(
            "both, no cache", 118.6, "µs", "predicted", _both("best", SWITCHES_NO_CACHE), _UNCACHED
        ),
    ),
)

_OWN_LINE = "The line of the loop's own instructions is one more in the cache."
FIGURE_5 = Exhibit(
    "figure-5",
    "Figure 5: miss ratio of a task that is larger than the cache",
    (LEVEL_1, OF_WAYS[2]),
    (
        _miss_row(32, 8, 0.0, _OWN_LINE),
        _miss_row(
            33, 8, 25.0, f"The formula is an approximation; exact LRU has 27.3 %. {_OWN_LINE}"
        ),
        _miss_row(36, 8, 100.0, "None."),
        _miss_row(
            38,
            2,
            37.5,
            f"The paper's example, by its formula; exact LRU has 47.4 %. {_OWN_LINE}",
        ),
    ),
    notes=(
        "Erratum: the formula as it is printed, (S − C) / C × W for a task of S bytes in a cache "
        "of C bytes and W ways, is an approximation. (S − C) / 32 sets get one line more than they "
        "have ways, and with LRU all W + 1 lines of such a set miss in each pass: "
        "(S − C) × (W + 1) / S of all lines. For the paper's example of 38 KB in 2 ways these are "
        "6 × 3 / 38 = 47.4 %, where it has 6 / 32 × 2 = 37.5 %. Both are 0 % at S = C and 100 % at "
        "S = C + C / W.",
    ),
    drawings=(
        Drawing(
            "miss-ratio",
            "Miss ratio of a warm pass against the size of the task (simulated), the formula as it "
            "is printed, and exact LRU; 8 ways.",
            lambda found, prefix, alt: figures.draw_miss_ratios(
                [
                    (_of_cache(size), _PERCENT * found.passes(LEVEL_1).miss_ratio(size))
                    for size in _SIZES
                    if size >= CACHE_BYTES
                ],
                prefix,
                alt,
            ),
        ),
    ),
)


FIGURE_7 = Exhibit(
    "figure-7",
    "Figure 7: CRPD against task size and associativity",
    tuple(OF_WAYS.values()),
    (
        Row(
            "CRPD is highest, 8 ways",
            100.0,
            "%",
            "predicted",
            lambda found: _of_cache(found.passes(LEVEL_1).highest_bytes),
            "None.",
            basis="reasoned",
        ),
        *(_end_row(ways) for ways in OF_WAYS),
    ),
    notes=(
        "Sizes are in % of the cache, C. From C + C / W bytes on (W ways) a task has no line that "
        "it could lose: all of them miss in each pass anyway.",
    ),
    drawings=(
        Drawing(
            "associativity",
            "What a preemption costs against the size of the task, by ways of the cache "
            "(simulated); dotted: the paper's reasoning.",
            lambda found, prefix, alt: figures.draw_associativity(
                {ways: _curve(found, one, _ways(ways)) for ways, one in OF_WAYS.items()},
                prefix,
                alt,
            ),
        ),
    ),
)

_LAST_SET = (
    "1016 of 1024 lines: the set of the loop's own line has 9 lines for 8 ways and misses anyway."
)
FIGURE_10 = Exhibit(
    "figure-10",
    "Figure 10: CRPD of the MPC750 with level 1 alone",
    (LEVEL_1, LEVEL_1_AT_233_MHZ),
    (
        Row(
            "highest CRPD",
            195.5,
            "µs",
            "fitted",
            _highest_us(LEVEL_1),
            f"The memory's cycles are those of 195.5 µs / 1024 lines. {_LAST_SET}",
        ),
        Row(
            "at a task size of",
            100.0,
            "%",
            "predicted",
            lambda found: _of_cache(found.passes(LEVEL_1).highest_bytes),
            "None.",
        ),
        Row(
            "the falling line meets zero at",
            113.6,
            "%",
            "predicted",
            lambda found: _of_cache(found.passes(LEVEL_1).falling_zero_bytes),
            "Ours is the theory's 112.5 %; he measured less than 1 % more, as he says.",
        ),
        Row(
            "highest CRPD at 233 MHz, “the same”",
            195.5,
            "µs",
            "predicted",
            _highest_us(LEVEL_1_AT_233_MHZ),
            "4 of the 70 cycles of a refill are the core's, and 1.57 times as long at 233 MHz; the "
            "bus, of the same clock, has the rest.",
        ),
    ),
    drawings=(
        Drawing(
            "crpd",
            "What a preemption costs against the size of the task, level 1 alone (simulated); "
            "dashed: the paper's line, by its text: to 195.5 µs at 100 %, to 0 at 113.6 %.",
            lambda found, prefix, alt: figures.draw_crpd(
                [
                    _curve(found, LEVEL_1, "367 MHz"),
                    _curve(found, LEVEL_1_AT_233_MHZ, "233 MHz"),
                ],
                prefix,
                alt,
            ),
        ),
    ),
)


def _evicted_row(what: str, ours: Callable[[Found], float], unit: str, reason: str) -> Row:
    return Row(what, None, unit, "predicted", ours, reason)


_NOT_MAXIMUM = (
    "The paper says that 31.8 µs is “not the maximum of the system since the L2 was only partly "
    "used”, and has no value."
)
_SUM_KIND: Kind = "fitted"
SECTION_3_5 = Exhibit(
    "section-3.5",
    "Section 3.5: CRPD with level 2, and the whole delay",
    (LEVEL_1, LEVEL_2, LEVEL_2_EVICTED, SWITCHES),
    (
        Row(
            "CRPD with level 2",
            31.8,
            "µs",
            "fitted",
            _highest_us(LEVEL_2),
            "The ratio of the L2's clock is not known; hit_cycles is 11 where 31.8 µs / 1024 lines "
            f"are 11.4 cycles. {_LAST_SET}",
        ),
        _evicted_row(
            "task of 32 KiB, its lines out of the L2, too",
            lambda found: found.passes(LEVEL_2_EVICTED).loss_ns[CACHE_BYTES] / _NS_PER_US,
            "µs",
            f"{_NOT_MAXIMUM} Each line is looked for in the L2, and comes from memory.",
        ),
        _evicted_row(
            "highest CRPD of the system, task of 1 MiB",
            lambda found: found.passes(LEVEL_2_EVICTED).highest_ns / _NS_PER_MS,
            "ms",
            _NOT_MAXIMUM,
        ),
        Row(
            "total pre-emption delay",
            282.4,
            "µs",
            _SUM_KIND,
            _total_us,
            "The sum of table 1's worst case and figure 10's highest CRPD, as in the paper.",
            basis="reasoned",
        ),
        Row(
            "the same, each line counted once",
            None,
            "µs",
            _SUM_KIND,
            lambda found: _both("worst")(found) + _highest_us(LEVEL_1)(found),
            "A task that fills the cache loses each of its lines once, so that the refills of the "
            "switches' lines are in the 195.5 µs: the paper's sum should be 65.0 + 195.5 = "
            "260.5 µs.",
        ),
        Row(
            "share of the CRPD",
            69.0,
            "%",
            _SUM_KIND,
            lambda found: _PERCENT * _highest_us(LEVEL_1)(found) / _total_us(found),
            "None but rounding.",
            basis="reasoned",
        ),
    ),
)

PAPER = Paper(
    name="sebek",
    title="Sebek, The real cost of task pre-emptions",
    reference=(
        "F. Sebek, “The real cost of task pre-emptions - measuring real-time-related cache "
        "performance with a HW/SW hybrid technique”, MRTC technical report 02/58, Mälardalen "
        "University, 2002."
    ),
    summary=(
        "He measured what a preemption costs on an MPC750 of 367 MHz with caches of "
        "32 KiB in 8 ways; here the same is measured on sim:mpc750 and its "
        "variants. CRPD is taken as his figure 9 has it: the passes of a task behind a preemption, "
        "less as many warm ones; tasks are code with a jump per line."
    ),
    missing=(
        "Locked cache lines are not tried: on an MPC750 the kernel alone may lock, and only a "
        "whole cache."
    ),
    exhibits=(TABLE_1, FIGURE_5, EXHIBIT_6, FIGURE_7, FIGURE_10, SECTION_3_2, SECTION_3_5),
    read=Found,
)
