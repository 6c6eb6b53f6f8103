"""Stored predictions of the runs of a study, in two Parquet files.

`answers.parquet` has a record for each evaluation. It contains the predicted label of
each row as int8, or the outputs of each row as float32 if the metrics of the task
depend on more than the label. The outputs of a ranking are 0 and the rank of the
answer's score in its question. `rows.parquet` has a record for each set of rows, with
the key `rows_sha256`: labels, lengths and groups.
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

ANSWERS, ROWS = "answers.parquet", "rows.parquet"


def find_answers(run: RunFolder, split: str) -> Answers | None:
    """Returns the answers of a run for a split, or `None` if they are not stored.

    They are read from the run folder or, for a `StudyRun`, from the study.

    Raises: `InputError` for damaged answers, and in the cases of `read_answers`.
    """
    if not isinstance(run, StudyRun):
        return read_answers(run, split) if has_answers(run, split) else None
    record = _read_evaluations(run.study).get((run.record["run"], split))
    if record is None:
        return None
    task = run.experiment().task
    try:
        rows = _read_rows(run.study)[record["rows_sha256"].as_py()]
        labels = rows["labels"].astype(task.number_type)
        outputs = _unpack_outputs(record, len(labels), task.outputs)
    except (KeyError, ValueError) as error:
        raise InputError(f"{run.study / ANSWERS}: damaged: {error}") from error
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
    """Returns `(run name, split)` of each evaluation of a study."""
    return set(_read_evaluations(study))


def _unpack_outputs(record, rows, outputs):
    """Returns the outputs of an evaluation, float32 `(rows, outputs)`.

    Stored labels are returned as one-hot vectors.
    """
    if not record["predicted"].is_valid:
        return record["outputs"].values.to_numpy().reshape(rows, outputs)
    predicted = record["predicted"].values.to_numpy()
    if (
        predicted.shape != (rows,)
        or not 0 <= predicted.min() <= predicted.max() < outputs
    ):
        raise ValueError(f"expected {rows} labels from 0 to {outputs - 1}")
    return np.eye(outputs, dtype=np.float32)[predicted]


def digest_answers(answers: Answers, task: Task) -> str:
    """Returns the SHA-256 of the predictions stored by a study: `answers_sha256` in
    `runs.jsonl`."""
    packed = _pack_outputs(answers, task)
    content = f"{answers.rows_sha256} {packed.dtype} ".encode() + packed.tobytes()
    return hashlib.sha256(content).hexdigest()


def _pack_outputs(answers, task):
    """Returns the smallest array from which all metrics can be computed.

    This is the predicted labels as int8, the ranks of a ranking as float32, or the
    outputs as float32.
    """
    predicted = answers.outputs.argmax(axis=1)
    one_hot = np.eye(task.outputs, dtype=np.float32)[predicted]
    if _has_equal_values(answers, task, one_hot):
        return predicted.astype(np.int8)
    if isinstance(task, Ranking):
        ranks = _rank_scores(task.scores(answers.outputs), answers.groups)
        outputs = np.stack([np.zeros_like(ranks), ranks], axis=1)
        if _has_equal_values(answers, task, outputs):
            return outputs
    return answers.outputs.astype(np.float32)


def _has_equal_values(answers, task, outputs):
    """Returns whether other outputs give the same metric values for all units."""
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

    Raises: `InputError` for runs with different labels, lengths or groups of the same
        rows.
    """
    records, rows = [], {}
    for (run, split), (run_answers, task) in sorted(answers.items()):
        packed = _pack_outputs(run_answers, task)
        is_labels = packed.dtype == np.int8
        records.append(
            {
                "run": run,
                "split": split,
                "rows_sha256": run_answers.rows_sha256,
                "weights_sha256": run_answers.weights_sha256,
                "predicted": packed if is_labels else None,
                "outputs": None if is_labels else packed.ravel(),
            }
        )
        row_record = {
            "rows_sha256": run_answers.rows_sha256,
            "file": run_answers.file,
            "labels": run_answers.labels.astype(np.float32).tolist(),
            "lengths": run_answers.lengths.tolist(),
            "groups": run_answers.groups if any(run_answers.groups) else None,
        }
        if rows.setdefault(run_answers.rows_sha256, row_record) != row_record:
            raise InputError(
                f"{run}: labels, lengths or groups differ from another run with the "
                "same rows"
            )
    import pyarrow

    text, floats = pyarrow.string(), pyarrow.list_(pyarrow.float32())
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
    _write_parquet(study / ANSWERS, records, answers_schema)
    _write_parquet(study / ROWS, list(rows.values()), rows_schema)


def _write_parquet(path, records, schema):
    """Writes records to a compressed Parquet file."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pylist(records, pyarrow.schema(schema))
    repetitive = [column for column in table.column_names if column != "outputs"]
    lists = [f"{column}.list.element" for column in repetitive]

    def write(temporary):
        parquet.write_table(
            table,
            temporary,
            compression="zstd",
            compression_level=19,
            use_dictionary=[*repetitive, *lists],
        )

    write_atomically(path, write)


def _read_evaluations(study):
    """Returns `{(run name, split): record}`, with Arrow scalars as values."""
    path = study / ANSWERS
    return _index_evaluations(path, path.stat().st_mtime_ns) if path.is_file() else {}


def _read_rows(study):
    """Returns the labels, lengths and groups of rows: `{rows_sha256: record}`."""
    path = study / ROWS
    return _index_rows(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=32)
def _index_evaluations(path, _modified):
    from pyarrow import parquet

    table = parquet.read_table(path)
    evaluations = {}
    for row in range(table.num_rows):
        record = {name: table[name][row] for name in table.column_names}
        evaluations[record["run"].as_py(), record["split"].as_py()] = record
    return evaluations


@functools.lru_cache(maxsize=32)
def _index_rows(path, _modified):
    from pyarrow import parquet

    records = parquet.read_table(path).to_pylist()
    for record in records:
        record["labels"] = np.array(record["labels"], np.float32)
        record["lengths"] = np.array(record["lengths"], np.uint16)
    return {record["rows_sha256"]: record for record in records}
