"""Tasks of `dsa transfer`, and the evaluation of encoders on these tasks."""

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
from dsa.data.prepared.splits import check_rare_labels
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
from dsa.evaluation.transfer.transfer_table import PROTOCOL, EncoderRow, transfer_text
from dsa.inference.loading import load
from dsa.runs.run_names import name_runs
from dsa.seeds import derived_seed
from dsa.system import environment
from dsa.system.atomic_files import write_atomically
from dsa.system.terminal import announce
from dsa.system.text_tables import format_csv

if TYPE_CHECKING:
    from dsa.runs.outputs import OutputFolder

FILES = ("transfer.csv", "transfer.md")
AVERAGE_FILE = "average.json"
MEASURES = {  # by name in the catalogue of corpora
    measure.__name__: measure
    for measure in (correlate_cosines, classify_test, cross_validate, regress_scores)
}
Encoder = FrozenEncoder | VectorAverage
log = logging.getLogger(__name__)


class Transfer(NamedTuple):
    """A transfer task.

    Args:
        name: name of the task for `--tasks`.
        corpus: name of the corpus.
        measure: evaluation function from `dsa.evaluation.transfer.protocol`.
        files: `{split: file}` below the data root.
    """

    name: str
    corpus: str
    measure: Callable[..., Record]
    files: dict[str, str]


def list_transfers() -> dict[str, Transfer]:
    """Returns the tasks of all corpora by name."""
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
    """Returns the named tasks; all tasks if `names` is `None`.

    Raises: `InputError` for an unknown name.
    """
    transfers = list_transfers()
    unknown = sorted(set(names or ()) - set(transfers))
    if unknown:
        raise InputError(f"unknown task {unknown[0]!r}. Known: {', '.join(transfers)}")
    return [transfers[name] for name in names or transfers]


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

    Each result is appended to the `transfer.json` of its run. Tasks without files below
    the data root are skipped with a warning.

    Args:
        runs: run folders.
        root: the data root.
        tasks: names of the tasks; `None` for all.
        average: vector file below the data root and number of features, to evaluate
            averaged word vectors as well; `None` to evaluate only the runs.
        seed: seed of the folds and of the initial weights.
        vectors: vector file for words outside the vocabularies of the runs.
        output: folder for `transfer.md`, `transfer.csv` and, for averaged vectors,
            `average.json`; `None` to write no files.

    Returns: the results as Markdown.

    Raises: `InputError` for an unknown task, if the files of all tasks are missing, and
        for an unusable run or vector file.
    """
    files = (*FILES, AVERAGE_FILE) if average else FILES
    if output:
        output.check(files)
    transfers = _skip_missing(choose_transfers(tasks), root)
    models = [load(run, vectors, root) for run in runs]
    log_device()
    encoders: dict[str, Encoder] = {}
    names = name_runs([model.run for model in models])
    for name, model in zip(names, models, strict=True):
        encoders[name] = FrozenEncoder(model)
    if average:
        baseline = load_average(*average, root)
        encoders[f"average of {baseline.path.name}"] = baseline
    rows = []
    for name, encoder in encoders.items():
        entries = {}
        for transfer in transfers:
            announce(f"{name}, {transfer.name}")
            entry = {
                "task": transfer.name,
                **evaluate_transfer(encoder, transfer, root, seed),
                "date": environment.now(),
                **environment.commit(),
                "seed": seed,
                "protocol": PROTOCOL,
            }
            log.info("%s: %s", name, entry)
            encoder.record(entry)
            entries[transfer.name] = entry
        rows.append(EncoderRow(name, encoder.trained_on, encoder.units, entries))
    text = transfer_text(rows)
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


def _skip_missing(transfers: list[Transfer], root: Path | str) -> list[Transfer]:
    """Returns the tasks without missing files.

    Raises: `InputError` if all tasks have missing files.
    """
    present = []
    for transfer in transfers:
        try:
            for name in transfer.files.values():
                find_file(root, name)
            present.append(transfer)
        except InputError as error:
            log.warning("task %s is skipped: %s", transfer.name, error)
    if not present:
        raise InputError(f"the files of all tasks are missing in the data root {root}")
    return present


def evaluate_transfer(
    encoder: Encoder, transfer: Transfer, root: Path | str, seed: int = 13
) -> Record:
    """Returns the result of an encoder on a task, a record from `protocol`.

    Args:
        encoder: the encoder.
        transfer: the task.
        root: the data root.
        seed: seed of the folds and of the initial weights.

    Raises: `InputError` for a missing or malformed file, and for training rows with a
        single label, or with a label of fewer rows than folds.
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
                check_rare_labels(path, labels, FOLDS, f"for {FOLDS} folds")
        splits[split] = SplitVectors(
            encoder.vectors(prepared)[prepared.sentence_indices], labels
        )
    task_seed = derived_seed(seed, transfer.name)
    return transfer.measure(splits, corpus.task, task_seed)
