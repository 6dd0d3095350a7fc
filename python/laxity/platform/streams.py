# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Streams of programs of simulated platforms: recorded once, kept within a limit, read again.

A stream is a file IDENTITY.lxs (sim/streams/file.hpp). It is written under another name and
renamed, and whoever reads it holds a lock on it, so that several commands may use one folder.
"""

import fcntl
import hashlib
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread, get_native_id

import msgspec

from laxity.core.progress import State, parse_state
from laxity.core.signals import Forwarder
from laxity.core.spec import Spec, TaskSpec
from laxity.core.wording import plain_words
from laxity.errors import EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError, LimitViolation, PlatformError
from laxity.platform.simulated_programs import emulator_version, program_folder
from laxity.platform.tools import find_tool

SUFFIX = ".lxs"
DEFAULT_LIMIT_BYTES = 4 << 30
# Enough to tell streams apart.
SHOWN_DIGITS = 12
# Whoever needs more has them made while they are simulated: they would take more time and room
# than they save.
MOST_JOBS = 10_000
# The jobs of a program that comes to no end, such as a co-runner: as laxity-sim asks for them. Its
# beginning is recorded, and whoever needs more has it executed from there on. So many words are
# some hundredths of a second; they have fewer jobs than a file may have (sim/streams/file.hpp).
ENDLESS_JOBS = 2**64 - 1
_ENDLESS_WORDS = 8 << 20
# For a job of a program that is recorded in passing, and of one that is recorded because somebody
# has asked for it, of real time.
PATIENCE_S = 10
LONG_PATIENCE_S = 3600
# One stream must not evict all others.
_STREAMS_AT_LEAST = 4
# sim/streams/file.hpp; a file of another version is recorded anew.
_VERSION = 2
# Which programs are recorded; of another choice nothing is taken.
_RECORDED = "asks for constants only"
# Arguments of laxity-sim-stream.
_MAY_ASK, _MAY_NOT_ASK = "asks", "none"
_MAGIC = 0x1A6D617274737861
_HEADER = struct.Struct("=QII64s27Q")
_LARGEST_LABEL_BYTES = 65536
_PAGE_BYTES = 4096
# sim/interface/storage.h
STORAGE_CLASSES = ("code", "constants", "data", "bss", "heap", "stack")
_STREAM_FD = 3
_STACK_BYTES = 8 << 20
# More than a stream may keep of what its program prints (sim/streams/file.hpp).
_OUTPUT_BYTES_MAX = 2 << 20
_CHUNK_BYTES = 65536
_LIMIT = "limit"
_UNFINISHED = ".tmp"
_STACK_LIMIT = Lock()
# A recorder that was killed leaves what nobody continues.
_LEFT_AFTER_S = 24 * 3600.0


class AsksSystemError(PlatformError):
    """A program asks the system, so that what it did is no witness of what it will do."""


class NotSimulatedError(PlatformError):
    """A program does what is not simulated; a run of it ends alike, and says so."""


@dataclass(frozen=True, slots=True)
class Program:
    """What a stream is recorded of.

    Attributes:
        emulator: Command line up to the program, without the front end.
        front_end: Plugin of the emulator.
        architecture: Of the program, as cross builds are named.
        workload: Its name.
        path: Its executable.
        words: Its own words.
        jobs: How many it executes; ENDLESS_JOBS: until it is killed.
    """

    emulator: tuple[str, ...]
    front_end: Path
    architecture: str
    workload: str
    path: Path
    words: tuple[str, ...]
    jobs: int

    def command(self, program: Path) -> list[str]:
        """Return what executes it, where a copy of its executable is."""
        plugin = ("-plugin", f"{self.front_end},fd={_STREAM_FD}")
        # Always as long: words lie on the stack of the program, and move it.
        return [*self.emulator, *plugin, str(program), f"{self.jobs:020}", *self.words]


class Label(msgspec.Struct, frozen=True):
    """What a stored stream says of itself in words."""

    workload: str
    words: tuple[str, ...]
    architecture: str
    emulator: tuple[str, ...]


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """What the jobs of a stream do with memory of a class.

    Attributes:
        size_bytes: Of the pages that they use.
    """

    name: str
    loads: int
    stores: int
    size_bytes: int


class StoredStream(msgspec.Struct, frozen=True, kw_only=True):
    """A stream in the folder.

    Attributes:
        storage: By class, those that no job uses, too.
        used_s: When it was used last, in seconds since 1970.
    """

    identity: str
    workload: str
    words: tuple[str, ...]
    architecture: str
    jobs: int
    records: int
    accesses: int
    instructions: int
    size_bytes: int
    used_s: float
    storage: tuple[Storage, ...]


def jobs_at_most(spec: Spec, task: TaskSpec) -> int | None:
    """Tell how many jobs of a task can start; None: nothing bounds them."""
    bounds = [] if spec.jobs is None else [spec.jobs]
    if spec.duration_ns is not None:
        bounds.append(max(0, -(-(spec.duration_ns - task.offset_ns) // task.period_ns)))
    return min(bounds, default=None)


def identity_of(program: Program) -> str:
    """Name what the stream of a program depends on, as 64 hexadecimal digits.

    Raises:
        PlatformError: The emulator does not tell its version.
        OSError: A file cannot be read.
    """
    parts = (
        _VERSION,
        _RECORDED,
        digest_of(program.path),
        program.words,
        program.jobs,
        emulator_version(program.emulator[0]),
        digest_of(program.front_end),
        program.emulator[1:],
        program.architecture,
        _told_at_start(),
    )
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _told_at_start() -> tuple[int, ...]:
    """Give what this machine tells every program at its start (sim/cli/calls.c).

    sysinfo tells the memory, of which qsort takes a share; getrlimit the stack; the kernel's
    auxiliary vector who runs the program.
    """
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    users = (os.getuid(), os.geteuid(), os.getgid(), os.getegid())
    return (memory_bytes, *_stack_limits(), *users)


def _stack_limits() -> tuple[int, int]:
    """Give the limits of an emulator's stack, in bytes: in force, and largest."""
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    return (_STACK_BYTES if most == resource.RLIM_INFINITY else min(_STACK_BYTES, most), most)


def record(  # noqa: PLR0913 - who is recorded, where to, how far, and who is told
    program: Program,
    file: Path,
    bytes_max: int,
    patience_s: int,
    show: Callable[[State], None],
    signals: Forwarder | None = None,
    *,
    may_ask: bool = False,
) -> None:
    """Execute a program in its emulator and write its stream.

    Args:
        program: What is recorded.
        file: Written; without a meaning unless this returns.
        bytes_max: How large it may become.
        patience_s: How long a job may take, of real time: what comes to no end is better simulated,
            where jobs have timeouts.
        show: Told of the jobs so far, now and then.
        signals: Hands signals on; without it they end this process as they do.
        may_ask: Else a program that asks the system is given up: the answer is no part of its
            identity, and may change until the next run.

    Raises:
        LimitViolation: The program failed.
        NotSimulatedError: It does what is not simulated.
        AsksSystemError: It asks the system.
        PlatformError: The emulator cannot be started, or the file cannot be written.
    """
    label = Label(program.workload, program.words, program.architecture, program.emulator[1:])
    tool = [str(find_tool("laxity-sim-stream")), "record", str(file), identity_of(program)]
    tool += [msgspec.json.encode(label).decode(), str(bytes_max), str(patience_s)]
    asks = [_MAY_ASK if may_ask else _MAY_NOT_ASK]
    is_endless = program.jobs == ENDLESS_JOBS
    tool += [str(_ENDLESS_WORDS if is_endless else 0)]
    with program_folder() as folder:
        executable = folder / "0000"
        shutil.copy(program.path, executable)
        with _Emulator(program.command(executable)) as emulator:
            printed = emulator.output.fileno()
            recorder = subprocess.Popen(
                [*tool, f"/proc/self/fd/{printed}", str(executable), *asks],
                stdin=emulator.stream,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(printed,),
            )
            emulator.stream.close()
            emulator.output.close()
            _watch(recorder, program.workload, show, signals)
            # One without an end is killed.
            code = 0 if is_endless else emulator.wait()
            *_, said = emulator.printed.splitlines() or (b"",)
    if code != 0:
        why = said.decode("utf-8", "replace")
        msg = f'workload "{program.workload}": ended with exit code {code} ({why}); correct it'
        raise LimitViolation(msg)


def record_new(program: Program, file: Path, show: Callable[[State], None]) -> None:
    """Record a program into a file of the user's.

    Raises:
        ConfigError: It exists, is not called so, or cannot be made.
        LimitViolation, PlatformError: As `record`.
    """
    if file.suffix != SUFFIX:
        msg = f'-o "{file}": is not called {SUFFIX}; name it so'
        raise ConfigError(msg)
    if file.exists() or file.is_symlink():
        msg = f"-o {file}: exists; name another one or remove it"
        raise ConfigError(msg)
    unfinished = _unfinished(file)
    try:
        unfinished.touch()
    except OSError as error:
        msg = f"-o {file}: cannot be made ({error.strerror}); name one in a folder of yours"
        raise ConfigError(msg) from error
    try:
        # The user keeps it, and knows what it asked.
        record(program, unfinished, sys.maxsize, LONG_PATIENCE_S, show, may_ask=True)
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)


class StreamFolder:
    """The streams that are kept for the user, or those in another folder."""

    def __init__(self, path: Path | None = None, *, is_for_later: bool = True) -> None:
        """Take a folder, which need not be there yet, and tell whether later runs read it, too."""
        self.path = _users_folder() if path is None else path
        self._is_for_later = is_for_later
        self._known_whole: set[tuple[Path, int, int]] = set()

    @property
    def limit_bytes(self) -> int:
        """How much is kept; 0: nothing."""
        try:
            return int((self.path / _LIMIT).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return DEFAULT_LIMIT_BYTES

    def set_limit(self, limit_bytes: int) -> None:
        """Keep so much from now on, and remove what is more.

        Raises:
            OSError: The folder cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        unfinished = _unfinished(self.path / _LIMIT)
        unfinished.write_text(f"{limit_bytes}\n", encoding="ascii")
        unfinished.rename(self.path / _LIMIT)
        self._shrink()

    def streams(self) -> list[StoredStream]:
        """List what is kept, used last first; files that are no streams are left out."""
        found = (_read_own(path) for path in self.path.glob(f"*{SUFFIX}"))
        return sorted(filter(None, found), key=lambda one: (-one.used_s, one.identity))

    def remove(self, identity: str) -> None:
        """Remove a stream; a run that reads it goes on.

        Raises:
            OSError: The folder cannot be written.
        """
        (self.path / f"{identity}{SUFFIX}").unlink(missing_ok=True)

    def provide(
        self,
        program: Program,
        kept: ExitStack,
        show: Callable[[State], None],
        signals: Forwarder | None = None,
        patience_s: int = PATIENCE_S,
    ) -> Path:
        """Find the stream of a program, or record it.

        Args:
            program: What is executed.
            kept: As long as it is open, the file is not removed to make room.
            show: Told of the jobs, if they are recorded.
            signals: As of `record`.
            patience_s: Likewise.

        Raises:
            LimitViolation, PlatformError: As `record`.
            OSError: The folder cannot be written.
        """
        path = self.path / f"{identity_of(program)}{SUFFIX}"
        is_there = _hold(path, kept)
        damage = self._damage_once(path) if is_there else None
        if is_there and damage is None and _read_own(path) is None:
            damage = "is that of another program"
        if damage is not None:
            name = path.stem[:SHOWN_DIGITS]
            sys.stderr.write(f"laxity: stream {name}: {damage}; it is recorded anew\n")
        if not is_there or damage is not None:
            self.path.mkdir(parents=True, exist_ok=True)
            unfinished = _unfinished(path)
            try:
                most = self.limit_bytes // _STREAMS_AT_LEAST
                may_ask = not self._is_for_later
                record(program, unfinished, most, patience_s, show, signals, may_ask=may_ask)
                # Held under this name: under its own one another command could remove it first.
                _hold(unfinished, kept)
                unfinished.rename(path)
            finally:
                unfinished.unlink(missing_ok=True)
            self._shrink()
        # A folder that cannot be written forgets what was used last.
        with suppress(OSError):
            os.utime(path)
        return path

    def _damage_once(self, path: Path) -> str | None:
        """As `damage_of`; what is whole is not looked at again, since whoever reads it would see.

        Raises:
            OSError: It is gone.
        """
        status = path.stat()
        key = (path, status.st_ino, status.st_size)
        damage = None if key in self._known_whole else damage_of(path)
        if damage is None:
            self._known_whole.add(key)
        return damage

    def _shrink(self) -> None:
        """Remove what was used longest ago until the rest is within the limit."""
        left_before_s = time.time() - _LEFT_AFTER_S
        for path in self.path.glob(f"*{_UNFINISHED}"):
            with suppress(OSError):
                if path.stat().st_mtime < left_before_s:
                    path.unlink()
        files = []
        for path in self.path.glob(f"*{SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        surplus = sum(size for _, size, _ in files) - self.limit_bytes
        for _, size, path in sorted(files):
            if surplus > 0 and _remove_unused(path):
                surplus -= size


def provide_streams(
    programs: Sequence[Program | None],
    kept: ExitStack,
    show: Callable[[State], None],
    signals: Forwarder,
    folder: StreamFolder | None = None,
) -> Iterator[Path | None]:
    """Find or record the streams of a run that goes on without those that cannot be had.

    Args:
        programs: What is executed; None: not to be recorded.
        kept: As long as it is open, the files stay.
        show: Told of the jobs that are recorded.
        signals: Hands signals on.
        folder: Where they are; None: that of the user.

    Yields:
        For each program the file of its stream; None: execute it.
    """
    folder = folder or StreamFolder()
    is_usable = folder.limit_bytes > 0
    # Each once: a run may have thousands of tasks of one program.
    found: dict[Program, Path | None] = {}
    for program in programs:
        path = None
        if program in found:
            path = found[program]
        elif program is not None and is_usable and not signals.has_received:
            try:
                path = folder.provide(program, kept, show, signals)
            except (LimitViolation, NotSimulatedError, AsksSystemError):
                # Of the first two the run fails alike, and says so; the last is executed each time.
                path = None
            except (PlatformError, OSError) as error:
                is_usable = False
                if not signals.has_received:
                    sys.stderr.write(
                        f"laxity: streams of programs are not kept ({plain_words(error)}); "
                        "the run goes on without\n"
                    )
            found[program] = path
        yield path


def damage_of(path: Path) -> str | None:
    """Tell what is wrong with a stored stream, in words; None: all its checksums hold."""
    tool = find_tool("laxity-sim-stream")
    done = subprocess.run(
        [str(tool), "check", str(path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        # What a terminal sends is for us: it would be taken for damage.
        process_group=0,
        check=False,
    )
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip()
    return said.removeprefix(f"{tool.name}: {path}: ") or "cannot be checked"


def read_stream(path: Path) -> StoredStream | None:
    """Read what a stored stream says of itself; None: it is none that this version reads."""
    try:
        with path.open("rb") as file:
            values = _HEADER.unpack(file.read(_HEADER.size))
            magic, version, label_bytes, identity, _, records, accesses, instructions, jobs = (
                values[:9]
            )
            index_at, index_bytes, *counts = values[11:]
            if (magic, version) != (_MAGIC, _VERSION) or label_bytes > _LARGEST_LABEL_BYTES:
                return None
            label = msgspec.json.decode(file.read(label_bytes), type=Label)
            status = os.fstat(file.fileno())
            if index_at + index_bytes != status.st_size:
                return None
    except (OSError, struct.error, msgspec.DecodeError):
        return None
    return StoredStream(
        identity=identity.decode("ascii", "replace"),
        workload=label.workload,
        words=label.words,
        architecture=label.architecture,
        jobs=jobs,
        records=records,
        accesses=accesses,
        instructions=instructions,
        size_bytes=status.st_size,
        used_s=status.st_mtime,
        storage=tuple(_storage(counts)),
    )


def _read_own(path: Path) -> StoredStream | None:
    """Read a stream that is called as it has to be; None: there is none, or another one."""
    stream = read_stream(path)
    return stream if stream is not None and stream.identity == path.stem else None


def _storage(counts: Sequence[int]) -> Iterator[Storage]:
    for i, name in enumerate(STORAGE_CLASSES):
        loads, stores, pages = counts[3 * i : 3 * i + 3]
        yield Storage(name=name, loads=loads, stores=stores, size_bytes=pages * _PAGE_BYTES)


class _Emulator:
    """An emulator that runs, and what it writes; started as laxity-sim does.

    Attributes:
        stream: The stream of its program.
        output: What it prints, all of it when it has ended.
        printed: The same, whole once it has been read from there.
    """

    def __init__(self, command: list[str]) -> None:
        source, sink = os.pipe()
        # A pipe, as under laxity-sim: a program can see what it prints to.
        printed, terminal = os.pipe()
        output, inlet = os.pipe()
        self.stream = os.fdopen(source, "rb")
        self.output = os.fdopen(output, "rb")
        self.printed = bytearray()
        self._holder = Thread(target=_hold_back, args=(printed, inlet, self.printed), daemon=True)
        self._holder.start()
        actions = (
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, terminal, 1),
            (os.POSIX_SPAWN_DUP2, terminal, 2),
            (os.POSIX_SPAWN_DUP2, sink, _STREAM_FD),
            *((os.POSIX_SPAWN_CLOSE, inherited) for inherited in _inherited()),
        )
        # The limit is of the whole process, which may record several in threads.
        _STACK_LIMIT.acquire()
        stack = resource.getrlimit(resource.RLIMIT_STACK)
        try:
            # It moves addresses of the program; ours is given back.
            resource.setrlimit(resource.RLIMIT_STACK, _stack_limits())
            # Without an environment: it would move the stack, and with it the caches' contents. In
            # a group of its own: what a terminal sends is for us, who end it. Signals are as new: a
            # program can ask which of them its parent ignores or blocks.
            self._pid = os.posix_spawn(
                command[0],
                command,
                {},
                file_actions=actions,
                setpgroup=0,
                setsigmask=(),
                setsigdef=signal.valid_signals(),
            )
        except OSError as error:
            self.stream.close()
            self.output.close()
            msg = f"{command[0]}: cannot be started ({error.strerror}); end other processes"
            raise PlatformError(msg) from error
        finally:
            resource.setrlimit(resource.RLIMIT_STACK, stack)
            _STACK_LIMIT.release()
            os.close(sink)
            os.close(terminal)
        self._code: int | None = None

    def wait(self) -> int:
        """Wait for its end; the exit code, negative if a signal ended it."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._code

    def __enter__(self) -> "_Emulator":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()
        self.output.close()
        if self._code is None:
            # With the processes that it may have made.
            os.killpg(self._pid, signal.SIGKILL)
            self.wait()


def _inherited() -> Iterator[int]:
    """Give the open files that are not ours: they would change the numbers of a program's."""
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if int(link.name) > _STREAM_FD and os.get_inheritable(int(link.name)):
                yield int(link.name)


def _hold_back(printed: int, inlet: int, held: bytearray) -> None:
    """Read what a program prints, so that it need not wait, and hand it on when it has ended."""
    with os.fdopen(printed, "rb", buffering=0) as source:
        while chunk := source.read(_CHUNK_BYTES):
            if len(held) < _OUTPUT_BYTES_MAX:
                held += chunk
    with suppress(BrokenPipeError), os.fdopen(inlet, "wb") as sink:
        sink.write(held)


def _watch(
    recorder: "subprocess.Popen[bytes]",
    workload: str,
    show: Callable[[State], None],
    signals: Forwarder | None,
) -> None:
    """Show progress until a recorder has ended.

    Raises:
        NotSimulatedError: The program does what is not simulated.
        AsksSystemError: It asks the system.
        PlatformError: It could not write.
    """
    with recorder:
        if signals is not None:
            signals.start(recorder)
        try:
            for line in recorder.stdout or ():
                if state := parse_state(line):
                    show(state)
            said = recorder.stderr.read() if recorder.stderr else b""
        except BaseException:
            recorder.kill()
            raise
        finally:
            if signals is not None:
                signals.stop()
    if recorder.returncode != 0:
        why = said.decode("utf-8", "replace").strip().removeprefix("laxity-sim-stream: ")
        if recorder.returncode == EXIT_NO_VERDICT:
            msg = f'workload "{workload}": {why}'
            raise AsksSystemError(msg)
        if recorder.returncode == EXIT_VIOLATED:
            msg = f'workload "{workload}": {why}'
            raise NotSimulatedError(msg)
        raise PlatformError(why or "recording was ended by a signal")


def _unfinished(path: Path) -> Path:
    """Name a file until it is complete; threads of a process may write the same one."""
    return path.with_name(f"{path.name}.{get_native_id()}{_UNFINISHED}")


def _hold(path: Path, kept: ExitStack) -> bool:
    """Keep others from removing a stream; tell whether there is one."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        kept.callback(os.close, descriptor)
        # A file system without locks is not shared by many.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _remove_unused(path: Path) -> bool:
    """Remove a stream unless somebody reads it."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(descriptor)
        return True
    return False


def _users_folder() -> Path:
    named = Path(os.environ.get("XDG_CACHE_HOME") or "")
    # A relative one is to be ignored: it would be another in every directory.
    base = named if named.is_absolute() else Path("~/.cache").expanduser()
    return base / "laxity" / "streams"


def digest_of(path: Path) -> str:
    """Hash a file; one that has not changed is not read again."""
    status = path.stat()
    return _digest_once(path, status.st_mtime_ns, status.st_size)


@lru_cache
def _digest_once(path: Path, _changed_ns: int, _size_bytes: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
