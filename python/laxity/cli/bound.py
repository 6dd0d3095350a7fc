# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound`: is a task set schedulable with what the platform costs?"""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from laxity.analysis.bound import bound_task_set
from laxity.analysis.bound_document import Answer, CostsUsed
from laxity.analysis.bound_setup import Setup
from laxity.analysis.bound_tasks import tasks_of
from laxity.analysis.platform_costs import Accounted, Choice, account
from laxity.analysis.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE, SetBound
from laxity.cli.bound_answer import print_answer
from laxity.cli.bound_setup import SetupWords, read_setup, setup_options
from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import print_json
from laxity.errors import (
    EXIT_DONE,
    EXIT_NO_VERDICT,
    EXIT_VIOLATED,
    ConfigError,
    located,
    suggestion,
)
from laxity.model.bound_members import BOUND_SCHEMA
from laxity.model.percent import format_percent, parse_percent
from laxity.model.task_set import TaskSet, read_task_set
from laxity.model.units import exact_size

_NO_COSTS = "none"
_QUANTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,4})?)", re.ASCII)
# A task set is read by people; this bound only keeps a mistyped path out of memory.
_MAX_BYTES = 1 << 20
_EXIT_CODES = {
    SCHEDULABLE: EXIT_DONE,
    NOT_SCHEDULABLE: EXIT_VIOLATED,
    NOT_PROVABLE: EXIT_NO_VERDICT,
}


@click.command(
    epilog="Exit codes: 0 schedulable, 1 not schedulable, 2 usage or specification, 4 not provable."
)
@click.argument("taskset", metavar="TASKSET.toml")
@click.option(
    "--costs",
    metavar="FILE|RUN|none",
    required=True,
    help="What the platform costs: a costs.json, or the run that holds one; none: zero overheads.",
)
@click.option(
    "--use",
    metavar="max|pN",
    default="max",
    show_default=True,
    help="Which figure of each cost counts: the largest sample, or a quantile such as p99.9.",
)
@click.option(
    "--margin",
    metavar="PERCENT",
    default="0%",
    show_default=True,
    help="What is added to each figure.",
)
@setup_options
@format_option("table", "json")
@debug_option
def bound(
    taskset: str,
    costs: str,
    use: str,
    margin: str,
    output_format: str,
    **setup: Any,  # noqa: ANN401 - checked by SetupWords
) -> int:
    """Tell whether the tasks of TASKSET.toml keep their deadlines, and why.

    The file is one that laxity run reads; each [[task]] needs a wcet, too, and a working_set unless
    --costs none. Tasks keep to one CPU each unless the scheduler is global or --partition places
    them. docs/bounds.md says what is counted, and what is not.
    """
    choice = _choice(use, margin)
    task_set = _read(Path(taskset))
    asked = read_setup(SetupWords(**setup), task_set)
    accounted, used = _costs(costs, task_set, choice, asked)
    answer = _answer(bound_task_set(task_set, accounted, asked), accounted, used, asked)
    if output_format == "json":
        print_json(answer)
    else:
        print_answer(answer)
    return _EXIT_CODES[answer.verdict]


def _choice(use: str, margin: str) -> Choice:
    with located("--margin"):
        margin_ppm = parse_percent(margin)
    if use == "max":
        return Choice(None, margin_ppm)
    match = _QUANTILE.fullmatch(use)
    if match is None or not Decimal(match[1]):
        advice = suggestion(use, ("max", "p99", "p99.9"), "use max, or a quantile such as p99.9")
        msg = f'--use "{use}": unknown; {advice}'
        raise ConfigError(msg)
    return Choice(Decimal(match[1]) / 100, margin_ppm)


def _read(path: Path) -> TaskSet:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        msg = f"task set {path}: cannot be read ({error.strerror}); correct the path"
        raise ConfigError(msg) from error
    if len(data) > _MAX_BYTES:
        msg = f"task set {path}: larger than {exact_size(_MAX_BYTES)}; this is no task set"
        raise ConfigError(msg)
    with located(f"task set {path}"):
        return read_task_set(data)


def _costs(
    path: str, task_set: TaskSet, choice: Choice, setup: Setup
) -> tuple[Accounted | None, CostsUsed]:
    if path == _NO_COSTS:
        if choice != Choice():
            msg = "--use, --margin: --costs none has no figures; leave them out"
            raise ConfigError(msg)
        if setup.sets is not None and setup.sets.reload_ns is None:
            msg = "--crpd: --costs none does not say what a block takes; name --block-reload"
            raise ConfigError(msg)
        return None, CostsUsed(None, None, None, None, ())
    from laxity.runner.costs import read_costs  # noqa: PLC0415 - loads numpy

    model = read_costs(Path(path))
    accounted = account(model, tasks_of(task_set.tasks), choice, setup)
    margin = format_percent(choice.margin_ppm)
    return accounted, CostsUsed(path, model.machine_hash, choice.use, margin, accounted.used)


def _answer(result: SetBound, accounted: Accounted | None, used: CostsUsed, setup: Setup) -> Answer:
    return Answer(
        schema=BOUND_SCHEMA,
        verdict=result.verdict,
        scheduler=setup.scheduler,
        tasks=result.tasks,
        cpus=result.cpus,
        partition=result.partition,
        sensitivity=result.sensitivity,
        costs=used,
        missing=() if accounted is None else accounted.missing,
        not_accounted=_left_out(setup) if accounted is None else accounted.not_accounted,
        notes=(*result.notes, *(() if accounted is None else accounted.notes)),
    )


def _left_out(setup: Setup) -> tuple[str, ...]:
    what = "all costs of the platform"
    if setup.sets is not None:
        what += " but blocks that are loaded again"
    return (f"{what}: --costs none",)
