# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Third-party code as jobs, in a spec: `isolation`, `stdin`, `calls`."""

import pytest

from laxity.core.spec import Isolation, Spec, spec_to_toml, workloads_of
from laxity.core.spec_reader import read_spec_toml, resolve_spec
from laxity.errors import ConfigError

PROGRAM = {"exec": ["./program", "word"], "isolation": "exec"}
GUEST = {"workload": "guest", "args": ["./program.so"], "isolation": "none"}


def resolve(**task: object) -> Spec:
    return resolve_spec({}, [{"name": "one", "period": "10ms", **task}], [], 1)


def test_a_process_per_job_needs_the_workload_that_runs_programs_and_is_none_of_its_own():
    spec = resolve(**PROGRAM, stdin="in")
    assert spec.tasks[0].isolation is Isolation.EXEC
    assert not spec.tasks[0].is_own_program
    assert workloads_of(spec) == ["program"]
    assert resolve(exec=["./program"]).tasks[0].is_own_program


@pytest.mark.parametrize("task", [{**PROGRAM, "stdin": "in"}, {**GUEST, "calls": 3}])
def test_what_is_stored_reads_back_the_same(task: dict[str, object]):
    spec = resolve(**task)
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, 1) == spec


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({**PROGRAM, "isolation": "fork"}, "isolation fork: jobs of exec are processes of their"),
        ({"workload": "mem", "isolation": "none"}, 'workload "mem" needs none'),
        ({"workload": "guest"}, "no isolation; write the mode that laxity suite vet found"),
        ({**GUEST, "isolation": "forc"}, 'did you mean "fork"'),
        (
            {**PROGRAM, "policy": "deadline", "runtime": "1ms"},
            "under policy deadline the kernel lets no process be made",
        ),
        ({"workload": "mem", "stdin": "in"}, "stdin: is of exec"),
        ({"exec": ["./program"], "stdin": "in"}, "stdin: is of exec"),
        ({**PROGRAM, "stdin": ""}, "stdin: names no file"),
        ({**PROGRAM, "calls": 2}, "exec has no calls"),
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
    with pytest.raises(ConfigError, match=r'task "one" is a program of its own \(exec\)'):
        resolve_spec(
            {"events": ["page-faults"]}, [{"period": "10ms", **PROGRAM, "name": "one"}], [], 1
        )
