# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Envelope, packing and strict reading of contention tables."""

from typing import Any

import msgspec
import numpy as np
import pytest

from laxity.contention.table import (
    RATE_ONE,
    STEP_BYTES_PER_S,
    ContentionTable,
    decode_table,
    envelope_of,
    pack,
    windows_above,
)
from laxity.contention.windows import Windows
from laxity.errors import ConfigError


def windows(*points: tuple[float, float]) -> Windows:
    """Make windows of (steps of traffic, loss)."""
    steps, loss = np.array(points, dtype=float).T
    return Windows(steps * STEP_BYTES_PER_S, loss)


def table(**changed: object) -> ContentionTable:
    whole = {
        "schema": 1,
        "version": "0",
        "platform": "sim:sabrelite-partitioned",
        "platform_sha256": "0" * 64,
        "workload": "dijkstra",
        "args": ["large"],
        "cpu": 0,
        "solo_ns": 8_000_000,
        "reload_ns": 2_000,
        "step_bytes_per_s": STEP_BYTES_PER_S,
        "loss": [0, RATE_ONE // 4, RATE_ONE // 2],
        "loads": [{"reads": 0, "delay": 0, "cpus": [1], "overhead_ppm": 1}],
    }
    return msgspec.convert(whole | changed, ContentionTable)


def test_packed_curve_is_the_hull_rounded_up():
    """As in tests/native/regulator/test_table.c: at step 2 it passes 6 + 3/2, rounded up."""
    assert pack(np.array([0, 6, 0, 9])).tolist() == [0, 6, 8, 9]


def test_packing_equals_the_largest_of_all_mixtures():
    rng = np.random.default_rng(1)
    for _ in range(50):
        curve = rng.integers(0, 100, size=12)
        mixed = [
            max(
                -(-(int(curve[a]) * (b - i) + int(curve[b]) * (i - a)) // (b - a))
                for a in range(i + 1)
                for b in range(i, 12)
                if a < b
            )
            for i in range(12)
        ]
        assert pack(curve).tolist() == mixed


def test_envelope_lies_above_each_window_with_a_margin_of_a_twentieth():
    """A loss of 0.4 at step 2.9 stands at step 2 as 0.42; the line from 0 to it passes 0.21."""
    curve = envelope_of([windows((0.5, 0.0), (2.9, 0.4)), windows((2.2, 0.1))])
    assert curve[0] == 0
    assert curve[2] == np.ceil(0.42 * RATE_ONE)
    assert curve[1] == -(-curve[2] // 2)
    # The last step stands for all traffic above, and lies above what was seen.
    assert curve[-1] == curve[2]
    assert len(curve) == 4


def test_envelope_never_falls():
    curve = envelope_of([windows((1.0, 0.5), (9.0, 0.1))])
    assert curve == sorted(curve)


def test_traffic_that_no_table_holds_is_refused():
    with pytest.raises(ConfigError, match="more than a contention table can hold"):
        envelope_of([windows((255.0, 0.1))])


def test_windows_above_a_table_are_counted():
    """Step 1 bounds by 1/4, step 1.5 counts as step 2 with 1/2, step 7 as the last."""
    seen = windows((1.0, 0.25), (1.0, 0.26), (1.5, 0.5), (7.0, 0.51))
    assert windows_above(table(), seen) == 2


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(ConfigError, match="no contention table"):
        decode_table(b'{"version": "\x89"}')


def test_table_is_read_as_it_was_written():
    assert decode_table(msgspec.json.encode(table())) == table()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"loss": [0, 9, 3]}, "falls"),
        ({"loss": [0, 2, 90]}, "not packed"),
        ({"loss": [0]}, "length >= 2"),
        ({"loss": [0, RATE_ONE + 1]}, "<= 1048576"),
        ({"schema": 2}, "schema"),
        ({"solo_ns": 0}, "solo_ns"),
        ({"loads": []}, "loads"),
        ({"loads": [{"reads": 0, "delay": 0, "cpus": [], "overhead_ppm": 1}]}, "cpus"),
        ({"platform_sha256": "x"}, "platform_sha256"),
        ({"more": 1}, "unknown field `more`"),
    ],
)
def test_table_that_cannot_be_is_refused(changed: dict[str, Any], reason: str):
    document = msgspec.to_builtins(table()) | changed
    with pytest.raises(ConfigError, match=reason):
        decode_table(msgspec.json.encode(document))
