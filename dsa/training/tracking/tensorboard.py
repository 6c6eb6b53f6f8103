"""Curves for TensorBoard, in the folder `tensorboard` of a run."""

import textwrap
import time

from dsa.training.tracking.tracker import Tracker

FOLDER = "tensorboard"


class TensorBoardTracker(Tracker):
    """Writes a file of events at once, without a thread or a queue that could wait.

    A process replaces the files of the processes before it, and writes the history from
    its first row on: no step is there twice, whenever they were killed.
    """

    writes_at_once = True

    def open(self) -> None:
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import SessionLog  # pyright: ignore[reportAttributeAccessIssue]  # generated
        from tensorboardX.summary import text

        folder = self.run.path.absolute() / FOLDER
        folder.mkdir(exist_ok=True)
        for file in folder.glob("events.out.tfevents.*"):
            file.unlink()
        self.file = EventsWriter(str(folder / "events"))
        # a TensorBoard that has read the earlier file forgets its steps
        self._write(step=0, session_log=SessionLog(status=SessionLog.START))
        code = textwrap.indent(self.experiment.to_yaml(), "    ")  # as Markdown has it
        self._write(step=0, summary=text("config", code))

    def write_step(self, step: int, numbers: dict[str, float]) -> None:
        from tensorboardX.proto.summary_pb2 import Summary  # pyright: ignore[reportAttributeAccessIssue]  # generated

        values = [
            Summary.Value(tag=name, simple_value=number)
            for name, number in numbers.items()
        ]
        self._write(step=step, summary=Summary(value=values))

    def close(self) -> None:
        self.file.close()

    def _write(self, **content):
        from tensorboardX.proto.event_pb2 import Event  # pyright: ignore[reportAttributeAccessIssue]  # generated

        self.file.write_event(Event(wall_time=time.time(), **content))
        self.file.flush()
