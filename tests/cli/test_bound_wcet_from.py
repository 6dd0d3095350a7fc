# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound` with C from runs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from tests.bounds.made_up_costs import GAMMAS, SWITCHES, model
from tests.report.run_builder import Made, ordinary_rows, write_composite, write_run

from laxity.bounds.document import decode_answer
from laxity.cli.main import cli
from laxity.errors import ConfigError, NoVerdict
from laxity.store.manifest import encode_document
from laxity.store.run_directory import open_run

ONE = """
schema = 1
[[task]]
name = "{name}"
period = "10ms"
deadline = "{deadline}"
wcet_from = "{run}"
priority = 90
cpus = "1"
"""
LONGEST_NS = 2_000_000


def rows_of(n: int = 400) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    """Jobs of 1 ms and a bit; the longest takes 2 ms."""
    rows = ordinary_rows(n)
    rows["exec_ns"] = 1_000_000 + np.arange(n)
    rows["exec_ns"][n // 2] = LONGEST_NS
    return rows


def gamma_rows(n: int = 2_000) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    rows = ordinary_rows(n)
    rows["exec_ns"] = 100_000 + 10_000 * np.random.default_rng(1).gamma(4, 3, n)
    return rows


def bound(
    tmp_path: Path, *words: str, run: str = "run", name: str = "control", deadline: str = "10ms"
) -> Result:
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(ONE.format(run=run, name=name, deadline=deadline))
    if "--costs" not in words:
        words = ("--costs", "none", *words)
    return CliRunner().invoke(
        cli, ["bound", str(tasks), *words], standalone_mode=False, catch_exceptions=False
    )


def test_longest_job_counts_and_the_run_is_relative_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_run(tmp_path / "run", Made(rows_of()))
    monkeypatch.chdir("/")
    done = bound(tmp_path, "--format", "json")
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["verdict"]) == (0, "schedulable")
    assert answer["tasks"][0]["response_time_ns"] == LONGEST_NS
    # What was observed may be exceeded.
    assert answer["tasks"][0]["exact"] is False
    (found,) = answer["wcet_from"]
    assert (found["run"], found["run_task"], found["use"]) == ("run", "control", "max")
    assert (found["kind"], found["n"], found["max_ns"]) == ("measured", 400, LONGEST_NS)
    assert found["pwcet"] is None


def test_times_of_another_program_are_not_those_of_the_task(tmp_path: Path):
    # The run is of mem 64KiB.
    write_run(tmp_path / "run", Made(rows_of()))
    tasks = tmp_path / "tasks.toml"
    words = ["bound", str(tasks), "--costs", "none"]
    text = ONE.format(run="run", name="control", deadline="10ms")
    tasks.write_text(f'{text}workload = "mem"\nargs = ["64KiB"]\n')
    assert CliRunner().invoke(cli, words, standalone_mode=False).return_value == 0
    tasks.write_text(f'{text}workload = "mem"\nargs = ["1MiB"]\n')
    with pytest.raises(NoVerdict, match="program mem 64KiB in the run, mem 1MiB in the task set"):
        CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
    tasks.write_text(f'{text}workload = "mem"\nargs = ["64KiB"]\ncalls = 10\n')
    with pytest.raises(NoVerdict, match="calls 1 in the run, 10 in the task set: its times are"):
        CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)


def test_program_is_the_same_by_whatever_link_it_is_named(tmp_path: Path):
    # As /bin is a link to /usr/bin.
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr" / "prog").touch()
    (tmp_path / "bin").symlink_to("usr")
    path = write_run(tmp_path / "run", Made(rows_of())) / "manifest.json"
    document = json.loads(path.read_text())
    named = str(tmp_path / "usr" / ".." / "bin" / "prog")
    document["tasks"][0] |= {"workload": named, "args": ["1"], "exec": [named, "1"]}
    path.write_text(json.dumps(document))
    tasks = tmp_path / "tasks.toml"
    text = ONE.format(run="run", name="control", deadline="10ms")
    tasks.write_text(f'{text}exec = ["bin/prog", "1"]\n')
    words = ["bound", str(tasks), "--costs", "none"]
    assert CliRunner().invoke(cli, words, standalone_mode=False).return_value == 0


def test_times_of_a_task_that_was_moved_bound_nothing(tmp_path: Path):
    write_run(tmp_path / "run", Made(rows_of()))
    path = tmp_path / "run" / "manifest.json"
    document = json.loads(path.read_text())
    displaced = {"what": "cpus", "planned": "1", "found": "0", "seen_ns": 5, "jobs": 3}
    document["tasks"][0]["displaced"] = [displaced]
    path.write_text(json.dumps(document))
    with pytest.raises(NoVerdict, match="its cpus was found to be 0, planned was 1: its times"):
        bound(tmp_path)


def test_table_says_observed_not_proven(tmp_path: Path):
    write_run(tmp_path / "run", Made(rows_of()))
    text = bound(tmp_path).stdout
    assert "C of runs: observed, not proven:\n" in text
    assert "400" in text


def test_margin_and_quantile_apply(tmp_path: Path):
    # p99 of 400: the 396th; the 2 ms job is the last, so 1 ms + 396 ns (one below it is missing).
    # With 20 %: 1.2 * 1,000,396 = 1,200,475.2, rounded up.
    write_run(tmp_path / "run", Made(rows_of()))
    answer = json.loads(
        bound(tmp_path, "--use", "p99", "--margin", "20%", "--format", "json").stdout
    )
    assert answer["wcet_from"][0]["wcet_ns"] == 1_200_476


@pytest.mark.parametrize(
    ("deadline", "code"),
    # 2 ms was observed; 2.4 ms is with the margin, which no job need take.
    [("2400us", 0), ("2399us", 4), ("2ms", 4), ("1999us", 1)],
)
@pytest.mark.parametrize("scheduler", ["fixed-priority", "edf", "global-edf"])
def test_margin_makes_nothing_unschedulable_for_certain(
    tmp_path: Path, scheduler: str, deadline: str, code: int
):
    write_run(tmp_path / "run", Made(rows_of()))
    words = ("--margin", "20%", "--scheduler", scheduler)
    assert bound(tmp_path, *words, deadline=deadline).return_value == code


@pytest.mark.parametrize(
    ("wcet", "is_said"), [('wcet = "2ms"', True), ('wcet_from = "run"', False)]
)
def test_miss_by_a_stated_wcet_says_what_it_rests_on(tmp_path: Path, wcet: str, *, is_said: bool):
    # 2 ms, stated or seen, is beyond 1.999 ms.
    write_run(tmp_path / "run", Made(rows_of()))
    tasks = tmp_path / "tasks.toml"
    text = ONE.format(run="run", name="control", deadline="1999us")
    tasks.write_text(text.replace('wcet_from = "run"', wcet))
    words = ["bound", str(tasks), "--costs", "none", "--format", "json"]
    done = CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
    answer = json.loads(done.stdout)
    assert answer["verdict"] == "not_schedulable"
    assert (
        any("a wcet with a margin in it proves no miss" in note for note in answer["notes"])
        is is_said
    )


@pytest.mark.parametrize("scheduler", ["fixed-priority", "edf", "global-edf"])
def test_longer_jobs_than_the_quantile_do_not_contradict_the_verdict(
    tmp_path: Path, scheduler: str
):
    # p99 is 1.000396 ms, within 1.5 ms; one job took 2 ms, which no deadline of 1.5 ms allows.
    write_run(tmp_path / "run", Made(rows_of()))
    words = ("--use", "p99", "--scheduler", scheduler, "--format", "json")
    done = bound(tmp_path, *words, deadline="1500us")
    answer = json.loads(done.stdout)
    assert done.return_value == 0
    assert {answer["verdict"], answer["tasks"][0]["verdict"]} == {"schedulable"}
    told = (
        "control: a job took 2 ms, longer than its wcet by p99: what is said holds while none does"
    )
    assert told in answer["notes"]


def test_too_few_jobs_for_the_quantile_are_no_verdict(tmp_path: Path):
    write_run(tmp_path / "run", Made(rows_of()))
    with pytest.raises(NoVerdict, match=r"400 jobs are too few for p99\.9; measure 3688 or more"):
        bound(tmp_path, "--use", "p99.9")


def test_pwcet_is_never_a_bare_point(tmp_path: Path):
    write_run(tmp_path / "run", Made(gamma_rows()))
    answer = json.loads(bound(tmp_path, "--use", "pwcet:1e-4", "--format", "json").stdout)
    (found,) = answer["wcet_from"]
    pwcet = found["pwcet"]
    assert found["use"] == "pwcet:1e-4"
    assert found["wcet_ns"] == pwcet["bound_ns"] > found["max_ns"]
    assert (pwcet["confidence"], pwcet["n"], pwcet["n_above"]) == (0.95, 2_000, 200)
    assert pwcet["shape_low"] < pwcet["shape"] < pwcet["shape_high"]
    assert all(gate["is_open"] for gate in pwcet["gates"])
    text = bound(tmp_path, "--use", "pwcet:1e-4").stdout
    assert "with probability 1e-4 at most; 95 % confidence, n = 2000" in text
    assert "15 gates passed" in text
    assert "each job may exceed its pWCET: what is said holds while none does" in text


def test_answer_that_is_stored_is_read_again_and_names_the_run(tmp_path: Path):
    write_run(tmp_path / "run", Made(gamma_rows()))
    words = ("--use", "pwcet:1e-4", "--run-dir", str(tmp_path / "answer"), "--no-report")
    assert bound(tmp_path, *words).return_value == 0
    answer = decode_answer((tmp_path / "answer" / "bound.json").read_bytes(), "bound.json")
    assert answer.wcet_from[0].pwcet.n == 2_000
    assert open_run(tmp_path / "answer").manifest.parents == ["run"]


def test_closed_gate_is_no_verdict_and_says_which(tmp_path: Path):
    rows = gamma_rows()
    rows["exec_ns"] = np.sort(rows["exec_ns"])
    write_run(tmp_path / "run", Made(rows))
    with pytest.raises(
        NoVerdict, match=r'task "control": wcet_from .*: no pWCET of 2000 jobs: runs'
    ):
        bound(tmp_path, "--use", "pwcet:1e-4")


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ("pwcet:0", "no probability above 0 and below 0.01"),
        ("pwcet:0.01", "no probability above 0 and below 0.01"),
        ("pwcet:-1", "no probability above 0"),
        ("pwcet:x", "no probability above 0"),
        ("pwcet", 'unknown; did you mean "pwcet:1e-9"?'),
    ],
)
def test_probability_that_cannot_be_is_refused(tmp_path: Path, use: str, told: str):
    with pytest.raises(ConfigError) as refusal:
        bound(tmp_path, "--use", use)
    assert told in str(refusal.value)


def test_pwcet_of_nothing_is_refused(tmp_path: Path):
    tasks = tmp_path / "tasks.toml"
    tasks.write_text('schema = 1\n[[task]]\nname = "a"\nperiod = "10ms"\nwcet = "1ms"\n')
    with pytest.raises(ConfigError, match="--costs none has no figures"):
        CliRunner().invoke(
            cli, ["bound", str(tasks), "--costs", "none", "--use", "pwcet:1e-9"],
            standalone_mode=False, catch_exceptions=False,
        )  # fmt: skip


def test_task_is_found_by_its_name_among_several(tmp_path: Path):
    short = ordinary_rows(400)
    short["exec_ns"] = 500_000
    write_run(tmp_path / "run", Made(rows_of(), others=[Made(short, name="video")]))
    answer = json.loads(bound(tmp_path, "--format", "json", name="video").stdout)
    assert answer["wcet_from"][0]["wcet_ns"] == 500_000
    with pytest.raises(ConfigError, match='no task "audio"; its tasks are control, video'):
        bound(tmp_path, name="audio")


def test_only_task_of_a_run_needs_no_name(tmp_path: Path):
    write_run(tmp_path / "run", Made(rows_of()))
    answer = json.loads(bound(tmp_path, "--format", "json", name="other").stdout)
    assert (answer["wcet_from"][0]["task"], answer["wcet_from"][0]["run_task"]) == (
        "other",
        "control",
    )


def test_run_that_is_not_there_or_consists_of_runs_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r'task "control": wcet_from: run .*: does not exist'):
        bound(tmp_path)
    write_composite(tmp_path / "all", {"alone": Made(rows_of())})
    with pytest.raises(ConfigError, match="consists of runs; name one of them: runs/alone"):
        bound(tmp_path, run="all")


def test_costs_of_another_machine_are_no_verdict_unless_told(tmp_path: Path):
    write_run(tmp_path / "run", Made(rows_of()))
    (tmp_path / "costs.json").write_bytes(encode_document(model(*SWITCHES, *GAMMAS)))
    costs = ("--costs", str(tmp_path / "costs.json"))
    with pytest.raises(NoVerdict, match="is not that of the costs, ab; measure on one machine"):
        bound(tmp_path, *costs)
    text = bound(tmp_path, *costs, "--allow-other-machine").stdout
    assert "is not that of the costs, ab: --allow-other-machine" in text


def test_costs_may_count_with_another_figure_than_jobs(tmp_path: Path):
    write_run(tmp_path / "run", Made(gamma_rows()))
    (tmp_path / "costs.json").write_bytes(encode_document(model(*SWITCHES, *GAMMAS)))
    words = ("--costs", str(tmp_path / "costs.json"), "--allow-other-machine", "--format", "json")
    done = bound(tmp_path, *words, "--use", "pwcet:1e-4", "--use-costs", "max")
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["verdict"]) == (0, "schedulable")
    assert (answer["wcet_from"][0]["use"], answer["costs"]["use"]) == ("pwcet:1e-4", "max")
    (delta,) = [one for one in answer["costs"]["entries"] if one["name"] == "delta"]
    assert (delta["kind"], delta["value_ns"], delta["pwcet"]) == ("measured", 20_000, None)
