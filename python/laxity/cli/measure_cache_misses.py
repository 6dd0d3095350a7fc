# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure cache-misses`."""

import sys
from typing import TYPE_CHECKING

import click

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    allow_unprivileged_option,
    run_path,
    seed_option,
    stored_options,
)
from laxity.cli.spec_options import key_option
from laxity.core.cpus import parse_cpus
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, CountedBy, RunTable
from laxity.errors import ConfigError, PlatformError, located

if TYPE_CHECKING:
    from laxity.costs.cache_misses.execute import CacheMissesPlan
    from laxity.platform.platform import Platform
    from laxity.platform.platform_file import PlatformModel


@click.command("cache-misses")
@click.option("--cpus", metavar="CPU", help="Where it runs, one.  [default: chosen]")
@seed_option
@allow_unprivileged_option
@key_option(RunTable, "platform")
@stored_options
def measure_cache_misses(  # noqa: PLR0913 - one parameter per option
    *,
    cpus: str | None,
    seed: int | None,
    platform: str | None,
    run_dir: str | None,
    run_root: str | None,
    output_format: str,
    allow_unprivileged: bool,
    no_report: bool,
    quiet: bool,
) -> int:
    """Test the counters of cache misses against code whose misses are known, and time a miss.

    Code and data are generated that fit a cache, exceed it a little, and exceed it by so much that
    each line misses. The answer is whether l1i_refill, l1d_refill and l2_refill count what exact
    LRU makes of that, case by case, and what a miss adds to the time. A prefetcher that makes a
    counter smaller is a finding; without a counter to read there is nothing to test.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - heavy
    from laxity.costs.cache_misses.execute import NAME, run_cache_misses  # noqa: PLC0415 - with the above
    from laxity.costs.measure_all import AllRequest  # noqa: PLC0415 - with the above
    from laxity.platform.platform import open_platform  # noqa: PLC0415 - with the above

    with located("--cpus"):
        chosen = () if cpus is None else tuple(parse_cpus(cpus))
        if len(chosen) > 1:
            msg = f"{cpus}: the counters of one CPU are tested at a time; name one"
            raise ConfigError(msg)
    with located("--platform"):
        opened = open_platform(None, platform or NATIVE_PLATFORM)
    with opened as where:
        tested = plan_tested(where, chosen)
        if not quiet:
            names = ", ".join(cache.event for cache in tested.asked.caches)
            print(f"laxity measure {NAME}: {names} on CPU {tested.cpu}", file=sys.stderr)
            for one in tested.left_out:
                line = f"{one.what}: {one.used} ({one.reason})"
                print(f"laxity measure {NAME}: {line}", file=sys.stderr)
        request = AllRequest(
            final=run_path(NAME, run_dir, run_root),
            command_line=["laxity", *sys.argv[1:]],
            seed=seed,
            allow_unprivileged=allow_unprivileged,
            is_quiet=quiet,
        )
        with forwarded_signals() as signals:
            finished = run_cache_misses(tested, request, signals, where)
    return show_finished(finished, output_format=output_format, has_report=not no_report)


def plan_tested(where: "Platform", chosen: tuple[int, ...]) -> "CacheMissesPlan":
    """Decide which counters of a platform are tested, and with what.

    Args:
        where: The platform.
        chosen: CPUs, of which the first counts; empty: one is chosen.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: No counter of cache misses can be read there, or no cache is described.
    """
    from laxity.cli.run import resolution_here_ns  # noqa: PLC0415 - heavy
    from laxity.costs.cache_misses.execute import CacheMissesPlan  # noqa: PLC0415 - with the above
    from laxity.costs.cache_misses.plan import (  # noqa: PLC0415 - with the above
        cached_place,
        plan_cache_misses,
    )
    from laxity.costs.places import check_cpus, default_cpu  # noqa: PLC0415 - with the above
    from laxity.platform.machine import describe_machine  # noqa: PLC0415 - with the above

    if where.on is not None:
        msg = f"counters are tested here or on a simulated platform, not on {where.on}"
        raise PlatformError(msg)
    model, counted = _counted(where.name)
    facts = where.facts()
    check_cpus(chosen, where.cpus())
    (cpu, *_) = chosen or default_cpu(facts, where.cpus())
    asked, left_out = plan_cache_misses(describe_machine(facts), cpu, counted, model)
    resolution_ns = resolution_here_ns() if model is None else 1
    return CacheMissesPlan(asked, left_out, cpu, cached_place(model), resolution_ns)


def _counted(platform: str) -> "tuple[PlatformModel | None, tuple[str, ...]]":
    """Tell which events are counted there; of a simulated platform, by its processor.

    Raises:
        PlatformError: None here counts what a cache does.
    """
    from laxity.costs.cache_misses.plan import EVENTS  # noqa: PLC0415 - heavy
    from laxity.platform.platform_file import read_platform  # noqa: PLC0415 - with the above
    from laxity.platform.simulated_events import countable  # noqa: PLC0415 - with the above
    from laxity.profile.events import events_to_count  # noqa: PLC0415 - with the above

    if not platform.startswith(SIMULATED):
        return None, events_to_count(platform)
    model = read_platform(platform)
    # One at a time.
    counted = (countable(model, (event,), CountedBy.PLATFORM) for event in EVENTS)
    return model, tuple(name for names in counted for name in names)
