# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity import`: a task set of another tool as a spec."""

import sys
from pathlib import Path

import click

from laxity.cli.options import debug_option
from laxity.core.input_file import read_input
from laxity.core.spec_reader import MAX_SPEC_BYTES
from laxity.errors import ConfigError, located

_FORMATS = ("rt-app",)
# Under the finest clock; run compares with that of the machine.
_RESOLUTION_NS = 1


@click.command("import")
@click.argument("kind", metavar="FORMAT", type=click.Choice(_FORMATS))
@click.argument("path", metavar="FILE")
@click.option(
    "--uses-per-us",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Instructions that the processor is taken to execute in a microsecond.",
)
@click.option(
    "--bound-only", is_flag=True, help="Instead: no workload, for laxity bound and not for run."
)
@click.option(
    "--allow-unsupported",
    is_flag=True,
    help="Leave out what a spec cannot say; told, and in the file as comments.",
)
@click.option("-o", "--output", metavar="FILE", help="Where to write the spec.  [default: stdout]")
@debug_option
def import_set(
    kind: str,  # noqa: ARG001 - there is one
    path: str,
    uses_per_us: int | None,
    bound_only: bool,
    allow_unsupported: bool,
    output: str | None,
) -> None:
    """Write FILE, a task set of another tool, as a spec, which laxity run and bound take.

    FORMAT rt-app: its JSON. Tasks that one timer releases become tasks of workload generated that
    execute as long as their run events say, if the processor is as fast as --uses-per-us says.
    Everything that a spec cannot say is named, and then nothing is written.
    """
    from laxity.store.run_directory import write_output  # noqa: PLC0415 - as above
    from laxity.tasksets.rtapp import read_rtapp  # noqa: PLC0415 - as above
    from laxity.tasksets.rtapp_spec import rtapp_spec_toml  # noqa: PLC0415 - of this command

    if bound_only == (uses_per_us is not None):
        msg = (
            "how fast is the processor? add --uses-per-us N (docs/rt-app.md says how to measure "
            "it) or --bound-only, and not both"
        )
        raise ConfigError(msg)
    data = read_input(Path(path), MAX_SPEC_BYTES, "a task set")
    with located(path):
        found = read_rtapp(data)
        for line in found.unsupported:
            print(f"laxity import: {path}: not supported: {line}", file=sys.stderr)
        if found.unsupported and not allow_unsupported:
            msg = (
                f"{len(found.unsupported)} not supported, see above; change them, or leave them "
                "out with --allow-unsupported"
            )
            raise ConfigError(msg)
        if not found.tasks:
            msg = "no task is left; docs/rt-app.md says which are taken"
            raise ConfigError(msg)
        if bound_only and not found.has_all_work:
            msg = "work is left out, so a bound would be of another task set; drop --bound-only"
            raise ConfigError(msg)
        text = rtapp_spec_toml(found, uses_per_us).encode()
        _check(text, is_for_run=not bound_only)
    if output is None:
        sys.stdout.write(text.decode())
    else:
        write_output(Path(output), text)


def _check(text: bytes, *, is_for_run: bool) -> None:
    """Refuse here what laxity run or bound would refuse of the spec."""
    from laxity.core.spec_reader import read_spec_toml  # noqa: PLC0415 - as above
    from laxity.core.task_set import read_task_set  # noqa: PLC0415 - as above

    if is_for_run:
        read_spec_toml(text, {}, _RESOLUTION_NS)
    else:
        read_task_set(text)
