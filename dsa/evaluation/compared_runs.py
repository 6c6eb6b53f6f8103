"""Trained runs that are looked at beside each other."""

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
    """Runs of one task that are shown beside each other.

    Args:
        folders: the `RunFolder`s.
        names: their names in figures; `None` for the settings that differ.
        vectors: a vector file for words that the runs lack.
        root: the data root, as given on the command line.
    """

    folders: Sequence[RunFolder]
    names: Sequence[str] | None = None
    vectors: str | None = None
    root: Path | str | None = None

    @property
    def data_root(self) -> Path:
        return data_root(self.root)

    def load(self) -> dict[str, TrainedModel]:
        """Returns `{name: TrainedModel}`, in the order of the folders.

        Raises: `InputError` for runs that answer differently, and for names that are
            not one for each run.
        """
        if self.names is not None:
            check_names(self.names, len(self.folders))
        check_same_task(self.folders)
        trained = [load(run, self.vectors, self.data_root) for run in self.folders]
        names = self.names or name_runs(self.folders)
        return dict(zip(names, trained, strict=True))
