# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity compare`: has anything become longer, and is that more than noise?"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.options import (
    debug_option,
    format_option,
    no_report_option,
    run_dir_option,
    run_path,
    run_root_option,
)
from laxity.cli.tables import print_json
from laxity.compare.fail_on import FailOn, parse_fail_on
from laxity.errors import (
    EXIT_DONE,
    EXIT_NO_VERDICT,
    EXIT_VIOLATED,
    ConfigError,
    NoVerdict,
    suggestion,
)
from laxity.page.blocks import name_some

if TYPE_CHECKING:
    from laxity.compare.data import Side
    from laxity.compare.regression import Judgement
    from laxity.compare.sides import Answer, AnswerVerdict, Comparison, Result

_EXIT_CODES = {"violated": EXIT_VIOLATED, "no_verdict": EXIT_NO_VERDICT, "holds": EXIT_DONE}


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    base: str
    others: tuple[str, ...]
    expressions: tuple[str, ...]
    noise: tuple[str, ...]
    allow_different: bool
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str


@click.command(
    epilog="Exit codes: 0 compared and nothing stated has happened, 1 a --fail-on is violated, "
    "2 usage, 4 no verdict: not comparable, or the figures do not tell."
)
@click.argument("base", metavar="BASE")
@click.argument("others", metavar="NEW...", nargs=-1, required=True)
@click.option(
    "--fail-on",
    "expressions",
    metavar="EXPR",
    multiple=True,
    help="Exit with 1 if so: response.p99 > +5%, control.response.max > +20us, misses > 0, "
    "gamma@256KiB.median > +15%. Repeatable.",
)
@click.option(
    "--noise",
    metavar="RUN",
    multiple=True,
    help="A further run made as BASE was: what they differ in is noise. Repeatable.",
)
@click.option(
    "--allow-different",
    is_flag=True,
    help="Compare although machine, tasks, clock or interference differ; the answer says so.",
)
@run_dir_option
@run_root_option
@no_report_option
@format_option("table", "json")
@debug_option
def compare(**given: object) -> int:
    """Compare each NEW with BASE: runs with jobs, or cost models (costs.json, runs that hold one).

    Tasks are matched by name, costs by name and axes. A difference counts where its 95 % interval
    and the noise floor leave out zero; what is not shown is never called equal. Figures of
    simulated runs are exact, and their difference decides. docs/compare.md.

    With --run-dir or --run-root the answer is stored as a run with a report.
    """
    options = msgspec.convert(given, _Options)
    statements = tuple(parse_fail_on(one) for one in options.expressions)
    final = None
    if options.run_dir is not None or options.run_root is not None:
        final = run_path("compare", options.run_dir, options.run_root)
    answer, machine_hash = _answer(options, statements)
    code = _EXIT_CODES.get(answer.verdict, EXIT_DONE)
    if final is not None:
        _store(answer, code, machine_hash, final, has_report=not options.no_report)
    if options.output_format == "json":
        print_json(answer)
    else:
        from laxity.compare.section import blocks_of  # noqa: PLC0415 - loads numpy
        from laxity.page.terminal import text_of  # noqa: PLC0415 - with the above

        sys.stdout.write(text_of(blocks_of(answer)))
    _refuse_incomparable(answer)
    return code


def _answer(options: _Options, statements: Sequence[FailOn]) -> "tuple[Answer, str | None]":
    """Compare; second, the machine of the baseline."""
    from laxity.compare.data import read_sides  # noqa: PLC0415 - loads numpy
    from laxity.compare.sides import COMPARE_SCHEMA, Answer, Result, compare_sides  # noqa: PLC0415 - with the above

    is_different_allowed = options.allow_different
    old, new, likes = read_sides(options.base, options.others, options.noise)
    _check_names(statements, (old, *new))
    _check_noise(old, likes, is_different_allowed=is_different_allowed)
    results = []
    for side in new:
        found = compare_sides(old, side, likes, is_different_allowed=is_different_allowed)
        results.append(Result(found, _judge(statements, found)))
    verdict = _verdict(results, statements)
    answer = Answer(COMPARE_SCHEMA, options.base, options.noise, verdict, tuple(results))
    return answer, old.machine_hash


def _store(
    answer: "Answer", code: int, machine_hash: str | None, final: Path, *, has_report: bool
) -> None:
    """Store the answer as a run, and write its report."""
    from laxity.cli.reports import build_report  # noqa: PLC0415 - only if asked for
    from laxity.compare.store import CompareRequest, store_comparison  # noqa: PLC0415 - likewise

    request = CompareRequest(
        answer=msgspec.to_builtins(answer),
        exit_code=code,
        machine_hash=machine_hash,
        parents=(answer.base, *(one.comparison.path for one in answer.results), *answer.noise),
        final=final,
        command_line=["laxity", *sys.argv[1:]],
    )
    finished = store_comparison(request)
    if has_report and finished.path is not None:
        print(f"laxity compare: report: {build_report(finished.path)}", file=sys.stderr)


def _judge(statements: Sequence[FailOn], found: "Comparison") -> "tuple[Judgement, ...]":
    from laxity.compare.regression import judge_statement  # noqa: PLC0415 - with the above

    if not found.is_compared:
        return ()
    return tuple(
        judgement
        for statement in statements
        for judgement in judge_statement(statement, found.figures, found.misses, found.subjects)
    )


def _verdict(results: "Sequence[Result]", statements: Sequence[FailOn]) -> "AnswerVerdict":
    from laxity.compare.regression import UNKNOWN, VIOLATED, overall  # noqa: PLC0415 - as above

    answer = overall([one for result in results for one in result.judgements])
    if answer == VIOLATED:
        return answer
    if any(not one.comparison.figures and not one.comparison.misses for one in results):
        return UNKNOWN
    return answer if statements else "compared"


def _check_names(statements: Sequence[FailOn], sides: "Iterable[Side]") -> None:
    """Refuse tasks that no side has: a mistyped name must not be an eternal "no verdict"."""
    tasks = {name for side in sides for name, _, _ in side.tasks()}
    for statement in statements:
        task = statement.task
        if task is None or task in tasks:
            continue
        advice = suggestion(task, tasks, f"there is {', '.join(sorted(tasks)) or 'none'}")
        msg = f'--fail-on "{statement.text}": no side has a task "{task}"; {advice}'
        raise ConfigError(msg)


def _check_noise(base: "Side", likes: "Iterable[Side]", *, is_different_allowed: bool) -> None:
    from laxity.compare.sides import differences_of  # noqa: PLC0415 - as above

    for side in likes:
        found = differences_of(base, side)
        if found and not is_different_allowed:
            first = found[0]
            msg = (
                f"--noise {side.path}: was not made as BASE was ({first.what}: {first.base}, here "
                f"{first.new}); name a run of the same experiment"
            )
            raise NoVerdict(msg)
        if not _has_common(base, side):
            msg = (
                f"--noise {side.path}: has no task and no cost in common with BASE, so it tells "
                "nothing; name a run of the same experiment"
            )
            raise NoVerdict(msg)


def _has_common(base: "Side", side: "Side") -> bool:
    is_of_costs = base.costs is not None and side.costs is not None
    return is_of_costs or any(side.task(name) is not None for name, _, _ in base.tasks())


def _refuse_incomparable(answer: "Answer") -> None:
    """Say why there is no comparison.

    Raises:
        NoVerdict: One could not be compared, and no statement is violated by the others.
    """
    if answer.verdict == "violated":
        return
    for result in answer.results:
        found = result.comparison
        if not found.is_compared:
            names = list(dict.fromkeys(one.what for one in found.differences))
            what = name_some(names)
            # Profiles have periods by their pilots, each its own.
            same = ", with one --period" if any(one.endswith("period") for one in names) else ""
            msg = (
                f"{found.path}: differs from BASE in more than its figures ({what}); compare runs "
                f"of one experiment on one machine{same}, or add --allow-different"
            )
            raise NoVerdict(msg)
        if not found.figures and not found.misses:
            msg = f"{found.path}: has no task and no cost in common with BASE; nothing was compared"
            raise NoVerdict(msg)
