"""The rows that a run is evaluated on, and how many of them it was trained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dsa.data.corpora.files import find_file, fingerprint_if_present
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import compare_rows, joined, only_rows
from dsa.errors import InputError
from dsa.experiment.data_config import SPLITS, DataConfig
from dsa.system.folders import write_name

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel


File = Path | str | None


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


def find_split(
    trained: TrainedModel, root: Path | str, split: str = "dev", file: File = None
) -> FoundSplit:
    """Finds the rows that a run is evaluated on; arguments as `evaluate`.

    Returns: a `FoundSplit`.

    Raises: `InputError` for a split that the run's config does not name, for a file
        that several splits of the run share, and for a file of such splits that has
        changed since: its rows at the same places are others.
    """
    names = _name_files(trained.experiment.data)
    path = find_evaluated_file(trained.experiment.data, root, split, file)
    if file is not None:
        return _find_split_of_file(trained, root, names, path)
    prepared = _prepare(trained, path)
    is_shared = split in trained.experiment.data.shared
    rows = trained.run.splits(len(prepared) if is_shared else None)
    if is_shared:
        _check_same_content(trained, prepared, names[split])
        prepared = only_rows(prepared, rows[split])
    return FoundSplit(split, names[split], prepared)


def find_evaluated_file(
    data: DataConfig, root: Path | str, split: str = "dev", file: File = None
) -> Path:
    """Finds the file that a run is evaluated on, which needs no model.

    Args:
        root, split, file: as `evaluate`.

    Raises: `InputError` for a split that the config does not name, or a missing file.
    """
    if file is not None:
        return Path(file) if Path(file).is_file() else find_file(root, str(file))
    names = _name_files(data)
    if split not in names:
        raise InputError(
            f"the run's config names no file for the split '{split}'. It has: "
            f"{', '.join(names)}"
        )
    return find_file(root, names[split])


def _name_files(data):
    """`{split: file}` of the splits that a run's config names."""
    names = {split: data.file(split) for split in (*SPLITS, *data.others)}
    return {split: name for split, name in names.items() if name}


def _check_same_content(trained, prepared, name):
    sha256, data = trained.run.environment()["sha256"], trained.experiment.data
    known = sha256.get("train" if data.dealt == data.train else "dev")
    if known not in (None, prepared.fingerprint):
        raise InputError(
            f"{name}: is not the file that the run was trained on, so it is not known "
            "which of its rows are training rows"
        )


def _prepare(trained, path):
    return prepare(path, trained.experiment.data.described, trained.tokenizer)


def _find_split_of_file(trained, root, names, path):
    """Returns a file, under the name of the split that has the same file."""
    prepared, shared = _prepare(trained, path), trained.run.splits()
    for split in sorted(names, key=lambda name: name != "test"):  # test before dev
        if fingerprint_if_present(root, names[split]) == prepared.fingerprint:
            if split in shared:
                raise InputError(
                    f"{path}: the run's splits {', '.join(shared)} are rows of this "
                    "file; name a split instead"
                )
            return FoundSplit(split, write_name(path.name), prepared)
    return FoundSplit("file", write_name(path.name), prepared)


def check_same_rows(
    trained: TrainedModel, found: FoundSplit, first: FoundSplit
) -> None:
    """Raises `InputError` for rows of another file, ids or labels than those of the
    first run."""
    one, other = (
        (rows.prepared.fingerprint, rows.prepared.ids, rows.prepared.labels.tolist())
        for rows in (found, first)
    )
    if one != other:
        raise InputError(
            f"{trained.run.path}: its split '{found.split}' has other rows than that "
            "of the first run. --file names one file for all"
        )


def measure_train_share(
    trained: TrainedModel, root: Path | str, found: FoundSplit
) -> float | None:
    """Returns the share of labelled rows that are also training rows: of train, and of
    dev where the run was trained on it. Warns above 5 %. Rows that are mixed into train
    are not counted.

    Returns: the share, in [0, 1]; `None` for train itself, and where the run's own
        train file is not below the data root.

    Raises: `InputError` for a test that has the same rows as train.
    """
    train = None if found.split == "train" else read_train(trained, root)
    if train is None:
        return None
    if trained.experiment.data.train_on_dev and _has_file(trained, root, "dev"):
        train = joined(train, find_split(trained, root, "dev").prepared)
    shared = compare_rows(train, found.prepared)
    if shared.identical and found.split == "test":
        raise InputError(f"{found.name}: test has the same rows as train")
    shared.warn(f"{found.split} ({found.name})")
    return round(shared.share, 6)


def read_train(trained: TrainedModel, root: Path | str) -> PreparedCorpus | None:
    """Returns the run's own training rows; `None` where its file is not below the data
    root."""
    if not _has_file(trained, root, "train"):
        return None
    return find_split(trained, root, "train").prepared


def _has_file(trained, root, split):
    """Returns whether the data root has the file of a split, as the run read it."""
    sha256 = trained.run.environment()["sha256"].get(split)
    file = trained.experiment.data.file(split)
    return sha256 is not None and fingerprint_if_present(root, file) == sha256
