"""Reader of the event files of TensorBoard: length, checksum, data, checksum."""

import struct


def read_events(folder):
    """Returns the events of the files of a folder, in order."""
    from tensorboardX.proto.event_pb2 import Event

    events = []
    for path in sorted(folder.glob("events.out.tfevents.*")):
        data, position = path.read_bytes(), 0
        while position < len(data):
            (length,) = struct.unpack_from("<Q", data, position)
            begin = position + 12
            events.append(Event.FromString(data[begin : begin + length]))
            position = begin + length + 4
    return events


def read_scalars(folder):
    """Returns the scalars as `{name: [(step, number), ...]}`, in order."""
    scalars = {}
    for event in read_events(folder):
        for value in event.summary.value:
            if value.HasField("simple_value"):
                point = event.step, value.simple_value
                scalars.setdefault(value.tag, []).append(point)
    return scalars
