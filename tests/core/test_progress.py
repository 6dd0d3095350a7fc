# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is told of how far a command is, by a clock of our own."""

import io
import sys
import time
from collections.abc import Callable

import pytest
from tests.jobs.left_runs import spec_text
from typing_extensions import override

from laxity.core.progress import (
    Countdown,
    Meter,
    RunDisplay,
    State,
    part_of_whole,
    rough_time,
    time_left_s,
)
from laxity.core.spec import Spec
from laxity.core.spec_reader import read_spec_toml, resolve_spec

S = 10**9
SPEC = read_spec_toml(spec_text(jobs=20).encode(), {}, 1)


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    encoding = "utf-8"

    @override
    def isatty(self) -> bool:
        return True


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the clock, which stands at 0 s."""
    now_s = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])

    def set_clock(moment_s: float) -> None:
        now_s[0] = moment_s

    return set_clock


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Let stderr be a terminal; in the test itself, since pytest puts its own there before."""
    opened = Terminal()
    monkeypatch.setattr(sys, "stderr", opened)
    return opened


def spec_of(run: dict[str, object], *periods: str) -> Spec:
    tasks = [
        {"name": f"t{i}", "workload": "mem", "period": period} for i, period in enumerate(periods)
    ]
    return resolve_spec(run, tasks, [], 1)


def test_run_tells_the_time_that_is_left_and_ends_with_its_final_state(
    capsys: pytest.CaptureFixture[str], at: Callable[[float], None]
):
    display = RunDisplay(spec_of({"duration": "100s"}, "1s"), "mem", is_quiet=False)
    for moment_s, state in (
        (10, State(10, 0, 10 * S)),
        (41, State(40, 0, 41 * S)),
        (99, State(99, 1, 99 * S)),
        (100, State(100, 1, 100 * S)),
    ):
        at(moment_s)
        display.show(state)
    display.close()
    assert capsys.readouterr().err.splitlines() == [
        "mem: 10s of 100s, 10 jobs started, 0 not met, about 90 s left",
        # 59 s, as one says it.
        "mem: 41s of 100s, 40 jobs started, 0 not met, about 60 s left",
        "mem: 99s of 100s, 99 jobs started, 1 not met, about 1 s left",
        "mem: 100s of 100s, 100 jobs started, 1 not met",
    ]


def test_run_of_which_no_job_comes_to_its_end_says_so_once(
    capsys: pytest.CaptureFixture[str],
):
    display = RunDisplay(spec_of({"jobs": 9}, "1s", "1s"), "mem", is_quiet=False)
    # Of two tasks two jobs may go on: of 5 that started 3 are over, and all of these aborted.
    for started, aborted in ((2, 0), (3, 1), (5, 2), (5, 3), (6, 4)):
        display.show(State(started, 0, S, aborted))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("mem: of 5 jobs that began 3 were aborted; ")


def test_job_that_ends_among_aborted_ones_is_no_reason_to_say_anything(
    capsys: pytest.CaptureFixture[str],
):
    display = RunDisplay(spec_of({"jobs": 9}, "1s"), "mem", is_quiet=False)
    display.show(State(5, 3, S, 3))
    assert capsys.readouterr().err == ""


def test_jobs_without_deadline_are_not_said_to_meet_it(
    capsys: pytest.CaptureFixture[str], at: Callable[[float], None]
):
    tasks = [{"workload": "mem", "period": "1s", "deadline": "none"}]
    display = RunDisplay(resolve_spec({}, tasks, [], 1), "mem", is_quiet=False)
    for moment_s, skipped in ((10, 0), (20, 1)):
        at(moment_s)
        display.show(State(moment_s, skipped, moment_s * S))
    display.close()
    assert capsys.readouterr().err.splitlines() == [
        "mem: 10s, 10 jobs started",
        "mem: 20s, 20 jobs started, 1 not met",
    ]


def test_short_run_shows_no_line(capsys: pytest.CaptureFixture[str], at: Callable[[float], None]):
    display = RunDisplay(SPEC, "mem", is_quiet=False)
    at(1)
    display.show(State(20, 0, 1_000_000))
    display.close()
    assert capsys.readouterr().err == ""


def test_jobs_of_different_periods_take_as_long_as_the_slowest_task_is_planned_to():
    # 100 jobs each: the last one of t1 is released after 99 * 100 ms = 9.9 s.
    spec = spec_of({"jobs": 100}, "1ms", "100ms")
    # After 1 s t0 is done and t1 has started 10: 110 of 200 jobs, but 8.9 s are left.
    assert time_left_s(State(110, 0, S), spec) == pytest.approx(8.9)


def test_jobs_that_are_late_take_longer_than_planned():
    # 100 jobs of 10 ms were planned for 0.99 s; 20 took 1 s, so 80 take 4 s.
    assert time_left_s(State(20, 0, S), spec_of({"jobs": 100}, "10ms")) == pytest.approx(4)


def test_late_jobs_do_not_make_a_run_longer_than_its_duration():
    spec = spec_of({"jobs": 100, "duration": "3s"}, "10ms")
    assert time_left_s(State(20, 0, S), spec) == pytest.approx(2)


def test_run_without_an_end_tells_no_time():
    assert time_left_s(State(20, 0, S), spec_of({}, "10ms")) is None


def test_simulated_run_learns_its_time_from_the_clock_on_the_wall(
    capsys: pytest.CaptureFixture[str], at: Callable[[float], None]
):
    spec = spec_of({"duration": "1s", "platform": "sim:simple"}, "10ms")
    display = RunDisplay(spec, "mem", is_quiet=False)
    # What is before it begins (streams are recorded) tells nothing of how fast it is.
    for moment_s, state in ((5, State(0, 0, 0)), (25, State(20, 0, S // 5))):
        at(moment_s)
        display.show(state)
    # A fifth of the second took 20 s: 80 s are left.
    assert capsys.readouterr().err == (
        "mem: 200ms of 1s, 20 jobs started, 0 not met, about 80 s left\n"
    )


def test_part_of_a_whole_adds_what_is_known_of_the_parts_after_it(
    capsys: pytest.CaptureFixture[str], at: Callable[[float], None]
):
    for expected_s, end_s in (([10.0, 10.0, 3.0], 10), ([10.0, None, 3.0], 20)):
        with part_of_whole(1, expected_s):
            display = RunDisplay(spec_of({"duration": "15s"}, "1s"), "alone", is_quiet=False)
        at(end_s)
        display.show(State(10, 0, 10 * S))
    assert capsys.readouterr().err.splitlines() == [
        # 5 s of its own, 10 s and 3 s.
        "1 of 3: alone: 10s of 15s, 10 jobs started, 0 not met, about 18 s left",
        # Of the second one nothing is known.
        "1 of 3: alone: 10s of 15s, 10 jobs started, 0 not met, at least 8 s left",
    ]


def test_parts_have_parts(capsys: pytest.CaptureFixture[str], at: Callable[[float], None]):
    with part_of_whole(2, [None, None, 30.0]), part_of_whole(1, [5.0, 7.0]):
        display = RunDisplay(spec_of({"duration": "15s"}, "1s"), "alone", is_quiet=False)
    at(10)
    display.show(State(10, 0, 10 * S))
    # 5 s of its own, 7 s of the other part of the part, 30 s.
    assert capsys.readouterr().err == (
        "2 of 3: 1 of 2: alone: 10s of 15s, 10 jobs started, 0 not met, about 45 s left\n"
    )


def test_terminal_shows_a_bar_and_lines_below_and_neither_afterwards(
    monkeypatch: pytest.MonkeyPatch, at: Callable[[float], None]
):
    terminal = open_terminal(monkeypatch)
    meter = Meter("mem", is_quiet=False)
    at(0.4)
    meter.show("too early", 0.1)
    at(0.5)
    meter.show("1 of 4 jobs", 0.25, 30, lambda: ["below"])
    meter.close()
    # A quarter of 20 cells; the cursor goes back over two lines.
    bar = "█" * 5 + "░" * 15
    assert terminal.getvalue() == (
        f"\r\033[J\nmem {bar} about 30 s left: 1 of 4 jobs\nbelow\r\033[2A\r\033[J"
    )


def test_terminal_that_knows_no_block_characters_shows_plain_ones(
    monkeypatch: pytest.MonkeyPatch, at: Callable[[float], None]
):
    terminal = open_terminal(monkeypatch)
    terminal.encoding = "ascii"
    meter = Meter("mem", is_quiet=False)
    at(1)
    meter.show("1 of 4 jobs", 0.25)
    assert f"mem {'#' * 5}{'-' * 15}: 1 of 4 jobs" in terminal.getvalue()


def test_line_of_a_terminal_is_never_wrapped(
    monkeypatch: pytest.MonkeyPatch, at: Callable[[float], None]
):
    terminal = open_terminal(monkeypatch)
    meter = Meter("mem", is_quiet=False)
    at(1)
    meter.show("x" * 100)
    # Of the usual 80 columns the last one stays free.
    assert terminal.getvalue().split("\n")[1].split("\r")[0] == "mem: " + "x" * 74


@pytest.mark.parametrize(
    ("duration_s", "said"),
    [
        (0.3, "1 s"),
        (20, "20 s"),
        (20.1, "25 s"),
        (120, "120 s"),
        (121, "3 min"),
        (7200, "120 min"),
        (7201, "2.5 h"),
    ],
)
def test_time_is_rounded_up_as_one_says_it(duration_s: float, said: str):
    assert rough_time(duration_s) == said


def test_countdown_tells_the_time_that_is_left_by_what_it_has_seen_end(
    capsys: pytest.CaptureFixture[str], at: Callable[[float], None]
):
    countdown = Countdown("laxity profile", "runs", is_quiet=False)
    countdown.go_on(4, 10)
    # The first one may have taken up what was half done; from then on one takes 6 s.
    for n_done, at_s in ((5, 1), (6, 7), (7, 13)):
        at(at_s)
        countdown.show(n_done, ", 1 failed")
    assert capsys.readouterr().err.splitlines() == [
        "laxity profile: 4 of 10 runs are done already",
        # 3 are left, of 6 s each.
        "laxity profile: 7 of 10 runs, 1 failed, about 18 s left",
    ]


def test_nothing_is_learned_in_a_moment(
    capsys: pytest.CaptureFixture[str], at: Callable[[float], None]
):
    countdown = Countdown("laxity sweep", "experiments", is_quiet=False)
    countdown.go_on(0, 100)
    for n_done, at_s in ((1, 18.1), (2, 20.0)):
        at(at_s)
        countdown.show(n_done)
    assert capsys.readouterr().err == "laxity sweep: 1 of 100 experiments\n"


def test_quiet_countdown_tells_nothing(
    capsys: pytest.CaptureFixture[str], at: Callable[[float], None]
):
    countdown = Countdown("laxity profile", "runs", is_quiet=True)
    countdown.go_on(4, 10)
    at(100)
    countdown.show(5)
    countdown.close()
    assert capsys.readouterr().err == ""
