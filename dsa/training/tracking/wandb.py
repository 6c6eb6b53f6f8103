"""Weights & Biases tracker, offline unless `WANDB_MODE` is set."""

import os
import shutil
from pathlib import Path
from typing import Any

from dsa.training.tracking.tracker import PROJECT, Tracker

OFFLINE = "offline"


class WandbTracker(Tracker):
    """Writes the history to a run of Weights & Biases.

    The files are written to the folder `wandb/` in the working directory or in
    `WANDB_DIR`. In offline mode, each process replaces the files of earlier processes
    and writes the complete history. In online mode, the last step is read from the
    server.
    """

    def open(self) -> None:
        import wandb

        client: Any = wandb
        mode = os.environ.get("WANDB_MODE") or OFFLINE
        self.wandb_run = client.init(
            project=os.environ.get("WANDB_PROJECT") or PROJECT,
            id=self.run_id,
            name=self.name,
            config=self.flatten_settings(),
            mode=mode,
            resume=None if mode == OFFLINE else "allow",
            reinit="create_new",  # does not finish other runs of this process
            settings=client.Settings(console="off", silent=True),
        )
        self.last_step = self.wandb_run.step - 1
        if mode == OFFLINE:
            _remove_earlier_folders(Path(self.wandb_run.dir).parent, self.run_id)

    def write_step(self, step: int, values: dict[str, float]) -> None:
        self.wandb_run.log(values, step=step)

    def close(self) -> None:
        self.wandb_run.finish()


def _remove_earlier_folders(folder, run_id):
    """Removes the offline folders of earlier processes of a run.

    Args:
        folder: offline folder of this process, which is kept.
        run_id: identifier of the run.
    """
    for path in folder.parent.glob(f"offline-run-*-{run_id}"):
        if path.name != folder.name:
            shutil.rmtree(path)
