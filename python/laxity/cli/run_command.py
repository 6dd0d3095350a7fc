# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The command line of `laxity run`: words of a workload, and of a program behind --exec."""

import shlex

import click
from typing_extensions import override

from laxity.errors import ConfigError

_EXEC = "--exec"
# Titles of options in the help, the most used first; each option stands under one.
TITLES: dict[str, tuple[str, ...]] = {
    "Jobs": (
        *("period", "deadline", "jobs", "duration", "cpus", "priority", "interfere", "words"),
        "exec_words",
    ),
    "Limits that make a run fail": ("max_misses", "max_response", "stop_on", "fail_fast"),
    "Scheduling": (
        *("name", "offset", "policy", "runtime", "sched_period", "sched_deadline", "overrun"),
        *("job_timeout", "threads", "stdin", "allow_unprivileged"),
    ),
    "Counting and tracing": (
        *("events", "sample", "sample_bucket", "sample_cpu", "trace_any", "trace_backend"),
        "snapshots",
    ),
    "The machine": ("idle", "shield", "no_throttling", "on"),
    "Simulated platforms": (
        *("platform", "seed", "counters", "sample_by", "sample_above", "place"),
        *("regulate", "theta"),
    ),
    "Memory": ("memory_limit", "memory_need", "stack", "heap"),
    "Programs of a suite": ("isolation", "calls"),
    "What is written": (
        *("run_dir", "run_root", "keep", "no_report", "output_format", "dry_run", "quiet"),
        *("debug", "_click_default_help"),
    ),
}


class Titled(click.Command):
    """A command that has the options of `laxity run`: its help has them under titles."""

    @override
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write options under their titles; first those that another command adds."""
        records = {
            one.name: record
            for one in self.get_params(ctx)
            if isinstance(one, click.Option) and (record := one.get_help_record(ctx)) is not None
        }
        titled = {name for names in TITLES.values() for name in names}
        own = tuple(name for name in records if name not in titled)
        for title, names in {"Options": own, **TITLES}.items():
            if shown := [records[name] for name in names if name in records]:
                with formatter.section(title):
                    formatter.write_dl(shown)


class RunCommand(Titled):
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
