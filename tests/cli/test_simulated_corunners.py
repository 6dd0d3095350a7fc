# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run --interfere` on simulated platforms: who is told of, and who slows whom."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity

ONE_CORE = Path(__file__).with_name("one-core.toml")
RUN = ("run", "-p", "1ms", "-c", "0", "--no-report", "--quiet")
LOAD = ("--interfere", "load 2MiB@1-3")


def jobs_of(run: Path) -> Any:  # noqa: ANN401 - an array with named columns
    return np.load(run / "jobs.npy")


def manifest_of(run: Path) -> Any:  # noqa: ANN401 - JSON
    return json.loads((run / "manifest.json").read_text())


def simulated(laxity: Laxity, *words: str, run: str = "D") -> Path:
    done = laxity(*RUN, *words, "--run-dir", run)
    assert done.returncode == 0, done.stderr
    return laxity.directory / run


def variant(laxity: Laxity, text: str) -> str:
    path = laxity.directory / "variant.toml"
    path.write_text(f'schema = 1\nbase = "{ONE_CORE}"\ntitle = "a variant"\n{text}')
    return f"sim:{path}"


def test_corunner_is_told_of_as_natively(laxity: Laxity):
    words = ("mem", "-b", "16KiB", "-t", "5", "--interfere", "mem 4KiB@1-2")
    run = simulated(laxity, *words, "--platform", "sim:sabrelite")
    manifest = manifest_of(run)
    assert [(one["workload"], one["cpus"]) for one in manifest["corunners"]] == [
        ("mem", "1"),
        ("mem", "2"),
    ]
    for one in manifest["corunners"]:
        assert (one["policy"], one["end_cause"], one["end_detail"]) == ("other", "stopped", "")
        # The last job is released 4 ms after the first.
        assert one["elapsed_ns"] > 4_000_000
        # A pass of 128 lines in the first level takes some microseconds, and 1 ms goes before.
        assert one["passes_before_t0"] > 10
        assert one["passes"] > 4 * one["passes_before_t0"]
    # All is as before in another run.
    again = simulated(laxity, *words, "--platform", "sim:sabrelite", run="E")
    assert (run / "jobs.npy").read_bytes() == (again / "jobs.npy").read_bytes()
    assert manifest_of(again)["corunners"] == manifest["corunners"]


def test_streams_of_all_cores_fill_the_queues_and_hold_up_the_measured_task(laxity: Laxity):
    words = ("mem", "-b", "64KiB", "-t", "3", "--platform", "sim:sabrelite")
    alone = jobs_of(simulated(laxity, *words, run="A"))
    assert (alone["stall_shared_ns"] == 0).all()
    run = simulated(laxity, *words, *LOAD)
    interfered = jobs_of(run)
    assert (interfered["stall_shared_ns"] > 0).all()
    assert (interfered["exec_ns"] > alone["exec_ns"]).all()
    # What is executed is the same.
    assert interfered["busy_ns"].tolist() == alone["busy_ns"].tolist()
    # Who waits longest for room in a queue gets it: none of the three starves.
    passes = [one["passes"] for one in manifest_of(run)["corunners"]]
    assert max(passes) - min(passes) <= 1


def test_nobody_is_slowed_by_a_core_that_idles(laxity: Laxity):
    words = ("mem", "-b", "64KiB", "-t", "5", "--platform")
    one = simulated(laxity, *words, f"sim:{ONE_CORE}", run="A")
    four = simulated(laxity, *words, variant(laxity, "[core]\ncount = 4\n"), run="B")
    assert (one / "jobs.npy").read_bytes() == (four / "jobs.npy").read_bytes()


def test_partition_of_the_second_level_keeps_what_a_corunner_would_evict(laxity: Laxity):
    # 128 KiB are half of the quarter of core 0: from the second job on all of it is in the L2.
    words = ("mem", "-b", "128KiB", "-t", "5", "-p", "5ms", *LOAD, "--platform")
    whole = jobs_of(simulated(laxity, *words, "sim:sabrelite", run="A"))
    parted = jobs_of(simulated(laxity, *words, "sim:sabrelite-partitioned", run="B"))
    assert (whole["stall_shared_ns"][1:] > 0).all()
    assert (parted["stall_shared_ns"][1:] == 0).all()


def test_corunner_on_the_core_of_the_task_runs_while_it_sleeps(laxity: Laxity):
    words = ("mem", "-b", "16KiB", "-t", "5", "--platform", f"sim:{ONE_CORE}")
    run = simulated(laxity, *words, "--interfere", "mem 32KiB@0")
    jobs = jobs_of(run)
    # 32 KiB fill the first level: each job finds its 512 lines evicted, 19 cycles of 1.2 GHz each.
    assert (jobs["stall_reload_ns"][1:] >= 512 * 19 / 1.2).all()
    (one,) = manifest_of(run)["corunners"]
    assert one["passes"] > 0


@pytest.mark.parametrize("where", ["0", "0-3"])
def test_scheduler_changes_nothing_for_a_task_that_has_only_corunners_beside_it(
    laxity: Laxity, where: str
):
    beside = ("--interfere", f"bandwidth write 1MiB@{where}")
    words = ("mem", "-b", "64KiB", "-t", "5", "--platform", "sim:sabrelite", *beside)
    fixed = simulated(laxity, *words, "--policy", "fifo", "--priority", "7")
    # With a budget that lasts.
    earliest = simulated(laxity, *words, "--policy", "deadline", "--runtime", "1ms", run="E")
    assert len(jobs_of(fixed)) >= 5
    assert (fixed / "jobs.npy").read_bytes() == (earliest / "jobs.npy").read_bytes()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("mem 1B@1", 1, '"mem" on CPU 1: its init failed (the program ended by itself, exit code'),
        ("asks job end@1", 4, '"asks" on CPU 1 died: the program ended by itself, exit code 1; jo'),
    ],
)
def test_corunner_whose_program_ends_fails_the_run_as_natively(
    laxity: Laxity, words: str, code: int, said: str
):
    mem = ("mem", "-b", "16KiB", "-t", "5", "--platform", "sim:sabrelite")
    done = laxity(*RUN, *mem, "--interfere", words, "--run-dir", "D")
    assert done.returncode == code
    assert f"co-runner {said}" in done.stderr
    manifest = manifest_of(laxity.directory / "D")
    assert manifest["status"] == "failed"
    assert manifest["corunners"][0]["end_cause"] == "exit"
    # It dies before the first release: nothing is released.
    assert manifest["tasks"][0]["started"] == 0


TWO_TASKS = """
schema = 1
[run]
platform = "sim:{platform}"
jobs = 10
fail_fast = {fail_fast}
[[task]]
name = "wrong"
workload = "mem"
args = ["1B"]
period = "1ms"
[[task]]
name = "right"
workload = "mem"
args = ["16KiB"]
period = "1ms"
"""


@pytest.mark.parametrize(("fail_fast", "started"), [("false", 10), ("true", 0)])
def test_task_that_fails_ends_the_others_if_asked_to(laxity: Laxity, fail_fast: str, started: int):
    text = TWO_TASKS.format(platform=ONE_CORE, fail_fast=fail_fast)
    (laxity.directory / "two.toml").write_text(text)
    done = laxity("run", "./two.toml", "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 1
    tasks = {one["name"]: one for one in manifest_of(laxity.directory / "D")["tasks"]}
    assert tasks["right"]["started"] == started


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--interfere", "mem 4KiB@1-2", "--interfere", "cpu@2"),
            'co-runner 2 ("cpu"): a second one on CPU 2: not simulated yet',
        ),
        (("--interfere", "sqlite small@1"), 'workload "sqlite": needs libraries of this machine'),
        (("--interfere", "mem 4KiB@7"), "no CPU 7 on this machine"),
    ],
)
def test_corunners_that_are_not_simulated_are_refused(
    laxity: Laxity, words: tuple[str, ...], said: str
):
    done = laxity(
        *RUN, "mem", "-b", "4KiB", "--platform", "sim:sabrelite", *words, "--run-dir", "D"
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert not (laxity.directory / "D").exists()
