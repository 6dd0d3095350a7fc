# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Kernel settings changed for a run, and put back whoever dies.

docs/architecture/settings.md, "Knobs".

Putting back is the same for everybody: this process at the end of its run, the finisher if `laxity`
was killed, the next `laxity` if all of them were. It may be done twice, by two at once, or be
interrupted and begun again. A setting that holds neither the old value nor ours was changed by
somebody else meanwhile: it stays, and is told.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from laxity.core.cpus import parse_cpus
from laxity.errors import PlatformError, RecordError
from laxity.platform import knob_journal
from laxity.platform.kernel import Kernel, Thread
from laxity.platform.knob_journal import (
    Change,
    Journal,
    Left,
    Owner,
    Placement,
    Setting,
    meaning,
    read_journal,
)

# Children that moved threads make while they are put back are found in the next pass.
_FORK_PASSES = 5
_MODE = 0o755
_GONE = frozenset({errno.ENOENT, errno.ESRCH, errno.ENODEV, errno.EIO})


@dataclass(slots=True)
class Outcome:
    """What putting back came to.

    Attributes:
        settings: Settings that hold their old value again because of this, with it.
        threads: Threads that have their old CPUs again because of this.
        foreign: Sentences on what somebody else had changed meanwhile.
        failed: Sentences on what the kernel refused; their journal stays.
    """

    settings: list[str] = field(default_factory=list)
    threads: int = 0
    foreign: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class Knobs:
    """Changes settings of the kernel, each written down before."""

    def __init__(self, kernel: Kernel, journal: Journal) -> None:
        self.kernel = kernel
        self._journal = journal
        self._changes: list[Change] = []

    @property
    def left(self) -> Left:
        """What has been changed until now, as the journal holds it."""
        return Left(self._journal.path, self._journal.owner, tuple(self._changes))

    def set(self, path: str, new: str) -> bool:
        """Return a setting another value; nothing is done if it has it already.

        Returns:
            Whether it has the value now.

        Raises:
            PlatformError: It cannot be written down, so it is left alone.
        """
        try:
            old = self.kernel.read(path)
        except OSError:
            return False
        if meaning(path, old) == meaning(path, new):
            return True
        if meaning(path, old) is None:
            return False
        self._write_down([Setting(path=path, old=old, new=new)])
        try:
            self.kernel.write(path, new)
            found = self.kernel.read(path)
        except OSError:
            return False
        if meaning(path, found) in {meaning(path, new), meaning(path, old), None}:
            return meaning(path, found) == meaning(path, new)
        # The kernel made something of its own of it: that is our value too.
        self._write_down([Setting(path=path, old=old, new=found)])
        return True

    def move(self, placements: list[Placement]) -> list[int]:
        """Return threads other CPUs.

        Returns:
            How each came out: 0, or the errno of the kernel's refusal.

        Raises:
            PlatformError: They cannot be written down, so they are left alone.
        """
        self._write_down(list(placements))
        return [_set_affinity(self.kernel, one.tid, one.new) for one in placements]

    def _write_down(self, changes: list[Change]) -> None:
        try:
            self._changes += changes
            self._journal.add(changes)
        except OSError as error:
            msg = f"{self._journal.path}: cannot be written ({error.strerror}); free space"
            raise PlatformError(msg) from error


@contextmanager
def changing_knobs(kernel: Kernel, on_note: Callable[[str], None]) -> Iterator[Knobs]:
    """Let a block change settings of the kernel; all are put back at its end.

    Args:
        kernel: The machine.
        on_note: Told, in one sentence each, what could not be put back.

    Raises:
        PlatformError: Another laxity has changed settings now, or there is no place for a journal.
    """
    journal = _open_journal(kernel, on_note)
    knobs = Knobs(kernel, journal)
    try:
        yield knobs
    finally:
        journal.close()
        with _locked_directory(kernel):
            outcome = _put_back(kernel, knobs.left)
        for note in (*outcome.foreign, *outcome.failed):
            on_note(note)


def left_journals(kernel: Kernel, dead: Owner | None = None) -> tuple[list[Left], list[str]]:
    """Find the journals of processes that are gone.

    Args:
        kernel: The machine.
        dead: A process that is known to be dead or dying.

    Returns:
        (journals, sentences on files that are none).
    """
    found: list[Left] = []
    problems: list[str] = []
    for path in sorted(kernel.path(knob_journal.DIRECTORY).glob("*" + knob_journal.SUFFIX)):
        try:
            left = read_journal(path)
        except RecordError as error:
            problems.append(str(error))
        except OSError:
            continue
        else:
            if not _is_alive(kernel, left, dead):
                found.append(left)
    return found, problems


def restore_left(kernel: Kernel, dead: Owner | None = None) -> list[str]:
    """Put back what killed runs have left changed.

    Args:
        kernel: The machine.
        dead: A process that is known to be dead or dying.

    Returns:
        Sentences for the user; empty if nothing was left.
    """
    lefts, problems = left_journals(kernel, dead)
    lefts = [left for left in lefts if not _is_of_earlier_boot(kernel, left)]
    if not lefts:
        return problems
    if not os.access(kernel.path(knob_journal.DIRECTORY), os.W_OK):
        return problems + [
            f"{describe_left(kernel, left)}; run laxity doctor as root" for left in lefts
        ]
    with _locked_directory(kernel):
        for left in lefts:
            problems += _restore_one(kernel, left)
    return problems


def left_settings(kernel: Kernel) -> list[str]:
    """Say what killed runs have left changed and nobody has put back; change nothing."""
    lefts, problems = left_journals(kernel)
    lefts = [left for left in lefts if left.owner.boot_id == kernel.boot_id()]
    return problems + [describe_left(kernel, left) for left in lefts]


def describe_left(kernel: Kernel, left: Left) -> str:
    """Say what a killed run has left changed."""
    parts = []
    for path, (old, news) in _settings_of(left.changes).items():
        with suppress(OSError):
            current = kernel.read(path)
            if meaning(path, current) in news:
                parts.append(f"{path} is {current}, was {old}")
    threads = sum(isinstance(change, Placement) for change in left.changes)
    if threads:
        parts.append(f"{_threads(threads)} moved to other CPUs")
    what = ", ".join(parts) or "nothing that still is"
    return f"left changed by a laxity that was killed (process {left.owner.pid}): {what}"


def restore_changes(kernel: Kernel, left: Left) -> Outcome:
    """Put back what a journal holds, newest first."""
    outcome = Outcome()
    for path, (old, news) in reversed(_settings_of(left.changes).items()):
        _restore_setting(kernel, path, old, news, outcome)
    placements = {
        (one.tid, one.start_ticks): one for one in left.changes if isinstance(one, Placement)
    }
    foreign = sum(not _restore_thread(kernel, one, outcome) for one in placements.values())
    if foreign:
        outcome.foreign.append(
            f"{_threads(foreign)} got other CPUs from somebody else meanwhile; left so"
        )
    if placements:
        _restore_children(kernel, left.owner, placements, outcome)
    return outcome


def _restore_one(kernel: Kernel, left: Left) -> list[str]:
    """Put back one killed run's changes; somebody else may just have done it."""
    try:
        left = read_journal(left.path)
    except (OSError, RecordError):
        return []
    outcome = _put_back(kernel, left)
    done = list(outcome.settings)
    if outcome.threads:
        done.append(f"the CPUs of {_threads(outcome.threads)}")
    told = f"a laxity that was killed (process {left.owner.pid}) had left kernel settings changed"
    notes = [f"{told}; put back: {', '.join(done)}"] if done else []
    return [*notes, *outcome.foreign, *outcome.failed]


def _put_back(kernel: Kernel, left: Left) -> Outcome:
    outcome = restore_changes(kernel, left)
    if not outcome.failed:
        left.path.unlink(missing_ok=True)
        knob_journal.sync_directory(left.path.parent)
    return outcome


def _threads(n: int) -> str:
    return f"{n} thread{'s' * (n != 1)}"


def _settings_of(changes: tuple[Change, ...]) -> dict[str, tuple[str, list[object]]]:
    """Gather, per setting, the value before all changes and the meanings of those we gave it."""
    found: dict[str, tuple[str, list[object]]] = {}
    for change in changes:
        if isinstance(change, Setting):
            _, news = found.setdefault(change.path, (change.old, []))
            news.append(meaning(change.path, change.new))
    return found


def _restore_setting(
    kernel: Kernel, path: str, old: str, news: list[object], outcome: Outcome
) -> None:
    try:
        current = kernel.read(path)
        if meaning(path, current) == meaning(path, old):
            return
        if meaning(path, current) not in news:
            outcome.foreign.append(
                f"{path}: holds {current}, which somebody else wrote meanwhile; left so, it was "
                f"{old} before the run"
            )
            return
        kernel.write(path, old)
    except OSError as error:
        # An interrupt whose device is gone needs nothing put back.
        if error.errno not in _GONE:
            outcome.failed.append(
                f"{path}: cannot be put back to {old} ({error.strerror}); write it as root"
            )
        return
    outcome.settings.append(f"{path} = {old}")


def _restore_thread(kernel: Kernel, one: Placement, outcome: Outcome) -> bool:
    """Return a thread its CPUs back; False if somebody else has given it others."""
    thread = kernel.thread(one.tid)
    if thread is None or thread.start_ticks != one.start_ticks:
        return True
    try:
        current, allowed = kernel.affinity(one.tid), kernel.allowed(one.tid)
    except OSError:
        return True
    if frozenset(parse_cpus(one.old)) in {current, allowed}:
        return True
    if current != frozenset(parse_cpus(one.new)):
        return False
    refusal = _set_affinity(kernel, one.tid, one.old)
    outcome.threads += refusal == 0
    if refusal in {errno.EPERM, errno.EACCES}:
        outcome.failed.append(
            f"thread {one.tid}: cannot be put back on CPUs {one.old} "
            f"({os.strerror(refusal).lower()}); run laxity doctor as root"
        )
    return True


def _restore_children(
    kernel: Kernel,
    owner: Owner,
    placements: dict[tuple[int, int], Placement],
    outcome: Outcome,
) -> None:
    """Free the threads that moved ones have made since: they have inherited the narrower CPUs.

    One of them is known by three marks: it is younger than the run, it has exactly the CPUs that
    we gave to its family (its process, its parent, its session's first process, or theirs), and it
    is not in the journal. A thread whose CPUs were chosen by somebody to be just those looks the
    same; it gets more CPUs than it asked for.
    """
    family = dict(placements)
    known = set(placements)
    for _ in range(_FORK_PASSES):
        found = 0
        for thread in kernel.threads():
            identity = (thread.tid, thread.start_ticks)
            if identity in known or thread.start_ticks < owner.start_ticks:
                continue
            parent = _relative(kernel, thread, family)
            if parent is None or not _has_cpus(kernel, thread.tid, parent.new):
                continue
            known.add(identity)
            family[identity] = parent
            found += 1
            outcome.threads += _set_affinity(kernel, thread.tid, parent.old) == 0
        if not found:
            return


def _relative(
    kernel: Kernel, thread: Thread, family: dict[tuple[int, int], Placement]
) -> Placement | None:
    """Find the moved thread that a young one may come from."""
    if thread.process == os.getpid():
        return None
    numbers = dict(family.keys())
    for pid in (thread.process, thread.parent, thread.session):
        if pid not in numbers:
            continue
        found = kernel.thread(pid)
        # A session outlives its first process, whose number is not given away meanwhile.
        if found is None or found.start_ticks == numbers[pid]:
            return family[pid, numbers[pid]]
    return None


def _has_cpus(kernel: Kernel, tid: int, cpus: str) -> bool:
    try:
        return kernel.affinity(tid) == frozenset(parse_cpus(cpus))
    except OSError:
        return False


def _set_affinity(kernel: Kernel, tid: int, cpus: str) -> int:
    try:
        kernel.set_affinity(tid, frozenset(parse_cpus(cpus)))
    except OSError as error:
        return error.errno or errno.EINVAL
    return 0


def _is_alive(kernel: Kernel, left: Left, dead: Owner | None) -> bool:
    owner = left.owner
    if owner.boot_id != kernel.boot_id():
        return False
    is_known_dead = dead is not None and (owner.pid, owner.start_ticks) == (
        dead.pid,
        dead.start_ticks,
    )
    if is_known_dead:
        return False
    return kernel.is_running(owner.pid, owner.start_ticks) or knob_journal.is_held(left.path)


def _is_of_earlier_boot(kernel: Kernel, left: Left) -> bool:
    """Whether the settings went with the boot that they belonged to; then so does the journal."""
    if left.owner.boot_id == kernel.boot_id():
        return False
    with suppress(OSError):
        left.path.unlink()
    return True


def _open_journal(kernel: Kernel, on_note: Callable[[str], None]) -> Journal:
    directory = kernel.path(knob_journal.DIRECTORY)
    try:
        directory.mkdir(mode=_MODE, parents=True, exist_ok=True)
        for note in restore_left(kernel):
            on_note(note)
        with _locked_directory(kernel):
            _refuse_others(kernel)
            this = kernel.thread(os.getpid())
            start_ticks = 0 if this is None else this.start_ticks
            owner = Owner(
                schema=knob_journal.SCHEMA,
                pid=os.getpid(),
                start_ticks=start_ticks,
                boot_id=kernel.boot_id(),
            )
            name = f"{owner.pid}-{owner.start_ticks}{knob_journal.SUFFIX}"
            return Journal(directory / name, owner)
    except OSError as error:
        msg = (
            f"{directory}: no journal of changed kernel settings can be written there "
            f"({error.strerror}); run as root, or leave out --shield and --no-throttling"
        )
        raise PlatformError(msg) from error


def _refuse_others(kernel: Kernel) -> None:
    """Two runs that change the same settings would put back each other's values."""
    for path in sorted(kernel.path(knob_journal.DIRECTORY).glob("*" + knob_journal.SUFFIX)):
        msg = (
            f"{path}: kernel settings are changed for another run; wait until it has ended, or "
            "leave out --shield and --no-throttling"
        )
        raise PlatformError(msg)


@contextmanager
def _locked_directory(kernel: Kernel) -> Iterator[None]:
    """Let one laxity at a time begin or put back; the lock goes with its holder."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    descriptor = os.open(kernel.path(knob_journal.DIRECTORY), flags)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
