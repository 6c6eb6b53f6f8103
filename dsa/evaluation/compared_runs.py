"""Runs to compare in a figure or a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.inference.loading import load
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import check_names, check_same_task, name_runs
from dsa.system.folders import data_root

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel


@dataclasses.dataclass(frozen=True)
class ComparedRuns:
    """Runs of one task to compare.

    Args:
        folders: the run folders.
        names: names of the runs in figures; `None` to name the runs after the settings
            that differ between them.
        vectors: vector file for words outside the vocabularies of the runs.
        root: the data root from the command line; `None` for the default data root.
    """

    folders: Sequence[RunFolder]
    names: Sequence[str] | None = None
    vectors: str | None = None
    root: Path | str | None = None

    @property
    def data_root(self) -> Path:
        """Path of the data root."""
        return data_root(self.root)

    def load(self) -> dict[str, TrainedModel]:
        """Loads the runs in the order of the folders.

        Returns: `{run name: TrainedModel}`.

        Raises: `InputError` if the runs have different tasks, or if the number of names
            differs from the number of runs.
        """
        if self.names is not None:
            check_names(self.names, len(self.folders))
        check_same_task(self.folders)
        trained = [load(run, self.vectors, self.data_root) for run in self.folders]
        names = self.names or name_runs(self.folders)
        return dict(zip(names, trained, strict=True))
