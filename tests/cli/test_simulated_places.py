# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where tasks have their memory on a simulated platform, and what that takes: by hand."""

import json
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity

# A nanosecond per cycle; two domains of a core each. Any word of the other core's scratchpad takes
# 3 + 1 + 1 + 3 and the link there and back; one's own takes nothing.
PLATFORM = """
schema = 1
title = "two cores with scratchpads"
architecture = "armhf"
line = "32B"
[core]
count = 2
clock = "1000MHz"
switch_cycles = 0
[l1i]
size = "32KiB"
[l1d]
size = "32KiB"
ways = 4
[domain]
cores = 1
link_cycles = 5
[memory]
clock = "1000MHz"
per_domain = true
row = "4KiB"
request_cycles = 2
response_cycles = 3
hit_cycles = 8
empty_cycles = 8
conflict_cycles = 8
line_cycles = 4
[[region]]
name = "pad"
of = "core"
size = "16KiB"
request_cycles = 3
access_cycles = 1
response_cycles = 3
[[region]]
name = "uncached"
way_to = "memory"
"""
LOAD_NS = 3 + 1 + 1 + 3 + 2 * 5
# A store has left with its request.
STORE_NS = 3
# 12 jobs of mem, 16 KiB: a word of each line is read and one is written, and two loads find the
# array (tests/cli/test_sim.py).
JOBS = 12
LOADS, STORES = 6144 + 2 * JOBS, 6144
MEM = ("run", "mem", "-b", "16KiB", "-p", "1ms", "-t", str(JOBS), "--cpus", "0", "--no-report")


def platform(laxity: Laxity, text: str = PLATFORM) -> tuple[str, str]:
    (laxity.directory / "p.toml").write_text(text)
    return "--platform", "sim:./p.toml"


def jobs_of(laxity: Laxity, name: str, *words: str, said: str = "") -> Any:  # noqa: ANN401
    run = laxity.directory / name
    done = laxity(*MEM, *platform(laxity), *words, "--run-dir", str(run), "--quiet")
    assert done.returncode == 0, done.stderr
    assert (said in done.stderr) if said else not done.stderr
    return np.load(run / "jobs.npy")


def test_words_of_another_cores_scratchpad_take_the_way_there_and_back(laxity: Laxity):
    events = ("--events", "uncached_access,remote_access,l1d_access")
    larger = "20 KiB of it and of others lie where the platform has 16 KiB (place)"
    own = jobs_of(laxity, "own", "--place", "heap=pad", *events, said=larger)
    far = jobs_of(laxity, "far", "--place", "heap=pad@1", *events, said=larger)
    for jobs in (own, far):
        assert jobs["uncached_access"].sum() == LOADS + STORES
        # In the caches there is nothing but a few words of the stack.
        assert jobs["l1d_access"].sum() < 30 * JOBS
    assert (own["remote_access"] == 0).all()
    assert (far["remote_access"] == far["uncached_access"]).all()
    assert (own["busy_ns"] == far["busy_ns"]).all()
    waited = far["stall_own_ns"].sum() - own["stall_own_ns"].sum()
    assert waited == LOADS * LOAD_NS + STORES * STORE_NS


def test_scratchpad_that_is_not_named_is_that_of_the_tasks_core(laxity: Laxity):
    on_1 = jobs_of(laxity, "on-1", "--place", "heap=pad", "--cpus", "1", said="lie where")
    on_0 = jobs_of(laxity, "on-0", "--place", "heap=pad@0", said="lie where")
    assert (on_1["exec_ns"] == on_0["exec_ns"]).all()


def test_memory_of_another_domain_takes_the_link_for_each_line(laxity: Laxity):
    here = jobs_of(laxity, "here", "--place", "heap=memory@0")
    there = jobs_of(laxity, "there", "--place", "heap=memory@1")
    at_home = jobs_of(laxity, "home")
    # 16 KiB are 512 lines, and all stay in the first level.
    assert there["stall_own_ns"][0] - here["stall_own_ns"][0] == 512 * 2 * 5
    assert (there["exec_ns"][1:] == here["exec_ns"][1:]).all()
    # The core that uses a page first is core 0.
    assert (at_home["exec_ns"] == here["exec_ns"]).all()


def test_other_way_to_memory_passes_the_caches(laxity: Laxity):
    jobs = jobs_of(
        laxity, "uncached", "--place", "heap=uncached", "--events", "uncached_access,l1d_refill"
    )
    assert jobs["uncached_access"].sum() == LOADS + STORES
    assert jobs["l1d_refill"][1:].sum() == 0


SPEC = """
schema = 1
[run]
platform = "sim:./p.toml"
duration = "3ms"
[[task]]
name = "a"
workload = "mem"
args = ["4KiB"]
period = "1ms"
cpus = "0"
place = "heap=pad"
[[interfere]]
workload = "mem"
args = ["4KiB"]
cpus = "1"
place = "heap=pad@0"
"""


def test_corunners_memory_is_placed_too_and_a_stored_spec_says_so(laxity: Laxity):
    platform(laxity)
    (laxity.directory / "s.toml").write_text(SPEC)
    done = laxity("run", "s.toml", "--no-report", "--quiet", "--run-dir", "D")
    assert done.returncode == 0, done.stderr
    traffic = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    stored = (laxity.directory / "D" / "spec.toml").read_text()
    assert 'place = "heap=pad"' in stored
    assert 'place = "heap=pad@0"' in stored
    assert traffic["status"] == "complete"
    again = laxity("run", "D/spec.toml", "--no-report", "--quiet", "--run-dir", "E")
    assert again.returncode == 0, again.stderr
    hashes = [
        json.loads((laxity.directory / name / "manifest.json").read_text())["result_hash"]
        for name in "DE"
    ]
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--place", "heap=rom"), 'task "mem": place: "rom" is no region of sim:p; use one'),
        (("--place", "heap=pad@2"), '"pad@2" is not there; cores are 0 to 1'),
        (("--place", "heap=memory@2"), '"memory@2" is not there; domains are 0 to 1'),
        (("--place", "heap"), '--place "heap" is no CLASS=REGION'),
    ],
)
def test_place_that_is_nowhere_is_refused(laxity: Laxity, words: tuple[str, ...], said: str):
    done = laxity(*MEM, *platform(laxity), *words, "--run-dir", "D")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (laxity.directory / "D").exists()


def test_access_times_of_nodes_differ_by_the_link_there_and_back(laxity: Laxity):
    without_caches = PLATFORM.replace("32KiB", "0B")
    done = laxity(
        *("measure", "memory-latency", *platform(laxity, without_caches), "--cpus", "0"),
        *("--case", "chase", "--sizes", "8KiB", "--run-dir", "D", "--no-report", "--quiet"),
    )
    assert done.returncode == 0, done.stderr
    costs = json.loads((laxity.directory / "D" / "costs.json").read_text())
    found = {
        one["axes"]["node"]: one["quantiles"]["0.5"]
        for one in costs["entries"]
        if one["name"] == "memory_latency" and one["axes"]["working_set_bytes"] == 8192
    }
    assert set(found) == {0, 1}
    assert found[1] - found[0] == 2 * 5 * 1000


def test_list_of_platforms_shows_regions_with_where_each_value_is_from(laxity: Laxity):
    done = laxity("list", "platforms", "--detail", "tc397")
    assert done.returncode == 0, done.stderr
    assert "dspr.of" in done.stdout
    assert "Raffeck et al., figure 1" in done.stdout
