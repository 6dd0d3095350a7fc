# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Third-party code as jobs, in a spec: `isolation`, `stdin`, `calls`."""

import pytest

from laxity.core.spec import Isolation, Spec, spec_to_toml, workloads_of
from laxity.core.spec_reader import read_spec_toml, resolve_spec
from laxity.errors import ConfigError

PROGRAM = {"exec": ["./program", "word"]}
GUEST = {"workload": "guest", "args": ["./program.so"], "isolation": "none"}


def resolve(**task: object) -> Spec:
    return resolve_spec({}, [{"name": "one", "period": "10ms", **task}], [], 1)


def test_a_process_per_job_needs_the_workload_that_runs_programs_and_is_none_of_its_own():
    spec = resolve(**PROGRAM, stdin="in")
    assert spec.tasks[0].isolation is Isolation.EXEC
    assert workloads_of(spec) == ["program"]
    assert resolve(**PROGRAM, isolation="exec") == resolve(**PROGRAM)


def test_a_program_with_its_own_loop_needs_no_workload_and_has_no_isolation():
    spec = resolve(program=["./control", "-v"])
    assert (spec.tasks[0].name, spec.tasks[0].isolation) == ("one", None)
    assert (spec.tasks[0].program, spec.tasks[0].exec) == (("./control", "-v"), ())
    assert workloads_of(spec) == []


@pytest.mark.parametrize(
    "task", [{**PROGRAM, "stdin": "in"}, {"program": ["./control", "-v"]}, {**GUEST, "calls": 3}]
)
def test_what_is_stored_reads_back_the_same(task: dict[str, object]):
    spec = resolve(**task)
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, 1) == spec


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({**PROGRAM, "isolation": "fork"}, "isolation fork: each job of exec is a process"),
        ({"program": ["./control"], "isolation": "exec"}, "the jobs of a program are made by"),
        ({"workload": "mem", "isolation": "none"}, 'workload "mem" needs none'),
        ({"workload": "guest"}, "no isolation; write the mode that laxity suite vet found"),
        ({**GUEST, "isolation": "forc"}, 'did you mean "fork"'),
        (
            {**PROGRAM, "policy": "deadline", "runtime": "1ms"},
            "under policy deadline the kernel lets no process be made",
        ),
        ({"workload": "mem", "stdin": "in"}, "stdin: is of exec"),
        ({"program": ["./control"], "stdin": "in"}, "stdin: is of exec"),
        ({**PROGRAM, "stdin": ""}, "stdin: names no file"),
        ({**PROGRAM, "calls": 2}, "a program has no calls"),
        ({"workload": "mem", "calls": 2}, 'workload "mem" has no calls'),
        ({**GUEST, "isolation": "reinit", "calls": 2}, "that would be in the measured part"),
        ({**GUEST, "calls": 0}, "calls 0 is not between 1 and 1000000000"),
        ({**GUEST, "calls": 1_000_000_001}, "calls 1000000001 is not between"),
        ({**PROGRAM, "stack": "1MiB"}, "stack cannot be used with exec"),
    ],
)
def test_what_a_task_cannot_have_is_refused(task: dict[str, object], message: str):
    with pytest.raises(ConfigError, match=message):
        resolve(**task)


def test_events_of_programs_are_refused():
    with pytest.raises(ConfigError, match='task "one" runs a program of its own'):
        resolve_spec(
            {"events": ["page-faults"]}, [{"period": "10ms", **PROGRAM, "name": "one"}], [], 1
        )
