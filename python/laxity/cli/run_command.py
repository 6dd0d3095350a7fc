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
        if ctx.params.get("what") is None and not ctx.params.get("exec_words"):
            what = next(one for one in self.params if one.name == "what")
            raise click.MissingParameter(ctx=ctx, param=what)
        return rest
