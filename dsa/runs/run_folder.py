"""Run folder with the files of a training run."""

import errno
import functools
import json
import logging
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.earlier_config import convert_earlier_settings
from dsa.experiment.strict_yaml import parse_yaml
from dsa.experiment.yaml_file import validate_settings
from dsa.runs import run_files, run_records
from dsa.system.atomic_files import write_atomically
from dsa.system.folder_lock import EVALUATION, hold_folder
from dsa.system.reading import open_regular
from dsa.system.text_tables import format_csv

WITH_DEV = "with_dev"  # subfolder of the refit on train and dev
Entry = dict[str, Any]  # an evaluation in a JSON file
log = logging.getLogger(__name__)


class RunFolder:
    """A run folder, with methods that read and write its files.

    Args:
        path: path of the folder, which may not exist.
        known_as: name of the release or address of the run, for tables; `None` for a
            local run.
    """

    def __init__(self, path: Path | str, known_as: str | None = None) -> None:
        self.path = Path(path)
        self.known_as = known_as
        self.weights = self.path / "best.weights.h5"
        self.features = self.path / "features.npz"
        self.pair_features = self.path / "pair_features.npz"
        self.feature_scale = self.path / "feature_scale.npz"
        self.state = self.path / run_files.STATE_FILE
        self.log = self.path / "log.txt"

    def __repr__(self) -> str:
        return f"RunFolder('{self.path}')"

    def __str__(self) -> str:
        return str(self.path)

    __fspath__ = __str__

    def is_started(self) -> bool:
        """Returns whether the folder contains the config of a run."""
        return (self.path / "config.yaml").is_file()

    def has(self, name: str) -> bool:
        """Returns whether the folder contains a file."""
        return (self.path / name).exists()

    def hold(self, work: str) -> AbstractContextManager[None]:
        """Returns a context manager that locks the folder, see `hold_folder`."""
        return hold_folder(self.path, work)

    def check_not_training(self) -> None:
        """Raises `BusyError` if a training process has locked the folder.

        Does nothing for a read-only folder.
        """
        try:
            with self.hold(EVALUATION):
                pass
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EROFS):
                raise

    def check_folder(self) -> None:
        """Raises `InputError` if the folder is missing or contains a named pipe or a
        device, see `run_files.check_folder`."""
        run_files.check_folder(self.path)

    def write(self, name: str, content: str | bytes) -> None:
        """Writes a file atomically. Writing a model file removes `sha256.json`."""
        if name in run_files.MODEL_FILES:
            with self.replace_file(name) as path:
                write_atomically(path, content)
        else:
            write_atomically(self.path / name, content)

    def replace_file(self, name: str) -> AbstractContextManager[Path]:
        """Returns a context manager that replaces a model file and removes
        `sha256.json`, see `run_files.replace_model_file`."""
        return run_files.replace_model_file(self.path, name)

    def write_json(self, name: str, content: Any) -> None:
        """Writes a JSON file."""
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        # escapes unpaired surrogates, such as in file names that are not UTF-8
        self.write(name, text.encode(errors="backslashreplace"))

    def write_history(self, rows: list[dict[str, Any]]) -> None:
        """Writes `history.csv` from a list of dictionaries with the same keys."""
        self.write("history.csv", format_csv(rows))

    def read(self, name: str) -> str:
        """Returns the content of a text file.

        Raises: `InputError` if the file is missing, not readable or not UTF-8.
        """
        try:
            with open_regular(self.path / name) as file:
                return file.read().decode("utf-8")
        except FileNotFoundError:
            self.check_folder()
            raise InputError(
                f"{self.path} is an incomplete run: {name} is missing"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self.path / name}: not readable: {error}") from error

    def read_json(self, name: str) -> Any:
        """Returns the content of a JSON file.

        Raises: the errors of `read`, and `InputError` if the file is not JSON.
        """
        try:
            return json.loads(self.read(name))
        except InputError:
            raise
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path / name}: not JSON: {error}") from error

    def write_record(self) -> None:
        """Writes `sha256.json` at the end of training."""
        run_files.write_record(self.path)

    def is_verified(self) -> bool:
        """Returns whether the run has a `sha256.json`."""
        return (self.path / run_files.CHECKSUM_FILE).is_file()

    def check_files(self) -> None:
        """Compares the model files with `sha256.json`, if the run has this file.

        Raises: `InputError` if a model file is changed, added or missing.
        """
        record = run_files.read_record(self.path)
        if record is None:
            return
        changed = run_files.list_changed_files(self.path, record)
        if not changed or not self.is_verified():  # removed by a training process
            return
        missing = [name for name in changed if not (self.path / name).is_file()]
        if missing:
            raise InputError(
                f"{self.path} is an incomplete run: {', '.join(missing)} is missing"
            )
        raise InputError(
            f"{self.path}: changed after training: {', '.join(changed)}. To accept the "
            f"change, delete {self.path / run_files.CHECKSUM_FILE}: the run is then "
            "unverified"
        )

    def describe_weights(self) -> dict[str, Any]:
        """Returns the entries that identify the weights in a record of an evaluation.

        Returns: a dictionary with `weights_sha256` if the run has weights, and with
            `"verified": False` if the run has no `sha256.json`.
        """
        description: dict[str, Any] = {}
        digest = run_files.read_weights_sha256(self.path)
        if digest:
            description["weights_sha256"] = digest
        if not self.is_verified():
            description["verified"] = False
        return description

    def experiment(self) -> Experiment:
        """Returns the resolved `Experiment` of the run."""
        return _read_experiment(self.read("config.yaml"), self.path / "config.yaml")

    def environment(self) -> dict[str, Any]:
        """Returns the content of `environment.json`.

        Raises: the errors of `read_json` and `check_environment`.
        """
        content = self.read_json("environment.json")
        return run_records.check_environment(content, self.path)

    def vocabulary(self) -> Vocabulary:
        """Returns the vocabulary of the run.

        Raises: `InputError` if the file is missing or damaged.
        """
        try:
            return Vocabulary.from_text(self.read("vocabulary.txt"))
        except ValueError as error:
            raise InputError(f"{self.path / 'vocabulary.txt'}: {error}") from error

    def splits(self, rows: int | None = None) -> dict[str, np.ndarray]:
        """Returns the row numbers of each split of `DataConfig.divided_file`.

        Args:
            rows: number of rows of the file, to check the row numbers; `None` if it is
                unknown.

        Returns: `{split: int array}`; empty if no file is divided into splits.

        Raises: `InputError` if the rows of a split are missing or out of range.
        """
        shared = self.experiment().data.splits_of_divided_file
        if not shared:
            return {}
        content = self.read_json("splits.json")
        run_records.check_splits(content, self.path / "splits.json", shared, rows)
        return {split: np.array(part, np.int64) for split, part in content.items()}

    def metrics(self) -> list[Entry]:
        """Returns all evaluations in `metrics.json`."""
        return self._read_entries("metrics.json", "split")

    def current_evaluations(self) -> list[Entry]:
        """Returns the verified evaluations of the current weights in `metrics.json`.

        Evaluations without the key `weights_sha256` count as current.
        """
        digest = run_files.read_weights_sha256(self.path)

        def is_current(entry):
            # up to version 0.2, unverified evaluations had the key `trusted`
            is_verified = entry.get("verified", True) and not entry.get("trusted")
            return is_verified and (
                not digest or entry.get("weights_sha256", digest) == digest
            )

        return [entry for entry in self.metrics() if is_current(entry)]

    def add_metrics(self, evaluation: Entry) -> None:
        """Appends an evaluation to `metrics.json`."""
        self._add_entry("metrics.json", "split", evaluation)

    def try_to_add_metrics(self, evaluation: Entry) -> None:
        """Appends an evaluation to `metrics.json`. Logs a warning on an `OSError`, such
        as a read-only folder, so that the caller can return its own result."""
        try:
            self.add_metrics(evaluation)
        except OSError as error:
            reason = error.strerror or error
            log.warning("%s: the evaluation is not recorded: %s", self.path, reason)

    def add_transfer(self, evaluation: Entry) -> None:
        """Appends an evaluation to `transfer.json`."""
        self._add_entry("transfer.json", "task", evaluation)

    def _add_entry(self, name, key, entry):
        with self.hold(EVALUATION):
            entries = [*self._read_entries(name, key), entry]
            self.write_json(name, {"evaluations": entries})

    def _read_entries(self, name, key):
        """Returns the `evaluations` of a file, or an empty list if it is missing."""
        if not self.has(name):
            return []
        return run_records.check_entries(self.read_json(name), self.path / name, key)


@functools.lru_cache(maxsize=1024)  # tables read hundreds of runs repeatedly
def _read_experiment(text, path):
    settings = parse_yaml(text, path)
    return validate_settings(convert_earlier_settings(settings), path)


def is_finished(run: RunFolder) -> bool:
    """Returns whether a run has reached its last step or stopped early."""
    if not run.has("environment.json") or not run.has("history.csv"):
        return False
    environment = run.environment()
    config = run.experiment().training
    last_step = config.last_step(environment.get("steps_per_epoch", 1))
    return environment.get("steps", 0) >= last_step or environment.get("stopped", False)


def is_complete(run: RunFolder) -> bool:
    """Returns whether a run has finished, including its refit on train and dev
    (`training.refit_with_dev`)."""
    if not is_finished(run):
        return False
    refits = run.experiment().training.refit_with_dev
    return not refits or is_finished(RunFolder(run.path / WITH_DEV))
