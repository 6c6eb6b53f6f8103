"""The answers of a study's runs, in two Parquet files.

`answers.parquet` has a record per evaluation: the predicted label of each row as int8,
or the two or more outputs of each row as float32 if the task needs more than the label.
The outputs of a ranking are 0 and the rank of the answer's score in its question.
`rows.parquet` has a record per set of rows, named by `rows_sha256`: labels, lengths and
groups.
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
IDS = ("run", "split", "rows_sha256", "weights_sha256")


def find_answers(run: RunFolder, split: str) -> Answers | None:
    """Returns the answers of a run for a split, or `None`: those in its folder, or
    those in its study.

    Raises: `InputError` for damaged answers, and as `read_answers`.
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
    """Returns the name of the run and the split of each evaluation of a study."""
    return set(_read_evaluations(study))


def _unpack_outputs(record, rows, outputs):
    """Returns `(rows, outputs)` float32; of labels, 1 for the predicted label."""
    if not record["predicted"].is_valid:
        return record["outputs"].values.to_numpy().reshape(rows, outputs)
    predicted = record["predicted"].values.to_numpy()
    if (
        predicted.shape != (rows,)
        or not 0 <= predicted.min() <= predicted.max() < outputs
    ):
        raise ValueError(f"a label for each of {rows} rows is needed")
    return np.eye(outputs, dtype=np.float32)[predicted]


def digest_answers(answers: Answers, task: Task) -> str:
    """Returns the SHA-256 of the predictions that a study keeps: `answers_sha256` in
    `runs.jsonl`."""
    packed = _pack_outputs(answers, task)
    content = f"{answers.rows_sha256} {packed.dtype} ".encode() + packed.tobytes()
    return hashlib.sha256(content).hexdigest()


def _pack_outputs(answers, task):
    """Returns the predicted labels as int8, or the ranks of a ranking as float32, if
    all units have the same values by them, otherwise the outputs as float32."""
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
    """Returns whether all units have the same values by other outputs."""
    values, others = (
        task.unit_values(numbers, answers.labels, answers.groups)
        for numbers in (answers.outputs, outputs)
    )
    return all(np.array_equal(values[name], others[name]) for name in values)


def _rank_scores(scores, groups):
    """Returns the rank of each score in its group as float32, from 0 for the lowest;
    equal scores have equal ranks."""
    _, places = np.unique(groups, return_inverse=True)
    ranks = np.empty(len(scores), np.float32)
    for group in range(places.max() + 1):
        inside = places == group
        ranks[inside] = np.unique(scores[inside], return_inverse=True)[1]
    return ranks


def write_study_answers(
    study: Path, answers: Mapping[tuple[str, str], tuple[Answers, Task]]
) -> None:
    """Writes both files of a study.

    Args:
        study: folder of the study.
        answers: the answers and the task of each evaluation, by the name of the run
            and the split.

    Raises: `InputError` for runs that disagree about the labels, lengths or groups of
        the same rows.
    """
    records, rows = [], {}
    for (run, split), (one, task) in sorted(answers.items()):
        packed = _pack_outputs(one, task)
        is_labels = packed.dtype == np.int8
        records.append(
            {
                "run": run,
                "split": split,
                "rows_sha256": one.rows_sha256,
                "weights_sha256": one.weights_sha256,
                "predicted": packed if is_labels else None,
                "outputs": None if is_labels else packed.ravel(),
            }
        )
        described = {
            "rows_sha256": one.rows_sha256,
            "file": one.file,
            "labels": one.labels.astype(np.float32).tolist(),
            "lengths": one.lengths.tolist(),
            "groups": one.groups if any(one.groups) else None,
        }
        if rows.setdefault(one.rows_sha256, described) != described:
            raise InputError(f"{run}: other labels, lengths or groups of the same rows")
    import pyarrow

    text, numbers = pyarrow.string(), pyarrow.list_(pyarrow.float32())
    schema = {name: text for name in IDS}
    schema |= {"predicted": pyarrow.list_(pyarrow.int8()), "outputs": numbers}
    _write(study / ANSWERS, records, schema)
    schema = {"rows_sha256": text, "file": text, "labels": numbers}
    schema |= {
        "lengths": pyarrow.list_(pyarrow.uint16()),
        "groups": pyarrow.list_(text),
    }
    _write(study / ROWS, list(rows.values()), schema)


def _write(path, records, schema):
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
    """Returns `{(run, split): record}`, the values of a record as Arrow scalars."""
    path = study / ANSWERS
    return _index_evaluations(path, path.stat().st_mtime_ns) if path.is_file() else {}


def _read_rows(study):
    """Returns `{rows_sha256: record}`."""
    path = study / ROWS
    return _index_rows(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=32)
def _index_evaluations(path, _modified):
    from pyarrow import parquet

    table = parquet.read_table(path)
    return {
        key: {name: table[name][place] for name in table.column_names}
        for place, key in enumerate(
            zip(table["run"].to_pylist(), table["split"].to_pylist(), strict=True)
        )
    }


@functools.lru_cache(maxsize=32)
def _index_rows(path, _modified):
    from pyarrow import parquet

    records = parquet.read_table(path).to_pylist()
    for record in records:
        record["labels"] = np.array(record["labels"], np.float32)
        record["lengths"] = np.array(record["lengths"], np.uint16)
    return {record["rows_sha256"]: record for record in records}
