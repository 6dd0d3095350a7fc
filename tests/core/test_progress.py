# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Progress lines where there is no terminal."""

import time

import pytest
from tests.jobs.left_runs import spec_text

from laxity.core.progress import Countdown, State, make_display
from laxity.core.spec_reader import read_spec_toml

SPEC = read_spec_toml(spec_text(jobs=20).encode(), {}, 1)


def shown(capsys: pytest.CaptureFixture[str], *states: State) -> list[str]:
    display = make_display(SPEC, "mem", is_quiet=False)
    for state in states:
        display.show(state)
    display.close()
    return capsys.readouterr().err.splitlines()


def test_last_line_is_the_final_state(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    seconds = iter([0.0, 10.0, 19.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    lines = shown(capsys, State(10, 0, 10_000_000_000), State(20, 1, 19_000_000_000))
    assert lines == [
        "mem: 10s, 10 of 20 jobs started, 0 not met",
        "mem: 19s, 20 of 20 jobs started, 1 not met",
    ]


def test_short_run_shows_no_line(capsys: pytest.CaptureFixture[str]):
    assert shown(capsys, State(20, 0, 1_000_000)) == []


def test_countdown_tells_the_time_that_is_left_by_what_it_has_seen_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    now_s = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    countdown = Countdown("laxity profile", "runs", is_quiet=False)
    countdown.go_on(4, 10)
    # The first one may have taken up what was half done; from then on one takes 6 s.
    for n_done, at_s in ((5, 101.0), (6, 107.0), (7, 113.0)):
        now_s = at_s
        countdown.show(n_done, ", 1 failed")
    assert capsys.readouterr().err.splitlines() == [
        "laxity profile: 4 of 10 runs are done already",
        # 3 are left, of 6 s each.
        "laxity profile: 7 of 10 runs, 1 failed, 18 s left",
    ]


def test_quiet_countdown_tells_nothing(capsys: pytest.CaptureFixture[str]):
    countdown = Countdown("laxity profile", "runs", is_quiet=True)
    countdown.go_on(4, 10)
    countdown.show(5)
    assert capsys.readouterr().err == ""
