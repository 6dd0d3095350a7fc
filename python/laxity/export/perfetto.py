# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A run as a Perfetto trace, for ui.perfetto.dev and trace_processor."""

from typing import BinaryIO

import numpy as np

from laxity.errors import RecordError
from laxity.export.packets import PacketWriter
from laxity.export.sched_packets import ThreadNames, write_sched, write_system, write_threads
from laxity.export.task_packets import TaskPackets, write_counters
from laxity.jobs import rows as analysis
from laxity.jobs.rates import Samples, cpus_of, of_cpu
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run


def write_perfetto(run: Run, file: BinaryIO) -> None:
    """Write everything of a run that has a time.

    Args:
        run: A run of tasks; its parts may be missing where nothing was recorded.
        file: Where to; written as it comes, in parts of some 200 kB.

    Raises:
        RecordError: A stream is damaged.
        OSError: The output cannot be written.
    """
    try:
        _write_packets(PacketWriter(file), run)
    except ValueError as error:
        msg = f"{run.path}: a value that no trace can hold ({error}); the run is damaged"
        raise RecordError(msg) from error


def _write_packets(writer: PacketWriter, run: Run) -> None:
    release = write_system(writer, _machine(run))
    _write_run(writer, run.manifest)
    _write_tasks(writer, run)
    threads = run.stream("threads") if run.has_stream("threads") else None
    trace = run.manifest.trace
    if trace is not None and threads is not None and run.has_stream("sched"):
        write_sched(writer, run.path / "sched.npy", trace, ThreadNames(threads), release)
    if threads is not None:
        write_threads(writer, threads, {task.index: task.name for task in run.manifest.tasks})
    writer.flush()


def _write_run(writer: PacketWriter, manifest: Manifest) -> None:
    """Write one slice over the whole run: what it was, which clock all times are of."""
    clock = manifest.clock
    if clock is None or clock.t0_ns is None:
        return
    arguments = {
        "tool": f"{manifest.tool.name} {manifest.tool.version}",
        "platform": manifest.platform,
        "on": manifest.on,
        "clock": clock.name,
        "status": manifest.status,
        "exit_code": manifest.exit_code,
        "message": manifest.message or None,
        "started_at": manifest.started_at,
        "seed": manifest.seed,
        "lost_job_rows_count": sum(task.lost_rows for task in manifest.tasks),
        "lost_marks_count": sum(task.lost_marks for task in manifest.tasks),
    }
    track = writer.track("run", description="From t0 until the last task had ended")
    writer.begin(track, clock.t0_ns, f"run {manifest.name}", arguments)
    if clock.end_ns is not None:
        writer.end(track, clock.end_ns)


def _write_tasks(writer: PacketWriter, run: Run) -> None:
    jobs = run.stream("jobs")
    marks = run.stream("probe") if run.has_stream("probe") else None
    samples = run.stream("counters") if run.has_stream("counters") else None
    for rank, task in enumerate(run.manifest.tasks):
        packets = TaskPackets(writer, task, run.manifest.events, rank + 1)
        rows = analysis.in_order(analysis.of_task(jobs, task.index))
        packets.write_jobs(rows, _snapshot_exec_ns(run.manifest))
        if marks is not None:
            packets.write_marks(analysis.of_task(marks, task.index), rows)
        if samples is not None:
            of_task = samples[np.ma.getdata(samples["task"]) == task.index]
            packets.write_samples(of_task)
    if samples is not None:
        _write_system(writer, run.manifest, samples)


def _write_system(writer: PacketWriter, manifest: Manifest, samples: Samples) -> None:
    """Write what was counted whatever ran: on each CPU, or on a whole simulated platform."""
    rank = len(manifest.tasks) + 1
    cpus = cpus_of(samples)
    for place, cpu in enumerate(cpus):
        said = f"Counted on CPU {cpu}, whatever ran there"
        track = writer.track(f"counters of CPU {cpu}", rank=rank + place, description=said)
        write_counters(writer, track, 0, manifest.events, of_cpu(samples, cpu))
    of_all = samples[np.ma.getmaskarray(samples["task"])]
    if len(of_all) and not cpus:
        track = writer.track("all cores", rank=rank, description="The whole simulated platform")
        write_counters(writer, track, 0, manifest.events, of_all)


def _snapshot_exec_ns(manifest: Manifest) -> int:
    cost = manifest.snapshots
    return 0 if cost is None or cost.exec_ns is None else round(cost.exec_ns)


def _machine(run: Run) -> dict[str, object]:
    try:
        return run.machine
    except RecordError:
        return {}  # it only makes the states of threads more exact
