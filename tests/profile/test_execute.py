# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""When a profile ends by itself."""

from pathlib import Path

import numpy as np
from tests.report.run_builder import SNAPSHOT_EXEC_NS, Made, ordinary_rows, write_run

from laxity.profile.document import Unit
from laxity.profile.execute import Still

PROCESSES = 24
UNITS = [
    Unit(run=f"mem-{process:02}", target=0, scenario=0, process=process)
    for process in range(PROCESSES)
]


def write_processes(runs: Path, longest_ns: list[int | None]) -> None:
    """Write processes of three jobs, the second of them the longest; None: it left no run."""
    for unit, longest in zip(UNITS, longest_ns, strict=False):
        if longest is not None:
            rows = ordinary_rows(3)
            rows["exec_ns"] = np.array([10, longest, 20]) + SNAPSHOT_EXEC_NS
            write_run(runs / unit.run, Made(rows, name="mem"))


def test_it_ends_when_the_maximum_has_not_moved_for_so_many_jobs(tmp_path: Path):
    # The longest of all is job 2 of process 2: behind it 1 job, and 3 of each of 19 processes, are
    # 58 after 21 processes and 61 after 22.
    write_processes(tmp_path, [500, 900, *[800] * 22])
    ends = [n for n in range(PROCESSES) if Still(60, UNITS, 1).has_come(tmp_path, n + 1)]
    assert ends == [22, 23]
    still = Still(58, UNITS, 0)
    assert [n for n in range(PROCESSES) if still.has_come(tmp_path, n)] == [21, 22, 23]


def test_twenty_processes_are_waited_for(tmp_path: Path):
    write_processes(tmp_path, [900, *[800] * 23])
    assert next(n for n in range(PROCESSES) if Still(1, UNITS, 0).has_come(tmp_path, n)) == 20


def test_process_that_left_no_run_is_passed_over(tmp_path: Path):
    write_processes(tmp_path, [900, None, *[800] * 22])
    # 1 job behind the longest, 3 of each of the others but the missing one: 55 after 20 processes.
    ends = [n for n in range(PROCESSES) if Still(55, UNITS, 0).has_come(tmp_path, n)]
    assert ends == [20, 21, 22, 23]
    assert not Still(1, UNITS, 0).has_come(tmp_path / "empty", 20)


def test_without_a_number_of_jobs_it_never_ends_by_itself(tmp_path: Path):
    write_processes(tmp_path, [900] * 24)
    assert not any(Still(0, UNITS, 0).has_come(tmp_path, n) for n in range(PROCESSES))
