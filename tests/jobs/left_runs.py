# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Directories as a run leaves them before it is finished, made without running anything."""

from pathlib import Path

import msgspec
import numpy as np

from laxity.core.spec import spec_to_toml
from laxity.core.spec_reader import resolve_spec
from laxity.core.streams import STREAMS, dtype_of
from laxity.store import run_directory
from laxity.store.manifest import Clock, Counts, Manifest, Tool, Writer
from laxity.store.native import Native, NativeTask

T0_NS = 1_000_000_000
PERIOD_NS = 10_000_000


def spec_text(**run: object) -> str:
    """A resolved spec of one task, period 10 ms, and one co-runner process."""
    task = {"workload": "mem", "args": ["64KiB"], "period": "10ms", "cpus": "1"}
    interfere = {"workload": "bandwidth", "cpus": "0"}
    return spec_to_toml(resolve_spec(run, [task], [interfere], 1))


def write_jobs(path: Path, responses_ns: list[int | None]) -> None:
    """Write jobs.npy: one row per response time; None is a skipped release."""
    fields = [(field.name, field.kind) for field in STREAMS["jobs"] if field.is_required]
    rows = np.zeros(len(responses_ns), np.dtype(fields))
    for job, response_ns in enumerate(responses_ns):
        release_ns = T0_NS + job * PERIOD_NS
        rows[job]["job"] = job
        rows[job]["release_ns"] = release_ns
        rows[job]["abs_deadline_ns"] = release_ns + PERIOD_NS
        absent = -(2**63)
        rows[job]["start_ns"] = absent if response_ns is None else release_ns
        rows[job]["finish_ns"] = absent if response_ns is None else release_ns + response_ns
        is_missed = response_ns is not None and response_ns > PERIOD_NS
        rows[job]["status"] = 2 if response_ns is None else int(is_missed)
    np.save(path / "jobs.npy", rows)


def write_histogram(path: Path, buckets: list[tuple[int, int, int]]) -> None:
    """Write histogram.npy: response times only; (lower, upper, count)."""
    dtype = np.dtype(dtype_of("histogram"))
    rows = [(0, 0, lower_ns, upper_ns, count) for lower_ns, upper_ns, count in buckets]
    np.save(path / "histogram.npy", np.array(rows, dtype))


def native(**fields: object) -> Native:
    """What laxity-run leaves after a run that ended well."""
    task = NativeTask(index=0, policy="fifo", released=3, started=3, counts=Counts(done=3))
    values: dict[str, object] = {
        "clock": Clock(name="CLOCK_MONOTONIC", t0_ns=T0_NS, end_ns=T0_NS + 3 * PERIOD_NS),
        "status": "complete",
        "exit_code": 0,
        "tasks": [task],
    }
    return msgspec.convert(values | fields, Native)


def left_run(
    tmp: Path,
    result: Native | None,
    responses_ns: list[int | None] | None = None,
    writer: Writer | None = None,
    **run: object,
) -> Path:
    """Make `DIR.tmp` as it is when laxity-run has ended; the default rows are three short jobs."""
    tmp.mkdir(parents=True)
    manifest = Manifest(
        tool=Tool(name="laxity", version="0.1.0"),
        kind="run",
        name="mem",
        command_line=["laxity", "run"],
        status="running",
        started_at="2026-11-21T00:31:07.000Z",
        writer=msgspec.UNSET if writer is None else writer,
    )
    run_directory.write_document(tmp / "manifest.json", manifest)
    (tmp / "spec.toml").write_text(spec_text(**run))
    (tmp / "machine.json").write_text("{}")
    write_jobs(tmp, [1_000, 2_000, 3_000] if responses_ns is None else responses_ns)
    write_histogram(tmp, [(1_000, 1_008, 1), (1_984, 2_016, 1), (2_976, 3_008, 1)])
    if result is not None:
        run_directory.write_document(tmp / "native.json", result)
    return tmp
