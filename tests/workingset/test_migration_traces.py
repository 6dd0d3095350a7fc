# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points against recorded runs: the cheapest of every window, every distance and span."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from bench.spelled_runs import SpelledCode

from laxity.errors import NoVerdict, PlatformError, ToolError
from laxity.platform.tools import find_tool
from laxity.workingset.migration_points_document import MigrationPoints
from laxity.workingset.migration_trace import (
    Code,
    LargestDistance,
    LeastOfWindows,
    Visit,
    join_visits,
    rank_along,
    ranks_of,
    visits_of,
)
from laxity.workingset.points import PointsAsked, migration_points
from laxity.workingset.segments import Traced, trace_segments
from laxity.workingset.tables import INSTRUCTIONS, TOTAL, Table, read_table
from laxity.workingset.trace import Inputs
from laxity.workingset.windows import code_of, read_layout

PASSES = (
    "internalize<preserve-gv=main>,globaldce,function(sroa,simplifycfg),function(loop-simplify)"
)
# What has no distances, by recursion, several entries or calls from outside, is recorded as well.
PROGRAMS = {
    "phases": """
int in[40], out[40], grid[12][12]; volatile int go = 1;
static int fold(const int *a, int n) {
  int s = 0;
  for (int i = 0; i < 40; i++) s += a[i] * n;
  return s;
}
static void fill(int n) { for (int i = 0; i < 40; i++) in[i] = i * n; }
static void square(void) {
  for (int i = 0; i < 12; i++) for (int j = 0; j < 12; j++) grid[i][j] = i ^ j;
}
int main(void) {
  int s = 0;
  fill(3); s += fold(in, 2);
  for (int r = 0; r < 3; r++) {
    if (go) square();
    for (int i = 0; i < 12; i++) s += grid[r][i];
  }
  for (int i = 0; i < 40; i++) { if (s & 1) continue; out[i] = in[i] + s; }
  return fold(out, s) & 0;
}
""",
    "pointers": """
int t[30]; volatile int go = 2;
static int up(int a) { return a + 1; }
static int twice(int a) { int s = 0; do { s += a; } while (s < 0); return s; }
static int (*const ways[])(int) = {up, twice};
int main(void) {
  for (int i = 0; i < 30; i++) { t[i] = ways[(i ^ go) & 1](i); if (t[i] > 50) break; }
  int k = 0; while (k < 20) { k += t[k] & 1 ? 2 : 1; if (k == go) return 0; }
  return t[k % 30] & 0;
}
""",
    "recursion": """
int t[20]; volatile int go = 6;
static int down(int n) { t[n] = n; int s = n ? down(n - 1) : 0; return s + t[n]; }
int main(void) {
  for (int i = 0; i < 20; i++) t[i] = go;
  int s = down(go);
  for (int i = 0; i < 20; i++) s += t[i];
  return s & 0;
}
""",
    "entries": """
int t[40]; volatile int go = 3;
int main(void) {
  int i = 0, n = 10, s = 0;
  switch (go & 3) {
    case 0: do { t[i++] = s;
    case 3:      s += t[i++];
    case 2:      s ^= t[i++];
    case 1:      t[i % 40] = s;
            } while (--n > 0);
  }
  for (i = 0; i < 40; i++) s += t[i];
  return s & 0;
}
""",
    "callbacks": """
#include <stdlib.h>
int t[30]; volatile int go = 7;
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  for (int i = 0; i < 30; i++) t[i] = i * go % 31;
  qsort(t, 30, sizeof *t, less);
  int s = 0;
  for (int i = 0; i < 30; i++) s += t[i];
  return s & 0;
}
""",
}  # fmt: skip
WITHOUT_DISTANCES = {"recursion", "entries", "callbacks"}


@dataclass(frozen=True)
class Recorded:
    """A program, its points, and its run."""

    found: MigrationPoints
    table: Table
    code: Code
    spelled: SpelledCode
    traced: Traced


def run(*words: str | Path) -> None:
    """Run a program of LLVM or ours."""
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)


def compiled(source: str, to: Path) -> Path:
    """Compile a program as the analysis gets it."""
    try:
        find_tool("laxity-workingset-mark")
    except (PlatformError, ToolError):
        pytest.skip("no LLVM 19 in this build")
    (to / "p.c").write_text(source)
    front = ("clang-19", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c")
    run(*front, to / "p.c", "-o", to / "0.bc")
    run("opt-19", f"-passes={PASSES}", to / "0.bc", "-o", to / "p.bc")
    return to / "p.bc"


def recorded(source: str, to: Path) -> Recorded:
    """Analyse a program, and make it tell its segments."""
    program = compiled(source, to)
    run(find_tool("laxity-workingset"), program, "--out", to / "tables")
    table = read_table(to / "tables" / INSTRUCTIONS)
    table = table.chosen(np.array([one != "unreached" for one in table.texts("status")]))
    found = migration_points(PointsAsked(), to / "tables", table, {}, "main")
    if not found.assumptions[0].startswith("no distances"):
        found = migration_points(PointsAsked(distance=90), to / "tables", table, {}, "main")
    traced = trace_segments(program, Inputs(), to, 60)
    layout = read_layout(traced.segments, table)
    ranks, _ = ranks_of(sizes_of(found), len(found.candidates))
    rank_at = {(one.function, one.block, one.index): ranks[one.number] for one in found.candidates}
    keys = zip(
        table.texts("function"), table.texts("block"), table.integers("index").tolist(), strict=True
    )
    of_row = {row: int(rank_at[key]) for row, key in enumerate(keys) if rank_at.get(key, -1) >= 0}
    spelled = SpelledCode(layout.rows, table.bits(TOTAL), of_row)
    return Recorded(found, table, code_of(layout, table, found.candidates), spelled, traced)


def sizes_of(found: MigrationPoints) -> dict[int, int]:
    """Live bits at each candidate that may be chosen."""
    return {one.number: one.live_bits for one in found.candidates if one.live_bits is not None}


@pytest.mark.parametrize("name", PROGRAMS)
def test_points_hold_what_they_say_on_a_recorded_run(tmp_path: Path, name: str):
    one = recorded(PROGRAMS[name], tmp_path)
    found = one.found
    assert (found.placed is None) == (name in WITHOUT_DISTANCES)
    visits: dict[int, Visit] = {}
    distance = LargestDistance(found.placed or (), len(found.candidates))
    with one.traced.run() as chunks:
        for piece in one.code.pieces(chunks):
            join_visits(visits, visits_of(piece.positions, piece.points))
            distance.add(piece)
    assert piece.end > 300
    assert found.longest_run is None or piece.end <= found.longest_run
    if found.placed is not None and found.largest_distance is not None:
        assert distance.at_end(piece.end) <= found.largest_distance <= 90
    assert visits
    for number, visit in visits.items():
        point = found.candidates[number]
        assert (point.earliest is None) == (name in WITHOUT_DISTANCES)
        assert point.earliest is None or point.earliest <= visit.first
        assert point.latest is None or visit.last <= point.latest


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_cheapest_of_every_window_is_that_of_a_look_at_each_instruction(
    tmp_path: Path, name: str
):
    one = recorded(PROGRAMS[name], tmp_path)
    sizes = sizes_of(one.found)
    ranks, distinct = ranks_of(sizes, len(one.found.candidates))
    with one.traced.run() as chunks:
        pieces = list(one.code.pieces(chunks))
    spelled = np.concatenate([one.spelled.spell(piece.executed)[0] for piece in pieces]).tolist()
    live = np.concatenate([one.spelled.spell(piece.executed)[1] for piece in pieces])
    for window in (1, 4, 41, len(spelled) // 10):
        least = LeastOfWindows(window, len(distinct))
        answered: list[int] = []
        for piece in pieces:
            inside = ranks[piece.points] >= 0
            of_points = ranks[piece.points[inside]]
            steps = least.add(piece.positions[inside], of_points, piece.end)
            answered += np.repeat(steps.ranks, np.diff([*steps.starts, steps.end])).tolist()
        starts = range(len(spelled) - window + 1)
        expected = [min(spelled[start : start + window]) for start in starts]
        assert answered == expected
        # And what a user is told, window by window.
        with one.traced.run() as chunks:
            along = rank_along(one.code, chunks, window, sizes, len(one.found.candidates))
        for number, visits in enumerate(along.windows):
            rank = min(spelled[number * window : (number + 1) * window])
            cheapest = None if rank == one.spelled.none else distinct[rank]
            assert min((sizes[point] for point in visits), default=None) == cheapest
            middle = number * window + window // 2
            assert along.here[number] == (live[middle] if middle < len(live) else np.inf)
        worst = max(expected)
        assert along.worst_least == (None if worst == one.spelled.none else distinct[worst])


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("int main(void) { __builtin_trap(); }", "signal"),
        ("#include <unistd.h>\nint main(void) { _exit(3); }", "did not tell all"),
    ],
)
def test_a_run_that_loses_what_it_executed_has_no_verdict(tmp_path: Path, source: str, told: str):
    traced = trace_segments(compiled(source, tmp_path), Inputs(), tmp_path, 60)
    with pytest.raises(NoVerdict, match=told), traced.run() as chunks:
        for _ in chunks:
            pass


def test_a_run_that_does_not_end_is_ended(tmp_path: Path):
    program = compiled("volatile int go = 1; int main(void) { while (go) ; }", tmp_path)
    traced = trace_segments(program, Inputs(), tmp_path, 60)
    late = Traced(traced.executable, traced.segments, Inputs(), 0.5)
    with pytest.raises(NoVerdict, match="did not end within"), late.run() as chunks:
        for _ in chunks:
            pass
