# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Figures 2 to 5 of Raffeck et al.: what accesses and programs take by where their memory lies."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from laxity.costs.memory_latency import probe as memory_latency
from laxity.costs.options import SIMULATED_REPETITIONS
from laxity.papers import raffeck_figures as figures
from laxity.papers.paper import Drawing, Exhibit, Experiment, Kind, Measurement, Row, TaskRun
from laxity.papers.raffeck_found import Found

KIB, MIB = 1 << 10, 1 << 20
WORD_BYTES = 4
_PERCENT = 100
# The order of the paper's groups; as tables name them, and where they are.
OWN, CACHED, UNCACHED, REMOTE = "own", "lmu0", "lmu0-nc", "remote"
PLACES = {OWN: "dspr", CACHED: "memory", UNCACHED: "lmu-nc", REMOTE: "dspr@4"}
PLACE_NAMES = {
    OWN: "core 0's scratchpad",
    CACHED: "LMU0, cached",
    UNCACHED: "LMU0, not cached",
    REMOTE: "core 4's scratchpad",
}
# Section III.A.
WORDS_KIB = (1, 8, 16, 32)
# Nothing but what the caches held before makes jobs differ.
_JOBS = 5
_PERIOD_MS = 10
_PROGRAM_PERIOD_MS = 100


def _in_turn(
    tasks: Sequence[Mapping[str, Any]], jobs: int, period_ms: int
) -> tuple[Mapping[str, Any], ...]:
    """Run tasks on core 0 one after the other, so that each is alone there."""
    return tuple(
        task
        | {
            "cpus": "0",
            "period": f"{period_ms}ms",
            "deadline": "none",
            "offset": f"{number * (jobs + 1) * period_ms}ms",
        }
        for number, task in enumerate(map(dict, tasks))
    )


def _words(place: str) -> Experiment:
    tasks = [
        {
            "name": f"{size}KiB",
            "workload": "words",
            "args": [f"{size}KiB"],
            "place": f"heap={PLACES[place]}",
        }
        for size in WORDS_KIB
    ]
    # Its core 0 has more than the file says of all cores; of arrays of all sizes at once some.
    return Experiment(
        f"words-{place}",
        "tc397",
        TaskRun(_in_turn(tasks, _JOBS, _PERIOD_MS), _JOBS),
        changed='[[region]]\nname = "dspr"\nsize = "240KiB"\n',
        change="with core 0's 240 KiB of scratchpad",
    )


WORDS = {place: _words(place) for place in PLACES}


def word_ns(found: Found, place: str, size_kib: int) -> float:
    """Time of a word, its instructions included, median of the transfers of an array."""
    words = size_kib * KIB / WORD_BYTES
    return found.job_ns(WORDS[place], f"{size_kib}KiB") / words


def _over_own(place: str, sizes_kib: Sequence[int]) -> Callable[[Found], float]:
    """Return the mean over sizes of the ratio to the core's own scratchpad."""
    return lambda found: (
        sum(word_ns(found, place, size) / word_ns(found, OWN, size) for size in sizes_kib)
        / len(sizes_kib)
    )


# Times differ if medians do by more than this: below is what pages do.
_STEP_RATIO = 1.05
_DOUBLE = 2
_IN_CACHE_KIB = WORDS_KIB[:3]
_LOOP = "The loop around a word is in both: five cycles, of the ARM code that the model executes."
FIGURE_2 = Exhibit(
    "figure-2",
    "Figure 2: access times of an AURIX, by where the data is",
    tuple(WORDS.values()),
    (
        Row(
            "LMU0 by cached addresses over own scratchpad, 1 to 16 KiB",
            None,
            "times",
            "predicted",
            _over_own(CACHED, _IN_CACHE_KIB),
            "None: what the data cache of 16 KiB holds takes what the scratchpad takes.",
            said="one group",
            agrees=lambda ratio: ratio < _STEP_RATIO,
        ),
        Row(
            "the same, 32 KiB",
            None,
            "times",
            "predicted",
            _over_own(CACHED, WORDS_KIB[3:]),
            "Twice the data cache, so that about each second word waits for its line. The text "
            "does not say where this size lies, and the values are a drawing.",
            said="one group",
            agrees=lambda ratio: ratio < _STEP_RATIO,
        ),
        Row(
            "LMU0 by addresses that are not cached over own scratchpad",
            None,
            "times",
            "fitted",
            _over_own(UNCACHED, WORDS_KIB),
            f"The memory's time was chosen so that it lies between the two others. {_LOOP}",
            said="a group between the others",
            agrees=lambda ratio: _STEP_RATIO < ratio < _DOUBLE,
        ),
        Row(
            "core 4's scratchpad over own scratchpad",
            None,
            "times",
            "fitted",
            _over_own(REMOTE, WORDS_KIB),
            f"The time of the bridge was chosen for exactly this. {_LOOP}",
            said="“near doubling”",
            agrees=lambda ratio: abs(ratio - _DOUBLE) < _STEP_RATIO - 1,
        ),
    ),
    notes=(
        "The three groups prove nothing: latencies of the AURIX could not be had, and those of the "
        "model are chosen so that these groups come out. What follows from them is in figure 3.",
    ),
    drawings=(
        Drawing(
            "words",
            "Time per word of 32 bits, its loop included, by where the array is and how large it "
            f"is: each of {_JOBS} transfers (simulated), and their median as a line. The first one "
            "of each array finds the caches cold.",
            lambda found, prefix, alt: figures.draw_words(
                {
                    PLACE_NAMES[place]: [
                        (
                            f"{size} KiB",
                            found.jobs_ns(WORDS[place])[f"{size}KiB"] / (size * KIB / 4),
                        )
                        for size in WORDS_KIB
                    ]
                    for place in PLACES
                },
                prefix,
                alt,
            ),
        ),
    ),
)

# Workloads of ours; theirs are TACLeBench's.
PROGRAMS = (
    "adpcm_decode",
    "adpcm_encode",
    "aes",
    "basicmath",
    "bitcount",
    "crc32",
    "dijkstra",
    "fft",
    "prefix_tree",
    "sha",
    "sort",
)
NORMAL, GLOBAL, FAR = "normal", "global-nc", "remote"
_DATA_IN = {NORMAL: "dspr", GLOBAL: "lmu-nc", FAR: "dspr@4"}


def _program(name: str) -> Experiment:
    tasks = [
        {
            "name": task,
            "workload": name,
            "args": ["small"],
            "place": f"data+bss+heap+stack={region}",
        }
        for task, region in _DATA_IN.items()
    ]
    return Experiment(name, "tc397", TaskRun(_in_turn(tasks, 3, _PROGRAM_PERIOD_MS), 3))


PROGRAM_RUNS = {name: _program(name) for name in PROGRAMS}


def ratio(found: Found, program: str, where: str) -> float:
    """Execution time over that with data in the core's own scratchpad."""
    experiment = PROGRAM_RUNS[program]
    return found.job_ns(experiment, where) / found.job_ns(experiment, NORMAL)


def _ratios(found: Found, where: str) -> list[float]:
    return [ratio(found, program, where) for program in PROGRAMS]


def _extreme_row(what: str, choose: Callable[[list[float]], float], where: str) -> Row:
    return Row(
        what,
        None,
        "times",
        "predicted",
        lambda found: choose(_ratios(found, where)),
        "Of our programs, not theirs.",
        said="differ by program",
    )


def _program_row(program: str, where: str) -> Row:
    return Row(
        f"{program}, {where}",
        None,
        "times",
        "predicted",
        lambda found: ratio(found, program, where),
        "The paper's are a drawing, of other programs.",
    )


FIGURE_3 = Exhibit(
    "figure-3",
    "Figure 3: programs with their data in different memories",
    tuple(PROGRAM_RUNS.values()),
    (
        Row(
            "programs in the order normal, global-nc, remote",
            None,
            "programs",
            "predicted",
            lambda found: sum(
                1 < ratio(found, one, GLOBAL) < ratio(found, one, FAR) for one in PROGRAMS
            ),
            f"Of {len(PROGRAMS)}. No program's time was fitted; the order of two single accesses, "
            "figure 2, was.",
            said="“significant differences”",
            agrees=lambda number: number == len(PROGRAMS),
        ),
        _extreme_row("global-nc, the program that loses least", min, GLOBAL),
        _extreme_row("global-nc, the program that loses most", max, GLOBAL),
        _extreme_row("remote, the program that loses least", min, FAR),
        _extreme_row("remote, the program that loses most", max, FAR),
        *(_program_row(program, where) for program in PROGRAMS for where in (GLOBAL, FAR)),
    ),
    notes=(
        "Execution time over that of the same program with stack, data, bss and heap in core 0's "
        "own scratchpad; global-nc: in LMU0, not cached; remote: in core 4's scratchpad. Code and "
        "constants are in the flash. The programs are portable workloads of ours, size small, as "
        "ARM code: TACLeBench's are not ours to bring along. Medians of 3 jobs.",
        "A program can lose more than a single word does in figure 2: there a loop of five cycles "
        "is around each access, and a program may have several accesses in as many cycles.",
    ),
    drawings=(
        Drawing(
            "programs",
            "Execution time by where stack and data are, over that with both in core 0's own "
            "scratchpad (simulated).",
            lambda found, prefix, alt: figures.draw_programs(
                PROGRAMS, _ratios(found, GLOBAL), _ratios(found, FAR), prefix, alt
            ),
        ),
    ),
)

_NODES = (0, 1, 2, 3)
_CASES = ("chase", "read", "write")


def _access(name: str, platform: str, sizes_bytes: Sequence[int]) -> Experiment:
    asked = memory_latency.Asked(
        cpus=(0,),
        nodes=_NODES,
        sizes_bytes=tuple(sizes_bytes),
        cases=_CASES,
        repetitions=SIMULATED_REPETITIONS,
    )
    return Experiment(name, platform, Measurement("memory_latency", asked))


def _other_core(name: str, platform: str, core: int, size_bytes: int) -> Experiment:
    asked = memory_latency.Asked(
        cpus=(core,),
        nodes=(0,),
        sizes_bytes=(size_bytes,),
        cases=_CASES,
        repetitions=SIMULATED_REPETITIONS,
    )
    return Experiment(name, platform, Measurement("memory_latency", asked))


_KIB_SIZES = tuple(size * KIB for size in (32, 64, 128, 256, 512))
M2 = _access("m2", "opteron-6180", (*_KIB_SIZES, *(size * MIB for size in (1, 2, 4, 8, 16))))
M3 = _access("m3", "xeon-e7-4830", (*_KIB_SIZES, *(size * MIB for size in (1, 4, 8, 16, 32))))
# The last ones of domain 0.
M2_CORE_5 = _other_core("m2-core-5", "opteron-6180", 5, 16 * MIB)
M3_CORE_11 = _other_core("m3-core-11", "xeon-e7-4830", 11, 32 * MIB)


def _largest(found: Found, experiment: Experiment, case: str, node: int) -> float:
    times = found.access_ns(experiment, case, node)
    return times[max(times)]


def _beyond(experiment: Experiment, case: str, node: int) -> Callable[[Found], float]:
    """Subtract domain 0's time of the largest array from another domain's."""
    return lambda found: (
        _largest(found, experiment, case, node) - _largest(found, experiment, case, 0)
    )


def _is_positive(difference: float) -> bool:
    return difference > 0


def apart(found: Found, experiment: Experiment, size_bytes: int) -> float:
    """Return how many times as long the slowest domain takes as the fastest, of any case."""
    times = [
        [found.access_ns(experiment, case, node)[size_bytes] for node in _NODES] for case in _CASES
    ]
    return max(max(one) / min(one) for one in times)


def _first_step_mib(found: Found, experiment: Experiment) -> float:
    sizes = sorted(found.access_ns(experiment, "chase", 0))
    steps = [size for size in sizes if apart(found, experiment, size) > _STEP_RATIO]
    return min(steps, default=0) / MIB


def _in_caches(found: Found, experiment: Experiment, limit_bytes: int) -> float:
    sizes = [size for size in found.access_ns(experiment, "chase", 0) if size <= limit_bytes]
    return _PERCENT * max(apart(found, experiment, size) - 1 for size in sizes)


def _access_rows(
    experiment: Experiment,
    other: Experiment,
    core: int,
    in_caches_bytes: int,
    steps: Row,
    hops: Sequence[tuple[int, str, str]],
) -> tuple[Row, ...]:
    limit = f"{in_caches_bytes // MIB} MiB"
    kind: Kind = "input"
    return (
        Row(
            f"arrays up to {limit}, the most that domains differ by",
            None,
            "%",
            "predicted",
            lambda found: _in_caches(found, experiment, in_caches_bytes),
            "What the caches hold comes from them, wherever its memory is.",
            said="larger “for larger array sizes”",
            agrees=lambda percent: percent <= _PERCENT * (_STEP_RATIO - 1),
        ),
        steps,
        Row(
            f"the largest array, core {core} of domain 0 over core 0",
            None,
            "times",
            "predicted",
            lambda found: (
                _largest(found, other, "chase", 0) / _largest(found, experiment, "chase", 0)
            ),
            "None: what a core's own domain has is equally far from all of its cores.",
        ),
        *(
            Row(
                f"the largest array, chain, domain {node} beyond domain 0",
                None,
                "ns",
                kind,
                _beyond(experiment, "chase", node),
                reason,
                said="larger",
                agrees=_is_positive,
            )
            for node, _, reason in hops
        ),
        *(
            Row(
                f"the largest array, random {case}s, domain {node} beyond domain 0",
                None,
                "ns",
                "predicted",
                _beyond(experiment, case, node),
                reads,
                said="larger",
                agrees=_is_positive,
            )
            for node, reads, _ in hops
            for case in ("read", "write")
        ),
    )


def _access_drawing(experiment: Experiment, machine: str, case: str, words: str) -> Drawing:
    return Drawing(
        f"{experiment.name}-{case}",
        f"{words} on {machine}, measured on core 0, by domain of the memory: median and quartiles "
        f"of n = {SIMULATED_REPETITIONS} batches of 4096 (simulated); dotted: the caches of the "
        "platform file.",
        lambda found, prefix, alt: figures.draw_access(
            found.access_times(experiment), found.platform(experiment), case, prefix, alt
        ),
    )


def _access_drawings(experiment: Experiment, machine: str) -> tuple[Drawing, ...]:
    return (
        _access_drawing(experiment, machine, "read", "Random reads"),
        _access_drawing(experiment, machine, "chase", "A chain of loads"),
    )


_OVERLAP = "Random accesses do not wait for each other: as many are under way as there are buffers."
FIGURE_4 = Exhibit(
    "figure-4",
    "Figure 4: access times of M2 by domain",
    (M2, M2_CORE_5),
    _access_rows(
        M2,
        M2_CORE_5,
        5,
        2 * MIB,
        Row(
            "the smallest array whose domains differ",
            None,
            "MiB",
            "predicted",
            lambda found: _first_step_mib(found, M2),
            "The model has an L3 of 4 MiB, of which the core's own lines are a part.",
            said="“larger array sizes”",
            agrees=lambda size_mib: size_mib > 0,
        ),
        (
            (1, _OVERLAP, "One hop: link_cycles is 18 each way, 36 of 0.4 ns."),
            (3, _OVERLAP, "Two hops: twice that."),
        ),
    ),
    notes=(
        "Domain 0's core 0 reads and writes; arrays of 32 KiB to 16 MiB. The paper shows 4 of 8 "
        "domains, the others being “equivalent”. As firmware tells distances there are two kinds: "
        "domains 1, 2, 4 and 6 one hop away, 3, 5 and 7 two.",
    ),
    drawings=_access_drawings(M2, "M2"),
)
FIGURE_5 = Exhibit(
    "figure-5",
    "Figure 5: access times of M3 by domain",
    (M3, M3_CORE_11),
    _access_rows(
        M3,
        M3_CORE_11,
        11,
        16 * MIB,
        Row(
            "the smallest array whose domains differ",
            8.0,
            "MiB",
            "predicted",
            lambda found: _first_step_mib(found, M3),
            "Of 16 MiB and less nothing is seen: the model's L3 has 16 MiB, and all of the array "
            "has been used before. The paper's has 30 MiB, which 8 MiB would fit, too: probably "
            "its arrays were not used before, or the L3 was not theirs alone. “More prevalent”, "
            "it says of 8 MiB.",
        ),
        (
            (
                1,
                _OVERLAP,
                "One hop: link_cycles is 66 each way, 132 of 0.48 ns are 62.9; some of the lines "
                "have been prefetched.",
            ),
        ),
    ),
    notes=("Domain 0's core 0 reads and writes; every other domain is one hop away.",),
    drawings=_access_drawings(M3, "M3"),
)
