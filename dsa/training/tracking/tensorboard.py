"""TensorBoard tracker, which writes to the subfolder `tensorboard/` of a run folder."""

import textwrap
import time

import yaml

from dsa.training.tracking.tracker import Tracker

EVENT_FOLDER = "tensorboard"


class TensorBoardTracker(Tracker):
    """Writes the history to a TensorBoard event file.

    Each process replaces the event files of earlier processes and writes the complete
    history, so no step is duplicated if a process is killed.
    """

    is_synchronous = True

    def open(self) -> None:
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import SessionLog  # pyright: ignore[reportAttributeAccessIssue]  # generated
        from tensorboardX.summary import text

        folder = self.folder.absolute() / EVENT_FOLDER
        folder.mkdir(exist_ok=True)
        for file in folder.glob("events.out.tfevents.*"):
            file.unlink()
        self.writer = EventsWriter(str(folder / "events"))
        # a running TensorBoard then discards the steps of the earlier file
        self._write_event(step=0, session_log=SessionLog(status=SessionLog.START))
        config = yaml.safe_dump(self.settings, sort_keys=False)
        markdown = textwrap.indent(config, "    ")  # a code block
        self._write_event(step=0, summary=text("config", markdown))

    def write_step(self, step: int, values: dict[str, float]) -> None:
        from tensorboardX.proto.summary_pb2 import Summary  # pyright: ignore[reportAttributeAccessIssue]  # generated

        summary_values = [
            Summary.Value(tag=name, simple_value=value)
            for name, value in values.items()
        ]
        self._write_event(step=step, summary=Summary(value=summary_values))

    def close(self) -> None:
        self.writer.close()

    def _write_event(self, **content):
        from tensorboardX.proto.event_pb2 import Event  # pyright: ignore[reportAttributeAccessIssue]  # generated

        self.writer.write_event(Event(wall_time=time.time(), **content))
        self.writer.flush()
