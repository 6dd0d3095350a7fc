# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The command line of `laxity run`: words of a workload, and of a program behind --exec."""

import shlex

import click
from typing_extensions import override

from laxity.errors import ConfigError

_EXEC = "--exec"


class RunCommand(click.Command):
    """A command whose option --exec takes all words behind it, as they are.

    Those behind the name of a workload, argument `bare`, are the same as one quoted string of -b.
    """

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Make one quoted word of the program and its words."""
        if _EXEC in args:
            at = args.index(_EXEC)
            words = args[at + 1 :]
            args = [*args[: at + 1], *([shlex.join(words)] if words else [])]
        rest = super().parse_args(ctx, args)
        if bare := ctx.params.pop("bare", ()):
            if ctx.params["words"] is not None:
                msg = f"-b: gives words, and {shlex.join(bare)} stands there too; keep one of them"
                raise ConfigError(msg)
            ctx.params["words"] = shlex.join(bare)
        is_named = ctx.params.get("what") is not None or ctx.params.get("exec_words")
        # Completion asks about command lines that are not whole yet.
        if not is_named and not ctx.resilient_parsing:
            what = next(one for one in self.params if one.name == "what")
            raise click.MissingParameter(ctx=ctx, param=what)
        return rest
