"""Reads the event files of TensorBoard, as the format says: length, checksum, data,
checksum."""

import struct


def read_events(folder):
    """All events of the files of a folder, in their order."""
    from tensorboardX.proto.event_pb2 import Event

    events = []
    for path in sorted(folder.glob("events.out.tfevents.*")):
        data, place = path.read_bytes(), 0
        while place < len(data):
            (length,) = struct.unpack_from("<Q", data, place)
            begin = place + 12
            events.append(Event.FromString(data[begin : begin + length]))
            place = begin + length + 4
    return events


def read_scalars(folder):
    """`{name: [(step, number), ...]}` of the scalars, in the order of the events."""
    scalars = {}
    for event in read_events(folder):
        for value in event.summary.value:
            if value.HasField("simple_value"):
                point = event.step, value.simple_value
                scalars.setdefault(value.tag, []).append(point)
    return scalars
