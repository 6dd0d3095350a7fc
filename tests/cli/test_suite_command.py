# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite` as a user calls it."""

import json
import tomllib
from typing import Any

from tests.cli.laxity_command import Laxity, checkout, vet_once

from laxity.jobs.rows import finished
from laxity.store.run_directory import open_run


def test_discover_tells_programs_and_what_it_could_not_place(laxity: Laxity):
    folder = laxity.directory / "suite" / "half"
    folder.mkdir(parents=True)
    (folder / "half.c").write_text("int half(int n) { return n / 2; }\n")
    (laxity.directory / "suite" / "one.c").write_text("int main(void) { return 0; }\n")
    done = laxity("suite", "discover", "suite", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [one["name"] for one in found["programs"]] == ["suite"]
    assert [one["path"] for one in found["unplaced"]] == ["half"]


def test_a_program_that_was_asked_for_and_is_none_is_told_with_the_reason(laxity: Laxity):
    folder = laxity.directory / "suite" / "half"
    folder.mkdir(parents=True)
    (folder / "half.c").write_text("int half(int n) { return n / 2; }\n")
    (laxity.directory / "suite" / "one.c").write_text("int main(void) { return 0; }\n")
    done = laxity("suite", "discover", "suite", "--only", "half")
    assert done.returncode == 2
    assert '--only: "half" is no program: no entry' in done.stderr
    done = laxity("suite", "discover", "suite", "--only", "sui*", "--format", "json")
    assert [one["name"] for one in json.loads(done.stdout)["programs"]] == ["suite"]


def test_vet_writes_its_verdicts_and_says_by_its_exit_code_that_one_program_is_rejected(
    laxity: Laxity,
):
    root = checkout(laxity, "stale_static", "never_alike", "exits")
    only = ("--only", "stale_static", "--only", "never_alike")
    done = laxity("suite", "vet", root, *only, "--jobs", "3", "--format", "json", "--quiet")
    assert done.returncode == 1, done.stderr
    told = {one["program"]: one for one in json.loads(done.stdout)}
    assert told["stale_static"]["mode"] == "restore"
    assert told["stale_static"]["classes"] == ["stale state"]
    assert told["never_alike"]["mode"] is None
    assert set(told["never_alike"]) == {"program", "classes", "mode", "verdict", "evidence"}
    written = tomllib.loads((laxity.directory / "vetting.toml").read_text())
    assert written["schema"] == 2
    assert [one.get("mode") for one in written["program"]] == [None, "restore"]


def test_vet_of_programs_that_all_have_a_mode_ends_with_0(laxity: Laxity):
    done = laxity("suite", "vet", checkout(laxity, "exits"), "-o", "v.toml", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "exit" in done.stdout
    # Any command clears away what another test's killed recorder left, and says so.
    told = [one for one in done.stderr.splitlines() if "which a killed recorder left" not in one]
    assert told == []


def test_what_sanitizers_find_is_printed_with_file_and_line_and_rejects_nothing(laxity: Laxity):
    words = ("--sanitize", "--jobs", "3", "--quiet")
    done = laxity("suite", "vet", checkout(laxity, "heap_overflow"), *words)
    assert done.returncode == 0, done.stderr
    assert (
        "memory error at heap_overflow/heap_overflow.c:21: heap-buffer-overflow, write of 1 B"
        in done.stdout
    )
    written = tomllib.loads((laxity.directory / "vetting.toml").read_text())["program"][0]
    assert (written["classes"], written["mode"]) == (["memory error"], "none")


def test_vet_never_replaces_verdicts(laxity: Laxity):
    (laxity.directory / "vetting.toml").write_text("mine")
    done = laxity("suite", "vet", checkout(laxity, "exits"))
    assert done.returncode == 2
    assert "vetting.toml: exists" in done.stderr
    assert (laxity.directory / "vetting.toml").read_text() == "mine"


def test_an_unknown_program_is_answered_with_the_one_that_may_be_meant(laxity: Laxity):
    done = laxity("suite", "vet", checkout(laxity, "stale_static"), "--only", "stale_statik")
    assert done.returncode == 2
    assert 'did you mean "stale_static"?' in done.stderr


def test_a_checkout_that_is_not_there_is_a_mistake_of_the_user(laxity: Laxity):
    done = laxity("suite", "discover", "nowhere")
    assert done.returncode == 2
    assert "nowhere: no such directory" in done.stderr


def vetted(laxity: Laxity, *names: str) -> None:
    """Vet some mini-programs into vetting.toml."""
    checkout(laxity, *names)
    done = vet_once(laxity)
    assert done.returncode in {0, 1}, done.stderr


def run(laxity: Laxity, *names: str) -> "tuple[int, dict[str, Any], str]":
    """Run some vetted mini-programs; give exit code, answer, messages."""
    root = checkout(laxity, *names)
    words = ("--run-dir", "R", "--format", "json", "-p", "5ms", "-t", "6", "--policy", "other")
    done = laxity("suite", "run", root, *words, "--no-report", "--quiet")
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def test_a_vetted_program_runs_in_its_mode_and_every_job_is_right(laxity: Laxity):
    vetted(laxity, "stale_static")
    code, answer, messages = run(laxity, "stale_static")
    assert code == 0, messages
    row = answer["runs"][0]
    assert (row["mode"], row["finished"], row["right"]) == ("restore", 6, 6)
    task = open_run(laxity.directory / "R" / "runs" / "stale_static").manifest.tasks[0]
    assert task.isolating is not None
    assert task.isolating.n == 6
    assert 0 < task.isolating.mean_ns <= task.isolating.max_ns


def test_a_wrong_mode_shows_in_every_job_but_the_first(laxity: Laxity):
    vetted(laxity, "stale_static")
    path = laxity.directory / "vetting.toml"
    path.write_text(path.read_text().replace('mode = "restore"', 'mode = "none"'))
    code, answer, _ = run(laxity, "stale_static")
    assert code == 1
    assert (answer["runs"][0]["finished"], answer["runs"][0]["right"]) == (6, 1)
    # A busy machine may skip releases; those are no jobs.
    jobs = finished(open_run(laxity.directory / "R" / "runs" / "stale_static").stream("jobs"))
    assert jobs["right"].tolist() == [1, 0, 0, 0, 0, 0]


def test_each_job_finds_a_working_directory_without_what_the_one_before_has_written(laxity: Laxity):
    vetted(laxity, "appends_file")
    before = sorted(laxity.directory.rglob("*"))
    code, answer, messages = run(laxity, "appends_file")
    assert code == 0, messages
    assert (answer["runs"][0]["mode"], answer["runs"][0]["right"]) == ("restore", 6)
    after = {path for path in laxity.directory.rglob("*") if "R" not in path.parts}
    assert after <= set(before)


def test_regions_of_interest_are_columns_beside_the_times_of_the_whole_job(laxity: Laxity):
    vetted(laxity, "regions_of_interest")
    code, _, messages = run(laxity, "regions_of_interest")
    assert code == 0, messages
    jobs = finished(
        open_run(laxity.directory / "R" / "runs" / "regions_of_interest").stream("jobs")
    )
    assert jobs["roi_count"].tolist() == [2] * 6
    assert (jobs["roi_ns"] <= jobs["finish_ns"] - jobs["start_ns"]).all()


def test_a_run_without_regions_of_interest_has_no_column_of_them(laxity: Laxity):
    vetted(laxity, "exits")
    assert run(laxity, "exits")[0] == 0
    names = open_run(laxity.directory / "R" / "runs" / "exits").stream("jobs").dtype.names
    assert names is not None
    assert not [name for name in names if name.startswith("roi")]


def test_what_may_not_run_is_left_out_with_the_reason(laxity: Laxity):
    vetted(laxity, "never_alike")
    code, answer, _ = run(laxity, "never_alike", "exits")
    assert code == 4
    assert not answer["runs"]
    reasons = {one["program"]: one["reason"] for one in answer["left_out"]}
    assert reasons["exits"] == "not vetted"
    assert "rejected" in reasons["never_alike"]


def test_each_job_of_mode_fork_is_a_process_of_its_own(laxity: Laxity):
    vetted(laxity, "libc_state")
    code, answer, messages = run(laxity, "libc_state")
    assert code == 0, messages
    row = answer["runs"][0]
    assert (row["mode"], row["finished"], row["right"]) == ("fork", 6, 6)
    stored = open_run(laxity.directory / "R" / "runs" / "libc_state")
    assert len(set(finished(stored.stream("jobs"))["tid"].tolist())) == 6
    isolating = stored.manifest.tasks[0].isolating
    assert isolating is not None
    assert isolating.n == 6


def test_sources_that_have_changed_since_are_not_run(laxity: Laxity):
    vetted(laxity, "exits")
    path = laxity.directory / "vetting.toml"
    hashed = tomllib.loads(path.read_text())["program"][0]["sources_sha256"]
    path.write_text(path.read_text().replace(hashed, "0" * 64))
    code, _, messages = run(laxity, "exits")
    assert code == 2
    assert "its sources have changed since it was vetted" in messages


def test_an_option_that_each_program_has_of_its_own_is_refused(laxity: Laxity):
    vetted(laxity, "exits")
    done = laxity("suite", "run", checkout(laxity, "exits"), "--run-dir", "R", "-b", "words")
    assert done.returncode == 2
    assert "-b" in done.stderr


def test_programs_that_were_vetted_in_a_static_link_run_so(laxity: Laxity):
    root = checkout(laxity, "stale_static", "thread_local_state", "thread_left")
    laxity("suite", "vet", root, "--jobs", "3", "--link", "static", "--quiet")
    assert tomllib.loads((laxity.directory / "vetting.toml").read_text())["link"] == "static"
    options = ("-p", "20ms", "-t", "4", "--policy", "other", "--format", "json")
    done = laxity("suite", "run", root, "--run-dir", "R", *options)
    assert done.returncode == 0, done.stderr
    for name in ("stale_static", "thread_local_state", "thread_left"):
        paths = [path for path in (laxity.directory / "R").rglob(name) if path.is_dir()]
        jobs = finished(open_run(paths[0]).stream("jobs"))
        assert list(jobs["right"]) == [1, 1, 1, 1]


def test_programs_that_were_vetted_for_another_machine_are_not_run_here(laxity: Laxity):
    vetted(laxity, "exits")
    path = laxity.directory / "vetting.toml"
    path.write_text('target = "armhf"\n' + path.read_text().replace('target = "native"\n', ""))
    done = laxity("suite", "run", "suite", "--run-dir", "R", "-p", "20ms", "-t", "1")
    assert done.returncode == 2
    assert "is of programs for armhf" in done.stderr
