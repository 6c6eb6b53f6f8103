"""How a run reads the rows of a corpus, and the metrics of a model on them."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.rows.model_rows import ModelRows
from dsa.data.rows.row_reader import RowReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.arrays import read_arrays, write_arrays


def build_reader(experiment: Experiment, root: Path) -> RowReader:
    """A reader that knows no training rows yet; `root` is the data root."""
    inputs, of = experiment.task.inputs, experiment.features
    return RowReader(inputs, of.settings, of.nonoverlap, of.standardize, root=root)


def save_reader(run: RunFolder, reader: RowReader) -> None:
    """Write what a reader knows of the training rows into a run folder."""
    if reader.settings and reader.statistics is not None:
        with run.replace(run.pair_features.name) as path:
            reader.statistics.save(path)
        with run.replace(run.feature_scale.name) as path:
            write_arrays(path, {"scale": reader.scale}, {})


def load_reader(run: RunFolder, experiment: Experiment, root: Path) -> RowReader:
    """The reader of a run; `root` is the data root.

    Raises: `InputError` for files that are missing, damaged or of other features.
    """
    reader = build_reader(experiment, root)
    if not reader.settings:
        return reader
    from dsa.data.pair_features.statistics import FeatureStatistics

    statistics = FeatureStatistics.load(run.pair_features, reader.settings)
    try:
        arrays, _ = read_arrays(run.feature_scale, "scale of the features")
    except FileNotFoundError as error:
        raise InputError(
            f"{run.feature_scale}: missing, the run is not complete"
        ) from error
    scale: Any = arrays.get("scale")
    shape = (2, experiment.feature_count)
    if np.shape(scale) != shape or not np.isfinite(scale).all():
        raise InputError(f"{run.feature_scale}: not of this run's features")
    return dataclasses.replace(reader, statistics=statistics, scale=scale)


def read_labelled_rows(
    reader: RowReader, vocabulary: Vocabulary, prepared: PreparedCorpus
) -> ModelRows:
    """The labelled rows of a prepared corpus, as `ModelRows`.

    Raises: `InputError` if no row has a label.
    """
    rows = prepared.labelled
    if not len(rows):
        raise InputError("no row has a label, so there is nothing to measure")
    return reader.read(prepared, vocabulary, rows)


def measure_labelled_rows(
    logits: np.ndarray, prepared: PreparedCorpus, task: Any, grouped: bool = False
) -> dict[str, Any]:
    """The task's metrics of logits `(N, outputs)` of the labelled rows; `grouped`:
    whether the corpus has groups, though this file may name none."""
    groups = list_groups(prepared)
    if not grouped and not any(group is not None for group in groups):
        groups = None
    return task.metrics(logits, prepared.labels[prepared.labelled], groups)


def list_groups(prepared: PreparedCorpus) -> list[str | None]:
    """The group of each labelled row."""
    return [prepared.groups[row] for row in prepared.labelled]
