# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The spec parser under a minute of damaged specs: each is read or refused, never more."""

import random
import time
from contextlib import suppress

import pytest

from laxity.core.spec import spec_to_toml
from laxity.core.spec_reader import parse_interfere_option, read_spec_toml
from laxity.errors import ConfigError

FUZZ_S = 60
SEED = b"""schema = 1
[run]
duration = "10s"
jobs = 5
seed = 3
keep = "tail:9"
max_response = "9ms"
[[task]]
name = "control"
workload = "mem"
args = ["64KiB", "2"]
period = "5ms"
deadline = "none"
policy = "rr"
priority = 90
cpus = "0-1,3"
stack = "512KiB"
[[interfere]]
workload = "bandwidth"
args = ["write", "64MiB"]
cpus = "0"
"""
PIECES = [line + b"\n" for line in SEED.splitlines()] + [
    *(b'"', b"0", b"9" * 30, b"-", b"1e400", b"nan", b"[[", b"\0", b"\xff", b"1979-05-27"),
    *(b"true", b"[]", b"{}", b'"5ms"', b'"h"', b"=", b"\n", "µ".encode(), b"0x", b"_", b"'''"),
]


def damaged(generator: random.Random) -> bytes:
    """Cut, double and insert a few times."""
    data = bytearray(SEED)
    for _ in range(generator.randint(1, 6)):
        start = generator.randrange(len(data) + 1)
        end = min(len(data), start + generator.choice([0, 0, 1, 2, 5, 20]))
        data[start:end] = generator.choice([b"", *PIECES])
    return bytes(data)


@pytest.mark.slow
def test_a_minute_of_damaged_specs_is_read_or_refused():
    generator = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    end_s = time.monotonic() + FUZZ_S
    while time.monotonic() < end_s:
        data = damaged(generator)
        with suppress(ConfigError):
            spec = read_spec_toml(data, {}, 1)
            # What was read is a spec: it can be written, and reads back to itself.
            assert read_spec_toml(spec_to_toml(spec).encode(), {}, 1) == spec, data
        with suppress(ConfigError):
            parse_interfere_option(data.decode("utf-8", errors="replace"))
