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
    pragma = '_Pragma("loopbound min 0 max 5")\n'
    unstated = points(laxity, source.format("", body.replace("n;", "n & 255;")))["longest_run"]
    stated = points(laxity, source.format(pragma, body))["longest_run"]
    assert stated is not None
    assert unstated is None or stated < unstated


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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--distance", "5"), "add --migration-points"),
        (("--migration-points", "--hints", "h.json"), "add --distance"),
        (("--migration-points", "--distance", "5us"), "write a number"),
        (("--migration-points", "--window", "5"), "1000..2000"),
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
