# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Reads a Perfetto trace back as trace_processor does, so far as our traces need it.

trace_processor itself comes as a program from the network; this needs only the protobuf.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

Message: TypeAlias = Any  # of the protocol: they have no types


@dataclass
class Slice:
    """A slice; `end_ns` None: still open."""

    name: str
    begin_ns: int
    depth: int
    args: dict[str, Any]
    flows: list[int]
    end_ns: int | None = None

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.begin_ns


@dataclass
class Track:
    name: str
    parent: int
    slices: list[Slice] = field(default_factory=list)
    instants: list[Slice] = field(default_factory=list)
    counts: list[tuple[int, float]] = field(default_factory=list)
    unit: str = ""
    open: list[Slice] = field(default_factory=list)


@dataclass
class Running:
    """A thread on a CPU; `left` is how it left, as the kernel numbers it."""

    cpu: int
    tid: int
    comm: str
    begin_ns: int
    end_ns: int | None = None
    left: int | None = None


@dataclass
class Decoded:
    tracks: dict[int, Track] = field(default_factory=dict)
    running: list[Running] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    threads: dict[int, tuple[int, str]] = field(default_factory=dict)
    processes: dict[int, str] = field(default_factory=dict)
    release: str = ""

    def track(self, name: str, parent: str | None = None) -> Track:
        found = [
            one
            for one in self.tracks.values()
            if one.name == name and (parent is None or self.tracks[one.parent].name == parent)
        ]
        assert len(found) == 1, f"{len(found)} tracks {name}"
        return found[0]

    def names(self) -> list[str]:
        return [one.name for one in self.tracks.values()]


def decode(data: bytes) -> Decoded:
    trace = proto.Trace.FromString(data)
    decoded = Decoded()
    _read_descriptors(trace, decoded)
    _read_events(trace, decoded)
    _read_sched(trace, decoded)
    return decoded


def _read_descriptors(trace: Message, decoded: Decoded) -> None:
    for packet in sorted(trace.packet, key=lambda packet: packet.timestamp):
        if packet.HasField("track_descriptor"):
            one = packet.track_descriptor
            assert one.uuid not in decoded.tracks
            track = Track(one.name, one.parent_uuid, unit=one.counter.unit_name)
            decoded.tracks[one.uuid] = track
        elif packet.HasField("process_tree"):
            for thread in packet.process_tree.threads:
                decoded.threads[thread.tid] = (thread.tgid, thread.name)
            for process in packet.process_tree.processes:
                decoded.processes[process.pid] = process.cmdline[0]
        elif packet.HasField("system_info"):
            decoded.release = packet.system_info.utsname.release


def _read_events(trace: Message, decoded: Decoded) -> None:
    names: dict[int, str] = {}
    found: list[tuple[int, Any, dict[str, Any]]] = []
    # Names are told in the order of the file; events count in the order of time.
    for packet in trace.packet:
        names |= {one.iid: one.name for one in packet.interned_data.debug_annotation_names}
        if packet.HasField("track_event"):
            args = {
                names[one.name_iid]: getattr(one, one.WhichOneof("value"))
                for one in packet.track_event.debug_annotations
            }
            found.append((packet.timestamp, packet.track_event, args))
    for time_ns, event, args in sorted(found, key=lambda one: one[0]):
        _take_event(decoded.tracks[event.track_uuid], time_ns, event, args)


def _take_event(track: Track, time_ns: int, event: Message, args: dict[str, Any]) -> None:
    if event.type == event.TYPE_SLICE_BEGIN:
        flows = list(event.terminating_flow_ids)
        one = Slice(event.name, time_ns, len(track.open), args, flows)
        track.open.append(one)
        track.slices.append(one)
    elif event.type == event.TYPE_SLICE_END:
        track.open.pop().end_ns = time_ns
    elif event.type == event.TYPE_INSTANT:
        one = Slice(event.name, time_ns, len(track.open), args, list(event.flow_ids), time_ns)
        track.instants.append(one)
    else:
        assert event.type == event.TYPE_COUNTER
        kind = event.WhichOneof("counter_value_field")
        track.counts.append((time_ns, getattr(event, kind)))


def _read_sched(trace: Message, decoded: Decoded) -> None:
    open_by_cpu: dict[int, Running | None] = {}
    for packet in trace.packet:
        if not packet.HasField("ftrace_events"):
            continue
        bundle = packet.ftrace_events
        decoded.events += [(bundle.cpu, event) for event in bundle.event]
        for time_ns, left, tid, comm in _switches(bundle.compact_sched):
            if bundle.cpu not in open_by_cpu:
                open_by_cpu[bundle.cpu] = None  # the first one is dropped
                continue
            before = open_by_cpu[bundle.cpu]
            if before is not None:
                assert time_ns >= before.begin_ns
                before.end_ns, before.left = time_ns, left
            open_by_cpu[bundle.cpu] = Running(bundle.cpu, tid, comm, time_ns)
            decoded.running.append(open_by_cpu[bundle.cpu])


def _switches(compact: Message) -> Iterator[tuple[int, int, int, str]]:
    time_ns = 0
    columns = (
        compact.switch_timestamp,
        compact.switch_prev_state,
        compact.switch_next_pid,
        compact.switch_next_prio,
        compact.switch_next_comm_index,
    )
    for step_ns, left, tid, _, comm in zip(*columns, strict=True):
        time_ns += step_ns
        yield time_ns, left, tid, compact.intern_table[comm]
