# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound --experiment`: the share of schedulable sets against utilisation."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from laxity.bounds.experiment import Plan
from laxity.bounds.platform_costs import Choice
from laxity.bounds.set_costs import SetCosts, set_costs
from laxity.cli.options import quiet_option, run_path
from laxity.cli.reports import build_report
from laxity.cli.tables import print_json
from laxity.core.executor import MOST_WORKERS
from laxity.core.percent import format_percent
from laxity.errors import EXIT_INTERNAL, ConfigError, NoVerdict, located
from laxity.store.experiment_result import CostsUsed, CostUsed, CurveAsked, ExperimentRun
from laxity.store.run_directory import Run, open_run
from laxity.tasksets.experiment_spec import Experiment, read_experiment

if TYPE_CHECKING:
    from laxity.jobs.finish import Finished

Command = TypeVar("Command", bound=Callable[..., Any])
_NO_COSTS = "none"
_CSV = "csv"
_OPTIONS = (
    click.option(
        "--experiment",
        metavar="FILE.toml",
        help="In place of TASKSET.toml: draw task sets at random, count the schedulable ones. With "
        "--run-dir one that was interrupted goes on.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, MOST_WORKERS),
        metavar="N",
        help="Processes of an experiment.  [default: one per CPU]",
    ),
    quiet_option,
)


class ExperimentWords(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an experiment as click gives them; None: not given."""

    experiment: str | None
    workers: int | None
    quiet: bool
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str

    @property
    def is_kept(self) -> bool:
        """Whether the answers are stored."""
        return self.run_dir is not None or self.run_root is not None

    def check_none_given(self) -> None:
        """Refuse where there is no experiment what only one has."""
        given = {
            "--workers": self.workers is not None,
            "--quiet": self.quiet,
            "--format csv": self.output_format == _CSV,
        }
        for option, is_given in given.items():
            if is_given:
                msg = f"{option}: serves --experiment alone; leave it out"
                raise ConfigError(msg)


def experiment_options(command: Command) -> Command:
    """Return a command the options of an experiment."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def bound_experiment(words: ExperimentWords, data: bytes, costs: str, choice: Choice) -> int:
    """Run an experiment and print its answer.

    Args:
        words: As the user gave them.
        data: Content of FILE.toml.
        costs: A path, or none.
        choice: Which figure of each cost.

    Returns:
        The exit code.
    """
    from laxity.bounds.schedulability import ExperimentRequest, run_experiment  # noqa: PLC0415 - heavy
    from laxity.core.executor import Workers, n_cpus  # noqa: PLC0415 - with the above
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above

    with located(f"experiment {words.experiment}"):
        experiment = read_experiment(data)
        counted, used = _costs(costs, choice, experiment)
    plan = Plan(experiment, counted)
    with _directory(words) as final:
        request = ExperimentRequest(
            plan=plan,
            asked=_asked(plan, used),
            final=final,
            command_line=["laxity", *sys.argv[1:]],
            workers=Workers(words.workers or n_cpus()),
            is_quiet=words.quiet,
        )
        with forwarded_signals() as signals:
            finished = run_experiment(request, signals)
        return _show(finished, words)


@contextmanager
def _directory(words: ExperimentWords) -> Iterator[Path]:
    """Return the directory of the run; unless it is kept, one that goes with the command."""
    if words.is_kept:
        yield run_path("experiment", words.run_dir, words.run_root)
        return
    with tempfile.TemporaryDirectory(prefix="laxity-experiment-") as directory:
        yield Path(directory) / "run"


def _costs(
    path: str, choice: Choice, experiment: Experiment
) -> tuple[SetCosts | None, CostsUsed | None]:
    if path == _NO_COSTS:
        return None, None
    from laxity.costs.merge import read_costs  # noqa: PLC0415 - loads numpy

    if experiment.working_set_bytes is None:
        msg = (
            "[experiment]: no working_set, which gamma depends on; add for example "
            'working_set = ["4KiB", "256KiB"], or use --costs none'
        )
        raise ConfigError(msg)
    model = read_costs(Path(path))
    costs, missing = set_costs(model, experiment.working_set_bytes, choice)
    if costs is None:
        # Many sizes lack the same; the last one is the largest.
        raise NoVerdict(missing[-1])
    return costs, CostsUsed(
        path=path,
        machine_hash=model.machine_hash,
        use=choice.use,
        margin=format_percent(choice.margin_ppm),
        entries=[msgspec.convert(one, CostUsed, from_attributes=True) for one in costs.used],
        gamma_steps=costs.steps(),
        not_accounted=list(costs.not_accounted),
    )


def _asked(plan: Plan, costs: CostsUsed | None) -> ExperimentRun:
    experiment = plan.experiment
    return ExperimentRun(
        tasks=experiment.tasks,
        sets=experiment.sets,
        cpus=experiment.cpus,
        utilisations_ppm=list(experiment.utilisations_ppm),
        curves=[CurveAsked(test=one.test.value, has_costs=one.has_costs) for one in plan.curves],
        costs=costs,
    )


def _show(finished: "Finished", words: ExperimentWords) -> int:
    from laxity.cli.finished import show_finished  # noqa: PLC0415 - loads numpy

    has_report = words.is_kept and not words.no_report
    if words.is_kept and words.output_format != _CSV:
        return show_finished(finished, output_format=words.output_format, has_report=has_report)
    if finished.path is None:
        return EXIT_INTERNAL
    _print(open_run(finished.path), words.output_format)
    if has_report:
        build_report(finished.path)
    code = finished.manifest.exit_code
    return EXIT_INTERNAL if code is None else code


def _print(run: Run, output_format: str) -> None:
    """Print the answer alone: the run will be gone, or its answer is CSV."""
    from laxity.bounds.experiment_data import read_shares, shares_csv  # noqa: PLC0415 - as above
    from laxity.cli.summary import summary_document, summary_text  # noqa: PLC0415 - as above

    if output_format == _CSV:
        sys.stdout.write(shares_csv(read_shares(run)[0]))
    elif output_format == "json":
        print_json(summary_document(run) | {"run": None})
    else:
        sys.stdout.write(summary_text(run))
    sys.stdout.flush()
