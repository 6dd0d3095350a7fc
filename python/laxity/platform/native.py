# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run a native program on this machine: start laxity-run, say, watch it, never die before it.

laxity-run learns that we are gone when the pipe behind `--parent-fd` hangs up; it then ends the run
and lets the drain process finish the directory. We learn that the last process that writes into
the directory is gone when nobody reads that pipe any more.
"""

import os
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Protocol

import msgspec

from laxity.core.cpus import format_cpus
from laxity.core.progress import Display, show_newest
from laxity.core.schema import options_of
from laxity.core.signals import Forwarder
from laxity.core.spec import NATIVE_PLATFORM, InterfereSpec, Spec, TaskSpec, corunners_of
from laxity.core.third_party import PROGRAM_WORKLOAD
from laxity.errors import PlatformError, ToolError
from laxity.platform.plan import REGULATION_PLAN, Plan, ProbePlan
from laxity.platform.tools import find_program, find_tool, find_workload
from laxity.store.run_directory import NewRun

# How soon the end of laxity-run is noticed; its progress lines come more rarely.
_POLL_S = 0.1
# The drain process empties its rings in milliseconds; on a full or slow disk it may take seconds.
_DRAIN_TIMEOUT_S = 60.0
_READ_BYTES = 4096
_STDERR = 2
# The kernel takes 128 KiB as one word, and over ssh the whole command line is one, with quotes.
_MAX_ARGV_BYTES = 64 * 1024
# Words of laxity-run in the run directory, until it has read them.
PLAN = "plan"
# include/uapi/linux/sched.h; with reset on fork another bit would be set in it.
_SCHED_DEADLINE = 6
# A resolved spec of another kind has no such field.
_ABSENT = object()
# Behind object, name and convention (native/guests/guest_hooks.c).
_GUEST_MODE_AT = 3
_PACKAGE_PARENT = Path(__file__).resolve().parent.parent.parent


class Programs(Protocol):
    """Where our programs are on the machine of a run."""

    @property
    def finisher(self) -> str | None:
        """Shell command that finishes a run there after its caller has died."""

    def tool(self, name: str) -> str:
        """Return the path of one of our programs."""

    def workload(self, name: str) -> str:
        """Return the path of a workload."""


class _ProgramsHere:
    """Our programs on this machine."""

    @property
    def finisher(self) -> str | None:
        return finisher_command()

    def tool(self, name: str) -> str:
        return str(find_tool(name))

    def workload(self, name: str) -> str:
        return str(find_workload(name))


@dataclass(frozen=True, slots=True)
class NativeOptions:
    """What laxity-run is told beyond the experiment itself."""

    allow_unprivileged: bool = False
    progress_fd: int | None = None
    parent_fd: int | None = None
    programs: Programs = field(default_factory=_ProgramsHere)


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a native program runs: its directory, its descriptors, our programs."""

    run_dir: Path
    progress_fd: int
    parent_fd: int
    programs: Programs = field(default_factory=_ProgramsHere)


def argv_of(plan: Plan, seat: Seat) -> list[str]:
    """Build the command line that executes a plan.

    Raises:
        ConfigError: Unknown workload.
        ToolError: A program is not built or of another version.
    """
    if isinstance(plan, ProbePlan):
        return _probe_argv(plan, seat)
    options = NativeOptions(
        plan.allow_unprivileged, seat.progress_fd, seat.parent_fd, seat.programs
    )
    return native_argv(plan.spec, seat.run_dir, options)


def _probe_argv(plan: ProbePlan, seat: Seat) -> list[str]:
    asked = plan.measurement
    argv = [seat.programs.tool("laxity-probe")]
    argv += ["--run-dir", str(seat.run_dir.absolute()), "--cpus", asked.cpus]
    argv += ["--repetitions", str(asked.repetitions), "--priority", str(asked.priority)]
    argv += ["--seed", str(plan.seed), "--timeout", f"{asked.timeout_ns}ns"]
    argv += ["--progress-fd", str(seat.progress_fd), "--parent-fd", str(seat.parent_fd)]
    argv += ["--allow-unprivileged"] if plan.allow_unprivileged else []
    return [*argv, asked.probe, *plan.words]


def native_argv(spec: Spec, run_dir: Path, options: NativeOptions) -> list[str]:
    """Build the command line of laxity-run.

    Args:
        spec: Resolved experiment; its CPU sets are not empty.
        run_dir: Where laxity-run writes.
        options: Descriptors and permissions.

    Raises:
        ConfigError: Unknown workload.
        ToolError: laxity-run or the workload is not built or of another version.
    """
    argv = [options.programs.tool("laxity-run"), "--run-dir", str(run_dir.absolute())]
    argv += [*_options_argv("run", spec), *_stop_argv(spec)]
    if spec.regulate is not None and spec.platform == NATIVE_PLATFORM:
        argv += ["--regulate", str(run_dir.absolute() / REGULATION_PLAN)]
    if options.allow_unprivileged:
        argv.append("--allow-unprivileged")
    if options.progress_fd is not None:
        argv += ["--progress-fd", str(options.progress_fd)]
    if options.parent_fd is not None:
        argv += ["--parent-fd", str(options.parent_fd)]
        if options.programs.finisher is not None:
            argv += ["--finisher", options.programs.finisher]
    for task in spec.tasks:
        argv += ["--", _program_of(task, options.programs), *_task_argv(task, spec.jobs)]
    for one, cpu in corunners_of(spec):
        workload = PROGRAM_WORKLOAD if one.exec else one.workload
        argv += ["--", options.programs.workload(workload), *_corunner_argv(one, cpu)]
    return argv


def in_plan(argv: list[str], path: str) -> tuple[list[str], bytes]:
    """Shorten a command line that no system call would take: its words go into a file.

    Args:
        argv: Command line of laxity-run, or of another tool, whose is never so long.
        path: Of the file, which laxity-run removes.

    Returns:
        What is started, and what the file has to hold; no bytes: it is short enough as it is.
    """
    words = b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in argv[1:])
    if len(words) <= _MAX_ARGV_BYTES or PurePath(argv[0]).name != "laxity-run":
        return argv, b""
    return [argv[0], "--plan", path], words


def finisher_command() -> str:
    """Write the shell command that finishes the run `$1` after we have died."""
    python_path = shlex.quote(str(_PACKAGE_PARENT))
    python = shlex.quote(sys.executable)
    return (
        f"PYTHONPATH={python_path}${{PYTHONPATH:+:$PYTHONPATH}} "
        f'exec {python} -P -m laxity.jobs.finish "$1"'
    )


def run_native(
    plan: Plan,
    run: NewRun,
    display: Display,
    signals: Forwarder,
    make_argv: Callable[[Plan, Seat], list[str]] = argv_of,
    told_fd: int = _STDERR,
) -> int:
    """Run a native program that writes into a run directory, whatever signals arrive meanwhile.

    Args:
        plan: What is run.
        run: Directory to be written; its lock is handed on.
        display: Shows progress.
        signals: Hands signals on.
        make_argv: Makes its command line.
        told_fd: Where what it tells goes.

    Returns:
        Its exit code; negative if a signal ended it.

    Raises:
        ConfigError, ToolError: As its command line; also if it cannot be started.
    """
    parent_read, parent_write = os.pipe()
    progress_read, progress_write = os.pipe()
    ours, theirs = [parent_write, progress_read], [parent_read, progress_write]
    try:
        seat = Seat(run.tmp, progress_write, parent_read)
        words_file = run.tmp.absolute() / PLAN
        argv, words = in_plan(make_argv(plan, seat), str(words_file))
        if words:
            words_file.write_bytes(words)
        process = _start(argv, [*theirs, run.lock_fd], told_fd)
        _close(theirs)
        signals.start(process)
        with away_from(plan.cpus):
            _watch(process, progress_read, display)
            _await_hang_up(parent_write)
        return process.returncode
    finally:
        signals.stop()
        _close(theirs)
        _close(ours)


def _options_argv(group: str, of: Spec | TaskSpec | InterfereSpec) -> list[str]:
    """Write what is resolved as the options of laxity-run that have it."""
    argv = []
    for option in options_of(group):
        value = getattr(of, option.field, _ABSENT)
        name = f"--{option.name}"
        if option.type == "flag":
            argv += [name] if value is True else []
        elif isinstance(value, tuple) and option.type == "word":
            argv += [part for word in value for part in (name, word)]
        elif value is None and option.none:
            argv += [name, "none"]
        elif value is not None and value is not _ABSENT:
            text = format_cpus(value) if isinstance(value, tuple) else str(value)
            argv += [name, text + {"duration": "ns", "size": "B"}.get(option.type, "")]
    return argv


def _stop_argv(spec: Spec) -> list[str]:
    if spec.stop_on is None:
        return []
    if spec.stop_on.response_ns is None:
        return ["--stop-on-miss"]
    return ["--stop-on-response", f"{spec.stop_on.response_ns}ns"]


def _program_of(task: TaskSpec, programs: Programs) -> str:
    if task.program:
        return str(find_program(task.program[0]))
    return programs.workload(PROGRAM_WORKLOAD if task.exec else task.workload)


def _task_argv(task: TaskSpec, jobs: int | None) -> list[str]:
    argv = _options_argv("task", task)
    argv += [] if jobs is None else ["--jobs", str(jobs)]
    if task.program:
        return [*argv, "--program", *_words_argv(task.program[1:])]
    return [*argv, *_words_argv(workload_words(task))]


def workload_words(task: TaskSpec) -> tuple[str, ...]:
    """Return the words of third-party code for its workload (native/{guests,programs})."""
    if task.exec:
        return (task.stdin, str(find_program(task.exec[0])), *task.exec[1:])
    if task.isolation is None:
        return task.args
    return (*task.args[:_GUEST_MODE_AT], task.isolation.value, *task.args[_GUEST_MODE_AT:])


def _corunner_argv(one: InterfereSpec, cpu: int) -> list[str]:
    here = msgspec.structs.replace(one, cpus=(cpu,))
    # Its executable may be called otherwise.
    name = ["--name", PurePath(one.runs).name]
    words = ("", str(find_program(one.exec[0])), *one.exec[1:]) if one.exec else one.args
    return ["--corunner", *name, *_options_argv("task", here), *_words_argv(words)]


def _words_argv(words: tuple[str, ...]) -> list[str]:
    return [part for word in words for part in ("--arg", word)]


def _start(argv: list[str], fds: list[int], told_fd: int) -> "subprocess.Popen[bytes]":
    try:
        # laxity-run's stdout is our stderr: our stdout carries data only.
        return subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=told_fd, stderr=told_fd, pass_fds=fds
        )
    except BlockingIOError as error:
        if os.sched_getscheduler(0) == _SCHED_DEADLINE:
            msg = (
                "this process is under SCHED_DEADLINE, which forbids fork; start laxity under other"
            )
            raise PlatformError(msg) from error
        msg = f"{argv[0]}: cannot be started ({error.strerror}); end other processes"
        raise PlatformError(msg) from error
    except OSError as error:
        msg = f"{argv[0]}: cannot be started ({error.strerror}); rebuild it with ninja -C build"
        raise ToolError(msg) from error


def _close(fds: list[int]) -> None:
    while fds:
        os.close(fds.pop())


@contextmanager
def away_from(cpus: Iterable[int]) -> Iterator[None]:
    """Keep this process off the measured CPUs where there are others."""
    allowed = os.sched_getaffinity(0)
    others = allowed - set(cpus)
    if others:
        os.sched_setaffinity(0, others)
    try:
        yield
    finally:
        # The CPUs may have been taken away meanwhile; then the rest must do.
        with suppress(OSError):
            os.sched_setaffinity(0, allowed)


def _watch(process: "subprocess.Popen[bytes]", progress_read: int, display: Display) -> None:
    """Show progress until laxity-run has ended."""
    pending = b""
    is_open = True
    # Not select(), which knows no file of a number above 1023.
    poller = select.poll()
    poller.register(progress_read, select.POLLIN)
    try:
        while process.poll() is None:
            if not is_open:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_S)
                continue
            if not poller.poll(_POLL_S * 1000):
                continue
            data = os.read(progress_read, _READ_BYTES)
            is_open = bool(data)
            pending = show_newest(pending + data, display)
        if is_open and poller.poll(0):
            # What was said between the last look and the end.
            show_newest(pending + os.read(progress_read, _READ_BYTES), display)
    finally:
        display.close()


def _await_hang_up(parent_write: int) -> None:
    """Wait until no process of the run is left that may still write into the directory."""
    poller = select.poll()
    poller.register(parent_write, 0)
    end_s = time.monotonic() + _DRAIN_TIMEOUT_S
    while time.monotonic() < end_s and not poller.poll(int(_POLL_S * 1000)):
        pass
