# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity contention advise`: which best-effort work may run with a task set."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from laxity.bounds.answer import CostsGiven, answer_task_set
from laxity.bounds.contention_charge import left_out
from laxity.bounds.platform_costs import Choice
from laxity.bounds.setup import Setup
from laxity.cli.bound_contention import with_contention
from laxity.cli.bound_costs import NO_COSTS, costs_option
from laxity.cli.bound_wcet import read_with_runs
from laxity.cli.options import debug_option, format_option, quiet_option
from laxity.cli.tables import print_json
from laxity.core.input_file import read_input
from laxity.core.percent import parse_percent
from laxity.core.progress import Countdown
from laxity.core.regulate_table import resolve_regulate
from laxity.core.spec import RegulateTable
from laxity.core.spec_reader import MAX_SPEC_BYTES
from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.errors import EXIT_DONE, EXIT_VIOLATED, ConfigError, located

if TYPE_CHECKING:
    from laxity.contention.advice import Limit
    from laxity.contention.table import ContentionTable


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    costs: str
    theta: str
    output_format: str
    quiet: bool


@click.command(epilog="Exit codes: 0 advice given; 1 no theta keeps all deadlines; 2 usage.")
@click.argument("taskset", metavar="TASKSET.toml")
@costs_option
@click.option(
    "--theta",
    metavar="PERCENT,...",
    default="2%,5%,10%",
    show_default=True,
    help="Values of theta that are tried.",
)
@format_option("table", "json")
@quiet_option
@debug_option
def advise(taskset: str, **given: Any) -> int:  # noqa: ANN401 - as click gives them
    """Tell which best-effort work may run with a task, and for how much of its time.

    A task of TASKSET.toml names its contention table in the key contention (laxity contention
    profile). Six kinds of load are tried on one, two and more CPUs: unregulated, and regulated with
    each --theta. The largest theta with which laxity bound proves all deadlines is advised.
    """
    from laxity.contention.advice import (  # noqa: PLC0415 - heavy
        TOO_SMALL,
        Limit,
        advice_text,
        give_advice,
    )
    from laxity.contention.plan import (  # noqa: PLC0415 - with the above
        Terms,
        check_preemptions,
        gamma_ns_of,
        solo_ns_of,
    )

    options = _Options(**given)
    thetas_ppm = _thetas(options.theta)
    base = Path(taskset).parent
    with located(f"task set {taskset}"):
        data = read_input(Path(taskset), MAX_SPEC_BYTES, "a task set")
        task_set, _ = read_with_runs(data, base, Choice())
        task = _regulated_task(task_set)
        table = _read_table(base, task)
        regulate = task_set.regulate or resolve_regulate(RegulateTable(), task.name)
        asked = replace(task_set, regulate=regulate)
        with located(f'task "{task.name}"'):
            others = [other for other in task_set.tasks if other is not task]
            table = table.for_cpu(is_shared=bool(others))
            check_preemptions(table, task, others, task.keys)
            solo_ns = solo_ns_of(table, task.keys, is_shared=bool(others))
        terms = Terms(
            regulate,
            core=max((load.cpus for load in table.loads), key=len)[0],
            solo_ns=solo_ns,
            preemption_ns=gamma_ns_of(table, task.keys) or 0,
        )
        least_ppm = terms.least_theta_ppm(table)
        limits = [
            _limit(asked, base, options.costs, theta_ppm)
            if theta_ppm >= least_ppm
            else Limit(
                theta_ppm=theta_ppm,
                verdict=TOO_SMALL,
                response_ns=None,
                deadline_ns=task.deadline_ns,
            )
            for theta_ppm in thetas_ppm
        ]
    untabled = [other.name for other in task_set.tasks if other.keys.contention is None]
    display = Countdown("laxity contention", "loads", is_quiet=options.quiet)
    answer = give_advice(table, terms, task.name, limits, untabled, display)
    if options.output_format == "json":
        print_json(answer)
    else:
        sys.stdout.write(advice_text(answer))
    return EXIT_VIOLATED if answer.chosen is None else EXIT_DONE


def _regulated_task(task_set: TaskSet) -> DeclaredTask:
    """Return the task of [regulate], or the only one with a table."""
    named = [task for task in task_set.tasks if task.keys.contention is not None]
    if task_set.regulate is not None:
        named = [task for task in named if task.name == task_set.regulate.task]
    if len(named) != 1:
        msg = (
            f"{len(named)} tasks have a contention table, one is regulated; name it in [regulate]"
            if named
            else 'no task has a contention table; add contention = "TABLE.json" to a task'
        )
        raise ConfigError(msg)
    return named[0]


def _read_table(base: Path, task: DeclaredTask) -> "ContentionTable":
    from laxity.contention.table import read_table  # noqa: PLC0415 - heavy

    path = base / (task.keys.contention or "")
    return read_table(path)[0]


def _thetas(text: str) -> list[int]:
    with located("--theta"):
        return [parse_percent(theta) for theta in text.split(",")]


def _limit(task_set: TaskSet, base: Path, costs: str, theta_ppm: int) -> "Limit":
    """Bound a task set that is regulated, with another theta."""
    from laxity.contention.advice import Limit  # noqa: PLC0415 - heavy
    from laxity.costs.merge import read_costs  # noqa: PLC0415 - loads numpy

    assert task_set.regulate is not None  # noqa: S101 - for mypy
    regulate = msgspec.structs.replace(task_set.regulate, theta_ppm=theta_ppm)
    model = None if costs == NO_COSTS else read_costs(Path(costs))
    machine = None if model is None else model.machine_hash
    charged, charges = with_contention(replace(task_set, regulate=regulate), base, machine, model)
    answer = answer_task_set(
        charged, CostsGiven(model, costs, Choice()), Setup(has_sensitivity=False)
    )
    found = next(found for found in answer.tasks if found.name == regulate.task)
    return Limit(
        theta_ppm=theta_ppm,
        verdict=answer.verdict,
        response_ns=found.response_time_ns,
        deadline_ns=found.deadline_ns,
        not_accounted=[*answer.not_accounted, *left_out(charges, answer.costs.entries)],
    )
