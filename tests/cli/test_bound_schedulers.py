# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound` with partitions and schedulers that move tasks."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.bounds.made_up_costs import KIB, entry, gamma, model

from laxity.cli.main import cli
from laxity.costs.model import Entry
from laxity.errors import ConfigError
from laxity.store.manifest import encode_document

# 0.2, 0.3, 0.4: the example of Bertogna and Cirinei of tests/bounds/test_global_tests.py.
TASKS = (("a", "2ms", 90), ("b", "3ms", 80), ("c", "4ms", 70))
SWITCH = entry("delta", 1_000)


def migration(pair: tuple[int, int], kib: int, largest: int) -> Entry:
    axes = {"cpu": pair[0], "cpu_to": pair[1], "case": "chase"}
    return entry("migration", largest, working_set_bytes=kib * KIB, **axes)


def bound(
    tmp_path: Path, *words: str, lines: str = "", costs: tuple[Entry, ...] = ()
) -> tuple[Result, dict[str, Any]]:
    text = "schema = 1\n" + "".join(
        f'[[task]]\nname = "{name}"\nperiod = "10ms"\nwcet = "{wcet}"\npriority = {priority}\n'
        f'working_set = "64KiB"\n{lines}\n'
        for name, wcet, priority in TASKS
    )
    (tmp_path / "tasks.toml").write_text(text)
    model_path = "none"
    if costs:
        model_path = str(tmp_path / "costs.json")
        (tmp_path / "costs.json").write_bytes(encode_document(model(*costs)))
    base = ["bound", str(tmp_path / "tasks.toml"), "--costs", model_path, "--format", "json"]
    done = CliRunner().invoke(cli, [*base, *words], standalone_mode=False, catch_exceptions=False)
    return done, json.loads(done.stdout)


def responses(answer: dict[str, Any]) -> list[int | None]:
    return [one["response_time_ns"] for one in answer["tasks"]]


def test_partition_says_where_each_task_runs(tmp_path: Path):
    # By falling utilisation: c on CPU 0, b on the emptier CPU 1, a there, too: 3 + 2.
    words = ("--partition", "worst-fit", "--cpus", "0-1")
    done, answer = bound(tmp_path, *words)
    assert (done.return_value, answer["verdict"]) == (0, "schedulable")
    assert {one["name"]: one["cpu"] for one in answer["tasks"]} == {"a": 1, "b": 1, "c": 0}
    assert answer["partition"] == {
        "fit": "worst fit",
        "cpus": [{"cpu": 0, "tasks": ["c"]}, {"cpu": 1, "tasks": ["b", "a"]}],
        "unplaced": [],
    }
    assert responses(answer) == [2_000_000, 5_000_000, 4_000_000]
    done, answer = bound(tmp_path, *words, "--scheduler", "edf")
    assert [one["cpus"] for one in answer["cpus"]] == [[0], [1]]


def test_partition_charges_gamma_of_whoever_may_meet(tmp_path: Path):
    words = ("--partition", "first-fit", "--cpus", "0")
    done, answer = bound(tmp_path, *words, costs=(SWITCH, gamma(64, 500_000)))
    # c: 4.002 + 3.502 + 2.502 > 10 on one CPU: a, the smallest, finds no place.
    assert done.return_value == 4
    assert answer["partition"]["unplaced"] == ["a"]
    assert [one["cpu"] for one in answer["tasks"]] == [None, 0, 0]
    done, answer = bound(tmp_path, *words, costs=(SWITCH,))
    assert (done.return_value, len(answer["missing"])) == (4, 2)


def test_global_schedulers_answer_for_all_cpus_together(tmp_path: Path):
    done, answer = bound(tmp_path, "--scheduler", "global-fixed-priority", "--cpus", "0-1")
    # c: 4 + floor((2 + min(3, 2 + 1 ns)) / 2) = 6.
    assert (done.return_value, responses(answer)) == (0, [2_000_000, 3_000_000, 6_000_000])
    assert [one["cpus"] for one in answer["cpus"]] == [[0, 1]]
    done, answer = bound(tmp_path, "--scheduler", "global-edf", "--cpus", "0-1")
    # 0.9 <= 2 - 0.4.
    assert (done.return_value, answer["cpus"][0]["test"]) == (0, "global EDF density")


def test_largest_migration_over_all_pairs_is_charged_for_each_resumption(tmp_path: Path):
    costs = (
        SWITCH,
        gamma(64, 10_000),
        migration((0, 1), 64, 20_000),
        migration((1, 0), 64, 70_000),
    )
    words = ("--scheduler", "global-fixed-priority", "--cpus", "0,1")
    done, answer = bound(tmp_path, *words, costs=costs)
    assert done.return_value == 0
    # b is preempted by a ceil((10 + 0.002) / 10) = 2 times at most, since a switch is jitter.
    # 3 + 0.002 + 2 * 0.07 + 0.002 of jitter = 3.144.
    assert responses(answer)[:2] == [2_004_000, 3_144_000]
    used = [
        (one["cpu"], one["cpu_to"], one["value_ns"])
        for one in answer["costs"]["entries"]
        if (one["name"], one["of"]) == ("migration", "b")
    ]
    assert used == [(0, 1, 20_000), (1, 0, 70_000)]
    assert any("migration_move" in line for line in answer["not_accounted"])


def test_pair_that_was_not_measured_is_missing(tmp_path: Path):
    costs = (SWITCH, gamma(64, 10_000), migration((0, 1), 64, 20_000))
    words = ("--scheduler", "global-edf", "--cpus", "0,1")
    done, answer = bound(tmp_path, *words, costs=costs)
    assert (done.return_value, answer["verdict"]) == (4, "not_provable")
    assert answer["missing"][0] == (
        "migration from CPU 1 to 0: is not among the costs; run laxity measure migration"
    )
    # One CPU alone: nothing migrates.
    done, answer = bound(tmp_path, "--scheduler", "global-edf", "--cpus", "0", costs=costs[:2])
    assert (done.return_value, answer["missing"]) == (0, [])


def test_global_scheduler_takes_the_cpus_of_the_file(tmp_path: Path):
    _, answer = bound(tmp_path, "--scheduler", "global-edf", lines='cpus = "0-2"')
    assert answer["cpus"][0]["cpus"] == [0, 1, 2]


def test_tasks_of_sched_deadline_are_under_edf(tmp_path: Path):
    done, answer = bound(
        tmp_path, "--scheduler", "edf", lines='policy = "deadline"\nruntime = "5ms"\ncpus = "1"'
    )
    assert (done.return_value, answer["cpus"][0]["utilisation_ppm"]) == (0, 900_000)
    assert any("SCHED_DEADLINE stops a job" in note for note in answer["notes"])
    _, answer = bound(tmp_path, "--scheduler", "edf")
    assert any("policies are of fixed priorities" in note for note in answer["notes"])


@pytest.mark.parametrize(
    ("words", "lines", "told"),
    [
        ((), 'policy = "deadline"', '.toml: task "a": policy deadline has no fixed priority'),
        ((), 'cpus = "0-1"', "keep to one CPU; name one, or use --partition first-fit --cpus 0-1"),
        (("--cpus", "0"), "", "--cpus: tasks stay where the file has them"),
        (("--partition", "best-fit"), "", "--partition best-fit: name the CPUs"),
        (
            ("--partition", "best-fit", "--cpus", "0", "--scheduler", "global-edf"),
            "",
            "--partition: tasks of --scheduler global-edf move",
        ),
        (("--scheduler", "global-edf"), "", "needs the same cpus, and the file names none"),
        (("--partition", "best-fit", "--cpus", "x"), "", '--cpus: "x" is not a list of CPUs'),
        (
            ("--scheduler", "global-edf", "--cpus", "0", "--crpd", "combined"),
            "",
            "no cache sets bound what a migration loses",
        ),
    ],
)
def test_question_that_contradicts_itself_is_refused(
    tmp_path: Path, words: tuple[str, ...], lines: str, told: str
):
    with pytest.raises(ConfigError) as refusal:
        bound(tmp_path, *words, lines=lines)
    assert told in str(refusal.value)
