# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The stream reader under a minute of damaged streams: each is read or refused, never more."""

import random
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.jobs.left_runs import write_jobs

from laxity.errors import RecordError
from laxity.store.npy import read_stream

FUZZ_S = 60
PIECES = [
    *(b"'", b"(", b")", b"[", b"]", b"{", b"}", b",", b"\0", b"\xff", b"9" * 25, b"-1", b"None"),
    *(
        b"<i8",
        b">u2",
        b"|S9",
        b"<f4",
        b"|O",
        b"<f16",
        b"'descr'",
        b"'shape': (",
        b"True",
        b" " * 99,
    ),
]


def damage(generator: random.Random, whole: bytes) -> bytes:
    """Cut, double, overwrite and insert a few times, mostly in the header."""
    data = bytearray(whole)
    for _ in range(generator.randint(1, 5)):
        reach = len(data) if generator.random() < 0.2 else min(len(data), 600)
        start = generator.randrange(reach + 1)
        end = min(len(data), start + generator.choice([0, 0, 1, 2, 8, 40]))
        piece = generator.choice([b"", bytes([generator.randrange(256)]), *PIECES])
        data[start:end] = piece
    return bytes(data)


@pytest.mark.slow
def test_a_minute_of_damaged_streams_is_read_or_refused(tmp_path: Path):
    write_jobs(tmp_path, [1_000, None, 20_000_000])
    path = tmp_path / "jobs.npy"
    other = tmp_path / "made.npy"
    whole = path.read_bytes()
    generator = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    end_s = time.monotonic() + FUZZ_S
    while time.monotonic() < end_s:
        data = damage(generator, whole)
        for file in (path, other):
            file.write_bytes(data)
            with suppress(RecordError):
                assert read_stream(file).nbytes <= len(data), data
