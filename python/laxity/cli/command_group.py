# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A group of commands that says which one may have been meant."""

import click
from typing_extensions import override

from laxity.errors import suggestion

# More letters than a sentence has.
_WHOLE = 1000


class CommandGroup(click.Group):
    """A group that refuses an unknown command with a suggestion."""

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            advice = suggestion(name, known, f"use one of {' '.join(known)}")
            msg = f'unknown command "{name}"; {advice}'
            raise click.UsageError(msg, ctx)
        return super().resolve_command(ctx, args)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List each command with the first sentence of its help, which click would cut off."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(_WHOLE)) for name, one in found if one is not None]
            )
