# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""No response of a run with regulated co-runners is above its bound with contention tables.

Some sets run in the engine. All are replayed, in a fraction of the time, so that a night tries 200:
LAXITY_REGULATED_SETS. LAXITY_REGULATED_IN_ENGINE and LAXITY_REGULATED_FIRST_SEED draw more and
others for the engine.
"""

import os
from pathlib import Path
from statistics import median

import pytest
from tests.bounds.regulated_sets import draw_sets, hold_sets, measure_all
from tests.bounds.replayed_sets import hold_replays
from tests.cli.laxity_command import of_simulator

IN_ENGINE = int(os.environ.get("LAXITY_REGULATED_IN_ENGINE", "20"))
SETS = int(os.environ.get("LAXITY_REGULATED_SETS", "20"))
FIRST_SEED = int(os.environ.get("LAXITY_REGULATED_FIRST_SEED", "1"))

pytestmark = pytest.mark.skipif(
    not of_simulator("laxity-sim").exists(), reason="simulated platforms are not built"
)


@pytest.mark.slow
def test_no_response_beside_regulated_loads_is_above_its_bound(tmp_path: Path):
    known, delta_ns = measure_all(tmp_path)
    sets = draw_sets(known, max(SETS, IN_ENGINE), FIRST_SEED)
    replayed = hold_replays(tmp_path, sets, delta_ns, FIRST_SEED)
    for held in replayed:
        assert max(held.largest, default=0) <= 1, held.said
        assert (held.outside, held.beyond) == (0, 0), held.said
    found = hold_sets(tmp_path, sets[:IN_ENGINE])
    assert [held.said for held in found if held.above or not held.kept] == []
    # Sets that say something: with bounds, near them, with jobs that are preempted and loads that
    # run, and too long for bounds that charge no theta, or no gamma.
    for of_all in (found, replayed):
        assert sum(len(held.largest) for held in of_all) > 2 * len(of_all)
        assert max(max(held.largest, default=0) for held in of_all) > 0.9
        assert 2 * sum(held.preemptions for held in of_all) > len(of_all)
    assert sum(held.parallelism_ppm for held in found) > IN_ENGINE * 500_000
    assert sum(held.above_without_theta for held in found) > 0
    assert sum(held.above_without_gamma for held in found) > 0
    # A replay is near the engine: the same jobs, offsets and starts, other reloads.
    ratios = [
        response_ns / engine_ns
        for replay, engine in zip(replayed, found, strict=False)
        for response_ns, engine_ns in zip(replay.responses_ns, engine.responses_ns, strict=True)
        if engine_ns
    ]
    assert median(abs(ratio - 1) for ratio in ratios) < 0.1
