"""Predictions for the rows of a file."""

import json
from collections.abc import Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.inference.ensemble import check_members, load_models
from dsa.inference.file_forms import FORMS
from dsa.inference.input_rows import find_columns, parse_columns, read_rows
from dsa.runs.run_folder import RunFolder


def predict_file(
    runs: Sequence[RunFolder],
    path: str | Path,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    columns: Sequence[str] = (),
    runtime: str = "keras",
) -> str:
    """The predictions of a run, or the mean of several, for a file of pairs, of
    sentences or of questions, as their task has them; "-" is standard input.

    Args:
        runs: the `RunFolder`s. The first one says how a file of own columns is read.
        vectors: a vector file for words that the run lacks.
        root: the data root.
        columns: as of `parse_columns`, for a file whose columns have other names.
        runtime: as of `load`.

    Returns: a text, one line for each row, in the file's order: its `pairID` (`id` for
        a sentence) and what the task answers; for questions one line for each, with its
        answers, the best one first.

    Raises: as `load`, and `InputError` for runs that cannot answer together and for a
        malformed file, before anything is loaded.
    """
    check_members(runs)
    experiment = runs[0].experiment()
    form = experiment.task.file_form
    examples = list(read_named_rows(path, form, columns, experiment.data))
    trained = load_models(runs, vectors, root, runtime)
    predictions = trained.predict_examples(examples, path)
    records = FORMS[form].make_records(examples, predictions)
    return "".join(json.dumps(record) + "\n" for record in records)


def read_named_rows(path, form, columns, data=None):
    """The examples of a file; `columns` as of `parse_columns`, `data` as of
    `find_columns`.

    Raises: `InputError`.
    """
    given = parse_columns(columns, form)
    if given and str(path) == "-":
        raise InputError("--columns: for standard input --shard-rows is needed")
    return read_rows(path, form, find_columns(path, form, given, data))
