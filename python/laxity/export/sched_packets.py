# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The scheduling trace as Perfetto knows it: kernel events per CPU, names of processes and threads.

Perfetto makes its CPU tracks and the states of threads from these. Switches go in its compact form,
columns in place of messages; one event each goes for the others, which only some back-ends supply.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from laxity.core.streams import SchedKind
from laxity.export.packets import Packet, PacketWriter
from laxity.store.manifest import TraceResult
from laxity.store.npy import read_stream_parts
from laxity.trace.sched_trace import IDLE_TID
from laxity.trace.switches import PREEMPTED, WAITING, CpuOwners, IntArray, Switches

Sched: TypeAlias = Any  # masked structured array of sched.npy
Threads: TypeAlias = Any  # masked structured array of threads.npy

# 5.5 MB of rows with their masks.
_PART_ROWS = 65_536
# States of threads as the kernel numbers them (include/linux/sched.h). The flag for "preempted" is
# TASK_REPORT_MAX, where it is since 4.14; before, Perfetto would read something else into it.
_RUNNABLE = 0
_SLEEPING = 1
_PREEMPTED_FLAG = 0x100
_UNINTERRUPTIBLE = 2
_EXIT_DEAD = 0x10
_REPORT_IDLE = 0x80
_TASK_REPORT = 0x7F
# Within the kernel more bits are in use, some of them for what is reported by another number.
_TASK_DEAD = 0x80
_TASK_IDLE = 0x402
_TASK_RTLOCK_WAIT = 0x1000
_PREEMPTED_FLAG_SINCE = (4, 14)
# The trace tells no priorities, and 0 would be one.
_NO_PRIORITY = -1
_CLONE_THREAD = 0x10000
_KTHREADD = 2
_IDLE_NAME = "swapper"


class ThreadNames:
    """The names of threads over time, from threads.npy."""

    def __init__(self, threads: Threads) -> None:
        rows = np.ma.getdata(threads)
        rows = rows[np.lexsort((rows["from_ns"], rows["tid"]))]
        self._tids = rows["tid"].astype(np.int64)
        self._from_ns = rows["from_ns"].astype(np.int64)
        self._comms = [_text(comm) for comm in rows["comm"]]
        self._processes = frozenset(rows["tid"][rows["tid"] == rows["pid"]].tolist())

    def is_process(self, tid: int) -> bool:
        """Whether a thread is the first one of a process."""
        return tid in self._processes

    def of(self, tids: IntArray, times_ns: IntArray) -> list[str]:
        """Name threads as they were called at instants; an empty text where no row tells."""
        names = [""] * len(tids)
        for tid in np.unique(tids):
            chosen = np.flatnonzero(tids == tid)
            for index, name in zip(chosen, self._of_one(int(tid), times_ns[chosen]), strict=True):
                names[index] = name
        return names

    def _of_one(self, tid: int, times_ns: IntArray) -> list[str]:
        if tid == IDLE_TID:
            return [_IDLE_NAME] * len(times_ns)
        first, end = np.searchsorted(self._tids, [tid, tid + 1])
        if first == end:
            return [""] * len(times_ns)
        row = np.searchsorted(self._from_ns[first:end], times_ns, "right") - 1
        # A row may begin late where its first sign of life was lost.
        return [self._comms[first + max(int(one), 0)] for one in row]


def write_threads(writer: PacketWriter, threads: Threads, task_names: Mapping[int, str]) -> None:
    """Tell the names of processes and threads, each from when it had it.

    Args:
        writer: Where to.
        threads: Rows of threads.npy.
        task_names: Names of the tasks by index; their processes are called after them.
    """
    for row in threads[np.argsort(np.ma.getdata(threads["from_ns"]), kind="stable")]:
        tid, pid, task, comm, from_ns, _ = row.tolist()
        packet = writer.packet()
        # After the fork of the same instant, which Perfetto would read second.
        packet.timestamp = max(from_ns or 0, 0) + 1
        tree = packet.process_tree
        tree.threads.add(tid=tid, tgid=pid, name=_text(comm))
        if tid == pid:
            name = _text(comm) if task is None else f"task {task_names.get(task, task)}"
            tree.processes.add(pid=pid, cmdline=[name])


def write_system(writer: PacketWriter, machine: Mapping[str, Any]) -> str | None:
    """Tell whose kernel it was: on that depends how Perfetto reads states of threads.

    Returns:
        The kernel's release; None if machine.json does not tell.
    """
    stable = machine.get("stable")
    kernel = stable.get("kernel") if isinstance(stable, dict) else None
    release = kernel.get("release") if isinstance(kernel, dict) else None
    if not isinstance(release, str):
        return None
    packet = writer.packet()
    packet.system_info.utsname.sysname = "Linux"
    packet.system_info.utsname.release = release
    return release


def write_sched(
    writer: PacketWriter, path: Path, trace: TraceResult, names: ThreadNames, release: str | None
) -> None:
    """Write sched.npy part by part.

    Args:
        writer: Where to.
        path: sched.npy.
        trace: What the recorder says of it.
        names: Names of its threads.
        release: The kernel's release, if it is known.

    Raises:
        RecordError: The stream is damaged.
    """
    lost = _LostRecords(writer, trace)
    preempted = _RUNNABLE | (_PREEMPTED_FLAG if _has_preempted_flag(release) else 0)
    cpus: dict[int, _Cpu] = {}
    for part in read_stream_parts(path, _PART_ROWS):
        for cpu in np.unique(np.ma.getdata(part["cpu"])):
            rows = part[np.ma.getdata(part["cpu"]) == cpu]
            if cpu not in cpus:
                cpus[cpu] = _Cpu(int(cpu), preempted, names)
            lost.take(int(cpu), rows)
            cpus[cpu].write(writer, rows, trace.started_ns)
        writer.flush()  # what a part has become is some megabytes
    lost.close()


class _Cpu:
    """One CPU of the trace, while its rows go by."""

    def __init__(self, cpu: int, preempted_state: int, names: ThreadNames) -> None:
        self._cpu = cpu
        self._preempted_state = preempted_state
        self._names = names
        self._owners = CpuOwners()
        self._is_begun = False

    def write(self, writer: PacketWriter, rows: Sched, started_ns: int | None) -> None:
        """Write the next rows of this CPU as one bundle."""
        bundle = writer.packet().ftrace_events
        bundle.cpu = self._cpu
        switches = self._owners.take(rows)
        if len(switches.tid) and not self._is_begun:
            self._is_begun = True
            switches = self._with_first(switches, rows, started_ns)
        if len(switches.tid):
            self._put_switches(bundle, switches)
        self._put_events(bundle, rows)

    def _with_first(self, switches: Switches, rows: Sched, started_ns: int | None) -> Switches:
        """Put in front who had the CPU since the trace began, unless that was lost.

        Perfetto drops the first switch of a CPU in compact form, so that one is given twice.
        """
        tid = self._owners.first_tid
        if tid is None or started_ns is None or rows["seq"][0]:
            first, since_ns = [int(switches.tid[0])], [int(switches.time_ns[0])]
        else:
            # The first records of a CPU are from before all of them were watched.
            since_ns = [min(started_ns, int(switches.time_ns[0]))] * 2
            first = [tid, tid]
        return Switches(
            np.concatenate((since_ns, switches.time_ns)),
            np.concatenate((first, switches.tid)),
            np.concatenate(([_RUNNABLE] * len(first), switches.left)),
        )

    def _put_switches(self, bundle: Packet, switches: Switches) -> None:
        compact = bundle.compact_sched
        names = self._names.of(switches.tid, switches.time_ns)
        table = {name: number for number, name in enumerate(dict.fromkeys(names))}
        # No clock runs backwards, but Perfetto has no word for one that did.
        time_ns = np.maximum.accumulate(switches.time_ns)
        compact.intern_table.extend(table)
        compact.switch_timestamp.extend(np.diff(time_ns, prepend=0).tolist())
        compact.switch_prev_state.extend(self._reported(switches.left).tolist())
        compact.switch_next_pid.extend(switches.tid.tolist())
        compact.switch_next_prio.extend([_NO_PRIORITY] * len(names))
        compact.switch_next_comm_index.extend(table[name] for name in names)

    def _reported(self, left: IntArray) -> IntArray:
        """Number states as the kernel's trace does (sched.h, TASK_REPORT), which Perfetto reads."""
        is_any = left >= 0
        cases = {
            self._preempted_state: left == PREEMPTED,
            _SLEEPING: left == WAITING,
            _REPORT_IDLE: is_any & ((left & _TASK_IDLE) == _TASK_IDLE),
            _EXIT_DEAD: is_any & ((left & _TASK_DEAD) != 0),
            _UNINTERRUPTIBLE: is_any & ((left & _TASK_RTLOCK_WAIT) != 0),
        }
        return np.select(list(cases.values()), list(cases), left & _TASK_REPORT)

    def _put_events(self, bundle: Packet, rows: Sched) -> None:
        """Put what is no switch."""
        kinds = np.ma.getdata(rows["kind"])
        is_switch = (kinds == SchedKind.OFF) | (kinds == SchedKind.ON)
        rows = rows[~is_switch & (kinds < len(SchedKind))]
        tids, times_ns = (np.ma.getdata(rows[one]).astype(np.int64) for one in ("tid", "time_ns"))
        columns = [rows[one].tolist() for one in _EVENT_COLUMNS]
        for kind, time_ns, tid, other, number, name in zip(
            *columns, self._names.of(tids, times_ns), strict=True
        ):
            if kind in _INTERRUPTS:
                event = bundle.event.add(timestamp=time_ns, pid=tid or 0)
                _INTERRUPTS[SchedKind(kind)](event, number or 0)
            elif tid is not None and (kind, other) != (SchedKind.FORK, _KTHREADD):
                # Of a thread that nobody knows there is nothing to say; those of the kernel's own
                # father are no processes to Perfetto.
                actor = other if kind in {SchedKind.WAKEUP, SchedKind.FORK} else tid
                event = bundle.event.add(timestamp=time_ns, pid=actor or 0)
                body = getattr(event, _THREAD_EVENTS[SchedKind(kind)])
                body.pid, body.comm = tid, name
                if kind == SchedKind.FORK and not self._names.is_process(tid):
                    body.clone_flags = _CLONE_THREAD
                elif kind in _CPU_FIELDS and number is not None:
                    setattr(body, _CPU_FIELDS[SchedKind(kind)], number)


_EVENT_COLUMNS = ("kind", "time_ns", "tid", "other_tid", "prev_state_or_vector")
# Fields of proto.FtraceEvent.
_THREAD_EVENTS: Mapping[SchedKind, str] = {
    SchedKind.WAKEUP: "sched_waking",
    SchedKind.MIGRATE: "sched_migrate_task",
    SchedKind.FORK: "task_newtask",
    SchedKind.EXIT: "sched_process_exit",
}
# Where the thread is to run.
_CPU_FIELDS: Mapping[SchedKind, str] = {
    SchedKind.WAKEUP: "target_cpu",
    SchedKind.MIGRATE: "dest_cpu",
}


def _fill_irq_in(event: Packet, number: int) -> None:
    event.irq_handler_entry.irq = number
    # A CPU's own interrupts have no number of Linux's, but a vector.
    event.irq_handler_entry.name = str(number) if number >= 0 else f"vector {-number}"


def _fill_irq_out(event: Packet, number: int) -> None:
    event.irq_handler_exit.irq = number


def _fill_softirq_in(event: Packet, number: int) -> None:
    event.softirq_entry.vec = number


def _fill_softirq_out(event: Packet, number: int) -> None:
    event.softirq_exit.vec = number


_INTERRUPTS: Mapping[SchedKind, Callable[[Packet, int], None]] = {
    SchedKind.IRQ_IN: _fill_irq_in,
    SchedKind.IRQ_OUT: _fill_irq_out,
    SchedKind.SOFTIRQ_IN: _fill_softirq_in,
    SchedKind.SOFTIRQ_OUT: _fill_softirq_out,
}


class _LostRecords:
    """Shows where records are missing: from the last one of a CPU before to the first one after."""

    def __init__(self, writer: PacketWriter, trace: TraceResult) -> None:
        self._writer = writer
        self._trace = trace
        self._tracks: dict[int, int] = {}
        # By CPU: the number that the next record should have, and the time of the last one.
        self._next_seq: dict[int, int] = {}
        self._last_ns: dict[int, int | None] = {}

    def take(self, cpu: int, rows: Sched) -> None:
        """Look for gaps in the next rows of a CPU."""
        seq = np.ma.getdata(rows["seq"]).astype(np.int64)
        time_ns = np.ma.getdata(rows["time_ns"])
        expected = self._next_seq.get(cpu, 0)
        missing = np.diff(seq, prepend=expected - 1) - 1
        for index in np.flatnonzero(missing > 0):
            last_ns = self._last_ns.get(cpu, self._trace.started_ns)
            before_ns = last_ns if index == 0 else int(time_ns[index - 1])
            self._show(cpu, before_ns, int(time_ns[index]), int(missing[index]))
        self._next_seq[cpu] = int(seq[-1]) + 1
        self._last_ns[cpu] = int(time_ns[-1])

    def close(self) -> None:
        """Show what was lost after the last row of each CPU, which only the recorder knows."""
        for one in self._trace.cpus:
            missing = one.rows + one.lost - self._next_seq.get(one.cpu, 0)
            if missing > 0:
                last_ns = self._last_ns.get(one.cpu, self._trace.started_ns)
                self._show(one.cpu, last_ns, self._trace.stopped_ns, missing)

    def _show(self, cpu: int, from_ns: int | None, to_ns: int | None, missing: int) -> None:
        if cpu not in self._tracks:
            self._tracks[cpu] = self._writer.track(f"lost records of CPU {cpu}")
        if from_ns is not None and to_ns is not None:
            self._writer.begin(self._tracks[cpu], from_ns, "lost", {"records_count": missing})
            self._writer.end(self._tracks[cpu], to_ns)


def _has_preempted_flag(release: str | None) -> bool:
    try:
        major, minor = (int(part) for part in (release or "").split(".")[:2])
    except ValueError:
        return False
    return (major, minor) >= _PREEMPTED_FLAG_SINCE


def _text(comm: bytes) -> str:
    return comm.decode("utf-8", errors="replace")
