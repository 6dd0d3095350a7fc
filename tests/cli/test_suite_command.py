# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite` as a user calls it."""

import json
import tomllib

from tests.cli.laxity_command import ROOT, Laxity

PROGRAMS = str(ROOT / "tests" / "suites" / "programs")


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


def test_vet_writes_its_verdicts_and_says_by_its_exit_code_that_one_program_is_rejected(
    laxity: Laxity,
):
    only = ("--only", "stale_static", "--only", "never_alike")
    done = laxity("suite", "vet", PROGRAMS, *only, "--jobs", "3", "--format", "json", "--quiet")
    assert done.returncode == 1, done.stderr
    told = {one["program"]: one for one in json.loads(done.stdout)}
    assert told["stale_static"]["mode"] == "restore"
    assert told["stale_static"]["classes"] == ["stale state"]
    assert told["never_alike"]["mode"] is None
    assert set(told["never_alike"]) == {"program", "classes", "mode", "verdict", "evidence"}
    written = tomllib.loads((laxity.directory / "vetting.toml").read_text())
    assert written["schema"] == 1
    assert [one.get("mode") for one in written["program"]] == [None, "restore"]


def test_vet_of_programs_that_all_have_a_mode_ends_with_0(laxity: Laxity):
    done = laxity("suite", "vet", PROGRAMS, "--only", "exits", "-o", "v.toml", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "exit" in done.stdout
    assert not done.stderr


def test_vet_never_replaces_verdicts(laxity: Laxity):
    (laxity.directory / "vetting.toml").write_text("mine")
    done = laxity("suite", "vet", PROGRAMS)
    assert done.returncode == 2
    assert "vetting.toml: exists" in done.stderr
    assert (laxity.directory / "vetting.toml").read_text() == "mine"


def test_an_unknown_program_is_answered_with_the_one_that_may_be_meant(laxity: Laxity):
    done = laxity("suite", "vet", PROGRAMS, "--only", "stale_statik")
    assert done.returncode == 2
    assert 'did you mean "stale_static"?' in done.stderr


def test_a_checkout_that_is_not_there_is_a_mistake_of_the_user(laxity: Laxity):
    done = laxity("suite", "discover", "nowhere")
    assert done.returncode == 2
    assert "nowhere: no such directory" in done.stderr
