# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Blin et al., table 1: the programs of MiBench that they run, and the programs of ours instead."""

from dataclasses import dataclass

LARGE, SMALL = "large", "small"


@dataclass(frozen=True, slots=True)
class StandIn:
    """A program of MiBench with program of its inputs.

    Attributes:
        original: Its name in the paper.
        size: Of the input, `large` or `small`.
        runtime_ms: Mean run time there, without partitioning (table 1).
        workload: Program of ours that follows the same method; "": none does.
        word: Its argument.
        is_selected: Whether the paper regulates it: over 10 % overhead, at most 50 ms.
    """

    original: str
    size: str
    runtime_ms: float
    workload: str
    word: str
    is_selected: bool

    @property
    def name(self) -> str:
        """The name with its size, as the paper writes it."""
        return f"{self.original} {self.size}"

    @property
    def ours(self) -> str:
        """The command of the one of ours."""
        return f"{self.workload} {self.word}"


# Program, run times in ms of both inputs, workload, its arguments for both.
_TABLE_1 = (
    ("basicmath", 54.82, 12.31, "basicmath", (LARGE, SMALL)),
    ("bitcount", 413.63, 27.46, "bitcount", (LARGE, SMALL)),
    ("qsort", 23.44, 18.28, "sort", (LARGE, SMALL)),
    ("susan -e", 56.54, 2.08, "edges", ("sqcif", "sim")),
    ("susan -s", 270.97, 17.96, "smoothing", ("sqcif", "sim")),
    ("susan -c", 23.80, 1.08, "corners", ("sqcif", "sim")),
    ("adpcm encode", 550.29, 30.83, "adpcm_encode", (LARGE, SMALL)),
    ("adpcm decode", 523.33, 26.06, "adpcm_decode", (LARGE, SMALL)),
    ("fft", 120.17, 8.40, "fft", (LARGE, SMALL)),
    # The workload fft goes both ways in program job.
    ("fft -i", 122.30, 17.89, "", ("", "")),
    ("crc32", 3068.97, 157.59, "crc32", (LARGE, SMALL)),
    ("patricia", 283.28, 49.42, "prefix_tree", (LARGE, SMALL)),
    ("dijkstra", 228.89, 53.06, "dijkstra", (LARGE, SMALL)),
    ("sha", 82.20, 7.63, "sha", (LARGE, SMALL)),
    ("rijndael encode", 285.96, 27.02, "aes", (LARGE, SMALL)),
    # The workload aes encrypts and decrypts in program job.
    ("rijndael decode", 264.83, 24.89, "", ("", "")),
)
# Table 2 of the paper.
_SELECTED = frozenset(
    {
        *(("adpcm decode", SMALL), ("adpcm encode", SMALL), ("fft", SMALL), ("fft -i", SMALL)),
        *(("patricia", SMALL), ("qsort", LARGE), ("qsort", SMALL), ("rijndael decode", SMALL)),
        *(("rijndael encode", SMALL), ("sha", SMALL), ("susan -c", LARGE), ("susan -c", SMALL)),
        ("susan -e", SMALL),
    }
)
ALL = tuple(
    StandIn(original, size, runtime_ms, workload, word, (original, size) in _SELECTED)
    for original, large_ms, small_ms, workload, words in _TABLE_1
    for size, runtime_ms, word in zip((LARGE, SMALL), (large_ms, small_ms), words, strict=True)
)
# What something stands for.
STAND_INS = tuple(program for program in ALL if program.workload)


@dataclass(frozen=True, slots=True)
class Regulated:
    """A program of ours that is regulated: over 10 % overhead, at most 50 ms.

    Attributes:
        workload: Its name.
        word: Its argument.
        original: The program of MiBench that it stands for, with the size that the paper regulates;
            "": the paper regulates none that it could stand for.
        has_parallelism: Whether the paper says that loads that mostly compute run for at least 70 %
            of its job.
    """

    workload: str
    word: str
    original: str = ""
    has_parallelism: bool = False

    @property
    def ours(self) -> str:
        """Its command."""
        return f"{self.workload} {self.word}"

    @property
    def name(self) -> str:
        """Its name in tables."""
        return f"{self.original}: {self.ours}" if self.original else self.ours


# The paper regulates inputs of at most 50 ms: 2.1 to 30.8 ms. Ours of these take 1.5 to 32 ms.
CORNERS = Regulated("corners", "sqcif", "susan -c large")
FFT = Regulated("fft", LARGE, "fft small", has_parallelism=True)
REGULATED = (
    CORNERS,
    FFT,
    Regulated("adpcm_decode", LARGE, "adpcm decode small", has_parallelism=True),
    Regulated("adpcm_encode", LARGE, "adpcm encode small", has_parallelism=True),
    Regulated("sha", LARGE, "sha small", has_parallelism=True),
    Regulated("edges", "sqcif", "susan -e small"),
    Regulated("basicmath", LARGE),
    Regulated("crc32", LARGE),
    Regulated("dijkstra", LARGE),
    # Not of MiBench, but of the San Diego vision suite.
    Regulated("mser", "sqcif"),
    Regulated("mser", "sim"),
    Regulated("tracking", "sqcif"),
)
