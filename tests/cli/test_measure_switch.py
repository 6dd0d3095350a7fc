# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure switch` as a user calls it."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import laxity as call
from tests.cli.commands import needs_fifo, needs_root
from tests.cli.laxity_command import Laxity

from laxity.core.streams import STREAMS
from laxity.costs.model import decode_costs
from laxity.costs.switch.rows import CONTROL, KERNEL, PREEMPTION, QUANTITIES, SPIN, SYNC, rows_of
from laxity.store.run_directory import open_run


@pytest.mark.serial
@needs_fifo
@needs_root
def test_switches_are_stored_shown_and_reported(laxity: Laxity):
    words = ("--repetitions", "20", "--spin", "80ms", "--evict-size", "256KiB", "--quiet")
    done = laxity("measure", "switch", "--run-dir", "D", *words)
    assert done.returncode == 0, done.stderr
    assert "preempt_out" in done.stdout
    run = open_run(laxity.directory / "D")
    rows = run.stream("switch")
    assert rows.dtype.names == tuple(field.name for field in STREAMS["switch"])
    assert all(rows.dtype[field.name] == np.dtype(field.kind) for field in STREAMS["switch"])
    quantity = np.ma.getdata(rows["quantity"])
    counts = {name: int((quantity == code).sum()) for code, name in enumerate(QUANTITIES)}
    # At most one row per window of 1 ms.
    assert counts["irq"] <= 80
    # 2 cases; batches of 60 and two of 14; released and not, 2 cases; two windows of 40 ms, gaps.
    # Kernel: two cases, recorded once and twice; beside the former the stamps of the tasks.
    assert (counts["preemption"], counts["sync"], counts["timer"]) == (40 + 40, 60 + 28, 20)
    assert counts["kernel"] == 80
    assert counts["release"] == 80
    assert len(rows_of(rows, SPIN, role=CONTROL)) >= 2
    for part in (rows_of(rows, PREEMPTION), rows_of(rows, SYNC)):
        seen = part[~np.ma.getmaskarray(part["victim_last_ns"])]
        assert (seen["victim_last_ns"] <= seen["preemptor_first_ns"]).all()
        assert (seen["preemptor_first_ns"] <= seen["preemptor_last_ns"]).all()
        assert (seen["preemptor_last_ns"] <= seen["victim_first_ns"]).all()
    # The kernel's records lie between the stamps of the same preemption.
    stamps, records = rows_of(rows, PREEMPTION, role=CONTROL), rows_of(rows, KERNEL)
    is_whole = ~np.ma.getmaskarray(records["victim_last_ns"])
    assert is_whole.any()
    assert (records["victim_last_ns"] >= stamps["victim_last_ns"])[is_whole].all()
    assert (records["preemptor_first_ns"] <= stamps["preemptor_first_ns"])[is_whole].all()
    assert (records["preemptor_last_ns"] >= stamps["preemptor_last_ns"])[is_whole].all()
    assert (records["victim_first_ns"] <= stamps["victim_first_ns"])[is_whole].all()
    model = decode_costs((run.path / "costs.json").read_bytes(), "costs.json")
    names = {one.name for one in model.entries}
    assert {"preempt_in", "preempt_out", "delta", "switch_sync", "timer_latency"} <= names
    assert {"release_isr", "switch_kernel", "switch_recording"} <= names
    isr = {one.axes.case for one in model.entries if one.name == "release_isr"}
    assert isr == {"best", "worst"}
    assert "Switches, wake-ups and interrupts" in (run.path / "report.html").read_text()
    assert laxity("show", "--verify", "D").returncode == 0
    assert "switch_sync" in laxity("costs", "show", "D").stdout
    merged = laxity("costs", "merge", "D", "-o", "costs.json")
    assert merged.returncode == 0, merged.stderr
    joined = json.loads(laxity("costs", "show", "costs.json", "--format", "json").stdout)
    assert [one["name"] for one in joined["entries"]] == [one.name for one in model.entries]


@needs_root
def test_what_an_ordinary_user_cannot_measure_is_said(laxity: Laxity):
    dropped = "-sys_nice,-sys_admin,-perfmon"
    done = laxity(
        *("measure", "switch", "--run-dir", "D", "--quantity", "sync", "--quantity", "kernel"),
        *("--repetitions", "20", "--evict-size", "64KiB", "--allow-unprivileged", "--no-report"),
        prefix=["setpriv", "--bounding-set", dropped, "prlimit", "--rtprio=0"],
    )
    assert done.returncode == 0, done.stderr
    assert "policy fifo: other used instead" in done.stderr
    model = decode_costs((laxity.directory / "D" / "costs.json").read_bytes(), "costs.json")
    names = {one.name for one in model.entries}
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) > 0:
        assert "switch_kernel: nothing used instead (perf_event_open on CPU" in done.stderr
        assert names == {"switch_sync"}
    assert "switch_sync" in names


@needs_root
@pytest.mark.skipif(
    int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 1,
    reason="any user may read the kernel's records (perf_event_paranoid below 1)",
)
def test_records_that_are_refused_are_no_empty_measurement(laxity: Laxity):
    done = laxity(
        *("measure", "switch", "--run-dir", "D", "--quantity", "kernel", "--quiet"),
        *("--evict-size", "64KiB", "--no-report"),
        prefix=["setpriv", "--bounding-set", "-sys_admin,-perfmon"],
    )
    assert done.returncode == 3
    assert "switch_kernel: perf_event_open on CPU" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--priority", "1"), "--priority"),
        (("--to", "4000"), "no CPU 4000 on this machine"),
        (("--quantity", "switching"), "'switching' is not one of"),
        (("--evict-size", "3"), "--evict-size: "),
        (("--evict-size", "3B"), "--evict-size: 3B is not within 1KiB to 64GiB"),
        (("--spin", "2"), "--spin: "),
        (("--spin", "999us"), "--spin: 999us is out of range; choose 1ms to 3600s"),
        (("--spin", "3601s"), "--spin: 3601s is out of range; choose 1ms to 3600s"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], told: str):
    outcome = call("measure", "switch", *words)
    assert (outcome.code, told in outcome.err) == (2, True), outcome.err
