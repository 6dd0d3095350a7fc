# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The command line of laxity-run, progress, placement and signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.platform.made_up_tools import tools_directory

from laxity.core import progress
from laxity.core.signals import forwarded_signals
from laxity.core.spec_reader import resolve_spec
from laxity.errors import ConfigError, PlatformError
from laxity.platform.native import NativeOptions, finisher_command, native_argv
from laxity.platform.placement import Cpus, check_unthrottled_load, place, silent_corunners


def spec_of(
    run: dict[str, object] | None = None,
    interfere: Sequence[dict[str, object]] = (),
    **task: object,
):
    table = {"workload": "mem", "period": "5ms", "cpus": "1"} | task
    return resolve_spec(run or {}, [table], list(interfere), 1)


@pytest.fixture(autouse=True)
def made_up_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("LAXITY_TOOLS", str(tools_directory(tmp_path)))


@pytest.mark.parametrize(
    ("stop_on", "words"),
    [
        ("miss", ["--stop-on-miss"]),
        ("response>5ms", ["--stop-on-response", "5000000ns"]),
        (None, []),
    ],
)
def test_job_to_stop_on_is_told_to_laxity_run(
    tmp_path: Path, stop_on: str | None, words: list[str]
):
    run: dict[str, object] = {} if stop_on is None else {"stop_on": stop_on}
    argv = native_argv(spec_of(run=run), tmp_path, NativeOptions())
    assert [word for word in argv if word.startswith("--stop-on")] == words[:1]
    assert all(word in argv for word in words)


def test_command_line_of_laxity_run_is_the_agreed_one(tmp_path: Path):
    spec = spec_of(
        run={"duration": "10s", "jobs": 7, "seed": 5, "keep": "tail:9"},
        interfere=[{"workload": "bandwidth", "args": ["write", "1 MiB"], "cpus": "0,2"}],
        args=["64KiB", "-x"],
        name="control",
        priority=90,
        memory_limit="64KiB",
    )
    options = NativeOptions(allow_unprivileged=True, progress_fd=8, parent_fd=9)
    argv = native_argv(spec, tmp_path / "D.tmp", options)
    assert argv[argv.index("--finisher") + 1] == finisher_command()
    argv.remove(finisher_command())
    one = ["--policy", "other", "--arg", "write", "--arg", "1 MiB"]
    bandwidth = [str(tmp_path / "workloads" / "bandwidth"), "--corunner"]
    bandwidth += ["--name", "bandwidth", "--cpus"]
    # 10 s, 5 ms and the defaults of the design: job timeout max(1 s, 20 * 5 ms), 512 KiB, 1 MiB.
    assert argv == [
        str(tmp_path / "native" / "laxity-run"),
        *("--run-dir", str(tmp_path / "D.tmp"), "--duration", "10000000000ns", "--seed", "5"),
        *("--idle", "deep", "--snapshots", "all", "--keep", "tail:9"),
        *("--allow-unprivileged", "--progress-fd", "8", "--parent-fd", "9", "--finisher"),
        *("--", str(tmp_path / "workloads" / "mem"), "--name", "control"),
        *("--period", "5000000ns", "--deadline", "5000000ns", "--offset", "0ns", "--cpus", "1"),
        *("--policy", "fifo", "--priority", "90", "--overrun", "skip"),
        *("--job-timeout", "1000000000ns", "--stack", "524288B", "--heap", "1048576B"),
        *("--memory-limit", "65536B", "--threads", "1", "--calls", "1", "--jobs", "7"),
        *("--arg", "64KiB", "--arg", "-x"),
        *("--", *bandwidth, "0", *one),
        *("--", *bandwidth, "2", *one),
    ]


def test_what_was_not_asked_for_is_not_passed(tmp_path: Path):
    argv = native_argv(spec_of(deadline="none", policy="other"), tmp_path, NativeOptions())
    unwanted = {"--duration", "--jobs", "--seed", "--allow-unprivileged", "--priority"}
    unwanted |= {"--memory-limit"}
    assert not unwanted & set(argv)
    assert argv[argv.index("--deadline") + 1] == "none"


def test_relative_run_directory_is_passed_as_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    argv = native_argv(spec_of(), Path("D.tmp"), NativeOptions())
    assert argv[argv.index("--run-dir") + 1] == str(tmp_path / "D.tmp")


def test_finisher_runs_without_our_environment_and_takes_the_directory():
    done = subprocess.run(
        ["sh", "-c", finisher_command(), "sh", "/no such/D.tmp"],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"]},
        cwd="/",
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr.startswith("laxity finish: /no such/D.tmp/manifest.json: cannot be read")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"progress 10 2 5000", progress.State(10, 2, 5000)),
        (b"progress 10 2 5000 1", progress.State(10, 2, 5000, 1)),
        (b"progress 10 2 5000 1 0", None),
        (b"progress 10 2", None),
        (b"progress 10 2 x", None),
        (b"progress 10 2 -5", None),
        (b"10 2 5000 7", None),
        (b"", None),
    ],
)
def test_progress_line_is_read_or_passed_over(line: bytes, expected: progress.State | None):
    assert progress.parse_state(line) == expected


def test_share_done_is_that_of_the_limit_that_comes_first():
    state = progress.State(started=25, not_met=0, elapsed_ns=1_000_000_000)
    # 25 of 100 jobs = 0.25; 1 s of 2 s = 0.5.
    assert progress.done_share(state, spec_of(run={"jobs": 100})) == 0.25
    assert progress.done_share(state, spec_of(run={"jobs": 100, "duration": "2s"})) == 0.5
    assert progress.done_share(state, spec_of()) is None
    tasks = [{"workload": "mem", "name": name, "period": "5ms"} for name in ("a", "b")]
    # Each of two tasks runs 100 jobs: 25 of 200.
    assert progress.done_share(state, resolve_spec({"jobs": 100}, tasks, [], 1)) == 0.125
    # The last job may end after the duration.
    late = progress.State(started=25, not_met=0, elapsed_ns=3_000_000_000)
    assert progress.done_share(late, spec_of(run={"duration": "2s"})) == 1.0


def real_time_refusal(
    tasks: Sequence[Mapping[str, object]], interfere: Sequence[Mapping[str, object]] = ()
) -> str | None:
    spec = resolve_spec({}, [dict(one) for one in tasks], [dict(one) for one in interfere], 1)
    try:
        place(spec, Cpus(frozenset({0, 1}), frozenset({0, 1})))
    except ConfigError as error:
        return str(error)
    return None


def test_known_load_of_90_percent_is_taken_and_a_nanosecond_more_refused():
    one = {"workload": "mem", "name": "a", "period": "10ms", "cpus": "1", "wcet": "5ms"}
    # 5/10 + 4/10 = 0.9
    assert real_time_refusal([one, {**one, "name": "b", "wcet": "4ms"}]) is None
    refusal = real_time_refusal([one, {**one, "name": "b", "wcet": "4000001ns"}])
    assert "CPU 1: 90 % of it would go to fifo, rr and deadline, more than 90 %" in refusal
    other = {**one, "name": "b", "wcet": "9ms", "policy": "other"}
    assert real_time_refusal([one, other]) is None


def test_reservation_of_90_percent_is_taken_and_a_nanosecond_more_refused():
    task = {"workload": "mem", "period": "10ms", "policy": "deadline", "runtime": "9ms"}
    assert real_time_refusal([task]) is None
    refusal = real_time_refusal([{**task, "runtime": "9000001ns"}])
    assert refusal.startswith(
        'task "mem": runtime 9000001ns is 90 % of period 10ms, more than 90 %'
    )
    # Whatever wcet is stated, no more than the runtime is given.
    assert real_time_refusal([{**task, "wcet": "50ms"}]) is None
    # Two of 9/10 are 18/10 of two CPUs, three 27/10: above 0.9 of each.
    two = [task, {**task, "name": "b"}]
    assert real_time_refusal(two) is None
    assert "CPU 0: 135 % of it" in real_time_refusal([*two, {**task, "name": "c"}])


def test_load_without_throttling_is_refused_even_where_another_cpu_is_free():
    task = {"workload": "mem", "period": "10ms", "cpus": "1", "policy": "other"}
    loud = {"workload": "bandwidth", "policy": "fifo", "priority": 10, "cpus": "0"}
    spec = resolve_spec({}, [task], [loud], 1)
    with pytest.raises(ConfigError, match="--no-throttling: CPU 0: 100 % of it would go to fifo"):
        check_unthrottled_load(spec)
    check_unthrottled_load(resolve_spec({}, [{**task, "policy": "fifo", "wcet": "9ms"}], [], 1))


def test_reservation_goes_to_laxity_run_in_nanoseconds(tmp_path: Path):
    task = {"workload": "mem", "period": "5ms", "policy": "deadline", "runtime": "1ms", "cpus": "0"}
    argv = native_argv(resolve_spec({}, [task], [], 1), tmp_path, NativeOptions())
    assert argv[argv.index("--policy") :][:4] == ["--policy", "deadline", "--runtime", "1000000ns"]


def test_load_of_a_task_with_several_cpus_is_shared_among_them():
    # 16/10 over two CPUs is 0.8 of each.
    task = {"workload": "mem", "name": "a", "period": "10ms", "cpus": "0-1", "wcet": "8ms"}
    assert real_time_refusal([task, {**task, "name": "b"}]) is None


def test_real_time_corunner_needs_another_cpu_that_is_free():
    task = {"workload": "mem", "period": "10ms", "cpus": "1", "policy": "other"}
    loud = {"workload": "bandwidth", "policy": "fifo", "priority": 10}
    assert real_time_refusal([task], [{**loud, "cpus": "0"}]) is None
    assert "CPU 0: 100 % of it" in real_time_refusal([task], [{**loud, "cpus": "0-1"}])


def test_state_is_said_in_words():
    state = progress.State(started=25, not_met=3, elapsed_ns=1_000_000_000)
    words = progress.describe_state(state, spec_of(run={"jobs": 100, "duration": "2s"}))
    assert words == "1s of 2s, 25 of 100 jobs started, 3 not met"


def test_progress_without_terminal_is_a_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    now_s = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    display = progress.RunDisplay(spec_of(), "mem", is_quiet=False)
    for moment_s in (105.0, 109.9, 110.0, 119.9, 120.0):
        now_s[0] = moment_s
        display.show(progress.State(1, 0, int((moment_s - 100) * 1e9)))
    display.close()
    assert capsys.readouterr().err.splitlines() == [
        "mem: 10s, 1 jobs started, 0 not met",
        "mem: 20s, 1 jobs started, 0 not met",
    ]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]):
    display = progress.RunDisplay(spec_of(), "mem", is_quiet=True)
    display.show(progress.State(1, 0, 10**12))
    display.close()
    assert capsys.readouterr() == ("", "")


FOUR = Cpus(present=frozenset(range(4)), allowed=frozenset({0, 1, 2}))


def test_cpus_that_were_not_chosen_are_all_that_may_be_used():
    assert place(spec_of(cpus=None), FOUR).tasks[0].cpus == (0, 1, 2)


def test_interference_that_was_not_placed_goes_beside_the_task():
    spec = place(spec_of(interfere=[{"workload": "bandwidth"}]), FOUR)
    assert spec.interfere[0].cpus == (0, 2)


def test_interference_without_a_cpu_left_is_refused():
    one = Cpus(frozenset({1}), frozenset({1}))
    with pytest.raises(PlatformError, match=r'interfere 0 ."bandwidth".: no CPU is left beside 1'):
        place(spec_of(interfere=[{"workload": "bandwidth"}]), one)


def test_cpu_that_is_not_there_is_a_usage_error():
    message = 'task "mem": cpus 2-5: no CPU 4-5 on this machine; choose among 0-3'
    with pytest.raises(ConfigError) as caught:
        place(spec_of(cpus="2-5"), FOUR)
    assert str(caught.value) == message


def test_cpu_outside_the_cpuset_is_the_machines_lack():
    message = (
        'task "mem": cpus 2-3: this process may only use 0-2 (cpuset or affinity); '
        "choose among them or widen the set"
    )
    with pytest.raises(PlatformError) as caught:
        place(spec_of(cpus="2-3"), FOUR)
    assert str(caught.value) == message


def test_cpu_of_interference_is_checked_too():
    with pytest.raises(PlatformError, match=r'interfere 0 ."bandwidth".: cpus 3: this process'):
        place(spec_of(interfere=[{"workload": "bandwidth", "cpus": "3"}]), FOUR)


def test_signal_that_comes_before_the_process_is_given_to_it():
    with forwarded_signals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        assert signals.has_received
        sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
        with subprocess.Popen(sleeper) as process:
            signals.start(process)
            assert process.wait() == -signal.SIGTERM
        signals.stop()


def test_signals_are_ours_again_afterwards():
    before = signal.getsignal(signal.SIGINT)
    with forwarded_signals():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_signal_that_the_caller_ignores_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with forwarded_signals() as signals:
            os.kill(os.getpid(), signal.SIGTERM)
            assert not signals.has_received
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    ("task", "corunner", "number"),
    [
        ({"cpus": "1"}, {"cpus": "0-1"}, 1),
        ({"cpus": "1"}, {"cpus": "0"}, 0),
        # It disturbs where the task may go elsewhere, or where both have the same right.
        ({"cpus": "0-1"}, {"cpus": "0-1"}, 0),
        ({"cpus": "1", "policy": "other"}, {"cpus": "1"}, 0),
        ({"cpus": "1"}, {"cpus": "1", "policy": "rr"}, 0),
    ],
)
def test_corunner_that_only_runs_while_the_task_sleeps_is_told(
    task: dict[str, object], corunner: dict[str, object], number: int
):
    tasks = [{"workload": "mem", "period": "10ms", **task}]
    spec = resolve_spec({}, tasks, [{"workload": "bandwidth", **corunner}], 1)
    lines = silent_corunners(spec)
    assert len(lines) == number
    assert all('CPU 1 is that of task "mem" (fifo)' in line for line in lines)
