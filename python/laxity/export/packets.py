# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The packets of a Perfetto trace: tracks, slices, instants and counters, written as they come.

Times are those of the run's clock as they are: a trace without snapshots of clocks has one clock,
on which packets and kernel events agree.
"""

from collections.abc import Mapping
from typing import Any, BinaryIO, TypeAlias

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

Number = int | float
Value = Number | str
Packet: TypeAlias = Any  # a message of the protocol: they have no types

_TRACK_EVENT = proto.TrackEvent
# All packets come from one writer, so that names are stored once.
_SEQUENCE = 1
_STATE_CLEARED = proto.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
_STATE_NEEDED = proto.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
# Some 200 kB: one system call per so many.
_PACKETS_PER_WRITE = 2000
_MIN_INT64 = -(1 << 63)


class PacketWriter:
    """Writes packets to a file, in any order of time: readers sort."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._batch = proto.Trace()
        self._n_tracks = 0
        self._names: dict[str, int] = {}
        packet = self.packet()
        packet.trusted_packet_sequence_id = _SEQUENCE
        packet.sequence_flags = _STATE_CLEARED

    def packet(self) -> Packet:
        """Begin a packet, to be filled at once; the next one ends it."""
        if len(self._batch.packet) >= _PACKETS_PER_WRITE:
            self.flush()
        return self._batch.packet.add()

    def flush(self) -> None:
        """Write what is buffered; at the end by whoever has made the writer."""
        self._file.write(self._batch.SerializeToString())
        self._batch = proto.Trace()

    def track(self, name: str, parent: int = 0, rank: int = 0, description: str = "") -> int:
        """Make a track.

        Args:
            name: As it is shown.
            parent: Track that it stands below; 0: none.
            rank: Place among its siblings, smaller is higher.
            description: What the track shows, in a sentence.

        Returns:
            Its number.
        """
        return int(self._descriptor(name, parent, rank, description).uuid)

    def counter_track(self, name: str, parent: int, rank: int, unit: str) -> int:
        """Make a track for `count`; give its number."""
        descriptor = self._descriptor(name, parent, rank, "")
        descriptor.counter.unit_name = unit
        return int(descriptor.uuid)

    def begin(
        self, track: int, time_ns: int, name: str, args: Mapping[str, Value | None] | None = None,
        flow: int = 0,
    ) -> None:  # fmt: skip
        """Begin a slice, within those of its track that are open."""
        event = self._event(track, time_ns, _TRACK_EVENT.TYPE_SLICE_BEGIN, name, args)
        if flow:
            event.terminating_flow_ids.append(flow)

    def end(self, track: int, time_ns: int) -> None:
        """End the slice of a track that was begun last."""
        self._event(track, time_ns, _TRACK_EVENT.TYPE_SLICE_END)

    def instant(
        self, track: int, time_ns: int, name: str, args: Mapping[str, Value | None] | None = None,
        flow: int = 0,
    ) -> None:  # fmt: skip
        """Mark a point in time; `flow`: an arrow leads from it to the slice of the same number."""
        event = self._event(track, time_ns, _TRACK_EVENT.TYPE_INSTANT, name, args)
        if flow:
            event.flow_ids.append(flow)

    def count(self, track: int, time_ns: int, value: Number) -> None:
        """Return the value of a counter."""
        event = self._event(track, time_ns, _TRACK_EVENT.TYPE_COUNTER)
        if isinstance(value, float):
            event.double_counter_value = value
        else:
            event.counter_value = value

    def _descriptor(self, name: str, parent: int, rank: int, description: str) -> Packet:
        self._n_tracks += 1
        descriptor = self.packet().track_descriptor
        descriptor.uuid = self._n_tracks
        descriptor.name = name
        descriptor.sibling_order_rank = rank
        descriptor.child_ordering = proto.TrackDescriptor.EXPLICIT
        if parent:
            descriptor.parent_uuid = parent
        if description:
            descriptor.description = description
        return descriptor

    def _event(
        self, track: int, time_ns: int, kind: int, name: str = "",
        args: Mapping[str, Value | None] | None = None,
    ) -> Packet:  # fmt: skip
        packet = self.packet()
        packet.timestamp = time_ns
        packet.trusted_packet_sequence_id = _SEQUENCE
        packet.sequence_flags = _STATE_NEEDED
        event = packet.track_event
        event.type = kind
        event.track_uuid = track
        if name:
            event.name = name
        for key, value in (args or {}).items():
            if value is not None:
                self._annotate(packet, key, value)
        return event

    def _annotate(self, packet: Packet, key: str, value: Value) -> None:
        number = self._names.get(key)
        if number is None:
            number = self._names[key] = len(self._names) + 1
            packet.interned_data.debug_annotation_names.add(iid=number, name=key)
        annotation = packet.track_event.debug_annotations.add(name_iid=number)
        if isinstance(value, str):
            annotation.string_value = value
        elif isinstance(value, float):
            annotation.double_value = value
        elif value >= -_MIN_INT64:
            annotation.uint_value = value
        else:
            annotation.int_value = value
