"""Encoders on the tasks of the suite."""

import json
import logging

import numpy as np

from dsa.config_section import MOST_UNITS, parse_whole_number, shorten
from dsa.data.corpora.catalogue import corpus_named
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.splits import check_rare_labels
from dsa.errors import InputError
from dsa.evaluation.transfer.encoders import FrozenEncoder, VectorAverage
from dsa.evaluation.transfer.protocol import SplitVectors
from dsa.evaluation.transfer.settings import OURS, protocol_named
from dsa.evaluation.transfer.suite import choose_transfers
from dsa.evaluation.transfer.table import EncoderRow, transfer_text
from dsa.experiment.run_names import name_runs
from dsa.inference.loading import load
from dsa.seeds import derived_seed
from dsa.system import environment
from dsa.system.atomic_files import write_atomically
from dsa.system.terminal import announce
from dsa.system.text_tables import comma_separated

NAMES = ("transfer.csv", "transfer.md", "average.json")
log = logging.getLogger(__name__)


def evaluate_runs(  # noqa: PLR0913 (the command's options)
    runs,
    root,
    tasks=None,
    average=None,
    *,
    seed=13,
    protocol="ours",
    vectors=None,
    output=None,
):
    """Measure the encoders of runs on the suite. Every result is appended to the run's
    `transfer.json`.

    Args:
        runs: the run folders.
        root: the data root. A task whose files are not below it is left out.
        tasks: names of the suite's tasks; `None` for all.
        average: a vector file below the data root and its features, to measure
            averaged word vectors too.
        seed: deals the folds.
        protocol: the name of the `Protocol`.
        vectors: a vector file for words that the runs lack.
        output: the `OutputFolder` where `transfer.md`, `transfer.csv` and, of averaged
            vectors, `average.json` are written; `None` for nowhere.

    Returns: the results as Markdown.

    Raises: `InputError` for an unknown task, for tasks of which none has its files,
        and for a run or a vector file that cannot be used.
    """
    protocol = protocol_named(protocol)
    files = NAMES if average else NAMES[:2]
    if output:
        output.refuse(files)
    suite = _keep_present(choose_transfers(tasks, protocol), root)
    trained = [load(run, vectors, root) for run in runs]
    names = name_runs(trained)
    encoders = {n: FrozenEncoder(t) for n, t in zip(names, trained, strict=True)}
    if average:
        averaged = _load_average(*average, root)
        encoders[f"average of {averaged.path.name}"] = averaged
    entries, rows = {}, []
    for name, encoder in encoders.items():
        measured = _evaluate_suite(name, encoder, suite, root, seed, protocol)
        results, entries[name] = measured
        rows.append(EncoderRow(name, encoder.trained_on, encoder.units, results))
    if output:
        averages = entries[name] if average else None
        _write(output.open(files), rows, averages, protocol)
    return transfer_text(rows, protocol)


def _keep_present(suite, root):
    """The `Transfer`s whose files are all below the data root."""
    present = []
    for transfer in suite:
        try:
            for name in transfer.files.values():
                find_file(root, name)
            present.append(transfer)
        except InputError as error:
            log.warning("%s is left out: %s", transfer.name, error)
    if not present:
        raise InputError(f"no task's files are below the data root, {root}")
    return present


def _load_average(file, units, root):
    path = find_file(root, file)
    try:
        count = parse_whole_number(units)
    except ValueError as error:
        raise InputError(f"--average: UNITS: {error}") from error
    if not 0 < count <= MOST_UNITS:
        raise InputError(
            f"--average: UNITS is a number from 1 to {MOST_UNITS}. Received: "
            f"{shorten(units)}"
        )
    return VectorAverage(path, count)


def _evaluate_suite(name, encoder, suite, root, seed, protocol):
    """`{task: TransferResult}`, and the same as entries of `transfer.json`."""
    results, entries = {}, []
    for transfer in suite:
        announce(f"{name}, {transfer.name}")
        result = evaluate_transfer(encoder, transfer, root, seed, protocol)
        results[transfer.name] = result
        facts = {"date": environment.now(), **environment.commit(), "seed": seed}
        facts["protocol"] = protocol.name
        entry = result.as_entry(transfer.name)
        entries.append({**entry, **facts})
        log.info("%s, %s: %s", name, transfer.name, entry)
        encoder.record(entries[-1])
    return results, entries


def evaluate_transfer(encoder, transfer, root, seed=13, protocol=OURS):
    """An encoder's `TransferResult` on a task of the suite.

    Args:
        encoder: a `FrozenEncoder` or `VectorAverage`.
        transfer: a `Transfer`.
        root: the data root.
        seed: deals the folds.
        protocol: the `Protocol`.

    Raises: `InputError` for a file that is missing or malformed, and for training rows
        that nothing can be learned from.
    """
    corpus, splits = corpus_named(transfer.corpus), {}
    for split, name in transfer.files.items():
        path = find_file(root, name)
        prepared = prepare(path, corpus, encoder.tokenizer)
        if split == "train":
            _check_labels_vary(path, prepared.labels, transfer.least_rows(protocol))
        vectors = encoder.vectors(prepared)[prepared.texts]
        splits[split] = SplitVectors(vectors, prepared.labels)
    seed = derived_seed(seed, transfer.name)
    return transfer.measure(splits, corpus.task, seed, protocol)


def _check_labels_vary(path, labels, least_rows):
    if len(np.unique(labels)) < 2:
        raise InputError(f"{path}: every row has the same label or score")
    if least_rows > 1:
        check_rare_labels(path, labels, least_rows, "fewer than folds")


def _write(folder, rows, average_entries, protocol):
    records = comma_separated([row.as_record() for row in rows])
    write_atomically(folder / "transfer.csv", records)
    write_atomically(folder / "transfer.md", transfer_text(rows, protocol))
    if average_entries is not None:
        text = json.dumps({"evaluations": average_entries}, indent=2)
        write_atomically(folder / "average.json", f"{text}\n")
