"""Curves in Weights & Biases: offline, unless `WANDB_MODE` says otherwise."""

import os
import shutil
from pathlib import Path
from typing import Any

from dsa.training.tracking.tracker import PROJECT, Tracker

OFFLINE = "offline"


class WandbTracker(Tracker):
    """Writes into a run of W&B. Its files are where W&B has them, in `wandb/` below the
    working directory or `WANDB_DIR`: there are links among them, which a run folder
    must not hold.

    Offline, a process replaces what the processes before it have left there, and writes
    the history from its first row on. Online, it asks the server which steps it has.
    """

    def open(self) -> None:
        import wandb

        client: Any = wandb
        mode = os.environ.get("WANDB_MODE") or OFFLINE
        self.wandb_run = client.init(
            project=os.environ.get("WANDB_PROJECT") or PROJECT,
            id=self.run_id,
            name=self.name,
            config=self.settings(),
            mode=mode,
            resume=None if mode == OFFLINE else "allow",
            reinit="create_new",  # leaves a run of the user's alone
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
    """Remove what other processes have left of a run, beside its folder."""
    for other in folder.parent.glob(f"offline-run-*-{run_id}"):
        if other.name != folder.name:
            shutil.rmtree(other)
