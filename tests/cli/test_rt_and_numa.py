# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Native programs under a PREEMPT_RT kernel with two NUMA nodes: that they work, not how fast."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.laxity_command import ROOT
from tests.cli.virtual_machine import WITH_RT_AND_NUMA, run_guest
from tests.cross_builds import cross_build

from laxity.core.streams import Status
from laxity.store.npy import read_stream

CROSS = ROOT / "build-cross" / "aarch64"
JOBS = 20
TASK = f"--policy fifo --priority 90 --period 50ms --jobs {JOBS} --job-timeout 10s --deadline none"
COMMANDS = [
    f"/laxity-run --run-dir /run/jobs -- /empty --cpus 0 {TASK} -- /empty --cpus 1 {TASK}",
    "/laxity-trace --run-dir /run/trace --duration 1s --ring 1MiB",
    "/laxity-probe --run-dir /run/crpd --cpus 1 --repetitions 6 crpd --size 4KiB "
    "--case synchronous --evict-size 64KiB",
    "/laxity-probe --run-dir /run/latency --cpus 0-1 --repetitions 6 memory_latency --size 64KiB "
    "--node 0 --node 1 --case chase --case stream_copy",
    "/laxity-probe --run-dir /run/migration --cpus 0-1 --repetitions 6 migration --pair 0:1 "
    "--pair 1:0 --size 16KiB --pattern chase",
    "/test_nodes",
]


@pytest.mark.serial
@pytest.mark.slow
def test_programs_work_under_preempt_rt_with_two_numa_nodes(tmp_path: Path) -> None:
    native = CROSS / "native"
    programs = {
        f"/{name}": native / name for name in ("laxity-run", "laxity-trace", "laxity-probe")
    }
    programs["/empty"] = CROSS / "workloads" / "empty"
    programs["/test_nodes"] = CROSS / "tests" / "native" / "base_test_nodes"
    cross_build("aarch64")
    guest = run_guest(
        WITH_RT_AND_NUMA,
        tmp_path,
        CROSS / "tests" / "native" / "guest_init",
        programs,
        [command.split() for command in COMMANDS],
    )
    assert "PREEMPT_RT" in guest.kernel
    assert guest.files["/sys/devices/system/node/online"] == b"0-1\n"
    assert guest.statuses == [0] * len(COMMANDS)

    outcome = json.loads(guest.files["/run/jobs/native.json"])
    assert (outcome["status"], outcome["fallbacks"]) == ("complete", [])
    jobs = stream(guest.files["/run/jobs/jobs.npy"], tmp_path)
    for task in (0, 1):
        rows = jobs[(jobs["task"] == task) & (jobs["status"] == Status.DONE)]
        assert len(rows) == JOBS
        assert set(rows["cpu_start"].tolist()) == {task}
        assert (rows["release_ns"] <= rows["start_ns"]).all()

    trace = json.loads(guest.files["/run/trace/trace.json"])
    assert trace["lost"] == 0
    assert {one["cpu"] for one in trace["cpus"]} == {0, 1}
    switches = stream(guest.files["/run/trace/sched.npy"], tmp_path)
    assert len(switches) > 0
    assert set(switches["cpu"].tolist()) <= {0, 1}

    crpd = stream(guest.files["/run/crpd/crpd.npy"], tmp_path)
    # 6 repetitions * 3 roles
    assert len(crpd) == 18
    assert (np.ma.getdata(crpd["preemptor_ns"]) > 0).all()

    # The probe itself asks the kernel on which node its pages lie, and refuses any other.
    latency = stream(guest.files["/run/latency/memory_latency.npy"], tmp_path)
    for cpu in (0, 1):
        for node in (0, 1):
            batches = latency[(latency["cpu"] == cpu) & (latency["node"] == node)]
            # 6 repetitions * 2 cases
            assert len(batches) == 12
            assert (np.ma.getdata(batches["elapsed_ns"]) > 0).all()
    moved = stream(guest.files["/run/migration/migration.npy"], tmp_path)
    # 6 repetitions * 2 pairs * 6 roles, of which one takes its memory along.
    assert len(moved) == 72
    is_fetched = np.ma.getdata(moved["role"]) == 5
    # CPU 0 is node 0, CPU 1 is node 1.
    assert (moved["node"] == np.where(is_fetched, moved["cpu_to"], moved["cpu"])).all()


def stream(data: bytes, folder: Path) -> "np.ma.MaskedArray":
    path = folder / "stream.npy"
    path.write_bytes(data)
    return read_stream(path)
