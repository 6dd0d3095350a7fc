# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure cache-misses`: by hand on small simulated platforms, and here what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity

from laxity.store.run_directory import open_run

FILE = Path(__file__).with_name("one-core.toml")
CYCLE_NS = 1 / 1.2


def small(laxity: Laxity, *changes: tuple[str, str]) -> None:
    """The platform that can be summed up by hand, with 4 KiB of 4 ways, 32 sets, and 32 KiB."""
    text = FILE.read_text().replace('size = "32KiB"', 'size = "4KiB"').replace("1MiB", "32KiB")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (laxity.directory / "p.toml").write_text(text)


def measure(laxity: Laxity, platform: str = "sim:./p.toml", code: int = 0) -> tuple[str, Any]:
    """What is said, and the counters by their events."""
    words = ("--platform", platform, "--run-dir", "D", "--quiet")
    done = laxity("measure", "cache-misses", *words, "--no-report", "--format", "json")
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)["cache_misses"]["caches"]
    shown = laxity("show", "D")
    assert shown.returncode == 0, shown.stderr
    return shown.stdout, {one["cache"]["event"]: one for one in found}


def test_what_is_counted_and_what_a_miss_takes_are_known_by_hand(laxity: Laxity):
    small(laxity)
    said, found = measure(laxity)
    for event in ("l1i_refill", "l1d_refill"):
        cases = found[event]["cases"]
        # 128 lines. 28 of 32 sets have 5 lines: 140 misses.
        assert [one["lines"] for one in cases] == [32, 64, 156, 256, 256, 256]
        assert [one["generated"] for one in cases] == [0, 0, 140, 256, 256, 256]
        assert [one["counted"] for one in cases[:2]] == [0, 0]
        # All lines, and those of the loop, which are the same whatever is used of a line.
        (counted,) = {one["counted"] for one in cases[3:]}
        assert 256 < counted <= 264
        assert [one["result"] for one in cases] == ["agrees"] * 6
        # A hit in the second cache waits for 19 cycles.
        assert found[event]["miss"]["ns"] == pytest.approx(19 * CYCLE_NS, rel=0.01)
    # A read from memory: 50 + 40 + 2 + 40 cycles in place of the 19, which come before it.
    assert found["l2_refill"]["miss"]["ns"] == pytest.approx(132 * CYCLE_NS, rel=0.02)
    first = "The counters l1i_refill, l1d_refill and l2_refill agree with the generated code and"
    assert first in said
    assert "of 16 cases (simulated)" in said
    # The directory is whole, and goes through what reads any run.
    assert open_run(laxity.directory / "D").verify() == []
    assert open_run(laxity.directory / "D").manifest.runs == ["l1i", "l1d", "l2"]
    assert laxity("report", "D").returncode == 0


def test_the_papers_processor_loses_what_exact_lru_does(laxity: Laxity):
    # Its first caches are tree-PLRU (Sebek, section 3.3: less than 1 % off).
    _, found = measure(laxity, "sim:mpc750-no-l2")
    assert "l2_refill" not in found
    for one in found.values():
        assert max(abs(case["difference"]) for case in one["cases"]) < 0.01


def test_random_replacement_is_not_judged_where_it_keeps_lines(laxity: Laxity):
    small(laxity, ("[l1d]\n", '[l1d]\nreplacement = "random"\n'))
    said, found = measure(laxity)
    results = [one["result"] for one in found["l1d_refill"]["cases"]]
    assert results == ["agrees", "agrees", "not judged", *3 * ["agrees"]]
    assert found["l1d_refill"]["cases"][2]["counted"] < 140
    assert "the replacement is random, which keeps lines that LRU loses" in said


def test_a_prefetcher_of_the_platform_is_named(laxity: Laxity):
    small(laxity, ("hit_cycles = 19", 'hit_cycles = 19\nprefetch = "next-line"'))
    said, found = measure(laxity)
    results = [one["result"] for one in found["l2_refill"]["cases"]]
    assert results == ["agrees", "agrees", "fewer", "fewer"]
    # Every other line is read beside the one before it.
    assert found["l2_refill"]["cases"][-1]["difference"] == pytest.approx(-1 / 2, abs=0.01)
    assert found["l2_refill"]["miss"] is None
    assert "the L2 has a next-line prefetcher" in said


def test_ways_that_are_divided_among_cores_are_not_judged(laxity: Laxity):
    small(laxity, ("hit_cycles = 19", 'hit_cycles = 19\npartition = ["0-3"]'))
    said, found = measure(laxity)
    assert [one["result"] for one in found["l2_refill"]["cases"]][-1] == "agrees"
    assert "its ways are divided among the cores" in said


def test_an_event_that_the_processor_does_not_count_is_left_out(laxity: Laxity):
    small(laxity)
    path = laxity.directory / "p.toml"
    path.write_text(path.read_text() + '[counters]\nevents = ["l1d_refill"]\n')
    said, found = measure(laxity)
    assert list(found) == ["l1d_refill"]
    assert "fallback: l1i_refill: none used (it is not counted there" in said


def test_memory_of_tasks_lies_where_caches_have_it(laxity: Laxity):
    # This platform gives its tasks scratchpads, which are not cached.
    _, found = measure(laxity, "sim:tc397")
    results = {case["result"] for one in found.values() for case in one["cases"]}
    assert results == {"agrees"}


def test_a_platform_without_caches_has_nothing_to_test(laxity: Laxity):
    done = laxity("measure", "cache-misses", "--platform", "sim:mpc750-no-cache")
    assert done.returncode == 3
    assert "no counter of cache misses can be tested: the platform has no such cache" in done.stderr
    assert not (laxity.directory / "runs").exists()


def test_two_runs_are_identical(laxity: Laxity):
    small(laxity, ("[l1d]\n", '[l1d]\nreplacement = "random"\n'))
    _, first = measure(laxity)
    (laxity.directory / "D").rename(laxity.directory / "first")
    assert measure(laxity)[1] == first


def test_several_cpus_are_refused(laxity: Laxity):
    done = laxity("measure", "cache-misses", "--cpus", "0,1", "--platform", "sim:mpc750")
    assert done.returncode == 2
    assert "--cpus: 0,1: the counters of one CPU are tested at a time; name one" in done.stderr


def test_without_a_counter_here_there_is_nothing_to_test(laxity: Laxity):
    listed = json.loads(laxity("list", "events", "--format", "json").stdout)["events"]
    if any(one["name"] == "l1d_refill" and not one["reason"] for one in listed):
        pytest.skip("the processor's counters can be read here")
    done = laxity("measure", "cache-misses")
    assert done.returncode == 3
    assert "nothing here counts cache misses" in done.stderr
    assert not (laxity.directory / "runs").exists()
