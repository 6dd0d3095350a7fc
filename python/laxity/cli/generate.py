# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity generate`: a task set of workload `generated`, as a spec for `laxity run`."""

import secrets
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import msgspec

from laxity.cli.options import debug_option
from laxity.core.cpus import parse_cpus
from laxity.core.percent import format_percent, parse_percent
from laxity.core.spec import MAX_PRIORITY, MIN_PRIORITY
from laxity.core.units import exact_size, parse_duration_ns, parse_size_bytes
from laxity.errors import ConfigError, PlatformError, located
from laxity.store.run_directory import write_output
from laxity.tasksets.experiment_spec import LogUniform
from laxity.tasksets.generated import MAX_PASSES, DrawnTask, Range, Request, Share, draw_task_set
from laxity.tasksets.generated_spec import share_remark, task_set_toml, temporal_remark
from laxity.tasksets.locality import (
    LINES_BYTES,
    RATIO_ONE,
    Cache,
    lowest_ratio,
    size_of_temporal_ratio,
)

_MOST_TASKS = 90
_HIGHEST_PRIORITY = 90
_RANGE = ".."
_NONE = "none"
_RATE_MONOTONIC = "rate-monotonic"
_DEFAULT_CODE = "8KiB..64KiB"
_MOST_DIGITS = 18
_DEFAULT_SEED_BITS = 31
_SHORTEST_PERIOD_NS = 100_000
_LONGEST_PERIOD_NS = 24 * 3600 * 10**9
_LARGEST_BYTES = 1 << 40
_DEFAULT_DURATION = "10s"
_LOCKED = (
    "no processor that laxity runs on lets a program lock cache lines (docs/generated.md, Locked "
    "lines); leave it out"
)


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    tasks: int
    code: str | None
    code_miss: str | None
    temporal_miss: str | None
    cache: str | None
    ways: int | None
    data: str | None
    data_miss: str | None
    line: str
    period: str
    passes: str | None
    utilisation: str | None
    uses_per_us: int | None
    priorities: str
    cpus: str | None
    jobs: int | None
    duration: str | None
    seed: int | None
    locked: str | None
    output: str | None


@click.command()
@click.option(
    "--tasks",
    type=click.IntRange(1, _MOST_TASKS),
    metavar="N",
    default=4,
    show_default=True,
    help="Number of tasks.",
)
@click.option(
    "--code",
    metavar="SIZE|LOW..HIGH|none",
    help=f"Straight-line code of each task.  [default: {_DEFAULT_CODE}]",
)
@click.option(
    "--code-miss",
    metavar="PERCENT|LOW..HIGH",
    help="Lines per executed instruction: 100% jumps from line to line, 50% executes two of each.  "
    "[default: all of each line]",
)
@click.option(
    "--temporal-miss",
    metavar="PERCENT",
    help="Instead of --code: so large that of its lines so many are gone at the next pass; with "
    "--cache and --ways.",
)
@click.option("--cache", metavar="SIZE", help="Of the instruction cache.")
@click.option("--ways", type=click.IntRange(1, 64), metavar="N", help="Of the instruction cache.")
@click.option("--data", metavar="SIZE|LOW..HIGH", help="Data of each task.  [default: none]")
@click.option("--data-miss", metavar="PERCENT|LOW..HIGH", help="Lines per word read.")
@click.option(
    "--line",
    type=click.Choice([exact_size(one) for one in LINES_BYTES]),
    default="64B",
    show_default=True,
    help="Of the caches.",
)
@click.option(
    "--period",
    metavar="TIME|LOW..HIGH",
    default="5ms..100ms",
    show_default=True,
    help="Cycle time: log-uniform, multiples of LOW.",
)
@click.option(
    "--passes", metavar="N|LOW..HIGH", help="Over code and data, in each job.  [default: 1]"
)
@click.option(
    "--utilisation",
    metavar="PERCENT",
    help="Instead of --passes: of one processor by all tasks; with --uses-per-us.",
)
@click.option(
    "--uses-per-us",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Instructions and reads that the processor is taken to do in a microsecond.",
)
@click.option(
    "--priorities",
    metavar="rate-monotonic|LIST",
    default=_RATE_MONOTONIC,
    show_default=True,
    help="LIST: one for each task, that of the shortest period first.",
)
@click.option("--cpus", metavar="LIST", help="Of every task.  [default: all that laxity may use]")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="[run] jobs.")
@click.option("--duration", metavar="TIME", help="[run] duration.  [default: 10s without --jobs]")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed.  [default: drawn, stored]")
@click.option("--locked", metavar="SIZE", hidden=True)
@click.option("-o", "--output", metavar="FILE", help="Where to write the spec.  [default: stdout]")
@debug_option
def generate(**given: object) -> None:
    """Draw a set of periodic tasks and write it as a spec, which `laxity run` takes.

    Each task executes code of its own that it writes at its start, and reads data, both of the
    sizes and miss ratios drawn. The same options and seed write the same file.
    """
    options = msgspec.convert(given, _Options)
    if options.locked is not None:
        msg = f"--locked {options.locked}: {_LOCKED}"
        raise PlatformError(msg)
    _check_run(options)
    request = _request(options)
    seed = secrets.randbits(_DEFAULT_SEED_BITS) if options.seed is None else options.seed
    try:
        tasks = draw_task_set(request, seed)
    except ValueError as error:
        msg = f"--utilisation: {error}; ask for more code or shorter periods"
        raise ConfigError(msg) from error
    text = _text(options, request, tasks, seed)
    if options.output is None:
        sys.stdout.write(text)
    else:
        write_output(Path(options.output), text.encode())


def _text(options: _Options, request: Request, tasks: Sequence[DrawnTask], seed: int) -> str:
    run: dict[str, Any] = {"seed": seed}
    if options.jobs is not None:
        run["jobs"] = options.jobs
    if options.duration is not None or options.jobs is None:
        run["duration"] = options.duration or _DEFAULT_DURATION
    remarks = [f"A task set of laxity generate, drawn with seed {seed}; docs/generated.md."]
    if options.temporal_miss is not None and request.code_bytes is not None:
        remarks.append(temporal_remark(request.code_bytes.low, _cache(options)))
    if isinstance(request.work, Share):
        remarks.append(share_remark(tasks, request.work))
    return task_set_toml(tasks, run, options.cpus, remarks)


def _request(options: _Options) -> Request:
    line_bytes = parse_size_bytes(options.line)
    code_bytes = _code_bytes(options, line_bytes)
    data_bytes = None
    if options.data is not None:
        data_bytes = _sizes("--data", options.data, line_bytes)
    if code_bytes is None and data_bytes is None:
        msg = "--code none: a task of neither code nor data does nothing; add --data"
        raise ConfigError(msg)
    if data_bytes is None and options.data_miss is not None:
        msg = "--data-miss: there is no data; add --data"
        raise ConfigError(msg)
    period_ns = _range(
        "--period",
        options.period,
        parse_duration_ns,
        (_SHORTEST_PERIOD_NS, _LONGEST_PERIOD_NS),
        "100us to 24h",
    )
    step_ns = period_ns.low
    lowest = lowest_ratio(line_bytes)
    whole = Range(lowest, lowest)

    def ratio(option: str, text: str | None) -> Range:
        if text is None:
            return whole
        bounds = f"{format_percent(lowest)} (all words of a line) to 100%"
        return _range(option, text, parse_percent, (lowest, RATIO_ONE), bounds)

    return Request(
        n_tasks=options.tasks,
        line_bytes=line_bytes,
        code_bytes=code_bytes,
        code_ratio=ratio("--code-miss", options.code_miss),
        data_bytes=data_bytes,
        data_ratio=ratio("--data-miss", options.data_miss),
        periods=LogUniform(step_ns, period_ns.high // step_ns * step_ns, step_ns),
        work=_work(options),
        priorities=_priorities(options),
        highest_priority=_HIGHEST_PRIORITY,
    )


def _code_bytes(options: _Options, line_bytes: int) -> Range | None:
    """Sizes of code: drawn, none, or what a temporal miss ratio asks for."""
    if options.temporal_miss is None:
        if options.cache is not None or options.ways is not None:
            msg = "--cache, --ways: they serve --temporal-miss; add it or drop them"
            raise ConfigError(msg)
        if options.code == _NONE:
            return None
        return _sizes("--code", options.code or _DEFAULT_CODE, line_bytes)
    if options.code is not None:
        msg = "--code, --temporal-miss: either says how large the code is; drop one"
        raise ConfigError(msg)
    with located("--temporal-miss"):
        ratio = Fraction(parse_percent(options.temporal_miss), 10**6)
    if ratio > 1:
        msg = f"--temporal-miss: {options.temporal_miss} is more than 100%; write less"
        raise ConfigError(msg)
    size_bytes = size_of_temporal_ratio(ratio, _cache(options))
    return Range(size_bytes, size_bytes)


def _cache(options: _Options) -> Cache:
    if options.cache is None or options.ways is None:
        msg = "--temporal-miss: needs the cache; add --cache and --ways (laxity doctor shows them)"
        raise ConfigError(msg)
    with located("--cache"):
        size_bytes = parse_size_bytes(options.cache)
    try:
        return Cache(size_bytes, parse_size_bytes(options.line), options.ways)
    except ValueError as error:
        msg = f"--cache: {error}; correct --cache, --ways or --line"
        raise ConfigError(msg) from error


def _work(options: _Options) -> Range | Share:
    if options.utilisation is None:
        if options.uses_per_us is not None:
            msg = "--uses-per-us: it serves --utilisation; add it or drop this"
            raise ConfigError(msg)
        return _range(
            "--passes", options.passes or "1", _parse_count, (1, MAX_PASSES), f"1 to {MAX_PASSES}"
        )
    if options.passes is not None:
        msg = "--passes, --utilisation: either says how much a job does; drop one"
        raise ConfigError(msg)
    if options.uses_per_us is None:
        msg = (
            "--utilisation: how fast is the processor? add --uses-per-us "
            "(docs/generated.md says how to measure it)"
        )
        raise ConfigError(msg)
    with located("--utilisation"):
        utilisation = parse_percent(options.utilisation)
    if not 0 < utilisation <= 10**6:
        msg = f"--utilisation: {options.utilisation} is not within 0% to 100%; write what is"
        raise ConfigError(msg)
    return Share(utilisation, options.uses_per_us)


def _priorities(options: _Options) -> tuple[int, ...]:
    if options.priorities == _RATE_MONOTONIC:
        return ()
    with located("--priorities"):
        found = tuple(_parse_count(part) for part in options.priorities.split(","))
    if len(found) != options.tasks:
        msg = f"--priorities: {len(found)} for {options.tasks} tasks; write one for each"
        raise ConfigError(msg)
    for one in found:
        if not MIN_PRIORITY <= one <= MAX_PRIORITY:
            msg = f"--priorities: {one} is not within {MIN_PRIORITY} to {MAX_PRIORITY}; change it"
            raise ConfigError(msg)
    return found


def _check_run(options: _Options) -> None:
    """Refuse here what laxity run would refuse of the spec."""
    if options.cpus is not None:
        with located("--cpus"):
            parse_cpus(options.cpus)
    if options.duration is not None:
        with located("--duration"):
            parse_duration_ns(options.duration)


def _sizes(option: str, text: str, line_bytes: int) -> Range:

    line = exact_size(line_bytes)
    found = _range(
        option, text, parse_size_bytes, (line_bytes, _LARGEST_BYTES), f"{line} (a line) to 1TiB"
    )
    for size_bytes in (found.low, found.high):
        if size_bytes % line_bytes:
            msg = f"{option}: {exact_size(size_bytes)} is no multiple of {line}; write whole lines"
            raise ConfigError(msg)
    return Range(found.low, found.high)


def _range(
    option: str, text: str, parse: Callable[[str], int], bounds: tuple[int, int], allowed: str
) -> Range:
    """Read one value, or two of them with dots between."""
    low_text, dots, high_text = text.partition(_RANGE)
    with located(option):
        low = parse(low_text)
        high = parse(high_text) if dots else low
    if low > high:
        msg = f"{option}: {text}: the first is larger than the second; swap them"
        raise ConfigError(msg)
    if low < bounds[0] or high > bounds[1]:
        msg = f"{option}: {text} is not within {allowed}; write what is"
        raise ConfigError(msg)
    return Range(low, high)


def _parse_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        msg = f'"{text}" is no whole number; write for example 10'
        raise ConfigError(msg)
    return int(text)
