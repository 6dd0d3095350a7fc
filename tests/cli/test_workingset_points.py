# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity workingset --migration-points` as a user calls it."""

import csv
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.cli.laxity_command import ROOT, Laxity
from tests.cli.test_workingset_command import SUM, needs_llvm, write

pytestmark = needs_llvm


def points(laxity: Laxity, source: str, *words: str, code: int = 0) -> dict[str, Any]:
    """Ask for migration points of one source."""
    name = write(laxity, "sum.c", source)
    shutil.rmtree(laxity.directory / "R", ignore_errors=True)
    more = ("--run-dir", "R", "--format", "json", "--quiet")
    done = laxity("workingset", name, "--migration-points", *words, *more)
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["programs"][0]["migration"]
    return found


def test_points_are_chosen_and_every_candidate_stands_in_the_run(laxity: Laxity):
    found = points(laxity, SUM, "--distance", "100")
    # Both loops go round 16 times, which the code itself says. main: br, 17 times icmp and br, 16
    # times sext, getelementptr, store, add and br, call and ret: 1 + 34 + 80 + 2 = 117; add has a
    # load and an add more in place of the store, and ret alone: 1 + 34 + 16 * 6 + 1 = 132.
    assert found["longest_run"] == 249
    assert found["largest_distance"] <= 100
    by_number = {one["number"]: one for one in found["candidates"]}
    placed = [by_number[number] for number in found["placed"]]
    assert max(one["live_bits"] for one in placed) == found["largest_bits"]
    with (laxity.directory / "R" / "migration_points.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(found["candidates"])
    assert [int(row["number"]) for row in rows if row["placed"] == "1"] == found["placed"]
    assert laxity("show", "R", "--verify").returncode == 0
    page = (laxity.directory / "R" / "report.html").read_text()
    assert "Migration points" in page
    assert "keep a distance of 100 on every path" in page


def test_a_distance_that_nothing_keeps_is_a_violated_limit(laxity: Laxity):
    found = points(laxity, SUM, "--distance", "3", code=1)
    assert found["placed"] is None
    least = found["smallest_distance"]
    assert points(laxity, SUM, "--distance", str(least))["placed"]
    assert points(laxity, SUM, "--distance", str(least - 1), code=1)["placed"] is None


def test_a_loop_whose_bound_nobody_knows_gets_a_point(laxity: Laxity):
    source = "volatile int go; int main(void) { while (go) ; return 0; }\n"
    found = points(laxity, source, "--distance", "10")
    assert found["longest_run"] is None
    assert found["placed"]
    # A part of a run that may be endless is none.
    found = points(laxity, source, "--distance", "10%", code=4)
    assert "no bound" in found["reason"]


def test_a_stated_bound_counts(laxity: Laxity):
    body = "for (int i = 0; i < n; i++) table[i] = i;"
    source = "int table[99]; volatile int n; int main(void) {{\n{}{}\nreturn table[n]; }}\n"
    # 9 instructions before, behind and at the last look at n, and 8 for each round; without a word
    # about n an int bounds them: 9 + 8 (2^31 - 1).
    assert points(laxity, source.format("", body))["longest_run"] == 9 + 8 * (2**31 - 1)
    for bound, longest in ((5, 49), (6, 57), (7, 65)):
        pragma = f'_Pragma("loopbound min 0 max {bound}")\n'
        assert points(laxity, source.format(pragma, body))["longest_run"] == longest


def test_a_stated_bound_that_the_code_exceeds_is_told_and_not_counted_with(laxity: Laxity):
    wrong = SUM.replace("min 16 max 16", "min 2 max 2")
    found = points(laxity, wrong)
    assert found["longest_run"] == 249
    assert any("goes round 16 times, and 2 is stated" in one for one in found["assumptions"])


def test_what_cannot_be_followed_has_no_verdict(laxity: Laxity):
    recursive = "int f(int n) { return n ? f(n - 1) : 0; } int main(void) { return f(3); }\n"
    assert "recursive" in points(laxity, recursive, "--distance", "9", code=4)["reason"]
    sorting = (
        "#include <stdlib.h>\nint t[3]; int less(const void *a, const void *b)"
        "{ return *(const int *)a - *(const int *)b; }\n"
        "int main(void) { qsort(t, 3, 4, less); return t[0]; }\n"
    )
    assert "less is called" in points(laxity, sorting, "--distance", "9", code=4)["reason"]


def test_a_window_names_the_cheapest_first(laxity: Laxity):
    window = points(laxity, SUM, "--window", "0..0")["window"]
    # At the very start there is one place: before the first instruction of main.
    assert len(window["ranked"]) == 1
    assert window["worst_bits"] == 0
    window = points(laxity, SUM, "--window", "40%..60%")["window"]
    assert (window["first"], window["last"]) == (249 * 40 // 100, 249 * 60 // 100)
    page = (laxity.directory / "R" / "report.html").read_text()
    told = laxity("show", "R").stdout
    assert "Candidates of sum in the window, the cheapest first" in page
    assert "Candidates of sum in the window, the cheapest first" in told
    # All of them are folded away there, and left out here.
    assert "Candidates of sum, the cheapest first" in page
    assert "Candidates of sum, the cheapest first" not in told


def run_windows(laxity: Laxity, source: str, *words: str, code: int = 0) -> dict[str, Any]:
    """Ask for the windows of a recorded run."""
    found: dict[str, Any] = points(laxity, source, *words, code=code)["run"]
    return found


def test_windows_of_a_run_rank_what_it_comes_by_in_each(laxity: Laxity):
    found = points(laxity, SUM, "--window", "100")
    run = found["run"]
    # As the longest run: nothing depends on an input.
    assert (run["length"], run["unit"], run["kind"]) == (249, "executed instructions", "measured")
    assert [(one["first"], one["last"]) for one in run["windows"]] == [
        *((0, 100), (100, 200), (200, 249))
    ]
    first = run["windows"][0]
    sizes = [one["live_bits"] for one in first["ranked"]]
    assert sizes == sorted(sizes)
    # Nothing is live before the first instruction of main, where its entry and pre-header are.
    assert (first["ranked"][0]["at"], sizes[0], first["ranked"][0]["times"]) == (0, 0, 1)
    # Both loops have a latch, come by once in every 7 and 6 instructions.
    assert run["worst_least_bits"] >= 16 * 32
    with (laxity.directory / "R" / "migration_windows.csv").open() as file:
        rows = list(csv.DictReader(file))
    ranked = [
        (number, one) for number, window in enumerate(run["windows"]) for one in window["ranked"]
    ]
    assert [(int(row["window"]), int(row["number"])) for row in rows] == [
        (number, one["number"]) for number, one in ranked
    ]
    assert "Windows of one run of sum" in (laxity.directory / "R" / "report.html").read_text()
    done = laxity("workingset", "sum.c", "--migration-points", "--window", "10%", "--no-report")
    assert done.returncode == 0
    assert "249 executed instructions in 10 windows of 25" in done.stdout


def test_windows_need_no_distances(laxity: Laxity):
    recursive = (
        "int t[9]; int f(int n) { t[n] = n; return n ? f(n - 1) + t[n] : 0; }\n"
        "int main(void) { return f(8) & 0; }\n"
    )
    found = points(laxity, recursive, "--window", "50%")
    assert "recursive" in found["assumptions"][0]
    assert len(found["run"]["windows"]) == 2
    assert found["run"]["windows"][0]["ranked"][0]["at"] == 0


VIRTUAL = """\
static int in[16], out[16];
struct Stage { virtual void run(int round) = 0; };
struct Read : Stage {
  void run(int round) override { for (int i = 0; i < 16; i++) in[i] = round; }
};
struct Sum : Stage {
  int total = 0;
  void run(int round) override {
    if (round == 2) throw round;
    for (int i = 0; i < 16; i++) { out[i] = in[i]; total += out[i]; }
  }
};
int main() {
  Read read;
  Sum sum;
  Stage *stages[2] = {&read, &sum};
  for (int round = 0; round < 4; round++) {
    for (Stage *stage : stages) {
      try { stage->run(round); } catch (int what) { sum.total += what; }
    }
  }
  return sum.total - 16 * (0 + 1 + 3) - 2;
}
"""


def test_windows_follow_virtual_calls_and_exceptions(laxity: Laxity):
    name = write(laxity, "stages.cpp", VIRTUAL)
    # One exception is on its way at a time; without that what is live has no bound.
    thrown = '[objects]\n"_ZN3Sum3runEi:__cxa_allocate_exception:0" = { instances = 1 }\n'
    notes = write(laxity, "notes.toml", f"schema = 1\n{thrown}")
    words = ("--migration-points", "--window", "25%", "--weight", "trace", "--annotations", notes)
    done = laxity("workingset", name, *words, "--run-dir", "R", "--format", "json", "--quiet")
    assert done.returncode == 0, done.stderr
    (one,) = json.loads(done.stdout)["programs"]
    run = one["migration"]["run"]
    with (laxity.directory / "R" / "workingset.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["opcode"] != "phi"]
    # Another run, of which each instruction was counted: main's is the whole of it.
    assert run["length"] == sum(int(row["executions"]) for row in rows)
    assert [len(window["ranked"]) > 0 for window in run["windows"]] == [True] * 4
    by_number = {point["number"]: point["function"] for point in one["migration"]["candidates"]}
    seen = {by_number[at["number"]] for window in run["windows"] for at in window["ranked"]}
    assert {"_ZN4Read3runEi", "_ZN3Sum3runEi"} <= seen
    # No path is followed: where an exception is caught is known of this run alone.
    assert any("exceptions" in text for text in one["migration"]["assumptions"])


def test_windows_are_of_the_run_with_the_inputs_that_are_given(laxity: Laxity):
    source = (
        "#include <stdio.h>\nint main(int argc, char **argv) {\n"
        "int n = 0; for (int i = 1; i < argc; i++) n++; while (getchar() != EOF) n++; return n; }\n"
    )
    (laxity.directory / "in").write_text("four")
    plain = run_windows(laxity, source, "--window", "50%")
    more = run_windows(laxity, source, "--window", "50%", "--run-args", "a b", "--run-stdin", "in")
    assert more["length"] > plain["length"]


def test_a_run_without_windows_has_no_verdict(laxity: Laxity):
    crashing = "int main(void) { __builtin_trap(); }\n"
    assert "signal" in run_windows(laxity, crashing, "--window", "5", code=4)["reason"]
    long = "volatile int n; int main(void) { for (int i = 0; i < 9999; i++) n = i; return 0; }\n"
    assert "more than 1000 windows" in run_windows(laxity, long, "--window", "3", code=4)["reason"]
    foreign = run_windows(laxity, SUM, "--window", "5", "--target", "arm-linux-gnueabihf", code=4)
    assert "compiled for arm-linux-gnueabihf" in foreign["reason"]


# main: block 0 leads to the loop of 1 (looks at its condition) and 2 (goes round), 3 leaves it; so
# is add.
_SUM_BLOCKS = [(name, block) for name in ("main", "add") for block in range(4)]


def times(laxity: Laxity, column: str, *stated: tuple[str, int, float]) -> tuple[str, ...]:
    """State the time of blocks, and give the words for it."""
    text = "".join(f"{name},{block},{time}\n" for name, block, time in stated)
    (laxity.directory / "t.csv").write_text(f"function,block,{column}\n{text}")
    return ("--weight", "time", "--times", "t.csv")


def test_windows_of_time_are_as_long_as_the_blocks_in_them_take(laxity: Laxity):
    # Each of the 17 + 17 looks takes 10 ns, each of the 16 + 16 rounds 100, the ends 3 each:
    # 4 * 3 + 34 * 10 + 32 * 100 = 3552.
    each = {0: 3.0, 1: 10.0, 2: 100.0, 3: 3.0}
    stated = [(name, block, each[block]) for name, block in _SUM_BLOCKS]
    words = times(laxity, "ns_per_execution", *stated)
    run = run_windows(laxity, SUM, "--window", "1us", *words)
    assert (run["length"], run["unit"], run["kind"]) == (3552, "ns", "modelled")
    assert [one["last"] for one in run["windows"]] == [1000, 2000, 3000, 3552]
    # In instructions the windows are others: the run has 249 of them.
    assert run["instructions"] == 249
    assert [
        one["last"] for one in run_windows(laxity, SUM, "--window", "125", *words)["windows"]
    ] == [*(125, 249)]
    # The times of the whole run say the same.
    times_run = {0: 1, 1: 17, 2: 16, 3: 1}
    stated = [(name, block, each[block] * times_run[block]) for name, block in _SUM_BLOCKS]
    words = times(laxity, "ns", *stated)
    assert run_windows(laxity, SUM, "--window", "1us", *words)["windows"] == run["windows"]
    assert run_windows(laxity, SUM, "--window", "25%", *words)["window"] == 888
    words = times(laxity, "cycles", *stated)
    assert run_windows(laxity, SUM, "--window", "1000cycles", *words)["unit"] == "cycles"


def test_a_window_of_time_moves_to_where_the_time_goes(laxity: Laxity):
    # All time is spent in the loop of add: its windows come by nothing of main's loop.
    words = times(laxity, "ns", ("add", 2, 1600.0), ("main", 0, 1.0))
    run = run_windows(laxity, SUM, "--window", "100ns", *words)
    assert run["length"] == 1601
    by_number = {one["number"]: one for one in points(laxity, SUM)["candidates"]}
    inner = {by_number[one["number"]]["function"] for one in run["windows"][5]["ranked"]}
    assert inner == {"add"}


def test_times_that_do_not_fit_the_run_have_no_verdict(laxity: Laxity):
    words = times(laxity, "ns_per_execution", ("main", 0, 1.0))
    found = run_windows(laxity, SUM, "--window", "1us", *words, code=4)
    assert "no time for 7 blocks that were executed" in found["reason"]
    words = times(laxity, "ns", ("main", 77, 1.0))
    found = run_windows(laxity, SUM, "--window", "1us", *words, code=4)
    assert "names block 77 of main" in found["reason"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--distance", "5"), "add --migration-points"),
        (("--migration-points", "--hints", "h.json"), "add --distance"),
        (("--migration-points", "--distance", "5us"), "write a number"),
        (("--migration-points", "--window", "0"), "write 1 at least"),
        (("--migration-points", "--window", "5..4"), "not behind the last"),
        (("--migration-points", "--window", "50us"), "add --times FILE"),
        (("--run-args", "1", "--migration-points", "--window", "1..5"), "nothing is run"),
        (("--migration-points", "--costs", "c.json"), "give all three"),
        (("--migration-points", "--distance", "5", "--hints-elf", "h"), "ends in .o"),
    ],
)
def test_options_that_cannot_be_used_are_refused(laxity: Laxity, words: tuple[str, ...], told: str):
    done = laxity("workingset", write(laxity, "sum.c", SUM), *words)
    assert done.returncode == 2
    assert told in done.stderr


def entry(size: int, most: int) -> dict[str, Any]:
    """Make what a migration of `size` bytes was measured to cost."""
    return {
        "name": "migration",
        "kind": "measured",
        "n": 100,
        "quantiles": {},
        "max": most,
        "noise_floor": 0,
        "verdict": "ok",
        "runs": ["r"],
        "axes": {"cpu": 0, "cpu_to": 1, "working_set_bytes": size, "case": "chase"},
    }


def test_costs_of_migrations_are_looked_up_and_never_read_beyond_their_end(laxity: Laxity):
    costs = {
        "schema": 1,
        "tool": {"name": "laxity", "version": "0"},
        "machine_hash": "",
        "entries": [entry(70, 1000), entry(100, 3000)],
    }
    (laxity.directory / "c.json").write_text(json.dumps(costs))
    words = ("--costs", "c.json", "--from", "0", "--to", "1")
    found = points(laxity, SUM, *words)
    for one in found["candidates"]:
        # The least measured size that holds the set; up to 70 bytes, or 100.
        assert one["cost_ns"] == (1000 if one["live_bits"] <= 70 * 8 else 3000)
        assert (one["cost_n"], one["cost_kind"]) == (100, "measured")
    # And for the cheapest of each window of a run; the table names them.
    words_of_run = ("--migration-points", "--window", "50%", *words, "--no-report")
    done = laxity("workingset", "sum.c", *words_of_run)
    assert "1.0 µs (measured, n = 100)" in done.stdout or "1 µs (measured, n = 100)" in done.stdout
    costs["entries"] = [entry(70, 1000)]
    (laxity.directory / "c.json").write_text(json.dumps(costs))
    found = points(laxity, SUM, *words, code=4)
    assert "measured up to 70B" in found["cost_missing"]
    assert {one["cost_ns"] for one in found["candidates"]} == {1000, None}


# Every point becomes a breakpoint before main; each hit tells its number and what `phase` is.
_WATCH = r"""
#define _GNU_SOURCE
#include "laxity/hints.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
volatile int phase;
static unsigned char kept[64];
static void hit(int signal, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    uintptr_t address = (uintptr_t)at->uc_mcontext.gregs[REG_RIP] - 1;
    const struct laxity_hint *hint = __start_laxity_hints;
    while (laxity_hint_address(hint) != address) {
        if (++hint == __stop_laxity_hints) abort();
    }
    printf("%u %d\n", hint->point, phase);
    *(unsigned char *)address = kept[hint - __start_laxity_hints];
    at->uc_mcontext.gregs[REG_RIP] = (greg_t)address;
}
__attribute__((constructor)) static void watch(void)
{
    struct sigaction action = {.sa_sigaction = hit, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    const struct laxity_hint *hint = __start_laxity_hints;
    for (; hint < __stop_laxity_hints; hint++) {
        uintptr_t address = laxity_hint_address(hint), page = address & ~(uintptr_t)4095;
        if (hint->schema != LAXITY_HINTS_SCHEMA) abort();
        mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
        kept[hint - __start_laxity_hints] = *(unsigned char *)address;
        *(unsigned char *)address = 0xcc;
    }
}
"""
# Each call stands in a phase of its own; `never` is not come to.
_PHASES = """
extern volatile int phase;
volatile int go = 1;
int table[64];
static int first(int n) { phase = 1; int s = 0; for (int i = 0; i < 64; i++) s += table[i] * n; return s; }
static int never(int n) { phase = 9; int s = 0; for (int i = 0; i < 64; i++) s -= table[i] * n; return s; }
static int last(int n) { phase = 2; for (int i = 0; i < 64; i++) table[i] += n; return table[n]; }
int main(void) { int s = go ? first(3) : never(2); return (s + last(1)) & 0; }
"""  # noqa: E501


def test_an_address_of_the_table_is_executed_where_its_point_is(laxity: Laxity):
    words = ("--distance", "120", "--hints", "h.json", "--hints-elf", "h.o")
    found = points(laxity, _PHASES, *words)
    (laxity.directory / "watch.c").write_text(_WATCH)
    build = ["clang-19", "watch.c", "h.o", "-I", str(ROOT / "include"), "-o", "watched"]
    subprocess.run(build, cwd=laxity.directory, check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run(
        ["./watched"], cwd=laxity.directory, capture_output=True, text=True, check=True
    )
    hits = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    hints = json.loads((laxity.directory / "h.json").read_text())
    of = {one["number"]: one for one in hints["points"]}
    assert sorted(of) == found["placed"]
    # All but those of `never` are come by, each while its own function runs.
    phases = {"first": 1, "last": 2}
    assert {point for point, _ in hits} == {
        number for number, one in of.items() if one["function"] != "never"
    }
    assert {phases[of[point]["function"]] for point, _ in hits} >= {1, 2}
    assert any(one["function"] == "never" for one in of.values())
    for point, phase in hits:
        function = of[point]["function"]
        assert phase == phases[function], (point, of[point])


@pytest.mark.parametrize(
    "target", ["arm-linux-gnueabihf", "powerpc-linux-gnu", "riscv64-linux-gnu"]
)
def test_the_table_of_a_foreign_machine_names_places_in_the_functions_of_its_points(
    laxity: Laxity, target: str
):
    if shutil.which(f"{target}-gcc") is None:
        pytest.skip(f"no {target}-gcc")
    source = _PHASES.replace("extern volatile", "volatile")
    words = ("--distance", "120", "--target", target, "--hints", "h.json", "--hints-elf", "h.o")
    points(laxity, source, *words)
    subprocess.run([f"{target}-gcc", "-static", "h.o", "-o", "h"], cwd=laxity.directory, check=True)
    program = laxity.directory / "h"
    of = {
        one["number"]: one["function"]
        for one in json.loads((laxity.directory / "h.json").read_text())["points"]
    }
    records = read_hints(program)
    functions = functions_of(program)
    assert {number for number, _ in records} == of.keys()
    for number, address in records:
        start, size = functions[of[number]]
        assert start <= address < start + size


def read_hints(program: Path) -> list[tuple[int, int]]:
    """Read point and address of each record of a linked program."""
    listed = subprocess.run(
        ["llvm-readelf-19", "-h", "-S", "-W", program], capture_output=True, text=True, check=True
    ).stdout
    order: Literal["big", "little"] = "big" if "big endian" in listed else "little"
    (line,) = [line for line in listed.splitlines() if " laxity_hints " in line]
    base, start, size = (int(cell, 16) for cell in line.partition("PROGBITS")[2].split()[:3])
    data = program.read_bytes()[start : start + size]
    found = []
    for at in range(0, len(data), 32):
        assert int.from_bytes(data[at : at + 4], order) == 1
        offset = int.from_bytes(data[at + 4 : at + 8], order, signed=True)
        found.append((int.from_bytes(data[at + 8 : at + 12], order), base + at + 4 + offset))
    return found


def functions_of(program: Path) -> dict[str, tuple[int, int]]:
    """Read where functions start and how long they are; of Thumb code without the lowest bit."""
    listed = subprocess.run(
        ["llvm-readelf-19", "-s", "-W", program], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in listed.splitlines() if " FUNC " in line]
    return {row[-1]: (int(row[1], 16) & ~1, int(row[2], 0)) for row in rows}
