# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The `laxity` command: finds the sub-command, turns every end into an exit code (design 5)."""

import importlib
import os
import signal
import sys
from pathlib import Path
from types import FrameType, TracebackType
from typing import ClassVar

import click
from typing_extensions import override

from laxity import __version__
from laxity.cli.command_group import CommandGroup
from laxity.cli.examples import BEGINS_EXAMPLES, epilog_of
from laxity.core.standard_streams import secure_streams
from laxity.errors import (
    EXIT_DONE,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    LaxityError,
    environment_error,
    suggestion,
)

PROGRAM = "laxity"
DEBUG_OPTION = "--debug"
# platform/knob_journal.py, which most commands need not load.
KNOB_JOURNALS = "/run/laxity/knobs"
# trace/instances.py
INSTANCE_JOURNAL = "/run/laxity/instances"
_REMEDIES_OF_A_CHECKOUT = ("ninja -C build", "setup --with", "tools/board-bundle")


class LazyGroup(CommandGroup):
    """A group that imports a command only when it is called: `--version` must be quick."""

    # Name: (module, its attribute, summary).
    COMMANDS: ClassVar[dict[str, tuple[str, str, str]]] = {
        "demo": ("demo", "demo", "Show what this machine does to a periodic task."),
        "doctor": ("doctor", "doctor", "Tell what this machine can measure and what spoils it."),
        "bound": ("bound", "bound", "Tell whether a task set is schedulable, costs included."),
        "compare": ("compare", "compare", "Tell whether anything has become longer."),
        "contention": (
            "contention",
            "contention",
            "Measure and limit how much memory traffic delays a job.",
        ),
        "costs": ("costs", "costs", "Show and join what the platform costs."),
        "experiment": ("experiment", "experiment", "Count schedulable ones among drawn task sets."),
        "export": ("export", "export", "Write a run in the format of another tool."),
        "generate": ("generate", "generate", "Draw a task set and write it as a spec."),
        "import": ("import_set", "import_set", "Write another tool's task set as a spec."),
        "list": ("list", "list_workloads", "List the bundled workloads."),
        "measure": ("measure", "measure", "Measure what the platform takes from jobs."),
        "monitor": ("monitor", "monitor", "Watch cache misses of tasks, and what watching takes."),
        "observe": ("observe", "observe", "Take the jobs of a program that runs already."),
        "platform": ("platform", "platform", "Write platform files from what was measured."),
        "profile": ("profile", "profile", "Tell what programs do, alone and interfered with."),
        "report": ("report", "report", "Build the HTML report of a run."),
        "reproduce": ("reproduce", "reproduce", "Make the experiments of a paper again."),
        "run": ("run", "run", "Run a periodic task, alone or under interference."),
        "schema": ("schema", "schema", "Print the columns of streams, the members of documents."),
        "setup": ("setup", "setup", "Install what commands need; completion, manual pages."),
        "show": ("show", "show", "Show what a run was and how it ended."),
        "sim": ("sim", "sim", "Record and keep programs of simulated platforms."),
        "suite": ("suite", "suite", "Find and vet third-party programs of a checkout."),
        "sweep": ("sweep", "sweep", "Simulate a grid of experiments, a row for each."),
        "versus": ("versus", "versus", "Tell which of several programs is the quickest."),
        "workingset": ("workingset", "workingset", "Compute what is live at every instruction."),
    }

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.COMMANDS:
            return None
        module, attribute, _ = self.COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"laxity.cli.{module}"), attribute)
        if not isinstance(command, click.Command):
            msg = f"laxity.cli.{module}.{attribute} is no command"
            raise TypeError(msg)
        if not command.epilog or not command.epilog.startswith(BEGINS_EXAMPLES):
            command.epilog = "\n\n".join(filter(None, (epilog_of(cmd_name), command.epilog)))
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[-1]) for name, entry in self.COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 limit violated or workload failed, 2 usage, 3 the machine lacks "
    "something, 4 no verdict, 5 internal, 130 interrupted.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Measure what preemption, migration and memory contention take from real-time jobs."""
    _restore_left_knobs()
    _remove_left_instances()


def _restore_left_knobs() -> None:
    """Put back, before any command, the kernel settings that a killed run has left changed."""
    if not Path(KNOB_JOURNALS).is_dir():
        return
    from laxity.platform.kernel import Kernel  # noqa: PLC0415 - rarely needed
    from laxity.platform.knobs import restore_left  # noqa: PLC0415 - rarely needed

    for note in restore_left(Kernel()):
        print(f"{PROGRAM}: {note}", file=sys.stderr)


def _remove_left_instances() -> None:
    """Remove, before any command, what a killed recorder has left in tracefs."""
    if not any(Path(INSTANCE_JOURNAL).glob("laxity-*")):
        return
    from laxity.trace.instances import remove_left_instances  # noqa: PLC0415 - rarely needed

    for note in remove_left_instances():
        print(f"{PROGRAM}: {note}", file=sys.stderr)


class Boundary:
    """Around a command: whatever leaves it becomes one line on stderr and an exit code."""

    def __init__(self, arguments: list[str]) -> None:
        self.exit_code = EXIT_DONE
        self._command = command_words(arguments)
        self._is_debug = DEBUG_OPTION in arguments

    def __enter__(self) -> "Boundary":
        """Start."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """End; nothing but SystemExit passes."""
        if error is None or isinstance(error, SystemExit):
            return False
        self.exit_code, message = judge_error(error)
        if self._is_debug:
            import traceback  # noqa: PLC0415 - rarely needed

            traceback.print_exception(kind, error, trace)
        if message:
            hint = "" if self._is_debug or self.exit_code != EXIT_INTERNAL else "; see --debug"
            print(f"{self._command}: {message}{hint}", file=sys.stderr)
        return True


def judge_error(error: BaseException) -> tuple[int, str]:
    """Turn what left a command into an exit code and a message; an empty message prints nothing."""
    if isinstance(error, LaxityError):
        return error.exit_code, f"{error}{_needs_checkout(str(error))}"
    if isinstance(error, click.Abort) and isinstance(error.__cause__, EOFError):
        # click takes it for the end of what somebody types; we ask nothing, so data ended early.
        error = error.__cause__
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code, ""
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return EXIT_INTERRUPTED, "interrupted"
    if isinstance(error, click.ClickException):
        return EXIT_USAGE, _usage_message(error)
    known = environment_error(error) if isinstance(error, OSError) else None
    if known is not None:
        return known.exit_code, str(known)
    return EXIT_INTERNAL, f"internal: {type(error).__name__}: {error}"


def _needs_checkout(message: str) -> str:
    """Tell, where laxity is installed, of a remedy that it takes a checkout."""
    if not any(remedy in message for remedy in _REMEDIES_OF_A_CHECKOUT):
        return ""
    from laxity.platform.tools import source_root  # noqa: PLC0415 - rarely needed

    return "" if source_root() else "; that takes a checkout of laxity, and this is an installation"


def command_words(arguments: list[str]) -> str:
    """Name the tool in messages: `laxity run`."""
    named = arguments and arguments[0] in LazyGroup.COMMANDS
    return f"{PROGRAM} {arguments[0]}" if named else PROGRAM


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    secure_streams()
    # These end a command in order, as SIGINT does; one that is ignored (nohup) stays so.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    with Boundary(arguments) as boundary:
        code = cli.main(arguments, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
        boundary.exit_code = code if isinstance(code, int) else EXIT_DONE
    if boundary.exit_code == EXIT_INTERRUPTED:
        # An interrupt that passed through a module's exec() is never forgotten by CPython, though
        # it was handled: it would then end by SIGINT instead of with our exit code.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(EXIT_INTERRUPTED)
    sys.exit(boundary.exit_code)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _usage_message(error: click.ClickException) -> str:
    """Write click's message in our style: lower case, with what to do."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return f"no command is given; use one of\n{error.format_message()}"
    if isinstance(error, click.NoSuchOption):
        advice = suggestion(
            error.option_name, error.possibilities or (), "the option --help shows what there is"
        )
        return f"unknown option {error.option_name}; {advice}"
    message = error.format_message().rstrip(".")
    return message[0].lower() + message[1:] if message else "wrong usage"
