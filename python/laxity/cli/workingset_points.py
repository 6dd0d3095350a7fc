# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points as `laxity workingset` is asked for them, and as it prints them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.options import with_options
from laxity.cli.workingset_runs import RunWords, read_inputs
from laxity.core.units import NS_PER_UNIT, parse_duration_ns
from laxity.errors import ConfigError

if TYPE_CHECKING:
    from laxity.workingset.bitcode import BitcodeToolchain
    from laxity.workingset.bitcode_programs import Prepared
    from laxity.workingset.document import WorkingSetAnswer
    from laxity.workingset.points import CostOf, PointsAsked
    from laxity.workingset.times import BlockTimes
    from laxity.workingset.windows import WindowAsked

_NO_COSTS = "none"
_TIME_UNITS = ("ns", "us", "ms", "s")


class PointsWords(msgspec.Struct, frozen=True, kw_only=True):
    """The options of migration points as click gives them."""

    migration_points: bool
    distance: str | None
    window: str | None
    costs: str
    cpu_from: int | None
    cpu_to: int | None
    hints: str | None
    hints_elf: str | None


# What is asked of migration points.
points_options = with_options(
    click.option(
        "--migration-points",
        is_flag=True,
        help="List where the task may be made to migrate, and how much is live there.",
    ),
    click.option(
        "--distance",
        metavar="N|P%",
        help="Choose points so that on no path more than N instructions, or P % of the "
        "longest run in instructions (not time), are between them, with the smallest "
        "largest live set.",
    ),
    click.option(
        "--window",
        metavar="N|A..B",
        help="N (instructions, P% of the run, or with --times 50us or 9000cycles): run the "
        "program, cut its run into such windows and rank what it comes by in each. A..B: "
        "rank what any run may come by between its A-th and B-th instruction, or 20%..30% "
        "of the longest run.",
    ),
    click.option(
        "--costs",
        metavar="FILE|RUN|none",
        default=_NO_COSTS,
        show_default=True,
        help="What a migration costs: a costs.json, or the run that holds one.",
    ),
    click.option("--from", "cpu_from", metavar="CPU", type=int, help="From which CPU."),
    click.option("--to", "cpu_to", metavar="CPU", type=int, help="To which CPU."),
    click.option("--hints", metavar="FILE", help="Write the chosen points as JSON for a run time."),
    click.option(
        "--hints-elf",
        metavar="FILE",
        help="Write the program with a section laxity_hints: FILE.o, or FILE.bc.",
    ),
)


def points_asked(
    words: PointsWords, run_words: RunWords, times: "BlockTimes | None"
) -> "PointsAsked | None":
    """Read what is asked for before anything is computed; None: no migration points.

    Args:
        words: The options of migration points.
        run_words: Those of runs.
        times: Of --times.

    Raises:
        ConfigError: An option cannot be used, alone or at all.
    """
    from laxity.workingset.points import PointsAsked  # noqa: PLC0415 - loads numpy

    _check_together(words)
    if not words.migration_points:
        return None
    distance, is_percent = (
        (None, False) if words.distance is None else _length("--distance", words.distance)
    )
    return PointsAsked(
        distance=distance,
        is_percent=is_percent,
        window=_window(words.window) if words.window and not wants_run(words) else None,
        run_window=_run_window(words.window or "", run_words, times) if wants_run(words) else None,
        cost_of=_cost_of(words),
        cost_words=_cost_words(words),
    )


def _check_together(words: PointsWords) -> None:
    given = {
        "--distance": words.distance,
        "--window": words.window,
        "--hints": words.hints,
        "--hints-elf": words.hints_elf,
        "--costs": None if words.costs == _NO_COSTS else words.costs,
    }
    for option, value in given.items():
        if value is not None and not words.migration_points:
            msg = f"{option}: is about migration points; add --migration-points"
            raise ConfigError(msg)
    for option, value in (("--hints", words.hints), ("--hints-elf", words.hints_elf)):
        if value is not None and words.distance is None:
            msg = f"{option}: holds the chosen points; add --distance"
            raise ConfigError(msg)
    if words.hints is not None:
        from laxity.store.run_directory import check_output  # noqa: PLC0415 - only if asked for

        check_output(Path(words.hints), "--hints")
    has_pair = words.cpu_from is not None and words.cpu_to is not None
    if (words.costs != _NO_COSTS) != has_pair:
        msg = "--costs, --from and --to: a cost is one of moving between two CPUs; give all three"
        raise ConfigError(msg)
    if words.hints_elf is not None:
        from laxity.workingset.hints import check_elf  # noqa: PLC0415 - loads numpy

        check_elf(Path(words.hints_elf))


def _length(option: str, text: str) -> tuple[int, bool]:
    is_percent = text.endswith("%")
    number = text.removesuffix("%")
    if not number.isascii() or not number.isdigit():
        msg = f"{option} {text}: write a number of instructions such as 5000, or a part such as 10%"
        raise ConfigError(msg)
    if is_percent and int(number) > 100:  # noqa: PLR2004 - the whole
        msg = f"{option} {text}: is more than the longest run; write 100% at most"
        raise ConfigError(msg)
    return int(number), is_percent


def wants_run(words: PointsWords) -> bool:
    """Tell whether windows of a recorded run are asked for."""
    return words.window is not None and ".." not in words.window


def _run_window(text: str, run_words: RunWords, times: "BlockTimes | None") -> "WindowAsked":
    from laxity.workingset.windows import WindowAsked  # noqa: PLC0415 - loads numpy

    clock = "" if times is None else times.column.partition("_")[0]
    length, unit = _window_length(text)
    if length == 0:
        msg = f"--window {text}: is empty; write 1 at least"
        raise ConfigError(msg)
    if unit in {"ns", "cycles"} and unit != clock:
        says = f"--times states {clock}" if clock else "nothing states times; add --times FILE"
        msg = f"--window {text}: is in {unit}, and {says}"
        raise ConfigError(msg)
    return WindowAsked(
        length=length,
        unit=unit,
        times=times if unit else None,
        inputs=read_inputs(run_words),
        patience_s=parse_duration_ns(run_words.timeout) / NS_PER_UNIT["s"],
    )


def _window_length(text: str) -> tuple[int, str]:
    """Read the length of a window and its unit; no unit: instructions."""
    cycles = text.removesuffix("cycles")
    if cycles != text and cycles.isascii() and cycles.isdigit():
        return int(cycles), "cycles"
    if text.endswith(_TIME_UNITS):
        return parse_duration_ns(text), "ns"
    length, is_percent = _length("--window", text)
    return length, "%" if is_percent else ""


def _window(text: str) -> tuple[int, int, bool]:
    first, _, last = text.partition("..")
    (start, first_is_percent), (end, last_is_percent) = (
        _length("--window", first),
        _length("--window", last),
    )
    if first_is_percent != last_is_percent or start > end:
        msg = f"--window {text}: write both ends alike, the first not behind the last"
        raise ConfigError(msg)
    return start, end, first_is_percent


def _cost_of(words: PointsWords) -> "CostOf | None":
    if words.costs == _NO_COSTS:
        return None
    from laxity.bounds.platform_costs import Choice, migration_cost  # noqa: PLC0415 - if asked
    from laxity.costs.merge import read_costs  # noqa: PLC0415 - likewise

    model = read_costs(Path(words.costs))
    pair = (words.cpu_from or 0, words.cpu_to or 0)
    return lambda size, of: migration_cost(model, pair, size, of, Choice())


def _cost_words(words: PointsWords) -> str:
    if words.costs == _NO_COSTS:
        return ""
    where = f"from CPU {words.cpu_from} to CPU {words.cpu_to}"
    return f"the largest sample of migrations {where}, {words.costs}"


def check_single(words: PointsWords, n_programs: int) -> None:
    """Check that a hint table is one of a single program.

    Raises:
        ConfigError: There are several.
    """
    if n_programs != 1 and (words.hints is not None or words.hints_elf is not None):
        option = "--hints" if words.hints is not None else "--hints-elf"
        msg = f"{option}: holds the points of one program, and there are {n_programs}; use --only"
        raise ConfigError(msg)


def write_hints(
    words: PointsWords,
    answer: "WorkingSetAnswer",
    prepared: "Prepared",
    toolchain: "BitcodeToolchain",
    scratch: Path,
) -> None:
    """Write the hint tables that are asked for; none where no points could be chosen."""
    if words.hints is None and words.hints_elf is None:
        return
    from laxity.store.manifest import encode_document  # noqa: PLC0415 - likewise
    from laxity.store.run_directory import write_output  # noqa: PLC0415 - likewise
    from laxity.workingset.hints import hints_of, write_marked  # noqa: PLC0415 - loads numpy

    hints = hints_of(answer)
    if hints is None:
        return
    if words.hints is not None:
        write_output(Path(words.hints), encode_document(hints), "--hints")
    if words.hints_elf is not None:
        bitcode = prepared.programs[0].bitcode
        write_marked(hints, bitcode, Path(words.hints_elf), toolchain, scratch)
