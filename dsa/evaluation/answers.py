"""Stores the predictions of a run for a split, such as `answers_dev.npz`.

Paired comparisons are computed from these files, without the corpus and without Keras.
All arrays have N labelled rows, in corpus order.
"""

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.errors import InputError
from dsa.inference.row_reading import list_groups
from dsa.runs.run_files import read_weights_sha256
from dsa.runs.run_folder import RunFolder
from dsa.system.arrays import read_arrays, write_arrays
from dsa.tasks.task import Task

MAX_ARRAY_BYTES = 2**26  # maximum size of the arrays of a file
NO_GROUP = -1  # id of a row without a group, in the file
ANSWERS = "answers"
# fields of `Answers` in the JSON record
RECORD_FIELDS = ("split", "file", "rows_sha256", "weights_sha256")


@dataclasses.dataclass(frozen=True)
class Answers:
    """Predictions of a run for the labelled rows of a split.

    Attributes:
        split: name of the evaluation, such as "dev" or "dev (shuffled_words)".
        file: name of the corpus file.
        rows_sha256: SHA-256 of the corpus fingerprint and the row ids. Evaluations of
            the same rows have the same value.
        weights_sha256: SHA-256 of the weights of the run; empty if it was not recorded.
        outputs: `(N, outputs)`, float16 probabilities if they give the same values of
            `Task.unit_values` as the logits, otherwise float32 logits.
        labels: label ids or scores, `(N,)`.
        lengths: number of tokens in the longest sentence of each row, uint16 `(N,)`,
            without the view of the run.
        groups: group of each row, such as a question; `None` for a row without a group.
    """

    split: str
    file: str
    rows_sha256: str
    weights_sha256: str
    outputs: np.ndarray
    labels: np.ndarray
    lengths: np.ndarray
    groups: list[str | None]


def pack_answers(
    task: Task, prepared: PreparedCorpus, logits: np.ndarray, entry: Mapping[str, Any]
) -> Answers:
    """Converts the logits of an evaluation to `Answers`.

    Args:
        task: the task.
        prepared: the corpus, without a view.
        logits: logits of the labelled rows, `(N, outputs)`.
        entry: entry of the evaluation in `metrics.json`.
    """
    rows = prepared.labelled
    labels = prepared.labels[rows]
    groups = list_groups(prepared)
    ids = json.dumps([prepared.fingerprint, [prepared.ids[row] for row in rows]])
    longest = prepared.sentences.lengths[prepared.sentence_indices[rows]].max(axis=1)
    return Answers(
        split=entry["split"],
        file=entry["file"],
        rows_sha256=hashlib.sha256(ids.encode()).hexdigest(),
        weights_sha256=entry.get("weights_sha256", ""),
        outputs=_pack_outputs(task, logits, labels, groups),
        labels=labels,
        lengths=np.minimum(longest, 65_535).astype(np.uint16),
        groups=groups,
    )


def _pack_outputs(task, logits, labels, groups):
    """Returns float16 probabilities if they preserve the metrics, otherwise logits."""
    probabilities = round_probabilities(logits)
    values = task.unit_values(logits, labels, groups)
    rounded_values = task.unit_values(probabilities, labels, groups)
    if all(np.array_equal(values[name], rounded_values[name]) for name in values):
        return probabilities
    return logits.astype(np.float32)


def round_probabilities(logits: np.ndarray) -> np.ndarray:
    """Computes float16 probabilities `(N, outputs)` with the arg max of the logits.

    If rounding makes the largest probability equal to another probability, it is
    increased to the next float16 number.

    Example:
        >>> round_probabilities(np.array([[0.0, 1e-5]])).tolist()
        [[0.5, 0.50048828125]]
    """
    from scipy.special import softmax

    probabilities = softmax(logits.astype(np.float64), axis=1).astype(np.float16)
    predicted = logits.argmax(axis=1)
    (tied_rows,) = np.nonzero(probabilities.argmax(axis=1) != predicted)
    tied_columns = predicted[tied_rows]
    largest = probabilities[tied_rows, tied_columns]
    probabilities[tied_rows, tied_columns] = np.nextafter(largest, np.float16(2))
    return probabilities


def make_answers_file_name(split: str) -> str:
    """Returns the file name of the answers of an evaluation.

    Example:
        >>> make_answers_file_name("dev (shuffled_words)")
        'answers_dev_shuffled_words.npz'
    """
    parts = re.findall(r"[\w.-]+", split)
    return f"answers_{'_'.join(parts)}.npz"


def write_answers(run: RunFolder, answers: Answers) -> str:
    """Writes answers to a run folder and returns the SHA-256 of the file."""
    path = run.path / make_answers_file_name(answers.split)
    names = sorted({group for group in answers.groups if group is not None})
    group_ids: dict[str | None, int] = {None: NO_GROUP}
    for group_id, name in enumerate(names):
        group_ids[name] = group_id
    arrays = {
        "outputs": answers.outputs,
        "labels": answers.labels,
        "lengths": answers.lengths,
        "groups": np.array([group_ids[group] for group in answers.groups], np.int32),
    }
    record = {name: getattr(answers, name) for name in RECORD_FIELDS}
    write_arrays(path, arrays, {**record, "groups": names}, compress=True)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_answers(run: RunFolder, split: str) -> Answers:
    """Reads the answers of a run.

    Args:
        run: the run folder.
        split: name of the evaluation, such as "dev" or "dev (shuffled_words)".

    Raises: `InputError` if the file is damaged or contains a different evaluation, or
        if the weights of the run have changed since. `FileNotFoundError` if the file is
        missing.
    """
    path = run.path / make_answers_file_name(split)
    arrays, record = read_arrays(path, ANSWERS, MAX_ARRAY_BYTES)
    task = run.experiment().task
    try:
        answers = _unpack(arrays, record, task)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{path}: damaged {ANSWERS}: {error}") from error
    if answers.split != split:
        raise InputError(
            f"{path}: expected split '{split}'. Received: '{answers.split}'"
        )
    weights = read_weights_sha256(run.path)
    if weights and answers.weights_sha256 != weights:
        raise InputError(
            f"{path}: the predictions are outdated, because the weights of the run "
            "have changed. Evaluate the run again with --keep-answers"
        )
    return answers


def _unpack(arrays, record, task):
    """Converts the content of a file to `Answers`.

    Raises: `KeyError`, `TypeError`, `ValueError` or `IndexError` for invalid content.
    """
    outputs = arrays["outputs"]
    labels = arrays["labels"]
    lengths = arrays["lengths"]
    group_ids = arrays["groups"]
    names = record["groups"]
    fields = {name: record[name] for name in RECORD_FIELDS}
    if not all(isinstance(text, str) for text in (*names, *fields.values())):
        raise ValueError("names must be strings")
    num_rows = len(labels)
    if outputs.shape != (num_rows, task.outputs) or outputs.dtype.kind != "f":
        raise ValueError(
            f"outputs must be floats of shape ({num_rows}, {task.outputs}). "
            f"Received: {outputs.dtype}, {outputs.shape}"
        )
    shapes = {labels.shape, lengths.shape, group_ids.shape}
    if num_rows == 0 or shapes != {(num_rows,)}:
        raise ValueError("labels, lengths and groups must have one value per row")
    if labels.dtype != task.number_type or not np.isfinite(labels).all():
        raise ValueError(
            f"labels must be finite, of dtype {np.dtype(task.number_type)}"
        )
    if (
        lengths.dtype != np.uint16
        or group_ids.dtype != np.int32
        or group_ids.min() < NO_GROUP
    ):
        raise ValueError("lengths must be uint16, groups int32 from -1")
    groups = []
    for group_id in group_ids:
        groups.append(None if group_id == NO_GROUP else names[group_id])
    return Answers(
        **fields, outputs=outputs, labels=labels, lengths=lengths, groups=groups
    )


def has_answers(run: RunFolder, split: str) -> bool:
    """Returns whether a run has stored answers for a split."""
    return (run.path / make_answers_file_name(split)).exists()
