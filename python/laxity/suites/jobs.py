# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs of a guest as laxity-vet runs them: what each did and left, and how much work it was."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

from laxity.errors import EXIT_USAGE, ConfigError, PlatformError, ToolError
from laxity.platform.tools import find_tool
from laxity.suites.program import Convention, Program
from laxity.suites.target import Target

INSTRUCTIONS = "instructions"
BASIC_BLOCKS = "basic blocks"
_CALLGRIND_TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)
# What lines with costs begin with: a line's number, or its distance from the one before.
_COST_LINE = frozenset("0123456789+-*")
# As native/guests/guest_streams.h has it.
_KEPT_OUTPUT_BYTES = 256 << 10
_KEPT_FILE_BYTES = 64 << 10
# Under callgrind everything takes about fifty times as long.
_CALLGRIND_SLOWDOWN = 50
# No multiple of what a stack is aligned to.
_PADDING = 237


class End(msgspec.Struct, frozen=True):
    """How a step ended: what it returned, its exit code, or its signal."""

    how: str
    code: int

    @property
    def words(self) -> str:
        """As a sentence goes on."""
        return {
            "returned": f"returned {self.code}",
            "exited": f"exit code {self.code}",
            "signalled": f"signal {self.code}",
        }[self.how]


class GuestFile(msgspec.Struct, frozen=True):
    """A file that a job has left in its working directory; `hash` of its contents."""

    path: str
    bytes: int
    hash: str


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One job as laxity-vet tells it. `end` None: left out; `check` None: none, or not reached.

    `state`, `heap` and `output` are hashes; the first two, of its own data and of the blocks that
    are reached from there, compare within one session only. `compared_blocks`, `compared_bytes`: of
    those. `heap_bytes`: held after the job, None: not counted. `blocks`: basic blocks, None: not
    compiled to count them. `descriptors`, `threads`, `handlers`, `attributes`: beyond, or other
    than, those before the first job. `outside`: the first file that it has changed outside of its
    working directory; "": none, or nobody watched. `regions`: of interest, entered and left.
    `files_hash` is of all that its working directory holds, `files` are the first ones.
    """

    job: int
    init: End
    end: End | None
    check: End | None
    output_bytes: int
    output: str
    complaint: str
    input_bytes: int
    state: str
    heap: str = ""
    compared_blocks: int = 0
    compared_bytes: int = 0
    heap_bytes: int | None
    blocks: int | None = None
    descriptors: int
    threads: int
    handlers: list[int]
    attributes: tuple[str, ...] = ()
    outside: str = ""
    duration_ns: int
    isolating_ns: int
    regions: int = 0
    regions_ns: int = 0
    files_hash: str = ""
    files: tuple[GuestFile, ...] = ()

    @property
    def result(self) -> tuple[object, ...]:
        """What must be the same in every job."""
        return (self.end, self.check, self.output, self.output_bytes, self.files_hash)


class _Lost(msgspec.Struct, frozen=True):
    """A job in a child that could not tell its end."""

    lost_job: int
    signal: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class Session:
    """The jobs of one process.

    Attributes:
        jobs: In order; fewer than asked for if the process ended before.
        failure: Why it did, in words; "" if it did not.
        is_late: It took longer than it may.
        work: What each job was counted to be; empty unless it was.
        work_unit: Of what.
        library_work: What of that was outside of the program itself; empty: nobody knows.
        outputs: The beginning of what each wrote to standard output, as it is compared.
        contents: That of the files in the working directory, if there was one job.
    """

    jobs: tuple[Job, ...]
    failure: str = ""
    is_late: bool = False
    work: tuple[int, ...] = ()
    work_unit: str = INSTRUCTIONS
    library_work: tuple[int, ...] = ()
    outputs: tuple[bytes, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guest:
    """A linked program, and what each of its jobs is given.

    Attributes:
        program: What it is.
        object: The shared object, or the executable that it is linked into.
        input: Standard input, in place of what the program is given; None: as it is given.
        runner: Words of laxity-vet for it; empty: the one of this machine.
    """

    program: Program
    object: Path
    input: Path | None = None
    runner: tuple[str, ...] = ()

    @property
    def stdin(self) -> Path | None:
        """Standard input of each job; None: an empty one."""
        given = self.program.given.stdin
        return self.input or (None if given is None else Path(given))


def provide(program: Program, working: Path) -> None:
    """Copy what a program's jobs read into their working directory.

    Raises:
        ConfigError: Something cannot be read.
    """
    for one in program.given.inputs:
        source, to = Path(one.path), working / one.name
        try:
            if source.is_dir():
                shutil.copytree(source, to, dirs_exist_ok=True)
            else:
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, to)
        except OSError as error:
            msg = f"{program.name}: its input {source} cannot be copied: {error}"
            raise ConfigError(msg) from error


@dataclass(frozen=True, slots=True)
class How:
    """How laxity-vet runs jobs; see its help."""

    isolation: str = "none"
    jobs: int = 1
    has_fixed_clock: bool = True
    fill: int = 0
    elsewhere: int = 0
    leaves_job_out: bool = False
    counts_work: bool = False
    timeout_s: float = 10.0


def require_tools(target: Target | None = None) -> None:
    """Check that jobs can be run and their work counted.

    Args:
        target: What they are built for; None: shared objects on this machine.

    Raises:
        PlatformError: valgrind is missing.
        ToolError: laxity-vet is not built, or of another version.
    """
    target = target or Target()
    if target == Target():
        _vet_tool()
    if not target.is_emulated and shutil.which("valgrind") is None:
        msg = "valgrind: not found, and without it nobody counts instructions; install valgrind"
        raise PlatformError(msg)


@cache
def _vet_tool() -> str:
    return str(find_tool("laxity-vet"))


def argv_name(program: Program) -> str:
    """Return the name that the program sees as its own."""
    return program.prefix if program.convention is Convention.INIT_MAIN_RETURN else program.name


def run_session(guest: Guest, how: How) -> Session:
    """Run jobs in a process of their own, in an empty working directory.

    Raises:
        ToolError: laxity-vet refuses the guest.
    """
    with tempfile.TemporaryDirectory(prefix="laxity-vet-") as scratch:
        working, counting = Path(scratch, "cwd"), Path(scratch, "work")
        kept = Path(scratch, "output")
        working.mkdir()
        counting.mkdir()
        provide(guest.program, working)
        argv = _argv(guest, how, kept)
        timeout_s = how.timeout_s
        # What stands behind the stack moves it; as many variables everywhere, for to look one up
        # is work.
        padding = "x" * _PADDING * how.elsewhere
        environment = {**os.environ, "LAXITY_ELSEWHERE": padding}
        if how.counts_work:
            out = counting / "callgrind.out"
            argv = [*_callgrind(out), *argv]
            timeout_s *= _CALLGRIND_SLOWDOWN
        if how.elsewhere:
            argv = [*_fixed_layout(), *argv]
        try:
            done = subprocess.run(
                argv,
                cwd=working,
                env=environment,
                capture_output=True,
                timeout=timeout_s,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired as error:
            jobs, _ = _read_jobs(error.stdout or b"")
            return Session(jobs, f"did not end within {timeout_s:g} s", is_late=True)
        jobs, failure = _read_jobs(done.stdout)
        failure = failure or _failure(done, len(jobs) < how.jobs)
        if how.counts_work:
            work = _read_work(counting, guest.object)
            library = () if None in work[1] else tuple(one or 0 for one in work[1])
            return Session(jobs, failure, work=work[0], library_work=library)
        blocks = tuple(job.blocks for job in jobs if job.blocks is not None)
        outputs = _read_outputs(kept, jobs)
        contents = _read_contents(working, jobs[0]) if jobs and how.jobs == 1 else {}
        return Session(
            jobs,
            failure,
            work=blocks,
            work_unit=BASIC_BLOCKS,
            outputs=outputs,
            contents=contents,
        )


def _argv(guest: Guest, how: How, kept: Path) -> list[str]:
    words = [*(guest.runner or (_vet_tool(),)), "--convention", guest.program.convention.value]
    words += ["--name", argv_name(guest.program), "--isolation", how.isolation]
    words += ["--jobs", str(how.jobs)]
    given = guest.program.given
    words += ["--input", str(guest.stdin)] if guest.stdin else []
    words += ["--filter", given.output_filter] if given.output_filter else []
    words += ["--fill", str(how.fill)] if how.fill else []
    words += ["--leave-job-out"] if how.leaves_job_out else []
    words += ["--elsewhere", str(how.elsewhere)] if how.elsewhere else []
    words += ["--fixed-clock"] if how.has_fixed_clock else []
    words += ["--own-directory"]
    words += [] if how.counts_work else ["--keep-output", str(kept)]
    return [*words, "--", str(guest.object), *given.words]


@cache
def _fixed_layout() -> tuple[str, ...]:
    """Return words that start a program at the same addresses each time; empty: nobody can here."""
    words = ("setarch", "-R")
    if shutil.which(words[0]) is None:
        return ()
    done = subprocess.run([*words, "true"], capture_output=True, check=False)
    return words if done.returncode == 0 else ()


def has_fixed_layout() -> bool:
    """Tell whether the states of two processes elsewhere can be compared."""
    return bool(_fixed_layout())


def _callgrind(out: Path) -> list[str]:
    return [
        "valgrind",
        "-q",
        "--tool=callgrind",
        # Of a path a "%" would be the beginning of something that valgrind puts in.
        f"--callgrind-out-file={str(out).replace('%', '%%')}",
    ]


def _read_jobs(data: bytes) -> tuple[tuple[Job, ...], str]:
    """Read whole lines; a job that was lost is the end."""
    jobs: list[Job] = []
    for line in data.split(b"\n")[:-1]:
        if line.startswith(b'{"lost_job"'):
            lost = msgspec.json.decode(line, type=_Lost)
            how = f"signal {lost.signal}" if lost.signal else f"exit code {lost.exit_code}"
            return tuple(jobs), f"job {lost.lost_job} ended its process: {how}"
        jobs.append(msgspec.json.decode(line, type=Job))
    return tuple(jobs), ""


def _failure(done: "subprocess.CompletedProcess[bytes]", is_short: bool) -> str:
    text = done.stderr.decode(errors="replace").strip()
    if text.startswith("laxity-vet: "):
        msg = text.partition("\n")[0].removeprefix("laxity-vet: ")
        raise ConfigError(msg) if done.returncode == EXIT_USAGE else ToolError(msg)
    if not is_short:
        return ""
    if done.returncode < 0:
        return f"ended its process: signal {-done.returncode}"
    return f"ended its process: exit code {done.returncode}"


def _read_outputs(kept: Path, jobs: Sequence[Job]) -> tuple[bytes, ...]:
    """Split what the jobs have written, one behind the other."""
    data = kept.read_bytes() if kept.exists() else b""
    outputs: list[bytes] = []
    for job in jobs:
        length = min(job.output_bytes, _KEPT_OUTPUT_BYTES)
        outputs.append(data[:length])
        data = data[length:]
    return tuple(outputs)


def _read_contents(working: Path, job: Job) -> dict[str, bytes]:
    """Read the beginning of the files that a job has left."""
    contents: dict[str, bytes] = {}
    for one in job.files:
        path = working / one.path
        # A name may be cut, and nobody reads a pipe.
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                contents[one.path] = file.read(_KEPT_FILE_BYTES)
    return contents


def _read_work(directory: Path, guest: Path) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """Read what callgrind has dumped: one part per job, numbered from 1.

    Returns:
        Instructions of each job, and those of them outside of the guest; None: it is not told
        apart, as in an executable that is linked statically.
    """
    parts = [path for path in directory.iterdir() if path.suffix.removeprefix(".").isdigit()]
    totals: list[int] = []
    library: list[int | None] = []
    for path in sorted(parts, key=lambda path: int(path.suffix[1:])):
        text = path.read_text(encoding="utf-8", errors="replace")
        match = _CALLGRIND_TOTAL.search(text)
        if match:
            totals.append(int(match[1]))
            own = instructions_of(text, str(guest.resolve()))
            library.append(None if own is None else totals[-1] - own)
    return tuple(totals), tuple(library)


def instructions_of(text: str, image: str) -> int | None:
    """Add up the instructions of one object in a dump of callgrind.

    Args:
        text: The dump, "events: Ir" alone.
        image: Path of the object, as the loader has it.

    Returns:
        None if the object is an executable: then libraries may be a part of it.

    Source:
        valgrind manual, "Callgrind Format Specification": names are given once, with a number.
    """
    total, is_inside, is_of_call = 0, False, False
    numbers: set[str] = set()
    for line in text.splitlines():
        if line.startswith("cmd:") and line.removeprefix("cmd:").strip().startswith(image):
            return None
        if line.startswith(("ob=", "cob=")):
            number, _, name = line.partition("=")[2].partition(" ")
            numbers |= {number} if name == image else set()
            is_inside = number in numbers if line.startswith("ob=") else is_inside
        elif line.startswith("calls="):
            is_of_call = True  # the next line has what the callee took
        elif line[:1] in _COST_LINE and line:
            total += int(line.split()[1]) if is_inside and not is_of_call else 0
            is_of_call = False
    return total


@dataclass(frozen=True, slots=True)
class OwnRun:
    """The program as its authors meant it, in an executable of its own."""

    exit_code: int
    output: str
    output_bytes: int
    failure: str = ""


# FNV-1a, as native/guests/guest_streams.c has it.
_FNV_BASIS = 14695981039346656037
_FNV_PRIME = 1099511628211
_WORD = (1 << 64) - 1


def fnv_hash(data: bytes) -> str:
    """Hash output as laxity-vet does."""
    value = _FNV_BASIS
    for byte in data:
        value = ((value ^ byte) * _FNV_PRIME) & _WORD
    return f"{value:016x}"


def run_own(
    executable: Path, guest: Guest, timeout_s: float, emulator: Sequence[str] = ()
) -> OwnRun:
    """Run the program's own executable once; an emulator decides what it is called then."""
    words = guest.program.given.words
    name_and_words: Sequence[str] = [argv_name(guest.program), *words]
    if emulator:
        name_and_words = [*emulator, str(executable), *words]
    with tempfile.TemporaryDirectory(prefix="laxity-vet-") as scratch:
        provide(guest.program, Path(scratch))
        source = guest.stdin.open("rb") if guest.stdin else subprocess.DEVNULL
        try:
            done = subprocess.run(
                name_and_words,
                executable=None if emulator else executable,
                cwd=scratch,
                capture_output=True,
                timeout=timeout_s,
                check=False,
                stdin=source,
            )
        except subprocess.TimeoutExpired:
            return OwnRun(0, "", 0, f"did not end within {timeout_s:g} s")
        finally:
            if not isinstance(source, int):
                source.close()
    if done.returncode < 0:
        return OwnRun(0, "", 0, f"ended by signal {-done.returncode}")
    return OwnRun(done.returncode, fnv_hash(done.stdout), len(done.stdout))
