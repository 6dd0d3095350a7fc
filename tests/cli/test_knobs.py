# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""--no-throttling and --shield on this machine: what they change comes back, whoever is killed."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.commands import (
    CPU,
    finish,
    laxity,
    manifest_of,
    needs_fifo,
    needs_root,
    needs_two_cpus,
    processes_naming,
    start,
)
from tests.waiting import wait_until

from laxity.core.cpus import format_cpus
from laxity.platform.knob_journal import DIRECTORY
from laxity.platform.shield import RT_RUNTIME

THROTTLING = Path(RT_RUNTIME)
JOURNALS = Path(DIRECTORY)
# So long that every test ends it.
ENDLESS = ("run", "empty", "-p", "5ms", "--duration", "100s", "-c", str(CPU), "--no-report")

pytestmark = [
    pytest.mark.serial,
    needs_root,
    needs_fifo,
    pytest.mark.skipif(not os.access(THROTTLING, os.W_OK), reason="needs a writable /proc/sys"),
]


@pytest.fixture(autouse=True)
def throttling() -> Iterator[str]:
    """The limit before the test; whatever the test does, it is there after it."""
    before = THROTTLING.read_text()
    if before.strip() == "-1":
        pytest.skip("real-time throttling is off already")
    yield before
    if THROTTLING.read_text() != before:
        THROTTLING.write_text(before)
        pytest.fail("the test left real-time throttling changed")


def is_lifted() -> bool:
    return THROTTLING.read_text().strip() == "-1"


def wait_for_rows(tmp: Path) -> None:
    stream = tmp / "jobs.npy"
    # The header is 4096 bytes long.
    wait_until(lambda: stream.exists() and stream.stat().st_size > 4096, f"rows in {stream}")


def start_lifted(directory: Path) -> "subprocess.Popen[str]":
    process = start(*ENDLESS, "--no-throttling", "--run-dir", directory, is_own_session=True)
    wait_for_rows(directory.with_name("D.tmp"))
    assert is_lifted()
    return process


def test_limit_is_lifted_during_the_run_and_back_after_it(tmp_path: Path, throttling: str):
    process = start_lifted(tmp_path / "D")
    os.killpg(process.pid, signal.SIGINT)
    assert finish(process).code == 130
    assert THROTTLING.read_text() == throttling
    assert list(JOURNALS.iterdir()) == []
    knobs = manifest_of(tmp_path / "D").knobs
    assert knobs.rt_runtime_us_before == int(throttling)
    assert knobs.shield is None
    limit = throttling.strip()
    assert f"lifted; before the run {limit} us" in laxity("show", tmp_path / "D").out


def test_limit_is_back_after_the_run_was_refused(tmp_path: Path, throttling: str):
    words = ("--run-dir", tmp_path / "D", "-b", "1B")
    outcome = laxity("run", "mem", "-p", "5ms", "-t", "5", "--no-throttling", *words)
    assert outcome.code == 1
    assert THROTTLING.read_text() == throttling


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_limit_is_back_after_a_signal(tmp_path: Path, throttling: str, number: signal.Signals):
    process = start_lifted(tmp_path / "D")
    process.send_signal(number)
    assert finish(process).code == 130
    assert THROTTLING.read_text() == throttling


def test_finisher_puts_the_limit_back_after_laxity_was_killed(tmp_path: Path, throttling: str):
    process = start_lifted(tmp_path / "D")
    process.kill()
    # Not reaped until later: a dead process that is still in the table owns nothing.
    wait_until(lambda: not is_lifted(), "the limit")
    wait_until((tmp_path / "D").is_dir, "the run")
    process.communicate()
    assert THROTTLING.read_text() == throttling
    assert manifest_of(tmp_path / "D").status == "recovered"
    assert list(JOURNALS.iterdir()) == []


def test_next_command_puts_the_limit_back_after_all_were_killed(tmp_path: Path, throttling: str):
    process = start_lifted(tmp_path / "D")
    victims = processes_naming(str(tmp_path / "D.tmp"))
    assert len(victims) >= 2
    # Those that could answer a death are stopped first, so that nobody sees another one die.
    for pid in (*victims, process.pid):
        os.kill(pid, signal.SIGSTOP)
    for pid in (*victims, process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.communicate()
    assert is_lifted()
    assert len(list(JOURNALS.iterdir())) == 1

    outcome = laxity("show", tmp_path / "D")
    assert outcome.code == 0
    assert (
        f"laxity: a laxity that was killed (process {process.pid}) had left kernel settings "
        f"changed; put back: {RT_RUNTIME} = {throttling.strip()}\n"
    ) in outcome.err
    assert THROTTLING.read_text() == throttling
    assert list(JOURNALS.iterdir()) == []


def test_second_run_that_wants_to_change_settings_is_refused(tmp_path: Path):
    process = start_lifted(tmp_path / "D")
    words = ("-p", "5ms", "-t", "5", "--run-dir", tmp_path / "E", "--no-report")
    refused = laxity("run", "empty", *words, "--no-throttling")
    assert refused.code == 3
    assert "kernel settings are changed for another run; wait until it has ended" in refused.err
    assert not (tmp_path / "E").exists()
    assert is_lifted()
    # One that changes nothing may run meanwhile.
    assert laxity("run", "empty", *words).code == 0
    os.killpg(process.pid, signal.SIGINT)
    assert finish(process).code == 130


def test_endless_corunner_under_fifo_is_refused_without_throttling(tmp_path: Path):
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'schema = 1\n[[task]]\nworkload = "empty"\nperiod = "5ms"\n'
        '[[interfere]]\nworkload = "cpu"\npolicy = "fifo"\n'
        f'cpus = "{min(os.sched_getaffinity(0))}"\n'
    )
    outcome = laxity("run", spec, "-t", "5", "--run-dir", tmp_path / "D", "--no-throttling")
    assert outcome.code == 2
    assert "100 % of it would go to fifo, rr and deadline" in outcome.err
    assert not is_lifted()


@needs_two_cpus
def test_shield_frees_the_tasks_cpu_and_gives_it_back(tmp_path: Path):
    before = os.sched_getaffinity(0)
    # Wherever this machine has more CPUs, the others stay as they are.
    words = ("-p", "5ms", "-t", "50", "-c", str(CPU), "--run-dir", tmp_path / "D", "--no-report")
    sleepers = [subprocess.Popen(["sleep", "100"])]
    try:
        process = start("run", "empty", *words, "--shield", str(CPU))
        wait_until(lambda: CPU not in os.sched_getaffinity(sleepers[0].pid), "the shield")
        assert CPU not in os.sched_getaffinity(0)
        # Born meanwhile, so it has inherited the narrower CPUs.
        sleepers.append(subprocess.Popen(["sleep", "100"]))
        outcome = finish(process)
        assert outcome.code == 0, outcome.err
        assert os.sched_getaffinity(0) == before
        assert [os.sched_getaffinity(one.pid) for one in sleepers] == [before, before]
    finally:
        for one in sleepers:
            one.kill()
            one.wait()
    shield = manifest_of(tmp_path / "D").knobs.shield
    assert shield.cpus == format_cpus([CPU])
    assert shield.threads_moved >= 2
    # Each CPU has threads of the kernel's own.
    assert shield.threads_bound > 0
    assert f"--shield {CPU}: left on these CPUs: {shield.threads_bound} threads" in outcome.err
    assert list(JOURNALS.iterdir()) == []


@needs_two_cpus
def test_finisher_takes_the_shield_down_after_laxity_was_killed(tmp_path: Path):
    before = os.sched_getaffinity(0)
    process = start(
        *ENDLESS, "--shield", str(CPU), "--run-dir", tmp_path / "D", is_own_session=True
    )
    wait_until(lambda: CPU not in os.sched_getaffinity(0), "the shield")
    wait_for_rows(tmp_path / "D.tmp")
    process.kill()
    wait_until((tmp_path / "D").is_dir, "the run")
    process.communicate()
    assert os.sched_getaffinity(0) == before
    assert list(JOURNALS.iterdir()) == []
    assert manifest_of(tmp_path / "D").knobs.shield.cpus == str(CPU)
