# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""bench/working_set_proof.py proves the programs of a suite and names those that it does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
from bench.working_set_proof import compare, read_result
from tests.workingset.oracle_runs import ROOT, need_oracle

SUM = """
static int table[4];
int main(void) { int s = 0; for (int i = 0; i < 4; i++) s += table[i] = i; return s - 6; }
"""
ENDLESS = "int main(void) { for (volatile int i = 0; ; i++) {} }\n"
# Means: (0.5 + 1) / 2 = 0.75 then, (0.6 + 1) / 2 = 0.8 now, ceiling (0.9 + 1) / 2 = 0.95. Of the
# gap of 0.2 a quarter, 0.05, is closed.
OLD = {"suite": "s", "form": "sroa"}
THEN = [("half", 0.5, 0.9), ("whole", 1.0, 1.0)]
NOW = [("half", 0.6, 0.9), ("whole", 1.0, 1.0)]


def suite(root: Path, **programs: str) -> Path:
    """Write a checkout of programs."""
    for name, text in programs.items():
        folder = root / "suite" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.c").write_text(text, encoding="utf-8")
    return root / "suite"


def bench(*words: Path | str) -> subprocess.CompletedProcess[str]:
    """Run the program."""
    return subprocess.run(
        [sys.executable, "-m", "bench.working_set_proof", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
    )


def result(path: Path, rows: list[tuple[str, float, float]]) -> Path:
    """Write a result file with these precisions and ceilings."""
    programs = [
        {"program": name, "key": "", "precision_ratio": precision, "ceiling_ratio": ceiling}
        for name, precision, ceiling in rows
    ]
    path.write_bytes(msgspec.json.encode(OLD | {"programs": programs}))
    return path


def test_a_program_is_proven_once(tmp_path: Path):
    need_oracle()
    checkout, out = suite(tmp_path, sum=SUM), tmp_path / "out.json"
    first = bench("--suite", checkout, "--out", out, "--traces", tmp_path)
    assert first.returncode == 0, first.stderr
    assert "1 of 1: sum: proven" in first.stderr
    proof = json.loads(out.read_bytes())["programs"][0]
    assert (proof["poison_same"], proof["values_same"], proof["violations"]) == (True, True, 0)
    again = bench("--suite", checkout, "--out", out)
    assert again.stderr == ""
    assert again.stdout == first.stdout
    # Neither trace nor scratch is left.
    assert {path.name for path in tmp_path.iterdir()} == {"suite", "out.json"}


def test_a_program_that_does_not_end_is_named(tmp_path: Path):
    need_oracle()
    out = tmp_path / "out.json"
    checkout = suite(tmp_path, endless=ENDLESS)
    done = bench("--suite", checkout, "--out", out, "--limit-s", "3")
    assert done.returncode == 1
    assert "not proven: endless: " in done.stdout
    assert "did not end within 3 s" in json.loads(out.read_bytes())["programs"][0]["ended"]


def test_the_gap_that_is_closed_is_of_means(tmp_path: Path):
    old, new = (
        read_result(result(tmp_path / name, rows)) for name, rows in (("then", THEN), ("now", NOW))
    )
    lines = compare(new.programs, old)
    assert lines[0] == (
        "mean precision 0.750 then, 0.800 now; mean ceiling 0.950 then; "
        "share of the gap closed 25.0%"
    )
    assert lines[1] == "below: none"
    assert compare(old.programs, new)[1] == "below: half 0.6000 -> 0.5000"
