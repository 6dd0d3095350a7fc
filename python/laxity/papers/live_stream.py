# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which instructions a job of a program executes, of its stream (sim/interface/records.h)."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from laxity.errors import ToolError
from laxity.platform.simulated import SimulatedPlatform
from laxity.platform.streams import SUFFIX, record_new
from laxity.platform.tools import find_tool

_KIND_SHIFT, _STORE_SHIFT, _INDEX_SHIFT = 62, 52, 53
_ACCESS, _EXECUTION, _BLOCK = range(3)
_ADDRESS_MASK = (1 << 48) - 1
_INDEX_MASK = (1 << 9) - 1
_ID_MASK = (1 << 32) - 1
_RETURN = 1 << 32
_ARGUMENTS = 6
_WORD_BYTES = 8
# Of the table of marks (native/harness/mark_table.h): a byte each.
_MARKS = 0x60000000
_STARTS, _FINISHES = _MARKS + 770, _MARKS + 771


def executed_addresses(
    platform: SimulatedPlatform, program: Path, scratch: Path
) -> NDArray[np.int64]:
    """Return the addresses of the instructions that the first job of a program executes.

    Raises:
        LaxityError: As a recording of its stream.
    """
    file = scratch / f"job{SUFFIX}"
    record_new(platform.program_of(str(program), (), 1), file, lambda _state: None)
    tool = str(find_tool("laxity-sim-stream"))
    done = subprocess.run(
        [tool, "read", str(file)], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode:
        msg = f"laxity-sim-stream: {done.stderr.decode('utf-8', 'replace').strip()}"
        raise ToolError(msg)
    return job_addresses(np.frombuffer(done.stdout, dtype=np.uint64).tolist())


def job_addresses(words: Sequence[int]) -> NDArray[np.int64]:
    """Return what `executed_addresses` does, of the words of a stream."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *_parts(words)])


def _parts(words: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """Give what is executed of each execution of a block between the borders of the first job."""
    blocks: dict[int, NDArray[np.int64]] = {}
    current = np.zeros(0, dtype=np.int64)
    # From there on the instructions of the execution are of the job; None: none is.
    begin: int | None = None
    at = 0
    while at < len(words):
        word = words[at]
        kind = word >> _KIND_SHIFT
        at += 1
        if kind == _BLOCK:
            blocks[word & _ID_MASK], at = _block(words, at)
        elif kind == _EXECUTION:
            if begin is not None:
                yield current[begin:]
                begin = 0
            current = blocks[word & _ID_MASK]
        elif kind == _ACCESS:
            address = word & _ADDRESS_MASK if word >> _STORE_SHIFT & 1 else 0
            index = word >> _INDEX_SHIFT & _INDEX_MASK
            if address == _STARTS:
                begin = index + 1
            elif address == _FINISHES:
                yield current[begin or 0 : index]
                return
        else:
            at += 1 if word & _RETURN else _ARGUMENTS


def _block(words: Sequence[int], at: int) -> tuple[NDArray[np.int64], int]:
    """Read what defines a block; give the addresses of its instructions, and what is behind it."""
    address, n = words[at], words[at + 1]
    at += 2
    sizes = b"".join(one.to_bytes(_WORD_BYTES, "little") for one in words[at : at + _padded(n)])[:n]
    at += _padded(n) + _padded(sum(sizes))
    before = np.concatenate([[0], np.cumsum(np.frombuffer(sizes, dtype=np.uint8))[:-1]])
    return (address & _ADDRESS_MASK) + before.astype(np.int64), at


def _padded(n_bytes: int) -> int:
    return -(-n_bytes // _WORD_BYTES)
