"""Finished runs and missing evaluations.

Runs are matched by `Experiment.result_settings` and the fingerprints of their data,
regardless of their folder names.
"""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dsa.data.corpora.files import fingerprint_if_present, is_present
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig
from dsa.experiment.earlier_config import check_no_retired_settings
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.runs.studies import exclude_stages, list_runs

EXCLUSION_FILE = "not_in_tables.md"
MAX_LOGGED_EXCLUSIONS = 3  # per search
Settings = dict[str, Any]  # from `Experiment.result_settings`
log = logging.getLogger(__name__)
_logged_exclusions: set[str] = set()


class RunIndex:
    """Index of runs by the settings that determine their results.

    Args:
        runs: the runs with their settings.
        data_root: the data root.
    """

    def __init__(
        self, runs: Sequence[tuple[RunFolder, Settings]], data_root: str | Path
    ):
        self.runs = runs
        self.data_root = data_root

    @classmethod
    def scan(cls, folder: str | Path, data_root: str | Path) -> "RunIndex":
        """Returns an index of the runs below a folder: run folders and runs of studies.

        Subfolders with the stages of a run are not listed. A file `EXCLUSION_FILE`
        excludes all runs in and below its folder. The file contains the reason.

        Args:
            folder: the folder to search.
            data_root: the data root.
        """
        excluded_folders = {path.parent for path in Path(folder).rglob(EXCLUSION_FILE)}
        settings = {}  # by path
        candidates, runs, exclusions = [], [], []
        for run in list_runs(Path(folder)):
            if not excluded_folders.isdisjoint((run.path, *run.path.parents)):
                continue
            try:
                settings[run.path] = run.experiment().result_settings()
                candidates.append(run)
            except InputError as error:  # not the config of a run
                exclusions.append(error)
        for run in exclude_stages(candidates):
            try:
                config = run.path / "config.yaml"
                check_no_retired_settings(run.read("config.yaml"), config)
                runs.append((run, settings[run.path]))
            except InputError as error:
                exclusions.append(error)
        _log_exclusions(logging.INFO, exclusions)
        return cls(runs, data_root)

    def list_finished(self) -> list[RunFolder]:
        """Returns all finished runs, including runs whose data files have changed."""
        return [run for run, _ in self.runs if is_finished(run)]

    def find(self, experiment: Experiment) -> RunFolder | None:
        """Returns the finished run of an experiment, or `None`.

        A run is ignored if a training file in the data root has changed since.
        """
        settings = experiment.result_settings()
        for run, run_settings in self.runs:
            if run_settings != settings:
                continue
            try:
                if is_finished(run) and self._has_same_data(run, experiment.data):
                    return run
            except InputError as error:  # unreadable run folder
                _log_exclusions(logging.WARNING, [error])
        return None

    def _has_same_data(self, run: RunFolder, data: DataConfig) -> bool:
        """Returns whether the training files in the data root, if present, are the
        files on which a run was trained."""
        sha256 = run.environment()["sha256"]
        for split, name in data.training_files.items():
            fingerprint = fingerprint_if_present(self.data_root, name)
            if fingerprint and fingerprint != sha256.get(split):
                log.info(
                    "%s: not reused, because its %s data differ from the file in the "
                    "data root",
                    run.path,
                    split,
                )
                return False
        return True


def _log_exclusions(level: int, errors: Iterable[InputError]) -> None:
    """Logs the first few excluded runs and the number of the others.

    Each run is logged once per process, although each table searches the runs.
    """
    reasons = [r for r in map(str, errors) if r not in _logged_exclusions]
    _logged_exclusions.update(reasons)
    for reason in reasons[:MAX_LOGGED_EXCLUSIONS]:
        log.log(level, "run excluded: %s", reason)
    if len(reasons) > MAX_LOGGED_EXCLUSIONS:
        num_others = len(reasons) - MAX_LOGGED_EXCLUSIONS
        log.log(level, "other runs with unusable configs excluded: %d", num_others)


def read_evaluations(
    run: RunFolder, data_root: str | Path
) -> dict[str, dict[str, Any]]:
    """Returns the latest verified evaluation of each split by the current weights.

    Evaluations of files that have changed since are ignored.

    Returns: `{split: entry of metrics.json}`.
    """
    data = run.experiment().data
    evaluations = {}
    for entry in run.current_evaluations():
        name = data.file(entry["split"])
        fingerprint = fingerprint_if_present(data_root, name) if name else None
        if not fingerprint or fingerprint == entry.get("sha256"):
            evaluations[entry["split"]] = entry
    return evaluations


def find_missing_splits(
    run: RunFolder, splits: Iterable[str], data_root: str | Path
) -> list[str]:
    """Returns the splits that have a data file but no evaluation of it."""
    evaluations = read_evaluations(run, data_root)
    data = run.experiment().data
    missing_splits = []
    for split in splits:
        name = data.file(split)
        if split in evaluations or name is None:
            continue
        if is_present(data_root, name):
            missing_splits.append(split)
    return missing_splits


def format_leakage_warnings(
    selected_on_test: Sequence[str] = (), trained_on_dev: Sequence[str] = ()
) -> list[str]:
    """Returns Markdown warnings about optimistically biased metrics.

    Args:
        selected_on_test: names of table rows whose checkpoints were selected on test.
            Duplicates are removed.
        trained_on_dev: names of table rows whose models were trained on dev.
    """
    warnings = []
    if selected_on_test:
        names = ", ".join(dict.fromkeys(selected_on_test))
        warnings.append(
            f"**Checkpoints selected on the test set: {names}. Their metrics are "
            "optimistically biased.**"
        )
    if trained_on_dev:
        names = ", ".join(dict.fromkeys(trained_on_dev))
        warnings.append(
            f"**Trained on the dev set: {names}. Their metrics are optimistically "
            "biased.**"
        )
    return warnings
