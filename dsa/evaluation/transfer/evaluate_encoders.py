"""Transfer tasks, and the evaluation of sentence encoders on these tasks."""

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dsa.backends.device_check import log_device
from dsa.data.corpora.catalogue import CORPORA, get_corpus
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.splits import check_label_counts
from dsa.errors import InputError
from dsa.evaluation.transfer.encoders import FrozenEncoder, VectorAverage, load_average
from dsa.evaluation.transfer.protocol import (
    FOLDS,
    Record,
    SplitVectors,
    classify_test,
    correlate_cosines,
    cross_validate,
    regress_scores,
)
from dsa.evaluation.transfer.transfer_table import (
    PROTOCOL,
    EncoderRow,
    format_transfer_table,
)
from dsa.inference.loading import load
from dsa.runs.run_names import name_runs
from dsa.seeds import derived_seed
from dsa.system import environment
from dsa.system.atomic_files import write_atomically
from dsa.system.terminal import announce
from dsa.system.text_tables import format_csv

if TYPE_CHECKING:
    from dsa.runs.outputs import OutputFolder

TABLE_FILES = ("transfer.csv", "transfer.md")
AVERAGE_FILE = "average.json"
MEASURES = {  # evaluation functions by name in the catalogue of corpora
    "correlate_cosines": correlate_cosines,
    "classify_test": classify_test,
    "cross_validate": cross_validate,
    "regress_scores": regress_scores,
}
Encoder = FrozenEncoder | VectorAverage
log = logging.getLogger(__name__)


class Transfer(NamedTuple):
    """A transfer task.

    Args:
        name: name of the task for `--tasks`.
        corpus: name of the corpus.
        measure: evaluation function from `dsa.evaluation.transfer.protocol`.
        files: paths of the files relative to the data root, `{split: path}`.
    """

    name: str
    corpus: str
    measure: Callable[..., Record]
    files: dict[str, str]


def list_transfers() -> dict[str, Transfer]:
    """Returns the transfer tasks of all corpora, `{name: Transfer}`."""
    transfers = {}
    for corpus in CORPORA.values():
        for task in corpus.transfer:
            files = {
                split: corpus.splits[split]
                for split in task.reads
                if split in corpus.splits
            }
            measure = MEASURES[task.measure]
            transfers[task.name] = Transfer(task.name, corpus.name, measure, files)
    return transfers


def choose_transfers(names: Sequence[str] | None) -> list[Transfer]:
    """Returns the transfer tasks with the given names.

    Args:
        names: names of the tasks; `None` or empty for all tasks.

    Raises: `InputError` for an unknown name.
    """
    transfers = list_transfers()
    if not names:
        return list(transfers.values())
    unknown = sorted(set(names) - set(transfers))
    if unknown:
        raise InputError(f"unknown task {unknown[0]!r}. Known: {', '.join(transfers)}")
    return [transfers[name] for name in names]


def evaluate_runs(
    runs: Sequence[Path | str],
    root: Path | str,
    tasks: Sequence[str] | None = None,
    average: tuple[str, str] | None = None,
    *,
    seed: int = 13,
    vectors: str | None = None,
    output: "OutputFolder | None" = None,
) -> str:
    """Evaluates the encoders of runs on transfer tasks.

    Each result is appended to the `transfer.json` of its run. A task is skipped with a
    warning if one of its files is missing.

    Args:
        runs: run folders.
        root: the data root.
        tasks: names of the tasks; `None` for all tasks.
        average: arguments `(file, units)` of `load_average`, to evaluate averaged word
            vectors as well; `None` to evaluate only the runs.
        seed: seed of the folds and of the initial weights.
        vectors: vector file for words outside the vocabularies of the runs.
        output: folder for `transfer.md`, `transfer.csv` and, with `average`,
            `average.json`; `None` to write no files.

    Returns: the results as a Markdown table with notes.

    Raises: `InputError` if a task is unknown, if every task has a missing file, or if a
        run or vector file is missing or unsuitable.
    """
    files = (*TABLE_FILES, AVERAGE_FILE) if average else TABLE_FILES
    if output:
        output.check(files)
    transfers = _list_available(choose_transfers(tasks), root)
    models = [load(run, vectors, root) for run in runs]
    log_device()
    encoders: dict[str, Encoder] = {}
    names = name_runs([model.run for model in models])
    for name, model in zip(names, models, strict=True):
        if not model.run.is_verified():
            name = f"{name} (unverified)"
        encoders[name] = FrozenEncoder(model)
    if average:
        vector_file, units = average
        baseline = load_average(vector_file, units, root)
        encoders[f"average of {baseline.path.name}"] = baseline
    rows = []
    for name, encoder in encoders.items():
        entries = {}
        for transfer in transfers:
            announce(f"{name}, {transfer.name}")
            entry = {
                "task": transfer.name,
                **evaluate_transfer(encoder, transfer, root, seed),
                "date": environment.get_timestamp(),
                **environment.describe_commit(),
                "seed": seed,
                "protocol": PROTOCOL,
            }
            log.info("%s: %s", name, entry)
            encoder.record(entry)
            entries[transfer.name] = entry
        rows.append(EncoderRow(name, encoder.trained_on, encoder.units, entries))
    text = format_transfer_table(rows)
    if output:
        folder = output.open(files)
        records = format_csv([row.as_record() for row in rows])
        write_atomically(folder / "transfer.csv", records)
        write_atomically(folder / "transfer.md", text)
        if average:
            evaluations = {"evaluations": list(rows[-1].entries.values())}
            content = json.dumps(evaluations, indent=2)
            write_atomically(folder / AVERAGE_FILE, f"{content}\n")
    return text


def _list_available(transfers: list[Transfer], root: Path | str) -> list[Transfer]:
    """Returns the tasks whose files are in the data root, and logs the other tasks.

    Raises: `InputError` if every task has a missing file.
    """
    available = []
    for transfer in transfers:
        try:
            for name in transfer.files.values():
                find_file(root, name)
        except InputError as error:
            log.warning("task %s is skipped: %s", transfer.name, error)
        else:
            available.append(transfer)
    if not available:
        raise InputError(f"the files of all tasks are missing in the data root {root}")
    return available


def evaluate_transfer(
    encoder: Encoder, transfer: Transfer, root: Path | str, seed: int = 13
) -> Record:
    """Evaluates an encoder on a transfer task.

    Args:
        encoder: the encoder.
        transfer: the task.
        root: the data root.
        seed: seed of the folds and of the initial weights.

    Returns: the metrics, see `dsa.evaluation.transfer.protocol`.

    Raises: `InputError` if a file is missing or malformed, if all training rows have
        the same label or score, or if a label has fewer training rows than there are
        cross-validation folds.
    """
    corpus = get_corpus(transfer.corpus)
    splits = {}
    for split, name in transfer.files.items():
        path = find_file(root, name)
        prepared = prepare(path, corpus, encoder.tokenizer)
        labels: Any = prepared.labels
        if split == "train":
            if len(np.unique(labels)) < 2:
                raise InputError(f"{path}: every row has the same label or score")
            if "dev" not in transfer.files:
                purpose = f"for {FOLDS} folds"
                check_label_counts(path, labels, FOLDS, purpose, corpus.task.describe)
        splits[split] = SplitVectors(
            encoder.vectors(prepared)[prepared.sentence_indices], labels
        )
    task_seed = derived_seed(seed, transfer.name)
    return transfer.measure(splits, corpus.task, task_seed)
