# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
import pytest

from laxity.core.spec_reader import read_spec_toml
from laxity.core.task_set import RunWcet, TaskSet, Work, read_task_set
from laxity.errors import ConfigError

ONE = """
schema = 1
[run]
duration = "1s"
[[task]]
name = "control"
workload = "mem"
args = ["64KiB"]
period = "10ms"
priority = 90
cpus = "1"
wcet = "2ms"
jitter = "100us"
blocking = "50us"
working_set = "64KiB"
ucb = [1, 2]
ecb = [2, 3]
overhead_ratio = "20%"
"""


def task_set(*lines: str) -> TaskSet:
    text = 'schema = 1\n[[task]]\nname = "a"\nperiod = "10ms"\nwcet = "1ms"\n' + "\n".join(lines)
    return read_task_set(text.encode())


def test_one_file_is_run_and_bounded():
    task = read_task_set(ONE.encode()).tasks[0]
    assert (task.name, task.cpu, task.priority) == ("control", 1, 90)
    assert (task.period_ns, task.deadline_ns) == (10_000_000, 10_000_000)
    keys = task.keys
    assert (keys.wcet_ns, keys.jitter_ns, keys.blocking_ns) == (2_000_000, 100_000, 50_000)
    assert keys.working_set_bytes == 65536
    assert (keys.ucb, keys.ecb) == (frozenset({1, 2}), frozenset({2, 3}))
    assert keys.overhead_ppm == 200_000
    spec = read_spec_toml(ONE.encode(), {}, 1)
    assert spec.tasks[0].bound["jitter"] == "100us"


def test_task_without_a_workload_is_bounded_though_it_cannot_run():
    assert task_set().tasks[0].name == "a"
    with pytest.raises(ConfigError, match="no workload"):
        read_spec_toml(b'schema = 1\n[[task]]\nname = "a"\nperiod = "10ms"\nwcet = "1ms"', {}, 1)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("jitter = 5", "jitter: 5 has no unit"),
        ('working_set = "64"', 'working_set: "64" has no unit'),
        ("ucb = [-1]", "ucb: no list of cache sets"),
        ("ecb = [true]", "ecb: no list of cache sets"),
        ("overhead_ratio = 1.2", "overhead_ratio: 1.2 is no percentage"),
        ("wcet_from = 3", "wcet_from: 3 is no path"),
        ('wcet_from = ""', 'wcet_from: "" is no path'),
        ('jiter = "1ms"', 'unknown key "jiter"; did you mean "jitter"?'),
    ],
)
def test_both_readers_check_the_keys_of_bound(line: str, told: str):
    with pytest.raises(ConfigError, match='task "a"') as refusal:
        task_set(line)
    assert told in str(refusal.value)
    text = f'schema = 1\n[[task]]\nname = "a"\nworkload = "mem"\nperiod = "10ms"\n{line}'
    with pytest.raises(ConfigError) as refusal:
        read_spec_toml(text.encode(), {}, 1)
    assert told in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('policy = "other"', "policy other: neither a priority nor a deadline"),
        ("threads = 2", "threads 2: the test is of tasks with one thread"),
        ('deadline = "none"', "deadline none: there is nothing to prove"),
        ('deadline = "0ms"', 'deadline "0ms" is not above 0'),
        ("priority = 100", "priority 100 is not between 1 and 99"),
        ("args = 3", "args is a whole number, not a list"),
        (
            '[[interfere]]\nworkload = "mem"\npolicy = "fifo"',
            "policy fifo takes its CPU from tasks",
        ),
        ('[[task]]\nname = "b"\nperiod = "1ms"', 'task "b": no wcet; add for example'),
        (
            '[[task]]\nname = "b"\nperiod = "1ms"\nwcet_from = "R"',
            "runs are not read here",
        ),
        ('wcet_from = "R"', "wcet and wcet_from both say how long a job takes"),
        ('[[task]]\nname = "a"\nperiod = "1ms"\nwcet = "1us"', "two tasks have this name"),
        ('cpus = "1"\n[[task]]\nname = "b"\nperiod = "1ms"\nwcet = "1us"', 'task "b": no cpus'),
        ('[[task]]\nwcet = "1ms"\nperiod = "1ms"', "task 1: no name"),
        ('[[task]]\nname = "b"\nwcet = "0ms"', 'wcet "0ms" is not above 0'),
        ('[[task]]\nname = "b"\nwcet = "1ms"', 'task "b": no period'),
    ],
)
def test_what_the_test_does_not_cover_is_refused(line: str, told: str):
    with pytest.raises(ConfigError) as refusal:
        task_set(line)
    assert told in str(refusal.value)


def test_measured_wcet_is_asked_for_by_run_and_task():
    asked = []

    def read_wcet(run: str, task: str, work: Work) -> RunWcet:
        asked.append((run, task, work))
        return RunWcet(1_200_000, 1_000_000)

    text = (
        b'schema = 1\n[[task]]\nname = "a"\nperiod = "10ms"\nwcet_from = "runs/one"\nworkload = "w"'
    )
    task = read_task_set(text, read_wcet).tasks[0]
    assert asked == [("runs/one", "a", Work(("w",)))]
    assert (task.wcet_ns, task.observed_ns, task.certain_wcet_ns) == (
        *(1_200_000, 1_000_000),
        1_000_000,
    )
    stated = task_set().tasks[0]
    assert (stated.observed_ns, stated.certain_wcet_ns) == (None, 1_000_000)


def test_file_without_tasks_is_refused():
    with pytest.raises(ConfigError, match=r"no \[\[task\]\]: there is nothing to bound"):
        read_task_set(b"schema = 1")
