# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report of a run that measured switches."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tests.costs.made_up_measurement import ended
from tests.costs.switch.made_up_switch import Row, gap, idle, preemption, stored, sync, window

from laxity.jobs.finish import finish_run
from laxity.report.page import write_report
from laxity.store import run_directory
from laxity.store.manifest import Manifest, Tool
from laxity.store.measurements import SwitchMeasurement

MS = 1_000_000
PREEMPTIONS = [preemption(at * MS, 14_000 + at, 8_000, late_ns=13_000) for at in range(20)]
OTHERS = [
    *(preemption(at * MS, 20_000 + at, 12_000, case=1) for at in range(20)),
    *[sync(2_000, 3_000)] * 20,
    *[idle(21_000)] * 20,
]
TICKS = [*(gap(MS + number * 4 * MS, 15_000) for number in range(10)), window(0, 42 * MS)]


def report_of(path: Path, rows: Sequence[Row]) -> str:
    tmp = path.with_name(path.name + ".tmp")
    tmp.mkdir(parents=True)
    measurement = SwitchMeasurement(
        cpus="1",
        priority=80,
        repetitions=20,
        timeout_ns=10**9,
        to_cpus="0-1",
        quantities=["preemption", "spin"],
        evict_bytes=4 << 20,
        spin_ns=42 * MS,
    )
    manifest = Manifest(
        tool=Tool(name="laxity", version="0.1.0"),
        kind="measure",
        name="switch",
        command_line=["laxity", "measure", "switch"],
        status="running",
        started_at="2026-11-21T00:31:07.000Z",
        machine_hash="abc",
        measurement=measurement,
    )
    run_directory.write_document(tmp / "manifest.json", manifest)
    (tmp / "machine.json").write_text("{}")
    (tmp / "doctor.json").write_text("{}")
    np.save(tmp / "switch.npy", stored(rows))
    run_directory.write_document(tmp / "native.json", ended())
    run = finish_run(tmp, has_survived=True, returncode=0).path
    return write_report(run).read_text()


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_page_says_what_a_preemption_costs_and_how_the_cpu_ticks(tmp_path: Path):
    text = text_of(report_of(tmp_path / "D", [*PREEMPTIONS, *OTHERS, *TICKS]))
    # (14,009 + 8,000) / 2 = 11,004.5, rounded up; the tenth of 20 is the median.
    assert (
        "A switch (δ) takes 11.0 µs on CPU 1, best case (median, n = 20, measured), at most" in text
    )
    assert "CPU 1 ticks at 250 Hz (n = 10 ticks, measured)." in text
    assert "medians: best 14.0 µs (n = 20), worst 20.0 µs (n = 20)" in text


def test_every_number_stands_in_derived_json(tmp_path: Path):
    report_of(tmp_path / "D", [*PREEMPTIONS, *OTHERS])
    derived = json.loads((tmp_path / "D" / "derived.json").read_text())
    names = {one["name"]: one for one in derived["quantities"]}
    one = names["preempt_in_cpu1_best_p50"]
    assert (one["value"], one["unit"], one["n"], one["kind"]) == (14_009, "ns", 20, "measured")
    assert names["preempt_in_cpu1_worst_max"]["value"] == 20_019
    # 20 observations do not support p99.
    assert "preempt_in_cpu1_best_p99" not in names


def test_tick_that_is_not_found_is_said_and_never_zero(tmp_path: Path):
    text = text_of(report_of(tmp_path / "D", [*PREEMPTIONS, window(0, 42 * MS)]))
    assert "tick: not found; gaps of the victim repeat at none of 24, 32," in text


def test_tick_that_nobody_looked_for_is_not_said_to_be_absent(tmp_path: Path):
    # A run that was ended before it came to the tick: no gap was looked for.
    text = text_of(report_of(tmp_path / "D", PREEMPTIONS))
    assert "tick: not measured; the run has no observation of it" in text
    assert "not found" not in text


def test_damaged_stream_is_told_on_the_page(tmp_path: Path):
    report_of(tmp_path / "D", PREEMPTIONS)
    (tmp_path / "D" / "switch.npy").write_bytes(b"gone")
    text = text_of(write_report(tmp_path / "D").read_text())
    assert "switch.npy: not a NumPy file" in text
    assert "No observation was kept" in text
