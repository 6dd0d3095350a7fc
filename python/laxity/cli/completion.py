# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Let a shell complete our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from laxity.cli.main import PROGRAM
from laxity.errors import ConfigError

SHELLS = ("bash", "zsh", "fish")
# click looks for this variable when the program starts; the script sets it.
COMPLETE_VARIABLE = "_LAXITY_COMPLETE"


def completion_script(shell: str) -> str:
    """Write the script that makes a shell complete `laxity`.

    The script asks the program itself, so it needs no change when commands do.

    Args:
        shell: bash, zsh or fish.

    Raises:
        ConfigError: click has no generator for this shell.
    """
    generator = get_completion_class(shell) if shell in SHELLS else None
    if generator is None:
        msg = f'shell "{shell}": no completion for it; choose among {", ".join(SHELLS)}'
        raise ConfigError(msg)
    # The script does not depend on the command, only on its name.
    made = generator(click.Command(PROGRAM), {}, PROGRAM, COMPLETE_VARIABLE)
    return made.source_template % made.source_vars()
