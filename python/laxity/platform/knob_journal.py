# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The journal of changed kernel settings: what is to be put back, whoever does it.

One file per run below `DIRECTORY`, a fixed place, named after the process that made the changes
(PID-START.journal). First line: that process; each further line: one change. A line is on the disk
before its change is made, so a line may stand for a change that never happened, but no change is
without its line; a last line without its end was being written when all stopped.

What is read here is written into the kernel by root: only settings that laxity itself changes are
accepted, with values of their shape, from a file that belongs to root or to ourselves.
"""

import fcntl
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from laxity.core.cpus import parse_cpus
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, RecordError

DIRECTORY = "/run/laxity/knobs"
SCHEMA = 1
SUFFIX = ".journal"
# 32768 threads of 150 bytes each, with room to spare.
MAX_BYTES = 16 << 20
_MAX_PID = 1 << 22
_MAX_TICKS = 1 << 63


class Owner(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The process that made the changes, on which boot."""

    schema: int
    pid: int
    start_ticks: int
    boot_id: str


class Setting(
    msgspec.Struct,
    forbid_unknown_fields=True,
    frozen=True,
    kw_only=True,
    tag_field="kind",
    tag="setting",
):
    """A file below /proc or /sys that gets another value."""

    path: str
    old: str
    new: str


class Placement(
    msgspec.Struct,
    forbid_unknown_fields=True,
    frozen=True,
    kw_only=True,
    tag_field="kind",
    tag="thread",
):
    """A thread that gets other CPUs."""

    tid: int
    start_ticks: int
    old: str
    new: str


Change = Setting | Placement


@dataclass(frozen=True, slots=True)
class Left:
    """A journal as it was found; `rest_bytes`: of a last line that was not finished."""

    path: Path
    owner: Owner
    changes: tuple[Change, ...]
    rest_bytes: int = 0


_INTEGER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_MASK = re.compile(r"[0-9a-fA-F]{1,8}(,[0-9a-fA-F]{8}){0,255}", re.ASCII)


def _integer(text: str) -> int | None:
    return int(text) if _INTEGER.fullmatch(text) else None


def _mask(text: str) -> int | None:
    return int(text.replace(",", ""), 16) if _MASK.fullmatch(text) else None


def _cpus(text: str) -> tuple[int, ...] | None:
    try:
        return parse_cpus(text)
    except ConfigError:
        return None


# The settings that laxity changes, and how their values are read.
_READERS: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"/proc/sys/kernel/sched_rt_runtime_us"), _integer),
    (re.compile(r"/sys/kernel/debug/sched/fair_server/cpu\d{1,4}/runtime"), _integer),
    (re.compile(r"/proc/irq/default_smp_affinity"), _mask),
    (re.compile(r"/proc/irq/[0-9]{1,9}/smp_affinity_list", re.ASCII), _cpus),
    (re.compile(r"/sys/devices/virtual/workqueue/cpumask"), _mask),
)


def meaning(path: str, value: str) -> object:
    """Read the value of a setting, so that `3` and `00000003` are one mask.

    Returns:
        Something to compare; None if laxity never changes this setting, or the value is none.
    """
    for pattern, read in _READERS:
        if pattern.fullmatch(path):
            return read(value)
    return None


def encode_line(part: Owner | Change) -> bytes:
    """Write one line of a journal."""
    return msgspec.json.encode(part) + b"\n"


def parse_journal(data: bytes, path: Path) -> Left:
    """Read a journal.

    Args:
        data: Its content.
        path: Its place, for messages and for removing it.

    Raises:
        RecordError: It is none of ours, or damaged other than by an unfinished last line.
    """
    *lines, rest = data.split(b"\n")
    if not lines:
        msg = f"{path}: no line is complete; set the values yourself and remove it"
        raise RecordError(msg)
    try:
        owner = msgspec.json.decode(lines[0], type=Owner)
        _check_number(owner.pid, owner.start_ticks)
        changes = tuple(_parse_change(line) for line in lines[1:])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{path}: damaged ({plain_words(error)}); set the values yourself and remove it"
        raise RecordError(msg) from error
    if owner.schema != SCHEMA:
        msg = f"{path}: schema {owner.schema}; this build reads {SCHEMA}"
        raise RecordError(msg)
    return Left(path, owner, changes, len(rest))


def _parse_change(line: bytes) -> Change:
    change: Change = msgspec.json.decode(line, type=Setting | Placement)
    if isinstance(change, Setting):
        values = (change.old, change.new)
        is_known = all(meaning(change.path, value) is not None for value in values)
    else:
        _check_number(change.tid, change.start_ticks)
        is_known = _cpus(change.old) is not None and _cpus(change.new) is not None
    if not is_known:
        msg = "holds a change that laxity never makes"
        raise msgspec.ValidationError(msg)
    return change


def _check_number(pid: int, start_ticks: int) -> None:
    if not (0 < pid <= _MAX_PID and 0 <= start_ticks < _MAX_TICKS):
        msg = "holds a process that cannot be"
        raise msgspec.ValidationError(msg)


def read_journal(path: Path) -> Left:
    """Read a journal from its file.

    Raises:
        RecordError: As `parse_journal`, or somebody else may have written it.
        OSError: It is gone, or may not be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        is_ours = status.st_uid in {0, os.geteuid()} and not status.st_mode & 0o022
        if not (is_ours and stat.S_ISREG(status.st_mode)):
            msg = f"{path}: others than root can write it, so it is not believed; remove it"
            raise RecordError(msg)
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        msg = f"{path}: too large for a journal; remove it"
        raise RecordError(msg)
    return parse_journal(data, path)


def is_held(path: Path) -> bool:
    """Tell whether the laxity that writes a journal lives, in whatever PID namespace."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # a file system without locks
    finally:
        os.close(descriptor)
    return False


class Journal:
    """The journal of a running laxity."""

    def __init__(self, path: Path, owner: Owner) -> None:
        self.path = path
        self.owner = owner
        # Named only once its first line is whole.
        new = path.with_name(path.name + ".new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(new, flags, 0o644)
        os.fchmod(self._descriptor, 0o644)
        # Tells that we live also where processes have other numbers: in a container.
        with suppress(OSError):
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._append(encode_line(owner))
        new.rename(path)
        sync_directory(path.parent)

    def add(self, changes: list[Change]) -> None:
        """Write changes down; only after that may they be made.

        Raises:
            OSError: There is no room.
        """
        if changes:
            self._append(b"".join(encode_line(change) for change in changes))

    def close(self) -> None:
        """Stop writing; the file stays."""
        os.close(self._descriptor)

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
        os.fsync(self._descriptor)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
