# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Priorities written into a spec file as text, so that everything else of it stays as it is."""

import re
from collections.abc import Sequence

from laxity.core.spec_tables import array_of_tables, read_document
from laxity.errors import ConfigError

_HEADER = re.compile(rb"^[ \t]*\[\[[ \t]*task[ \t]*\]\][ \t]*(?:#[^\n]*)?\r?\n?$")


def with_priorities(data: bytes, priorities: Sequence[int]) -> bytes:
    """Add a priority to each `[[task]]` of a spec file, as its first key.

    Args:
        data: Content of a file that `read_task_set` takes, and that gives no priority.
        priorities: One per task, in the order of the file.

    Raises:
        ConfigError: The tasks are not written as tables of their own.
    """
    left = iter(priorities)
    lines = []
    for line in data.splitlines(keepends=True):
        lines.append(line)
        if _HEADER.match(line):
            ending = b"\r\n" if line.endswith(b"\r\n") else b"\n"
            lines[-1] = line.rstrip(b"\r\n") + ending
            lines.append(f"priority = {next(left, 0)}".encode() + ending)
    text = b"".join(lines)
    if not _differs_in_priorities(text, data, priorities):
        msg = "its tasks are not written as [[task]] tables; write the priorities by hand"
        raise ConfigError(msg)
    return text


def _differs_in_priorities(text: bytes, data: bytes, priorities: Sequence[int]) -> bool:
    """Tell whether a text says what another says, and these priorities.

    Tasks may be written as an inline array, and within a text of several lines a line may look like
    a header.
    """
    try:
        document, before = read_document(text), read_document(data)
    except ConfigError:
        return False
    found = [table.pop("priority", None) for table in array_of_tables(document, "task")]
    return found == list(priorities) and document == before
