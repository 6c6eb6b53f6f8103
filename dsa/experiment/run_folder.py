"""What a run folder says of its run; its files are in `run_files`."""

import logging

import numpy as np

from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.earlier_config import convert_earlier_settings
from dsa.experiment.run_files import RunFiles
from dsa.experiment.vouched_files import RECORD, find_changed, read_weights_sha256
from dsa.experiment.yaml_file import check_experiment, parse_yaml
from dsa.system.folder_lock import EVALUATION

FORMAT = 1
WITH_DEV = "with_dev"  # the folder, below a run's, of its training on train and dev
TYPES = {  # of entries of environment.json; a bool is no int here
    "vocabulary_size": (int,),
    "frozen_rows": (int,),
    "steps": (int,),
    "steps_per_epoch": (int,),
    "wall_seconds": (float, int),
    "stopped": (bool,),
    "pairs": (dict,),
    "parameters": (dict,),
    "earlier_parts": (list,),
    "files_recorded": (bool,),
}
log = logging.getLogger(__name__)


class RunFolder(RunFiles):
    """One run.

    Args:
        path: the folder; it need not exist yet.
        trust: whether its model is loaded though its files were changed after
            training.
    """

    def __init__(self, path, trust=False):
        super().__init__(path)
        self.trust = trust
        self.changed_files = ()  # those that are trusted, once they were checked
        self.weights_sha256 = None  # by the record, once they were checked

    def check_files(self):
        """Compare the model's files with the SHA-256 that training has recorded. Runs
        of earlier versions have none.

        Raises: `InputError` for a run with other files, or without one of them, if it
            is not trusted.
        """
        self.weights_sha256 = read_weights_sha256(self.path)
        changed = find_changed(self.path)
        missing = [name for name in changed or () if not (self.path / name).is_file()]
        if changed is None:
            self._check_record_exists()
            log.debug("%s: of an earlier version, its files are not checked", self)
        elif missing and not self.trust:
            raise InputError(
                f"{self.path} is no complete run: {', '.join(missing)} is missing"
            )
        elif changed and not self.trust:
            raise InputError(
                f"{self.path}: not as training wrote it: {', '.join(changed)} "
                f"({RECORD} has another SHA-256). --trust loads a run that was changed "
                "on purpose; its evaluations then say so"
            )
        elif changed:
            log.warning("%s: changed after training: %s", self, ", ".join(changed))
        self.changed_files = tuple(changed or ())

    def _check_record_exists(self):
        """Raises: `InputError` if training has written a record that is gone."""
        if (self.path / "environment.json").is_file():
            recorded = self.environment().get("files_recorded")
            if recorded and not self.trust:
                raise InputError(f"{self.path} is no complete run: {RECORD} is missing")

    def describe_weights(self):
        """What an evaluation records of the weights, once the files were checked: their
        SHA-256, and which changed files were trusted."""
        facts = {}
        if self.weights_sha256:
            facts["weights_sha256"] = self.weights_sha256
        if self.changed_files:
            facts |= {"trusted": True, "changed_files": list(self.changed_files)}
        return facts

    def experiment(self):
        """The run's resolved `Experiment`."""
        path = self.path / "config.yaml"
        settings = parse_yaml(self.read("config.yaml"), path)
        return check_experiment(convert_earlier_settings(settings), path)

    def environment(self):
        """What `environment.json` holds.

        Raises: `InputError` if another version of the run format wrote it.
        """
        environment = self.read_json("environment.json")
        if not isinstance(environment, dict):
            environment = {}
        run_format = environment.get("run_format")
        if type(run_format) is not int or run_format != FORMAT:
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
        for name, needed in TYPES.items():
            if name in environment and type(environment[name]) not in needed:
                raise InputError(
                    f"{self.path / 'environment.json'}: '{name}' must be "
                    f"{needed[0].__name__}. Received: {environment[name]!r:.50}"
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
                and all(type(row) is int and row >= 0 for row in part)
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
        return self._read_entries("metrics.json", "split")

    def own_metrics(self):
        """The evaluations so far of the weights that the run has now: without those of
        an earlier checkpoint, and of files that were changed after training. One that
        does not say which weights it is of counts."""
        weights = read_weights_sha256(self.path)
        return [
            entry
            for entry in self.metrics()
            if not entry.get("trusted")
            and (not weights or entry.get("weights_sha256", weights) == weights)
        ]

    def add_metrics(self, evaluation):
        """Append an evaluation to `metrics.json`."""
        self._add_entry("metrics.json", "split", evaluation)

    def add_transfer(self, evaluation):
        """Append an evaluation to `transfer.json`."""
        self._add_entry("transfer.json", "task", evaluation)

    def _add_entry(self, name, key, entry):
        with self.hold(EVALUATION):
            entries = [*self._read_entries(name, key), entry]
            self.write_json(name, {"evaluations": entries})

    def _read_entries(self, name, key):
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


def is_complete(run):
    """Whether a run has trained to its end, and again with dev where its config says
    so (`training.refit_with_dev`)."""
    if not is_finished(run):
        return False
    again = run.experiment().training.refit_with_dev
    return not again or is_finished(RunFolder(run.path / WITH_DEV))
