"""Studies: finished runs stored as data, without a folder for each run.

    study.yaml        question, command, criteria, data, device, limitations
    runs.jsonl        a run per line: name, config, environment, history and metrics
    answers.parquet   predictions of the runs, see `evaluation.study_answers`
    rows.parquet      labels, lengths and groups of the predicted rows

The name of a run is its path inside the study, such as `seeds/dsa/seed-16`. This path
identifies the run wherever a run folder is expected, although no such folder exists.
"""

import functools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.system.reading import read_text
from dsa.system.text_tables import format_csv

RUNS = "runs.jsonl"
RECORD_KEYS = {  # files of a run folder, and their keys in a record
    "config.yaml": "config",
    "environment.json": "environment",
    "history.csv": "history",
    "metrics.json": "metrics",
    "splits.json": "splits",
}
Record = dict[str, Any]  # a line of `runs.jsonl`


class StudyRun(RunFolder):
    """A run of a study, with the interface of a run folder.

    It has the files `config.yaml`, `environment.json`, `history.csv`, `metrics.json`
    and, if splits share a file, `splits.json`. It has no weights and is read-only.

    Args:
        study: folder of the study.
        record: line of `runs.jsonl`.
    """

    def __init__(self, study: Path, record: Record) -> None:
        super().__init__(study / record["run"])
        self.study = study
        self.record = record

    def has(self, name: str) -> bool:
        return RECORD_KEYS.get(name) in self.record

    def read(self, name: str) -> str:
        """Returns the content of a file.

        Raises: `InputError` if the run has no such file.
        """
        if not self.has(name):
            raise InputError(
                f"{self.path}: runs of the study {self.study} have no {name}"
            )
        return self._texts[name]

    @functools.cached_property
    def _texts(self):
        record = self.record
        texts = {
            "config.yaml": yaml.safe_dump(record["config"], sort_keys=False),
            "environment.json": json.dumps(record["environment"]),
            "history.csv": format_csv(record["history"]),
            "metrics.json": json.dumps({"evaluations": record["metrics"]}),
        }
        if "splits" in record:
            texts["splits.json"] = json.dumps(record["splits"])
        return texts


def read_study(study: Path) -> list[StudyRun]:
    """Returns the runs of a study, sorted by name.

    Raises: `InputError` if `runs.jsonl` is damaged.
    """
    path = study / RUNS
    status = path.stat()
    return _read_runs(study, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=256)
def _read_runs(study, _modified, _size):
    """Reads `runs.jsonl`. The cache key contains the time and size of the file."""
    path = study / RUNS
    try:
        records = [json.loads(line) for line in read_text(path).splitlines()]
        return [StudyRun(study, record) for record in records]
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: damaged: {error}") from error


def find_study(path: Path) -> Path | None:
    """Returns the study that contains a path, or `None`.

    A study is a folder with `runs.jsonl`.
    """
    for folder in (path, *path.parents):
        if (folder / RUNS).is_file():
            return folder
    return None


def find_study_run(path: Path) -> StudyRun | None:
    """Returns the run of a study at a path, or `None`."""
    study = find_study(path)
    if study is None:
        return None
    for run in read_study(study):
        if run.path == path:
            return run
    return None


def list_runs(folder: Path) -> list[RunFolder]:
    """Returns the run folders and the runs of studies in a folder, sorted by path.

    Args:
        folder: a folder or a run, or a path inside a study, such as
            `results/distance_mask/seeds`.
    """
    study = find_study(folder)
    if study is not None:
        runs = read_study(study)
        return [run for run in runs if folder in (run.path, *run.path.parents)]
    runs = [RunFolder(config.parent) for config in folder.rglob("config.yaml")]
    for path in folder.rglob(RUNS):
        runs += read_study(path.parent)
    return sorted(runs, key=lambda run: run.path)


def exclude_stages(runs: Iterable[RunFolder]) -> list[RunFolder]:
    """Returns the runs that are not stages of another run in `runs`.

    Training in stages creates a run folder in the folder of the run, for instance for
    the first convolution of BCNN and ABCNN with two convolutions.
    """
    runs = list(runs)
    paths = {run.path for run in runs}
    return [run for run in runs if paths.isdisjoint(run.path.parents)]
