# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Bad input: its message, its exit code, and that nothing was created."""

import os
from pathlib import Path

import pytest
from tests.cli.commands import needs_two_cpus
from tests.cli.laxity_command import Laxity

MEM = ("mem", "-b", "64KiB", "-c", "0")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*MEM, "-p", "0ms"), 'task "mem": period "0ms" is not above 0; write for example 10ms'),
        ((*MEM, "-p", "10"), 'task "mem": period: "10" has no unit; write 10s'),
        (
            (*MEM, "-p", "10ms", "-d", "12ms"),
            'task "mem": deadline 12ms is longer than period 10ms; '
            "set a deadline <= period or pass --overrun queue",
        ),
        ((*MEM, "-p", "10ms", "-f", "100"), 'task "mem": priority 100 is not between 1 and 99;'),
        ((*MEM, "-p", "10ms", "--duration", "10"), '[run]: duration: "10" has no unit; write 10s'),
        ((*MEM, "-p", "10ms", "-t", "0"), "[run]: jobs 0 is not between 1 and"),
        ((*MEM, "-p", "10ms", "--stack", "64"), 'task "mem": stack: "64" has no unit; write 64KiB'),
        ((*MEM, "-p", "10ms", "-c", "4000"), 'task "mem": cpus 4000: no CPU 4000 on this machine;'),
        ((*MEM, "-p", "10ms", "-c", "x"), 'task "mem": cpus: "x" is not a list of CPUs;'),
        (("mme", "-p", "10ms"), 'workload "mme": unknown; did you mean "mem"?'),
        ((*MEM, "--perod", "10ms"), 'unknown option --perod; did you mean "--period"?'),
        ((*MEM, "--per", "10ms"), "unknown option --per;"),
        ((*MEM, "-p", "10ms", "--policy", "deadline"), "invalid value for '--policy':"),
        ((*MEM, "-p", "10ms", "--platform", "sim:x"), '[run]: platform "sim:x" is unknown;'),
        ((*MEM, "-p", "10ms", "--interfere", "bandwidth"), '--interfere "bandwidth": not NAME ARG'),
        ((*MEM, "-p", "10ms", "--interfere", "nope@0"), 'workload "nope": unknown;'),
        ((*MEM, "-p", "10ms", "-b", "'"), "-b: cannot be split into words"),
        ((*MEM, "-l", "2"), "-l: not an option of laxity run; what is logged is always everything"),
        ((*MEM, "-o", "x"), "-o: not an option of laxity run; a run is a directory; name it with"),
        ((*MEM, "-g", "x"), "-g: not an option of laxity run; an experiment is a spec file;"),
        ((*MEM, "-H", "x"), "-H: not an option of laxity run; the heap is ordinary locked memory;"),
        (("./none.toml",), "spec none.toml: cannot be read (No such file or directory);"),
        ((), "missing argument 'SPEC|NAME'"),
    ],
)
def test_bad_option_is_refused_and_nothing_is_created(
    laxity: Laxity, words: tuple[str, ...], message: str
):
    done = laxity("run", *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"laxity run: {message}")
    assert done.stderr.count("\n") == 1
    assert laxity.names() == set()


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"perod": "5ms"}, 'task "x": unknown key "perod"; did you mean "period"?'),
        ({"exec": "./a"}, 'task "x": this build cannot do "exec"; remove it'),
        ({"workload": "./nope"}, 'workload "{directory}/nope": no executable file;'),
        ({"policy": "other", "priority": 5}, 'task "x": priority 5 means nothing under policy'),
    ],
)
def test_bad_spec_is_refused_with_its_path(laxity: Laxity, task: dict[str, object], message: str):
    done = laxity("run", laxity.spec(name="x", **task))
    assert done.returncode == 2
    expected = message.replace("{directory}", str(laxity.directory))
    place = "" if expected.startswith("workload") else "spec fault.toml: "
    assert done.stderr.startswith(f"laxity run: {place}{expected}")
    assert laxity.names() == set()


def test_option_that_describes_a_task_does_not_go_with_a_spec(laxity: Laxity):
    done = laxity("run", laxity.spec(), "--period", "5ms")
    message = "--period: describes a task, and fault.toml does that; change the spec"
    assert (done.returncode, done.stderr) == (2, f"laxity run: {message}\n")


def test_run_directory_that_exists_is_refused(laxity: Laxity):
    (laxity.directory / "D").mkdir()
    done = laxity("run", *MEM, "-p", "10ms", "--run-dir", "D")
    message = "laxity run: run directory D: exists; name another one or remove it\n"
    assert (done.returncode, done.stderr) == (2, message)


def test_run_directory_that_cannot_be_created_is_refused(laxity: Laxity):
    (laxity.directory / "file").write_text("")
    done = laxity("run", *MEM, "-p", "10ms", "--run-dir", "file/D")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "laxity run: run directory file/D: cannot be created (File exists"
    )


def test_run_dir_and_run_root_are_refused_together(laxity: Laxity):
    done = laxity("run", *MEM, "-p", "10ms", "--run-dir", "D", "--run-root", "R")
    assert done.returncode == 2
    assert "only one can say where the run goes" in done.stderr


@needs_two_cpus
def test_cpu_outside_the_cpuset_is_the_machines_lack(laxity: Laxity):
    allowed = sorted(os.sched_getaffinity(0))
    prefix = ["taskset", "-c", str(allowed[0])]
    done = laxity("run", "mem", "-b", "64KiB", "-c", str(allowed[1]), "-p", "10ms", prefix=prefix)
    assert done.returncode == 3
    message = f'laxity run: task "mem": cpus {allowed[1]}: this process may only use {allowed[0]} '
    assert done.stderr.startswith(message)
    assert laxity.names() == set()


def test_dry_run_prints_the_resolved_spec_and_creates_nothing(laxity: Laxity):
    done = laxity("run", *MEM, "-p", "10ms", "--dry-run", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert laxity.names() == set()
    # What it prints is a spec that resolves to itself.
    Path(laxity.directory / "again.toml").write_text(done.stdout)
    assert laxity("run", "again.toml", "--dry-run").stdout == done.stdout
