# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity doctor`: what this machine can measure, and what spoils it."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from laxity.cli.options import debug_option, format_option, on_option
from laxity.cli.tables import print_json
from laxity.core.cpus import format_cpus, parse_cpus
from laxity.core.standard_streams import own_controls
from laxity.core.wording import visible
from laxity.errors import located

if TYPE_CHECKING:
    from laxity.platform.doctor import Check, Diagnosis
    from laxity.platform.machine import Machine

# What needs attention comes first; the rest keeps the order of the table.
_ORDER = ("bad", "warn", "unknown", "ok", "absent")
_PROBLEMS = ("bad", "warn", "unknown")
_COLOURS = {
    "bad": "red",
    "warn": "yellow",
    "unknown": "magenta",
    "ok": "green",
    "absent": "cyan",
    "unfit": "red",
    "usable with care": "yellow",
    "ready": "green",
    "yes": "green",
    "limited": "yellow",
    "no": "cyan",
}
_STATE_WIDTH = 8
_TEXT_INDENT = " " * _STATE_WIDTH
_NAME_WIDTH = 42
# Below this many columns a wrapped text is harder to read than a long line.
_NARROWEST = 60


@click.command()
@click.option(
    "--cpus",
    metavar="LIST",
    help="CPUs that tasks will run on, such as 1 or 2-3. Default: the isolated ones, else all that"
    " this process may use.",
)
@click.option("--all", "show_all", is_flag=True, help="Show also what is in order or absent.")
@on_option
@format_option("table", "json")
@debug_option
def doctor(cpus: str | None, show_all: bool, on: str | None, output_format: str) -> None:
    """Tell what this machine can measure and what spoils it.

    Every finding comes with its value, why it matters to a real-time task, how to mend it and how
    to undo that. Nothing is changed, but like every command of root it first puts back what a
    killed run has left changed. Commands under "fix" and "undo" are for root.

    The verdict is "unfit" if real-time tasks cannot run as asked, "usable with care" if anything
    else that bears on figures was found or could not be read, otherwise "ready". What is absent,
    or only limits what can be measured, does not count.

    The exit code is 0 whatever is found; programs read "badge" from --format json.
    """
    # Imported late: `laxity --help` should not load what only this command needs.
    from laxity.platform.doctor import diagnose  # noqa: PLC0415
    from laxity.platform.machine import describe_machine  # noqa: PLC0415
    from laxity.platform.platform import open_platform  # noqa: PLC0415

    with located("--on"), open_platform(on) as platform:
        facts = platform.facts()
    with located("--cpus"):
        diagnosis = diagnose(facts, None if cpus is None else parse_cpus(cpus))
    if output_format == "json":
        print_json(diagnosis)
        return
    for line in render(diagnosis, describe_machine(facts), show_all=show_all, width=_width()):
        click.echo(
            line, own_controls(sys.stdout), color=False if os.environ.get("NO_COLOR") else None
        )


def _width() -> int | None:
    """Return the columns to wrap at; None (do not wrap) if a program or a file reads us."""
    if not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size().columns, _NARROWEST)


def render(
    diagnosis: Diagnosis, machine: Machine, *, show_all: bool, width: int | None
) -> Iterator[str]:
    """Write a diagnosis for people, line by line.

    Args:
        diagnosis: What was found.
        machine: The machine it was found on.
        show_all: Whether checks that found nothing are shown too.
        width: Columns to wrap at; None: never.
    """
    yield from _heading(diagnosis, machine, width)
    shown = sorted(diagnosis.checks, key=_urgency)
    for check in shown:
        if check.state in _PROBLEMS or show_all:
            yield ""
            yield from _check_lines(check, width)
    yield ""
    if not show_all:
        yield from _wrapped(_rest(diagnosis.checks), "", width)
        yield ""
    yield click.style("What can be measured here", bold=True)
    for capability in diagnosis.capabilities:
        head = f"{capability.available:<{_STATE_WIDTH}}{capability.name:<{_NAME_WIDTH}}"
        lines = list(_wrapped(head + capability.detail, " " * len(head), width))
        yield _coloured(lines[0], capability.available)
        yield from lines[1:]


def _urgency(check: Check) -> tuple[int, bool]:
    return _ORDER.index(check.state), check.severity != "blocking"


def _heading(diagnosis: Diagnosis, machine: Machine, width: int | None) -> Iterator[str]:
    stable = machine.stable
    parts = [stable.model or "unknown processor", f"{len(stable.cpus)} CPUs"]
    parts.append(f"{stable.kernel.name or 'unknown kernel'} {stable.kernel.release or ''}".strip())
    if stable.virtualisation.is_virtual_machine:
        parts.append("virtual machine")
    yield from _wrapped(f"Machine  {', '.join(parts)}", " " * 9, width)
    noun = "CPU" if len(diagnosis.cpus) == 1 else "CPUs"
    judged = f"{noun} {format_cpus(diagnosis.cpus) or 'none known'} (--cpus chooses others)"
    yield from _wrapped(f"Judged   {judged}", " " * 9, width)
    lines = list(_wrapped(f"Verdict  {diagnosis.badge}: {diagnosis.reason}", " " * 9, width))
    yield lines[0].replace(diagnosis.badge, _coloured(diagnosis.badge, diagnosis.badge), 1)
    yield from lines[1:]


def _check_lines(check: Check, width: int | None) -> Iterator[str]:
    head = f"{check.state:<{_STATE_WIDTH}}{check.title}: {check.value} [{check.id}]"
    lines = list(_wrapped(head, _TEXT_INDENT, width))
    yield _coloured(lines[0], check.state)
    yield from lines[1:]
    details = [("why", check.why), ("fix", check.fix), ("undo", check.undo), ("from", check.source)]
    if check.state not in _PROBLEMS:
        details = [("why", check.why), ("from", check.source)]
    for name, text in details:
        if text:
            label = f"{_TEXT_INDENT}{name:<5}"
            yield from _wrapped(label + text, " " * len(label), width)


def _rest(checks: Sequence[Check]) -> str:
    fine = sum(check.state == "ok" for check in checks)
    absent = sum(check.state == "absent" for check in checks)
    return (
        f"{fine} checks found nothing, {absent} look at what this machine lacks; --all shows them."
    )


def _coloured(line: str, word: str) -> str:
    """Colour `word` at the beginning of a line."""
    if not line.startswith(word):
        return line
    return click.style(word, fg=_COLOURS[word], bold=True) + line[len(word) :]


def _wrapped(text: str, indent: str, width: int | None) -> Iterator[str]:
    """Break a text at blanks only: commands must survive copying. Colours come afterwards."""
    text = visible(text, keeps_lines=True)
    if width is None or len(text) <= width:
        yield text.rstrip()
        return
    # The leading columns ("why  ") are not text: textwrap would keep or lose their blanks.
    head = text[: len(indent)]
    yield from textwrap.wrap(
        text[len(indent) :],
        width,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
