# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Progress lines where there is no terminal."""

import time

import pytest
from tests.jobs.left_runs import spec_text

from laxity.core.progress import State, make_display
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
