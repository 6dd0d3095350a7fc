# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Cost models as `laxity measure switch` and `measure crpd` write them, with round figures."""

from typing import Any

from laxity.costs.model import Axes, Costs, Entry
from laxity.store.manifest import Tool

KIB = 1024


def entry(name: str, largest: int | None, **more: Any) -> Entry:  # noqa: ANN401 - any field of an entry
    """Make an entry; keys of `axes` and of the entry itself may both be given."""
    axes = {key: more.pop(key) for key in Axes.__struct_fields__ if key in more}
    fields: dict[str, Any] = {
        "kind": "measured",
        "n": 1000,
        "quantiles": {},
        "noise_floor": 1,
        "verdict": "ok",
        "runs": ["R"],
        **more,
    }
    return Entry(name=name, max=largest, axes=Axes(**{"cpu": 1, **axes}), **fields)


def gamma(kib: int, largest: int, **more: Any) -> Entry:  # noqa: ANN401 - any field of an entry
    """Make an entry of one working set."""
    axes = {"case": "synchronous_chase", "evict": "write", **more}
    return entry("gamma", largest, working_set_bytes=kib * KIB, **axes)


def model(*entries: Entry) -> Costs:
    return Costs(tool=Tool(name="laxity", version="0"), machine_hash="ab", entries=list(entries))


# What is needed, and all that can be accounted for.
SWITCHES = (
    entry("delta", 10_000, case="best", quantiles={"0.99": 4_000}),
    entry("delta", 20_000, case="worst", quantiles={"0.99": 6_000}),
    entry("timer_latency", 30_000, case="busy"),
    entry("timer_latency", 50_000, case="idle"),
    entry("release_isr", 7_000),
    entry("tick", 9_000),
    entry("tick_period", 4_100_000, quantiles={"0.5": 4_000_000}),
)
GAMMAS = (gamma(64, 5_000), gamma(256, 30_000), gamma(1024, 20_000))
