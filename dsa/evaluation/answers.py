"""Stored predictions of a run for a split, such as `answers_dev.npz` in the run folder.

Paired comparisons are computed from these files, without the corpus or Keras.
N labelled rows, in corpus order.
"""

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.errors import InputError
from dsa.inference.row_reading import list_groups
from dsa.runs.run_files import read_weights_sha256
from dsa.runs.run_folder import RunFolder
from dsa.system.arrays import read_arrays, write_arrays
from dsa.tasks.task import Task

MAX_ARRAY_BYTES = 2**26  # limit on the arrays of a file
KIND = "answers"
# fields of `Answers` in the JSON record
RECORD_FIELDS = ("split", "file", "rows_sha256", "weights_sha256")


@dataclasses.dataclass(frozen=True)
class Answers:
    """Predictions of a run for the labelled rows of a split.

    Attributes:
        split: name of the evaluation, such as "dev" or "dev (shuffled_words)".
        file: name of the corpus file.
        rows_sha256: SHA-256 of the corpus fingerprint and row ids. Two evaluations of
            the same rows have the same value.
        weights_sha256: SHA-256 of the run's weights; empty if it was not recorded.
        outputs: `(N, outputs)`, float16 probabilities if they give the same metric
            values per unit as the logits, else float32 logits.
        labels: `(N,)`, label ids or scores.
        lengths: uint16 `(N,)`, number of tokens in the longest sentence of each row,
            before a view is applied.
        groups: group of each row, such as its question; `None` for a row without group.
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
        logits: `(N, outputs)`, logits of the labelled rows.
        entry: entry of the evaluation in `metrics.json`.
    """
    rows = prepared.labelled
    labels, groups = prepared.labels[rows], list_groups(prepared)
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
    """Returns float16 probabilities if they preserve the metrics, else the logits."""
    packed = round_probabilities(logits)
    values, packed_values = (
        task.unit_values(outputs, labels, groups) for outputs in (logits, packed)
    )
    is_same = all(np.array_equal(values[name], packed_values[name]) for name in values)
    return packed if is_same else logits.astype(np.float32)


def round_probabilities(logits: np.ndarray) -> np.ndarray:
    """Returns float16 probabilities `(N, outputs)` with the same arg max as the logits.

    A tie that rounding introduces is broken by raising the largest probability to the
    next float16 number.

    Example:
        >>> round_probabilities(np.array([[0.0, 1e-5]])).tolist()
        [[0.5, 0.50048828125]]
    """
    from scipy.special import softmax

    packed = softmax(logits.astype(np.float64), axis=1).astype(np.float16)
    best = logits.argmax(axis=1)
    (tied,) = np.nonzero(packed.argmax(axis=1) != best)
    largest = packed[tied, best[tied]]
    packed[tied, best[tied]] = np.nextafter(largest, np.float16(2))
    return packed


def answers_file_name(split: str) -> str:
    """Returns the file name of the answers of an evaluation.

    Example:
        >>> answers_file_name("dev (shuffled_words)")
        'answers_dev_shuffled_words.npz'
    """
    return f"answers_{'_'.join(re.findall('[a-zA-Z0-9_.-]+', split))}.npz"


def write_answers(run: RunFolder, answers: Answers) -> str:
    """Writes answers to a run folder and returns the SHA-256 of the file."""
    path = run.path / answers_file_name(answers.split)
    names = sorted({group for group in answers.groups if group is not None})
    group_ids = {None: -1, **{name: number for number, name in enumerate(names)}}
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
    """Reads the answers of a run for a split or another evaluation, such as a view.

    Raises: `InputError` for a damaged file, a different split or outdated weights;
        `FileNotFoundError` if the file is missing.
    """
    path = run.path / answers_file_name(split)
    arrays, record = read_arrays(path, KIND, MAX_ARRAY_BYTES)
    task = run.experiment().task
    try:
        answers = _unpack(arrays, record, task)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{path}: damaged {KIND}: {error}") from error
    if answers.split != split:
        raise InputError(
            f"{path}: expected split '{split}'. Received: '{answers.split}'"
        )
    weights = read_weights_sha256(run.path)
    if weights and answers.weights_sha256 != weights:
        raise InputError(
            f"{path}: outdated, the weights of the run have changed. Evaluate the run "
            "again with --keep-answers"
        )
    return answers


def _unpack(arrays, record, task):
    """Converts the content of a file to `Answers`.

    Raises: `KeyError`, `TypeError`, `ValueError` or `IndexError` for invalid content.
    """
    outputs, labels, lengths, group_ids = (
        arrays[name] for name in ("outputs", "labels", "lengths", "groups")
    )
    names = record["groups"]
    texts = [*names, *(record[name] for name in RECORD_FIELDS)]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("names must be strings")
    count = len(labels)
    if outputs.shape != (count, task.outputs) or outputs.dtype.kind != "f":
        raise ValueError(
            f"outputs must be floats of shape ({count}, {task.outputs}). "
            f"Received: {outputs.dtype}, {outputs.shape}"
        )
    if not count or {labels.shape, lengths.shape, group_ids.shape} != {(count,)}:
        raise ValueError("labels, lengths and groups must have one value per row")
    if labels.dtype != task.number_type or not np.isfinite(labels).all():
        raise ValueError(
            f"labels must be finite, of dtype {np.dtype(task.number_type)}"
        )
    if (
        lengths.dtype != np.uint16
        or group_ids.dtype != np.int32
        or group_ids.min() < -1
    ):
        raise ValueError("lengths must be uint16, groups int32 from -1")
    return Answers(
        **{name: record[name] for name in RECORD_FIELDS},
        outputs=outputs,
        labels=labels,
        lengths=lengths,
        groups=[None if number < 0 else names[number] for number in group_ids],
    )


def has_answers(run: RunFolder, split: str) -> bool:
    """Returns whether a run has stored answers for a split."""
    return Path(run.path, answers_file_name(split)).exists()
