# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks that take turns here; no counter of misses is needed for that."""

from pathlib import Path

import msgspec
import pytest
from tests.costs.cache_misses.made_up_cache_misses import plan

from laxity.core.signals import forwarded_signals
from laxity.costs.cache_misses.execute import CacheMissesPlan, run_cache_misses
from laxity.costs.cache_misses.found import read_found
from laxity.costs.measure_all import AllRequest
from laxity.platform.platform import THIS_MACHINE
from laxity.platform.tools import list_events
from laxity.store.run_directory import open_run

COUNTED = "page-faults"


def test_an_event_that_no_pass_makes_is_counted_in_pairs_of_jobs(tmp_path: Path):
    if any(one.name == COUNTED and one.reason for one in list_events().events):
        pytest.skip("no permission to count")
    asked = plan(size="4K", ways_of_associativity="4")
    (cache,) = asked.caches
    caches = [msgspec.structs.replace(cache, event=COUNTED)]
    tested = CacheMissesPlan(
        asked=msgspec.structs.replace(asked, caches=caches),
        left_out=(),
        cpu=min(THIS_MACHINE.cpus().allowed),
        place="",
        resolution_ns=1,
    )
    request = AllRequest(
        final=tmp_path / "D",
        command_line=["laxity"],
        seed=1,
        allow_unprivileged=True,
        is_quiet=True,
    )
    with forwarded_signals() as signals:
        finished = run_cache_misses(tested, request, signals, THIS_MACHINE)
    assert finished.path == tmp_path / "D"
    (found,) = read_found(finished.path).caches
    # 24 jobs of each task but for the first; those that came too late are skipped, others follow.
    assert [case.n for case in found.cases] == [23] * 6
    # Twice the passes less the passes: what a job does once is not in it.
    assert [case.counted for case in found.cases] == [0] * 6
    assert all(case.time_ns is not None and case.time_ns > 0 for case in found.cases)
    assert finished.manifest.exit_code == 0
    tasks = open_run(finished.path / "runs" / "l1d").manifest.tasks
    assert [task.name.rpartition("-")[2] for task in tasks] == ["once"] * 6 + ["twice"] * 6
