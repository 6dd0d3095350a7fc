# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The command line of `laxity run`: what stands behind --exec is not ours to read."""

import shlex

import click
from typing_extensions import override

_EXEC = "--exec"


class RunCommand(click.Command):
    """A command whose option --exec takes all words behind it, as they are."""

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Make one quoted word of the program and its words."""
        if _EXEC in args:
            at = args.index(_EXEC)
            words = args[at + 1 :]
            args = [*args[: at + 1], *([shlex.join(words)] if words else [])]
        rest = super().parse_args(ctx, args)
        is_named = ctx.params.get("what") is not None or ctx.params.get("exec_words")
        # Completion asks about command lines that are not whole yet.
        if not is_named and not ctx.resilient_parsing:
            what = next(one for one in self.params if one.name == "what")
            raise click.MissingParameter(ctx=ctx, param=what)
        return rest
