# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Options of `laxity suite` that say for which machine guests are built, and how."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from laxity.cli.options import with_options
from laxity.cli.suite_discover import words_of_cc
from laxity.core.spec_reader import split_words
from laxity.errors import ConfigError

if TYPE_CHECKING:
    from laxity.suites.toolchain import Toolchain
    from laxity.suites.vetting_file import Vetting

_NATIVE = "native"
_DEFAULT_CC = "cc"


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """The options as click gives them."""

    target: str
    link: str | None = None
    emulator: str | None = None


# For which machine.
target_options = with_options(
    click.option(
        "--target",
        metavar="NAME",
        default=_NATIVE,
        show_default=True,
        help="Build for another machine and run under an emulator: a name in cross/.",
    ),
    click.option(
        "--link",
        type=click.Choice(["dynamic", "static"]),
        help="Shared objects that are loaded, or one executable of program and harness; "
        "static is the default of other targets.",
    ),
    click.option(
        "--emulator",
        metavar="'PROGRAM FLAG...'",
        help="What runs programs of another target; without it the one that cross/ names.",
    ),
)


def target_toolchain(options: TargetOptions, cc: str) -> "Toolchain":
    """Make the toolchain of a target.

    Args:
        options: The target.
        cc: As `--cc` has it; the default means the target's own.

    Raises:
        ConfigError: No such target, or a compiler for another machine.
        PlatformError: Compiler or emulator is missing.
        ToolError: Nothing is built for it.
    """
    from laxity.suites.target import Link, Wanted  # noqa: PLC0415 - when needed
    from laxity.suites.toolchain import make_toolchain  # noqa: PLC0415 - when needed

    return make_toolchain(
        Wanted(
            name=options.target,
            link=Link(options.link) if options.link else None,
            cc=() if cc == _DEFAULT_CC else words_of_cc(cc),
            emulator=tuple(split_words(options.emulator or "", "--emulator")),
        )
    )


def vetted_toolchain(vetting: "Vetting", architecture: str | None = None) -> "Toolchain":
    """Make the toolchain that programs were vetted with, to run them.

    Args:
        vetting: The verdicts.
        architecture: Of the simulated platform that they run on; None: this machine.

    Raises:
        ConfigError: They were vetted for another one.
        PlatformError: The compiler is missing.
        ToolError: Nothing is built for it.
    """
    if architecture is not None:
        return _simulated_toolchain(vetting, architecture)
    if vetting.target != _NATIVE:
        msg = (
            f"--vetting: is of programs for {vetting.target}, under an emulator, whose times say "
            "nothing; vet without --target to run them here"
        )
        raise ConfigError(msg)
    return target_toolchain(TargetOptions(vetting.target, vetting.link.value), vetting.cc)


def _simulated_toolchain(vetting: "Vetting", architecture: str) -> "Toolchain":
    from laxity.suites.toolchain import make_simulated_toolchain  # noqa: PLC0415 - when needed

    if vetting.target not in {_NATIVE, architecture}:
        msg = (
            f"--vetting: is of programs for {vetting.target}, and the platform executes "
            f"{architecture}; vet with --target {architecture}, or for this machine"
        )
        raise ConfigError(msg)
    _, *flags = words_of_cc(vetting.cc)
    toolchain = make_simulated_toolchain(architecture, flags)
    toolchain.require()
    return toolchain
