# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run the experiments of a paper and store them as one run with a table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from laxity.core.signals import Forwarder
from laxity.costs.measure import MeasureRequest, run_measurement
from laxity.costs.probe import probe_of
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.papers.paper import Exhibit, Experiment, Paper, experiments_of
from laxity.papers.result import Reproduction
from laxity.platform.platform_file import PLATFORM, parse_platform, read_platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.store.run_directory import REPRODUCTION, write_document

# What is drawn is the same in every reproduction, so that two are identical.
_SEED = 1


@dataclass(frozen=True, slots=True)
class ReproduceRequest:
    """Which exhibits of which paper, where they are stored, and what was typed.

    Attributes:
        on_begin: Told each experiment as it begins: "2/5: figure-10".
    """

    paper: Paper
    exhibits: tuple[Exhibit, ...]
    final: Path
    command_line: list[str]
    on_begin: Callable[[str], None]


def run_reproduction(request: ReproduceRequest, signals: Forwarder) -> Finished:
    """Run what the exhibits need, each experiment once.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As a measurement's; what was measured before stays.
    """
    experiments = experiments_of(request.exhibits)
    asked = Reproduction(
        paper=request.paper.name, figures=[exhibit.name for exhibit in request.exhibits]
    )
    whole = Composite(
        kind="reproduction",
        name=request.paper.name,
        final=request.final,
        command_line=request.command_line,
        seed=_SEED,
        cpus=(0,),
        fallbacks=(),
        children=tuple(
            _child(request, one, f"{number}/{len(experiments)}: {one.name} ({one.where})")
            for number, one in enumerate(experiments, 1)
        ),
        begin=lambda tmp: write_document(tmp / REPRODUCTION, asked),
        platform=f"sim:{experiments[0].platform}",
    )
    return run_composite(whole, signals, platform_of(experiments[0]))


def platform_of(experiment: Experiment) -> SimulatedPlatform:
    """Read the platform of an experiment.

    Raises:
        ConfigError: There is none, or what is changed cannot be.
    """
    if not experiment.changed:
        return SimulatedPlatform(read_platform(experiment.platform))
    title = f"{experiment.platform}, changed for {experiment.name}"
    text = f'schema = 1\nbase = "{experiment.platform}"\ntitle = "{title}"\n{experiment.changed}'
    model = parse_platform(text.encode(), experiment.name)
    # It lies in the run, as any that does not come with laxity.
    return SimulatedPlatform(model, f"sim:./{PLATFORM}")


def _child(request: ReproduceRequest, experiment: Experiment, begins: str) -> Child:
    def run(final: Path, signals: Forwarder) -> Finished:
        request.on_begin(begins)
        platform = platform_of(experiment)
        probe = probe_of(experiment.probe)
        measurement, fallbacks = probe.plan(experiment.asked, platform.facts(), platform.cpus())
        one = MeasureRequest(
            measurement=measurement,
            fallbacks=fallbacks,
            final=final,
            command_line=request.command_line,
            seed=_SEED,
            is_quiet=True,
        )
        return run_measurement(one, signals, platform)

    return Child(experiment.name, run)
