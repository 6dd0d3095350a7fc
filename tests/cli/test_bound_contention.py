# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound` with a contention table."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.bounds.made_up_costs import SWITCHES, entry, model
from tests.cli.commands import Outcome, laxity
from tests.contention.test_table import table

from laxity import __version__
from laxity.cli.bound_contention import add_tables
from laxity.contention.run import platform_sha256
from laxity.contention.table import signed
from laxity.costs.model import decode_costs
from laxity.errors import ConfigError, NoVerdict
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated import describe_model
from laxity.store.manifest import encode_document

TASKS = """
schema = 1
[[task]]
name = "planner"
workload = "dijkstra"
args = ["large"]
period = "20ms"
cpus = "0"
wcet = "8.8ms"
contention = "t.json"
[regulate]
theta = "5%"
"""


def bound(folder: Path, *words: str, loads: str = "", **changed: object) -> Outcome:
    platform = read_platform("sim:sabrelite-partitioned")
    made_here = {
        "version": __version__,
        "platform_sha256": platform_sha256(platform),
        "reload_ns": 2_305,
    }
    (folder / "t.json").write_bytes(msgspec.json.encode(signed(table(**made_here | changed))))
    (folder / "tasks.toml").write_text(TASKS + loads)
    return laxity("bound", folder / "tasks.toml", *words)


def test_contention_is_a_line_of_its_own_with_its_source(tmp_path: Path):
    """5 % of 8.8 ms are 440 us."""
    done = bound(tmp_path, "--costs", "none")
    assert done.code == 0, done.err
    (line,) = (line for line in done.out.splitlines() if line.endswith("t.json"))
    assert line.split("  ")[0] == "planner"
    assert "440 µs" in line
    assert "regulated" in line


def test_document_has_the_charge(tmp_path: Path):
    answer = json.loads(bound(tmp_path, "--costs", "none", "--format", "json").out)
    assert answer["tasks"][0]["response_time_ns"] == 9_240_000
    assert answer["tasks"][0]["breakdown"]["contention_ns"] == 440_000
    (charge,) = answer["contention"]
    assert (charge["task"], charge["theta_ppm"], charge["kind"]) == ("planner", 50_000, "simulated")


def test_costs_of_another_machine_leave_no_verdict(tmp_path: Path):
    (tmp_path / "costs.json").write_bytes(encode_document(model(entry("delta", 1, cpu=0))))
    done = bound(tmp_path, "--costs", str(tmp_path / "costs.json"))
    assert (done.code, "the costs are of another machine" in done.err) == (4, True), done.err


@pytest.mark.parametrize(
    "words", [("--partition", "first-fit"), ("--scheduler", "global-fixed-priority")]
)
def test_task_with_a_table_stays_on_the_cpu_of_its_profile(tmp_path: Path, words: tuple[str, ...]):
    done = bound(tmp_path, "--costs", "none", *words, "--cpus", "1-2")
    reason = 'contention t.json of task "planner" holds on the CPU of its profile'
    assert (done.code, reason in done.err) == (2, True), done.err


def test_co_runners_on_all_free_cpus_are_more_than_a_table_of_one_load(tmp_path: Path):
    """The platform has CPUs 0 to 3; the profile had a load on CPU 1."""
    done = bound(tmp_path, "--costs", "none", loads='[[interfere]]\nworkload = "load"\n')
    assert (done.code, "co-runners are on CPUs 1-3" in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"version": "0"}, 'task "planner": contention t.json: the table is of laxity 0'),
        ({"platform_sha256": "0" * 64}, "has changed since the profile"),
        ({"reload_ns": 2_304}, "full queues of sim:sabrelite-partitioned take 2305 ns"),
        ({"args": ["small"]}, "the task runs 'dijkstra large'"),
    ],
)
def test_table_of_something_else_is_refused(tmp_path: Path, changed: dict[str, Any], reason: str):
    done = bound(tmp_path, "--costs", "none", **changed)
    assert (done.code, reason in done.err) == (2, True), done.err


def costs_with_table(folder: Path, **changed: object) -> Path:
    """Costs of the platform of the table, with the table in them."""
    machine = describe_model(read_platform("sim:sabrelite-partitioned")).hash
    costs = msgspec.structs.replace(model(*SWITCHES), machine_hash=machine)
    costs = add_tables(costs, [folder / "t.json"])
    assert costs.contention
    (first,) = costs.contention
    costs = msgspec.structs.replace(costs, contention=[first | changed])
    path = folder / "costs.json"
    path.write_bytes(encode_document(costs))
    return path


def bound_by_costs(folder: Path, cpu: str = "0", **changed: object) -> Outcome:
    bound(folder, "--costs", "none")
    stated = TASKS.partition("[regulate]")[0].replace('contention = "t.json"\n', "")
    load = '[[interfere]]\nworkload = "load"\nargs = ["4MiB", "0", "0"]\ncpus = "1"\n'
    stated = stated.replace('cpus = "0"', f'cpus = "{cpu}"')
    (folder / "tasks.toml").write_text(stated + load)
    costs = costs_with_table(folder, **changed)
    return laxity("bound", folder / "tasks.toml", "--costs", costs, "--format", "json")


def test_task_is_charged_by_the_table_of_its_program_in_the_costs(tmp_path: Path):
    """Not regulated: the largest rate of the made-up table is 1/2, so that a job takes twice C."""
    answer = json.loads(bound_by_costs(tmp_path).out)
    (charge,) = answer["contention"]
    assert (charge["task"], charge["table"]) == ("planner", "table of the costs")
    assert (charge["theta_ppm"], charge["overhead_ppm"]) == (None, 1_000_000)


def test_table_in_the_costs_is_of_its_cpu_alone(tmp_path: Path):
    assert json.loads(bound_by_costs(tmp_path, cpu="2").out)["contention"] == []


def test_table_in_the_costs_that_was_edited_is_refused(tmp_path: Path):
    done = bound_by_costs(tmp_path, solo_ns=1)
    assert done.code == 2
    assert "contention of the costs" in done.err


def test_costs_without_a_table_stay_readable_and_are_written_as_before(tmp_path: Path):
    assert b"contention" not in encode_document(model())
    assert decode_costs(encode_document(model()), "c").contention is msgspec.UNSET
    bound(tmp_path, "--costs", "none")
    shown = laxity("costs", "show", costs_with_table(tmp_path))
    assert "contention table of dijkstra large on CPU 0 (simulated, n = " in shown.out


def test_two_tables_of_one_program_are_refused(tmp_path: Path):
    bound(tmp_path, "--costs", "none")
    machine = describe_model(read_platform("sim:sabrelite-partitioned")).hash
    costs = msgspec.structs.replace(model(), machine_hash=machine)
    with pytest.raises(ConfigError, match="two tables of one program"):
        add_tables(costs, [tmp_path / "t.json", tmp_path / "t.json"])
    with pytest.raises(NoVerdict, match="another machine"):
        add_tables(model(), [tmp_path / "t.json"])
