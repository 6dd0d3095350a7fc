# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""list, schema, show, report, setup, demo."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
from tests.cli.commands import needs_root, needs_two_cpus
from tests.cli.laxity_command import Laxity, make_laxity
from tests.jobs.left_runs import left_run, native

from laxity.bounds.document import decode_answer
from laxity.core.streams import STREAMS
from laxity.costs.answer import cost_answer
from laxity.costs.merge import read_costs
from laxity.store import run_directory
from laxity.store.run_directory import open_run


def test_list_shows_every_bundled_workload(laxity: Laxity):
    done = laxity("list")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    assert names[:5] == ["empty", "cpu", "mem", "bandwidth", "latency"]
    listed = json.loads(laxity("list", "--format", "json").stdout)
    assert [one["name"] for one in listed] == names
    assert all(one["summary"] and one["class"] for one in listed)


def test_schema_prints_every_column_of_every_stream(laxity: Laxity):
    document = json.loads(laxity("schema", "--format", "json").stdout)
    assert list(document) == list(STREAMS)
    assert document["jobs"][2]["column"] == "release_ns"
    # Absent times: -2^63.
    assert document["jobs"][2]["absent"] == -9223372036854775808
    assert "release_ns" in laxity("schema", "jobs").stdout


@pytest.mark.parametrize(
    ("name", "member"),
    [("manifest", "tasks[].counts.not_met"), ("machine", "stable.caches[].size_bytes"),
     ("doctor", "checks[].fix"), ("compare", "results[].comparison.figures[].verdict"),
     ("costs", "entries[].noise_floor")],
)  # fmt: skip
def test_schema_prints_every_member_of_a_document(laxity: Laxity, name: str, member: str):
    lines = laxity("schema", name).stdout.splitlines()
    assert member in [line.split()[0] for line in lines[2:-1]]
    document = json.loads(laxity("schema", name, "--format", "json").stdout)
    assert name == "costs" or document["$ref"].startswith("#/$defs/")


def test_unknown_stream_is_refused_with_a_suggestion(laxity: Laxity):
    done = laxity("schema", "job")
    message = 'laxity schema: "job": unknown stream or document; did you mean "jobs"?\n'
    assert (done.returncode, done.stderr) == (2, message)


def test_show_finishes_a_run_that_was_left_over(laxity: Laxity):
    left_run(laxity.directory / "D.tmp", native())
    done = laxity("show", "D")
    assert (done.returncode, done.stderr) == (0, "")
    assert "recovered" in done.stdout
    assert laxity.names() == {"D"}
    assert json.loads(laxity("show", "D", "--format", "json").stdout)["status"] == "recovered"


def test_show_verify_finds_a_changed_file(laxity: Laxity):
    left_run(laxity.directory / "D.tmp", native())
    done = laxity("show", "D", "--verify")
    told = "4 files are as they were written; manifest.json itself carries no hash\n"
    assert (done.returncode, done.stdout) == (0, told)
    with (laxity.directory / "D" / "jobs.npy").open("ab") as file:
        file.write(b"x")
    done = laxity("show", "D", "--verify")
    assert (done.returncode, done.stdout) == (4, "jobs.npy: changed\n")
    document = json.loads(laxity("show", "D", "--verify", "--format", "json").stdout)
    assert document["problems"] == ["jobs.npy: changed"]


def test_show_verify_finds_an_edited_manifest(laxity: Laxity):
    # Three rows, all met.
    left_run(laxity.directory / "D.tmp", native())
    laxity("show", "D")
    manifest = laxity.directory / "D" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"done": 3', '"done": 4'))
    done = laxity("show", "D", "--verify")
    problem = 'manifest.json: task "mem": done 4, but 3 by the rows of jobs.npy\n'
    assert (done.returncode, done.stdout) == (4, problem)


@pytest.mark.parametrize("command", ["show", "report"])
@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("jobs.npy", None, "cannot be read (No such file or directory); the run is incomplete"),
        ("jobs.npy", b"", "not a NumPy file; the stream is damaged"),
        ("histogram.npy", None, "cannot be read (No such file or directory)"),
        ("machine.json", b"{", "unreadable (input data was truncated); the run is damaged"),
    ],
)
def test_damage_is_told_and_gives_no_verdict(
    laxity: Laxity, command: str, name: str, content: bytes | None, problem: str
):
    left_run(laxity.directory / "D.tmp", native())
    laxity("show", "D")
    path = laxity.directory / "D" / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    done = laxity(command, "D")
    assert done.returncode == 4
    assert done.stderr.startswith(f"laxity: D/{name}: {problem}")
    # What can be shown is shown.
    assert ("recovered" in done.stdout) == (command == "show")
    assert ("D/report.html" in done.stdout) == (command == "report")


def test_show_quotes_the_command_line_for_a_shell(laxity: Laxity):
    tmp = left_run(laxity.directory / "D.tmp", native())
    manifest = run_directory.read_manifest(tmp)
    words = ["laxity", "run", "mem", "--interfere", "bandwidth write 1MiB@0"]
    changed = msgspec.structs.replace(manifest, command_line=words)
    run_directory.write_document(tmp / "manifest.json", changed)
    assert "laxity run mem --interfere 'bandwidth write 1MiB@0'" in laxity("show", "D").stdout


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "run: an empty path; name a directory that laxity wrote"),
        ("/", "run directory /: is the root directory; name one within it"),
        ("D/spec.toml", "run D/spec.toml: is a file of a run; name its directory D"),
    ],
)
def test_path_that_cannot_be_a_run_says_why(laxity: Laxity, path: str, message: str):
    left_run(laxity.directory / "D.tmp", native())
    laxity("show", "D")
    done = laxity("show", path)
    assert (done.returncode, done.stderr) == (2, f"laxity show: {message}\n")


def test_working_directory_can_be_shown(laxity: Laxity):
    left_run(laxity.directory / "D.tmp", native())
    laxity("show", "D")
    inside = Laxity(laxity.directory / "D", laxity.tools)
    assert inside("show", ".").returncode == 0


@needs_root
def test_run_that_must_not_be_read_is_the_machines_lack(open_path: Path):
    laxity = make_laxity(open_path)
    left_run(laxity.directory / "D.tmp", native())
    laxity("show", "D")
    (laxity.directory / "D").chmod(0o700)
    done = as_nobody(laxity, "show", "D")
    assert done.returncode == 3
    assert "Permission denied" in done.stderr
    (laxity.directory / "D").chmod(0o755)
    (laxity.directory / "D" / "manifest.json").chmod(0o600)
    done = as_nobody(laxity, "show", "D")
    message = (
        "laxity show: D/manifest.json: cannot be read (Permission denied); change its permissions\n"
    )
    assert (done.returncode, done.stderr) == (3, message)


@needs_root
def test_report_without_a_home_is_silent(open_path: Path):
    laxity = make_laxity(open_path)
    left_run(laxity.directory / "D.tmp", native())
    laxity("show", "D")
    (laxity.directory / "D").chmod(0o777)
    done = as_nobody(laxity, "report", "D")
    assert (done.returncode, done.stdout, done.stderr) == (0, "D/report.html\n", "")


def as_nobody(laxity: Laxity, *words: str) -> "subprocess.CompletedProcess[str]":
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if laxity("--version", prefix=prefix).returncode:
        pytest.skip("needs a checkout that other users may read")
    return laxity(*words, prefix=prefix, environment={"HOME": "/nonexistent"})


@pytest.mark.parametrize("command", ["show", "report"])
def test_path_that_is_no_run_is_a_usage_error(laxity: Laxity, command: str):
    done = laxity(command, "nowhere")
    message = f"laxity {command}: run nowhere: does not exist; name a directory that laxity wrote\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_damaged_run_gives_no_verdict(laxity: Laxity):
    left_run(laxity.directory / "D.tmp", native())
    laxity("show", "D")
    (laxity.directory / "D" / "manifest.json").write_text("{}")
    done = laxity("show", "D")
    assert done.returncode == 4
    assert done.stderr.startswith("laxity show: D/manifest.json: unreadable")


def test_report_is_built_again_and_is_not_part_of_the_hashes(laxity: Laxity):
    left_run(laxity.directory / "D.tmp", native())
    done = laxity("report", "D")
    assert (done.returncode, done.stdout, done.stderr) == (0, "D/report.html\n", "")
    assert (laxity.directory / "D" / "report.html").stat().st_size < 2_000_000
    assert open_run(laxity.directory / "D").verify() == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed(laxity: Laxity, shell: str):
    done = laxity("setup", "--completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_LAXITY_COMPLETE" in done.stdout


def test_completion_knows_commands_and_options(laxity: Laxity):
    asked = {
        "_LAXITY_COMPLETE": "bash_complete",
        "COMP_WORDS": "laxity run --per",
        "COMP_CWORD": "2",
    }
    done = laxity(environment=asked)
    assert "--period" in done.stdout


@pytest.mark.parametrize(
    ("words", "offered"), [("laxity run ban", "bandwidth"), ("laxity schema hist", "histogram")]
)
def test_completion_knows_workloads_and_streams(laxity: Laxity, words: str, offered: str):
    asked = {"_LAXITY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "2"}
    assert laxity(environment=asked).stdout == f"plain,{offered}\n"


def test_man_pages_are_written_where_asked(laxity: Laxity):
    done = laxity("setup", "--man-pages", "man")
    assert (done.returncode, done.stderr) == (0, "")
    assert (laxity.directory / "man" / "man1" / "laxity-run.1").is_file()


def test_set_up_options_are_refused_together(laxity: Laxity):
    done = laxity("setup", "--completion", "bash", "--man-pages", "man")
    assert done.returncode == 2
    assert "only one at a time" in done.stderr


def test_unknown_set_is_a_usage_error(laxity: Laxity):
    done = laxity("setup", "--with", "nonsense")
    assert done.returncode == 2
    assert done.stderr.startswith('laxity setup: --with "nonsense": unknown; use one of ')


def test_man_pages_are_not_written_into_the_working_directory_by_an_empty_path(laxity: Laxity):
    done = laxity("setup", "--man-pages", "")
    assert done.returncode == 2
    assert laxity.names() == set()


def test_sets_are_listed_with_their_state(laxity: Laxity):
    done = laxity("setup")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["set", "state", "for"]
    assert "run" in done.stdout


@pytest.mark.serial
@needs_two_cpus
def test_demo_stores_both_runs_the_costs_and_one_report(laxity: Laxity):
    done = laxity("demo", "--duration", "300ms", "--run-dir", "D", "--quiet")
    assert done.returncode == 0
    run = open_run(laxity.directory / "D")
    assert (run.manifest.kind, run.manifest.status) == ("demo", "complete")
    parts = ["switch", "crpd", "migration"]
    assert run.manifest.runs == ["pilot", "alone", "interfered", "tasks", *parts, "verdict"]
    alone, interfered = run.children[1:3]
    assert not alone.manifest.corunners
    assert interfered.manifest.corunners
    # 300 ms / 5 ms = 60 releases in each.
    assert [child.manifest.tasks[0].released for child in (alone, interfered)] == [60, 60]
    names = {entry.name for entry in read_costs(run.path).entries}
    assert names >= {"delta", "gamma", "migration"}
    assert alone.manifest.seed == interfered.manifest.seed == run.manifest.seed
    assert run.verify() == []
    assert (run.path / "report.html").is_file()
    lines = done.stdout.splitlines()
    # So few observations do not always tell what caches lose.
    has_answer = cost_answer(read_costs(run.path)) is not None
    assert lines[1].startswith("A preemption costs ") == has_answer
    assert "beside co-runners" in lines[1 + has_answer]
    # The answer, where all figures are, and the report.
    assert len(lines) <= 12
    # Whatever the verdict is, it is told, and what its wcet is worth.
    answer = decode_answer((run.path / "runs" / "verdict" / "bound.json").read_bytes(), "")
    assert [one.name for one in answer.tasks] == ["control", "filter", "vision"]
    # 30 % of 300 ms / 5 ms = 18 jobs.
    assert (answer.wcet_from[0].task, answer.wcet_from[0].n) == ("control", 18)
    assert "observed, not proven" in (run.path / "report.html").read_text()
    assert f"\n{answer.verdict.replace('_', ' ').capitalize()}: 3 tasks" in done.stdout
    assert "Bounds against deadlines" in (run.path / "report.html").read_text()


@pytest.mark.serial
def test_demo_on_one_cpu_says_that_interference_is_left_out(laxity: Laxity):
    cpu = str(min(os.sched_getaffinity(0)))
    assert shutil.which("taskset")
    words = ("demo", "--duration", "300ms", "--run-dir", "D")
    done = laxity(*words, prefix=["taskset", "-c", cpu])
    assert done.returncode == 0
    message = (
        f"laxity demo: interference: none used instead (this process may use only CPU {cpu})\n"
    )
    assert message in done.stderr
    run = open_run(laxity.directory / "D")
    assert run.manifest.runs == ["pilot", "alone", "tasks", "switch", "crpd", "verdict"]
    assert [one.what for one in run.manifest.fallbacks] == ["interference", "migration"]


def test_demo_with_a_bad_duration_creates_nothing(laxity: Laxity):
    done = laxity("demo", "--duration", "10", "--run-dir", "D")
    message = 'laxity demo: --duration: "10" has no unit; write 10ms or 10s\n'
    assert (done.returncode, done.stderr) == (2, message)
    assert laxity.names() == set()
