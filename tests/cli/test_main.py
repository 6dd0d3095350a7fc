# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The command itself: what is imported, what is said, which code it ends with."""

import errno
import subprocess
import sys

import click
import pytest
from tests.cli.laxity_command import Laxity
from tests.golden.stored_runs import copy_runs

from laxity import errors
from laxity.cli.main import Boundary, LazyGroup, cli
from laxity.platform import tools


def boundary_around(error: BaseException, *arguments: str) -> int:
    boundary = Boundary(list(arguments))
    assert boundary.__exit__(type(error), error, None)
    return boundary.exit_code


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (errors.ConfigError("x: is bad"), 2, "laxity run: x: is bad\n"),
        (errors.PlatformError("x"), 3, "laxity run: x\n"),
        (errors.ToolError("x"), 3, "laxity run: x\n"),
        (errors.RecordError("x"), 4, "laxity run: x\n"),
        (errors.NoVerdict("x"), 4, "laxity run: x\n"),
        (errors.LimitViolation("x"), 1, "laxity run: x\n"),
        (click.UsageError("Missing option."), 2, "laxity run: missing option\n"),
        (click.exceptions.Exit(0), 0, ""),
        (KeyboardInterrupt(), 130, "laxity run: interrupted\n"),
        (
            OSError(errno.ENAMETOOLONG, "File name too long", "xyz"),
            2,
            "laxity run: xyz: File name too long; write a shorter one\n",
        ),
        (ValueError("odd"), 5, "laxity run: internal: ValueError: odd; see --debug\n"),
        (
            PermissionError(13, "Permission denied", "D"),
            3,
            "laxity run: D: Permission denied; change its permissions\n",
        ),
        (
            OSError(28, "No space left on device"),
            3,
            "laxity run: No space left on device; free space\n",
        ),
        (
            FileNotFoundError(2, "No such file", "x"),
            5,
            "laxity run: internal: FileNotFoundError: [Errno 2] No such file: 'x'; see --debug\n",
        ),
        (errors.PlatformError(""), 3, ""),
        (AssertionError(), 5, "laxity run: internal: AssertionError: ; see --debug\n"),
    ],
)
def test_every_end_is_one_line_and_its_exit_code(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, message: str
):
    assert boundary_around(error, "run", "mem") == code
    assert capsys.readouterr() == ("", message)


@pytest.mark.parametrize(
    ("said", "adds"),
    [
        ("x: not built; run laxity setup --with sim", True),
        ("x: not found in A or PATH; build it with ninja -C build", True),
        ("y: make its bundle with tools/board-bundle native, then try again", True),
        ("x: is bad; correct the path", False),
    ],
)
def test_installed_laxity_says_of_a_remedy_that_it_takes_a_checkout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, *, adds: bool
):
    boundary_around(errors.ToolError(said), "run")
    assert capsys.readouterr().err == f"laxity run: {said}\n"
    monkeypatch.setattr(tools, "source_root", lambda: None)
    boundary_around(errors.ToolError(said), "run")
    more = "; that takes a checkout of laxity, and this is an installation" if adds else ""
    assert capsys.readouterr().err == f"laxity run: {said}{more}\n"


def test_data_that_ends_early_is_no_interruption(capsys: pytest.CaptureFixture[str]):
    @click.command()
    def command() -> None:
        msg = "marshal data too short"
        raise EOFError(msg)

    with Boundary([]) as boundary:
        command.main([], standalone_mode=False)
    assert boundary.exit_code == 5
    message = "laxity: internal: EOFError: marshal data too short; see --debug\n"
    assert capsys.readouterr().err.lstrip() == message


def test_debug_shows_the_trace(capsys: pytest.CaptureFixture[str]):
    assert boundary_around(ValueError("odd"), "run", "--debug") == 5
    assert capsys.readouterr().err == "ValueError: odd\nlaxity run: internal: ValueError: odd\n"


def test_system_exit_passes():
    with pytest.raises(SystemExit), Boundary([]):
        sys.exit(77)


def test_unknown_command_is_refused_with_a_suggestion(laxity: Laxity):
    done = laxity("rnu")
    message = 'laxity: unknown command "rnu"; did you mean "run"?\n'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_no_command_is_a_usage_error_that_shows_the_commands(laxity: Laxity):
    done = laxity()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Commands:" in done.stderr


def test_version_is_told_without_loading_anything(laxity: Laxity):
    done = laxity("--version")
    assert (done.returncode, done.stdout) == (0, "laxity 0.1.0\n")
    # Not through __main__: as part of a longer command line.
    assert laxity("--version", "run").stdout == "laxity 0.1.0\n"


@pytest.mark.parametrize("heavy", ["numpy", "matplotlib", "rich", "jinja2"])
def test_help_loads_no_heavy_module(laxity: Laxity, heavy: str):
    modules = "laxity.cli.main, laxity.cli.run, laxity.cli.show, laxity.cli.demo"
    code = f"import sys, {modules}; assert '{heavy}' not in sys.modules"
    done = subprocess.run([sys.executable, "-P", "-c", code], env=laxity.environment(), check=False)
    assert done.returncode == 0


def test_show_draws_nothing_and_does_not_wait_for_what_does(laxity: Laxity):
    # matplotlib takes half a second, and warns where it may not write into HOME.
    copy_runs(laxity.directory / "runs")
    code = (
        "import pathlib, sys; from laxity.cli.main import cli\n"
        "for run in pathlib.Path('runs').iterdir():\n"
        "    cli.main(['show', str(run)], standalone_mode=False)\n"
        "sys.exit('matplotlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=laxity.directory, env={**laxity.environment(), "HOME": "/nonexistent"},
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", LazyGroup.COMMANDS)
def test_every_command_is_there_and_explains_itself(name: str):
    context = click.Context(cli)
    command = cli.get_command(context, name)
    assert command is not None
    assert command.help
    assert all(
        isinstance(option, click.Argument) or option.hidden or option.help
        for option in command.params
        if isinstance(option, click.Argument | click.Option)
    )
