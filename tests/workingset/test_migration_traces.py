# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points against recorded runs: the cheapest of every window, every distance and span."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from laxity.errors import PlatformError, ToolError
from laxity.experiments.working_set_points import PointsAsked, migration_points, read_run
from laxity.runner.tools import find_tool
from laxity.store.working_set import INSTRUCTIONS, read_table

RUNTIME = Path(__file__).parents[2] / "workingset" / "mark" / "runtime" / "segments.c"
PASSES = (
    "internalize<preserve-gv=main>,globaldce,function(sroa,simplifycfg),function(loop-simplify)"
)
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
}  # fmt: skip


def run(*words: str | Path) -> None:
    """Run a program of LLVM or ours."""
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("name", PROGRAMS)
def test_points_hold_what_they_say_on_a_recorded_run(tmp_path: Path, name: str):
    try:
        tool, marker = find_tool("laxity-workingset"), find_tool("laxity-workingset-mark")
    except (PlatformError, ToolError):
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    source, program, traced = tmp_path / "p.c", tmp_path / "p.bc", tmp_path / "t.bc"
    source.write_text(PROGRAMS[name])
    front = ("clang-19", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c")
    run(*front, source, "-o", tmp_path / "0.bc")
    run("opt-19", f"-passes={PASSES}", tmp_path / "0.bc", "-o", program)
    run(tool, program, "--out", tmp_path / "tables")
    run(marker, program, "--segments", tmp_path / "segments.csv", traced)
    run("clang-19", traced, RUNTIME, "-o", tmp_path / "traced")
    environment = {**os.environ, "LAXITY_SEGMENTS": str(tmp_path / "trace")}
    subprocess.run([tmp_path / "traced"], env=environment, check=True)

    table = read_table(tmp_path / "tables" / INSTRUCTIONS)
    table = table.chosen(np.array([one != "unreached" for one in table.texts("status")]))
    asked = PointsAsked(distance=90)
    found = migration_points(asked, tmp_path / "tables", table, {}, "main")
    files = (tmp_path / "segments.csv", tmp_path / "trace")
    recorded = read_run(tmp_path / "tables", *files, found.candidates)

    assert recorded.length > 300
    if found.longest_run is not None:
        assert recorded.length <= found.longest_run
    assert found.placed
    assert found.largest_distance is not None
    assert recorded.largest_distance(frozenset(found.placed)) <= found.largest_distance <= 90
    spans = {one.number: one for one in found.candidates}
    for point, (first, last) in recorded.visits().items():
        assert spans[point].earliest is not None
        assert spans[point].earliest <= first
        assert spans[point].latest is None or last <= spans[point].latest
    bits, is_candidate = recorded.sizes()
    assert len(bits) == recorded.length
    # Every window of the run against a look at each instruction in it.
    for position in range(0, recorded.length, 7):
        for reach in (0, 3, 40, recorded.length):
            low = max(0, position - reach)
            inside = bits[low : position + reach + 1]
            flags = is_candidate[low : position + reach + 1]
            saved = recorded.within_reach(position, reach)
            assert saved.here == bits[position]
            assert saved.least == (inside[flags].min() if flags.any() else None)
