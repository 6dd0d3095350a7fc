# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure all`."""

import sys
from typing import TYPE_CHECKING

import click

from laxity.cli.finished import show_finished
from laxity.cli.measure_cache_misses import plan_tested
from laxity.cli.options import (
    allow_unprivileged_option,
    on_option,
    run_path,
    seed_option,
    stored_options,
)
from laxity.cli.spec_options import key_option
from laxity.core.cpus import parse_cpus
from laxity.core.spec import NATIVE_PLATFORM, RunTable
from laxity.errors import PlatformError, located

if TYPE_CHECKING:
    from laxity.jobs.composite import Child


@click.command("all")
@click.option(
    "--cpus", metavar="LIST", help="CPUs to measure.  [default: as each measurement chooses]"
)
@seed_option
@allow_unprivileged_option
@key_option(RunTable, "platform")
@on_option
@stored_options
def measure_all(  # noqa: PLR0913 - one parameter per option
    *,
    cpus: str | None,
    seed: int | None,
    platform: str | None,
    on: str | None,
    run_dir: str | None,
    run_root: str | None,
    output_format: str,
    allow_unprivileged: bool,
    no_report: bool,
    quiet: bool,
) -> int:
    """Measure every cost that laxity knows, and write one cost model.

    Switches, cache-related preemption delay of data and of instructions, migrations, memory: less
    of each than its own command would, in less than five minutes; and whether the counters of cache
    misses count them. What cannot be measured here is left out and named; a part that fails does
    not end the others.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.costs.cache_misses.execute import cache_misses_child  # noqa: PLC0415 - heavy
    from laxity.costs.measure_all import AllRequest, plan_all, run_all  # noqa: PLC0415 - heavy
    from laxity.platform.platform import open_platform  # noqa: PLC0415 - with the above
    from laxity.store.manifest import Fallback  # noqa: PLC0415 - with the above

    request = AllRequest(
        final=run_path("all", run_dir, run_root),
        command_line=["laxity", *sys.argv[1:]],
        seed=seed,
        allow_unprivileged=allow_unprivileged,
        is_quiet=quiet,
    )
    with located("--cpus"):
        chosen = () if cpus is None else tuple(parse_cpus(cpus))
    with located("--on" if platform is None else "--platform"):
        opened = open_platform(on, platform or NATIVE_PLATFORM)
    with opened as measured:
        parts, fallbacks = plan_all(measured.facts(), measured.cpus(), chosen)
        others: tuple[Child, ...] = ()
        try:
            tested = plan_tested(measured, chosen)
            others = (cache_misses_child(tested, request, measured),)
            fallbacks += tested.left_out
        except PlatformError as error:
            reason = str(error)
            fallbacks += (Fallback(what="cache-misses", used="not measured", reason=reason),)
        if not quiet:
            names = ", ".join([part.name for part in parts] + [one.name for one in others])
            print(f"laxity measure all: {names}; takes some minutes", file=sys.stderr)
        for one in (*fallbacks, *(one for part in parts for one in part.fallbacks)):
            print(f"laxity measure all: {one.what}: {one.used} ({one.reason})", file=sys.stderr)
        with forwarded_signals() as signals:
            finished = run_all(request, parts, fallbacks, signals, measured, others)
    return show_finished(finished, output_format=output_format, has_report=not no_report)
