# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite` with a manifest, as a user calls it."""

import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import ROOT, Laxity, vet_once

from laxity.jobs.rows import finished
from laxity.store.run_directory import open_run

LISTED = ROOT / "tests" / "suites" / "listed"
MANIFEST = ("--manifest", "suite/listed.toml")
HASH_LETTERS = 64


def suite(laxity: Laxity, *names: str) -> None:
    """Make a checkout of some mini-programs, with a manifest of them alone."""
    for name in names:
        shutil.copytree(LISTED / name, laxity.directory / "suite" / name)
    tables = (LISTED / "listed.toml").read_text().split("[[program]]\n")
    chosen = [one for one in tables[1:] if one.split('"')[1] in names]
    text = "[[program]]\n".join(["schema = 1\n", *chosen])
    (laxity.directory / "suite" / "listed.toml").write_text(text)


def appends(laxity: Laxity, inputs: str = '["told.txt"]') -> None:
    """Make a checkout whose program prints its log after adding to it, and vet it."""
    folder = laxity.directory / "suite" / "appends"
    folder.mkdir(parents=True)
    (folder / "told.txt").write_text("1")
    (folder / "appends.c").write_text(
        "#include <stdio.h>\n"
        "int main(void)\n{\n"
        '    FILE *log = fopen("log.txt", "a+");\n'
        '    fprintf(log, "x");\n'
        '    printf("%ld\\n", ftell(log));\n'
        "    return fclose(log);\n}\n"
    )
    (laxity.directory / "suite" / "listed.toml").write_text(
        f'schema = 1\n[[program]]\nname = "appends"\ninputs = {inputs}\n'
    )
    code, verdicts = vet(laxity)
    assert (code, verdicts["appends"]["mode"]) == (0, "restore")


def vet(laxity: Laxity, *words: str) -> "tuple[int, dict[str, dict[str, Any]]]":
    """Vet it into vetting.toml; give exit code and verdicts by program."""
    done = vet_once(laxity, *MANIFEST, *words, "--format", "json")
    return done.returncode, {one["program"]: one for one in json.loads(done.stdout or "[]")}


def run(laxity: Laxity, *words: str) -> "tuple[int, dict[str, Any], str]":
    """Run what was vetted; give exit code, answer, messages."""
    options = ("-p", "5ms", "-t", "4", "--policy", "other", "--no-report", "--quiet")
    done = laxity("suite", "run", "suite", "--run-dir", "R", "--format", "json", *words, *options)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def test_discover_tells_what_cannot_be_had_by_its_exit_code(laxity: Laxity):
    suite(laxity, "sums")
    done = laxity("suite", "discover", "suite", *MANIFEST, "--sizes", "small,huge")
    assert done.returncode == 4, done.stderr
    assert "sums-small" in done.stdout
    assert "sums-huge" in done.stdout
    assert "lacks its input: sums/huge.txt" in done.stdout


def test_a_program_that_lacks_an_input_is_listed_and_the_others_are_vetted_and_run(laxity: Laxity):
    suite(laxity, "sums")
    code, verdicts = vet(laxity, "--sizes", "small,huge")
    assert code == 4
    assert verdicts["sums-huge"]["verdict"] == "left out: lacks its input: sums/huge.txt"
    assert verdicts["sums-small"]["mode"] == "none"
    code, answer, messages = run(laxity, *MANIFEST, "--sizes", "small,huge")
    assert code == 4, messages
    assert [(one["program"], one["right"]) for one in answer["runs"]] == [("sums-small", 4)]
    assert [one["program"] for one in answer["left_out"]] == ["sums-huge"]


def test_vetting_tells_people_too_which_program_lacks_what(laxity: Laxity):
    suite(laxity, "sums")
    words = ("--sizes", "small,huge", "--jobs", "3", "--quiet")
    done = laxity("suite", "vet", "suite", *MANIFEST, *words)
    assert done.returncode == 4, done.stderr
    told = "of the manifest cannot be had: sums-huge (lacks its input: sums/huge.txt)"
    assert told in done.stdout


def test_a_choice_without_the_program_that_lacks_an_input_is_complete(laxity: Laxity):
    suite(laxity, "sums")
    code, verdicts = vet(laxity, "--sizes", "small,huge", "--only", "sums-small")
    assert (code, list(verdicts)) == (0, ["sums-small"])


@pytest.mark.parametrize("mode", ["none", "restore", "fork"])
def test_standard_input_begins_anew_in_each_job_of_each_mode(laxity: Laxity, mode: str):
    suite(laxity, "sums")
    vet(laxity)
    path = laxity.directory / "vetting.toml"
    path.write_text(path.read_text().replace('mode = "none"', f'mode = "{mode}"'))
    code, answer, messages = run(laxity, *MANIFEST)
    assert code == 0, messages
    row = answer["runs"][0]
    assert (row["mode"], row["finished"], row["right"]) == (mode, 4, 4)


def in_mode(laxity: Laxity, mode: str) -> None:
    """Choose a mode for all programs of vetting.toml."""
    path = laxity.directory / "vetting.toml"
    path.write_text(re.sub('mode = ".*"', f'mode = "{mode}"', path.read_text()))


@pytest.mark.parametrize("mode", ["restore", "fork", "exec"])
def test_files_that_a_job_leaves_beside_its_inputs_are_gone_for_the_next_one(
    laxity: Laxity, mode: str
):
    appends(laxity)
    in_mode(laxity, mode)
    code, answer, messages = run(laxity, *MANIFEST)
    assert code == 0, messages
    assert (answer["runs"][0]["mode"], answer["runs"][0]["right"]) == (mode, 4)


@pytest.mark.parametrize("mode", ["none", "restore", "fork", "exec"])
def test_no_working_directory_outlives_a_run_in_any_mode(laxity: Laxity, tmp_path: Path, mode: str):
    appends(laxity, inputs="[]")
    in_mode(laxity, mode)
    (tmp_path / "places").mkdir()
    options = ("-p", "5ms", "-t", "4", "--policy", "other", "--no-report", "--quiet")
    done = laxity(
        *("suite", "run", "suite", *MANIFEST, "--run-dir", "R", *options),
        environment={"TMPDIR": str(tmp_path / "places")},
    )
    # In mode none later jobs find what the first one has left.
    assert done.returncode == (1 if mode == "none" else 0), done.stderr
    assert list((tmp_path / "places").iterdir()) == []


def test_a_stored_run_with_input_files_says_that_these_are_gone(laxity: Laxity):
    appends(laxity)
    assert run(laxity, *MANIFEST)[0] == 0
    done = laxity("run", "R/runs/appends/spec.toml", "--run-dir", "A", "--no-report", "--quiet")
    assert done.returncode == 1
    assert "the directory of its input files is gone" in done.stderr
    assert "No such file or directory" in (laxity.directory / "A" / "output.log").read_text()


def test_jobs_run_with_their_words_files_and_filter_and_write_nothing_into_the_checkout(
    laxity: Laxity,
):
    suite(laxity, "reads", "stamp", "code")
    before = sorted((laxity.directory / "suite").rglob("*"))
    code, _ = vet(laxity)
    assert code == 0
    code, answer, messages = run(laxity, *MANIFEST)
    assert code == 0, messages
    assert {one["program"]: one["right"] for one in answer["runs"]} == {
        "reads": 4,
        "stamp": 4,
        "code": 4,
    }
    assert sorted((laxity.directory / "suite").rglob("*")) == before


def test_verdicts_carry_what_the_manifest_said(laxity: Laxity):
    suite(laxity, "reads")
    vet(laxity)
    written = tomllib.loads((laxity.directory / "vetting.toml").read_text())
    assert len(written["manifest_sha256"]) == HASH_LETTERS
    assert written["program"][0]["words"] == ["in/told.txt", "./sum.txt"]
    assert len(written["program"][0]["inputs_sha256"]) == HASH_LETTERS


def test_a_manifest_that_has_changed_since_is_not_run(laxity: Laxity):
    suite(laxity, "code")
    vet(laxity)
    path = laxity.directory / "suite" / "listed.toml"
    path.write_text(path.read_text() + "# other\n")
    code, _, messages = run(laxity, *MANIFEST)
    assert code == 2
    assert "suite/listed.toml: has changed since vetting.toml was written; vet again" in messages


def test_verdicts_of_a_manifest_are_not_run_without_it(laxity: Laxity):
    suite(laxity, "code")
    vet(laxity)
    code, _, messages = run(laxity)
    assert code == 2
    assert "was vetted with a manifest; name it with --manifest" in messages


def test_an_input_that_has_changed_since_is_not_run(laxity: Laxity):
    suite(laxity, "sums")
    vet(laxity)
    (laxity.directory / "suite" / "sums" / "numbers.txt").write_text("1\n2\n")
    code, _, messages = run(laxity, *MANIFEST)
    assert code == 2
    assert "sums-small: its input files have changed since it was vetted" in messages


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--sizes", "small"), "only a manifest says what sizes there are"),
        ((*MANIFEST, "--sizes", "smal"), 'no program has a size "smal"; did you mean "small"?'),
        ((*MANIFEST, "--sizes", "small,"), "a name is empty"),
        (("--manifest", "gone.toml"), "gone.toml: cannot be read"),
    ],
)
def test_a_choice_that_cannot_be_is_a_mistake_of_the_user(
    laxity: Laxity, words: tuple[str, ...], reason: str
):
    suite(laxity, "sums")
    done = laxity("suite", "discover", "suite", *words)
    assert done.returncode == 2
    assert reason in done.stderr


def test_the_keys_of_a_manifest_are_listed(laxity: Laxity):
    done = laxity("schema", "suite")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("suite.toml\n")
    assert "program[].sizes.NAME.stdin" in done.stdout


def test_a_region_of_interest_may_have_brackets_that_the_manifest_names(laxity: Laxity):
    suite(laxity, "named_region")
    code, verdicts = vet(laxity)
    assert (code, verdicts["named_region"]["mode"]) == (0, "none"), verdicts
    code, _, messages = run(laxity, *MANIFEST)
    assert code == 0, messages
    jobs = open_run(laxity.directory / "R" / "runs" / "named_region").stream("jobs")
    assert finished(jobs)["roi_count"].tolist() == [3] * 4


def test_a_region_of_interest_that_is_not_there_is_told(laxity: Laxity):
    suite(laxity, "named_region")
    manifest = laxity.directory / "suite" / "listed.toml"
    manifest.write_text(manifest.read_text().replace("part_ends", "part_end"))
    code, verdicts = vet(laxity)
    assert code == 1
    assert "roi: part_end is not called by one of its files" in verdicts["named_region"]["verdict"]


def test_an_output_filter_that_is_no_expression_is_a_mistake_of_the_manifest(laxity: Laxity):
    suite(laxity, "code")
    path = laxity.directory / "suite" / "listed.toml"
    path.write_text(path.read_text() + 'output_filter = "("\n')
    done = laxity("suite", "vet", "suite", *MANIFEST, "--jobs", "3", "--quiet")
    assert done.returncode == 2, done.stderr
    assert 'code: output_filter "(" is no extended regular expression; correct it' in done.stderr
