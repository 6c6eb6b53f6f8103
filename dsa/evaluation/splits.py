"""Rows of an evaluation, and the share of them that are training rows."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dsa.data.corpora.files import find_file, fingerprint_if_present
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import compare_row_keys, compute_row_keys, only_rows
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.evaluation.labelled_files import choose_corpus
from dsa.experiment.data_config import SPLITS, DataConfig
from dsa.inference.input_rows import Columns
from dsa.inference.row_reading import check_labelled
from dsa.runs.run_files import TRAINING_ROWS
from dsa.system.arrays import read_arrays
from dsa.system.folders import escape_name

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel
    from dsa.runs.run_folder import RunFolder


File = Path | str | None
log = logging.getLogger(__name__)


class EvaluatedRows(NamedTuple):
    """Rows for an evaluation.

    Attributes:
        split: name of the split; "file" for a file that is not in the config.
        name: name of the file for the results, without its folders.
        prepared: the `PreparedCorpus`.
    """

    split: str
    name: str
    prepared: PreparedCorpus


def find_split(
    trained: TrainedModel,
    root: Path | str,
    split: str = "dev",
    file: File = None,
    columns: Columns = None,
) -> EvaluatedRows:
    """Returns the prepared rows of a split or file.

    Args:
        trained: the `TrainedModel`.
        root: the data root.
        split: "dev", "test", "train" or one of the `data.others` of the run's config.
        file: a labelled file instead of a split, see `choose_corpus`; an existing
            path, or a path below the data root. If it has the same content as the file
            of a split, the result is named after the split.
        columns: the columns of `file`, see `choose_corpus`.

    Raises: `InputError` for a split that is not in the config, for a file that contains
        several splits of the run, and for such a file if it has changed since training.
    """
    data, run = trained.experiment.data, trained.run
    path, prepared = _read_rows(data, trained.tokenizer, root, split, file, columns)
    if file is not None:
        split = find_split_with_content(data, root, prepared.fingerprint) or "file"
        shared = run.splits()
        if split in shared:
            raise InputError(
                f"{path}: the run has the splits {', '.join(shared)} of this file. "
                "Select one of them instead of the file"
            )
        return EvaluatedRows(split, escape_name(path.name), prepared)
    name = list_files(data)[split]
    if split in data.splits_of_divided_file:
        sha256 = run.environment()["sha256"]
        trained_sha256 = sha256.get(
            "train" if data.divided_file == data.train else "dev"
        )
        if trained_sha256 not in (None, prepared.fingerprint):
            raise InputError(
                f"{name}: the file has changed since the run was trained, so its "
                "training rows are unknown"
            )
        rows = run.splits(len(prepared))[split]
        if not len(rows):
            raise InputError(f"{name}: no row has the split '{split}'")
        prepared = only_rows(prepared, rows)
    return EvaluatedRows(split, name, prepared)


def check_rows(  # noqa: PLR0913
    data: DataConfig,
    tokenizer: Tokenizer,
    root: Path | str,
    split: str = "dev",
    file: File = None,
    columns: Columns = None,
) -> None:
    """Checks the rows of an evaluation before the slow import of Keras.

    The rows are prepared and cached for `find_split`.

    Args:
        data: the `data` section of the run's config.
        tokenizer: the tokenizer of the run.
        root, split, file, columns: see `find_split`.

    Raises: `InputError` for a split that is not in the config, and for a file that is
        missing, malformed or without labels.
    """
    _, prepared = _read_rows(data, tokenizer, root, split, file, columns)
    check_labelled(prepared)


def _read_rows(data, tokenizer, root, split, file, columns):
    """Returns the path of an evaluated file and its `PreparedCorpus`."""
    path = find_evaluated_file(data, root, split, file)
    corpus = (
        data.resolved_corpus if file is None else choose_corpus(path, data, columns)
    )
    return path, prepare(path, corpus, tokenizer)


def find_evaluated_file(
    data: DataConfig, root: Path | str, split: str = "dev", file: File = None
) -> Path:
    """Returns the path of the file of an evaluation.

    Args:
        data: the `data` section of the run's config.
        root, split, file: see `find_split`.

    Raises: `InputError` for a split that is not in the config, and for a missing file.
    """
    if file is not None:
        return Path(file) if Path(file).is_file() else find_file(root, str(file))
    files = list_files(data)
    if split not in files:
        raise InputError(
            f"the run's config has no file for the split '{split}'. Known: "
            f"{', '.join(files)}"
        )
    return find_file(root, files[split])


def list_files(data: DataConfig) -> dict[str, str]:
    """Returns the file of each split in a config: `{split: file}`."""
    files = {split: data.file(split) for split in (*SPLITS, *data.others)}
    return {split: file for split, file in files.items() if file}


def find_split_with_content(
    data: DataConfig, root: Path | str, fingerprint: str
) -> str | None:
    """Returns the name of the split whose file has a fingerprint, or `None`.

    If several splits have this content, test takes precedence, so that an evaluation
    on test rows is recorded as a test evaluation.
    """
    files = list_files(data)
    for split in sorted(files, key=lambda name: name != "test"):
        if fingerprint_if_present(root, files[split]) == fingerprint:
            return split
    return None


def check_same_rows(
    trained: TrainedModel, evaluated: EvaluatedRows, first: EvaluatedRows
) -> None:
    """Raises `InputError` if two runs have different rows, ids or labels.

    Args:
        trained: the second run.
        evaluated: the rows of the second run.
        first: the rows of the first run.
    """
    rows, expected = evaluated.prepared, first.prepared
    is_same = (
        rows.fingerprint == expected.fingerprint
        and rows.ids == expected.ids
        and rows.labels.tolist() == expected.labels.tolist()
    )
    if not is_same:
        raise InputError(
            f"{trained.run.path}: the split '{evaluated.split}' and the split of the "
            "first run have different rows. Use --file to evaluate all runs on one file"
        )


def measure_train_share(run: RunFolder, rows: EvaluatedRows) -> float | None:
    """Returns the share of labelled rows that are also training rows, in [0, 1].

    Dev rows count as training rows if the run was trained on them. Rows of `data.mix`
    do not count. A share above 5 % is logged as a warning.

    Args:
        run: the run folder.
        rows: the evaluated rows.

    Returns: the share; `None` for the split train, and for a run without the keys of
        its training rows.

    Raises: `InputError` for a test split that has the same rows as train.
    """
    if rows.split == "train":
        return None
    training_keys = read_training_keys(run)
    if training_keys is None:
        return None
    shared = compare_row_keys(training_keys, compute_row_keys(rows.prepared))
    if shared.identical and rows.split == "test":
        raise InputError(f"{rows.name}: test has the same rows as train")
    shared.warn(f"{rows.split} ({rows.name})")
    return round(shared.share, 6)


def read_training_keys(run: RunFolder) -> np.ndarray | None:
    """Returns the keys of the training rows of a run, see `compute_row_keys`.

    Returns `None` and logs a message if the run has no file of keys, such as a run of
    an earlier version or from a hub.

    Raises: `InputError` for a damaged file.
    """
    path = run.path / TRAINING_ROWS
    try:
        arrays, _ = read_arrays(path, "keys of the training rows")
    except FileNotFoundError:
        log.info(
            "%s: %s is missing, so rows shared with train are not counted",
            run.path,
            TRAINING_ROWS,
        )
        return None
    keys = arrays.get("keys")
    if keys is None or keys.dtype != np.uint64 or keys.ndim != 1:
        raise InputError(f"{path}: damaged keys of the training rows")
    return keys
