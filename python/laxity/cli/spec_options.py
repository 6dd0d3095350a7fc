# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The keys of a spec as options of `laxity run`, made from where they are declared."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from laxity.core.schema import Option
from laxity.core.spec_keys import option_keys

Command = TypeVar("Command", bound=Callable[..., Any])


def key_options(
    table: type[msgspec.Struct], by_hand: tuple[str, ...] = ()
) -> Callable[[Command], Command]:
    """Add an option for each key of a table that is declared as one, in the table's order.

    Args:
        table: `RunTable` or `TaskTable`.
        by_hand: Keys whose options the command has itself.
    """
    described = {key: one for key, one in option_keys(table).items() if key not in by_hand}

    def add(command: Command) -> Command:
        for key, one in reversed(described.items()):
            command = _option(key, one)(command)
        return command

    return add


def key_option(table: type[msgspec.Struct], key: str) -> Callable[[Command], Command]:
    """Make the option of one key of a table."""
    return _option(key, option_keys(table)[key])


def _option(key: str, of: Option) -> Callable[[Command], Command]:
    spelled = ([] if of.letter is None else [f"-{of.letter}"]) + [f"--{key.replace('_', '-')}"]
    shown = of.default if of.shown is None else of.shown
    text = of.help if shown is None else f"{of.help}  [default: {shown}]"
    if of.type == "flag":
        return click.option(*spelled, is_flag=True, default=None, help=text)
    if of.type == "choice":
        return click.option(*spelled, type=click.Choice(of.words), help=text)
    # The one that samples is one CPU.
    kind = int if of.type == "count" or key == "sample_cpu" else str
    return click.option(*spelled, type=kind, metavar=of.metavar, help=text)
