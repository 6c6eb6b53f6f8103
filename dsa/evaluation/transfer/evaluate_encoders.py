"""The transfer suite: what its tasks are, and encoders on them."""

import dataclasses
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dsa.backends.device_check import log_device
from dsa.config_section import MOST_UNITS, parse_whole_number, shorten
from dsa.data.corpora.catalogue import CORPORA, get_corpus
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.splits import check_rare_labels
from dsa.errors import InputError
from dsa.evaluation.transfer.encoders import FrozenEncoder, VectorAverage
from dsa.evaluation.transfer.protocol import (
    FOLDS,
    OURS,
    Protocol,
    SplitVectors,
    TransferResult,
    classify_test,
    correlate_cosines,
    cross_validate,
    protocol_named,
    regress_scores,
)
from dsa.evaluation.transfer.transfer_table import EncoderRow, transfer_text
from dsa.inference.loading import load
from dsa.runs.run_names import name_runs
from dsa.seeds import derived_seed
from dsa.system import environment
from dsa.system.atomic_files import write_atomically
from dsa.system.terminal import announce
from dsa.system.text_tables import comma_separated

if TYPE_CHECKING:
    from dsa.runs.outputs import OutputFolder

NAMES = ("transfer.csv", "transfer.md", "average.json")
MEASURES = {  # by the name that a corpus gives
    measure.__name__: measure
    for measure in (correlate_cosines, classify_test, cross_validate, regress_scores)
}
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Transfer:
    """A task of the suite.

    Args:
        name: as `--tasks` takes it.
        corpus: that it is made of.
        measure: a function of `dsa.evaluation.transfer.protocol`.
        files: `{split: file}`, those that `measure` reads, below the data root.
        protocol: the only protocol that has the task; "" for all.
    """

    name: str
    corpus: str
    measure: Callable
    files: dict[str, str]
    protocol: str = ""

    def least_rows(self, protocol: Protocol) -> int:
        """Returns how many rows of train a label needs: one for each fold."""
        if "dev" in self.files:
            return 1
        return protocol.inner_folds if "test" in self.files else FOLDS


def list_transfers() -> dict[str, Transfer]:
    """Returns the tasks of all corpora that have some, by name."""
    return {
        known.name: Transfer(
            known.name,
            corpus.name,
            MEASURES[known.measure],
            {
                name: corpus.splits[name]
                for name in known.reads
                if name in corpus.splits
            },
            known.protocol,
        )
        for corpus in CORPORA.values()
        for known in corpus.transfer
    }


def choose_transfers(
    names: Sequence[str] | None, protocol: Protocol = OURS
) -> list[Transfer]:
    """Returns the `Transfer`s of some names, all of a protocol if `names` is `None`.

    Raises: `InputError` for an unknown name.
    """
    suite = list_transfers()
    unknown = sorted(set(names or ()) - set(suite))
    if unknown:
        raise InputError(f"unknown task {unknown[0]!r}. Known: {', '.join(suite)}")
    if names:
        return [suite[name] for name in names]
    return [one for one in suite.values() if one.protocol in ("", protocol.name)]


def evaluate_runs(  # noqa: PLR0913 (the command's options)
    runs: Sequence[Path | str],
    root: Path | str,
    tasks: Sequence[str] | None = None,
    average: tuple[str, str] | None = None,
    *,
    seed: int = 13,
    protocol: str = "ours",
    vectors: str | None = None,
    output: "OutputFolder | None" = None,
) -> str:
    """Measures the encoders of runs on the suite. Every result is appended to the run's
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
    chosen = protocol_named(protocol)
    files = NAMES if average else NAMES[:2]
    if output:
        output.refuse(files)
    suite = _keep_present(choose_transfers(tasks, chosen), root)
    trained = [load(run, vectors, root) for run in runs]
    log_device()
    names = name_runs([model.run for model in trained])
    encoders: dict[str, FrozenEncoder | VectorAverage] = {}
    for name, model in zip(names, trained, strict=True):
        encoders[name] = FrozenEncoder(model)
    if average:
        averaged = _load_average(*average, root)
        encoders[f"average of {averaged.path.name}"] = averaged
    entries, rows = {}, []
    for name, encoder in encoders.items():
        measured = _evaluate_suite(name, encoder, suite, root, seed, chosen)
        results, entries[name] = measured
        rows.append(EncoderRow(name, encoder.trained_on, encoder.units, results))
    if output:
        averages = [*entries.values()][-1] if average else None
        _write(output.open(files), rows, averages, chosen)
    return transfer_text(rows, chosen)


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


def evaluate_transfer(
    encoder: FrozenEncoder | VectorAverage,
    transfer: Transfer,
    root: Path | str,
    seed: int = 13,
    protocol: Protocol = OURS,
) -> TransferResult:
    """Returns an encoder's `TransferResult` on a task of the suite.

    Args:
        root: the data root.
        seed: deals the folds.

    Raises: `InputError` for a file that is missing or malformed, and for training rows
        that nothing can be trained on.
    """
    corpus, splits = get_corpus(transfer.corpus), {}
    for split, name in transfer.files.items():
        path = find_file(root, name)
        prepared = prepare(path, corpus, encoder.tokenizer)
        if split == "train":
            _check_labels_vary(path, prepared.labels, transfer.least_rows(protocol))
        vectors = encoder.vectors(prepared)[prepared.texts]
        splits[split] = SplitVectors(vectors, prepared.labels)
    own_seed = derived_seed(seed, transfer.name)
    return transfer.measure(splits, corpus.task, own_seed, protocol)


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
