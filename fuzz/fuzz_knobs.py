# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a journal of kernel settings: changes that laxity makes, or a RecordError."""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["laxity"]):
    from laxity.core.cpus import parse_cpus
    from laxity.errors import RecordError
    from laxity.platform.knob_journal import Setting, encode_line, meaning, parse_journal

# What root may be made to write, and nowhere else.
PLACES = ("/proc/sys/kernel/sched_rt_runtime_us", "/proc/irq/", "/sys/devices/virtual/workqueue/")


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of journals."""
    try:
        left = parse_journal(data, Path("1-1.journal"))
    except RecordError as error:
        assert str(error)
        return
    for change in left.changes:
        if isinstance(change, Setting):
            assert change.path.startswith(PLACES)
            assert ".." not in change.path
            assert meaning(change.path, change.old) is not None
            assert meaning(change.path, change.new) is not None
            assert not {"\n", "\0"} & {*change.old, *change.new}
        else:
            assert change.tid > 0
            assert parse_cpus(change.old)
            assert parse_cpus(change.new)
    # What was read can be written, and reads back to itself.
    again = b"".join(map(encode_line, (left.owner, *left.changes)))
    assert parse_journal(again, left.path).changes == left.changes


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
