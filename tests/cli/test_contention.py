# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity contention profile` and `evaluate` as users type them."""

import json
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import Outcome, finish, laxity, start
from tests.cli.laxity_command import of_simulator
from tests.contention.test_table import cold_only, write_signed
from tests.waiting import wait_until

from laxity.contention.table import RATE_ONE, read_table
from laxity.core.percent import format_percent, percent
from laxity.core.units import format_duration_ns

PLATFORM = "sim:sabrelite-partitioned"
PROGRAM = "edges sqcif"

pytestmark = pytest.mark.skipif(
    not of_simulator("laxity-sim").exists(), reason="simulated platforms are not built"
)


PROFILE = (
    *("contention", "profile", PROGRAM, "--platform", PLATFORM, "--load-cpus", "1-3"),
    *("--reads", "0,10", "--delays", "0,200", "--preemptions", "3", "--pauses", "80000/300"),
    *("--quiet", "-o"),
)


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    path = tmp_path_factory.mktemp("profiled") / "edges.json"
    return path, laxity(*PROFILE, path)


def document_of(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text())
    return document


def rows_of(done: Outcome) -> list[dict[str, Any]]:
    """Return the rows of the loads of an evaluation with one policy."""
    (evaluation,) = json.loads(done.out)["evaluations"]
    rows: list[dict[str, Any]] = evaluation["loads"]["rows"]
    return rows


def evaluate(path: Path, *words: str | Path) -> Outcome:
    loads = ("--reads", "3", "--delays", "30", "--pauses", "none")
    return laxity("contention", "evaluate", path, *loads, *words)


def test_profile_says_the_largest_overhead_and_writes_a_table(profiled: tuple[Path, Outcome]):
    path, done = profiled
    assert done.code == 0, done.err
    loads = document_of(path)["loads"]
    # Loads on CPU 1, on 1 and 2, on all three, with 2 x 2 reads and delays each, and 2 that pause.
    assert len(loads) == 12 + 3 * 2
    assert [load["pause"] for load in loads] == [0] * 12 + [80_000] * 6
    # For about half of the time such a load does nothing.
    whole, paused = (
        next(load for load in loads if load["cpus"] == [1, 2, 3] and load["pause"] == pause)
        for pause in (0, 80_000)
    )
    assert 0.2 < paused["overhead_ppm"] / whole["overhead_ppm"] < 0.8
    worst = max(loads, key=lambda load: load["overhead_ppm"])
    assert (worst["cpus"], worst["reads"]) == ([1, 2, 3], 0)
    first = done.out.splitlines()[0]
    assert f"up to {percent(worst['overhead_ppm'])} longer" in first
    assert done.out.splitlines()[-1] == str(path)


def test_job_is_charged_more_than_with_any_load_and_less_than_its_dearest_window(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    path, done = profiled
    document = document_of(path)
    worst_ppm = max(load["overhead_ppm"] for load in document["loads"])
    assert document["contended_ns"] >= document["solo_ns"] * (1 + worst_ppm / 1e6) - 1
    assert document["shared_contended_ns"] >= document["contended_ns"]
    (line,) = [line for line in done.out.splitlines() if line.startswith("If each 10 µs")]
    assert format_duration_ns(document["contended_ns"]) in line
    tasks, _ = advised(tmp_path, path, 0.12)
    tasks.write_text(tasks.read_text().partition("[regulate]")[0])
    bound = laxity("bound", tasks, "--costs", "none", "--format", "json")
    (charge,) = json.loads(bound.out)["contention"]
    dearest = max(phase["loss"][-1] for phase in document["phases"]) / RATE_ONE
    assert worst_ppm < charge["overhead_ppm"] < 2 * worst_ppm < 1e6 * dearest / (1 - dearest)


def test_preempted_job_loads_most_with_a_load(profiled: tuple[Path, Outcome]):
    path, done = profiled
    document = document_of(path)
    found = document["preempted"]
    # Twice the 4 of 16 ways of 1 MiB that CPU 0 has.
    assert (found["kind"], found["program"]) == ("observed", ["mem", "524288B"])
    assert (found["n_alone"], found["n_loaded"]) == (3, 3)
    assert 0 < found["alone_ns"] < found["loaded_ns"]
    load = found["load"]
    assert (load["cpus"], load["reads"], load["delay"], load["pause"]) == ([1, 2, 3], 0, 0, 0)
    # Dirty lines are written back before their place is free.
    assert document["solo_ns"] < found["dirty_ns"] < 1.1 * document["solo_ns"]
    (line,) = [line for line in done.out.splitlines() if line.startswith("One preemption by mem")]
    assert "(observed, n = 3 and 3)" in line
    assert any(phase["shared_loss"][-1] > phase["loss"][-1] for phase in document["phases"])


def test_promise_is_kept_with_loads_that_pause(profiled: tuple[Path, Outcome]):
    words = ("--theta", "20%", "--format", "json", "--pauses", "16000/60,240000/900")
    done = evaluate(profiled[0], *words)
    assert done.code == 0, done.err
    cells = rows_of(done)
    assert [cell["pauses"] for cell in cells] == [None] * 3 + ["16000/60", "240000/900"] * 3
    assert 0 < max(cell["regulated_ppm"] for cell in cells[3:]) <= 200_000
    assert all(cell["parallelism_ppm"] > 0 for cell in cells)


def test_stop_costs_no_more_than_full_queues_where_the_last_level_is_partitioned(
    profiled: tuple[Path, Outcome],
):
    path, done = profiled
    document = document_of(path)
    found = document["stopped"]
    assert (found["kind"], found["n"], found["is_level_shared"]) == ("observed", 3, False)
    assert found["queue_ns"] == document["reload_ns"] == 2_305
    # The instant of the stop lies between two samples.
    assert found["reload_ns"] < found["queue_ns"] + 1_000
    of_stops = "(observed, n = 3, to 2 µs, the distance of samples); full queues of the"
    assert any(of_stops in line for line in done.out.splitlines())
    assert all(phase["cold_ns"] == 0 for phase in document["phases"])


def test_promise_is_kept_where_loads_evict_lines_of_the_job(tmp_path: Path):
    path = tmp_path / "shared.json"
    words = ("--platform", "sim:sabrelite", "--reads", "0", "--delays", "0", "--quiet")
    more = ("--preemptions", "2", "--pauses", "80000/300", "-o", path)
    done = laxity("contention", "profile", PROGRAM, *words, *more)
    assert done.code == 0, done.err
    assert "so that the promise rests on the observed value" in done.out
    document = document_of(path)
    found = document["stopped"]
    assert found["is_level_shared"]
    assert document["reload_ns"] == max(2_305, -(-found["reload_ns"] * 21 // 20))
    assert all(phase["cold_ns"] > 0 for phase in document["phases"][1:])
    done = evaluate(path, "--theta", "20%", "--pauses", "240000/900", "--format", "json")
    assert done.code == 0, done.out
    cells = rows_of(done)
    assert len(cells) == 6
    assert max(cell["overhead_ppm"] for cell in cells) > 200_000
    assert 0 < max(cell["regulated_ppm"] for cell in cells) <= 200_000
    assert all(cell["parallelism_ppm"] > 0 for cell in cells)


def test_program_that_preempts_is_chosen_and_left_out(tmp_path: Path):
    words = ("--platform", PLATFORM, "--load-cpus", "1", "--reads", "0", "--delays", "0", "--quiet")
    for name, preempt in (("some", "crc32 small"), ("none", "none")):
        path = tmp_path / name
        more = ("--pauses", "none", "--preempt", preempt, "--preemptions", "2", "-o", path)
        assert laxity("contention", "profile", PROGRAM, *words, *more).code == 0
    found = document_of(tmp_path / "some")["preempted"]
    assert (found["program"], found["n_alone"]) == (["crc32", "small"], 2)
    document = document_of(tmp_path / "none")
    assert document["preempted"] is None
    assert all(phase["shared_loss"] == [] for phase in document["phases"])


def test_file_that_exists_is_refused_before_anything_is_simulated(profiled: tuple[Path, Outcome]):
    path, _ = profiled
    done = laxity("contention", "profile", PROGRAM, "--platform", "sim:sabrelite", "-o", path)
    assert done.code == 2
    assert f"-o {path}: exists; remove it or name another file" in done.err


def test_interrupted_profile_goes_on_where_it_was(profiled: tuple[Path, Outcome], tmp_path: Path):
    path, parts = tmp_path / "edges.json", tmp_path / "edges.json.parts"
    process = start(*PROFILE, path)
    wait_until(lambda: len(list(parts.glob("*/jobs.npy"))) > 1, "two finished simulations")
    process.send_signal(signal.SIGINT)
    done = finish(process)
    kept = {file: file.stat().st_mtime_ns for file in parts.glob("*/jobs.npy")}
    assert done.code == 130, done.err
    assert f"{len(kept)} simulations are kept in {parts}; start the same command again" in done.err
    assert not path.exists()
    again = start(*PROFILE, path)
    wait_until(lambda: len(list(parts.glob("*/jobs.npy"))) > len(kept), "one more simulation")
    assert all(file.stat().st_mtime_ns == at_ns for file, at_ns in kept.items())
    assert finish(again).code == 0
    assert path.read_bytes() == profiled[0].read_bytes()
    assert not parts.exists()


def test_phases_begin_at_marks_of_the_program(profiled: tuple[Path, Outcome]):
    """Five loops have four phases of 24 rows each, then comes the digest."""
    document = document_of(profiled[0])
    assert f"The table has {len(document['phases'])} phases" in profiled[1].out
    first, *others = document["phases"]
    assert (first["checkpoint"], first["begins_ns"]) == (None, 0)
    assert [list(last.values()) for last in document["last_passages"]] == [
        *([mark, 4] for mark in range(1, 6)),
        [6, 1],
    ]
    begins_ns = [phase["begins_ns"] for phase in document["phases"]]
    assert all(after - before >= 50_000 for before, after in pairwise(begins_ns))
    assert {phase["checkpoint"]["mark"] for phase in others} >= {1, 2, 3, 4, 5}


def test_passage_that_the_table_does_not_have_is_outside_the_profile(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    document = document_of(profiled[0])
    document["phases"] = [p for p in document["phases"] if (p["checkpoint"] or {}).get("mark") != 5]
    document["last_passages"] = [last for last in document["last_passages"] if last["mark"] != 5]
    path = tmp_path / "unknown.json"
    write_signed(path, document)
    done = evaluate(path, "--theta", "20%")
    assert done.code == 4, done.out
    assert "a job passed mark 5 for the 1. time, which the table does not have" in done.out


def test_promise_is_kept_with_loads_that_were_not_profiled(profiled: tuple[Path, Outcome]):
    path, _ = profiled
    done = evaluate(path, "--theta", "20%", "--format", "json")
    assert done.code == 0, done.err
    cells = rows_of(done)
    assert [cell["cpus"] for cell in cells] == [[1], [1, 2], [1, 2, 3]]
    assert max(cell["overhead_ppm"] for cell in cells) > 200_000
    assert max(cell["regulated_ppm"] for cell in cells) <= 200_000
    assert 0 < max(cell["replayed_ppm"] for cell in cells) <= 200_000
    # A replay leaves out what stops and resumes cost.
    assert max(abs(cell["difference_ppm"]) for cell in cells) < 20_000
    # A regulator that allows nothing, or all, would keep no promise or be of no use.
    assert 0 < cells[2]["parallelism_ppm"] < 1_000_000
    assert sum(cell["stops"] for cell in cells) > 0


def test_each_figure_for_programs_has_unit_kind_and_n(profiled: tuple[Path, Outcome]):
    done = evaluate(profiled[0], "--theta", "20%", "--thetas", "20%", "--format", "json")
    (answer,) = json.loads(done.out)["evaluations"]
    figures = answer["figures"] + answer["loads"]["columns"]
    # What tells loads apart was chosen, and a remark is no figure.
    chosen = {"cpus", "reads", "delays", "pauses", "remark"}
    for figure in figures:
        has_kind = figure["name"] not in chosen
        assert bool(figure["kind"] and figure["n"] and figure["unit"]) == has_kind, figure
    values = {figure["name"]: (figure["value"], figure["n"]) for figure in answer["figures"]}
    rows = answer["loads"]["rows"]
    # Three loads, one simulated job with each and 35 replayed ones.
    assert values["largest_regulated_ppm"] == (max(row["regulated_ppm"] for row in rows), 3)
    assert values["largest_replayed_ppm"] == (max(row["replayed_ppm"] for row in rows), 105)


def test_csv_has_a_row_for_each_load(profiled: tuple[Path, Outcome]):
    lines = evaluate(profiled[0], "--theta", "20%", "--format", "csv").out.splitlines()
    head, *rows = [line.split(",") for line in lines]
    assert head[:6] == ["policy", "theta_ppm", "cpus", "reads", "delays", "pauses"]
    assert [row[:6] for row in rows] == [
        ["sound", "200000", cpus, "3", "30", ""] for cpus in ("1", "1 2", "1 2 3")
    ]


def test_policies_are_tried_with_the_same_loads_and_stored_side_by_side(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    words = ("--theta", "20%", "--policy", "sound,suspend", "--thetas", "1%,20%,30%")
    done = evaluate(profiled[0], *words, "--run-dir", tmp_path / "D", "--format", "json")
    assert done.code == 0, done.err
    answer = json.loads(done.out)["contention"]
    sound, suspend = answer["evaluations"]
    assert [sound["policy"], suspend["policy"]] == ["sound", "suspend"]
    unregulated = [
        [(row["cpus"], row["overhead_ppm"]) for row in tried["loads"]["rows"]]
        for tried in (sound, suspend)
    ]
    assert unregulated[0] == unregulated[1]
    by_theta = {(row[0]["value"], row[1]["value"]): row[3]["value"] for row in answer["by_theta"]}
    # 1 % of 1.5 ms does not last for a permission of policy sound.
    assert set(by_theta) == {
        *(("sound", ppm) for ppm in (200_000, 300_000)),
        *((policy, ppm) for policy in ("suspend", "optimum") for ppm in (10_000, 200_000, 300_000)),
    }
    assert by_theta["sound", 200_000] <= by_theta["sound", 300_000]
    assert by_theta["suspend", 300_000] < by_theta["sound", 300_000]
    assert by_theta["sound", 300_000] <= by_theta["optimum", 300_000]
    page = (tmp_path / "D/report.html").read_text()
    assert "limit kept" in page
    shown = laxity("show", tmp_path / "D")
    assert "sound " in shown.out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--policy", "sound,best"), "--policy sound,best: use names of sound, suspend, paper"),
        (("--thetas", "5"), '--thetas: "5" is no percentage'),
        (("--format", "csv", "--run-dir", "D"), "--format csv: a stored run is printed as table"),
    ],
)
def test_evaluation_that_cannot_be_is_refused(
    profiled: tuple[Path, Outcome], words: tuple[str, ...], reason: str
):
    done = evaluate(profiled[0], *words)
    assert (done.code, reason in done.err) == (2, True), done.err


@pytest.mark.parametrize("policy", ["suspend", "paper", "budget"])
def test_policies_of_others_are_judged_by_the_same_limit(
    profiled: tuple[Path, Outcome], policy: str
):
    done = evaluate(profiled[0], "--theta", "20%", "--policy", policy, "--format", "json")
    (answer,) = json.loads(done.out)["evaluations"]
    cells = answer["loads"]["rows"]
    assert answer["policy"] == policy
    lost = [max(cell["regulated_ppm"], cell["replayed_ppm"]) for cell in cells]
    assert done.code == (1 if max(lost) > 200_000 else 0)
    # With a load on one CPU this job loses less than 20 %, so that all may be allowed.
    assert cells[0]["optimum_ppm"] == 1_000_000
    kept = [cell for cell in cells if cell["regulated_ppm"] <= 200_000]
    assert all(cell["parallelism_ppm"] <= cell["optimum_ppm"] for cell in kept)
    assert all(cell["parallelism_ppm"] > 0 for cell in cells) or policy == "suspend"
    if policy == "suspend":
        assert max(cell["parallelism_ppm"] for cell in cells) < 50_000


def test_table_that_understates_the_loss_breaks_the_promise(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    document = document_of(profiled[0])
    # With checkpoints the regulator would notice in time: one phase, which knows all marks.
    first = document["phases"][0]
    document["phases"] = [first | {"loss": [rate // 20 for rate in first["loss"]]}]
    path = tmp_path / "low.json"
    write_signed(path, document)
    done = evaluate(path, "--theta", "10%")
    # The job itself shows it: it takes longer than its profile and its charges allow.
    assert done.code == 4, done.out
    assert "1 of 1 jobs ran longer than profiled" in done.out
    first, *others = done.out.splitlines()
    assert "has no verdict: with 2 of 3 loads a job was outside its profile" in first
    assert "it was broken with" in first
    assert sum(line.startswith("load CPUs 1,2") and "ran longer" in line for line in others) == 2


def test_replayed_jobs_outside_their_profile_leave_no_verdict(tmp_path: Path):
    """A profile of small loads, tried with a large one: the simulated job is lucky."""
    path = tmp_path / "light.json"
    light = ("--load-cpus", "1-3", "--reads", "10", "--delays", "200,1000", "--quiet")
    more = ("--preempt", "none", "--pauses", "none")
    done = laxity(
        "contention", "profile", PROGRAM, "--platform", PLATFORM, "-o", path, *light, *more
    )
    assert done.code == 0, done.err
    heavy = ("--theta", "2%", "--reads", "2", "--delays", "50", "--pauses", "none")
    done = laxity("contention", "evaluate", path, *heavy, "--format", "json", "--quiet")
    assert done.code == 4, done.out
    # With three CPUs.
    *_, lucky = rows_of(done)
    assert lucky["regulated_ppm"] < 20_000
    assert "of 35 replayed jobs ran longer" in lucky["remark"]


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("platform_sha256", "0" * 64, "has changed since the profile; profile again"),
        ("version", "0.0.0", "the table is of laxity 0.0.0"),
        ("reload_ns", 0, "full queues of sim:sabrelite-partitioned take 2305 ns; profile again"),
        ("solo_ns", 2_000_000, "the program has changed: profile again"),
        ("args", ["qcif"], "the program has changed: profile again"),
    ],
)
def test_table_of_something_else_is_refused(
    profiled: tuple[Path, Outcome], tmp_path: Path, key: str, value: object, reason: str
):
    path = tmp_path / "other.json"
    write_signed(path, cold_only(document_of(profiled[0])) | {key: value})
    done = evaluate(path, "--theta", "20%")
    assert (done.code, reason in done.err) == (2, True), done.err


def test_table_that_was_changed_by_hand_is_refused(profiled: tuple[Path, Outcome], tmp_path: Path):
    path = tmp_path / "lowered.json"
    document = document_of(profiled[0])
    document["phases"][0]["loss"] = [rate // 20 for rate in document["phases"][0]["loss"]]
    path.write_text(json.dumps(document))
    done = evaluate(path)
    assert (done.code, f"{path}: the contention table has changed" in done.err) == (2, True)


@pytest.mark.slow
def test_adaptive_delays_lie_where_the_overhead_bends(tmp_path: Path):
    path = tmp_path / "adaptive.json"
    words = ("--load-cpus", "1", "--reads", "0", "--delays", "adaptive", "--quiet")
    more = ("--preempt", "none", "--pauses", "none")
    done = laxity(
        "contention", "profile", PROGRAM, "--platform", PLATFORM, "-o", path, *words, *more
    )
    assert done.code == 0, done.err
    overheads = {load["delay"]: load["overhead_ppm"] for load in document_of(path)["loads"]}
    assert {0, 4000, 8000} <= set(overheads)
    # A load that writes without delay costs most, with thousands of turns next to nothing.
    assert sum(delay < 1000 for delay in overheads) > sum(delay >= 1000 for delay in overheads)
    assert overheads[0] > 10 * overheads[4000]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--platform", "board"), 'platform "board" is unknown; use native or sim:NAME'),
        (("--platform", "native", "--reads", "0"), "--reads: is of simulated platforms; leave it"),
        (("--platform", PLATFORM, "-t", "5"), "--jobs: is of this machine; leave it out"),
        (
            ("--platform", "sim:sabrelite", "--preempt", "none"),
            "leave out --preempt none, partition",
        ),
        (("--platform", PLATFORM, "--cpu", "4"), "--cpu 4: the platform has CPUs 0-3"),
        (("--platform", PLATFORM, "--load-cpus", "0-1"), "other than 0, that of the job"),
        (("--platform", PLATFORM, "--reads", "11"), "--reads 11: use numbers from 0 to 10"),
        (("--platform", PLATFORM, "--delays", "-1"), "--delays -1: use numbers"),
        (("--platform", PLATFORM, "--pauses", "8000"), "--pauses 8000: use ITERATIONS/GROUPS"),
        (("--platform", PLATFORM, "--pauses", "8000/0"), "--pauses 8000/0: use ITERATIONS/GROUPS"),
        (("--platform", PLATFORM, "--preempt", ""), "--preempt is empty; name a workload, or none"),
    ],
)
def test_profile_that_cannot_be_is_refused(tmp_path: Path, words: tuple[str, ...], reason: str):
    path = tmp_path / "table.json"
    done = laxity("contention", "profile", PROGRAM, "-o", path, *words)
    assert (done.code, reason in done.err) == (2, True), done.err
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_table_is_refused(tmp_path: Path):
    path = tmp_path / "table.json"
    path.write_text("{}")
    done = evaluate(path)
    assert (done.code, f"{path}: no contention table" in done.err) == (2, True), done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", ["dijkstra large", "mser sqcif", "crc32 large", "corners sqcif", "sha large"]
)
def test_promise_is_kept_in_every_cell_of_the_whole_grid(program: str, tmp_path: Path):
    path = tmp_path / "table.json"
    words = ("--platform", PLATFORM, "-o", path, "--quiet", "--preempt", "none")
    assert laxity("contention", "profile", program, *words).code == 0
    done = laxity("contention", "evaluate", path, "--quiet", "--format", "json")
    assert done.code == 0, done.out
    cells = rows_of(done)
    # 45, and 12 that pause by themselves.
    assert len(cells) == 57
    # Short phases have few windows: of edges 3 of 225,963 lie above the table (10 µs each).
    above = sum(cell["windows_above"] for cell in cells)
    assert above * 50_000 <= sum(cell["windows"] for cell in cells)
    table, _ = read_table(path)
    lost_ns = table.lost_ns(table.solo_ns, is_shared=False)
    assert max(cell["overhead_ppm"] for cell in cells) * table.solo_ns <= 1e6 * lost_ns


def advised(folder: Path, table: Path, spare: float) -> tuple[Path, int]:
    """Write a task set with a deadline after a cold job and some more; C is that of the profile."""
    solo_ns: int = document_of(table)["solo_ns"]
    path = folder / "tasks.toml"
    path.write_text(
        f'schema = 1\n[run]\nplatform = "{PLATFORM}"\njobs = 3\n[[task]]\nname = "edges"\n'
        f'workload = "edges"\nargs = ["sqcif"]\nperiod = "20ms"\ncpus = "0"\n'
        f'deadline = "{int(solo_ns * (1 + spare))}ns"\nwcet = "{solo_ns}ns"\n'
        f'contention = "{table}"\n[[interfere]]\nworkload = "load"\n'
        'args = ["4MiB", "0", "0"]\ncpus = "1-3"\n[regulate]\ntheta = "10%"\n'
    )
    return path, solo_ns


def test_advice_is_the_largest_theta_that_keeps_the_deadline(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    """Of C (1 + 5 %), C (1 + 10 %) and C (1 + 20 %) two are before a deadline at C (1 + 12 %)."""
    path, solo_ns = advised(tmp_path, profiled[0], 0.12)
    words = ("--costs", "none", "--theta", "5%,20%,10%")
    done = laxity("contention", "advise", path, *words, "--format", "json", "--quiet")
    assert done.code == 0, done.err
    advice = json.loads(done.out)
    limits = advice["limits"]
    assert [limit["verdict"] for limit in limits] == ["schedulable", "not_provable", "schedulable"]
    added_ns = [-(-solo_ns * percent // 100) for percent in (5, 20, 10)]
    assert [limit["response_ns"] for limit in limits] == [solo_ns + ns for ns in added_ns]
    assert (advice["chosen"], advice["n"]) == (2, 20)
    observed, unproven = limits[2]["not_accounted"]
    assert observed == "all costs of the platform: --costs none"
    assert unproven.startswith("co-runners that cost edges more at the same traffic than load on")
    for load in advice["loads"]:
        assert load["is_free"] == (load["load"]["overhead_ppm"] * 1.05 <= 100_000)
        small, large, middle = load["parallelism_ppm"]
        assert small <= middle <= large
    # Loads that compute for most of their time lose the job next to nothing.
    assert max(load["parallelism_ppm"][2] for load in advice["loads"]) > 990_000


def test_advice_says_what_the_partition_gains(profiled: tuple[Path, Outcome], tmp_path: Path):
    path, solo_ns = advised(tmp_path, profiled[0], 0.12)
    words = ("contention", "advise", path, "--costs", "none", "--theta", "10%", "--quiet")
    advice = json.loads(laxity(*words, "--format", "json").out)
    worst = max(advice["loads"], key=lambda load: load["load"]["overhead_ppm"])["load"]
    partition = advice["partition"]
    assert (partition["ways"], partition["cpu"]) == ([], 0)
    assert partition["load"]["cpus"] == worst["cpus"]
    # With four times the ways a job alone is no longer, but loads evict its lines.
    assert partition["solo_ns"] <= solo_ns
    assert partition["overhead_ppm"] > worst["overhead_ppm"]
    said = laxity(*words).out
    assert f"level the costliest load makes a job {percent(partition['overhead_ppm'])}" in said
    assert f"here {percent(worst['overhead_ppm'])} longer" in said


def test_what_advice_allows_keeps_all_deadlines(profiled: tuple[Path, Outcome], tmp_path: Path):
    path, _ = advised(tmp_path, profiled[0], 0.12)
    words = ("--max-misses", "0", "--no-report", "--run-dir")
    done = laxity("run", path, *words, tmp_path / "regulated")
    assert done.code == 0, done.err
    path.write_text(path.read_text().partition("[regulate]")[0])
    assert laxity("run", path, *words, tmp_path / "free").code == 1


def test_advice_without_a_schedulable_theta_says_what_is_too_late(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    path, _ = advised(tmp_path, profiled[0], 0.04)
    done = laxity("contention", "advise", path, "--costs", "none", "--theta", "5%", "--quiet")
    assert done.code == 1, done.err
    assert done.out.startswith("Best-effort work must stand still during jobs of edges")


def test_advice_needs_a_table(tmp_path: Path, profiled: tuple[Path, Outcome]):
    path, _ = advised(tmp_path, profiled[0], 0.1)
    text = "".join(
        f"{line}\n" for line in path.read_text().splitlines() if not line.startswith("contention")
    )
    path.write_text(text.partition("[regulate]")[0])
    done = laxity("contention", "advise", path, "--costs", "none")
    assert done.code == 2
    assert 'add contention = "TABLE.json" to a task' in done.err


def test_advice_names_the_theta_that_a_permission_needs(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    """A run with a smaller theta is refused, though all deadlines would be kept with it."""
    path, _ = advised(tmp_path, profiled[0], 0.12)
    words = ("contention", "advise", path, "--costs", "none", "--quiet", "--theta")
    done = laxity(*words, "1%,5%", "--format", "json")
    advice = json.loads(done.out)
    assert done.code == 0, done.err
    assert advice["chosen"] == 1
    assert [limit["verdict"] for limit in advice["limits"]] == ["theta_too_small", "schedulable"]
    assert all(load["parallelism_ppm"][0] is None for load in advice["loads"])
    done = laxity(*words, "1%")
    least = format_percent(advice["least_theta_ppm"])
    assert (done.code, f"Try --theta {least} or more" in done.out) == (1, True), done.out


def test_advice_needs_what_a_regulated_run_needs(profiled: tuple[Path, Outcome], tmp_path: Path):
    table = tmp_path / "edges.json"
    write_signed(table, document_of(profiled[0]) | {"preempted": None})
    path, _ = advised(tmp_path, table, 0.12)
    other = (
        '[[task]]\nname = "other"\nworkload = "sha"\nargs = ["small"]\nperiod = "5ms"\n'
        'priority = 90\ncpus = "0"\nwcet = "400us"\n'
    )
    path.write_text(
        path.read_text().replace("[[interfere]]", f"{other}[[interfere]]") + 'task = "edges"\n'
    )
    words = ("--costs", "none", "--quiet")
    advice = laxity("contention", "advise", path, *words)
    run = laxity("run", path, "--no-report", "--run-dir", tmp_path / "run")
    for done in (advice, run):
        assert done.code == 2, done.out
        assert 'task "edges": may be preempted by other' in done.err


def test_advice_on_a_program_that_has_changed_is_refused(
    profiled: tuple[Path, Outcome], tmp_path: Path
):
    document = document_of(profiled[0])
    # The job took less time when it was profiled.
    document["solo_ns"] -= 1000
    table = tmp_path / "edges.json"
    write_signed(table, document)
    path, _ = advised(tmp_path, table, 0.12)
    done = laxity("contention", "advise", path, "--costs", "none", "--theta", "10%", "--quiet")
    assert (done.code, "the program has changed: profile again" in done.err) == (2, True), done.err
