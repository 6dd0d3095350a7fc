# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The engine of simulated platforms against the naive engine, on more cases than the C test has.

LAXITY_ENGINE_CASES is the number of cases of each shape, LAXITY_ENGINE_FIRST_SEED the first seed.
As much of a failing case as still fails is written into build/engine_cases.
"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from bench.common import ROOT
from tests.cli.laxity_command import of_simulator

CASES = int(os.environ.get("LAXITY_ENGINE_CASES", "3000"))
FIRST_SEED = int(os.environ.get("LAXITY_ENGINE_FIRST_SEED", "1000"))
# Few enough for one process to end in minutes.
PART = 1000
TIMEOUT_S = 3600
SHRUNK = 5
FAILED = ROOT / "build" / "engine_cases"
PROGRAM = of_simulator("test_engine_equal")


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def _store(shape: str, seed: str) -> str:
    """Write as much of a case as still fails into a file, and name that."""
    FAILED.mkdir(parents=True, exist_ok=True)
    path = FAILED / f"{shape}-{seed}.txt"
    path.write_text(_run("--shrink", shape, seed).stdout)
    return str(path)


@pytest.mark.slow
@pytest.mark.skipif(not PROGRAM.exists(), reason="simulated platforms are not built")
@pytest.mark.parametrize("shape", ["small", "sabrelite"])
def test_both_engines_tell_the_same_of_many_cases(shape: str):
    end = FIRST_SEED + CASES
    parts = [(shape, str(min(PART, end - at)), str(at)) for at in range(FIRST_SEED, end, PART)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [done for done in pool.map(lambda part: _run(*part), parts) if done.returncode]
    seeds = [seed for done in failed for seed in re.findall(r"^# seed (\d+):", done.stdout, re.M)]
    stored = [_store(shape, seed) for seed in seeds[:SHRUNK]]
    assert not failed, "\n".join([*stored, *(done.stdout + done.stderr for done in failed)])
