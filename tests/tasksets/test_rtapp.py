# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets of rt-app: what each key becomes, and that none is passed over in silence."""

import pytest

from laxity.core.spec import Policy
from laxity.errors import ConfigError
from laxity.tasksets.rtapp import MAX_TASKS, RtappSet, RtappTask, read_rtapp
from laxity.tasksets.rtapp_tables import EVENTS, MAX_WHOLE

TIMER = '"timer": {"ref": "unique", "period": 10000}'
WORK = f'"run": 1500, {TIMER}'


def read(tasks: str, settings: str = "") -> RtappSet:
    return read_rtapp(f'{{"tasks": {{{tasks}}}, "global": {{{settings}}}}}'.encode())


def only(keys: str, settings: str = "") -> RtappTask:
    found = read(f'"a": {{{keys}}}', settings)
    assert found.unsupported == ()
    (task,) = found.tasks
    return task


def refused(keys: str, settings: str = "") -> str:
    with pytest.raises(ConfigError) as error:
        read(f'"a": {{{keys}}}', settings)
    return str(error.value)


def test_task_of_one_timer_is_periodic():
    task = only(f'"policy": "SCHED_FIFO", "priority": 99, "cpus": [3, 1, 3], "delay": 7, {WORK}')
    assert (task.period_us, task.offset_us, task.work_us) == (10000, 7, 1500)
    assert (task.policy, task.priority, task.cpus) == (Policy.FIFO, 99, (1, 3))
    assert (task.deadline_us, task.is_absolute, task.jobs) == (None, False, None)


def test_real_time_priority_left_out_is_that_of_rt_app():
    assert only(f'"policy": "SCHED_RR", {WORK}').priority == 10
    assert only(WORK, '"default_policy": "SCHED_FIFO"').priority == 10


def test_policy_left_out_is_other_without_priority():
    task = only(WORK)
    assert (task.policy, task.priority) == (Policy.OTHER, None)


def test_repeated_and_numbered_events_add_up():
    # 1 + 20 + 300 = 321
    found = read(f'"a": {{"run": 1, "run0": 20, "runtime": 300, {TIMER}}}')
    assert found.tasks[0].work_us == 321
    assert found.tasks[0].counts_elapsed_time
    assert not found.repeats_events
    assert read(f'"a": {{"run": 1, "run": 2, {TIMER}}}').repeats_events


def test_timer_in_front_delays_the_first_job_by_a_period():
    assert only(f'{TIMER}, "run": 5').offset_us == 10000
    assert only(f'"run": 5, {TIMER}').offset_us == 0
    assert only(TIMER).offset_us == 0  # nothing but a timer: there is no front


def test_absolute_timer_keeps_its_releases():
    timer = '"timer": {"ref": "unique", "period": 9, "mode": "absolute"}'
    assert only(f'"run": 5, {timer}').is_absolute


def test_reservation_defaults_as_in_rt_app():
    policy = '"policy": "SCHED_DEADLINE"'
    task = only(f'{policy}, "dl-runtime": 2000, "dl-period": 10000, {WORK}')
    assert (task.runtime_us, task.period_us, task.deadline_us) == (2000, 10000, 10000)
    task = only(f'{policy}, "dl-runtime": 2000, "period": 10000, "deadline": 8000, {WORK}')
    assert (task.runtime_us, task.period_us, task.deadline_us) == (2000, 10000, 8000)
    assert "without dl-runtime" in refused(f"{policy}, {WORK}")


def test_reservation_of_another_period_than_the_timer_leaves_the_task_out():
    keys = f'"policy": "SCHED_DEADLINE", "dl-runtime": 2000, "dl-period": 5000, {WORK}'
    found = read(f'"a": {{{keys}}}')
    assert found.tasks == ()
    assert found.unsupported[0].startswith('task "a": dl-period: 5000 us, its timer 10000 us')


def test_instances_become_tasks_of_their_own():
    found = read(f'"a": {{"instance": 3, {WORK}}}, "b": {{{WORK}}}')
    assert [task.name for task in found.tasks] == ["a-0", "a-1", "a-2", "b"]
    assert refused(f'"instance": {MAX_TASKS + 1}, {WORK}')
    full = f'"a": {{"instance": {MAX_TASKS}, {WORK}}}'
    assert len(read(full).tasks) == MAX_TASKS
    with pytest.raises(ConfigError, match="more than 1024 instances together"):
        read(f'{full}, "b": {{{WORK}}}')


def test_single_phase_is_the_task_and_its_loops_multiply():
    phase = f'"phases": {{"p": {{"loop": 4, "policy": "SCHED_RR", "cpus": [1], {WORK}}}}}'
    task = only(f'"loop": 3, "cpus": [0], "policy": "SCHED_FIFO", {phase}')
    assert (task.jobs, task.policy, task.cpus) == (12, Policy.RR, (1,))
    assert only(phase).jobs is None  # a task without loop has no end


def test_policy_of_a_phase_does_not_take_the_priority_of_the_task():
    phases = f'"phases": {{"p": {{"policy": "SCHED_RR", {WORK}}}}}'
    assert only(f'"policy": "SCHED_FIFO", "priority": 50, {phases}').priority == 10
    phases = f'"phases": {{"p": {{"priority": 7, {WORK}}}}}'
    task = only(f'"policy": "SCHED_FIFO", "priority": 50, {phases}')
    assert (task.policy, task.priority) == (Policy.FIFO, 7)


def test_loop_and_duration_end_the_run():
    found = read(f'"a": {{"loop": 5, {WORK}}}, "b": {{"loop": 5, {WORK}}}', '"duration": 2')
    assert (found.jobs, found.duration_s, found.unsupported) == (5, 2, ())
    found = read(f'"a": {{{WORK}}}', '"duration": -1')
    assert (found.jobs, found.duration_s) == (None, None)
    for bad in (0, -2):
        assert "-1 for no end" in refused(f'"loop": {bad}, {WORK}')
        assert "-1 for no end" in refused(WORK, f'"duration": {bad}')


def test_loops_that_differ_are_listed():
    found = read(f'"a": {{"loop": 5, {WORK}}}, "b": {{{WORK}}}')
    assert found.jobs is None
    assert found.unsupported == (
        'loop: differs, and jobs is one for all tasks here: "a" 5, "b" without end',
    )
    assert found.has_all_work


@pytest.mark.parametrize("event", sorted(set(EVENTS) - {"run", "runtime", "timer"}))
def test_event_without_counterpart_is_listed_with_its_place(event: str):
    value = "100" if event == "sleep" else '"m"'
    found = read(f'"a": {{"run": 1, "{event}2": {value}, {TIMER}}}')
    assert [line.split(": ")[:2] for line in found.unsupported] == [
        ['task "a"', f"{event}2 (event 2)"]
    ]
    assert [task.work_us for task in found.tasks] == [1]
    assert not found.has_all_work


@pytest.mark.parametrize(
    ("keys", "line", "is_all_work"),
    [
        (f'"taskgroup": "/g", {WORK}', 'task "a": taskgroup: control groups', True),
        (f'"util_max": 9, {WORK}', 'task "a": util_max: utilisation clamps', True),
        (f'"priority": -5, {WORK}', 'task "a": priority -5: under SCHED_OTHER it is a nice', True),
        (f'"policy": "SCHED_IDLE", {WORK}', 'task "a": policy SCHED_IDLE: written as', True),
        (f'"dl-runtime": 9, {WORK}', 'task "a": dl-runtime: says something under', True),
        (f'"exec": 9, {WORK}', 'task "a": exec: of rt-app before 1.0', False),
        (f'"instance": 0, {WORK}', 'task "a": instance 0: nothing but a fork', False),
        ('"run": 9', 'task "a": no timer, so nothing says its period', False),
        (f'"run": 9, {TIMER}, "run": 9, {TIMER}', 'task "a": 2 timers', False),
        (f'"run": 9, {TIMER}, "run": 9', 'task "a": timer: stands between', False),
        (
            f'"phases": {{"p": {{{WORK}}}, "q": {{{WORK}}}}}',
            'task "a": phases: 2, and jobs of a task are all alike',
            False,
        ),
        (
            f'"phases": {{"p": {{"util_min": 1, {WORK}}}}}',
            'task "a": phase "p": util_min: utilisation',
            True,
        ),
    ],
)
def test_what_has_no_counterpart_is_listed_with_its_place(keys: str, line: str, is_all_work: bool):
    found = read(f'"a": {{{keys}}}')
    assert len(found.unsupported) == 1
    assert found.unsupported[0].startswith(line)
    assert found.has_all_work is is_all_work


def test_task_that_sleeps_is_told_the_timer_that_it_may_mean():
    # 20 + 80 = 100
    found = read('"a": {"run": 20, "sleep": 80}')
    assert "(100 us if nothing delays it: write a timer of that)" in found.unsupported[1]
    assert "us if" not in read('"a": {"run": 20, "suspend": ""}').unsupported[1]


def test_events_of_several_phases_are_all_listed():
    phases = f'"phases": {{"p": {{"lock": "m", {WORK}}}, "q": {{"sleep": 5}}}}'
    found = read(f'"a": {{{phases}}}')
    assert [line.split(": ")[:3] for line in found.unsupported[:2]] == [
        ['task "a"', 'phase "p"', "lock (event 1)"],
        ['task "a"', 'phase "q"', "sleep (event 1)"],
    ]
    assert found.unsupported[2].startswith('task "a": phases: 2')
    wrong = '"phases": {"p": {"policy": "FIFO", "run": 1}, "q": {"run": 1}}'
    assert 'policy "FIFO" is unknown' in refused(wrong)


def test_shared_timer_leaves_out_every_task_that_uses_it():
    shared = '"run": 1, "timer": {"ref": "tick", "period": 9}'
    found = read(f'"a": {{{shared}}}, "b": {{{shared}}}, "c": {{{WORK}}}')
    assert [task.name for task in found.tasks] == ["c"]
    assert len(found.unsupported) == 2
    assert read(f'"a": {{"instance": 2, {shared}}}').tasks == ()
    assert len(read(f'"a": {{{shared}}}').tasks) == 1
    # Without a name it is one that all such timers share.
    nameless = '"run": 1, "timer": {"period": 9}'
    assert read(f'"a": {{{nameless}}}, "b": {{{nameless}}}').tasks == ()


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (f'"runn": 9, {WORK}', 'task "a": unknown key "runn"; did you mean "run"'),
        (f'"run_a": 9, {WORK}', 'unknown key "run_a"'),
        (f'"Run": 9, {WORK}', 'unknown key "Run"; did you mean "run"'),
        (f'"piority": 9, {WORK}', 'did you mean "priority"'),
        (f'"cpus": [0], "cpus": [1], {WORK}', "cpus: stands there twice"),
        (f'"policy": "SCHED_FIFI", {WORK}', 'did you mean "SCHED_FIFO"'),
        (f'"policy": "SCHED_FIFO", "priority": 0, {WORK}', "not between 1 and 99"),
        (f'"policy": "SCHED_FIFO", "priority": 100, {WORK}', "not between 1 and 99"),
        (f'"cpus": [], {WORK}', "cpus: a list is no list of CPUs"),
        (f'"cpus": [8192], {WORK}', "8192 is no CPU"),
        (f'"cpus": [true], {WORK}', "true is no whole number"),
        (f'"delay": -1, {WORK}', "delay: -1 is not between 0"),
        ('"timer": {"ref": "unique"}', '"timer": no period'),
        ('"timer": {"period": 0}', "period: 0 is not between 1"),
        ('"timer": {"period": 9, "mode": "rel"}', 'mode "rel" is unknown'),
        ('"timer": {"period": 9, "perod": 9}', 'unknown key "perod"'),
        ('"timer": 9', '"timer": 9 is no object'),
        ('"run": 1.5', '"run": 1.5 is no whole number'),
        ('"run": -1', '"run": -1 is not between 0'),
        (f'"run": {MAX_WHOLE + 1}', f"{MAX_WHOLE + 1} is not between"),
        ('"run": "9"', "is no whole number"),
        ("", "no event"),
        ('"phases": {}', "phases: there is none"),
        (f'"run": 1, "phases": {{"p": {{{WORK}}}}}', "rt-app ignores events beside phases"),
        (f'"phases": {{"p": {{"delay": 1, {WORK}}}}}', 'phase "p": unknown key "delay"'),
    ],
)
def test_mistake_is_refused_with_its_place(keys: str, why: str):
    assert why in refused(keys)


def test_mistakes_outside_tasks_are_refused():
    for text, why in (
        ("{}", 'no "tasks"'),
        ('{"task": {}}', 'did you mean "tasks"'),
        ('{"tasks": {"a": 1}}', 'task "a": 1 is no object'),
        (f'{{"tasks": {{"a": {{{WORK}}}, "a": {{{WORK}}}}}}}', "two tasks have this name"),
    ):
        with pytest.raises(ConfigError) as error:
            read_rtapp(text.encode())
        assert why in str(error.value)
    assert 'global: unknown key "durration"; did you mean "duration"' in refused(
        WORK, '"durration": 1'
    )
    assert "global: default_policy" in refused(WORK, '"default_policy": "FIFO"')


def test_keys_that_say_nothing_about_tasks_are_named():
    found = read_rtapp(
        f'{{"tasks": {{"a": {{{WORK}}}}}, "resources": {{"m": {{}}}}, '
        '"global": {"logdir": "./", "calibration": 18}}'.encode()
    )
    assert found.ignored == ("global.calibration", "global.logdir", "resources")
    assert found.unsupported == ()


def test_file_of_many_tasks_is_read_at_once():
    # Compared each with each, and their timers, these would be 10^10 steps.
    tasks = ", ".join(f'"t{index}": {{"timer": {{"ref": "r{index}"}}}}' for index in range(20_000))
    with pytest.raises(ConfigError, match="no period"):
        read(tasks)
    with pytest.raises(ConfigError, match="more than 1024 instances together"):
        read(tasks.replace('"ref"', '"period": 9, "ref"'))
