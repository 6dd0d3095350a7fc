# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The experiment: defaults, refusals with place and value, and the way there and back."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.core.spec import InterfereSpec, Overrun, Policy, corunners_of, spec_to_toml
from laxity.core.spec_reader import (
    is_spec_path,
    parse_interfere_option,
    read_spec_toml,
    reservation_keys,
    resolve_spec,
    split_words,
)
from laxity.errors import ConfigError

RESOLUTION_NS = 1

DESIGN_EXAMPLE = b"""
schema = 1
[run]
duration = "10s"
[[task]]
name = "control"
workload = "mem"
args = ["64KiB"]
period = "5ms"
priority = 90
cpus = "1"
[[interfere]]
workload = "bandwidth"
args = ["write", "64MiB"]
cpus = "0"
"""


def read(
    text: bytes,
    overrides: dict[str, object] | None = None,
    resolution_ns: int = RESOLUTION_NS,
    *,
    is_stored: bool = False,
):
    return read_spec_toml(text, overrides or {}, resolution_ns, is_stored=is_stored)


def resolve(
    run: dict[str, object] | None = None,
    interfere: Sequence[dict[str, object]] = (),
    resolution_ns: int = RESOLUTION_NS,
    **task: object,
):
    table = {"workload": "mem", "period": "10ms"} | task
    table = {key: value for key, value in table.items() if value is not None}
    return resolve_spec(run or {}, [table], list(interfere), resolution_ns)


def refusal(**arguments: object):
    with pytest.raises(ConfigError) as caught:
        resolve(**arguments)  # type: ignore[arg-type]
    return str(caught.value)


def test_example_of_the_design_is_read():
    spec = read(DESIGN_EXAMPLE)
    assert spec.duration_ns == 10_000_000_000
    assert spec.jobs is None
    (task,) = spec.tasks
    assert (task.name, task.workload, task.args) == ("control", "mem", ("64KiB",))
    assert (task.period_ns, task.priority, task.cpus) == (5_000_000, 90, (1,))
    (one,) = spec.interfere
    assert (one.workload, one.args, one.cpus) == ("bandwidth", ("write", "64MiB"), (0,))


def test_defaults_are_those_of_the_design():
    spec = resolve()
    (task,) = spec.tasks
    assert (spec.platform, spec.idle, spec.snapshots, spec.keep) == ("native", "deep", "all", "all")
    assert (task.name, task.policy, task.priority) == ("mem", Policy.FIFO, 50)
    assert (task.deadline_ns, task.offset_ns, task.overrun) == (task.period_ns, 0, Overrun.SKIP)
    # max(1 s, 20 * max(10 ms, 10 ms)) = max(1 s, 200 ms) = 1 s
    assert task.job_timeout_ns == 1_000_000_000


def test_job_timeout_is_twenty_times_the_longer_of_deadline_and_period():
    # max(1 s, 20 * max(400 ms, 100 ms)) = 8 s
    (task,) = resolve(period="100ms", deadline="400ms", overrun="queue").tasks
    assert task.job_timeout_ns == 8_000_000_000
    # The pair around 1 s: 20 * 50 ms = 1 s, 20 * 51 ms = 1.02 s.
    assert resolve(period="50ms").tasks[0].job_timeout_ns == 1_000_000_000
    assert resolve(period="51ms").tasks[0].job_timeout_ns == 1_020_000_000


def test_interference_defaults_to_policy_other_without_priority():
    (one,) = resolve(interfere=[{"workload": "bandwidth", "cpus": "0"}]).interfere
    assert (one.policy, one.priority) == (Policy.OTHER, None)


def test_deadline_none_means_no_deadline():
    assert resolve(deadline="none").tasks[0].deadline_ns is None


def test_period_of_zero_is_refused():
    message = 'task "mem": period "0ms" is not above 0; write for example 10ms'
    assert refusal(period="0ms") == message


def test_missing_period_is_refused():
    message = 'task "mem": no period; write for example period = "10ms" (option: --period 10ms)'
    assert refusal(period=None) == message


def test_period_below_the_resolution_of_the_clock_is_refused():
    # A kernel without high-resolution timers, HZ = 250: 4 ms.
    assert resolve(period="4ms", resolution_ns=4_000_000).tasks[0].period_ns == 4_000_000
    message = 'task "mem": period "3999999ns" is below the clock\'s resolution; write 4ms or more'
    assert refusal(period="3999999ns", resolution_ns=4_000_000) == message


def test_period_below_a_microsecond_is_refused():
    assert resolve(period="1000ns").tasks[0].period_ns == 1_000
    message = 'task "mem": period "999ns" is below what can be released; write 1us or more'
    assert refusal(period="999ns") == message


def test_deadline_longer_than_the_period_needs_queue():
    assert resolve(deadline="10ms").tasks[0].deadline_ns == 10_000_000
    message = (
        'task "mem": deadline 12ms is longer than period 10ms; '
        "set a deadline <= period or pass --overrun queue"
    )
    assert refusal(deadline="12ms") == message
    assert resolve(deadline="12ms", overrun="queue").tasks[0].deadline_ns == 12_000_000


def test_deadline_of_zero_is_refused():
    assert refusal(deadline="0ms").startswith('task "mem": deadline "0ms" is not above 0')


@pytest.mark.parametrize("priority", [1, 99])
def test_priority_at_the_limits_is_taken(priority: int):
    assert resolve(priority=priority).tasks[0].priority == priority


@pytest.mark.parametrize("priority", [0, 100, -1])
def test_priority_outside_1_to_99_is_refused(priority: int):
    message = f'task "mem": priority {priority} is not between 1 and 99'
    assert refusal(priority=priority).startswith(message)


def test_priority_under_policy_other_is_refused():
    assert resolve(policy="other").tasks[0].priority is None
    message = 'task "mem": priority 9 means nothing under policy other; remove it'
    assert refusal(policy="other", priority=9) == message


def test_policy_deadline_has_a_runtime_and_no_priority():
    task = resolve(policy="deadline", period="5ms", runtime="2ms").tasks[0]
    assert (task.policy, task.runtime_ns, task.priority) == ("deadline", 2_000_000, None)
    spec = resolve(policy="deadline", period="5ms", runtime="2ms", deadline="none")
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, RESOLUTION_NS) == spec


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "policy deadline needs a runtime; add one, for example 2ms"),
        ({"runtime": "1023ns"}, 'runtime "1023ns" is below what the kernel can reserve; write'),
        ({"runtime": "10000001ns"}, "runtime 10000001ns is longer than period 10ms; shorten it"),
        (
            {"runtime": "4000001ns", "deadline": "4ms"},
            "runtime 4000001ns is longer than deadline 4ms; shorten it",
        ),
        (
            {"runtime": "11ms", "deadline": "12ms", "overrun": "queue"},
            "runtime 11ms is longer than period 10ms; shorten it",
        ),
        ({"runtime": "1ms", "priority": 9}, "priority 9 means nothing under policy deadline"),
    ],
)
def test_reservation_that_cannot_be_is_refused(keys: dict[str, object], message: str):
    assert refusal(policy="deadline", period="10ms", **keys).startswith(f'task "mem": {message}')


@pytest.mark.parametrize(
    ("runtime", "deadline"), [("1024ns", "10ms"), ("10ms", "10ms"), ("4ms", "4ms")]
)
def test_reservation_at_its_limits_is_taken(runtime: str, deadline: str):
    spec = resolve(policy="deadline", period="10ms", runtime=runtime, deadline=deadline)
    assert spec.tasks[0].runtime_ns


def test_runtime_under_another_policy_is_refused():
    message = 'task "mem": runtime "1ms" means nothing under policy fifo; remove it'
    assert refusal(runtime="1ms") == message


def test_corunner_under_policy_deadline_is_refused():
    one = {"workload": "bandwidth", "cpus": "0", "policy": "deadline"}
    with pytest.raises(ConfigError, match="interfere 0: policy deadline needs a period"):
        resolve_spec({}, [{"workload": "mem", "period": "1ms"}], [one], RESOLUTION_NS)


def test_rt_benchs_letters_give_or_repeat_the_tasks_own_times():
    deadline = {"policy": "deadline"}
    assert reservation_keys({"period": "5ms"}, None, None) == {"period": "5ms"}
    assert reservation_keys({"runtime": "1ms"}, None, None) == {"runtime": "1ms"} | deadline
    given = reservation_keys({}, "5ms", "4ms")
    assert given == {"period": "5ms", "deadline": "4ms"} | deadline
    # 5 ms = 5000 us
    same = {"period": "5ms", "deadline": "4ms"}
    assert reservation_keys(same, "5000us", "4000us") == same | deadline


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"period": "6ms"}, "-P 5ms: the period of the task is 6ms"),
        ({"deadline": "none"}, "-D 4ms: the deadline of the task is none"),
        ({"policy": "fifo"}, "--policy fifo: -P, -D and -T are of policy deadline"),
    ],
)
def test_rt_benchs_letters_that_contradict_the_task_are_refused(
    keys: dict[str, object], message: str
):
    with pytest.raises(ConfigError, match=message):
        reservation_keys(keys, "5ms", "4ms")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("policy", "fifos", 'policy "fifos" is unknown; did you mean "fifo"?'),
        ("policy", "batch", 'policy "batch" is unknown; use one of other fifo rr deadline'),
        ("overrun", "drop", 'overrun "drop" is unknown; use one of skip queue'),
        ("cpus", "x", 'cpus: "x" is not a list of CPUs; write for example 0-1,3'),
        ("offset", "5", 'offset: "5" has no unit; write 5ms or 5s'),
        ("stack", "64", 'stack: "64" has no unit; write 64KiB'),
        ("threads", 0, "threads 0 is not between 1 and 64; write a number that is"),
        ("threads", 65, "threads 65 is not between 1 and 64; write a number that is"),
        ("heap", "2TiB", 'heap: "2TiB" is more than 1TiB; write a smaller size'),
        ("memory_limit", "0B", 'memory_limit "0B" is not above 0; leave it out for no limit'),
        ("memory_limit", "2TiB", 'memory_limit: "2TiB" is more than 1TiB; write a smaller size'),
        ("memory_limit", "64", 'memory_limit: "64" has no unit; write 64KiB'),
        ("job_timeout", "999us", 'job_timeout "999us" is below 1ms; write a longer one'),
        ("period", "9601h", 'period: "9601h" is longer than 400 days; write at most 9600h'),
        ("args", ["a\0b"], "args: a word holds a NUL character; remove it"),
    ],
)
def test_bad_value_of_a_task_names_task_key_and_value(key: str, value: object, message: str):
    assert refusal(**{key: value}) == f'task "mem": {message}'


@pytest.mark.parametrize("name", ["", "a/b", "../x", "-x", "x y"])
def test_name_that_is_awkward_in_paths_is_refused(name: str):
    assert "is not usable in paths" in refusal(name=name)


def test_name_that_is_too_long_is_refused_with_the_limit():
    assert resolve(name="a" * 63).tasks[0].name == "a" * 63
    message = f'task "{"a" * 63}...": name of 64 letters; use at most 63'
    assert refusal(name="a" * 64) == message


def test_limits_of_time_are_taken():
    assert resolve(period="9600h").tasks[0].job_timeout_ns == 9600 * 3600 * 10**9


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "platform",
            "lpc",
            'platform "lpc" is unknown; use native or sim:NAME (laxity list platforms)',
        ),
        ("jobs", 0, "jobs 0 is not between 1 and 9223372036854775807; write a number that is"),
        ("seed", -1, "seed -1 is not between 0 and 9223372036854775807; write a number that is"),
        ("duration", "10", 'duration: "10" has no unit; write 10ms or 10s'),
        ("duration", "0s", 'duration "0s" is not above 0; write a longer one'),
        ("idle", "pol", 'idle "pol" is unknown; did you mean "poll"?'),
        ("snapshots", "some", 'snapshots "some" is unknown; use one of none cpu all'),
        (
            "stop_on",
            "missed",
            'stop_on "missed" is unknown; write miss or, with a time of yours, response>5ms',
        ),
        (
            "stop_on",
            "response<5ms",
            'stop_on "response<5ms" is unknown; write miss or, with a time of yours, response>5ms',
        ),
        ("stop_on", "response>5", 'stop_on response: "5" has no unit; write 5ms or 5s'),
        ("keep", "tail:0", 'keep "tail:0" is unknown; use all, misses or tail:N (the last N rows)'),
        ("max_response", 5, "max_response: 5 has no unit; write 5ms or 5s"),
        ("events", "cycles", "events is a text, not a list; correct it"),
        (
            "events",
            ["cy cles"],
            'events: "cy cles" is not the name of an event; laxity list events shows them',
        ),
        (
            "events",
            ["cycles", "cycles"],
            'events: "cycles" stands there twice; once is enough',
        ),
        (
            "events",
            [f"e{number}" for number in range(17)],
            "events: 17 of them; at most 16 are kept per job",
        ),
    ],
)
def test_bad_value_of_run_names_key_and_value(key: str, value: object, message: str):
    assert refusal(run={key: value}) == f"[run]: {message}"


def test_sixteen_events_are_taken_and_written_back():
    events = [f"e{number}" for number in range(16)]
    spec = resolve(run={"events": events})
    assert spec.events == tuple(events)
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, RESOLUTION_NS) == spec


def test_events_without_the_snapshots_that_read_them_are_refused():
    message = "[run]: events: counters are read with snapshots all, not cpu; write all"
    assert refusal(run={"events": ["cycles"], "snapshots": "cpu"}) == message


@pytest.mark.parametrize(
    ("text", "response_ns"),
    [("miss", None), ("response>5ms", 5_000_000), ("response > 1.5us", 1500), ("response>0s", 0)],
)
def test_every_job_to_stop_on_reads_back_as_it_was_written(text: str, response_ns: int | None):
    spec = resolve(run={"stop_on": text})
    assert spec.stop_on.response_ns == response_ns
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, RESOLUTION_NS) == spec


@pytest.mark.parametrize("keep", ["all", "misses", "tail:1", "tail:1000"])
def test_every_way_of_keeping_rows_is_taken(keep: str):
    assert resolve(run={"keep": keep}).keep == keep


def test_unknown_key_is_refused_with_a_suggestion():
    message = 'task "mem": unknown key "perod"; did you mean "period"?'
    assert refusal(perod="10ms") == message
    assert (
        refusal(run={"durration": "1s"})
        == '[run]: unknown key "durration"; did you mean "duration"?'
    )


def test_unknown_table_is_refused_with_a_suggestion():
    with pytest.raises(ConfigError, match=r'top level: unknown key "tasks"; did you mean "task"?'):
        read(b"schema = 1\n[[tasks]]\n")


def test_events_of_a_task_with_threads_are_refused_because_only_one_would_be_counted():
    assert refusal(run={"events": ["cycles"]}, threads=2) == (
        '[run]: events: task "mem" has 2 threads and only its main one is counted; leave events out'
    )
    assert resolve(run={"events": ["cycles"]}, threads=1).events == ("cycles",)


def test_samples_are_closer_on_a_simulated_platform():
    asked: dict[str, object] = {"events": ["cycles"], "sample_bucket": "99us"}
    assert refusal(run=asked) == (
        '[run]: sample_bucket "99us" is below 100us, which only a simulated platform can do; '
        "write a longer one"
    )
    assert resolve(run=asked | {"sample_bucket": "100us"}).sample_bucket_ns == 100_000
    simulated: dict[str, object] = asked | {"platform": "sim:sabrelite", "sample_bucket": "1us"}
    assert resolve(run=simulated).sample_bucket_ns == 1_000
    assert "not between 1us and 3600s" in refusal(run=simulated | {"sample_bucket": "900ns"})


def test_threads_under_policy_deadline_are_refused():
    message = "threads 2: policy deadline reserves time for one thread; use fifo or rr"
    assert refusal(policy="deadline", runtime="2us", threads=2) == f'task "mem": {message}'
    assert resolve(policy="deadline", runtime="2us", threads=1).tasks[0].threads == 1


def test_threads_of_a_task_are_one_unless_declared():
    assert resolve().tasks[0].threads == 1
    assert "threads" not in spec_to_toml(resolve())
    assert resolve(threads=64).tasks[0].threads == 64
    assert "threads = 64" in spec_to_toml(resolve(threads=64))


@pytest.mark.parametrize(
    ("value", "backend"), [(False, None), (True, "auto"), ("auto", "auto"), ("bpf", "bpf")]
)
def test_trace_is_none_any_or_a_named_back_end(value: object, backend: str | None):
    task = {"workload": "mem", "period": "1ms"}
    spec = resolve_spec({"trace": value}, [task], [], RESOLUTION_NS)
    assert spec.trace == backend
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, RESOLUTION_NS) == spec


@pytest.mark.parametrize("value", ["guess", 1, ["perf"]])
def test_unknown_back_end_of_the_trace_is_refused(value: object):
    known = '"bpf" or "perf" or "tracefs"'
    said = f'[run]: trace "{value}" is unknown; write true, false or a back-end: {known}'
    assert refusal(run={"trace": value}) == said


def test_trace_of_a_board_is_refused_because_this_machine_would_be_recorded():
    said = (
        '[run]: trace: is recorded on this machine alone, and "on" names ssh://root@board; '
        "remove one of them"
    )
    assert refusal(run={"trace": True, "on": "ssh://root@board"}) == said
    assert resolve(run={"trace": False, "on": "ssh://root@board"}).trace is None


def test_keys_of_bound_are_ignored_and_kept():
    spec = resolve(wcet="3ms", ucb=[1, 2])
    assert spec.tasks[0].bound == {"wcet": "3ms", "ucb": [1, 2]}
    assert 'wcet = "3ms"' in spec_to_toml(spec)


def test_spec_without_a_task_is_refused():
    with pytest.raises(ConfigError, match=r"no \[\[task\]\]: nothing would run"):
        resolve_spec({}, [], [], RESOLUTION_NS)


def test_two_tasks_of_one_name_are_refused():
    task = {"workload": "mem", "period": "1ms"}
    with pytest.raises(ConfigError, match='task "mem": two tasks have this name'):
        resolve_spec({}, [task, task], [], RESOLUTION_NS)


def test_tasks_of_one_workload_differ_by_name():
    task = {"workload": "mem", "period": "1ms"}
    spec = resolve_spec({"fail_fast": True}, [task, {**task, "name": "b"}], [], RESOLUTION_NS)
    assert [one.name for one in spec.tasks] == ["mem", "b"]
    assert spec.fail_fast
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, RESOLUTION_NS) == spec


def test_task_without_workload_is_refused():
    message = (
        'task "x": no workload; write workload = "NAME" (see laxity list), or exec = ["PROGRAM"]'
    )
    assert refusal(name="x", workload=None) == message


def test_wrong_type_is_refused_with_its_place():
    assert (
        refusal(priority="high") == 'task "mem": priority is a text, not a whole number; correct it'
    )
    assert refusal(args="64KiB") == 'task "mem": args is a text, not a list; correct it'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"schema = ", "not TOML"),
        (b"\xff", "not UTF-8 text"),
        (b"", "schema is missing; write schema = 1"),
        (b"schema = 2", "schema is 2; write schema = 1"),
        (b"schema = true", "schema is True; write schema = 1"),
        (b"schema = 1\ntask = 3", r"task is not an array of tables; write \[\[task\]\]"),
        (b"schema = 1\nrun = 3", r"run is not a table; write \[run\]"),
    ],
)
def test_file_that_is_no_spec_is_refused(text: bytes, message: str):
    with pytest.raises(ConfigError, match=message):
        read(text)


def test_options_replace_keys_of_run():
    spec = read(DESIGN_EXAMPLE, {"duration": "1s", "jobs": 5})
    assert (spec.duration_ns, spec.jobs) == (1_000_000_000, 5)


def test_resolved_spec_reads_back_to_itself():
    spec = resolve(
        run={"jobs": 3, "duration": "1.5s", "seed": 7, "max_misses": 0, "max_response": "9ms"},
        interfere=[{"workload": "latency", "args": ["1MiB"], "cpus": "0-1", "policy": "rr"}],
        args=['a "quoted" word', "", "ü", "--"],
        deadline="none",
        cpus="1",
        wcet="1ms",
    )
    assert read(spec_to_toml(spec).encode()) == spec


@given(
    st.text(max_size=20),
    st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))),
)
def test_words_survive_the_way_there_and_back(text: str, args: list[str]):
    del text
    spec = resolve(args=args)
    assert read(spec_to_toml(spec).encode()).tasks[0].args == tuple(args)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_spec_or_refused(data: bytes):
    with pytest.raises(ConfigError):
        read(b"schema = 1\n" + data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bandwidth@0", {"workload": "bandwidth", "args": [], "cpus": "0"}),
        (
            "bandwidth write 64MiB@0-1",
            {"workload": "bandwidth", "args": ["write", "64MiB"], "cpus": "0-1"},
        ),
        ("mail 'a b' x@y@2", {"workload": "mail", "args": ["a b", "x@y"], "cpus": "2"}),
    ],
)
def test_interfere_option_is_split_at_its_last_at_sign(text: str, expected: dict[str, object]):
    assert parse_interfere_option(text) == expected


@pytest.mark.parametrize("text", ["", "@", "@0", "bandwidth", " @1"])
def test_interfere_option_without_name_or_cpus_is_refused(text: str):
    with pytest.raises(ConfigError, match=r"not NAME ARG...@CPUS; write for example"):
        parse_interfere_option(text)


def test_open_quotation_is_refused():
    with pytest.raises(
        ConfigError, match=r"-b: cannot be split into words .*; close the quotation"
    ):
        split_words("'64KiB", "-b")


@pytest.mark.parametrize(
    ("argument", "expected"), [("mem", False), ("a/b", True), ("x.toml", True)]
)
def test_argument_with_slash_or_toml_is_a_spec(argument: str, expected: bool):
    assert is_spec_path(argument) is expected


def test_interference_runs_one_process_on_each_of_its_cpus():
    spec = resolve(
        interfere=[
            {"workload": "bandwidth", "cpus": "2-3"},
            {"workload": "latency", "cpus": "0"},
        ]
    )
    named = [(one.workload, cpu) for one, cpu in corunners_of(spec)]
    assert named == [("bandwidth", 2), ("bandwidth", 3), ("latency", 0)]
    assert isinstance(spec.interfere[0], InterfereSpec)


@pytest.mark.parametrize("key", ["exec", "program"])
def test_a_program_and_its_arguments_stand_instead_of_a_workload(key: str):
    command: dict[str, Any] = {key: ["./bin/control", "-v"]}
    spec = resolve(workload=None, **command)
    task = spec.tasks[0]
    assert (task.name, task.workload, task.command) == ("control", "", ("./bin/control", "-v"))
    assert read(spec_to_toml(spec).encode()) == spec


def test_exec_of_a_spec_of_before_is_a_program_with_its_own_loop():
    """Stored before there was `program`: without isolation the program made its jobs itself."""
    written = spec_to_toml(resolve(workload=None, program=["./control"]))
    of_before = written.replace("program = ", "exec = ")
    assert read(of_before.encode(), is_stored=True) == read(written.encode())
    per_job = spec_to_toml(resolve(workload=None, exec=["./control"]))
    assert read(per_job.encode(), is_stored=True) == read(per_job.encode())


def test_a_corunner_is_a_program_and_its_arguments():
    spec = resolve(interfere=[{"exec": ["./batch", "3"], "cpus": "1"}])
    one = spec.interfere[0]
    assert (one.workload, one.exec, one.runs) == ("", ("./batch", "3"), "./batch")
    assert read(spec_to_toml(spec).encode()) == spec


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, 'no workload; write workload = "NAME" (see laxity list), or exec = ["PROGRAM"]'),
        ({"exec": []}, 'exec names no program; write for example ["./control"]'),
        ({"exec": ["./batch"], "workload": "mem"}, "both workload and exec; remove one of them"),
        ({"exec": ["./batch"], "args": ["1"]}, "exec: args are the arguments of a workload"),
        ({"exec": ["./batch\0"]}, "exec: an argument holds a NUL character"),
    ],
)
def test_a_corunner_that_is_none_is_refused(table: dict[str, object], message: str):
    assert f"interfere 0: {message}" in refusal(interfere=[table])


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "both workload and exec; remove one of them"),
        ({"exec": []}, 'exec names no program; write for example ["./control"]'),
        ({"program": ["./control"]}, "both exec and program; remove one of them"),
        ({"args": ["1"]}, "args are the arguments of a workload; write them after the program"),
        ({"memory_limit": "1MiB"}, "memory_limit cannot be used with exec: only what a workload"),
        ({"threads": 2}, "threads cannot be used with exec: one thread makes the jobs"),
        ({"stack": "1MiB"}, "stack cannot be used with exec: the program touches its own memory"),
        ({"heap": "1MiB"}, "heap cannot be used with exec: the program touches its own memory"),
        ({"run": {"events": ["cycles"]}}, "runs a program of its own, whose events are not"),
        ({"run": {"on": "ssh://root@board"}}, "boards get workloads only; leave it out"),
    ],
)
def test_what_does_not_fit_a_program_of_the_users_own_is_refused(
    keys: dict[str, object], message: str
):
    workload = "mem" if not keys else None
    assert message in refusal(**{"workload": workload, "exec": ["./control"]} | keys)
