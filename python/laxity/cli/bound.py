# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound`: is a task set schedulable with what the platform costs?"""

import re
import sys
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import click

from laxity.analysis.bound import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    SetBound,
    TaskBound,
    Verdict,
    bound_task_set,
    tasks_of,
)
from laxity.analysis.platform_costs import Accounted, Choice, UsedCost, account
from laxity.analysis.sensitivity import MAX_FACTOR_PPM, Sensitivity
from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import format_table, print_json
from laxity.errors import (
    EXIT_DONE,
    EXIT_NO_VERDICT,
    EXIT_VIOLATED,
    ConfigError,
    located,
    suggestion,
)
from laxity.model.percent import format_percent, parse_percent
from laxity.model.task_set import TaskSet, read_task_set
from laxity.model.units import decimal_duration, exact_size

BOUND_SCHEMA = 1
_NO_COSTS = "none"
_QUANTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,4})?)", re.ASCII)
# A task set is read by people; this bound only keeps a mistyped path out of memory.
_MAX_BYTES = 1 << 20
_EXIT_CODES = {
    SCHEDULABLE: EXIT_DONE,
    NOT_SCHEDULABLE: EXIT_VIOLATED,
    NOT_PROVABLE: EXIT_NO_VERDICT,
}


@dataclass(frozen=True, slots=True)
class CostsUsed:
    """The costs of an answer: `path` None means zero overheads, as the user said."""

    path: str | None
    machine_hash: str | None
    use: str | None
    margin: str | None
    entries: tuple[UsedCost, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What `--format json` prints; times in ns."""

    schema: int
    verdict: Verdict
    tasks: tuple[TaskBound, ...]
    sensitivity: Sensitivity | None
    costs: CostsUsed
    missing: tuple[str, ...]
    not_accounted: tuple[str, ...]
    notes: tuple[str, ...]


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
@format_option("table", "json")
@debug_option
def bound(taskset: str, costs: str, use: str, margin: str, output_format: str) -> int:
    """Tell whether the tasks of TASKSET.toml keep their deadlines, and why.

    The file is one that laxity run reads; each [[task]] needs a wcet, too, and a working_set unless
    --costs none. Tasks have fixed priorities and keep to one CPU each. docs/bounds.md says what is
    counted, and what is not.
    """
    choice = _choice(use, margin)
    task_set = _read(Path(taskset))
    accounted, used = _costs(costs, task_set, choice)
    answer = _answer(bound_task_set(task_set, accounted), accounted, used)
    if output_format == "json":
        print_json(answer)
    else:
        _print(answer)
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


def _costs(path: str, task_set: TaskSet, choice: Choice) -> tuple[Accounted | None, CostsUsed]:
    if path == _NO_COSTS:
        if choice != Choice():
            msg = "--use, --margin: --costs none has no figures; leave them out"
            raise ConfigError(msg)
        return None, CostsUsed(None, None, None, None, ())
    from laxity.runner.costs import read_costs  # noqa: PLC0415 - loads numpy

    model = read_costs(Path(path))
    accounted = account(model, tasks_of(task_set.tasks), choice)
    margin = format_percent(choice.margin_ppm)
    return accounted, CostsUsed(path, model.machine_hash, choice.use, margin, accounted.used)


def _answer(result: SetBound, accounted: Accounted | None, used: CostsUsed) -> Answer:
    return Answer(
        schema=BOUND_SCHEMA,
        verdict=result.verdict,
        tasks=result.tasks,
        sensitivity=result.sensitivity,
        costs=used,
        missing=() if accounted is None else accounted.missing,
        not_accounted=("all costs of the platform: --costs none",)
        if accounted is None
        else accounted.not_accounted,
        notes=(*result.notes, *(() if accounted is None else accounted.notes)),
    )


def _print(answer: Answer) -> None:
    headers = ("task", "cpu", "priority", "response", "deadline", "verdict")
    rows = [
        (
            one.name,
            str(one.cpu),
            str(one.priority),
            _shown(one.response_time_ns),
            decimal_duration(one.deadline_ns),
            _words(one.verdict),
        )
        for one in answer.tasks
    ]
    sys.stdout.write(f"{_words(answer.verdict)}\n\n")
    sys.stdout.write(format_table(headers, rows, right=(1, 2, 3, 4)))
    if answer.sensitivity is not None:
        sys.stdout.write(f"\n{_spare(answer.sensitivity)}\n")
    _print_breakdown(answer)
    _print_costs(answer.costs)
    _print_list("why", [f"{one.name}: {one.reason}" for one in answer.tasks if one.reason])
    _print_list("missing", answer.missing)
    _print_list("not accounted for", answer.not_accounted)
    _print_list("note", answer.notes)


def _spare(found: Sensitivity) -> str:
    if found.factor_ppm is None:
        return f"no shorter wcet helps: {found.critical_task} is late by costs and jitter alone"
    factor = format_percent(found.factor_ppm)
    if found.factor_ppm == MAX_FACTOR_PPM:
        return f"all wcet may grow to {factor} and more"
    return f"all wcet may be {factor} of what is stated; then {found.critical_task} is late first"


def _print_breakdown(answer: Answer) -> None:
    headers = (
        "task",
        "window",
        "own C",
        "higher C",
        "2 delta",
        "gamma",
        "interrupts",
        "blocking",
        "switch under way",
    )
    rows = []
    for one in answer.tasks:
        parts = one.breakdown
        if parts is None or one.window_ns is None:
            continue
        figures = (
            one.window_ns,
            parts.wcet_ns,
            parts.interference_ns,
            parts.delta_ns,
            parts.gamma_ns,
            parts.interrupts_ns,
            parts.blocking_ns,
            parts.switch_blocking_ns,
        )
        rows.append((one.name, *(decimal_duration(figure) for figure in figures)))
    if rows:
        table = format_table(headers, rows, right=range(1, len(headers)))
        sys.stdout.write(f"\nwhere the longest busy window goes\n{table}")


def _print_costs(costs: CostsUsed) -> None:
    if costs.path is None:
        sys.stdout.write("\ncosts: none, zero overheads\n")
        return
    sys.stdout.write(
        f"\ncosts: {costs.path}, machine {costs.machine_hash}, {costs.use} + {costs.margin}; "
        "what was measured is observed, not proven\n"
    )
    headers = ("cost", "of", "value", "kind", "n", "verdict", "case", "evict", "cpu", "size")
    rows = [
        (
            one.name,
            one.of or "",
            decimal_duration(one.value_ns),
            one.kind,
            str(one.n),
            one.verdict,
            one.case or "",
            one.evict or "",
            "" if one.cpu is None else str(one.cpu),
            "" if one.working_set_bytes is None else exact_size(one.working_set_bytes),
        )
        for one in costs.entries
    ]
    sys.stdout.write(format_table(headers, rows, right=(2, 4, 8, 9)) if rows else "")


def _print_list(title: str, lines: list[str] | tuple[str, ...]) -> None:
    if lines:
        sys.stdout.write(f"\n{title}\n" + "".join(f"  {line}\n" for line in lines))


def _shown(duration_ns: int | None) -> str:
    return "no bound" if duration_ns is None else decimal_duration(duration_ns)


def _words(verdict: Verdict) -> str:
    return verdict.replace("_", " ")
