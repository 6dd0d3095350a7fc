# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity experiment` as a user calls it: answers, storage, interruptions, refusals."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.bounds.made_up_costs import GAMMAS, SWITCHES, model
from tests.cli.laxity_command import PATIENCE_S, Laxity

from laxity.bounds.stored_sets import STREAM
from laxity.cli.main import cli, judge_error
from laxity.store.manifest import encode_document
from laxity.store.npy import read_header, read_stream
from laxity.store.run_directory import open_run

SMALL = ("tasks = 5", "sets = 30", 'utilisations = ["60%", "90%"]')
# A second or two of work, in units of which several are done within the first one.
LONG = ("tasks = 20", "sets = 800", 'deadlines = "constrained"', 'utilisations = ["70%", "90%"]')


def experiment(laxity: Laxity, *words: str, lines: tuple[str, ...] = SMALL) -> list[str]:
    """Write FILE.toml; give the command line."""
    text = "\n".join(["schema = 1", "[experiment]", *lines])
    (laxity.directory / "file.toml").write_text(text)
    return ["experiment", "file.toml", *words]


def with_costs(laxity: Laxity) -> list[str]:
    data = encode_document(model(*SWITCHES, *GAMMAS))
    (laxity.directory / "costs.json").write_bytes(data)
    return ["--costs", "costs.json"]


def refused(laxity: Laxity, monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str]:
    """Call the command within this process; give the exit code and the message."""
    monkeypatch.chdir(laxity.directory)
    done: Result = CliRunner().invoke(cli, words, standalone_mode=False)
    assert done.exception is not None
    return judge_error(done.exception)


def stored(laxity: Laxity, name: str = "D") -> list[tuple[int, ...]]:
    rows: list[tuple[int, ...]] = read_stream(laxity.directory / name / STREAM).tolist()
    return rows


def start(laxity: Laxity, words: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "laxity", *words],
        cwd=laxity.directory,
        env=laxity.environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_rows(path: Path) -> None:
    """Wait until some units are stored."""
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        if path.exists() and read_header(path).rows:
            return
        time.sleep(0.01)
    pytest.fail(f"{path} got no rows")


def test_shares_are_printed_and_nothing_is_left_without_a_directory(laxity: Laxity):
    done = laxity(*experiment(laxity, "--costs", "none", "--quiet"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "rate-monotonic, no costs" in done.stdout
    assert re.search(r"60 % +30 +100 %", done.stdout)
    assert "with costs" not in done.stdout
    assert laxity.names() == {"file.toml"}


def test_run_is_stored_shown_reported_and_whole(laxity: Laxity):
    words = experiment(
        laxity, *with_costs(laxity), "--run-dir", "D", lines=(*SMALL, "working_set = '64KiB'")
    )
    done = laxity(*words)
    assert done.returncode == 0, done.stderr
    run = open_run(laxity.directory / "D")
    assert (run.manifest.kind, run.manifest.status, run.manifest.seed) == (
        "experiment",
        "complete",
        1,
    )
    assert run.manifest.machine_hash == "ab"
    # 2 utilisations, 30 sets, 2 tests without and with costs.
    assert run.manifest.tables == {STREAM: 240}
    assert run.verify() == []
    page = (laxity.directory / "D" / "report.html").read_text()
    assert "Schedulable sets against utilisation" in page
    assert "Costs that were counted" in page
    assert "doctor" not in page
    shown = laxity("show", "D")
    assert shown.returncode == 0, shown.stderr
    assert "EDF, with costs" in shown.stdout
    assert laxity("report", "D").returncode == 0
    assert laxity("show", "--verify", "D").returncode == 0


def test_json_and_csv_have_intervals(laxity: Laxity):
    words = experiment(laxity, "--costs", "none")
    document = json.loads(laxity(*words, "--format", "json").stdout)
    point = document["curves"][1]["points"][0]
    # EDF takes every set up to 1. z^2 / (n + z^2) = 3.841459 / 33.841459
    assert (point["n"], point["schedulable"], point["share_ratio"]) == (30, 30, 1.0)
    assert point["lower_ratio"] == pytest.approx(1 - 0.113513, abs=1e-6)
    rows = list(csv.DictReader(laxity(*words, "--format", "csv").stdout.splitlines()))
    assert len(rows) == 4
    assert rows[2] == {
        "test": "edf",
        "has_costs": "0",
        "utilisation_ppm": "600000",
        "n": "30",
        "schedulable": "30",
        "share_ratio": "1.0",
        "lower_ratio": str(point["lower_ratio"]),
        "upper_ratio": "1.0",
    }


def test_number_of_workers_changes_nothing(laxity: Laxity):
    lines = (*SMALL[:1], "sets = 450", *SMALL[2:])
    for name, workers in (("one", "1"), ("three", "3")):
        words = ("--costs", "none", "--run-dir", name, "--workers", workers, "--no-report")
        done = laxity(*experiment(laxity, *words, lines=lines))
        assert done.returncode == 0, done.stderr
    files = [(laxity.directory / name / STREAM).read_bytes() for name in ("one", "three")]
    assert files[0] == files[1]


def test_killed_experiment_goes_on_and_ends_as_if_it_had_not_been(laxity: Laxity):
    words = experiment(laxity, "--costs", "none", "--run-dir", "D", "--no-report", lines=LONG)
    with start(laxity, words) as process:
        wait_for_rows(laxity.directory / "D.tmp" / STREAM)
        os.kill(process.pid, signal.SIGKILL)
    n_before = read_header(laxity.directory / "D.tmp" / STREAM).rows
    assert n_before
    # A kill may also tear a row.
    with (laxity.directory / "D.tmp" / STREAM).open("ab") as file:
        file.write(b"\0")
    again = laxity(*words)
    assert again.returncode == 0, again.stderr
    assert "of 1600 sets are done already" in again.stderr
    whole = laxity(*words[:-3], "--run-dir", "E", "--no-report")
    assert whole.returncode == 0, whole.stderr
    assert stored(laxity) == stored(laxity, "E")
    assert laxity.manifest().status == "complete"


def test_workers_of_a_killed_experiment_end(laxity: Laxity):
    words = experiment(laxity, "--costs", "none", "--run-dir", "D", lines=LONG)
    with start(laxity, [*words, "--workers", "2"]) as process:
        wait_for_rows(laxity.directory / "D.tmp" / STREAM)
        os.kill(process.pid, signal.SIGKILL)
    wait_for_end(process.pid)


def wait_for_end(group: int) -> None:
    """Wait until no process of a group is left."""
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail(f"group {group} has processes left")


def test_interrupted_experiment_is_kept_shown_and_goes_on(laxity: Laxity):
    words = experiment(laxity, "--costs", "none", "--run-dir", "D", "--quiet", lines=LONG)
    with start(laxity, words) as process:
        wait_for_rows(laxity.directory / "D.tmp" / STREAM)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
    manifest = laxity.manifest()
    assert (manifest.status, manifest.exit_code) == ("interrupted", 130)
    assert "the same command goes on" in manifest.message
    assert "the same command goes on" in laxity("show", "D").stdout
    again = laxity(*words, "--no-report")
    assert again.returncode == 0, again.stderr
    assert laxity.manifest().status == "complete"
    assert len(stored(laxity)) == 2 * 800 * 2


def test_killed_experiment_can_be_shown_and_still_goes_on(laxity: Laxity):
    words = experiment(laxity, "--costs", "none", "--run-dir", "D", "--no-report", lines=LONG)
    with start(laxity, words) as process:
        wait_for_rows(laxity.directory / "D.tmp" / STREAM)
        os.kill(process.pid, signal.SIGKILL)
    shown = laxity("show", "D")
    assert "killed" in shown.stdout, shown.stderr
    assert laxity.manifest().status == "recovered"
    assert laxity(*words).returncode == 0
    assert laxity.manifest().status == "complete"


def test_workers_that_are_stopped_end_with_their_experiment(laxity: Laxity):
    words = experiment(
        laxity, "--costs", "none", "--run-dir", "D", "--no-report", "--workers", "2", lines=LONG
    )
    with start(laxity, words) as process:
        wait_for_rows(laxity.directory / "D.tmp" / STREAM)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        workers = [int(pid) for pid in children.split()]
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGKILL)
    shown = laxity("show", "D")
    assert len(workers) == 2
    assert "killed" in shown.stdout, shown.stderr
    wait_for_end(process.pid)


def test_complete_experiment_is_told_again(laxity: Laxity):
    words = experiment(laxity, "--costs", "none", "--run-dir", "D", "--no-report")
    first = laxity(*words)
    again = laxity(*words)
    assert (first.returncode, again.returncode) == (0, 0)
    assert again.stdout == first.stdout


def test_directory_of_something_else_is_refused(laxity: Laxity):
    words = ("--costs", "none", "--run-dir", "D", "--no-report")
    assert laxity(*experiment(laxity, *words)).returncode == 0
    other = laxity(*experiment(laxity, *words, lines=(*SMALL, "seed = 2")))
    assert other.returncode == 2
    assert "holds an experiment of another FILE.toml; name another directory" in other.stderr
    lines = (*SMALL, "working_set = '64KiB'")
    again = (*with_costs(laxity), "--run-dir", "E", "--no-report")
    assert laxity(*experiment(laxity, *again, lines=lines)).returncode == 0
    costly = laxity(*experiment(laxity, *again, "--margin", "1%", lines=lines))
    assert costly.returncode == 2
    assert "holds an experiment with other costs" in costly.stderr
    (laxity.directory / "F").mkdir()
    empty = laxity(*experiment(laxity, "--costs", "none", "--run-dir", "F"))
    assert empty.returncode == 2
    assert "exists and holds no experiment" in empty.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--costs", "costs.json"], "no working_set, which gamma depends on"),
        (["--costs", "none", "--margin", "5%"], "--costs none has no figures"),
        (["--costs", "none", "--use", "pwcet:1e-6"], "is not for experiments"),
        (["--costs", "none", "--workers", "0"], "--workers"),
        (["--costs", "none", "--run-dir", ""], "an empty path; name a directory"),
    ],
)
def test_what_makes_no_experiment_is_refused(
    laxity: Laxity, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
):
    with_costs(laxity)
    code, message = refused(laxity, monkeypatch, *experiment(laxity, *words))
    assert code == 2
    assert told in message
    assert laxity.names() == {"file.toml", "costs.json"}


def test_cost_that_is_missing_is_no_verdict(laxity: Laxity, monkeypatch: pytest.MonkeyPatch):
    lines = (*SMALL, "working_set = '2MiB'")
    words = experiment(laxity, *with_costs(laxity), "--run-dir", "D", lines=lines)
    code, message = refused(laxity, monkeypatch, *words)
    assert code == 4
    assert "run laxity measure crpd --max-size 2MiB" in message
    assert laxity.names() == {"file.toml", "costs.json"}


def test_utilisation_that_uunifast_cannot_split_says_who_can(laxity: Laxity):
    lines = ("tasks = 2", "cpus = 2", "sets = 5", 'utilisations = ["200%"]')
    words = ("--costs", "none", "--run-dir", "D")
    done = laxity(*experiment(laxity, *words, lines=lines))
    assert done.returncode == 2
    assert 'write generator = "randfixedsum"' in done.stderr
    assert laxity.names() == {"file.toml"}
    other = (*lines, 'generator = "randfixedsum"')
    assert laxity(*experiment(laxity, *words, "--no-report", lines=other)).returncode == 0
