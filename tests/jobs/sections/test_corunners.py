# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who runs where a task and a co-runner share a CPU."""

from pathlib import Path

import msgspec
import pytest
from tests.report.run_builder import Made, corunner, ordinary_rows, write_run

from laxity.report.page import write_report


@pytest.mark.parametrize(
    ("policy", "priority", "other", "said"),
    [
        ("other", None, None, "the two take turns there."),
        ("fifo", 50, 60, "there the task only runs while the co-runner sleeps or waits."),
        # SCHED_DEADLINE goes before every priority (sched(7)).
        ("deadline", None, None, "there it only runs while the task sleeps or waits."),
        ("deadline", None, 99, "there it only runs while the task sleeps or waits."),
    ],
)
def test_deadlines_go_before_priorities_and_these_before_the_rest(
    tmp_path: Path, policy: str, priority: int | None, other: int | None, said: str
):
    beside = msgspec.structs.replace(
        corunner(cpus="1"), policy="other" if other is None else "fifo", priority=other
    )
    run = write_run(tmp_path / "run", Made(ordinary_rows(10), corunners=[beside]))
    manifest = msgspec.json.decode((run / "manifest.json").read_bytes())
    manifest["tasks"][0] |= {"policy": policy, "priority": priority}
    (run / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    assert f"shares CPU 1 with task “control”: {said}" in write_report(run).read_text()
