# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Command lines of documents, taken by their commands without being run."""

from collections.abc import Sequence

import click

from laxity.cli.main import cli


def check_taken(words: Sequence[str]) -> None:
    """Refuse unknown commands and options, missing arguments, and words that are none of a choice.

    Args:
        words: Those behind `laxity`.
    """
    rest = list(words)
    command: click.Command = cli
    # Commands remember what asks for help.
    context = click.Context(cli, info_name="laxity", **cli.context_settings)
    while isinstance(command, click.Group):
        name, *rest = rest
        found = command.get_command(context, name)
        assert found is not None, name
        command = found
    assert command.make_context(name, rest, parent=context).params
