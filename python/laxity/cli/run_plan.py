# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A run planned by the options of `laxity run`, for a command that runs several."""

import sys
from collections.abc import Mapping
from pathlib import Path

from laxity.cli.run import RunOptions, read_experiment, refuse_knobs, resolution_here_ns
from laxity.core.cpus import parse_cpus
from laxity.errors import located
from laxity.jobs.run_once import RunRequest, prepare_spec
from laxity.platform.kernel import Kernel
from laxity.platform.placement import check_unthrottled_load
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.shield import KnobRequest, check_knobs


def plan_run(
    what: str,
    given: Mapping[str, object],
    command_line: list[str],
    platform: Platform = THIS_MACHINE,
) -> RunRequest:
    """Plan a run here as `laxity run` would.

    Args:
        what: A spec or a workload.
        given: All its options as click gives them.
        command_line: What the user typed.
        platform: This machine, or a simulated one.

    Returns:
        The run; its directory is still to be named.

    Raises:
        LaxityError: As the command.
    """
    options = RunOptions.of(given)
    experiment = read_experiment(what, options, resolution_here_ns())
    if platform is not THIS_MACHINE:
        refuse_knobs(options, platform.name)
    spec = prepare_spec(experiment.spec, platform)
    with located("--shield"):
        shield = () if options.shield is None else parse_cpus(options.shield)
    if options.no_throttling:
        check_unthrottled_load(spec)
    knobs = KnobRequest(options.no_throttling, shield)
    check_knobs(knobs, Kernel())
    return RunRequest(
        spec=spec,
        name=experiment.name,
        final=Path(),
        command_line=command_line,
        allow_unprivileged=options.allow_unprivileged,
        is_quiet=options.quiet,
        knobs=knobs,
        on_note=_tell,
    )


def _tell(line: str) -> None:
    print(f"laxity suite run: {line}", file=sys.stderr)
