# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the report says of samples of counters."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.report.page_text import text_of
from tests.report.run_builder import T0_NS, Made, ordinary_rows, write_run

from laxity.core.streams import STREAMS, absent_value
from laxity.report.page import write_report
from laxity.store.manifest import Event, Interrupts, MemoryTraffic, Sampling, encode_document
from laxity.store.run_directory import hash_files, read_manifest

NOBODY = absent_value("u2")
MS = 1_000_000


def report(
    directory: Path, samples: list[tuple[Any, ...]], events: list[str], **changes: object
) -> tuple[str, dict[tuple[str, str | None], Any]]:
    """Return the text of the report of a run that was sampled so, and its rates."""
    run = write_run(
        directory / "run", Made(ordinary_rows(3), events=[Event(name=one) for one in events])
    )
    if samples:
        # Where they are of CPUs, each row says of which one.
        fields = STREAMS["counters"][: len(samples[0])]
        np.save(
            run / "counters.npy", np.array(samples, dtype=[(one.name, one.kind) for one in fields])
        )
    manifest = msgspec.structs.replace(read_manifest(run), files=hash_files(run), **changes)
    (run / "manifest.json").write_bytes(encode_document(manifest))
    text = text_of(write_report(run))
    quantities = msgspec.json.decode((run / "derived.json").read_bytes())["quantities"]
    return text, {(one["name"], one["task"]): one for one in quantities}


def test_rates_of_a_task_are_shown_with_their_highest(tmp_path: Path):
    # 8 kB in a millisecond, then 2 kB: 8 MB/s at most, 5 MB/s on average. 3 misses, then 1.
    samples = [
        (T0_NS + MS, 0, 0, 8000, 1.0), (T0_NS + MS, 0, 1, 3, 1.0),
        (T0_NS + 2 * MS, 0, 0, 10_000, 1.0), (T0_NS + 2 * MS, 0, 1, 4, 1.0),
    ]  # fmt: skip
    text, found = report(tmp_path, samples, ["mem_read_bytes", "l2_refill"])
    assert "Cache and memory over time" in text
    assert "Memory traffic of control over time (measured, n = 2 samples)" in text
    assert "mem_read_bytes 5 MB/s 8 MB/s 2" in text
    highest = found["mem_read_bytes_rate_max", "control"]
    assert (highest["value"], highest["unit"]) == (pytest.approx(8e6), "bytes/s")
    assert found["l2_refill_rate_mean", "control"]["value"] == pytest.approx(2000)
    assert "From its first tick on" not in text


def test_platform_as_a_whole_comes_before_its_tasks(tmp_path: Path):
    samples = [(T0_NS + MS, 0, 0, 5, 1.0), (T0_NS + MS, NOBODY, 0, 9, 1.0)]
    traffic = MemoryTraffic(lines_read=1234, lines_written=56)
    text, found = report(tmp_path, samples, ["bus_access"], memory_traffic=traffic)
    assert text.index("Rates of all cores") < text.index("Rates of control")
    assert found["bus_access_rate_mean", None]["value"] == pytest.approx(9000)
    assert found["bus_access_rate_mean", "control"]["value"] == pytest.approx(5000)
    assert "all cores have read 1 234 lines from the memory and written 56 lines" in text
    assert found["memory_lines_read", None]["value"] == 1234


def test_each_cpu_that_interrupts_sampled_has_rates_of_its_own(tmp_path: Path):
    # CPU 0: 4 in a millisecond, then 8; CPU 2: 1 in two milliseconds. Cumulative on each.
    samples = [
        (T0_NS + MS, NOBODY, 0, 4, 1.0, 0, 17), (T0_NS + 2 * MS, NOBODY, 0, 12, 1.0, 0, 0),
        (T0_NS + 2 * MS, NOBODY, 0, 1, 1.0, 2, 17),
    ]  # fmt: skip
    text, found = report(
        tmp_path,
        samples,
        ["page-faults"],
        sampling=Sampling(bucket_ns=MS, interrupts=Interrupts()),
    )
    assert "Rates of CPU 0" in text
    assert "Rates of CPU 2" in text
    assert "Rates of all cores" not in text
    assert found["cpu0_page-faults_rate_mean", None]["value"] == pytest.approx(6000)
    assert found["cpu0_page-faults_rate_max", None]["value"] == pytest.approx(8000)
    assert found["cpu2_page-faults_rate_mean", None]["value"] == pytest.approx(500)
    # Nothing was counted in single jobs.
    assert "What was counted" not in text


def test_memory_traffic_is_told_without_samples_too(tmp_path: Path):
    traffic = MemoryTraffic(lines_read=7, lines_written=0)
    text, found = report(tmp_path, [], [], memory_traffic=traffic)
    assert "Memory traffic From its first tick on all cores have read 7 lines" in text
    assert not any("rate" in name for name, _ in found)


def test_run_that_sampled_nothing_has_no_section_of_it(tmp_path: Path):
    text, _ = report(tmp_path, [], ["l2_refill"])
    assert "Cache and memory over time" not in text
    assert "Memory traffic" not in text
