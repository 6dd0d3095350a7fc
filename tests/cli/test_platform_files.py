# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Every platform file that comes with laxity, and the example of a user's: programs run on it."""

import json

import pytest
from tests.cli.laxity_command import ROOT, Laxity

from laxity.platform.platform_file import shipped_platforms

EXAMPLE = f"sim:{ROOT}/examples/raspberry-pi-4.toml"


@pytest.mark.parametrize("platform", [*(f"sim:{name}" for name in shipped_platforms()), EXAMPLE])
def test_task_runs_and_its_first_pass_takes_longer(laxity: Laxity, platform: str):
    run = laxity.run("mem", "-b", "16KiB", "-p", "1ms", "-t", "3", "--platform", platform)
    first, *later = run.stream("jobs")["exec_ns"].tolist()
    # 16 KiB fit into every first level that there is; without any cache all passes are alike.
    assert first >= max(later) > 0


def test_small_array_of_the_example_is_of_its_first_level(laxity: Laxity):
    sizes = ("--sizes", "4KiB,8KiB,16KiB,64KiB,128KiB,256KiB", "--case", "chase", "--cpus", "1")
    words = ("--platform", EXAMPLE, "--run-dir", "D", "--no-report", "--quiet")
    done = laxity("measure", "memory-latency", *sizes, *words)
    assert done.returncode == 0, done.stderr
    entries = json.loads((laxity.directory / "D" / "costs.json").read_text())["entries"]
    ps = {one["axes"]["working_set_bytes"]: one["quantiles"].get("0.5") for one in entries}
    # 8 loads and 2 instructions are 10 cycles of 1.5 GHz for 8 links: 833 ps. Beyond 32 KiB each
    # begins when the one before has come, 15 cycles later; the instructions are hidden: 10 ns.
    assert (ps[16 << 10], ps[128 << 10]) == (833, 10000)


@pytest.mark.slow
def test_everything_is_measured_of_the_example(laxity: Laxity):
    words = ("--platform", EXAMPLE, "--run-dir", "D", "--no-report", "--quiet")
    # A minute and a half of simulation, on a loaded machine more.
    done = laxity("measure", "all", *words, patience_s=900)
    assert done.returncode == 0, done.stderr
