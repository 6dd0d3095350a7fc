# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity observe`: the jobs of a program that runs already."""

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    read_overhead,
    run_path,
    split_names,
    stored_options,
)
from laxity.core.spec import TRACE_AUTO, TRACE_BACKENDS
from laxity.core.units import parse_duration_ns
from laxity.errors import ConfigError, located

if TYPE_CHECKING:
    from laxity.platform.processes import Target

_MOST_JOBS = 10**9
# As of laxity-trace.
_LEAST_SAMPLE_NS, _DEFAULT_SAMPLE_NS, _MOST_SAMPLE_NS = 20_000, 10_000_000, 3600 * 10**9
_MOST_COUNTS = 2**62


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    program: str | None
    cgroup: str | None
    all: bool
    deadline: str | None
    duration: str | None
    jobs: int | None
    split: bool
    trace_backend: str
    events: list[str] | None
    sample_every: str | None
    sample_overflow: int | None
    max_overhead: float | None
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str
    quiet: bool


@click.command()
@click.argument("program", metavar="[PID|COMM]", required=False)
@click.option("--cgroup", metavar="PATH", help="All that runs in a control group, or starts there.")
@click.option("--all", is_flag=True, help="Take all processes of the name.")
@click.option("--deadline", metavar="TIME", help="Relative deadline of every job.  [default: none]")
@click.option("--duration", metavar="TIME", help="End after TIME.  [default: with the program]")
@click.option(
    "--jobs",
    type=click.IntRange(1, _MOST_JOBS),
    metavar="N",
    help="End soon after a thread has blocked after N wake-ups; what came until then counts, too.",
)
@click.option(
    "--split",
    is_flag=True,
    help="Take every wake-up for a job of its own, also several within a period.",
)
@click.option(
    "--trace-backend",
    type=click.Choice((TRACE_AUTO, *TRACE_BACKENDS)),
    default=TRACE_AUTO,
    show_default=True,
    help="Which of the kernel's interfaces records the scheduler.",
)
@click.option(
    "--events",
    callback=split_names,
    metavar="NAME,NAME...",
    help="Count these on every CPU, whatever runs there, and read them by interrupts.",
)
@click.option(
    "--sample-every",
    metavar="TIME",
    help="Read the events at a timer's interrupt on each CPU, so often.  [default: 10ms]",
)
@click.option(
    "--sample-overflow",
    type=click.IntRange(1, _MOST_COUNTS),
    metavar="N",
    help="Read the events whenever the first of them came N times on a CPU, instead of by a timer.",
)
@click.option(
    "--max-overhead",
    metavar="PERCENT",
    callback=read_overhead,
    help="Read them less often if that takes more of a CPU: 1%; what a sample takes is measured.",
)
@stored_options
def observe(**given: object) -> int:
    """Take the jobs of a program that runs already and knows nothing of laxity.

    A job lasts from a wake-up of a thread until it blocks; period and offset of each thread are
    estimated. The program is neither stopped nor changed. PID is a process, COMM the name of one.
    It ends with the program, after --duration or --jobs, or with Ctrl-C; what was observed is kept.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.trace.observe import ObserveRequest  # noqa: PLC0415 - heavy
    from laxity.trace.observe import observe as run_observation  # noqa: PLC0415 - heavy

    options = msgspec.convert(given, _Options)
    target = _target(options)
    deadline_ns = _time_ns("--deadline", options.deadline)
    duration_ns = _time_ns("--duration", options.duration)
    events, sample_every_ns = _sampling(options)
    request = ObserveRequest(
        target=target,
        named=options.cgroup or options.program or "",
        final=run_path(f"observe-{target.name}", options.run_dir, options.run_root),
        command_line=["laxity", *sys.argv[1:]],
        n_jobs=options.jobs,
        duration_ns=duration_ns,
        deadline_ns=deadline_ns,
        is_split=options.split,
        backend=options.trace_backend,
        events=events,
        sample_every_ns=sample_every_ns,
        sample_overflow=options.sample_overflow,
        most_overhead=options.max_overhead,
        is_quiet=options.quiet,
    )
    if not options.quiet:
        print(f"laxity observe: {_described(target)}", file=sys.stderr)
    with forwarded_signals() as signals:
        finished = run_observation(request, signals)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )


def _time_ns(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    with located(option):
        time_ns = parse_duration_ns(text)
    if time_ns <= 0:
        msg = f'{option}: "{text}" is not above 0; write a longer one, or leave it out'
        raise ConfigError(msg)
    return time_ns


def _sampling(options: _Options) -> tuple[tuple[str, ...], int | None]:
    """Return the events, and how far apart a timer reads them; None: by no timer."""
    from laxity.core.spec_reader import check_event_names  # noqa: PLC0415 - with the above

    events = tuple(options.events or ())
    check_event_names(events)
    every_ns = _time_ns("--sample-every", options.sample_every)
    if not events and (every_ns is not None or options.sample_overflow is not None):
        msg = "--sample-every, --sample-overflow: no event to sample; name some with --events"
        raise ConfigError(msg)
    if every_ns is not None and options.sample_overflow is not None:
        msg = "--sample-every and --sample-overflow: either of them says when; choose one"
        raise ConfigError(msg)
    if options.max_overhead is not None and (not events or options.sample_overflow is not None):
        msg = "--max-overhead: no timer reads events; name some with --events, without an overflow"
        raise ConfigError(msg)
    if every_ns is not None and not _LEAST_SAMPLE_NS <= every_ns <= _MOST_SAMPLE_NS:
        msg = f"--sample-every {options.sample_every}: out of bounds; write 20us to 1h"
        raise ConfigError(msg)
    is_by_timer = bool(events) and options.sample_overflow is None
    return events, (every_ns or _DEFAULT_SAMPLE_NS) if is_by_timer else None


def _target(options: _Options) -> "Target":
    from laxity.platform.processes import find_cgroup, find_target  # noqa: PLC0415 - when needed

    if (options.program is None) == (options.cgroup is None):
        msg = "one of PID, COMM and --cgroup says what is observed; name one"
        raise ConfigError(msg)
    if options.cgroup is not None:
        return find_cgroup(options.cgroup)
    return find_target(options.program or "", takes_all=options.all)


def _described(target: "Target") -> str:
    if target.cgroup is not None:
        return f"control group {target.cgroup}: {len(target.processes)} processes"
    return "process " + ", ".join(str(one) for one in target.processes)
