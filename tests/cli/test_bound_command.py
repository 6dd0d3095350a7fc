# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound` as a user calls it."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.bounds.made_up_costs import GAMMAS, SWITCHES, entry, model

from laxity.cli.main import cli
from laxity.errors import ConfigError
from laxity.store.manifest import encode_document

TASKS = """
schema = 1
[[task]]
name = "control"
period = "10ms"
wcet = "2ms"
priority = 90
cpus = "1"
[[task]]
name = "video"
period = "40ms"
wcet = "12ms"
priority = 50
cpus = "1"
working_set = "{working_set}"
deadline = "{deadline}"
"""


def bound(
    tmp_path: Path, *words: str, deadline: str = "40ms", working_set: str = "64KiB"
) -> Result:
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(TASKS.format(deadline=deadline, working_set=working_set))
    (tmp_path / "costs.json").write_bytes(encode_document(model(*SWITCHES, *GAMMAS)))
    return CliRunner().invoke(
        cli, ["bound", str(tasks), *words], standalone_mode=False, catch_exceptions=False
    )


def costs(tmp_path: Path) -> tuple[str, str]:
    return "--costs", str(tmp_path / "costs.json")


def test_what_isolates_jobs_is_told_not_to_be_in_the_bound(tmp_path: Path):
    isolated = '[[task]]\nname = "prog"\nexec = ["/bin/true"]\nisolation = "exec"\n'
    rest = 'period = "10ms"\npriority = 80\ncpus = "1"\nwcet = "1ms"\n'
    path = tmp_path / "isolated.toml"
    path.write_text(f"schema = 1\n{isolated}{rest}")
    words = ["bound", str(path), "--costs", "none", "--format", "json"]
    done = CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
    (_, told) = json.loads(done.stdout)["not_accounted"]
    assert told.startswith("what isolates the jobs of prog from one another, ")


def test_zero_overheads_are_stated(tmp_path: Path):
    # video: 12 + 2 * 2 = 16 ms.
    done = bound(tmp_path, "--costs", "none", "--format", "json")
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["verdict"]) == (0, "schedulable")
    assert [one["response_time_ns"] for one in answer["tasks"]] == [2_000_000, 16_000_000]
    assert [one["exact"] for one in answer["tasks"]] == [True, True]
    # video: 12 f + 2 f * ceil(w / 10) = 12 f + 8 f = 40: f = 2, at half the speed.
    assert answer["sensitivity"] == {
        "wcet": {"factor_ppm": 2_000_000, "critical_task": "video"},
        "delta": None,
        "gamma": None,
        "speed": {"factor_ppm": 500_000, "critical_task": "video"},
    }
    assert answer["costs"]["path"] is None
    assert answer["not_accounted"] == ["all costs of the platform: --costs none"]
    text = bound(tmp_path, "--costs", "none").stdout
    assert text.startswith("Schedulable: 2 tasks, zero overheads.\n")
    assert "all overheads zero" in text


def test_measured_costs_stand_in_the_answer(tmp_path: Path):
    # 2 delta = 40 us; control makes video load 5 us again. C' = 2.045 and 12.04 ms, J' = 50 us.
    # Ticks of 9 us each 4 ms; video's timer may go off while control runs, 7 us, and no half is
    # known. video: 12.047 + 2 * 2.045 = 16.137, ticks ceil(16.146 / 4) = 5:
    # 16.182, and + 50 us = 16.232 ms.
    # control: 2.045 + a switch under way 0.04 + the timer of video 0.007 + a tick 0.009 = 2.101,
    # and + 50 us = 2.151 ms.
    done = bound(tmp_path, *costs(tmp_path), "--format", "json")
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["verdict"]) == (0, "schedulable")
    assert [one["response_time_ns"] for one in answer["tasks"]] == [2_151_000, 16_232_000]
    assert answer["tasks"][1]["breakdown"] == {
        "wcet_ns": 12_000_000,
        "interference_ns": 4_000_000,
        "contention_ns": 0,
        "delta_ns": 120_000,
        "gamma_ns": 10_000,
        "migration_ns": 0,
        "interrupts_ns": 52_000,
        "blocking_ns": 0,
        "switch_blocking_ns": 0,
    }
    assert answer["costs"]["machine_hash"] == "ab"
    names = [one["name"] for one in answer["costs"]["entries"]]
    assert names == ["delta", "gamma", "tick", "tick_period", "timer_latency", "release_isr"]


def test_edf_answers_for_each_cpu(tmp_path: Path):
    # U = 2/10 + 12/40 = 0.5. C' = 2.045 and 12.04 ms as above; in D = 14.4 of video, less 50 us:
    # h(14.35) = 2.045 + 12.04 + 0.04 of a switch, timers of 7 us 2 + 1, ticks 4 * 9 us: 14.182.
    words = ("--scheduler", "edf", "--format", "json")
    done = bound(tmp_path, *costs(tmp_path), *words, deadline="14400us")
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["scheduler"], answer["verdict"]) == (0, "edf", "schedulable")
    assert [one["utilisation_ppm"] for one in answer["cpus"]] == [500_000]
    assert [one["cpus"] for one in answer["cpus"]] == [[1]]
    # video ends 14.182 after it was ready, 0.05 late. control, released 4.4 after it, has the same
    # deadline and may end with it: 14.182 + 0.05 - 4.4.
    assert [one["response_time_ns"] for one in answer["tasks"]] == [9_832_000, 14_232_000]
    # control is never preempted: its deadline is the shortest.
    assert [one["of"] for one in answer["costs"]["entries"] if one["name"] == "gamma"] == ["video"]
    done = bound(tmp_path, *costs(tmp_path), *words, deadline="14231us")
    assert done.return_value == 4
    # 14.231 - 0.05 = 14.181.
    cpu = json.loads(done.stdout)["cpus"][0]
    assert (cpu["interval_ns"], cpu["demand_ns"]) == (14_181_000, 14_182_000)
    done = bound(tmp_path, "--costs", "none", "--scheduler", "edf", deadline="14ms")
    assert done.return_value == 0
    assert re.search(r"^1 +schedulable +50 %", done.stdout, re.MULTILINE)
    assert "Test: EDF processor demand (QPA)" in done.stdout


SETS = """
schema = 1
[[task]]
name = "high"
period = "20us"
wcet = "3us"
priority = 90
ucb = [1]
ecb = [1, 2, 3]
[[task]]
name = "low"
period = "40us"
wcet = "6us"
priority = 50
ucb = [2, 3, 4]
ecb = [2, 3, 4, 5]
"""


def bound_sets(tmp_path: Path, *words: str) -> Result:
    (tmp_path / "sets.toml").write_text(SETS)
    return CliRunner().invoke(
        cli,
        ["bound", str(tmp_path / "sets.toml"), "--format", "json", *words],
        standalone_mode=False,
        catch_exceptions=False,
    )


@pytest.mark.parametrize(
    ("method", "low_us"),
    # Of low's useful sets high evicts 2 and 3: 6 + 3 + 2; |UCB| = 3 and |ECB| = 3 count one more.
    [("ecb-only", 12), ("ucb-only", 12), ("ucb-union", 11), ("combined-multiset", 11)],
)
def test_cache_sets_stand_for_gamma(tmp_path: Path, method: str, low_us: int):
    words = ("--crpd", method, "--cache-policy", "direct-mapped", "--block-reload", "1us")
    answer = json.loads(bound_sets(tmp_path, "--costs", "none", *words).stdout)
    assert answer["verdict"] == "schedulable"
    assert [one["response_time_ns"] for one in answer["tasks"]] == [3_000, low_us * 1000]
    assert "(direct-mapped), 1 block a set, 1 µs to load one" in "".join(answer["notes"])


def test_block_takes_what_the_dearest_access_was_measured_to_take(tmp_path: Path):
    # 1000.5 ns, rounded up; switches of 1 ns: 2 delta = 2. low: 6002 + 3002 + 2 * 1001 = 11006.
    measured = [
        entry("delta", 1),
        entry("memory_latency", 90_000, unit="ps", case="read"),
        entry("memory_latency", 1_000_500, unit="ps", case="chase"),
    ]
    (tmp_path / "costs.json").write_bytes(encode_document(model(*measured)))
    words = ("--costs", str(tmp_path / "costs.json"), "--crpd", "ecb-union")
    cache = ("--cache-policy", "lru", "--cache-ways", "1")
    answer = json.loads(bound_sets(tmp_path, *words, *cache).stdout)
    assert answer["tasks"][1]["response_time_ns"] == 11_006
    used = {one["name"]: one["value_ns"] for one in answer["costs"]["entries"]}
    assert used == {"delta": 1, "memory_latency": 1001}
    (tmp_path / "costs.json").write_bytes(encode_document(model(measured[0])))
    done = bound_sets(tmp_path, *words, *cache)
    assert done.return_value == 4
    assert "or state --block-reload" in json.loads(done.stdout)["missing"][0]


@pytest.mark.parametrize("policy", ["fifo", "plru", "random"])
def test_cache_that_sets_say_nothing_about_is_no_verdict(tmp_path: Path, policy: str):
    cache = ("--cache-policy", policy, "--cache-ways", "4", "--block-reload", "1us")
    done = bound_sets(tmp_path, "--costs", "none", "--crpd", "ecb-union", *cache)
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["verdict"]) == (4, "not_provable")
    assert all(policy in one["reason"].lower() for one in answer["tasks"])


def test_table_says_what_was_counted_and_what_was_not(tmp_path: Path):
    text = bound(tmp_path, *costs(tmp_path)).stdout
    assert text.startswith("Schedulable: 2 tasks, the costs of ")
    assert "16.232 ms" in text
    assert "of what is stated; then video is late first" in text
    assert "delta may be " in text
    assert "gamma may be " in text
    assert "of the speed is fast enough, if only C scales with it" in text
    # No blocking, no migration, no contention: no columns of them.
    names = next(line for line in text.splitlines() if re.match("task +jobs", line))
    assert re.split("  +", names)[4:] == [
        "own execution", "execution of other tasks", "switches (2 δ)",
        "caches (\N{GREEK SMALL LETTER GAMMA})", "interrupts", "a switch under way",
    ]  # fmt: skip
    assert "Figures that count: max + 0%, of " in text
    assert "What was measured is observed, not proven" in text
    assert "Not accounted for, so the bound does not cover it:\n" in text


@pytest.mark.parametrize(
    ("deadline", "code", "verdict"),
    [
        ("16232us", 0, "schedulable"),
        ("16231us", 4, "not provable"),
        ("16ms", 4, "not provable"),
        ("15999us", 1, "not schedulable"),
    ],
)
def test_exit_code_is_the_verdict(tmp_path: Path, deadline: str, code: int, verdict: str):
    done = bound(tmp_path, *costs(tmp_path), deadline=deadline)
    assert done.return_value == code
    assert done.stdout.startswith(f"{verdict.capitalize()}: 2 tasks, ")


def test_missing_cost_is_no_verdict_and_says_what_to_measure(tmp_path: Path):
    done = bound(tmp_path, *costs(tmp_path), working_set="2MiB")
    assert done.return_value == 4
    assert "run laxity measure crpd --max-size 2MiB" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--use", "p0"), '--use "p0": unknown'),
        (("--use", "mean"), '--use "mean": unknown'),
        (("--margin", "20"), '--margin: "20" is no percentage'),
        (("--margin", "20%", "--costs", "none"), "--costs none has no figures"),
        (("--cache-policy", "lru"), "--cache-policy: --crpd gamma reads no cache sets"),
        (("--crpd", "combined"), "--crpd combined: holds for some caches only"),
        (("--crpd", "combined", "--cache-policy", "lru"), "name --cache-ways"),
        (
            ("--crpd", "combined", "--cache-policy", "direct-mapped", "--cache-ways", "2"),
            "a direct-mapped cache has one",
        ),
        (
            ("--crpd", "combined", "--cache-policy", "direct-mapped", "--costs", "none"),
            "name --block-reload",
        ),
    ],
)
def test_figure_that_there_is_not_is_refused(tmp_path: Path, words: tuple[str, ...], told: str):
    with pytest.raises(ConfigError) as refusal:
        bound(tmp_path, *costs(tmp_path), *words)
    assert told in str(refusal.value)


def test_task_set_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"none.toml: cannot be read"):
        CliRunner().invoke(
            cli,
            ["bound", str(tmp_path / "none.toml"), "--costs", "none"],
            standalone_mode=False,
            catch_exceptions=False,
        )


def test_schema_explains_the_answer():
    done = CliRunner().invoke(cli, ["schema", "bound"], standalone_mode=False)
    assert done.stdout.startswith("bound.json\nmember ")
    as_json = CliRunner().invoke(cli, ["schema", "bound", "--format", "json"])
    assert json.loads(as_json.stdout)["bound"][0]["name"] == "schema"


def without_priorities(tmp_path: Path, *words: str, deadline: str = "40ms") -> Result:
    text = TASKS.format(deadline=deadline, working_set="64KiB")
    text = text.replace("priority = 90\n", 'working_set = "64KiB"\n').replace("priority = 50\n", "")
    (tmp_path / "tasks.toml").write_text(text)
    (tmp_path / "costs.json").write_bytes(encode_document(model(*SWITCHES, *GAMMAS)))
    return CliRunner().invoke(
        cli,
        ["bound", str(tmp_path / "tasks.toml"), *words],
        standalone_mode=False,
        catch_exceptions=False,
    )


def test_priorities_are_found_where_the_file_gives_none(tmp_path: Path):
    done = without_priorities(tmp_path, *costs(tmp_path), "--format", "json")
    answer = json.loads(done.stdout)
    assert (answer["verdict"], answer["priorities"]) == ("schedulable", "found")
    assert [one["priority"] for one in answer["tasks"]] == [90, 89]
    # The same bounds as with priorities that are stated; nobody preempts control, so its gamma is
    # not among the costs.
    assert [one["response_time_ns"] for one in answer["tasks"]] == [2_151_000, 16_232_000]
    assert [one["of"] for one in answer["costs"]["entries"] if one["name"] == "gamma"] == ["video"]
    text = without_priorities(tmp_path, *costs(tmp_path)).stdout
    assert "laxity run gives each task the same then" in text


def test_priorities_are_written_once(tmp_path: Path):
    new = tmp_path / "new.toml"
    words = (*costs(tmp_path), "--write-priorities", str(new))
    assert f"priorities written to {new}" in without_priorities(tmp_path, *words).stderr
    text = new.read_text()
    assert text.replace("priority = 90\n", "").replace("priority = 89\n", "") == (
        (tmp_path / "tasks.toml").read_text()
    )
    with pytest.raises(ConfigError, match="exists; remove it or name another file"):
        without_priorities(tmp_path, *words)
    assert new.read_text() == text
    # The new file states them.
    new.rename(tmp_path / "stated.toml")
    words = ("bound", str(tmp_path / "stated.toml"), *costs(tmp_path))
    done = CliRunner().invoke(cli, [*words, "--format", "json"], standalone_mode=False)
    assert json.loads(done.stdout)["priorities"] == "stated"
    with pytest.raises(ConfigError, match="the file gives priorities"):
        CliRunner().invoke(
            cli,
            [*words, "--write-priorities", str(new)],
            standalone_mode=False,
            catch_exceptions=False,
        )


def test_directory_for_priorities_that_is_not_there_is_refused_before_the_answer(tmp_path: Path):
    words = ("--costs", "none", "--write-priorities", str(tmp_path / "none" / "new.toml"))
    with pytest.raises(ConfigError, match=r"--write-priorities .*none is no directory; make it"):
        without_priorities(tmp_path, *words)


def test_priorities_are_not_looked_for_with_a_test_that_depends_on_their_order(tmp_path: Path):
    partition = ("--costs", "none", "--partition", "first-fit", "--cpus", "0-1")
    done = without_priorities(tmp_path, *partition)
    assert "with this test none are looked for: all have the same" in done.stdout
    with pytest.raises(ConfigError, match="no --partition; leave it out"):
        without_priorities(tmp_path, *partition, "--write-priorities", str(tmp_path / "new.toml"))


def test_priorities_that_were_not_found_are_not_written(tmp_path: Path):
    # video needs 12 ms even alone.
    new = tmp_path / "new.toml"
    words = ("--costs", "none", "--write-priorities", str(new))
    done = without_priorities(tmp_path, *words, deadline="11ms")
    assert (done.return_value, new.exists()) == (1, False)
    assert "is not written: no priorities were found" in done.stderr
    assert "with none that differ are all deadlines kept" in done.stdout


def call(*words: str) -> Result:
    return CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)


def test_answer_is_stored_as_a_run_that_others_read(tmp_path: Path):
    run = tmp_path / "run"
    words = (*costs(tmp_path), "--run-dir", str(run))
    done = bound(tmp_path, *words, deadline="16231us")
    assert done.return_value == 4
    answer = json.loads((run / "bound.json").read_text())
    assert (run / "taskset.toml").read_text() == (tmp_path / "tasks.toml").read_text()
    assert (run / "costs.json").read_bytes() == (tmp_path / "costs.json").read_bytes()
    assert done.stdout.endswith(f"{run}\n{run / 'report.html'}\n")
    shown = call("show", str(run))
    assert shown.return_value == 0
    assert "\n\nNot provable: 2 tasks, " in shown.stdout
    assert call("show", "--verify", str(run)).return_value == 0
    assert call("report", str(run)).stdout == f"{run / 'report.html'}\n"
    # What is printed as JSON is what is stored.
    other = ("--run-dir", str(tmp_path / "other"), "--no-report", "--format", "json")
    printed = json.loads(bound(tmp_path, *costs(tmp_path), *other, deadline="16231us").stdout)
    assert printed == answer
    assert not (tmp_path / "other" / "report.html").exists()
    with pytest.raises(ConfigError, match="exists; name another one or remove it"):
        bound(tmp_path, *words)


def test_without_a_place_nothing_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    bound(tmp_path, *costs(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["costs.json", "tasks.toml"]
    bound(tmp_path, *costs(tmp_path), "--run-root", "runs", "--no-report")
    assert [path.name.split("_")[1] for path in Path("runs").iterdir()] == ["bound"]


def test_machine_of_the_costs_is_kept(tmp_path: Path):
    measured = tmp_path / "measured"
    bound(tmp_path, *costs(tmp_path), "--run-dir", str(measured), "--no-report")
    (measured / "machine.json").write_text("{}")
    run = tmp_path / "run"
    bound(tmp_path, "--costs", str(measured), "--run-dir", str(run), "--no-report")
    assert (run / "machine.json").read_text() == "{}"
    assert json.loads((run / "manifest.json").read_text())["parents"] == ["measured", "R"]


def test_sensitivity_is_left_out_where_it_is_not_wanted(tmp_path: Path):
    done = bound(tmp_path, *costs(tmp_path), "--no-sensitivity", "--format", "json")
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["sensitivity"]) == (0, None)
    assert [one["response_time_ns"] for one in answer["tasks"]] == [2_151_000, 16_232_000]
    table = bound(tmp_path, *costs(tmp_path), "--no-sensitivity").stdout
    assert "may be" not in table


@pytest.mark.parametrize(("n_tasks", "is_refused"), [(2000, False), (2001, True)])
def test_more_tasks_than_are_bounded_at_once_are_refused(
    tmp_path: Path, n_tasks: int, is_refused: bool
):
    tasks = tmp_path / "many.toml"
    # Each on a CPU of its own level of no work: what is tested is the number.
    body = "".join(
        f'[[task]]\nname = "t{i}"\nperiod = "1s"\nwcet = "1us"\npriority = {1 + i % 99}\n'
        f'cpus = "{i % 100}"\n'
        for i in range(n_tasks)
    )
    tasks.write_text(f"schema = 1\n{body}")
    words = ["bound", str(tasks), "--costs", "none", "--no-sensitivity", "--format", "json"]
    if is_refused:
        with pytest.raises(ConfigError, match="2001 tasks are more than the 2000"):
            CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
        return
    done = CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
