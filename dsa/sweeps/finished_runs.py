"""The runs that belong to a table's rows, and what is missing of them.

A run belongs to a row if its resolved config is the row's and its data have the same
fingerprint; where it lies does not matter.
"""

import logging
from pathlib import Path

from dsa.data.corpora.files import fingerprint_at_hand
from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder, is_finished

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
