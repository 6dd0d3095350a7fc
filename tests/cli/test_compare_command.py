# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity compare` as a user calls it."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.bounds.made_up_bound import write_bound
from tests.bounds.made_up_costs import GAMMAS, SWITCHES, entry, model
from tests.cli.commands import CPU, laxity
from tests.golden.stored_runs import copy_run
from tests.report.run_builder import (
    FACTS,
    SNAPSHOT_EXEC_NS,
    Made,
    corunner,
    demo_runs,
    ordinary_rows,
    overrun,
    write_composite,
    write_run,
)

from laxity.cli.main import cli
from laxity.compare.sides import Answer
from laxity.core.streams import Status, absent_value
from laxity.errors import ConfigError, NoVerdict, RecordError
from laxity.platform.facts import Facts
from laxity.store.manifest import encode_document
from laxity.store.observation import RECORDER_KILLED

N = 2000


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that do not differ, one that is 20 us longer, one interfered, a longer one."""
    root = tmp_path_factory.mktemp("runs")
    write_run(root / "base", Made(ordinary_rows(N, 1)))
    write_run(root / "same", Made(ordinary_rows(N, 2)))
    write_run(root / "long", Made(ordinary_rows(N, 3, base_ns=920_000)))
    write_run(root / "interfered", Made(ordinary_rows(N, 4), corunners=[corunner()]))
    late = ordinary_rows(N, 5)
    overrun(late, 100, 6_000_000)
    write_run(root / "late", Made(late))
    return root


def compare(*words: str | Path) -> Result:
    return CliRunner().invoke(
        cli, ["compare", *map(str, words)], standalone_mode=False, catch_exceptions=False
    )


def compare_json(*words: str | Path) -> tuple[int, dict[str, Any]]:
    done = compare(*words, "--format", "json")
    return done.return_value, json.loads(done.stdout)


def figures_of(answer: dict[str, Any], number: int = 0) -> dict[str, dict[str, Any]]:
    figures = answer["results"][number]["comparison"]["figures"]
    return {f"{one['quantity']}.{one['statistic']}": one for one in figures}


def test_runs_that_do_not_differ_show_no_difference(runs: Path):
    code, answer = compare_json(runs / "base", runs / "same")
    assert (code, answer["verdict"]) == (0, "compared")
    figures = figures_of(answer)
    assert set(figures) == {
        f"{quantity}.{statistic}"
        for quantity in ("response", "release_latency", "execution")
        for statistic in ("median", "p90", "p99", "max")
    }
    assert {(one["unit"], one["kind"]) for one in figures.values()} == {("ns", "measured")}
    verdicts = {one["verdict"] for name, one in figures.items() if not name.endswith("max")}
    assert verdicts == {"no_difference_shown"}
    assert "equal" not in compare(runs / "base", runs / "same").stdout


def test_a_longer_run_is_longer_by_what_it_is_longer(runs: Path):
    code, answer = compare_json(
        runs / "base", runs / "long", "--fail-on", "response.median > +10us"
    )
    assert (code, answer["verdict"]) == (1, "violated")
    figures = figures_of(answer)
    for name in ("execution.median", "response.median"):
        assert figures[name]["low"] <= 20_000 <= figures[name]["high"]
        assert figures[name]["verdict"] == "longer"
    assert figures["release_latency.median"]["verdict"] == "no_difference_shown"
    [judgement] = answer["results"][0]["judgements"]
    assert (judgement["subject"], judgement["answer"]) == ("control", "violated")


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("response.median > +5%", 0),
        ("response.median > +20us", 4),  # in the midst of the interval
        ("response.median > +1%", 1),  # 1 % of 0.92 ms is 9 us
        ("control.response.median > 500us", 1),
        ("misses > 0", 0),
        ("response.p99.9 > +50%", 4),  # 2000 jobs do not tell it
        ("gamma.median > +5%", 4),  # these runs measured no costs
    ],
)
def test_the_exit_code_says_what_came_of_a_statement(runs: Path, expression: str, code: int):
    assert compare(runs / "base", runs / "long", "--fail-on", expression).return_value == code


def test_a_violation_outweighs_what_cannot_be_told(runs: Path):
    words = ("--fail-on", "response.p99.9 > +50%", "--fail-on", "response.median > +1%")
    assert compare(runs / "base", runs / "long", *words).return_value == 1


def test_a_miss_is_a_stated_limit(runs: Path):
    # Job 100 takes 6 ms of 5: one missed, and the release at 5 ms skipped.
    done = compare(runs / "base", runs / "late", "--fail-on", "misses > 1")
    assert done.return_value == 1
    assert "NEW 2 of 2000, BASE 0 of 2000" in done.stdout


def test_runs_under_other_interference_are_not_comparable(runs: Path):
    with pytest.raises(NoVerdict, match=r"co-runners.*add --allow-different"):
        compare(runs / "base", runs / "interfered", "--fail-on", "response.p99 > +500%")


def test_what_differs_stands_in_the_answer_of_a_refusal(runs: Path):
    outcome = laxity("compare", runs / "base", runs / "interfered", "--format", "json")
    answer = json.loads(outcome.out)
    assert (outcome.code, answer["verdict"]) == (4, "no_verdict")
    comparison = answer["results"][0]["comparison"]
    assert comparison["is_compared"] is False
    assert comparison["figures"] == []
    assert comparison["differences"] == [
        {"what": "co-runners", "base": "none", "new": "bandwidth write 64MiB@0"}
    ]


def test_what_differs_is_stated_where_it_is_compared_all_the_same(runs: Path):
    done = compare(runs / "base", runs / "interfered", "--allow-different")
    assert done.return_value == 0
    assert "Compared all the same, as told: more differs than figures." in done.stdout
    assert "bandwidth write 64MiB@0" in done.stdout


def test_figures_of_a_simulated_platform_are_simulated(tmp_path: Path):
    for seed, name in enumerate(("a", "b")):
        write_run(tmp_path / name, Made(ordinary_rows(N, seed), platform="sim:x"))
    _, answer = compare_json(tmp_path / "a", tmp_path / "b")
    assert {one["kind"] for one in figures_of(answer).values()} == {"simulated"}


def write_simulated(path: Path, base_ns: int = 900_000, **more: Any) -> Path:  # noqa: ANN401 - of Made
    rows = ordinary_rows(5, 1, base_ns=base_ns)
    return write_run(path, Made(rows, platform="sim:x", **more))


def test_simulated_runs_are_compared_exactly_however_few_their_jobs(tmp_path: Path):
    # All jobs take 20 us longer, of about 0.91 ms: 2.2 %.
    base = write_simulated(tmp_path / "a", result_hash="a")
    new = write_simulated(tmp_path / "b", 920_000, result_hash="b")
    words = (base, new, "--fail-on", "response.p99 > +20us", "--fail-on", "response.max < +20us")
    assert compare(*words).return_value == 0
    code, answer = compare_json(base, new, "--fail-on", "response.median > +1%")
    assert (code, answer["verdict"]) == (1, "violated")
    figures = figures_of(answer)
    names = ("median", "p90", "p99", "p99.9", "max")
    assert {figures[f"response.{one}"]["shift"] for one in names} == {20_000}
    assert figures["release_latency.max"]["verdict"] == "equal"
    text = compare(base, new).stdout
    assert "nothing in them is random: every difference is exact." in text
    assert "BASE and NEW are not identical." in text
    for word in ("95 %", "by chance", "worth", "noise", "not judged", "Rank-sum"):
        assert word not in text


def test_identical_simulated_runs_are_called_so_first_and_equal(tmp_path: Path):
    names = [write_simulated(tmp_path / name, result_hash="a") for name in ("a", "b")]
    done = compare(*names, "--fail-on", "response.p99 > +0%", "--run-dir", tmp_path / "D")
    assert done.return_value == 0
    same = "BASE and NEW are identical: all streams are the same to the byte."
    assert done.stdout.splitlines()[:3] == [
        same,
        "Nothing stated has happened.",
        "NEW against BASE: 15 figures equal. Both are simulated, and nothing in them is random: "
        "every difference is exact.",
    ]
    assert laxity("show", tmp_path / "D").out.startswith(same)
    page = (tmp_path / "D" / "report.html").read_text()
    assert "Terms of what is exact" in page
    assert "95 %" not in page


def test_simulated_jobs_that_ask_for_the_time_are_not_exact(tmp_path: Path):
    asking = write_simulated(tmp_path / "a", asked_calls=["clock_gettime"])
    new = write_simulated(tmp_path / "b")
    words = (asking, new, "--fail-on", "response.median > +0%")
    assert compare(*words).return_value == 4
    assert "exact" not in compare(*words).stdout


def test_another_machine_is_refused(runs: Path, tmp_path: Path):
    facts = Facts({**FACTS.files, "/sys/devices/system/cpu/online": "0"})
    other = write_run(tmp_path / "other", Made(ordinary_rows(N, 2), facts=facts))
    with pytest.raises(NoVerdict, match=r"\(machine\)"):
        compare(runs / "base", other)


def test_json_is_what_the_schema_says(runs: Path):
    words = (runs / "base", runs / "long", "--fail-on", "response.median > +1%")
    text = compare(*words, "--format", "json").stdout
    answer = msgspec.json.decode(text, type=Answer)
    assert json.loads(msgspec.json.encode(answer)) == json.loads(text)


def test_each_new_run_is_compared_with_the_baseline(runs: Path):
    words = (runs / "base", runs / "same", runs / "long", "--fail-on", "response.median > +1%")
    code, answer = compare_json(*words)
    assert code == 1
    names = [one["comparison"]["name"] for one in answer["results"]]
    assert names == ["NEW1", "NEW2"]
    found = [one["judgements"][0]["answer"] for one in answer["results"]]
    assert found == ["holds", "violated"]


def test_further_runs_of_the_baseline_tell_the_noise(runs: Path, tmp_path: Path):
    # It is longer than NEW, though made as BASE was: so 20 us are noise.
    noisy = write_run(tmp_path / "noisy", Made(ordinary_rows(N, 6, base_ns=930_000)))
    words = (runs / "base", runs / "long", "--fail-on", "response.median > +1us")
    assert compare(*words).return_value == 1
    code, answer = compare_json(*words, "--noise", noisy)
    assert code == 4
    median = figures_of(answer)["response.median"]
    assert median["verdict"] == "below_noise_floor"
    assert median["floor"] > 25_000
    assert "between 2 runs of BASE" in [part["what"] for part in median["floor_parts"]]
    assert "use laxity versus OLD NEW --fail-on" in compare(*words, "--noise", noisy).stdout


def test_noise_of_another_experiment_is_refused(runs: Path):
    with pytest.raises(NoVerdict, match=r"was not made as BASE was \(co-runners"):
        compare(runs / "base", runs / "same", "--noise", runs / "interfered")


def test_costs_tell_no_noise_of_jobs(runs: Path, tmp_path: Path):
    with pytest.raises(NoVerdict, match="has no task and no cost in common with BASE"):
        compare(
            runs / "base", runs / "same", "--noise", write_costs(tmp_path / "a.json", *SWITCHES)
        )


def test_of_two_absent_runs_the_first_is_named(tmp_path: Path):
    with pytest.raises(ConfigError, match="old: does not exist"):
        compare(tmp_path / "old", tmp_path / "new")


def test_a_run_is_not_compared_with_itself(runs: Path):
    with pytest.raises(ConfigError, match="named twice"):
        compare(runs / "base", runs / "same" / ".." / "base")


@pytest.mark.parametrize(
    ("expression", "advice"),
    [("contrl.response.p99 > +5%", 'did you mean "control"?'), ("response.p99 > 5%", r"\+5%")],
)
def test_a_mistyped_statement_is_usage_not_an_eternal_no_verdict(
    runs: Path, expression: str, advice: str
):
    with pytest.raises(ConfigError, match=advice):
        compare(runs / "base", runs / "same", "--fail-on", expression)


def test_kept_misses_alone_give_quantiles_without_verdict(runs: Path, tmp_path: Path):
    short = write_run(tmp_path / "short", Made(ordinary_rows(N, 2), keep="misses"))
    code, answer = compare_json(runs / "base", short, "--fail-on", "response.median > +50%")
    assert (code, answer["verdict"]) == (4, "no_verdict")
    figures = figures_of(answer)
    assert figures["response.median"]["reason"].startswith("NEW: not every job was kept")
    assert "execution.median" not in figures
    notes = answer["results"][0]["comparison"]["notes"]
    assert "control execution: not every job was kept by NEW" in notes


def test_run_in_which_no_job_finished_is_told_as_that(runs: Path, tmp_path: Path):
    rows = ordinary_rows(N, 2)
    rows["status"] = Status.SKIPPED
    for name in ("start_ns", "finish_ns", "exec_ns"):
        rows[name] = absent_value("i8")
    answer = compare_json(runs / "base", write_run(tmp_path / "skipped", Made(rows)))[1]
    notes = answer["results"][0]["comparison"]["notes"]
    assert "control response: no job finished in NEW" in notes


def with_result(path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Change the stored result of a run."""
    manifest = json.loads((path / "manifest.json").read_bytes())
    change(manifest)
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path


MOVED = {"what": "policy", "planned": "fifo 90", "found": "other 0", "seen_ns": 5, "jobs": 1990}


@pytest.mark.parametrize("is_corunner", [False, True])
def test_jobs_that_were_not_scheduled_as_planned_are_no_pass(tmp_path: Path, is_corunner: bool):
    base, new = (
        write_run(tmp_path / name, Made(ordinary_rows(N, seed), corunners=[corunner()]))
        for seed, name in ((1, "base"), (2, "new"))
    )
    assert compare(base, new, "--fail-on", "misses > 0").return_value == 0

    def move(manifest: dict[str, Any]) -> None:
        manifest["corunners" if is_corunner else "tasks"][0]["displaced"] = [MOVED]
        manifest["exit_code"] = 4

    with_result(new, move)
    # Either side may be the one.
    for pair in ((base, new), (new, base)):
        for statement in ("misses > 0", "response.median > +90%"):
            code, answer = compare_json(*pair, "--fail-on", statement)
            assert (code, answer["verdict"]) == (4, "no_verdict")
        reason = figures_of(answer)["response.median"]["reason"]
        assert "was found" in reason
        assert "other 0" in reason


def test_jobs_beside_a_co_runner_that_died_are_no_pass(tmp_path: Path):
    base, new = (
        write_run(tmp_path / name, Made(ordinary_rows(N, seed), corunners=[corunner()]))
        for seed, name in ((1, "base"), (2, "new"))
    )

    def die(manifest: dict[str, Any]) -> None:
        manifest["corunners"][0]["end_cause"] = "signal"

    with_result(new, die)
    code, answer = compare_json(base, new, "--fail-on", "response.median > +90%")
    assert code == 4
    assert "did not live to the end" in figures_of(answer)["response.median"]["reason"]


KILLED = RECORDER_KILLED


@pytest.mark.parametrize(
    ("left_out", "message", "told"),
    [
        (0, "", None),
        (500, "", "500 jobs were left out"),
        (0, KILLED, KILLED),
        # That counting was held back says nothing of the jobs.
        (0, "no verdict: the kernel held counting back 3 times; sample less often", None),
    ],
)
def test_observed_jobs_that_were_left_out_are_no_pass(
    tmp_path: Path, left_out: int, message: str, told: str | None
):
    def deadline(manifest: dict[str, Any]) -> None:
        manifest["tasks"][0]["deadline_ns"] = 1_000_000_000

    def less(manifest: dict[str, Any]) -> None:
        deadline(manifest)
        manifest["observation"]["threads"][0]["n_contradictory"] = left_out
        if message:
            manifest |= {"exit_code": 4, "message": message}

    base, new = (
        with_result(copy_run("observed", tmp_path / name), change)
        for name, change in (("base", deadline), ("new", less))
    )
    code, answer = compare_json(base, new, "--fail-on", "misses > 0")
    detail = answer["results"][0]["judgements"][0]["detail"]
    assert code == (0 if told is None else 4)
    assert told is None or f"NEW: {told}" in detail


@pytest.mark.parametrize(("overrun_mode", "code"), [("skip", 0), ("queue", 4)])
def test_task_without_a_deadline_misses_none_and_that_is_no_pass(
    tmp_path: Path, overrun_mode: str, code: int
):
    # With overrun skip a release may be skipped, which is not met.
    base, new = (
        write_run(
            tmp_path / name,
            Made(
                ordinary_rows(N, seed, base_ns=base_ns, deadline=False),
                deadline_ns=None,
                overrun=overrun_mode,
            ),
        )
        for seed, name, base_ns in ((1, "base", 900_000), (2, "new", 4_000_000))
    )
    assert compare(base, new, "--fail-on", "misses > 0").return_value == code


def test_lost_rows_leave_no_verdict(runs: Path, tmp_path: Path):
    lossy = write_run(tmp_path / "lossy", Made(ordinary_rows(N, 2), lost_rows=3))
    code, answer = compare_json(runs / "base", lossy, "--fail-on", "response.median > +50%")
    assert code == 4
    assert "3 rows were lost" in figures_of(answer)["response.median"]["reason"]


def test_what_the_doctor_saw_and_how_a_run_ended_stand_beside(runs: Path, tmp_path: Path):
    hot = Made(ordinary_rows(N, 2), drift=["temperature rose"], status="interrupted", exit_code=130)
    done = compare(runs / "base", write_run(tmp_path / "hot", hot))
    assert "NEW: changed during the run: temperature rose" in done.stdout
    assert "NEW: interrupted, exit code 130" in done.stdout


def test_a_task_that_only_one_run_has_is_named(runs: Path, tmp_path: Path):
    both = Made(ordinary_rows(N, 2), others=[Made(ordinary_rows(N, 3), name="video")])
    write_run(tmp_path / "both", both)
    with pytest.raises(NoVerdict, match='task "video"'):
        compare(runs / "base", tmp_path / "both")
    done = compare(runs / "base", tmp_path / "both", "--allow-different")
    assert 'task "video": only NEW has it' in done.stdout


def test_runs_of_runs_are_compared_part_by_part(tmp_path: Path):
    for number, name in enumerate(("a", "b")):
        made = {
            label: replace(one, rows=ordinary_rows(N, 10 * number + len(label)))
            for label, one in demo_runs(N).items()
        }
        write_composite(tmp_path / name, made)
    code, answer = compare_json(
        tmp_path / "a", tmp_path / "b", "--fail-on", "alone/control.response.median > +5%"
    )
    assert code == 0
    subjects = {one["subject"] for one in answer["results"][0]["comparison"]["figures"]}
    assert subjects == {"alone/control", "interfered/control"}


def test_a_demo_with_costs_and_a_verdict_is_compared(tmp_path: Path):
    for name in ("a", "b"):
        path = write_composite(tmp_path / name, demo_runs(N))
        shutil.copytree(write_bound(tmp_path / f"{name}-bound"), path / "runs" / "verdict")
        manifest = json.loads((path / "manifest.json").read_bytes())
        manifest["runs"].append("verdict")
        (path / "manifest.json").write_text(json.dumps(manifest))
    code, answer = compare_json(tmp_path / "a", tmp_path / "b")
    assert code == 0
    subjects = {one["subject"] for one in answer["results"][0]["comparison"]["figures"]}
    assert subjects == {"alone/control", "interfered/control"}


def test_a_task_with_too_few_jobs_is_no_pass_because_another_has_enough(tmp_path: Path):
    for seed, name in ((1, "a"), (2, "b")):
        slow = Made(ordinary_rows(100, seed), name="slow")
        write_run(tmp_path / name, Made(ordinary_rows(N, seed), others=[slow]))
    runs = (tmp_path / "a", tmp_path / "b")
    assert compare(*runs, "--fail-on", "control.response.p99 > +900%").return_value == 0
    code, answer = compare_json(*runs, "--fail-on", "response.p99 > +900%")
    judged = {one["subject"]: one["answer"] for one in answer["results"][0]["judgements"]}
    assert (code, judged) == (4, {"control": "holds", "slow": "no_verdict"})


def test_aborted_jobs_are_no_pass_for_what_they_would_have_taken(runs: Path, tmp_path: Path):
    rows = ordinary_rows(N, 2)
    rows["status"][100] = Status.ABORTED
    rows["finish_ns"][100] = rows["exec_ns"][100] = absent_value("i8")
    new = write_run(tmp_path / "aborted", Made(rows))
    code, answer = compare_json(runs / "base", new, "--fail-on", "response.median > +50%")
    assert code == 4
    assert "1 jobs were aborted" in figures_of(answer)["response.median"]["reason"]
    assert compare(runs / "base", new, "--fail-on", "misses > 0").return_value == 1
    started = compare(runs / "base", new, "--fail-on", "release_latency.median > +900%")
    assert started.return_value == 0


@pytest.mark.parametrize(
    ("status", "code"), [("failed", 4), ("recovered", 4), ("interrupted", 0), ("complete", 0)]
)
def test_a_run_that_broke_off_is_no_pass(runs: Path, tmp_path: Path, status: str, code: int):
    made = Made(ordinary_rows(N, 2), status=status, message='task "control" crashed')
    new = write_run(tmp_path / status, made)
    assert compare(runs / "base", new, "--fail-on", "misses > 0").return_value == code
    assert compare(runs / "base", new, "--fail-on", "response.max > +90%").return_value == code


def test_a_damaged_run_is_no_pass(runs: Path, tmp_path: Path):
    broken = write_run(tmp_path / "broken", Made(ordinary_rows(N, 2)))
    (broken / "jobs.npy").write_bytes(b"no stream")
    with pytest.raises(RecordError):
        compare(runs / "base", broken)


def write_costs(path: Path, *more: Any) -> Path:  # noqa: ANN401 - entries
    path.write_bytes(encode_document(model(*more)))
    return path


def test_cost_models_are_compared_entry_by_entry(tmp_path: Path):
    fast = entry("delta", 30_000, case="best", quantiles={"0.5": 10_000, "0.9": 10_500})
    slow = entry("delta", 32_000, case="best", quantiles={"0.5": 12_000, "0.9": 12_500})
    base, new = write_costs(tmp_path / "a.json", fast), write_costs(tmp_path / "b.json", slow)
    words = (base, new, "--fail-on", "delta@case=best.median > +15%")
    # Of one model each, nothing is known of what two measurements differ in.
    code, answer = compare_json(*words)
    assert (code, answer["verdict"]) == (4, "no_verdict")
    assert figures_of(answer)["delta.max"]["shift"] == 2_000
    (judged,) = answer["results"][0]["judgements"]
    assert "run-to-run variation is unknown: add repeated baseline runs" in judged["detail"]
    noise = ("--noise", write_costs(tmp_path / "c.json", fast))
    code, answer = compare_json(*words, *noise)
    assert (code, answer["verdict"]) == (1, "violated")
    worst = "delta@case=worst.median > +15%"
    assert compare(base, new, *noise, "--fail-on", worst).return_value == 4
    assert compare(base, new, *noise, "--fail-on", "delta.max > +1us").return_value == 1


def test_cost_models_of_two_machines_are_refused(tmp_path: Path):
    base = write_costs(tmp_path / "a.json", *SWITCHES)
    other = tmp_path / "b.json"
    other.write_bytes(base.read_bytes().replace(b'"ab"', b'"cd"'))
    with pytest.raises(NoVerdict, match="machine"):
        compare(base, other)


def test_models_without_a_common_entry_are_no_pass(tmp_path: Path):
    base = write_costs(tmp_path / "a.json", *SWITCHES)
    other = write_costs(tmp_path / "b.json", *GAMMAS)
    with pytest.raises(NoVerdict, match="nothing was compared"):
        compare(base, other)


def test_jobs_and_costs_have_nothing_in_common(runs: Path, tmp_path: Path):
    with pytest.raises(NoVerdict, match="nothing was compared"):
        compare(runs / "base", write_costs(tmp_path / "a.json", *SWITCHES))


def test_two_real_runs_and_a_longer_one(tmp_path: Path):
    for name, size in (("a", "64KiB"), ("b", "64KiB"), ("c", "1MiB")):
        words = ("mem", "-b", size, "-p", "2ms", "--jobs", "400", "--cpus", str(CPU))
        policy = ("--policy", "other", "--run-dir", tmp_path / name, "--no-report", "--quiet")
        assert laxity("run", *words, *policy).code == 0
    same = laxity("compare", tmp_path / "a", tmp_path / "b", "--format", "json")
    answer = json.loads(same.out)
    assert (same.code, answer["verdict"]) == (0, "compared")
    figures = figures_of(answer)
    assert figures["response.median"]["base"]["n"] == 400
    assert figures["execution.max"]["unit"] == "ns"
    refused = laxity("compare", tmp_path / "a", tmp_path / "c")
    assert refused.code == 4
    assert 'task "mem" args' in refused.err
    # Sixteen times the memory. How much longer the largest job takes is the machine's to say (one
    # disturbed job of the shorter run decides it), so the code is asked to be that of the figures.
    code, answer = compare_json(
        tmp_path / "a", tmp_path / "c", "--allow-different", "--fail-on", "execution.max > +100%"
    )
    largest = figures_of(answer)["execution.max"]
    base, shift, floor = largest["base"]["value"], largest["shift"], largest["floor"]
    assert shift == largest["new"]["value"] - base
    # Without repeated baselines more than the drift that was seen is a violation.
    least = shift - floor - largest["drift"]
    expected = 1 if least > base else 0 if shift + floor <= base else 4
    assert code == expected, largest


def test_cost_without_verdict_is_shown_with_its_reason_among_many_others(tmp_path: Path):
    # 21 entries have 42 figures, more than are all shown. Of one the median grew from 10 us to
    # 14.26 us, 42.6 %, and was not measurable before.
    def costs(median: int, verdict: str) -> list[Any]:
        odd = entry("delta", 50_000, cpu=99, quantiles={"0.5": median, "0.9": 20_000},
                    verdict=verdict)  # fmt: skip
        same = [
            entry("delta", 50_000, cpu=cpu, quantiles={"0.5": 10_000, "0.9": 20_000})
            for cpu in range(20)
        ]
        return [*same, odd]

    base = write_costs(tmp_path / "a.json", *costs(10_000, "not_measurable"))
    new = write_costs(tmp_path / "b.json", *costs(14_260, "ok"))
    done = compare(base, new, "--run-dir", tmp_path / "D")
    # A figure without verdict is data; a statement about it is told by nothing.
    assert done.return_value == 0
    (row,) = [line for line in done.stdout.splitlines() if "+42.6 %" in line]
    assert row.startswith("delta@cpu=99")
    assert re.match(r"delta@cpu=99\.median +no verdict +BASE: not measurable +\+4\.26 µs ", row)
    assert "\ndelta@cpu=0." not in done.stdout
    assert "40 figures of costs have a verdict and are neither longer nor shorter" in done.stdout
    page = (tmp_path / "D" / "report.html").read_text()
    assert "+42.6 %" in page
    assert "BASE: not measurable" in page
    assert "delta@cpu=0.median" in page
    _, answer = compare_json(base, new)
    odd = [
        one for one in answer["results"][0]["comparison"]["figures"]
        if one["subject"] == "delta@cpu=99"
    ]  # fmt: skip
    assert {one["reason"] for one in odd} == {"BASE: not measurable"}
    assert compare(base, new, "--fail-on", "delta@cpu=99.median > +5%").return_value == 4


def test_quantile_that_a_side_has_too_few_jobs_for_is_named(tmp_path: Path):
    # p99 needs 368 jobs, p99.9 3688; p90 36.
    for number, (name, n) in enumerate((("a", 500), ("b", 300))):
        write_run(tmp_path / name, Made(ordinary_rows(n, number)))
    text = compare(tmp_path / "a", tmp_path / "b", "--allow-different").stdout
    assert "control response: NEW has 300 jobs; p99 needs 368, p99.9 needs 3688" in text


def test_execution_of_a_few_jobs_gives_no_verdict(tmp_path: Path):
    for number, name in enumerate(("a", "b")):
        rows = ordinary_rows(N, number)
        # In all but 11 jobs reading the clocks took all of the processor time.
        rows["exec_ns"][11:] = SNAPSHOT_EXEC_NS
        write_run(tmp_path / name, Made(rows))
    code, answer = compare_json(
        tmp_path / "a", tmp_path / "b", "--fail-on", "execution.median > +5%"
    )
    assert code == 4
    median = figures_of(answer)["execution.median"]
    assert median["verdict"] == "no_verdict"
    assert f"{N - 11} of {N} finished jobs have no processor time of their own" in median["reason"]


def test_jobs_that_no_deadline_judged_are_no_pass(runs: Path, tmp_path: Path):
    rows = ordinary_rows(N, 2)
    rows["status"][-70:] = Status.PENDING
    for name in ("start_ns", "finish_ns", "exec_ns"):
        rows[name][-70:] = absent_value("i8")
    rows["abs_deadline_ns"][-70:] += 10**12
    new = write_run(tmp_path / "pending", Made(rows))
    code, answer = compare_json(runs / "base", new, "--fail-on", "misses > 0")
    assert code == 4
    (judged,) = answer["results"][0]["judgements"]
    assert "70 not judged: still pending" in judged["detail"]
    assert compare(runs / "base", new, "--fail-on", "response.median > +50%").return_value == 4
    assert compare(runs / "base", new, "--fail-on", "execution.median > +900%").return_value == 0


def test_runs_of_other_periods_are_told_to_be_given_one(runs: Path, tmp_path: Path):
    new = write_run(tmp_path / "new", Made(ordinary_rows(N, 2)))
    spec = (new / "spec.toml").read_text()
    assert 'period = "5ms"' in spec
    (new / "spec.toml").write_text(spec.replace('period = "5ms"', 'period = "6ms"'))
    with pytest.raises(NoVerdict, match=r"period.*; compare runs .*, with one --period, or add"):
        compare(runs / "base", new)
