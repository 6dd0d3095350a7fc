# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Made-up run directories, written as the contract says, for tests of the report."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from laxity.core.spec import InterfereSpec, Snapshots, Spec, TaskSpec, spec_to_toml
from laxity.core.streams import STREAMS, Quantity, Status, absent_value, dtype_of
from laxity.platform.doctor import diagnose
from laxity.platform.facts import Facts
from laxity.platform.machine import describe_machine
from laxity.store.manifest import (
    Clock,
    CorunnerResult,
    Counter,
    Counts,
    Event,
    Fallback,
    Faults,
    Manifest,
    Memory,
    SnapshotCost,
    TaskResult,
    Tool,
    encode_document,
)
from laxity.store.run_directory import hash_files

PERIOD_NS = 5_000_000
T0_NS = 1_000_000_000_000
SNAPSHOT_EXEC_NS = 700
# Columns that `--snapshots none` leaves out.
SNAPSHOT_COLUMNS = ("exec_ns", "preemptions", "blockings", "minor_faults", "major_faults")
FACTS = Facts(
    {
        "@uname.machine": "x86_64",
        "@uname.release": "6.1.0-example",
        "@uname.version": "#1 SMP PREEMPT_DYNAMIC",
        "@affinity": "0-1",
        "@hostname": "bench",
        "@resolution_ns": "1",
        "/proc/cpuinfo": "vendor_id : GenuineExample\nmodel name : Example CPU @ 2.40GHz\n",
        "/sys/devices/system/cpu/possible": "0-1",
        "/sys/devices/system/cpu/present": "0-1",
        "/sys/devices/system/cpu/online": "0-1",
    }
)


@dataclass(frozen=True)
class Made:
    """A run to be made: its rows (release order) and what its manifest says beside them."""

    rows: "np.ndarray[Any, Any]"
    name: str = "control"
    deadline_ns: int | None = PERIOD_NS
    status: Any = "complete"
    exit_code: int = 0
    message: str = ""
    keep: str = "all"
    end_cause: str = "jobs"
    without: Sequence[str] = ()
    corunners: Sequence[CorunnerResult] = ()
    fallbacks: Sequence[Fallback] = ()
    notes: Sequence[str] = ()
    drift: Sequence[str] = ()
    events: Sequence[Event] = ()
    platform: str = "native"
    result_hash: str | None = None
    asked_calls: Sequence[str] = ()
    lost_rows: int = 0
    facts: Facts = field(default=FACTS)
    overrun: str = "skip"
    has_begun: bool = True
    memory: Memory | None = None
    # Further tasks of the same run; of these only rows, name, deadline and overrun count.
    others: Sequence["Made"] = ()


def jobs_table(n: int) -> "np.ndarray[Any, Any]":
    """N rows of absent values, except task 0, job number and release."""
    rows = np.zeros(n, dtype=dtype_of("jobs"))
    for one in STREAMS["jobs"]:
        absent = absent_value(one.kind)
        if absent is not None:
            rows[one.name] = absent
    rows["task"], rows["cause"], rows["job"] = 0, 0, np.arange(n)
    rows["release_ns"] = T0_NS + np.arange(n) * PERIOD_NS
    return rows


def ordinary_rows(
    n: int, seed: int = 1, *, base_ns: int = 900_000, spread: float = 9.5, deadline: bool = True
) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    """N finished jobs with a log-normal tail; those later than their deadline have missed."""
    random = np.random.default_rng(seed)
    rows: Any = jobs_table(n)
    latency = (4_000 + random.lognormal(8.2, 0.8, n)).astype(np.int64)
    exec_ns = (base_ns + random.lognormal(spread, 0.9, n)).astype(np.int64)
    other = random.lognormal(7, 1.5, n).astype(np.int64)
    rows["start_ns"] = rows["release_ns"] + latency
    rows["finish_ns"] = rows["start_ns"] + exec_ns + other
    rows["exec_ns"] = exec_ns + SNAPSHOT_EXEC_NS
    for name in ("preemptions", "blockings", "minor_faults", "major_faults"):
        rows[name] = 0
    rows["preemptions"] = other > 20_000
    rows["tid"], rows["cpu_start"], rows["cpu_finish"] = 4711, 1, 1
    rows["status"] = Status.DONE
    if deadline:
        rows["abs_deadline_ns"] = rows["release_ns"] + PERIOD_NS
        rows["status"] = np.where(rows["finish_ns"] > rows["abs_deadline_ns"], 1, 0)
    return rows


def overrun(rows: "np.ndarray[Any, Any]", job: int, response_ns: int) -> None:
    """Let one job take that long, and skip the releases that pass meanwhile."""
    rows["finish_ns"][job] = rows["release_ns"][job] + response_ns
    rows["exec_ns"][job] = response_ns - 60_000
    rows["preemptions"][job] = 2
    rows["status"][job] = Status.MISSED
    skipped = (rows["release_ns"] < rows["finish_ns"][job]) & (np.arange(len(rows)) > job)
    for name in ("start_ns", "finish_ns", "exec_ns"):
        rows[name][skipped] = absent_value("i8")
    rows["status"][skipped] = Status.SKIPPED


def without_finish(rows: "np.ndarray[Any, Any]", status: Status) -> "np.ndarray[Any, Any]":
    """Let no job finish, all of them for that reason."""
    for name in ("start_ns", "finish_ns", "exec_ns"):
        rows[name] = absent_value("i8")
    rows["status"] = status
    return rows


def write_run(directory: Path, made: Made) -> Path:
    """Write a run directory and return it."""
    directory.mkdir(parents=True)
    _number_tasks(made)
    kept = _kept(made)
    names = [name for name in made.rows.dtype.names or () if name not in made.without]
    np.save(directory / "jobs.npy", np.ascontiguousarray(kept[names].astype(_plain(kept, names))))
    np.save(directory / "histogram.npy", np.concatenate([_histogram(one) for one in _tasks(made)]))
    (directory / "spec.toml").write_text(_spec(made))
    machine = describe_machine(made.facts)
    (directory / "machine.json").write_bytes(encode_document(machine))
    diagnosis = msgspec.to_builtins(diagnose(made.facts, [1]))
    doctor = {"before": diagnosis, "after": diagnosis}
    (directory / "doctor.json").write_bytes(encode_document(doctor))
    manifest = _manifest(made, machine.hash, {"jobs": len(kept)}, hash_files(directory))
    (directory / "manifest.json").write_bytes(encode_document(manifest))
    return directory


def write_composite(directory: Path, runs: dict[str, Made]) -> Path:
    """Write a directory of several runs, as `demo` does."""
    for name, made in runs.items():
        write_run(directory / "runs" / name, made)
    first = next(iter(runs.values()))
    manifest = msgspec.structs.replace(
        _manifest(first, None, {}, hash_files(directory)),
        kind="demo", name="demo", command_line=["laxity", "demo"], runs=list(runs), tasks=[],
        corunners=[], fallbacks=[], clock=None, snapshots=None,
    )  # fmt: skip
    (directory / "manifest.json").write_bytes(encode_document(manifest))
    return directory


def corunner(
    passes: int | None = 5120, end_cause: str = "stopped", cpus: str = "0"
) -> CorunnerResult:
    """A co-runner that writes memory."""
    return CorunnerResult(
        index=0, workload="bandwidth", args=["write", "64MiB"], policy="other", priority=None,
        cpus=cpus, passes_before_t0=12, passes=passes, elapsed_ns=10_000_000_000,
        end_cause=end_cause,
    )  # fmt: skip


def demo_runs(n: int = 2000) -> dict[str, Made]:
    """A task alone, and the same with a co-runner that makes it miss now and then."""
    alone = Made(ordinary_rows(n, 1), name="control")
    rows = ordinary_rows(n, 2, base_ns=1_400_000, spread=12.0)
    overrun(rows, n // 3, 13_200_000)
    overrun(rows, n // 2, 6_100_000)
    return {"alone": alone, "interfered": replace(alone, rows=rows, corunners=[corunner()])}


def _plain(rows: "np.ndarray[Any, Any]", names: Sequence[str]) -> "np.dtype[Any]":
    """The dtype of some columns without the holes that numpy leaves for the others."""
    return np.dtype([(name, rows.dtype[name].str) for name in names])


def _tasks(made: Made) -> list[Made]:
    return [made, *made.others]


def _number_tasks(made: Made) -> None:
    for index, one in enumerate(_tasks(made)):
        one.rows["task"] = index


def _kept(made: Made) -> "np.ndarray[Any, Any]":
    rows = np.concatenate([one.rows for one in _tasks(made)])
    rows = rows[np.lexsort((rows["task"], rows["release_ns"]))]
    if made.keep == "misses":
        return rows[np.isin(rows["status"], [Status.MISSED, Status.ABORTED])]
    if made.keep.startswith("tail:"):
        return rows[-int(made.keep.removeprefix("tail:")) :]
    return rows


def _finished(rows: Any) -> Any:  # noqa: ANN401 - as above
    return rows[np.isin(rows["status"], [Status.DONE, Status.MISSED])]


def _histogram(made: Made) -> "np.ndarray[Any, Any]":
    """Log-linear buckets, 64 per power of two, as native/harness/histogram.h has them."""
    done = _finished(made.rows)
    task = int(made.rows["task"][0]) if len(made.rows) else 0
    values = {
        Quantity.RESPONSE_TIME: done["finish_ns"] - done["release_ns"],
        Quantity.RELEASE_LATENCY: done["start_ns"] - done["release_ns"],
        Quantity.START_TO_FINISH: done["finish_ns"] - done["start_ns"],
    }
    found: list[tuple[int, int, int, int, int]] = []
    for quantity, column in values.items():
        counts: dict[tuple[int, int], int] = {}
        for value in column.tolist():
            shift = max(0, int(value).bit_length() - 7)
            lower = value >> shift << shift
            edges = (lower, lower + (1 << shift))
            counts[edges] = counts.get(edges, 0) + 1
        found += [(task, quantity, *edges, count) for edges, count in sorted(counts.items())]
    return np.array(found, dtype=dtype_of("histogram"))


def _spec(made: Made) -> str:
    tasks = tuple(
        TaskSpec(
            name=one.name, workload="mem", args=("64KiB",), period_ns=PERIOD_NS,
            deadline_ns=one.deadline_ns, priority=90, cpus=(1,), job_timeout_ns=1_000_000_000,
        )
        for one in _tasks(made)
    )  # fmt: skip
    interfere = tuple(
        InterfereSpec(workload=one.workload, args=tuple(one.args), cpus=(0,))
        for one in made.corunners
    )
    snapshots = Snapshots.NONE if "exec_ns" in made.without else Snapshots.ALL
    spec = Spec(
        jobs=len(made.rows) or None, keep=made.keep, snapshots=snapshots, tasks=tasks,
        interfere=interfere,
    )  # fmt: skip
    return spec_to_toml(spec)


def _task(made: Made, index: int, *, has_begun: bool) -> TaskResult:
    status = made.rows["status"]
    number = {one.name.lower(): int(np.count_nonzero(status == one)) for one in Status}
    not_met = number["missed"] + number["skipped"] + number["aborted"]
    return TaskResult(
        index=index, name=made.name, workload="mem", args=["64KiB"], policy="fifo", priority=90,
        cpus="1", period_ns=PERIOD_NS, deadline_ns=made.deadline_ns, offset_ns=0,
        overrun=made.overrun, released=len(made.rows),
        started=len(made.rows) - number["skipped"] - number["pending"],
        counts=Counts(**number, not_met=not_met), lost_rows=made.lost_rows,
        end_ns=T0_NS + len(made.rows) * PERIOD_NS, end_cause=made.end_cause,
        memory_locked=has_begun, faults_after_first_job=Faults(minor=0, major=0),
        memory=made.memory, asked_calls=list(made.asked_calls),
    )  # fmt: skip


def _manifest(
    made: Made, machine_hash: str | None, tables: dict[str, int], files: dict[str, str]
) -> Manifest:
    snapshots = SnapshotCost(mode="all", n=1000, exec_ns=SNAPSHOT_EXEC_NS, wall_ns=780)
    if "exec_ns" in made.without:
        snapshots = SnapshotCost(mode="none")
    end_ns = T0_NS + len(made.rows) * PERIOD_NS
    clock = Clock(name="CLOCK_MONOTONIC", t0_ns=T0_NS, end_ns=end_ns)
    tasks = [_task(one, index, has_begun=made.has_begun) for index, one in enumerate(_tasks(made))]
    return Manifest(
        tool=Tool(name="laxity", version="0.1.0", commit=None), kind="run", name=made.name,
        command_line=["laxity", "run", "mem", "-b", "64KiB", "--interfere", "bandwidth write@0"],
        status=made.status, exit_code=made.exit_code, message=made.message,
        started_at="2026-11-21T02:00:00Z", finished_at="2026-11-21T02:00:10Z",
        platform=made.platform, seed=7, machine_hash=machine_hash,
        clock=clock if made.has_begun else Clock(name="CLOCK_MONOTONIC"),
        counter=Counter(name="tsc", rate_hz=2_400_000_000), snapshots=snapshots,
        tasks=tasks, corunners=list(made.corunners), fallbacks=list(made.fallbacks),
        notes=list(made.notes), doctor_drift=list(made.drift), tables=tables, files=files,
        events=list(made.events), result_hash=made.result_hash,
    )  # fmt: skip
