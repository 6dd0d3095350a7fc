# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound`: is a task set schedulable with what the platform costs?"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import click
import msgspec

from laxity.bounds.answer import CostsGiven, answer_task_set, finds_priorities
from laxity.bounds.contention_charge import left_out
from laxity.bounds.document import Answer
from laxity.bounds.platform_costs import USE_MAX, Choice
from laxity.bounds.sections import blocks_of
from laxity.bounds.setup import Setup
from laxity.cli.bound_contention import with_contention
from laxity.cli.bound_costs import (
    NO_COSTS,
    check_figures,
    costs_option,
    margin_option,
    read_choice,
)
from laxity.cli.bound_setup import SetupWords, read_setup, setup_options
from laxity.cli.bound_wcet import read_with_runs, wcet_notes
from laxity.cli.options import (
    debug_option,
    format_option,
    no_report_option,
    run_dir_option,
    run_path,
    run_root_option,
)
from laxity.cli.tables import print_json
from laxity.core.input_file import read_input
from laxity.core.spec_reader import MAX_SPEC_BYTES
from laxity.core.task_set import TaskSet
from laxity.costs.model import Costs
from laxity.errors import EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError, located
from laxity.page.terminal import text_of
from laxity.tasksets.priorities_text import with_priorities

# Time grows with the square of it: bench/schedulability.py --growth.
_MAX_TASKS = 2000


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    costs: str
    use: str
    use_costs: str | None
    margin: str
    write_priorities: Path | None
    against: str | None
    allow_other_machine: bool
    no_sensitivity: bool
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str


@dataclass(frozen=True, slots=True)
class _Given:
    """A task set as it was given, the costs, and the answer; `model` None: zero overheads."""

    path: Path
    data: bytes
    model: Costs | None
    answer: Answer


@click.command(
    epilog="Exit codes: 0 schedulable; 1 not schedulable, or a response time above its bound; "
    "2 usage or specification; 4 not provable, or a run that cannot be compared."
)
@click.argument("taskset", metavar="TASKSET.toml")
@costs_option
@click.option(
    "--use",
    metavar="max|pN|pwcet:P",
    default="max",
    show_default=True,
    help="Which figure of each cost and wcet_from counts: the largest sample, a quantile such as "
    "p99.9, or what one exceeds with probability P at most, such as pwcet:1e-9.",
)
@click.option(
    "--use-costs",
    metavar="max|pN|pwcet:P",
    help="The same of costs alone; --use is then of wcet_from.  [default: as --use]",
)
@margin_option
@click.option(
    "--write-priorities",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the task set with the priorities that were found for it; FILE must not exist.",
)
@click.option(
    "--against",
    metavar="RUN",
    help="Hold the bounds against the response times of this run of the same task set.",
)
@click.option(
    "--allow-other-machine",
    is_flag=True,
    help="Count with wcet_from and costs of different machines; the answer says so.",
)
@click.option(
    "--no-sensitivity",
    is_flag=True,
    help="Leave out how far another answer is; of a thousand tasks most of the time.",
)
@setup_options
@run_dir_option
@run_root_option
@no_report_option
@format_option("table", "json")
@debug_option
def bound(taskset: str, **given: object) -> int:
    """Tell whether the tasks of TASKSET.toml keep their deadlines, and why.

    The file is one that laxity run reads; each [[task]] needs a wcet, too, or wcet_from, the run
    that it was measured in, and a working_set unless --costs none. Tasks keep to one CPU each
    unless the scheduler is global or --partition places them; where the file gives no priority at
    all, some are looked for. docs/bounds.md says what is counted, and what is not.

    With --run-dir or --run-root the answer is stored as a run, with the task set, the costs and a
    report. Of task sets that are drawn at random laxity experiment counts the schedulable ones.
    """
    options = msgspec.convert(given, _Options)
    choice = read_choice("--use", options.use, options.margin)
    data = read_input(Path(taskset), MAX_SPEC_BYTES, "a task set")
    with located(f"task set {taskset}"):
        task_set, measured = read_with_runs(data, Path(taskset).parent, choice)
        _check_size(task_set)
    final = _run_path(options)
    if final is not None and options.against is not None:
        msg = "--against: is not stored; leave out --run-dir and --run-root, or --against"
        raise ConfigError(msg)
    setup = replace(
        read_setup(msgspec.convert(given, SetupWords), task_set, f"task set {taskset}"),
        has_sensitivity=not options.no_sensitivity,
    )
    _check_destination(options.write_priorities, task_set, setup)
    _check_tables_hold(task_set, setup)
    _check_use(options, choice, is_measured=bool(measured))
    model = _costs(options.costs, setup)
    costs = CostsGiven(model, options.costs, _choice_of_costs(options, choice, model))
    machine = None if costs.model is None else costs.model.machine_hash
    notes = wcet_notes(measured, machine, may_differ=options.allow_other_machine)
    task_set, contention = with_contention(task_set, Path(taskset).parent, machine, costs.model)
    answer = answer_task_set(task_set, costs, setup)
    answer = replace(
        answer,
        wcet_from=measured,
        contention=contention,
        not_accounted=(*answer.not_accounted, *left_out(contention, answer.costs.entries)),
        notes=(*answer.notes, *notes),
    )
    code = answer.exit_code
    if final is not None:
        code = _store(final, _Given(Path(taskset), data, costs.model, answer), options)
    elif options.against is not None:
        code = _hold_against(options, task_set, answer)
    elif options.output_format == "json":
        print_json(answer)
    else:
        sys.stdout.write(text_of(blocks_of(answer)))
    if options.write_priorities is not None:
        _write_priorities(options.write_priorities, data, answer)
    return code


def _check_size(task_set: TaskSet) -> None:
    n_tasks = len(task_set.tasks)
    if n_tasks > _MAX_TASKS:
        msg = (
            f"{n_tasks} tasks are more than the {_MAX_TASKS} that are bounded at once; state one "
            "file for each CPU, or fewer tasks"
        )
        raise ConfigError(msg)


def _hold_against(options: _Options, task_set: TaskSet, answer: Answer) -> int:
    """Answer with how a run has kept to the bounds."""
    from laxity.bounds import against_section  # noqa: PLC0415 - loads numpy
    from laxity.bounds.against import hold_against  # noqa: PLC0415 - likewise

    held = hold_against(Path(options.against or ""), task_set, answer)
    if options.output_format == "json":
        print_json({**msgspec.to_builtins(answer), "against": held})
    else:
        sys.stdout.write(text_of([*against_section.blocks_of(held), *blocks_of(answer)]))
    # A response beyond its bound refutes what the bound assumes, whatever the verdict is.
    if held.above:
        return EXIT_VIOLATED
    return EXIT_NO_VERDICT if held.unjudged and answer.exit_code == 0 else answer.exit_code


def _run_path(options: _Options) -> Path | None:
    """Decide where the run goes; None: the answer is not stored."""
    if options.run_dir is None and options.run_root is None:
        return None
    return run_path("bound", options.run_dir, options.run_root)


def _choice_of_costs(options: _Options, choice: Choice, model: Costs | None) -> Choice:
    """Choose the figure of costs; where a pWCET is asked for, say where samples are from."""
    if options.use_costs is not None:
        choice = read_choice("--use-costs", options.use_costs, options.margin)
    if choice.exceedance is None or model is None:
        return choice
    from laxity.bounds.cost_pwcet import pwcet_of_samples  # noqa: PLC0415 - loads scipy
    from laxity.bounds.cost_samples import samples_beside  # noqa: PLC0415 - loads numpy

    samples_of = samples_beside(Path(options.costs), model)
    return replace(choice, pwcet_of=pwcet_of_samples(samples_of, choice.exceedance))


def _check_use(options: _Options, choice: Choice, *, is_measured: bool) -> None:
    """Refuse a choice that is of nothing."""
    if options.use_costs is not None:
        if options.costs == NO_COSTS:
            msg = "--use-costs: --costs none has no figures; leave it out"
            raise ConfigError(msg)
        if not is_measured and choice.use != USE_MAX:
            msg = f"--use {choice.use}: is of wcet_from beside --use-costs, and no task has it; "
            msg += "leave it out"
            raise ConfigError(msg)
    if not is_measured:
        check_figures(options.costs, choice)


def _costs(path: str, setup: Setup) -> Costs | None:
    if path == NO_COSTS:
        if setup.sets is not None and setup.sets.reload_ns is None:
            msg = "--crpd: --costs none does not say what a block takes; name --block-reload"
            raise ConfigError(msg)
        return None
    from laxity.costs.merge import read_costs  # noqa: PLC0415 - loads numpy

    return read_costs(Path(path))


def _store(final: Path, given: _Given, options: _Options) -> int:
    """Store the answer as a run, write its report, print the answer."""
    from laxity.bounds.store import BoundRequest, store_bound  # noqa: PLC0415 - likewise
    from laxity.cli.finished import show_finished  # noqa: PLC0415 - only if asked for

    request = BoundRequest(
        name=given.path.stem,
        answer=given.answer,
        task_set=given.data,
        costs=given.model,
        costs_run=_run_of(options.costs),
        final=final,
        command_line=["laxity", *sys.argv[1:]],
    )
    return show_finished(
        store_bound(request),
        output_format=options.output_format,
        has_report=not options.no_report,
        document=msgspec.to_builtins(given.answer),
    )


def _run_of(costs: str) -> Path | None:
    """Return the run that holds the costs; None: a file, or none."""
    return Path(costs) if costs != NO_COSTS and Path(costs).is_dir() else None


def _check_tables_hold(task_set: TaskSet, setup: Setup) -> None:
    """Refuse to place tasks whose contention tables are of one CPU each.

    Raises:
        ConfigError: A task has a table.
    """
    for task in task_set.tasks:
        if setup.cpus and task.keys.contention is not None:
            msg = (
                f'--cpus: contention {task.keys.contention} of task "{task.name}" holds on the CPU '
                "of its profile; leave out --cpus with --partition or the global --scheduler"
            )
            raise ConfigError(msg)


def _check_destination(path: Path | None, task_set: TaskSet, setup: Setup) -> None:
    """Refuse before anything is computed what would not be written."""
    if path is None:
        return
    if task_set.has_priorities:
        msg = "--write-priorities: the file gives priorities; take them out, or this option"
        raise ConfigError(msg)
    if not finds_priorities(setup):
        msg = (
            "--write-priorities: priorities are looked for with --scheduler fixed-priority, "
            "--crpd gamma and no --partition; leave it out"
        )
        raise ConfigError(msg)
    if path.exists() or path.is_symlink():
        msg = f"--write-priorities {path}: exists; remove it or name another file"
        raise ConfigError(msg)
    if not path.parent.is_dir():
        msg = (
            f"--write-priorities {path}: {path.parent} is no directory; make it or name another "
            "file"
        )
        raise ConfigError(msg)


def _write_priorities(path: Path, data: bytes, answer: Answer) -> None:
    """Write the task set with the priorities that were found, if they were."""
    if answer.priorities != "found":
        print(f"laxity bound: {path} is not written: no priorities were found", file=sys.stderr)
        return
    from laxity.store.run_directory import write_output  # noqa: PLC0415 - only if asked for

    with located("--write-priorities"):
        text = with_priorities(data, [one.priority or 0 for one in answer.tasks])
    write_output(path, text)
    print(f"laxity bound: priorities written to {path}", file=sys.stderr)
