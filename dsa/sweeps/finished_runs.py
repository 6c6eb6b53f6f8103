"""The runs that belong to a table's rows, and what is missing of them.

A run belongs to a row if its resolved config is the row's and its data have the same
fingerprint; where it lies does not matter.
"""

import itertools
import json
import logging
from pathlib import Path

from dsa.data.corpora.files import fingerprint_at_hand
from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder
from dsa.experiment.yaml_file import load_experiment, run_path
from dsa.papers.table import overrides_of

log = logging.getLogger(__name__)


class Runs:
    """The runs below a folder, by what they are runs of.

    Args:
        folder: where they are looked for.
        root: the data root.
    """

    def __init__(self, folder, root):
        self.root = root
        self._runs = []
        for config in sorted(Path(folder).rglob("config.yaml")):
            run = RunFolder(config.parent)
            try:
                self._runs.append((run, run.experiment()))
            except InputError as error:  # of another version, or no run
                log.info("left out: %s", error)

    def find(self, experiment):
        """The finished run of an experiment on the data at hand, or `None`."""
        for run, found in self._runs:
            if found != experiment:
                continue
            try:
                if is_finished(run) and self._same_data(run, found):
                    return run
            except InputError as error:  # damaged
                log.warning("left out: %s", error)
        return None

    def _same_data(self, run, experiment):
        """Whether the files at hand are those of the run; one that is not at hand
        cannot differ."""
        sha256 = run.environment()["sha256"]
        data = experiment.data
        files = {"train": data.train, "dev": data.file("dev")}
        if data.mix:
            files["mix"] = data.mix.path
        for split, name in files.items():
            at_hand = fingerprint_at_hand(self.root, name)
            if at_hand and at_hand != sha256.get(split):
                log.info("%s: its %s data are not those at hand", run.path, split)
                return False
        return True


def is_finished(run):
    """Whether a run has trained to its end."""
    environment_file = run.path / "environment.json"
    if not environment_file.is_file() or not (run.path / "history.csv").is_file():
        return False
    facts, config = run.environment(), run.experiment().training
    last = config.last_step(facts.get("steps_per_epoch", 1))
    return facts.get("steps", 0) >= last or facts.get("stopped", False)


def evaluations(run, root):
    """A run's evaluations, the last one of each split; those of another file than the
    one that is at hand are left out.

    Returns: `{split: entry of metrics.json}`.
    """
    data, found = run.experiment().data, {}
    for entry in run.metrics():
        name = data.file(entry["split"])
        at_hand = name and fingerprint_at_hand(root, name)
        if not at_hand or at_hand == entry.get("sha256"):
            found[entry["split"]] = entry
    return found


def missing_evaluations(run, table, root):
    """The splits of a table that a run was not evaluated on, of those at hand."""
    done, data = evaluations(run, root), run.experiment().data
    missing = []
    for split in table.splits:
        name = data.file(split)
        if split in done or name is None:
            continue
        if fingerprint_at_hand(root, name) is None:
            log.info("%s is not evaluated: %s is not below the data root", split, name)
            continue
        missing.append(split)
    return missing


def planned(table, preset, seeds):
    """The runs that a table needs.

    Returns: a list of (row, overrides, experiment, path of the run), one for each seed
        and fold; rows that are not implemented have none.
    """
    folds = range(table.folds) if table.folds else [None]
    plans = []
    for row in table.rows:
        if row.config is None:
            continue
        for seed, fold in itertools.product(seeds, folds):
            overrides = overrides_of(table, row, preset, seed, fold)
            experiment = load_experiment(row.config, overrides)
            path = run_path(row.config, overrides, seed)
            plans.append((row, overrides, experiment, path))
    return plans


def chosen(plans, names):
    """Those of `planned`'s runs whose rows have these names; all if `names` is `None`.

    Raises: `InputError` for a name that no row with a config has.
    """
    known = list(dict.fromkeys(row.name for row, *_ in plans))
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise InputError(
            f"--rows: no row '{unknown[0]}' to train. Known: "
            + ", ".join(f"'{name}'" for name in known)
        )
    return [plan for plan in plans if names is None or plan[0].name in names]


def assignments(overrides):
    """Overrides as the arguments of `--set`."""
    return [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in overrides.items()
    ]
