# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration of a regulator: a task with best-effort work, which is stopped in time.

The task has a deadline that it meets alone and misses with the work. Its contention table is made
first, of few loads.
"""

import tempfile
from pathlib import Path

import msgspec

from laxity.contention.experiments import Program, is_level_shared
from laxity.contention.regulate import regulation_of
from laxity.contention.run import loads_of, profile_program
from laxity.contention.table import signed
from laxity.core.cpus import format_cpus
from laxity.core.percent import format_percent
from laxity.core.progress import Countdown, planned_s
from laxity.core.signals import Forwarder
from laxity.core.spec import Spec
from laxity.core.spec_reader import resolve_spec
from laxity.jobs.composite import Child
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.platform.platform import Platform
from laxity.platform.platform_file import PlatformModel

UNREGULATED, REGULATED = "unregulated", "regulated"
# 8.8 ms alone on sim:sabrelite-partitioned, its own part of the last cache level is too small: each
# job takes 70 % longer with this load on three CPUs.
_PROGRAM, _WORDS = "dijkstra", ("large",)
_LOAD = ("4MiB", "5", "0")
# Of each run; a job that takes twice as long ends before the next begins.
_JOBS, _PERIOD = 3, "20ms"
# Loads of the table: that of the run, heavier and lighter ones.
_READS, _DELAYS = (0, 5, 10), (0, 200)
# The deadline is where the promise ends, and the time that the core needs to begin the job.
_THETA_PPM, _MILLION, _BEGIN_NS = 50_000, 1_000_000, 50_000
_RESOLUTION_NS = 1


def is_regulated(model: PlatformModel) -> bool:
    """Tell whether the core of the task has a part of the last cache level to itself."""
    others = range(1, model.cores)
    return model.cores > 1 and not is_level_shared(model, 0, others)


class RegulatedExample:
    """The two runs: they share a table and a deadline, which the first of them finds."""

    def __init__(self, model: PlatformModel, platform: str, command_line: list[str]) -> None:
        """Plan them; nothing is simulated yet.

        Args:
            model: The platform.
            platform: As the user named it.
            command_line: What was typed.
        """
        self._model, self._command_line = model, command_line
        self._cpus = list(range(1, model.cores))
        self._table = b""
        task = {
            "name": _PROGRAM,
            "workload": _PROGRAM,
            "args": list(_WORDS),
            "period": _PERIOD,
            "cpus": "0",
        }
        load = {"workload": "load", "args": list(_LOAD), "cpus": format_cpus(self._cpus)}
        regulate = {"task": _PROGRAM, "theta": format_percent(_THETA_PPM)}
        run = {"platform": platform, "jobs": _JOBS}
        self._spec = resolve_spec(run, [task], [load], _RESOLUTION_NS, regulate)

    def children(self, seed: int | None, platform: Platform) -> tuple[Child, Child]:
        """Return the runs in their order.

        Args:
            seed: Of the demonstration.
            platform: That runs them.
        """
        self._spec = msgspec.structs.replace(self._spec, seed=seed)
        self._platform = platform
        expected_s = planned_s(self._spec)
        return (
            Child(UNREGULATED, self._run_unregulated, is_needed=True, expected_s=expected_s),
            Child(REGULATED, self._run_regulated, is_needed=True, expected_s=expected_s),
        )

    def _run_unregulated(self, final: Path, signals: Forwarder) -> Finished:
        program = Program(self._model, self._spec.platform, _PROGRAM, _WORDS, 0)
        loads = loads_of(self._cpus, _READS, _DELAYS)
        silent = Countdown("laxity demo", "loads", is_quiet=True)
        table = signed(profile_program(program, loads, silent))
        self._table = msgspec.json.encode(table)
        promised_ns = table.solo_ns * (_MILLION + _THETA_PPM) // _MILLION
        (task,) = self._spec.tasks
        task = msgspec.structs.replace(task, deadline_ns=promised_ns + _BEGIN_NS)
        self._spec = msgspec.structs.replace(self._spec, tasks=(task,))
        spec = msgspec.structs.replace(self._spec, regulate=None)
        return self._run(spec, {}, final, signals)

    def _run_regulated(self, final: Path, signals: Forwarder) -> Finished:
        (task,), regulate = self._spec.tasks, self._spec.regulate
        assert regulate is not None  # noqa: S101 - for mypy: it is planned so
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(self._table)
            file.flush()
            task = msgspec.structs.replace(task, bound=task.bound | {"contention": file.name})
            spec = prepare_spec(msgspec.structs.replace(self._spec, tasks=(task,)), self._platform)
            found = regulation_of(spec, regulate)
        return self._run(found.spec, dict(found.files), final, signals)

    def _run(self, spec: Spec, kept: dict[str, bytes], final: Path, signals: Forwarder) -> Finished:
        request = RunRequest(
            spec=prepare_spec(spec, self._platform),
            name=final.name,
            final=final,
            command_line=self._command_line,
            kept=kept,
            is_quiet=True,
        )
        return run_once(request, signals, self._platform)
