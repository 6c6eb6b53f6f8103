"""The answers of a run for the rows of a split, packed into a file of the run:
`answers_dev.npz`. Paired numbers are computed from them, without corpus and Keras.

N labelled rows, in the order of the corpus.
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

MOST_BYTES = 2**26  # of a file's arrays
KIND = "answers"
NAMES = ("split", "file", "rows_sha256", "weights_sha256")  # in the record


@dataclasses.dataclass(frozen=True)
class Answers:
    """What a run answers for the rows of a split.

    Attributes:
        split: the name of the evaluation, such as "dev" or "dev (shuffled_words)".
        file: the name of the corpus file.
        rows_sha256: of the corpus file and the ids of the rows: equal where two runs
            were measured on the same rows.
        weights_sha256: of the run's weights; empty where the run has no record of it.
        outputs: `(N, outputs)`: probabilities in float16 where every unit has the same
            value by them as by the logits, as by the most probable label; otherwise
            logits in float32.
        labels: `(N,)`, as numbers.
        lengths: uint16 `(N,)`, tokens of the longest sentence of each row, as the
            corpus has it, without a view.
        groups: the group of each row, such as its question; `None` for none.
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
    """Packs the logits of an evaluation.

    Args:
        prepared: the corpus, without a view.
        logits: `(N, outputs)`, of the labelled rows.
        entry: of `metrics.json`.
    """
    rows = prepared.labelled
    labels, groups = prepared.labels[rows], list_groups(prepared)
    ids = json.dumps([prepared.fingerprint, [prepared.ids[row] for row in rows]])
    longest = prepared.sentences.lengths[prepared.texts[rows]].max(axis=1)
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
    """Probabilities in float16 where units have the same values by them."""
    packed = round_probabilities(logits)
    values, by_packed = (
        task.unit_values(outputs, labels, groups) for outputs in (logits, packed)
    )
    same = all(np.array_equal(values[name], by_packed[name]) for name in values)
    return packed if same else logits.astype(np.float32)


def round_probabilities(logits: np.ndarray) -> np.ndarray:
    """Returns the probabilities `(N, outputs)` of logits, in float16. The largest of a
    row stays the only largest one: where another is rounded to the same number, it
    becomes the next one above.

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


def name_answers(split: str) -> str:
    """Returns the name of the file of an evaluation.

    Example:
        >>> name_answers("dev (shuffled_words)")
        'answers_dev_shuffled_words.npz'
    """
    return f"answers_{'_'.join(re.findall('[a-zA-Z0-9_.-]+', split))}.npz"


def write_answers(run: RunFolder, answers: Answers) -> str:
    """Writes the answers into a run folder, and returns the SHA-256 of the file."""
    path = run.path / name_answers(answers.split)
    names = sorted({group for group in answers.groups if group is not None})
    places = {None: -1, **{name: place for place, name in enumerate(names)}}
    arrays = {
        "outputs": answers.outputs,
        "labels": answers.labels,
        "lengths": answers.lengths,
        "groups": np.array([places[group] for group in answers.groups], np.int32),
    }
    record = {name: getattr(answers, name) for name in NAMES}
    write_arrays(path, arrays, {**record, "groups": names}, compress=True)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_answers(run: RunFolder, split: str) -> Answers:
    """Reads the answers of a run for a split, or another evaluation.

    Raises: `InputError` for a damaged file, one of another split or of other weights
        than the run has now; `FileNotFoundError` for none.
    """
    path = run.path / name_answers(split)
    arrays, record = read_arrays(path, KIND, MOST_BYTES)
    task = run.experiment().task
    try:
        answers = _unpack(arrays, record, task)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{path}: damaged {KIND}: {error}") from error
    if answers.split != split:
        raise InputError(f"{path}: answers of '{answers.split}', not of '{split}'")
    weights = read_weights_sha256(run.path)
    if weights and answers.weights_sha256 != weights:
        raise InputError(
            f"{path}: answers of other weights than the run has now. Evaluate it again "
            "with --keep-answers"
        )
    return answers


def _unpack(arrays, record, task):
    """Raises: `ValueError` and the like for arrays that do not fit together."""
    outputs, labels, lengths, places = (
        arrays[name] for name in ("outputs", "labels", "lengths", "groups")
    )
    names = record["groups"]
    texts = [*names, *(record[name] for name in NAMES)]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("names must be text")
    count = len(labels)
    if outputs.shape != (count, task.outputs) or outputs.dtype.kind != "f":
        raise ValueError(f"{task.outputs} numbers for each of {count} rows are needed")
    if not count or {labels.shape, lengths.shape, places.shape} != {(count,)}:
        raise ValueError("a label, a length and a group for each row are needed")
    if labels.dtype != task.number_type or not np.isfinite(labels).all():
        raise ValueError("labels must be numbers of the task")
    if lengths.dtype != np.uint16 or places.dtype != np.int32 or places.min() < -1:
        raise ValueError("lengths and groups must be whole numbers")
    return Answers(
        **{name: record[name] for name in NAMES},
        outputs=outputs,
        labels=labels,
        lengths=lengths,
        groups=[None if place < 0 else names[place] for place in places],
    )


def has_answers(run: RunFolder, split: str) -> bool:
    """Returns whether a run has a file of answers for a split."""
    return Path(run.path, name_answers(split)).exists()
