"""Stored predictions of a study, in two Parquet files.

`answers.parquet` has a record for each evaluation of a run. It contains the predicted
labels as int8, or the outputs as float32 if the metrics of the task cannot be computed
from the labels. For rankings, the scores are replaced by their ranks in the question.
`rows.parquet` has a record for each set of evaluated rows, with the key `rows_sha256`.
It contains the labels, lengths and groups of the rows.
"""

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.answers import Answers, has_answers, read_answers
from dsa.runs.run_folder import RunFolder
from dsa.runs.studies import StudyRun
from dsa.system.atomic_files import write_atomically
from dsa.tasks.ranking import Ranking
from dsa.tasks.task import Task

ANSWERS_FILE = "answers.parquet"
ROWS_FILE = "rows.parquet"


def find_answers(run: RunFolder, split: str) -> Answers | None:
    """Returns the stored answers of a run for a split, or `None`.

    The answers of a `StudyRun` are read from the files of the study, the answers of
    other runs from the run folder.

    Raises: `InputError` if the answers are damaged; also see `read_answers`.
    """
    if not isinstance(run, StudyRun):
        return read_answers(run, split) if has_answers(run, split) else None
    task = run.experiment().task
    try:
        record = _read_evaluations(run.study).get((run.record["run"], split))
        if record is None:
            return None
        rows = _read_rows(run.study)[record["rows_sha256"].as_py()]
        labels = rows["labels"].astype(task.number_type)
        outputs = _unpack_outputs(record, len(labels), task.outputs)
    except (KeyError, ValueError, OSError) as error:
        raise InputError(
            f"{run.study}: damaged {ANSWERS_FILE} or {ROWS_FILE}: {error}"
        ) from error
    return Answers(
        split=split,
        file=rows["file"],
        rows_sha256=record["rows_sha256"].as_py(),
        weights_sha256=record["weights_sha256"].as_py(),
        outputs=outputs,
        labels=labels,
        lengths=rows["lengths"],
        groups=rows["groups"] or [None] * len(labels),
    )


def list_answers(study: Path) -> set[tuple[str, str]]:
    """Returns the evaluations of a study, as pairs `(run name, split)`."""
    return set(_read_evaluations(study))


def _unpack_outputs(record, num_rows, num_outputs):
    """Returns the outputs of an evaluation, float32 `(num_rows, num_outputs)`.

    Stored labels are converted to one-hot vectors.

    Raises: `ValueError` if the record has neither labels nor outputs, if the stored
        arrays have another size, or if a stored label is not from 0 to
        `num_outputs - 1`.
    """
    if not record["predicted"].is_valid and not record["outputs"].is_valid:
        raise ValueError("expected predicted labels or outputs. Received: null")
    if not record["predicted"].is_valid:
        return record["outputs"].values.to_numpy().reshape(num_rows, num_outputs)
    predicted = record["predicted"].values.to_numpy()
    has_valid_labels = (
        predicted.shape == (num_rows,)
        and (predicted >= 0).all()
        and (predicted < num_outputs).all()
    )
    if not has_valid_labels:
        raise ValueError(f"expected {num_rows} labels from 0 to {num_outputs - 1}")
    return np.eye(num_outputs, dtype=np.float32)[predicted]


def digest_answers(answers: Answers, task: Task) -> str:
    """Returns the SHA-256 of an evaluation in the files of a study.

    `runs.jsonl` contains it as `answers_sha256`.
    """
    packed = _pack_outputs(answers, task)
    content = f"{answers.rows_sha256} {packed.dtype} ".encode() + packed.tobytes()
    return hashlib.sha256(content).hexdigest()


def _pack_outputs(answers, task):
    """Returns the smallest array from which all metrics can be computed.

    The array contains the predicted labels as int8, zeros and ranks `(N, 2)` as float32
    for a ranking, or the outputs as float32.
    """
    predicted = answers.outputs.argmax(axis=1)
    one_hot = np.eye(task.outputs, dtype=np.float32)[predicted]
    if _preserves_metrics(answers, task, one_hot):
        return predicted.astype(np.int8)
    if isinstance(task, Ranking):
        ranks = _rank_scores(task.scores(answers.outputs), answers.groups)
        outputs = np.stack([np.zeros_like(ranks), ranks], axis=1)
        if _preserves_metrics(answers, task, outputs):
            return outputs
    return answers.outputs.astype(np.float32)


def _preserves_metrics(answers, task, outputs):
    """Returns whether `outputs` give the same metric values as the answers, for each
    unit."""
    values = task.unit_values(answers.outputs, answers.labels, answers.groups)
    other_values = task.unit_values(outputs, answers.labels, answers.groups)
    return all(np.array_equal(values[name], other_values[name]) for name in values)


def _rank_scores(scores, groups):
    """Returns the rank of each score in its group as float32, from 0 for the lowest.

    Equal scores have equal ranks.
    """
    _, group_ids = np.unique(groups, return_inverse=True)
    ranks = np.empty(len(scores), np.float32)
    for group_id in range(group_ids.max() + 1):
        in_group = group_ids == group_id
        _, ranks[in_group] = np.unique(scores[in_group], return_inverse=True)
    return ranks


def write_study_answers(
    study: Path, answers: Mapping[tuple[str, str], tuple[Answers, Task]]
) -> None:
    """Writes `answers.parquet` and `rows.parquet` of a study.

    Args:
        study: folder of the study.
        answers: answers and task of each evaluation, by `(run name, split)`.

    Raises: `InputError` if two evaluations have the same rows, but different labels,
        lengths or groups.
    """
    records = []
    row_records = {}
    for (run, split), (run_answers, task) in sorted(answers.items()):
        packed = _pack_outputs(run_answers, task)
        contains_labels = packed.dtype == np.int8
        records.append(
            {
                "run": run,
                "split": split,
                "rows_sha256": run_answers.rows_sha256,
                "weights_sha256": run_answers.weights_sha256,
                "predicted": packed if contains_labels else None,
                "outputs": None if contains_labels else packed.ravel(),
            }
        )
        row_record = {
            "rows_sha256": run_answers.rows_sha256,
            "file": run_answers.file,
            "labels": run_answers.labels.astype(np.float32).tolist(),
            "lengths": run_answers.lengths.tolist(),
            "groups": run_answers.groups if any(run_answers.groups) else None,
        }
        first_record = row_records.setdefault(run_answers.rows_sha256, row_record)
        if row_record != first_record:
            raise InputError(
                f"{run}: labels, lengths or groups differ from another run with the "
                "same rows"
            )
    import pyarrow

    text = pyarrow.string()
    floats = pyarrow.list_(pyarrow.float32())
    answers_schema = {
        "run": text,
        "split": text,
        "rows_sha256": text,
        "weights_sha256": text,
        "predicted": pyarrow.list_(pyarrow.int8()),
        "outputs": floats,
    }
    rows_schema = {
        "rows_sha256": text,
        "file": text,
        "labels": floats,
        "lengths": pyarrow.list_(pyarrow.uint16()),
        "groups": pyarrow.list_(text),
    }
    _write_parquet(study / ANSWERS_FILE, records, answers_schema)
    _write_parquet(study / ROWS_FILE, list(row_records.values()), rows_schema)


def _write_parquet(path, records, schema):
    """Writes records to a compressed Parquet file.

    All columns except `outputs` contain many repeated values, so they use a dictionary.
    """
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pylist(records, pyarrow.schema(schema))
    dictionary_columns = []
    for column in table.column_names:
        if column != "outputs":
            # the name of a plain column, and of the elements of a list column
            dictionary_columns += [column, f"{column}.list.element"]

    def write(temporary):
        parquet.write_table(
            table,
            temporary,
            compression="zstd",
            compression_level=19,
            use_dictionary=dictionary_columns,
        )

    write_atomically(path, write)


def _read_evaluations(study):
    """Returns `{(run name, split): record}`, with Arrow scalars as values."""
    path = study / ANSWERS_FILE
    if not path.is_file():
        return {}
    return _index_evaluations(path, path.stat().st_mtime_ns)


def _read_rows(study):
    """Returns the records of the evaluated rows, `{rows_sha256: record}`."""
    path = study / ROWS_FILE
    return _index_rows(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=32)
def _index_evaluations(path, _modified):
    """Reads `answers.parquet`. A changed modification time invalidates the cache."""
    from pyarrow import parquet

    table = parquet.read_table(path)
    evaluations = {}
    for row in range(table.num_rows):
        record = {name: table[name][row] for name in table.column_names}
        evaluations[record["run"].as_py(), record["split"].as_py()] = record
    return evaluations


@functools.lru_cache(maxsize=32)
def _index_rows(path, _modified):
    """Reads `rows.parquet`. A changed modification time invalidates the cache.

    Raises: `ValueError` if the labels or lengths of a record are null.
    """
    from pyarrow import parquet

    records = parquet.read_table(path).to_pylist()
    for record in records:
        for name in ("labels", "lengths"):
            if record[name] is None:
                raise ValueError(f"expected {name}. Received: null")
        record["labels"] = np.array(record["labels"], np.float32)
        record["lengths"] = np.array(record["lengths"], np.uint16)
    return {record["rows_sha256"]: record for record in records}
