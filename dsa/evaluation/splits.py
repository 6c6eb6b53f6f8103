"""Selects the rows of an evaluation, and measures their overlap with training rows."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dsa.data.corpora.files import find_file, fingerprint_if_present
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import (
    compare_row_keys,
    compute_row_keys,
    sample_nested,
    take_rows,
)
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.evaluation.labelled_files import choose_corpus
from dsa.experiment.data_config import SPLITS, DataConfig
from dsa.inference.input_rows import Columns
from dsa.inference.row_reading import check_labelled
from dsa.runs.run_files import TRAINING_ROWS
from dsa.runs.run_records import FILE_SPLIT
from dsa.seeds import derived_seed
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
        split: name of the split; `FILE_SPLIT` for a file that is not in the config.
        name: name of the file in the results: its path in the config or, for a file
            that was given instead of a split, its name without folders.
        prepared: the prepared corpus.
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
        trained: the trained model.
        root: the data root.
        split: "dev", "test", "train" or a key of `data.others` in the run's config.
        file: path of a labelled file instead of a split, see `choose_corpus`. A path
            that does not exist is relative to the data root. If a split has the same
            content and the same rows, the rows are named after the split.
        columns: the columns of `file`, see `choose_corpus`.

    Raises: `InputError` if the split is not in the config, if `file` contains several
        splits of the run, or if the file of the split was divided into several splits
        and has changed since training.
    """
    data = trained.experiment.data
    run = trained.run
    path, prepared = _read_rows(data, trained.tokenizer, root, split, file, columns)
    if file is not None:
        split = find_split_with_content(data, root, prepared.fingerprint) or FILE_SPLIT
        divided_splits = run.splits()
        if split in divided_splits:
            raise InputError(
                f"{path}: the file was divided into the splits "
                f"{', '.join(divided_splits)} of the run. Select one of these splits "
                "instead of the file"
            )
        if _count_sampled_rows(data, split) is not None:
            split = FILE_SPLIT  # the file also contains rows outside the sample
        if split != FILE_SPLIT and columns is not None:
            _, expected = _read_rows(data, trained.tokenizer, root, split, None, None)
            if _have_same_rows(prepared, expected):
                prepared = expected  # with the ids and groups of the split
            else:
                split = FILE_SPLIT
        return EvaluatedRows(split, escape_name(path.name), prepared)
    name = list_files(data)[split]
    if split in data.splits_of_divided_file:
        prepared = _select_split(trained, split, name, prepared)
    num_rows = _count_sampled_rows(data, split)
    if num_rows is not None:
        seed = derived_seed(trained.experiment.seed, "train_rows")
        prepared = sample_nested(prepared, num_rows, seed)
    return EvaluatedRows(split, name, prepared)


def _count_sampled_rows(data, split: str) -> int | None:
    """Returns the size of the training sample, `data.train_rows`, or `None` for other
    splits, without a sample, and if the training file is read with other options."""
    if split == "train" and data.training_corpus == data.resolved_corpus:
        return data.train_rows
    return None


def _have_same_rows(first, second):
    """Returns whether two corpora have the same tokens and labels in each row."""
    return np.array_equal(first.labels, second.labels) and np.array_equal(
        compute_row_keys(first), compute_row_keys(second)
    )


def _select_split(trained, split, name, prepared):
    """Returns the rows of a split of a file that was divided into several splits.

    Raises: `InputError` if the file has changed since training, or if the split has no
        rows.
    """
    data = trained.experiment.data
    source = "train" if data.divided_file == data.train else "dev"
    trained_sha256 = trained.run.environment()["sha256"].get(source)
    if trained_sha256 not in (None, prepared.fingerprint):
        raise InputError(
            f"{name}: the file has changed since the run was trained, so its training "
            "rows are unknown"
        )
    rows = trained.run.splits(len(prepared))[split]
    if not len(rows):
        raise InputError(f"{name}: no row has the split '{split}'")
    return take_rows(prepared, rows)


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

    Raises: `InputError` if the split is not in the config, or if the file is missing,
        malformed or without labels.
    """
    _, prepared = _read_rows(data, tokenizer, root, split, file, columns)
    check_labelled(prepared)


def _read_rows(data, tokenizer, root, split, file, columns):
    """Returns the path of an evaluated file and its `PreparedCorpus`."""
    path = find_evaluated_file(data, root, split, file)
    if file is None:
        corpus = data.resolved_corpus
    else:
        corpus = choose_corpus(path, data, columns)
    return path, prepare(path, corpus, tokenizer)


def find_evaluated_file(
    data: DataConfig, root: Path | str, split: str = "dev", file: File = None
) -> Path:
    """Returns the path of the file of an evaluation.

    Args:
        data: the `data` section of the run's config.
        root, split, file: see `find_split`.

    Raises: `InputError` if the split is not in the config, or if the file is missing.
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
    """Returns the files of the splits in a config, `{split: file}`."""
    files = {}
    for split in (*SPLITS, *data.others):
        file = data.file(split)
        if file:
            files[split] = file
    return files


def find_split_with_content(
    data: DataConfig, root: Path | str, fingerprint: str
) -> str | None:
    """Returns the name of the first split whose file has a fingerprint, or `None`.

    The split "test" is compared first, so that an evaluation on test rows is recorded
    as a test evaluation.
    """
    files = list_files(data)
    splits = list(files)
    if "test" in files:
        splits.remove("test")
        splits.insert(0, "test")
    for split in splits:
        if fingerprint_if_present(root, files[split]) == fingerprint:
            return split
    return None


def check_same_rows(
    trained: TrainedModel, evaluated: EvaluatedRows, first: EvaluatedRows
) -> None:
    """Raises `InputError` if the rows of two runs differ in texts, ids or labels.

    Args:
        trained: the second run.
        evaluated: the rows of the second run.
        first: the rows of the first run.
    """
    rows = evaluated.prepared
    expected = first.prepared
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
    """Measures the share of labelled rows that are also training rows.

    Dev rows count as training rows if the run was trained on them. Rows of `data.mix`
    do not count. A share above 5 % is logged as a warning.

    Args:
        run: the run folder.
        rows: the evaluated rows.

    Returns: the share, in [0, 1]; `None` for the split "train", and for a run without
        stored keys of the training rows.

    Raises: `InputError` if the split is "test" and has the same rows as train.
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

    If the run folder has no file with keys (runs of earlier versions and runs from a
    hub), the function logs a message and returns `None`.

    Raises: `InputError` if the file is damaged.
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
        raise InputError(f"{path}: the keys of the training rows are damaged")
    return keys
