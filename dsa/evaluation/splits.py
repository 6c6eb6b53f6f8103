"""The rows that a run is evaluated on."""

from pathlib import Path
from typing import NamedTuple

from dsa.data.corpora.files import find_file, fingerprint_at_hand
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import only_rows
from dsa.errors import InputError
from dsa.experiment.data_config import SPLITS
from dsa.system.folders import write_name


class FoundSplit(NamedTuple):
    """Rows that a run is evaluated on.

    Attributes:
        split: its name; "file" for a file that the run's config does not name.
        name: of the file, as results give it: without folders of this machine.
        prepared: the `PreparedCorpus`.
    """

    split: str
    name: str
    prepared: PreparedCorpus


def find_split(trained, root, split="dev", file=None):
    """The rows that a run is evaluated on; arguments as `evaluate`.

    Returns: a `FoundSplit`.

    Raises: `InputError` for a split that the run's config does not name, for a file
        that several splits of the run share, and for a file of such splits that has
        changed since: its rows at the same places are others.
    """
    names = _name_files(trained.experiment.data)
    if file is not None:
        path = Path(file) if Path(file).is_file() else find_file(root, file)
        return _find_split_of_file(trained, root, names, path)
    if split not in names:
        raise InputError(
            f"the run's config names no file for the split '{split}'. It has: "
            f"{', '.join(names)}"
        )
    prepared = _prepare(trained, find_file(root, names[split]))
    is_shared = split in trained.experiment.data.shared
    rows = trained.run.splits(len(prepared) if is_shared else None)
    if is_shared:
        _check_same_content(trained, prepared, names[split])
        prepared = only_rows(prepared, rows[split])
    return FoundSplit(split, names[split], prepared)


def _name_files(data):
    """`{split: file}` of the splits that a run's config names."""
    names = {split: data.file(split) for split in (*SPLITS, *data.others)}
    return {split: name for split, name in names.items() if name}


def _check_same_content(trained, prepared, name):
    sha256, data = trained.run.environment()["sha256"], trained.experiment.data
    learned = sha256.get("train" if data.dealt == data.train else "dev")
    if learned not in (None, prepared.fingerprint):
        raise InputError(
            f"{name}: is not the file whose rows the run was trained on, so it is not "
            "known which of them it has learned"
        )


def _prepare(trained, path):
    return prepare(path, trained.experiment.data.described, trained.tokenizer)


def _find_split_of_file(trained, root, names, path):
    """A file, under the name of the split that has the same file."""
    prepared, shared = _prepare(trained, path), trained.run.splits()
    for split in sorted(names, key=lambda name: name != "test"):  # test before dev
        if fingerprint_at_hand(root, names[split]) == prepared.fingerprint:
            if split in shared:
                raise InputError(
                    f"{path}: the run's splits {', '.join(shared)} are rows of this "
                    "file; name a split instead"
                )
            return FoundSplit(split, write_name(path.name), prepared)
    return FoundSplit("file", write_name(path.name), prepared)
