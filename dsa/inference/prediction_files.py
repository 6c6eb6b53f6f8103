"""Predictions for the rows of a file."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.inference.ensemble import check_members, load_models
from dsa.inference.file_forms import FORMS
from dsa.inference.input_rows import find_columns, parse_columns, read_rows
from dsa.runs.run_folder import RunFolder

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig
    from dsa.inference.ensemble import Ensemble
    from dsa.inference.trained_model import TrainedModel


def predict_file(
    runs: Sequence[RunFolder],
    path: str | Path,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    columns: Sequence[str] = (),
    runtime: str = "keras",
) -> str:
    """Predicts the rows of a file of pairs, sentences or questions.

    Args:
        runs: the run folders; the probabilities of several runs are averaged. The
            columns of the file are determined by the config of the first run.
        path: the file; "-" for standard input.
        vectors: vector file for words outside the vocabulary.
        root: the data root.
        columns: values of `--columns`, see `parse_columns`.
        runtime: see `load`.

    Returns: JSON lines, see `format_predictions`.

    Raises: `InputError` if the runs have different tasks or the file is malformed; both
        are checked before a model is loaded. See also `load`.
    """
    check_members(runs)
    experiment = runs[0].experiment()
    form = experiment.task.file_form
    examples = list(read_input_rows(path, form, columns, experiment.data))
    trained = load_models(runs, vectors, root, runtime)
    return format_predictions(trained, examples, path)


def format_predictions(
    trained: "TrainedModel | Ensemble", examples: Sequence[Example], source: str | Path
) -> str:
    """Returns the predictions of rows as JSON lines, in the order of the rows.

    Each line contains the `pairID` (`id` for a sentence) of a row and its prediction.
    For questions, each line contains a question and its answers in descending score
    order.

    Args:
        trained: the model or the ensemble.
        examples: the rows.
        source: name of the rows in error messages.
    """
    predictions = trained.predict_examples(examples, source)
    records = FORMS[trained.task.file_form].make_records(examples, predictions)
    return "".join(json.dumps(record) + "\n" for record in records)


def read_input_rows(
    path: str | Path,
    form: str,
    columns: Sequence[str],
    data: "DataConfig | None" = None,
) -> Iterator[Example]:
    """Yields the rows of a file.

    Args:
        path: the file; "-" for standard input.
        form: "pairs", "sentences" or "questions".
        columns: values of `--columns`, see `parse_columns`.
        data: the `data` section of a run's config, see `find_columns`.

    Raises: `InputError` if the file is malformed, or if columns are given for standard
        input.
    """
    selected = parse_columns(columns, form)
    if selected and str(path) == "-":
        raise InputError("--columns with standard input requires --shard-rows")
    return read_rows(path, form, find_columns(path, form, selected, data))
