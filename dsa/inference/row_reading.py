"""Loading and saving the row reader of a run, and metrics of labelled rows."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.rows.model_rows import ModelRows
from dsa.data.rows.row_reader import RowReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.input_config import FeaturesConfig
from dsa.runs.run_folder import RunFolder
from dsa.system.arrays import read_arrays, write_arrays


def build_reader(
    inputs: tuple[str, ...], features: FeaturesConfig, root: Path
) -> RowReader:
    """Returns a `RowReader` without statistics of the training rows.

    Args:
        inputs: names of the inputs of the task.
        features: the `features` section of the experiment.
        root: the data root.
    """
    return RowReader(
        inputs,
        features.settings,
        features.nonoverlap,
        features.standardize,
        root=root,
    )


def save_reader(run: RunFolder, reader: RowReader) -> None:
    """Writes the training statistics of a reader to a run folder.

    Nothing is written if the reader has no statistics.
    """
    if reader.feature_statistics is not None and reader.mean_and_std is not None:
        with run.replace_file(run.pair_features.name) as path:
            reader.feature_statistics.save(path)
        with run.replace_file(run.feature_scale.name) as path:
            write_arrays(path, {"scale": reader.mean_and_std}, {})


def load_reader(
    run: RunFolder, inputs: tuple[str, ...], features: FeaturesConfig, root: Path
) -> RowReader:
    """Loads the `RowReader` of a run.

    Args:
        run: the run folder.
        inputs, features, root: see `build_reader`.

    Raises: `InputError` if a file is missing or damaged, or belongs to other features.
    """
    reader = build_reader(inputs, features, root)
    if not reader.feature_settings:
        return reader
    from dsa.data.pair_features.statistics import FeatureStatistics

    statistics = FeatureStatistics.load(run.pair_features, reader.feature_settings)
    try:
        arrays, _ = read_arrays(run.feature_scale, "scale of the features")
    except FileNotFoundError as error:
        raise InputError(
            f"{run.feature_scale} is missing, so the run is incomplete"
        ) from error
    mean_and_std: Any = arrays.get("scale")
    shape = (2, features.count)
    if np.shape(mean_and_std) != shape or not np.isfinite(mean_and_std).all():
        raise InputError(f"{run.feature_scale} does not match the features of this run")
    return dataclasses.replace(
        reader, feature_statistics=statistics, mean_and_std=mean_and_std
    )


def read_labelled_rows(
    reader: RowReader, vocabulary: Vocabulary, prepared: PreparedCorpus
) -> ModelRows:
    """Returns the labelled rows of a prepared corpus as `ModelRows`.

    Raises: `InputError` if no row has a label.
    """
    check_labelled(prepared)
    return reader.convert(prepared, vocabulary, prepared.labelled)


def check_labelled(prepared: PreparedCorpus) -> None:
    """Raises `InputError` if no row has a label."""
    if not len(prepared.labelled):
        raise InputError("no row has a label, so there is nothing to measure")


def measure_labelled_rows(
    logits: np.ndarray, prepared: PreparedCorpus, task: Any, grouped: bool = False
) -> dict[str, Any]:
    """Returns the metrics of the labelled rows.

    Args:
        logits: array `(N, outputs)`, logits of the labelled rows.
        prepared: the corpus.
        task: the task of the corpus.
        grouped: whether to compute metrics by group even if no row has a group.
    """
    groups = list_groups(prepared)
    if not grouped and not any(group is not None for group in groups):
        groups = None
    return task.metrics(logits, prepared.labels[prepared.labelled], groups)


def list_groups(prepared: PreparedCorpus) -> list[str | None]:
    """Returns the group of each labelled row."""
    return [prepared.groups[row] for row in prepared.labelled]
