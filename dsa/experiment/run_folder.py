"""What a run leaves on disk, and how it is read back.

    config.yaml         the resolved experiment
    splits.json         rows by split of the file that is dealt to several
    vocabulary.txt      one word a line; ids start at 2 (0 padding, 1 unknown)
    best.weights.h5     the weights that the dev metric selected
    features.npz        the same of the feature-based classifier
    pair_features.npz   what training rows taught about features of a pair
    feature_scale.npz   mean and deviation of these features in training
    state/              the last state of training, for --resume
    history.csv         a row per evaluation
    metrics.json        every evaluation of the selected weights, with date and commit
    transfer.json       results of transfer.py
    environment.json    versions, device, commit, fingerprints, parameters, times
    log.txt             what was printed

Every file is written under a temporary name and renamed; none is pickled.
"""

import json
from pathlib import Path

import numpy as np

from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.yaml_file import check_experiment, parse_yaml
from dsa.storage.atomic_files import temporary_files, write_atomically
from dsa.storage.regular_files import open_regular, refuse_irregular
from dsa.storage.text_tables import comma_separated

FORMAT = 1
FILES = (
    "config.yaml",
    "splits.json",
    "vocabulary.txt",
    "best.weights.h5",
    "features.npz",
    "pair_features.npz",
    "feature_scale.npz",
    "state/state.npz",
    "history.csv",
    "metrics.json",
    "transfer.json",
    "environment.json",
    "log.txt",
)


class RunFolder:
    """The files of one run, by name.

    Args:
        path: the folder; it need not exist yet.
    """

    def __init__(self, path):
        self.path = Path(path)
        self._new_folders = []  # those that `create` makes, from the inside out

    def __repr__(self):
        return f"RunFolder('{self.path}')"

    @property
    def weights(self):
        return self.path / "best.weights.h5"

    @property
    def features(self):
        return self.path / "features.npz"

    @property
    def pair_features(self):
        return self.path / "pair_features.npz"

    @property
    def feature_scale(self):
        return self.path / "feature_scale.npz"

    @property
    def state(self):
        return self.path / "state" / "state.npz"

    @property
    def log(self):
        return self.path / "log.txt"

    def is_started(self):
        """Whether a run has written its config here."""
        return (self.path / "config.yaml").is_file()

    def refuse_links(self):
        """Stop at a link in the folder: what is written to it would land elsewhere.
        Also stop at a named pipe or a device, which nothing may wait for.

        Raises: `InputError`, also if there is no such folder.
        """
        if not self.path.is_dir():
            raise InputError(f"{self.path}: no such run folder")
        for file in self.path.rglob("*"):
            if file.is_symlink():
                raise InputError(f"{file}: a link, which a run folder must not hold")
            refuse_irregular(file)

    def create(self):
        """Make the folder for a new run.

        Raises: `InputError` if something is there already: runs are never overwritten.
        """
        if self.path.exists() and (not self.path.is_dir() or self._holds_something()):
            raise InputError(
                f"{self.path} is there already and is not overwritten. Continue it "
                "with --resume, name another folder with --run, or remove it"
            )
        if self.path.exists():
            self.refuse_links()
            self.remove_left_files()
        folders = [self.path, *self.path.parents]
        self._new_folders = [folder for folder in folders if not folder.exists()]
        self.state.parent.mkdir(parents=True, exist_ok=True)

    def discard(self):
        """Remove a new run that failed before its first evaluation: nothing is lost,
        and the corrected command can use the folder. Other files in it stay."""
        if any(self.path.rglob(self.state.name)):  # its own, or of its first stage
            return
        for file in self._own_files():
            file.unlink(missing_ok=True)
        for folder in (self.state.parent, *self._new_folders):
            if any(folder.iterdir()):
                break
            folder.rmdir()

    def _own_files(self):
        """The files that a run writes, and what killed writers of them have left."""
        return [*(self.path / name for name in FILES), *self._left_files()]

    def _left_files(self):
        """The temporary files of killed writers; version 0.1.0 named them otherwise."""
        files = [self.path / name for name in FILES]
        earlier = [file.with_name(f"tmp.{file.name}") for file in files]
        new = [left for file in files for left in temporary_files(file)]
        return [*(file for file in earlier if file.exists()), *new]

    def remove_left_files(self):
        """Remove the temporary files of killed writers; nobody else may be writing."""
        for file in self._left_files():
            file.unlink(missing_ok=True)

    def _holds_something(self):
        """Whether there is more than what a run killed at its very start leaves."""
        left = {self.state.parent, *self._left_files()}
        return any(file not in left for file in self.path.rglob("*"))

    def write(self, name, content):
        """Write a text file of the run."""
        write_atomically(self.path / name, content)

    def write_json(self, name, content):
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        # half a surrogate pair, as in a file name that is no UTF-8, as JSON escapes it
        self.write(name, text.encode(errors="backslashreplace"))

    def write_history(self, rows):
        """Write `history.csv` from a list of dictionaries with the same keys."""
        self.write("history.csv", comma_separated(rows))

    def read(self, name):
        """The text of a file of the run.

        Raises: `InputError` if it is missing or no UTF-8.
        """
        try:
            with open_regular(self.path / name) as file:
                return file.read().decode("utf-8")
        except FileNotFoundError:
            raise InputError(
                f"{self.path} is no complete run: {name} is missing"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self.path / name}: not readable: {error}") from error

    def read_json(self, name):
        try:
            return json.loads(self.read(name))
        except InputError:
            raise
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path / name}: not JSON: {error}") from error

    def experiment(self):
        """The run's resolved `Experiment`."""
        path = self.path / "config.yaml"
        return check_experiment(parse_yaml(self.read("config.yaml"), path), path)

    def environment(self):
        """What `environment.json` holds.

        Raises: `InputError` if another version of the run format wrote it.
        """
        environment = self.read_json("environment.json")
        run_format = None
        if isinstance(environment, dict):
            run_format = environment.get("run_format")
        if run_format != FORMAT:
            raise InputError(
                f"{self.path}: written in run format {run_format!r}, this version of "
                f"dsa reads format {FORMAT}"
            )
        fingerprints = environment.get("sha256")
        if not isinstance(fingerprints, dict) or not all(
            isinstance(value, str) for value in fingerprints.values()
        ):
            raise InputError(
                f"{self.path / 'environment.json'}: 'sha256' must hold the data's "
                "fingerprints"
            )
        return environment

    def vocabulary(self):
        try:
            return Vocabulary.from_text(self.read("vocabulary.txt"))
        except ValueError as error:
            raise InputError(f"{self.path / 'vocabulary.txt'}: {error}") from error

    def splits(self, rows=None):
        """The rows of each split, where several share a file (`DataConfig.dealt`).

        Args:
            rows: how many the file has; `None` if that is not known.

        Returns: `{split: int array}`; empty where every split is a file.

        Raises: `InputError` if the rows of a split are missing, or one is not in the
            file.
        """
        shared = self.experiment().data.shared
        if not shared:
            return {}
        content = self.read_json("splits.json")
        if (
            not isinstance(content, dict)
            or set(content) != set(shared)
            or not all(
                isinstance(part, list)
                and all(isinstance(row, int) and row >= 0 for row in part)
                for part in content.values()
            )
        ):
            raise InputError(
                f"{self.path / 'splits.json'}: the rows of {', '.join(shared)} are "
                "needed"
            )
        last = max((max(part, default=0) for part in content.values()), default=0)
        if rows is not None and last >= rows:
            raise InputError(
                f"{self.path / 'splits.json'}: row {last} is not among the {rows} of "
                "the file that is here"
            )
        return {split: np.array(part, np.int64) for split, part in content.items()}

    def metrics(self):
        """The evaluations so far, a list of dictionaries."""
        return self._entries("metrics.json", "split")

    def add_metrics(self, evaluation):
        """Append an evaluation to `metrics.json`."""
        evaluations = [*self.metrics(), evaluation]
        self.write_json("metrics.json", {"evaluations": evaluations})

    def add_transfer(self, evaluation):
        """Append an evaluation to `transfer.json`."""
        evaluations = [*self._entries("transfer.json", "task"), evaluation]
        self.write_json("transfer.json", {"evaluations": evaluations})

    def _entries(self, name, key):
        """The `evaluations` of a file, each with a key; none if there is no file."""
        if not (self.path / name).exists():
            return []
        content = self.read_json(name)
        entries = content.get("evaluations") if isinstance(content, dict) else None
        if not isinstance(entries, list) or not all(
            isinstance(entry, dict) and key in entry for entry in entries
        ):
            raise InputError(f"{self.path / name}: no list of 'evaluations'")
        return entries


def is_finished(run):
    """Whether a run has trained to its end."""
    environment_file = run.path / "environment.json"
    if not environment_file.is_file() or not (run.path / "history.csv").is_file():
        return False
    facts, config = run.environment(), run.experiment().training
    last = config.last_step(facts.get("steps_per_epoch", 1))
    return facts.get("steps", 0) >= last or facts.get("stopped", False)
