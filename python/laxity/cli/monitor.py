# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity monitor`: cache misses of tasks over time, and what it takes to watch them."""

import sys
from collections.abc import Sequence

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import read_overhead, run_path
from laxity.cli.run import RunOptions, read_experiment, resolution_here_ns, run
from laxity.cli.run_command import RunCommand
from laxity.core.spec import NATIVE_PLATFORM, CountedBy, Spec
from laxity.core.spec_tables import read_option
from laxity.errors import ConfigError, located

# Options of `laxity run` that are said otherwise here, or of no use for a pair of runs.
_NOT_OURS = frozenset(
    {
        "sample",
        "sample_bucket",
        "sample_by",
        "sample_cpu",
        "trace_any",
        "trace_backend",
        "on",
        "shield",
        "no_throttling",
        "dry_run",
        "regulate",
        "theta",
    }
)
# Counted if nothing else is said: as many of them as there are counters.
_EVENTS = ("instructions", "l1i_refill", "l1d_refill", "l2_refill")
_EVENTS_HERE = ("instructions", "l1d_refill", "llc_refill", "l1i_refill")
_EXTRINSIC = ("l1i_extrinsic", "l1d_extrinsic")


_PARAMS: Sequence[click.Parameter] = (
    click.Option(
        ["--probe"],
        type=click.Choice(["task", "interrupt", "free"]),
        help="What reads the counters; interrupt and free on simulated platforms only.  "
        "[default: task]",
    ),
    click.Option(
        ["--every"], default="2ms", metavar="TIME", help="How often they are read.  [default: 2ms]"
    ),
    click.Option(
        ["--max-overhead"],
        metavar="PERCENT",
        callback=read_overhead,
        help="Read less often if jobs become longer by more: 1%; a pilot run tells.",
    ),
)


def _monitor(what: str | None, **given: object) -> int:
    """Watch the cache misses of tasks over time, and tell what watching takes from them.

    SPEC or NAME, and the options that describe tasks, are as those of laxity run. The tasks run
    twice: unobserved, then while a probe reads the counters every --every. The answer is by how
    much jobs became longer, and the miss ratio of each task: on average, in windows without a
    switch, in the highest one, and which misses others caused.

    The probe is a task above all others, or with --probe interrupt a timer's interrupt, which
    takes less. On simulated platforms the figures are exact.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - heavy
    from laxity.jobs.monitor import MonitorRequest, Probe, run_monitor  # noqa: PLC0415 - with the above
    from laxity.platform.platform import open_for  # noqa: PLC0415 - with the above

    own = {name: given.pop(name) for name in ("probe", "every", "max_overhead", "sample_above")}
    with located("--every"):
        every_ns = read_option("sample_bucket", own["every"])
    options = RunOptions.of(
        dict.fromkeys(_NOT_OURS)
        | {"sample": False, "no_throttling": False, "dry_run": False, "trace_any": True}
        | given
    )
    experiment = read_experiment(what or "", options, resolution_here_ns())
    spec = experiment.spec
    if spec.on is not None:
        msg = f"monitor: runs here or on a simulated platform, not on {spec.on}; remove it"
        raise ConfigError(msg)
    if spec.jobs is None and spec.duration_ns is None:
        msg = "monitor: the tasks run twice, and without end; write --duration or --jobs"
        raise ConfigError(msg)
    probe = Probe(str(own["probe"] or Probe.TASK))
    if spec.platform == NATIVE_PLATFORM and probe is not Probe.TASK:
        msg = (
            f"--probe {probe}: of simulated platforms; here laxity observe --events samples by "
            "interrupts"
        )
        raise ConfigError(msg)
    spec = msgspec.structs.replace(
        spec, events=spec.events or _events(spec), trace=spec.trace or "auto"
    )
    most, above = own["max_overhead"], own["sample_above"]
    with open_for(spec) as platform, forwarded_signals() as signals:
        request = MonitorRequest(
            spec=spec,
            name=experiment.name,
            probe=probe,
            every_ns=every_ns,
            most_share=most if isinstance(most, float) else None,
            above=spec.sample_above if above is None else str(above),
            final=run_path(experiment.name, options.run_dir, options.run_root),
            command_line=["laxity", *sys.argv[1:]],
            allow_unprivileged=options.allow_unprivileged,
            is_quiet=options.quiet,
        )
        finished = run_monitor(request, signals, platform)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )


def _events(spec: Spec) -> tuple[str, ...]:
    """Choose what is counted, by what the platform can."""
    if spec.platform == NATIVE_PLATFORM:
        from laxity.profile.events import events_to_count  # noqa: PLC0415 - heavy

        counted = events_to_count(spec.platform)
        return tuple(name for name in _EVENTS_HERE if name in counted)
    from laxity.platform.platform_file import read_platform  # noqa: PLC0415 - heavy
    from laxity.platform.simulated_events import countable  # noqa: PLC0415 - with the above

    wanted = (*_EVENTS, *_EXTRINSIC) if spec.counters is CountedBy.MODEL else _EVENTS
    return countable(read_platform(spec.platform), wanted, spec.counters)


monitor = RunCommand(
    "monitor",
    params=[*_PARAMS, *(one for one in run.params if one.name not in _NOT_OURS)],
    callback=_monitor,
    help=_monitor.__doc__,
)
