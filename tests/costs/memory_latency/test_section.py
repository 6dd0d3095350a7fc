# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report of a run that measured access times."""

import json
import re
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.costs.made_up_measurement import ended
from tests.platform.made_up_facts import CPU, bare_vm, changed

from laxity.cli.summary import summary_document, summary_text
from laxity.core.streams import MEMORY_CASES, dtype_of
from laxity.costs.model import decode_costs
from laxity.costs.table import entries_table
from laxity.jobs.finish import finish_run
from laxity.platform.machine import describe_machine
from laxity.report.page import write_report
from laxity.store import run_directory
from laxity.store.manifest import Manifest, Tool
from laxity.store.measurements import MemoryLatencyMeasurement
from laxity.store.run_directory import open_run

KIB = 1024
N = 36
EMPTY_NS = 20
# 16 KiB at 1 ns, then 10 ns: sizes in KiB and nanoseconds per access.
CURVE = {2: 1, 4: 1, 8: 1, 16: 1, 32: 10, 64: 10, 128: 10, 256: 10}


def left_run(tmp: Path, curve: dict[int, int], n: int = N, nodes: tuple[int, ...] = (0,)) -> None:
    """Make `DIR.tmp` as it is when laxity-probe has ended: chase and stream_copy on CPU 1."""
    tmp.mkdir(parents=True)
    caches: dict[str, str | None] = {}
    for index, (level, size) in enumerate(((1, "16K"), (2, "64K"))):
        base = f"{CPU}/cpu1/cache/index{index}"
        caches |= {f"{base}/level": str(level), f"{base}/type": "Data", f"{base}/size": size}
        caches[f"{base}/shared_cpu_list"] = "0-1" if level == 2 else "1"
    machine = describe_machine(changed(bare_vm(), caches))
    manifest = Manifest(
        tool=Tool(name="laxity", version="0.1.0"),
        kind="measure",
        name="memory_latency",
        command_line=["laxity", "measure", "memory-latency"],
        status="running",
        started_at="2026-11-21T00:31:07.000Z",
        machine_hash=machine.hash,
        measurement=MemoryLatencyMeasurement(
            cpus="1",
            priority=80,
            repetitions=n,
            timeout_ns=10**9,
            working_sets_bytes=[kib * KIB for kib in curve],
            nodes=list(nodes),
            cases=["chase", "stream_copy"],
            pages="ordinary",
            line_bytes=64,
        ),
    )
    run_directory.write_document(tmp / "manifest.json", manifest)
    run_directory.write_document(tmp / "machine.json", machine)
    (tmp / "doctor.json").write_text("{}")
    np.save(tmp / "memory_latency.npy", made_rows(curve, n, nodes))
    run_directory.write_document(tmp / "native.json", ended())


def made_rows(curve: dict[int, int], n: int, nodes: tuple[int, ...]) -> np.ndarray:
    """Node 1 is three times as slow as node 0."""
    dtype = dtype_of("memory_latency")
    rows = np.zeros(len(nodes) * 2 * len(curve) * n, dtype=dtype)
    rows["accesses"], rows["empty_ns"], rows["cpu"] = 1000, EMPTY_NS, 1
    rows["line_bytes"], rows["repetition"] = 64, np.arange(len(rows)) % n
    parts = iter(np.split(rows, len(nodes) * 2 * len(curve)))
    for node in nodes:
        for kib, ns in curve.items():
            for case in ("chase", "stream_copy"):
                part = next(parts)
                part["node"], part["working_set_bytes"] = node, kib * KIB
                part["case"] = MEMORY_CASES.index(case)
                part["elapsed_ns"] = EMPTY_NS + 1000 * ns * (1 + 2 * node)
    return rows


def run_of(path: Path, curve: dict[int, int] = CURVE, n: int = N, nodes: tuple[int, ...] = (0,)):
    tmp = path.with_name(path.name + ".tmp")
    left_run(tmp, curve, n, nodes)
    return open_run(finish_run(tmp, has_survived=True, returncode=0).path)


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_page_says_the_levels_and_what_the_system_claims(tmp_path: Path):
    run = run_of(tmp_path / "D")
    page = write_report(run.path).read_text()
    text = text_of(page)
    # 4 sizes of 36 batches on each plateau.
    assert "CPU 1, node 0 (measured): level 1, 16 KiB to 32 KiB: 1 ns (median, n = 144" in text
    assert "L1 16 KiB agrees, L2 64 KiB not detected" in text
    assert "it is shared, so that one CPU alone need not get all of it" in text
    assert "a virtual machine" in text


def test_figures_are_of_times_and_of_bandwidth(tmp_path: Path):
    page = write_report(run_of(tmp_path / "D").path).read_text()
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == 2
    assert all("var(--fig-alone)" in one and "#0102" not in one for one in drawings)
    assert "median and quartiles of n ≥ 36 batches each, measured" in page
    # 64 bytes in 1 ns and in 10 ns.
    text = text_of(page)
    assert "64 GB/s" in text
    assert "6.40 GB/s" in text


def test_nodes_stand_in_one_figure_per_cpu(tmp_path: Path):
    page = write_report(run_of(tmp_path / "D", nodes=(0, 1)).path).read_text()
    chase = re.findall(r"<svg[^>]*aria-label=\"Chase.*?</svg>", page, re.DOTALL)
    assert len(chase) == 1
    assert "CPU 1, node 0" in chase[0]
    assert "CPU 1, node 1" in chase[0]
    # 3 * 10 ns
    assert "level 2, the last level: 30 ns" in text_of(page)


def test_every_number_stands_in_derived_json(tmp_path: Path):
    run = run_of(tmp_path / "D")
    write_report(run.path)
    derived = json.loads((run.path / "derived.json").read_text())
    names = {one["name"]: one for one in derived["quantities"]}
    # p50 and max of 8 sizes of 2 cases, 8 bandwidths; 3 of each of 2 levels.
    assert len(names) == 2 * 8 * 2 + 8 + 6
    one = names[f"memory_latency_cpu1_node0_chase_{32 * KIB}B_p50"]
    assert (one["value"], one["unit"], one["n"], one["kind"]) == (10_000, "ps", N, "measured")
    one = names[f"memory_latency_cpu1_node0_stream_copy_{32 * KIB}B_bandwidth"]
    assert (one["value"], one["unit"]) == (6_400_000_000, "bytes_per_s")
    assert names["cpu1_node0_chase_level1_full"]["value"] == 32 * KIB


def test_short_answer_has_times_levels_and_claims(tmp_path: Path):
    run = run_of(tmp_path / "D")
    text = summary_text(run)
    assert re.search(r"CPU 1, node 0 +16 KiB +36 +1 ns +64 GB/s", text)
    assert "(measured): level 1, 16 KiB to 32 KiB: 1 ns (median, n = 144); level 2" in text
    assert re.search(r"level 1 +16 KiB to 32 KiB +1 ns +1 ns to 1 ns +144\n", text)
    assert re.search(r"L2 +64 KiB +none near it +not detected \(.+\)\n", text)
    (level,) = summary_document(run)["levels"]
    assert [one["latency_ps"] for one in level["detected"]] == [1000, 10_000]
    assert [one["verdict"] for one in level["claimed"]] == ["agrees", "not_detected"]


def test_too_few_batches_support_neither_level_nor_verdict(tmp_path: Path):
    run = run_of(tmp_path / "D", n=5)
    assert (run.manifest.exit_code, "6 or more" in run.manifest.message) == (4, True)
    text = text_of(write_report(run.path).read_text())
    assert "needs 6 batches" in text
    assert "the curve is nowhere level" in text


def test_costs_show_names_picoseconds_as_time(tmp_path: Path):
    run = run_of(tmp_path / "D", {4: 1, 8: 1})
    costs = decode_costs((run.path / "costs.json").read_bytes(), "costs.json")
    assert re.search(
        r"memory_latency +measured +1 +chase +- +4 KiB +36 +1 ns", entries_table(costs)
    )


def test_damaged_stream_is_told_on_the_page(tmp_path: Path):
    run = run_of(tmp_path / "D")
    (run.path / "memory_latency.npy").write_bytes(b"gone")
    text = text_of(write_report(run.path).read_text())
    assert "memory_latency.npy: not a NumPy file" in text
    assert "No batch was kept" in text


def test_machine_that_is_not_known_claims_nothing(tmp_path: Path):
    run = run_of(tmp_path / "D")
    (run.path / "machine.json").write_bytes(msgspec.json.encode({"schema": 1}))
    text = text_of(write_report(run.path).read_text())
    assert "what the system claims is not known" in text
    assert "Claimed: nothing." in text


def test_time_that_cannot_be_told_from_the_clock_is_not_measurable(tmp_path: Path):
    text = text_of(write_report(run_of(tmp_path / "D", {4: 0, 8: 0}).path).read_text())
    assert text.count("not measurable") >= 2


@pytest.mark.parametrize("n", [1, 6])
def test_every_number_of_batches_makes_a_page(tmp_path: Path, n: int):
    assert write_report(run_of(tmp_path / "D", n=n).path).exists()
