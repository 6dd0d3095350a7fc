# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`--on ssh://…`: the same commands, the board being this machine behind an sshd of the test's."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.commands import CPU, LAXITY, Outcome, aborted_job, finish, jobs_of, manifest_of
from tests.cli.laxity_command import Laxity, make_laxity
from tests.cli.ssh_board import (
    SshBoard,
    descendants,
    link_bundle,
    link_tools,
    mark_bundle,
    ssh_board,
)

from laxity import __version__
from laxity.core.streams import Status
from laxity.costs.merge import read_costs
from laxity.platform import bundle

BUILT = make_laxity(Path.cwd())
TASK = ["--policy", "other", "--cpus", str(CPU)]
ENDLESS = ["run", "empty", "--period", "5ms", *TASK, "--run-dir", "D", "--no-report", "--quiet"]

STARTED: list["subprocess.Popen[str]"] = []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshBoard]:
    with ssh_board(tmp_path_factory.mktemp("board")) as board:
        yield board


@pytest.fixture
def bare(server: SshBoard, request: pytest.FixtureRequest) -> SshBoard:
    """A board without a bundle, with a directory of its own for each test."""
    return replace(server, name=re.sub(r"\W+", "-", request.node.name)[-40:])


@pytest.fixture
def board(bare: SshBoard) -> SshBoard:
    link_bundle(bare, BUILT.tools)
    return bare


@pytest.fixture
def call(board: SshBoard, laxity: Laxity) -> Callable[..., Outcome]:
    return caller(board, laxity)


def caller(board: SshBoard, laxity: Laxity) -> Callable[..., Outcome]:
    """Call laxity as a user of the board."""
    tools = link_tools(laxity.directory / "tools", BUILT.tools)

    def called(*words: str | Path) -> Outcome:
        done = laxity(*map(str, words), environment=board.environment(tools))
        return Outcome(done.returncode, done.stdout, done.stderr)

    return called


@pytest.fixture(autouse=True)
def _none_left_running() -> Iterator[None]:
    """A test that fails between start and finish leaves no process."""
    STARTED.clear()
    yield
    for process in STARTED:
        if process.poll() is None:
            process.kill()
            process.communicate()


def start(board: SshBoard, laxity: Laxity, *words: str) -> "subprocess.Popen[str]":
    """Start a run on the board and wait for its first rows there."""
    tools = link_tools(laxity.directory / "tools", BUILT.tools)
    process = subprocess.Popen(
        [*LAXITY, *words, "--on", board.url],
        cwd=laxity.directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**laxity.environment(), **board.environment(tools)},
    )
    STARTED.append(process)
    # The header is 4096 bytes long.
    wait_until(lambda: any(size > 4096 for size in stream_sizes(board)), "rows on the board")
    return process


def stream_sizes(board: SshBoard) -> list[int]:
    return [path.stat().st_size for path in (board.directory / "runs").glob("*/jobs.npy")]


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end_s, f"never came: {what}"
        time.sleep(0.01)


def run_on_board(board: SshBoard) -> int:
    """Process id of the supervisor of the run on the board."""
    for pid in descendants(board.daemon.pid):
        with suppress(OSError):
            if (Path("/proc") / str(pid) / "comm").read_text() == "laxity-run\n":
                return pid
    pytest.fail("no laxity-run on the board")


SPEC = f"""
schema = 1
[run]
jobs = 40
seed = 7
[[task]]
name = "control"
workload = "mem"
args = ["64KiB"]
period = "5ms"
policy = "other"
cpus = "{CPU}"
[[task]]
workload = "empty"
period = "10ms"
offset = "1ms"
deadline = "none"
policy = "other"
cpus = "{CPU}"
[[interfere]]
workload = "bandwidth"
args = ["write", "1MiB"]
cpus = "{CPU}"
"""


def sections(report: Path) -> list[str]:
    """What the report is divided into; tables within depend on what a job happened to do."""
    return re.findall(r'<section [^>]*\bid="([^"]*)"', report.read_text())


def test_run_on_a_board_has_the_shape_of_one_here(
    board: SshBoard, call: Callable[..., Outcome], laxity: Laxity
) -> None:
    (laxity.directory / "s.toml").write_text(SPEC)
    here, there = laxity.directory / "here", laxity.directory / "there"
    first = call("run", "s.toml", "--run-dir", "here", "--quiet")
    second = call("run", "./s.toml", "--run-dir", "there", "--quiet", "--on", board.url)
    assert (first.code, second.code) == (0, 0), second.err
    assert second.err == first.err
    assert {p.name for p in there.iterdir()} == {p.name for p in here.iterdir()}
    assert jobs_of(there).dtype == jobs_of(here).dtype
    theirs, ours = manifest_of(there), manifest_of(here)
    assert (ours.on, theirs.on) == (None, board.url)
    assert theirs.tables.keys() == ours.tables.keys()
    assert theirs.files.keys() == ours.files.keys()
    assert (theirs.status, theirs.machine_hash, theirs.seed) == ("complete", ours.machine_hash, 7)
    assert [task.started for task in theirs.tasks] == [40, 40]
    assert [(t.name, t.workload, t.policy, t.cpus) for t in theirs.tasks] == [
        (t.name, t.workload, t.policy, t.cpus) for t in ours.tasks
    ]
    assert theirs.corunners[0].passes > 0
    spec = (there / "spec.toml").read_text()
    assert [line for line in spec.splitlines() if not line.startswith("on = ")] == (
        here / "spec.toml"
    ).read_text().splitlines()
    assert sections(there / "report.html") == sections(here / "report.html")
    assert len(sections(there / "report.html")) > 5
    machines = [(directory / "report.html").read_text() for directory in (here, there)]
    assert [page.count(">board</") for page in machines] == [0, 1]
    assert call("report", "there").code == 0
    assert call("show", "there").code == 0
    assert board.runs() == []


def test_spec_may_name_the_board(
    board: SshBoard, call: Callable[..., Outcome], laxity: Laxity
) -> None:
    spec = SPEC.replace("[run]", f'[run]\non = "{board.url}"')
    (laxity.directory / "s.toml").write_text(spec)
    outcome = call("run", "s.toml", "--run-dir", "D", "--no-report", "--quiet")
    assert outcome.code == 0, outcome.err
    assert manifest_of(laxity.directory / "D").on == board.url


def test_measurement_on_a_board_is_stored_here(
    board: SshBoard, call: Callable[..., Outcome], laxity: Laxity
) -> None:
    words = ["--sizes", "4KiB", "--evict", "write", "--evict-size", "64KiB", "--repetitions", "6"]
    words += ["--case", "synchronous", "--pattern", "chase", "--allow-unprivileged", "--quiet"]
    done = call("measure", "crpd", *words, "--run-dir", "D", "--on", board.url)
    assert done.code == 0, done.err
    manifest = manifest_of(laxity.directory / "D")
    assert (manifest.on, manifest.status) == (board.url, "complete")
    # 1 size * 1 case * 1 pattern * 6 repetitions * 3 roles
    assert manifest.tables == {"crpd.npy": 18}
    costs = read_costs(laxity.directory / "D")
    assert [one.axes.working_set_bytes for one in costs.entries] == [4096, None]
    assert costs.machine_hash == manifest.machine_hash
    assert ">board</" in (laxity.directory / "D" / "report.html").read_text()
    assert board.runs() == []


def test_doctor_on_a_board_finds_what_it_finds_here(
    board: SshBoard, call: Callable[..., Outcome]
) -> None:
    here = json.loads(call("doctor", "--format", "json").out)
    there = json.loads(call("doctor", "--format", "json", "--on", board.url).out)
    assert [check["id"] for check in there["checks"]] == [check["id"] for check in here["checks"]]
    moving = {"load-average", "steal", "other-jobs", "temperature", "cpu-frequency"}
    # Looked for in the journal of the laxity that runs here.
    moving |= {"left-settings"}
    values = [
        {c["id"]: c["value"] for c in one["checks"] if c["id"] not in moving}
        for one in (here, there)
    ]
    assert values[0] == values[1]
    assert there["cpus"] == here["cpus"]


def test_dry_run_names_the_cpus_of_the_board(board: SshBoard, call: Callable[..., Outcome]) -> None:
    words = ["run", "empty", "-p", "5ms", "--dry-run", "--format", "json", "--on", board.url]
    outcome = call(*words)
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["run"]["on"] == board.url
    assert json.loads(outcome.out)["task"][0]["cpus"]
    assert board.runs() == []


@pytest.mark.parametrize(
    ("on", "said"),
    [
        ("serial://tty", '--on: "serial://tty": unknown scheme serial; this build has ssh://'),
        ("board", '--on: "board": no scheme; write ssh://USER@HOST'),
        ("ssh://me:secret@board", "holds a password; give the board your ssh key"),
        ("ssh://-oProxyCommand=x", "cannot be read; write ssh://USER@HOST"),
    ],
)
@pytest.mark.parametrize("command", ["run", "doctor"])
def test_url_of_another_form_is_exit_2(laxity: Laxity, command: str, on: str, said: str) -> None:
    words = ["empty", "-p", "5ms"] if command == "run" else []
    done = laxity(command, *words, "--on", on)
    assert done.returncode == 2
    assert said in done.stderr
    assert laxity.names() == set()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["lz4", "-p", "5ms"], 2, 'workload "lz4": of class host, so not on a board'),
        (["memm", "-p", "5ms"], 2, 'workload "memm": not on ssh://board'),
        (["mem", "4KiB", "-p", "5ms", "-c", "4095"], 2, "no CPU 4095 on this machine"),
        (["mem", "-p", "5ms", "--platform", "sim:x"], 2, "platform"),
        (["mem", "-p", "5ms", "--no-throttling"], 2, "--no-throttling: changes settings of this"),
        (["mem", "-p", "5ms", "--shield", "0"], 2, "--shield: changes settings of this machine"),
    ],
)
def test_request_that_the_board_cannot_serve_is_refused(
    board: SshBoard,
    call: Callable[..., Outcome],
    laxity: Laxity,
    words: list[str],
    code: int,
    said: str,
) -> None:
    outcome = call("run", *words, "--on", board.url)
    assert outcome.code == code, outcome.err
    assert said in outcome.err
    assert laxity.names() <= {"tools"}
    assert board.runs() == []


def test_workload_given_as_a_path_is_one_on_the_board(
    board: SshBoard, call: Callable[..., Outcome], laxity: Laxity
) -> None:
    task = SPEC.partition("[[task]]\nworkload")[0].replace('["64KiB"]', '["none"]')
    for path, code, said in (
        (str(BUILT.fault), 0, ""),
        ("sub/fault", 2, "with --on a path is one on the board"),
        ("/no/fault", 2, f"no executable file on {board.url}"),
    ):
        spec = task.replace('workload = "mem"', f'workload = "{path}"')
        (laxity.directory / "s.toml").write_text(spec)
        run_dir = f"D{code}{len(path)}"
        outcome = call("run", "s.toml", "--on", board.url, "--run-dir", run_dir, "--no-report")
        assert outcome.code == code, outcome.err
        assert said in outcome.err


def test_crash_on_the_board_is_exit_1_and_told_as_here(
    board: SshBoard, call: Callable[..., Outcome], laxity: Laxity
) -> None:
    spec = laxity.spec(args=["crash", "3"], policy="other")
    outcome = call("run", f"./{spec}", "--on", board.url, "--run-dir", "D", "--no-report")
    assert outcome.code == 1
    number = aborted_job(laxity.directory / "D")
    assert f"killed by signal 11 (SIGSEGV) in job {number};" in outcome.err
    jobs = jobs_of(laxity.directory / "D")
    assert (jobs["status"] == Status.ABORTED).sum() == 1
    assert board.runs() == []


def test_board_without_a_bundle_is_told_how_to_make_it(bare: SshBoard, laxity: Laxity) -> None:
    outcome = caller(bare, laxity)("doctor", "--on", bare.url)
    assert outcome.code == 3
    assert f"{bare.directory} holds no bundle" in outcome.err
    assert "make its bundle with tools/board-bundle native, then try again" in outcome.err


def test_bundle_of_another_version_is_refused(
    board: SshBoard, call: Callable[..., Outcome]
) -> None:
    mark_bundle(board, bundle.arch_of_machine(os.uname().machine), "0.0.1")
    outcome = call("doctor", "--on", board.url)
    assert outcome.code == 3
    assert "holds version 0.0.1" in outcome.err


def test_bundle_is_copied_once_and_again_when_it_was_made_anew(
    bare: SshBoard, laxity: Laxity
) -> None:
    call = caller(bare, laxity)
    arch = bundle.arch_of_machine(os.uname().machine)
    archive = laxity.directory / "tools" / "boards" / bundle.bundle_name(arch)
    bundle.pack(BUILT.tools, arch, "strip", archive)
    words = ["run", "mem", "-b", "64KiB", "-p", "5ms", "-t", "3", *TASK, "--on", bare.url]
    first = call(*words, "--no-report")
    assert first.code == 0, first.err
    assert f"laxity: copying {archive.name} " in first.err
    assert "copying" not in call(*words, "--no-report").err
    mark_bundle(bare, arch, __version__)
    assert "copying" in call(*words, "--no-report").err


def test_board_directory_that_cannot_be_made_is_exit_3(
    board: SshBoard, laxity: Laxity, call: Callable[..., Outcome]
) -> None:
    arch = bundle.arch_of_machine(os.uname().machine)
    archive = laxity.directory / "tools" / "boards" / bundle.bundle_name(arch)
    bundle.pack(BUILT.tools, arch, "strip", archive)
    outcome = call("doctor", "--on", "ssh://board/dev/null/x")
    assert outcome.code == 3
    assert "/dev/null/x: cannot be written (mkdir: " in outcome.err
    assert "name another directory (ssh://USER@HOST[:PORT]/DIRECTORY)" in outcome.err
    broken = board.directory / "laxity-run"
    archive.unlink()
    broken.unlink()
    words = ["run", "mem", "4KiB", "-p", "5ms", *TASK, "--run-dir", "D", "--on", board.url]
    outcome = call(*words)
    assert outcome.code == 3
    assert "laxity-run: cannot be started (" in outcome.err
    assert laxity.names() == {"tools"}


def test_ssh_that_fails_is_exit_3_with_its_own_words(
    board: SshBoard, call: Callable[..., Outcome], laxity: Laxity
) -> None:
    outcome = call("run", "mem", "-p", "5ms", "--on", "ssh://me@board:1")
    assert outcome.code == 3
    assert "ssh://me@board:1: ssh: ssh: connect to host 127.0.0.1 port 1: " in outcome.err
    assert "see that ssh -p 1 me@board true works without a question" in outcome.err
    unknown = board.root / "known_hosts"
    keys = unknown.read_text()
    try:
        unknown.write_text("")
        outcome = call("doctor", "--on", board.url)
    finally:
        unknown.write_text(keys)
    assert outcome.code == 3
    assert "ssh: Host key verification failed" in outcome.err
    assert laxity.names() == {"tools"}


def test_host_without_ssh_is_exit_3(laxity: Laxity) -> None:
    done = laxity("doctor", "--on", "ssh://board", environment={"PATH": "/nonexistent"})
    assert done.returncode == 3
    assert "ssh: cannot be started (No such file or directory); install" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_run_on_the_board_and_it_is_fetched(
    board: SshBoard, laxity: Laxity, number: int
) -> None:
    process = start(board, laxity, *ENDLESS)
    process.send_signal(number)
    outcome = finish(process)
    assert outcome.code == 130
    manifest = manifest_of(laxity.directory / "D")
    assert manifest.status == "interrupted"
    assert f"interrupted by {signal.Signals(number).name}" in manifest.message
    assert len(jobs_of(laxity.directory / "D")) == manifest.tasks[0].released > 0
    assert board.runs() == []


def test_lost_connection_ends_the_run_there_and_show_fetches_it(
    board: SshBoard, laxity: Laxity
) -> None:
    process = start(board, laxity, *ENDLESS)
    supervisor = run_on_board(board)
    board.cut_off()
    outcome = finish(process)
    assert outcome.code == 3
    (name,) = board.runs()
    assert f"what was measured is kept in {board.directory}/runs/{name} there" in outcome.err
    assert "laxity show D fetches it" in outcome.err
    wait_until(lambda: not Path(f"/proc/{supervisor}").exists(), "the end of the run there")
    environment = board.environment(laxity.directory / "tools")
    shown = laxity("show", "D", environment=environment)
    assert shown.returncode == 0, shown.stderr
    assert "laxity: fetching D.tmp from ssh://board" in shown.stderr
    manifest = manifest_of(laxity.directory / "D")
    assert (manifest.status, manifest.exit_code) == ("recovered", 130)
    assert "interrupted by the death of its caller" in manifest.message
    assert len(jobs_of(laxity.directory / "D")) == manifest.tasks[0].released > 0
    assert board.runs() == []


def test_killed_laxity_ends_the_run_there_and_show_fetches_it(
    board: SshBoard, laxity: Laxity
) -> None:
    process = start(board, laxity, *ENDLESS)
    supervisor = run_on_board(board)
    process.kill()
    process.communicate()
    wait_until(lambda: not Path(f"/proc/{supervisor}").exists(), "the end of the run there")
    environment = board.environment(laxity.directory / "tools")
    assert laxity("show", "D", environment=environment).returncode == 0
    manifest = manifest_of(laxity.directory / "D")
    assert manifest.status == "recovered"
    assert len(jobs_of(laxity.directory / "D")) == manifest.tasks[0].released > 0
    assert board.runs() == []


def test_left_run_stays_while_its_board_cannot_be_reached(board: SshBoard, laxity: Laxity) -> None:
    process = start(board, laxity, *ENDLESS)
    board.cut_off()
    finish(process)
    known = board.root / "ssh_config"
    configuration = known.read_text()
    try:
        known.write_text(re.sub(r"Port \d+", "Port 1", configuration))
        shown = laxity("show", "D", environment=board.environment(laxity.directory / "tools"))
    finally:
        known.write_text(configuration)
    assert shown.returncode == 3
    assert "port 1: Connection refused" in shown.stderr
    assert (laxity.directory / "D.tmp" / "manifest.json").exists()
    assert len(board.runs()) == 1


def test_killed_laxity_run_is_recovered_like_one_here(board: SshBoard, laxity: Laxity) -> None:
    process = start(board, laxity, *ENDLESS)
    os.kill(run_on_board(board), signal.SIGKILL)
    outcome = finish(process)
    assert outcome.code == 4, outcome.err
    manifest = manifest_of(laxity.directory / "D")
    assert (manifest.status, manifest.exit_code) == ("recovered", 4)
    assert manifest.tasks[0].end_cause == "killed"
    assert len(jobs_of(laxity.directory / "D")) == manifest.tasks[0].released > 0
    assert board.runs() == []


def test_full_board_is_exit_3_and_show_completes_the_run(board: SshBoard, laxity: Laxity) -> None:
    runs = board.directory / "runs"
    runs.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=320k", "tmpfs", runs], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs permission to mount a tmpfs")
    tools = link_tools(laxity.directory / "tools", BUILT.tools)
    environment = board.environment(tools)
    words = ["run", "empty", "-p", "200us", "--duration", "20s", *TASK, "--run-dir", "D"]
    try:
        done = laxity(*words, "--no-report", "--on", board.url, environment=environment)
        assert done.returncode == 3
        assert "No space left on device" in done.stderr
        assert "laxity show D fetches it" in done.stderr
        subprocess.run(["mount", "-o", "remount,size=64m", runs], check=True)
        shown = laxity("show", "D", environment=environment)
        assert shown.returncode == 0, shown.stderr
        manifest = manifest_of(laxity.directory / "D")
        # More rows than would have fitted: 320 KiB hold fewer than 3300 rows of 100 bytes.
        assert manifest.tasks[0].released > 2000
        assert board.runs() == []
    finally:
        subprocess.run(["umount", runs], check=True)


def test_end_of_a_socket_ends_the_run(tmp_path: Path) -> None:
    # sshd gives its programs one socket for input and output: it does not hang up like a pipe.
    ours, theirs = socket.socketpair()
    with ours, theirs:
        words = ["--run-dir", str(tmp_path / "D"), "--parent-fd", str(theirs.fileno()), "--"]
        words += [str(BUILT.tools / "workloads" / "empty"), "--period", "5ms", "--policy", "other"]
        process = subprocess.Popen(
            [BUILT.tools / "native" / "laxity-run", *words], pass_fds=[theirs.fileno()]
        )
        stream = tmp_path / "D" / "jobs.npy"
        wait_until(stream.exists, "jobs.npy")
        ours.shutdown(socket.SHUT_WR)
        assert process.wait(60) == 130
