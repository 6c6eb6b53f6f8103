"""Finished runs and missing evaluations.

A run is identified by its resolved config and the fingerprints of its data, independent
of its folder.
"""

import functools
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dsa.data.corpora.files import fingerprint_if_present, is_present
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.earlier_config import check_no_retired_settings
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.runs.studies import list_runs

NOT_IN_TABLES = "not_in_tables.md"
log = logging.getLogger(__name__)


class Runs:
    """The runs below a folder: run folders and runs of studies.

    Stages, whose folders are below their run folder, are excluded, and so are
    runs in or below a folder with a file `NOT_IN_TABLES`, which contains the reason.

    Args:
        folder: the folder to search.
        root: the data root.
    """

    def __init__(self, folder: str | Path, root: str | Path):
        self.root = root
        candidates = {}
        excluded = {path.parent for path in Path(folder).rglob(NOT_IN_TABLES)}
        for run in list_runs(Path(folder)):
            if not excluded.isdisjoint((run.path, *run.path.parents)):
                continue
            config = run.path / "config.yaml"
            try:
                check_no_retired_settings(run.read("config.yaml"), config)
                candidates[run.path] = run, run.experiment().decisive_settings()
            except InputError as error:  # retired settings, or not a run
                _log_excluded(str(error))
        self._runs = [
            run
            for path, run in candidates.items()
            if candidates.keys().isdisjoint(path.parents)
        ]

    def list_finished(self) -> list[RunFolder]:
        """Returns all finished runs, independent of their data."""
        return [run for run, _ in self._runs if is_finished(run)]

    def find(self, experiment: Experiment) -> RunFolder | None:
        """Returns the finished run of an experiment, or `None`.

        Runs that were trained on other data than below the data root are ignored.
        """
        settings = experiment.decisive_settings()
        for run, run_settings in self._runs:
            if run_settings != settings:
                continue
            try:
                if is_finished(run) and self._has_same_data(run, experiment.data):
                    return run
            except InputError as error:  # damaged
                log.warning("left out: %s", error)
        return None

    def _has_same_data(self, run, data):
        """Returns whether a run was trained on the files below the data root.

        Missing files are ignored.
        """
        sha256 = run.environment()["sha256"]
        for split, name in data.training_files.items():
            fingerprint = fingerprint_if_present(self.root, name)
            if fingerprint and fingerprint != sha256.get(split):
                log.info(
                    "%s: the %s data differ from the file below the data root",
                    run.path,
                    split,
                )
                return False
        return True


@functools.cache
def _log_excluded(reason: str) -> None:
    """Logs why a run is excluded, once in a process for all tables that search it."""
    log.info("left out: %s", reason)


def read_evaluations(run: RunFolder, root: str | Path) -> dict[str, dict[str, Any]]:
    """Returns the last evaluation of each split of a run, see `RunFolder.own_metrics`.

    Evaluations of files that have changed since are ignored.

    Returns: `{split: entry of metrics.json}`.
    """
    data = run.experiment().data
    evaluations = {}
    for entry in run.own_metrics():
        name = data.file(entry["split"])
        fingerprint = fingerprint_if_present(root, name) if name else None
        if not fingerprint or fingerprint == entry.get("sha256"):
            evaluations[entry["split"]] = entry
    return evaluations


def find_missing_splits(
    run: RunFolder, splits: Iterable[str], root: str | Path
) -> list[str]:
    """Returns the splits with a file and without an evaluation."""
    evaluated = read_evaluations(run, root)
    data = run.experiment().data
    missing = []
    for split in splits:
        name = data.file(split)
        if split in evaluated or name is None:
            continue
        if is_present(root, name):
            missing.append(split)
    return missing


def warn_of_known_rows(
    chosen: Sequence[str] = (), trained_on_dev: Sequence[str] = ()
) -> list[str]:
    """Returns Markdown warnings about optimistic metrics.

    Args:
        chosen: names of table rows whose checkpoint was selected on test.
        trained_on_dev: names of table rows whose model was trained on dev.
    """
    reasons = {
        "Checkpoints chosen on the test rows": chosen,
        "Trained on the rows of dev": trained_on_dev,
    }
    return [
        f"**{reason} themselves: {', '.join(dict.fromkeys(names))}. "
        "Their numbers are too good.**"
        for reason, names in reasons.items()
        if names
    ]
