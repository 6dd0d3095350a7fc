# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity experiment`: the share of schedulable sets against utilisation."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.bounds.experiment import Plan
from laxity.bounds.platform_costs import USE_PWCET, Choice
from laxity.bounds.set_costs import SetCosts, set_costs
from laxity.cli.bound_costs import (
    NO_COSTS,
    check_figures,
    costs_option,
    margin_option,
    read_choice,
)
from laxity.cli.options import (
    continued_run_dir_option,
    debug_option,
    format_option,
    no_report_option,
    quiet_option,
    run_path,
    run_root_option,
)
from laxity.cli.reports import build_report
from laxity.cli.tables import print_json
from laxity.core.executor import MOST_WORKERS
from laxity.core.input_file import read_input
from laxity.core.percent import format_percent
from laxity.core.spec_reader import MAX_SPEC_BYTES
from laxity.errors import EXIT_INTERNAL, ConfigError, NoVerdict, located
from laxity.store.experiment_result import CostsUsed, CostUsed, CurveAsked, ExperimentRun
from laxity.store.run_directory import Run, open_run
from laxity.tasksets.experiment_spec import read_experiment

if TYPE_CHECKING:
    from laxity.jobs.finish import Finished

_CSV = "csv"


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    costs: str
    use: str
    margin: str
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


@click.command(
    epilog="Exit codes: 0 done; 2 usage or specification; 4 costs that lack what is needed; 130 "
    "interrupted."
)
@click.argument("file", metavar="FILE.toml")
@costs_option
@click.option(
    "--use",
    metavar="max|pN",
    default="max",
    show_default=True,
    help="Which figure of each cost counts: the largest sample, or a quantile such as p99.9.",
)
@margin_option
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Processes that answer.  [default: one per CPU]",
)
@quiet_option
@continued_run_dir_option
@run_root_option
@no_report_option
@format_option("table", "json", "csv")
@debug_option
def experiment(file: str, **given: object) -> int:
    """Draw task sets at random and count those that are schedulable, costs included.

    FILE.toml says which sets are drawn and how they are tested: docs/experiments.md. With --run-dir
    or --run-root the answers are stored, and an experiment that was interrupted goes on.
    """
    words = msgspec.convert(given, _Options)
    if words.use.startswith(USE_PWCET):
        msg = f'--use "{words.use}": is not for experiments; use max, or a quantile such as p99.9'
        raise ConfigError(msg)
    choice = read_choice("--use", words.use, words.margin)
    check_figures(words.costs, choice)
    data = read_input(Path(file), MAX_SPEC_BYTES, "an experiment")
    from laxity.bounds.schedulability import ExperimentRequest, run_experiment  # noqa: PLC0415 - heavy
    from laxity.core.executor import Workers, n_cpus  # noqa: PLC0415 - with the above
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above

    with located(f"experiment {file}"):
        asked = read_experiment(data)
        if words.costs != NO_COSTS and asked.working_set_bytes is None:
            msg = (
                "[experiment]: no working_set, which gamma depends on; add for example "
                'working_set = ["4KiB", "256KiB"], or use --costs none'
            )
            raise ConfigError(msg)
    counted, used = _costs(words.costs, choice, asked.working_set_bytes)
    plan = Plan(asked, counted)
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
def _directory(words: _Options) -> Iterator[Path]:
    """Return the directory of the run; unless it is kept, one that goes with the command."""
    if words.is_kept:
        yield run_path("experiment", words.run_dir, words.run_root)
        return
    with tempfile.TemporaryDirectory(prefix="laxity-experiment-") as directory:
        yield Path(directory) / "run"


def _costs(
    path: str, choice: Choice, working_set_bytes: tuple[int, int] | None
) -> tuple[SetCosts | None, CostsUsed | None]:
    if path == NO_COSTS or working_set_bytes is None:
        return None, None
    from laxity.costs.merge import read_costs  # noqa: PLC0415 - loads numpy

    model = read_costs(Path(path))
    costs, missing = set_costs(model, working_set_bytes, choice)
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


def _show(finished: "Finished", words: _Options) -> int:
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
