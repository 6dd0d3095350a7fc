# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Bad input: its message, its exit code, and that nothing was created."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.cli.commands import needs_root, needs_two_cpus
from tests.cli.laxity_command import Laxity

from laxity.store import run_directory

MEM = ("mem", "-b", "64KiB", "-c", "0")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*MEM, "-p", "0ms"), '--period "0ms" is not above 0; write for example 10ms'),
        ((*MEM, "-p", "10"), '--period: "10" has no unit; write 10ms or 10s'),
        ((*MEM, "-p", "0"), '--period: "0" has no unit; write for example 10ms'),
        ((*MEM, "--name", 300 * "a", "-p", "1ms"), "--name of 300 letters; use at most 63"),
        (
            (*MEM, "-p", "10ms", "-d", "12ms"),
            "--deadline 12ms is longer than period 10ms; "
            "set a deadline <= period or pass --overrun queue",
        ),
        ((*MEM, "-p", "10ms", "-f", "100"), "--priority 100 is not between 1 and 99;"),
        (
            (*MEM, "-p", "10ms", "--duration", "10"),
            '--duration: "10" has no unit; write 10ms or 10s',
        ),
        ((*MEM, "-p", "10ms", "-t", "0"), "--jobs 0 is not between 1 and"),
        ((*MEM, "-p", "10ms", "--stack", "64"), '--stack: "64" has no unit; write 64KiB'),
        ((*MEM, "-p", "10ms", "-c", "4000"), 'task "mem": cpus 4000: no CPU 4000 on this machine;'),
        ((*MEM, "-p", "10ms", "-c", "x"), '--cpus: "x" is not a list of CPUs;'),
        (("mme", "-p", "10ms"), 'workload "mme": unknown; did you mean "mem"?'),
        ((*MEM, "--perod", "10ms"), 'unknown option --perod; did you mean "--period"?'),
        ((*MEM, "--per", "10ms"), "unknown option --per;"),
        ((*MEM, "-p", "10ms", "--policy", "batch"), "invalid value for '--policy':"),
        ((*MEM, "-p", "10ms", "--policy", "deadline"), "--policy deadline needs a runtime;"),
        ((*MEM, "-p", "10ms", "-T", "9001us"), 'task "mem": runtime 9001us is 90 % of period 10ms'),
        ((*MEM, "-p", "10ms", "-P", "9ms"), "-P 9ms: the period of the task is 10ms"),
        ((*MEM, "-p", "10ms", "--shield", "x"), '--shield: "x" is not a list of CPUs;'),
        ((*MEM, "-p", "10ms", "--shield", "4000"), "--shield 4000: no CPU 4000 is online;"),
        ((*MEM, "-p", "10ms", "--platform", "sim:x"), 'platform "sim:x" is unknown;'),
        ((*MEM, "-p", "10ms", "--interfere", "bandwidth"), '--interfere "bandwidth": not NAME ARG'),
        ((*MEM, "-p", "10ms", "--interfere", "nope@0"), 'workload "nope": unknown;'),
        ((*MEM, "-p", "10ms", "-b", "'"), "-b: cannot be split into words"),
        ((*MEM, "-l", "2"), "-l: not an option of laxity run; what is logged is always everything"),
        ((*MEM, "-o", "x"), "-o: not an option of laxity run; a run is a directory; name it with"),
        ((*MEM, "-g", "x"), "-g: not an option of laxity run; an experiment is a spec file;"),
        ((*MEM, "-H", "x"), "-H: not an option of laxity run; the heap is ordinary locked memory;"),
        (("./none.toml",), "none.toml: cannot be read (No such file or directory);"),
        (("/",), "/: is a directory; name a spec file"),
        (("",), 'workload "": not a name and not a file; laxity list shows what there is'),
        (("-",), 'workload "-": not a name and not a file;'),
        (
            (*MEM, "--interfere", ""),
            '--interfere "": not NAME ARG...@CPUS; write for example "bandwidth write 1MiB@0"',
        ),
        ((*MEM, "-p", "1ms", "--run-dir", "/"), "run directory /: is the root directory;"),
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
        ({"isolation": "frok"}, 'task "x": isolation "frok" is unknown; did you mean "fork"?'),
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


@pytest.mark.parametrize(
    ("option", "value"),
    [("--period", "5ms"), ("--stack", ""), ("-b", "1"), ("--sched-period", "1ms")],
)
def test_option_that_describes_a_task_does_not_go_with_a_spec(
    laxity: Laxity, option: str, value: str
):
    done = laxity("run", laxity.spec(), option, value)
    named = "words (-b)" if option == "-b" else option
    message = f"{named}: describes a task, and fault.toml does that; change the spec"
    assert (done.returncode, done.stderr) == (2, f"laxity run: {message}\n")


def test_value_of_an_option_is_refused_as_the_option_also_with_a_spec(laxity: Laxity):
    done = laxity("run", laxity.spec(), "--jobs", "0")
    assert done.returncode == 2
    assert done.stderr.startswith("laxity run: --jobs 0 is not between 1 and")


def test_spec_that_is_not_utf_8_is_said_so(laxity: Laxity):
    (laxity.directory / "fault.toml").write_bytes(b"schema = 1 # \xff")
    done = laxity("run", "fault.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("laxity run: spec fault.toml: not UTF-8 text; ")


def test_example_of_the_refused_interference_runs(laxity: Laxity):
    assert (
        laxity(
            "run", *MEM, "-p", "10ms", "--interfere", "bandwidth write 1MiB@0", "--dry-run"
        ).returncode
        == 0
    )


def test_run_directory_that_is_being_written_is_not_called_left_over(laxity: Laxity):
    tmp = laxity.directory / "D.tmp"
    tmp.mkdir()
    lock_fd = run_directory.lock_directory(tmp)
    assert lock_fd is not None
    done = laxity("run", *MEM, "-p", "10ms", "--run-dir", "D")
    os.close(lock_fd)
    message = "laxity run: run directory D: another laxity is writing it now; name another one\n"
    assert (done.returncode, done.stderr) == (2, message)


@needs_root
def test_run_directory_on_a_full_file_system_is_the_machines_lack(laxity: Laxity):
    full = laxity.directory / "full"
    full.mkdir()
    # The root directory of the file system is its only inode.
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "nr_inodes=1", "tmpfs", full],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("needs permission to mount a tmpfs")
    try:
        done = laxity("run", *MEM, "-p", "10ms", "--run-dir", "full/D")
    finally:
        subprocess.run(["umount", full], check=True)
    message = (
        "laxity run: run directory full/D: cannot be created (No space left on device); "
        "free space or name another place\n"
    )
    assert (done.returncode, done.stderr) == (3, message)


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


def test_stack_beyond_its_limit_is_the_machines_lack_in_sizes_people_read(laxity: Laxity):
    # 128 KiB of the limit are kept for what runs on the stack: 8192 - 128 = 8064.
    prefix = ["prlimit", "--stack=8388608:8388608"]
    words = (*MEM, "-p", "10ms", "-t", "1", "--policy", "other", "--stack", "100GiB")
    done = laxity("run", *words, prefix=prefix)
    message = (
        'laxity-run: task "mem": a stack of 100GiB is more than the limit allows (8064KiB); '
        "raise ulimit -s\n"
    )
    assert (done.returncode, done.stderr) == (3, message)
    assert laxity.names() <= {"runs"}


def test_dry_run_prints_the_resolved_spec_and_creates_nothing(laxity: Laxity):
    done = laxity("run", *MEM, "-p", "10ms", "--dry-run", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert laxity.names() == set()
    # What it prints is a spec that resolves to itself.
    Path(laxity.directory / "again.toml").write_text(done.stdout)
    assert laxity("run", "again.toml", "--dry-run").stdout == done.stdout


def test_dry_run_in_json_is_the_same_spec(laxity: Laxity):
    words = ("run", *MEM, "-p", "10ms", "--dry-run", "--seed", "3")
    document = json.loads(laxity(*words, "--format", "json").stdout)
    assert document == tomllib.loads(laxity(*words).stdout)


@pytest.mark.parametrize("where", ["task", "interfere"])
def test_a_workload_that_is_another_program_is_refused_and_not_executed(laxity: Laxity, where: str):
    """`../../../../bin/true` was executed as it was given, as root; shown is what it leads to."""
    witness = laxity.directory / "executed"
    program = laxity.directory / "tool"
    program.write_text(f"#!/bin/sh\ntouch {witness}\n")
    program.chmod(0o755)
    (laxity.directory / "specs").mkdir()
    other = '[[task]]\nworkload = "mem"\nargs = ["4KiB"]\nperiod = "5ms"\ncpus = "0"\n'
    keys = 'period = "5ms"\n' if where == "task" else ""
    spec = laxity.directory / "specs" / "s.toml"
    spec.write_text(
        f"schema = 1\n[run]\njobs = 3\n{other if where == 'interfere' else ''}"
        f'[[{where}]]\nworkload = ".././specs/../tool"\n{keys}cpus = "0"\n'
    )
    done = laxity("run", "specs/s.toml", "--run-dir", "D")
    assert done.returncode == 2
    assert done.stderr.startswith(f'laxity run: workload "{program}": is no workload')
    assert not witness.exists()
    assert not (laxity.directory / "D").exists()


def test_more_tasks_than_a_run_has_are_refused_before_anything_is_made(laxity: Laxity):
    """5,000 tasks were "Argument list too long; rebuild it with ninja"."""
    task = '[[task]]\nname = "t{}"\nworkload = "empty"\nperiod = "1s"\ncpus = "0"\n'
    text = "schema = 1\n[run]\njobs = 1\n" + "".join(task.format(n) for n in range(4096))
    other = '[[interfere]]\nworkload = "bandwidth"\nargs = ["write", "1MiB"]\ncpus = "0"\n'
    (laxity.directory / "many.toml").write_text(text + other)
    done = laxity("run", "./many.toml", "--run-dir", "D")
    assert done.returncode == 2
    words = "4097 tasks and co-runners: each is a process of its own, and a run has at most 4096"
    assert words in done.stderr
    assert not (laxity.directory / "D.tmp").exists()
    assert not (laxity.directory / "D").exists()


@pytest.mark.parametrize("words", [(), ("-p", "10ms")])
def test_program_in_place_of_a_spec_says_how_it_is_run(laxity: Laxity, words: tuple[str, ...]):
    (laxity.directory / "mine").write_bytes(b"\x7fELF\x01\x01\x01")
    done = laxity("run", "./mine", *words, "--run-dir", "D")
    assert done.returncode == 2
    assert "./mine: is a program, no spec and no workload; run it as it is" in done.stderr
    assert "laxity run --period 10ms --exec ./mine\n" in done.stderr


def test_a_file_that_is_not_there_is_named_before_its_options(laxity: Laxity):
    done = laxity("run", "./absent.toml", "-p", "5ms", "--run-dir", "D")
    assert "absent.toml: cannot be read (No such file or directory)" in done.stderr
    done = laxity("run", ".//", "-p", "5ms", "--run-dir", "D")
    assert "is a directory; name a spec file" in done.stderr


def test_corunners_of_the_command_line_stand_beside_those_of_a_spec(laxity: Laxity):
    text = 'schema = 1\n[[task]]\nworkload = "empty"\nperiod = "5ms"\n[[interfere]]\n'
    text += 'workload = "cpu"\ncpus = "0"\n'
    (laxity.directory / "one.toml").write_text(text)
    words = ("--interfere", "bandwidth write 1MiB@0", "--dry-run", "--format", "json")
    spec = json.loads(laxity("run", "./one.toml", *words).stdout)
    assert [one["workload"] for one in spec["interfere"]] == ["cpu", "bandwidth"]


def test_a_script_is_no_spec(laxity: Laxity):
    (laxity.directory / "mine").write_text("#!/bin/sh\n")
    done = laxity("run", "./mine", "-p", "10ms", "--run-dir", "D")
    assert (done.returncode, "--exec ./mine\n" in done.stderr) == (2, True)


def test_what_is_no_program_is_told_what_it_lacks(laxity: Laxity):
    mine = laxity.directory / "mine"
    mine.write_text("#!/bin/sh\n")
    words = ("-p", "10ms", "--run-dir", "D")
    done = laxity("run", *words, "--exec", "./mine")
    assert f'program "{mine}": no executable file; chmod +x {mine}' in done.stderr
    mine.write_text("true\n")
    mine.chmod(0o755)
    done = laxity("run", *words, "--exec", "./mine")
    assert "a script that names no interpreter; begin it with #!/bin/sh" in done.stderr
    done = laxity("run", "mine", *words)
    assert "a program has this name: laxity run --exec ./mine starts it for each" in done.stderr
    assert not (laxity.directory / "D").exists()


def test_a_workload_of_ones_own_is_run_by_its_path_and_words_stand_behind_it(laxity: Laxity):
    mine = str(laxity.tools / "workloads" / "mem")
    run = laxity.run(mine, "4KiB", "2", "-p", "1ms", "-t", "3", "--policy", "other", "-c", "0")
    task = run.manifest.tasks[0]
    assert (task.name, task.workload, task.args) == ("mem", mine, ["4KiB", "2"])
