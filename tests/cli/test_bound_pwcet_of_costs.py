# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound --use pwcet:P` of costs: the samples are read from the runs that measured them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from tests.costs.switch.made_up_switch_run import Times, write_model, write_switch_run

from laxity.bounds.document import decode_answer
from laxity.cli.main import cli
from laxity.errors import ConfigError

# One task: nobody preempts it, so gamma is not needed.
ONE = """
schema = 1
[[task]]
name = "control"
period = "10ms"
wcet = "1ms"
priority = 90
cpus = "1"
"""
N = 5_000
P = ("--use", "pwcet:1e-4")


def gamma_ns(seed: int, n: int = N) -> Times:
    return (1_000 * np.random.default_rng(seed).gamma(4, 3, n)).astype(np.int64)


def dependent_ns(n: int = N) -> Times:
    """AR(1), each half of the one before, above 0."""
    steps = np.random.default_rng(3).gamma(4, 3, n)
    for i in range(1, n):
        steps[i] += steps[i - 1] / 2
    return (1_000 * steps).astype(np.int64)


def bound(tmp_path: Path, costs: Path, *words: str) -> Result:
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(ONE)
    return CliRunner().invoke(
        cli, ["bound", str(tasks), "--costs", str(costs), *words],
        standalone_mode=False, catch_exceptions=False,
    )  # fmt: skip


def answered(tmp_path: Path, costs: Path) -> tuple[int, dict[str, Any]]:
    done = bound(tmp_path, costs, *P, "--format", "json")
    return done.return_value, json.loads(done.stdout)


def missing(tmp_path: Path, costs: Path) -> list[str]:
    """What is missing; nothing may be proven then."""
    code, answer = answered(tmp_path, costs)
    assert (code, answer["verdict"]) == (4, "not_provable")
    # No other figure stands in.
    lacking = {line.partition(":")[0] for line in answer["missing"]}
    assert not lacking & {one["name"] for one in answer["costs"]["entries"]}
    return list(answer["missing"])


def test_independent_samples_have_a_pwcet_and_it_counts(tmp_path: Path):
    run = write_switch_run(tmp_path / "S", gamma_ns(1), gamma_ns(2))
    code, answer = answered(tmp_path, run)
    assert (code, answer["verdict"], answer["missing"]) == (0, "schedulable", [])
    assert answer["costs"]["use"] == "pwcet:1e-4"
    used = {one["name"]: one for one in answer["costs"]["entries"]}
    assert set(used) == {"preempt_in", "preempt_out", "timer_latency"}
    of_switch = [(used[half], gamma_ns(1)) for half in ("preempt_in", "preempt_out")]
    for one, samples_ns in (*of_switch, (used["timer_latency"], gamma_ns(2))):
        pwcet = one["pwcet"]
        assert (one["kind"], one["n"], one["runs"]) == ("modelled", N, ["S"])
        assert (pwcet["n"], pwcet["max_ns"]) == (N, samples_ns.max())
        assert one["value_ns"] == pwcet["bound_ns"] > pwcet["max_ns"] > pwcet["threshold_ns"]
        assert all(gate["is_open"] for gate in pwcet["gates"])
    # C, both halves of a switch, which delta is not more than, and the timer latency.
    response_ns = 1_000_000 + sum(one["value_ns"] for one in used.values())
    assert answer["tasks"][0]["response_time_ns"] == response_ns
    assert any("each cost may exceed its pWCET" in note for note in answer["notes"])


def test_table_says_what_the_pwcet_of_a_cost_rests_on(tmp_path: Path):
    run = write_switch_run(tmp_path / "S", gamma_ns(1), gamma_ns(2))
    text = bound(tmp_path, run, *P).stdout
    assert "pWCET of preempt_in: one exceeds" in text
    assert "with probability 1e-4 at most; 95 % confidence, n = 5000" in text


def test_answer_that_is_stored_is_read_again(tmp_path: Path):
    run = write_switch_run(tmp_path / "S", gamma_ns(1), gamma_ns(2))
    done = bound(tmp_path, run, *P, "--run-dir", str(tmp_path / "answer"))
    assert done.return_value == 0
    answer = decode_answer((tmp_path / "answer" / "bound.json").read_bytes(), "bound.json")
    assert [one.pwcet.n for one in answer.costs.entries if one.pwcet is not None] == [N, N, N]
    # The costs that it keeps name the run that lies beside it.
    assert answered(tmp_path, tmp_path / "answer")[0] == 0


def test_dependent_samples_have_no_pwcet(tmp_path: Path):
    run = write_switch_run(tmp_path / "S", dependent_ns(), gamma_ns(2))
    (told,) = missing(tmp_path, run)
    assert told.startswith("delta: no pWCET of n = 5000 (best, CPU 1, run S): runs: ")
    assert told.endswith("or count costs with --use-costs max")


def test_order_is_that_of_time_wherever_rows_lie_in_the_file(tmp_path: Path):
    # Shuffled, or sorted by size, samples would lose or gain their dependence.
    shuffled = np.random.default_rng(4).permutation(N)
    run = write_switch_run(tmp_path / "S", dependent_ns(), gamma_ns(2), order=shuffled)
    assert [told.partition(":")[0] for told in missing(tmp_path, run)] == ["delta"]
    run = write_switch_run(tmp_path / "T", gamma_ns(1), gamma_ns(2), order=np.argsort(gamma_ns(1)))
    assert answered(tmp_path, run)[0] == 0


@pytest.mark.parametrize(("n", "code"), [(1_999, 4), (2_000, 0)])
def test_too_few_samples_are_told_apart_for_each_cost(tmp_path: Path, n: int, code: int):
    run = write_switch_run(tmp_path / "S", gamma_ns(1, n), gamma_ns(2, n))
    assert answered(tmp_path, run)[0] == code
    if code:
        told = missing(tmp_path, run)
        assert [line.partition(":")[0] for line in told] == ["delta", "timer_latency"]
        assert all("1999 samples are too few; measure 2000 or more" in line for line in told)
        # What was measured is not said to be left out.
        assert not any(
            "timer_latency" in line for line in answered(tmp_path, run)[1]["not_accounted"]
        )


def test_costs_whose_run_is_elsewhere_have_no_pwcet(tmp_path: Path):
    run = write_switch_run(tmp_path / "far" / "S", gamma_ns(1), gamma_ns(2))
    here = tmp_path / "here"
    here.mkdir()
    costs = write_model(here / "costs.json", run)
    told = missing(tmp_path, costs)
    assert [line.partition(":")[0] for line in told] == ["delta", "timer_latency"]
    assert all(f"run S is neither {here} nor in it nor beside it" in line for line in told)
    assert bound(tmp_path, costs, "--use-costs", "max").return_value == 0


@pytest.mark.parametrize("place", ["S", "here/S", "here/runs/S"])
def test_run_is_found_beside_the_costs_and_within(tmp_path: Path, place: str):
    run = write_switch_run(tmp_path / place, gamma_ns(1), gamma_ns(2))
    (tmp_path / "here").mkdir(exist_ok=True)
    costs = write_model(tmp_path / "here" / "costs.json", run)
    assert answered(tmp_path, costs)[0] == 0


def test_another_run_of_the_same_name_is_refused(tmp_path: Path):
    run = write_switch_run(tmp_path / "far" / "S", gamma_ns(1), gamma_ns(2))
    write_switch_run(tmp_path / "S", gamma_ns(5), gamma_ns(6))
    costs = write_model(tmp_path / "costs.json", run)
    assert all(
        "another run, or another version's costs" in line for line in missing(tmp_path, costs)
    )


def test_samples_of_several_runs_are_pooled_in_the_order_of_the_runs(tmp_path: Path):
    one = write_switch_run(tmp_path / "A", gamma_ns(1), gamma_ns(2))
    other = write_switch_run(
        tmp_path / "B", 3 * gamma_ns(7), gamma_ns(8), started_at="2026-11-22T00:00:00.000Z"
    )
    costs = write_model(tmp_path / "costs.json", one, other)
    # Three times as dear from the second run on: no one distribution.
    told = missing(tmp_path, costs)
    assert told[0].startswith("delta: no pWCET of n = 10000 (best, CPU 1, run A B): ")
    assert told[0].split("; ")[1] == "they are not alike and independent"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--costs", "none", "--use-costs", "max"), "--costs none has no figures"),
        ((*P, "--use-costs", "max"), "and no task has it; leave it out"),
        (("--use-costs", "pwcet:2"), "no probability above 0 and below 0.01"),
        (("--use-costs", "most"), '--use-costs "most": unknown'),
    ],
)
def test_choice_that_is_of_nothing_is_refused(tmp_path: Path, words: tuple[str, ...], told: str):
    run = write_switch_run(tmp_path / "S", gamma_ns(1, 10), gamma_ns(2, 10))
    with pytest.raises(ConfigError) as refusal:
        bound(tmp_path, run, *words)
    assert told in str(refusal.value)
