# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure`, `costs` and `schema costs` as a user calls them."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    CPU,
    children_of,
    finish,
    manifest_of,
    needs_fifo,
    needs_root,
    needs_two_cpus,
    start,
)
from tests.cli.commands import laxity as call
from tests.cli.laxity_command import Laxity
from tests.waiting import wait_until

from laxity.core.streams import STREAMS
from laxity.costs.crpd.rows import may_lack_preemption
from laxity.costs.model import decode_costs
from laxity.store.run_directory import open_run

SHORT = ("--sizes", "4KiB,32KiB", "--evict", "write", "--evict-size", "256KiB")


def crpd(laxity: Laxity, *words: str):
    return laxity("measure", "crpd", *SHORT, "--allow-unprivileged", "--quiet", *words)


def test_measurement_is_stored_shown_and_reported(laxity: Laxity):
    words = ("--repetitions", "10", "--seed", "3", "--evict", "execute")
    done = crpd(laxity, "--run-dir", "D", *words)
    assert done.returncode == 0, done.stderr
    assert "synchronous chase" in done.stdout
    run = open_run(laxity.directory / "D")
    assert (run.manifest.kind, run.manifest.status, run.manifest.seed) == ("measure", "complete", 3)
    # 2 sizes * 2 cases * (2 patterns of data, written + 2 of code, written and executed)
    # * 10 repetitions * 3 roles
    assert run.manifest.tables == {"crpd.npy": 720}
    rows = run.stream("crpd")
    assert rows.dtype.names == tuple(field.name for field in STREAMS["crpd"])
    assert all(rows.dtype[field.name] == np.dtype(field.kind) for field in STREAMS["crpd"])
    roles = np.ma.getdata(rows["role"])
    assert [int((roles == role).sum()) for role in (0, 1, 2)] == [240, 240, 240]
    assert (np.ma.getdata(rows["preemptor_ns"]) > 0).all()
    assert all((np.ma.getdata(rows[f"pass{number}_ns"]) > 0).all() for number in range(1, 7))
    # Asynchronously the preempted pass and the one after it hold the preemptor.
    within = rows[np.ma.getdata(rows["case"]) == 1]
    assert not may_lack_preemption(within).any()
    assert (within["pass1_ns"] + within["pass2_ns"] > within["preemptor_ns"]).all()
    model = decode_costs((run.path / "costs.json").read_bytes(), "costs.json")
    assert model.machine_hash == run.manifest.machine_hash
    # 24 places and 12 curves, which stand behind them; a third of them of data.
    assert [one.axes.working_set_bytes for one in model.entries[:2]] == [4096, 32768]
    assert [len(one.points) for one in model.entries] == [0] * 24 + [3] * 12
    assert all(one.n == 10 for one in model.entries[:24])
    names = ["gamma"] * 8 + ["gamma_code"] * 16 + ["gamma"] * 4 + ["gamma_code"] * 8
    assert [one.name for one in model.entries] == names
    page = (run.path / "report.html").read_text()
    assert "Cache-related preemption delay of instructions" in page
    shown = laxity("show", "--verify", "D")
    assert shown.returncode == 0, shown.stdout
    assert "4 KiB" in laxity("show", "D").stdout


def test_models_of_two_runs_are_joined(laxity: Laxity):
    for name in ("A", "B"):
        done = crpd(laxity, "--run-dir", name, "--repetitions", "6", "--no-report")
        assert done.returncode == 0, done.stderr
    done = laxity("costs", "merge", "A", "B", "-o", "costs.json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(laxity("costs", "show", "costs.json", "--format", "json").stdout)
    one = shown["entries"][0]
    assert (one["n"], one["runs"]) == (12, ["A", "B"])
    parts = [
        json.loads(laxity("costs", "show", name, "--format", "json").stdout)["entries"][0]
        for name in ("A", "B")
    ]
    assert one["max"] == max(part["max"] for part in parts)
    assert "synchronous_sequential" in laxity("costs", "show", "A").stdout
    done = laxity("costs", "merge", "A", "B", "-o", "costs.json")
    assert (done.returncode, "costs.json: exists; remove it" in done.stderr) == (2, True)
    done = laxity("costs", "merge", "A", "A", "-o", "other.json")
    assert (done.returncode, "named twice" in done.stderr) == (2, True)


@needs_fifo
def test_interrupted_measurement_keeps_what_was_measured(tmp_path: Path):
    process = start(
        *("measure", "crpd", "--sizes", "4KiB", "--repetitions", "1000000", "--quiet"),
        *("--evict", "write", "--evict-size", "64KiB", "--no-report", "--run-dir", tmp_path / "D"),
    )
    path = tmp_path / "D.tmp" / "crpd.npy"
    while process.poll() is None and (not path.exists() or path.stat().st_size < 10_000):
        pass
    process.send_signal(signal.SIGINT)
    outcome = finish(process)
    assert outcome.code == 130, outcome.err
    run = open_run(tmp_path / "D")
    assert run.manifest.status == "interrupted"
    assert run.manifest.tables["crpd.npy"] > 0
    assert (run.path / "costs.json").exists()


def test_measurement_ends_at_its_timeout(laxity: Laxity):
    done = crpd(laxity, "--run-dir", "D", "--repetitions", "1000000", "--timeout", "2s")
    assert done.returncode == 4
    assert "raise --timeout" in done.stderr
    assert open_run(laxity.directory / "D").manifest.status == "failed"


@needs_root
def test_refusal_of_fifo_is_told_and_leaves_nothing(laxity: Laxity):
    unprivileged = ["setpriv", "--bounding-set=-sys_nice", "prlimit", "--rtprio=0"]
    done = laxity("measure", "crpd", *SHORT, "--run-dir", "D", "--quiet", prefix=unprivileged)
    assert done.returncode == 3
    assert "cannot use fifo priority" in done.stderr
    assert laxity.names() == set()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--sizes", "12"), "--sizes: "),
        (("--sizes", "512B"), "--sizes: 512B is not within 1KiB to 64GiB"),
        (("--cpus", "4000"), "--cpus 4000: no CPU 4000 on this machine"),
        (("--timeout", "3"), "--timeout: "),
        (("--evict", "wipe"), "'wipe' is not one of"),
        (("--repetitions", "0"), "--repetitions"),
        (("--evict", "read", "--pattern", "code"), "laxity measure: --evict read: serves "),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], told: str):
    outcome = call("measure", "crpd", *words)
    assert (outcome.code, told in outcome.err) == (2, True), outcome.err


def test_schema_explains_costs():
    outcome = call("schema", "costs")
    assert outcome.code == 0
    assert "entries[].noise_floor" in outcome.out
    assert (
        json.loads(call("schema", "costs", "--format", "json").out)["costs"][0]["name"] == "schema"
    )


def move(pid: int) -> None:
    os.sched_setaffinity(pid, os.sched_getaffinity(0) - {CPU})


def demote(pid: int) -> None:
    os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))


@needs_fifo
@needs_two_cpus
@pytest.mark.parametrize("probe", ["switch", "crpd"])
@pytest.mark.parametrize("disturb", [move, demote])
@pytest.mark.parametrize("whose", ["victim", "preemptor"])
def test_a_measuring_process_out_of_its_place_leaves_no_verdict(
    tmp_path: Path, probe: str, disturb: Callable[[int], None], whose: str
):
    words = ("--cpus", str(CPU), "--repetitions", "100000", "--run-dir", tmp_path / "D", "--quiet")
    what = ("--quantity", "preemption") if probe == "switch" else SHORT
    process = start("measure", probe, *words, *what)
    stream = tmp_path / "D.tmp" / f"{probe}.npy"
    wait_until(lambda: stream.exists() and stream.stat().st_size > 10_000, "rows")
    (session,) = children_of(process.pid, "laxity-probe")
    (victim,) = children_of(session, "laxity-probe")
    (preemptor,) = children_of(victim, "laxity-probe")
    disturb(victim if whose == "victim" else preemptor)
    outcome = finish(process)
    assert outcome.code == 4, outcome.err
    found = "on CPUs " if disturb is move else "under other"
    assert f"{probe}: a measuring process was found {found}" in outcome.err
    assert manifest_of(tmp_path / "D").exit_code == 4
