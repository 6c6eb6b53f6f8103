"""Trackio tracker, restricted to local projects."""

import contextlib
import os
import sys
from typing import Any

from dsa.training.tracking.tracker import PROJECT, Tracker

REMOTE_VARIABLES = ("TRACKIO_SPACE_ID", "TRACKIO_SERVER_URL")  # in the environment


class TrackioTracker(Tracker):
    """Writes the history to a run in the Trackio project `dsa`.

    Each process deletes the rows of earlier processes and writes the complete history.

    Raises: `ValueError` if Trackio is configured to write to a remote server.
    """

    def open(self) -> None:
        for variable in REMOTE_VARIABLES:
            if os.environ.get(variable):
                raise ValueError(
                    f"{variable} is set, but only local tracking is supported"
                )
        import trackio

        self.trackio: Any = trackio
        name = f"{self.name} {self.run_id}"
        with contextlib.redirect_stdout(sys.stderr):
            _delete_runs(self.trackio, name)
            self.trackio.init(
                PROJECT,
                name=name,
                config=self.flatten_settings(),
                embed=False,
                auto_log_cpu=False,
                auto_log_gpu=False,
            )

    def write_step(self, step: int, values: dict[str, float]) -> None:
        self.trackio.log(values, step=step)

    def close(self) -> None:
        with contextlib.redirect_stdout(sys.stderr):
            self.trackio.finish()


def _delete_runs(trackio, name):
    """Deletes the runs with a name."""
    try:
        runs = list(trackio.Api().runs(PROJECT))
    except ValueError:  # the project does not exist yet
        return
    for run in runs:
        if run.name == name:
            run.delete()
