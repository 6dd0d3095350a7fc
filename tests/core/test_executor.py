# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Work that is shared out: all of it is done, and whatever ends it is told."""

import os
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from laxity.core.executor import Workers, parallel, worked
from laxity.errors import PlatformError
from laxity.store.run_directory import lock_directory


def never() -> bool:
    return False


def square(number: int) -> int:
    return number * number


def refuse_three(number: int) -> int:
    if number == 3:
        msg = "three"
        raise ValueError(msg)
    return number


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_threads_give_results_in_the_order_of_the_units():
    assert parallel(square, range(20), 3) == [number * number for number in range(20)]
    assert parallel(square, []) == []


@pytest.mark.parametrize("n_workers", [1, 3])
def test_every_unit_is_worked_on_once(n_workers: int):
    found = list(worked(square, range(20), Workers(n_workers), never))
    assert sorted(found) == [(number, number * number) for number in range(20)]


def test_work_is_done_in_other_processes():
    found = dict(worked(lambda _: os.getpid(), range(4), Workers(2), never))
    assert os.getpid() not in found.values()


def test_more_workers_than_units_do_no_harm():
    assert list(worked(square, [5], Workers(4), never)) == [(5, 25)]
    assert list(worked(square, [], Workers(2), never)) == []


def test_what_the_work_raises_is_raised_here():
    with pytest.raises(ValueError, match="three"):
        list(worked(refuse_three, range(10), Workers(2), never))


def test_killed_worker_is_told():
    with pytest.raises(PlatformError, match=r"ended from outside \(exit code -9\)"):
        list(worked(die_at_three, range(10), Workers(2), never))


# More than a pipe holds, 64 KiB, for each worker.
LARGE = bytes(100_000)


def die_at_once(_unit: bytes) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep_long(_unit: bytes) -> None:
    time.sleep(600)


def test_killed_worker_is_told_though_units_fill_a_pipe():
    with pytest.raises(PlatformError, match=r"ended from outside \(exit code -9\)"):
        list(worked(die_at_once, [LARGE] * 20, Workers(4), never))


def test_end_does_not_wait_for_units_under_way_nor_for_those_that_fill_a_pipe():
    assert list(worked(sleep_long, [LARGE] * 20, Workers(4), lambda: True)) == []


def test_locks_of_the_caller_are_not_held_by_workers(tmp_path: Path):
    lock_fd = lock_directory(tmp_path)
    assert lock_fd is not None
    with closing(worked(square, range(2), Workers(2), never, not_inherited=[lock_fd])) as results:
        # The other unit's worker is still there.
        next(results)
        os.close(lock_fd)
        again = lock_directory(tmp_path)
    assert again is not None
    os.close(again)


def test_rest_is_left_undone_when_the_user_wants_an_end():
    found: list[int] = []
    with closing(worked(square, range(1000), Workers(2), lambda: len(found) > 2)) as results:
        for number, _ in results:
            found.append(number)
    assert 2 < len(found) < 1000
