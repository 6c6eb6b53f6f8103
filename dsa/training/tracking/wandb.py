"""Weights & Biases tracker, offline unless `WANDB_MODE` is set."""

import os
import shutil
from pathlib import Path
from typing import Any

from dsa.training.tracking.tracker import PROJECT, Tracker

OFFLINE = "offline"


class WandbTracker(Tracker):
    """Writes the history to a run of Weights & Biases.

    The files are in `wandb/` below the working directory or `WANDB_DIR`, not in the run
    folder. Offline, each process replaces the files of earlier processes and writes the
    complete history. Online, the last step is read from the server.
    """

    def open(self) -> None:
        import wandb

        client: Any = wandb
        mode = os.environ.get("WANDB_MODE") or OFFLINE
        self.wandb_run = client.init(
            project=os.environ.get("WANDB_PROJECT") or PROJECT,
            id=self.run_id,
            name=self.name,
            config=self.flat_settings(),
            mode=mode,
            resume=None if mode == OFFLINE else "allow",
            reinit="create_new",  # an open run of the user stays open
            settings=client.Settings(console="off", silent=True),
        )
        self.last = self.wandb_run.step - 1
        if mode == OFFLINE:
            _remove_earlier(Path(self.wandb_run.dir).parent, self.run_id)

    def write_step(self, step: int, numbers: dict[str, float]) -> None:
        self.wandb_run.log(numbers, step=step)

    def close(self) -> None:
        self.wandb_run.finish()


def _remove_earlier(folder, run_id):
    """Removes the offline folders of earlier processes of a run."""
    for path in folder.parent.glob(f"offline-run-*-{run_id}"):
        if path.name != folder.name:
            shutil.rmtree(path)
