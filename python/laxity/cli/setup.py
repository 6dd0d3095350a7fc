# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity setup`: install sets of dependencies; shell completion and manual pages."""

import subprocess
import sys
from pathlib import Path

import click

from laxity.cli.options import debug_option
from laxity.core.text_table import format_table
from laxity.errors import ConfigError, PlatformError, ToolError, suggestion
from laxity.platform.tools import source_root
from laxity.store.segments import left_segments

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.option("--with", "set_name", metavar="SET", help="Install a set of dependencies.")
@click.option("--completion", type=click.Choice(_SHELLS), help="Print the completion script.")
@click.option("--man-pages", metavar="DIR", help="Write the manual pages into DIR.")
@debug_option
def setup(set_name: str | None, completion: str | None, man_pages: str | None) -> int:
    """Install what commands need, print shell completion, write manual pages.

    Without an option: show the sets of dependencies and whether they are installed.

    To switch completion on in this bash: eval "$(laxity setup --completion bash)"
    """
    if sum(option is not None for option in (set_name, completion, man_pages)) > 1:
        msg = "--with, --completion, --man-pages: only one at a time; drop the others"
        raise ConfigError(msg)
    if set_name is not None:
        return _install(set_name)
    if completion is not None:
        sys.stdout.write(_completion_script(completion))
    elif man_pages is not None:
        _write_man_pages(man_pages)
    else:
        _show_sets()
    return 0


def _setup_set() -> Path:
    root = source_root()
    script = None if root is None else root / "tools" / "setup-set"
    if script is None or not script.is_file():
        msg = (
            "sets: an installation has none; get laxity's sources and run ./laxity setup there, or "
            "install what is missing with your package manager"
        )
        raise ToolError(msg)
    return script


def _install(set_name: str) -> int:
    if not set_name or set_name.startswith("-"):
        msg = f'--with "{set_name}": not the name of a set; laxity setup shows them'
        raise ConfigError(msg)
    script = _setup_set()
    known = [name for name, _, _ in _read_sets(script)]
    if set_name not in known:
        advice = suggestion(set_name, known, f"use one of {' '.join(known)}")
        msg = f'--with "{set_name}": unknown; {advice}'
        raise ConfigError(msg)
    # The script speaks for itself; its exit codes are ours.
    return subprocess.run([script, set_name], check=False, stdout=2).returncode


def _read_sets(script: Path) -> list[tuple[str, str, str]]:
    """Ask for the sets: name, whether it is installed, purpose."""
    done = subprocess.run([script, "--list"], check=False, capture_output=True, text=True)
    if done.returncode:
        msg = f"{script} --list: exit code {done.returncode} ({done.stderr.strip()})"
        raise ToolError(msg)
    lines = (line.split("\t") for line in done.stdout.splitlines())
    return [(name, state, purpose) for name, state, purpose in lines]


def _show_sets() -> None:
    sys.stdout.write(format_table(("set", "state", "for"), _read_sets(_setup_set())))
    for segment in left_segments():
        sys.stdout.write(
            f"{segment}: memory of a run that died; laxity show DIR completes that run and frees "
            "it, or remove the file\n"
        )


def _completion_script(shell: str) -> str:
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - rarely needed

    from laxity.cli.main import PROGRAM, cli  # noqa: PLC0415 - main imports this module

    kind = get_completion_class(shell)
    if kind is None:
        msg = f"--completion {shell}: this click has no such shell; use bash, zsh or fish"
        raise PlatformError(msg)
    return kind(cli, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source() + "\n"


def _write_man_pages(name: str) -> None:
    if not name:
        msg = '--man-pages "": an empty path; name a directory'
        raise ConfigError(msg)
    directory = Path(name)
    from laxity.cli.main import cli  # noqa: PLC0415 - main imports this module
    from laxity.cli.man import write_man_pages  # noqa: PLC0415 - rarely needed

    try:
        directory.mkdir(parents=True, exist_ok=True)
        pages = write_man_pages(directory, cli)
    except OSError as error:
        msg = f"--man-pages {directory}: cannot be written ({error.strerror}); name another place"
        raise ConfigError(msg) from error
    sys.stdout.writelines(f"{page}\n" for page in pages)
