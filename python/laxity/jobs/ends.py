# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How the programs of a run ended, and when: what every kind of run is finished by."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from laxity.core.signals import END_SIGNALS
from laxity.errors import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_NO_VERDICT,
    RecordError,
    cannot_read,
)
from laxity.store.manifest import Status, Writer, decode_document
from laxity.store.native import Native
from laxity.store.run_directory import NATIVE, read_manifest


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended.

    Attributes:
        has_survived: Whether the process that started the run lives.
        returncode: How its native program ended, if known; negative: by a signal.
    """

    has_survived: bool
    returncode: int | None = None

    def time(self, tmp: Path) -> str:
        """Return the instant of the end: now, or of a killed run when it last wrote."""
        return now() if self.has_survived else last_change(tmp)


def now() -> str:
    """Write this instant in UTC, as manifests hold it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def this_writer() -> Writer:
    """Describe this process, so that others can tell whether it still lives."""
    return Writer(pid=os.getpid(), start_ticks=_start_ticks(os.getpid()) or 0, boot_id=_boot_id())


def judge_end(returncode: int | None, tool: str) -> tuple[Status, int | None, str]:
    """Tell from the way a native program ended what became of a run without a result."""
    if returncode is None:
        return "recovered", None, f"killed; {tool} left no result, what it had written is kept"
    if returncode >= 0:
        return "failed", returncode or EXIT_INTERNAL, f"{tool} ended without a result"
    if -returncode in END_SIGNALS:
        return "interrupted", EXIT_INTERRUPTED, f"interrupted while {tool} was starting"
    return "recovered", EXIT_NO_VERDICT, f"{tool} was killed by signal {-returncode}"


def read_native(tmp: Path) -> Native | None:
    """Read native.json; None: the native program has left none.

    Raises:
        RecordError: It is damaged.
    """
    path = tmp / NATIVE
    try:
        return decode_document(path.read_bytes(), Native, str(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_read(path, error) from error


def is_being_written(tmp: Path) -> bool:
    """Ask the process table, for file systems without locks."""
    try:
        writer = read_manifest(tmp).writer
    except RecordError:
        return False
    if isinstance(writer, msgspec.UnsetType) or writer.boot_id != _boot_id():
        return False
    return _start_ticks(writer.pid) == writer.start_ticks


def last_change(tmp: Path) -> str:
    """Guess when a killed run ended: when it last wrote."""
    last_s = max(path.lstat().st_mtime for path in (tmp, *tmp.glob("*.npy")))
    when = datetime.fromtimestamp(last_s, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _start_ticks(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot; field 22 of its stat file (proc(5))."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field, the name, may hold blanks and parentheses: count from the last one.
    return int(stat.rpartition(")")[2].split()[19])
