# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The same snapshot from another machine: what laxity-facts is asked there, and what it answers.

The list of what is read is `facts.py`'s alone; laxity-facts (native/facts/) gets it line by line.
"""

import errno
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from laxity import __version__
from laxity.errors import ToolError
from laxity.platform.facts import (
    ABSENT_ERRORS,
    ACCESS_PATHS,
    CONFIG_GZ,
    CONFIG_LIMIT_BYTES,
    FILE_LIMIT_BYTES,
    FILES,
    Facts,
    cgroup_files,
    config_values,
    whole_lines,
)

_GREETING = f"laxity-facts {__version__}\n".encode()
# A record's head: kind, length and key. Paths end at 4096 bytes.
_MAX_HEAD_BYTES = 8192
_MAX_LENGTH_DIGITS = 9
_CONFIG_PREFIX = "/boot/config-"


@dataclass(frozen=True, slots=True)
class _Record:
    kind: str
    key: str
    data: bytes


def ask_facts(ask: Callable[[bytes], bytes]) -> Facts:
    """Collect the facts of a machine that laxity-facts runs on.

    Args:
        ask: Gives laxity-facts a request there and returns its answer.

    Raises:
        ToolError: The answer is not one of laxity-facts of this version.
    """
    first = parse_facts(ask(first_request()))
    request = second_request(first)
    if not request:
        return first
    second = parse_facts(ask(request))
    return Facts(
        {**first.files, **second.files},
        {**first.denied, **second.denied},
        (*first.truncated, *second.truncated),
    )


def first_request() -> bytes:
    """Ask for everything whose place is known beforehand."""
    lines = [_read_line(FILE_LIMIT_BYTES, directory, names) for directory, names in FILES]
    lines.append(_read_line(CONFIG_LIMIT_BYTES, "/proc", [CONFIG_GZ.rpartition("/")[2]]))
    lines += [f"access\t{path}\n" for path in ACCESS_PATHS]
    return "".join([*lines, "process\n"]).encode()


def second_request(first: Facts) -> bytes:
    """Ask for what the first answer has led to: control groups, and the configuration in /boot."""
    lines = [
        _read_line(FILE_LIMIT_BYTES, *_split(path))
        for path in cgroup_files(first)
        if _is_askable(path)
    ]
    boot = _CONFIG_PREFIX + (first.text("@uname.release") or "")
    if "@config" not in first.files and boot != _CONFIG_PREFIX and _is_askable(boot):
        lines.append(_read_line(CONFIG_LIMIT_BYTES, *_split(boot)))
    return "".join(lines).encode()


def parse_facts(answer: bytes) -> Facts:
    """Read the answer of laxity-facts.

    Raises:
        ToolError: It is not whole, or not an answer of this version.
    """
    files: dict[str, str] = {}
    denied: dict[str, str] = {}
    truncated: list[str] = []
    for record in _records(answer):
        if record.key == CONFIG_GZ or record.key.startswith(_CONFIG_PREFIX):
            files.update(_config_of(record))
        elif record.kind == "error":
            reason = _reason(record.data)
            if reason is not None:
                denied[record.key] = reason
        elif record.kind == "cut":
            files[record.key] = whole_lines(record.data).decode("utf-8", "replace")
            truncated.append(record.key)
        else:
            files[record.key] = record.data.decode("utf-8", "replace")
    return Facts(files, denied, tuple(truncated))


def _read_line(limit_bytes: int, directory: str, names: Iterable[str]) -> str:
    return "\t".join([f"read {limit_bytes}", directory, *names]) + "\n"


def _split(path: str) -> tuple[str, list[str]]:
    directory, _, name = path.rpartition("/")
    return directory, [name]


def _is_askable(path: str) -> bool:
    """Whether a path from the board fits into a line, and means only itself there."""
    return path.startswith("/") and path.isprintable() and not set(path) & set("*[")


def _config_of(record: _Record) -> dict[str, str]:
    """Take a configuration; one that is damaged, or longer than any, is none."""
    if record.kind != "file":
        return {}
    try:
        return config_values(record.key, record.data)
    except zlib.error:
        return {}


def _reason(data: bytes) -> str | None:
    """Put an errno's name into words; None if it means "no such file"."""
    word = data.decode("utf-8", "replace")
    number = getattr(errno, word, None) if word.isalnum() else None
    if not isinstance(number, int):
        return word
    return None if number in ABSENT_ERRORS else os.strerror(number).lower()


def _records(answer: bytes) -> Iterator[_Record]:
    """Cut the answer into records, without the last one, which only says that it is whole."""
    if not answer.startswith(_GREETING):
        found = answer[:60].partition(b"\n")[0].decode("utf-8", "replace")
        msg = f'laxity-facts: is not of version {__version__} ("{found}"); make the bundle again'
        raise ToolError(msg)
    place = len(_GREETING)
    while True:
        record, place = _record_at(answer, place)
        if record.kind == "end":
            return
        yield record


def _record_at(answer: bytes, place: int) -> tuple[_Record, int]:
    end = answer.find(b"\n", place, place + _MAX_HEAD_BYTES)
    kind, _, rest = answer[place : max(end, place)].partition(b" ")
    length, _, key = rest.partition(b" ")
    if end < 0 or kind not in {b"file", b"cut", b"error", b"value", b"end"}:
        raise _broken(place)
    if not length.isdigit() or len(length) > _MAX_LENGTH_DIGITS:
        raise _broken(place)
    start = end + 1
    after = start + int(length)
    if answer[after : after + 1] != b"\n":
        raise _broken(place)
    record = _Record(kind.decode(), key.decode("utf-8", "replace"), answer[start:after])
    return record, after + 1


def _broken(place: int) -> ToolError:
    return ToolError(f"laxity-facts: its answer breaks off at byte {place}; try again")
