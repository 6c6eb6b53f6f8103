"""Training files and corpora: finding, reading, and comparing the rows of splits."""

import dataclasses
import logging
from pathlib import Path

import numpy as np

from dsa.data.corpora.catalogue import get_corpus
from dsa.data.corpora.files import find_file, is_present
from dsa.data.corpora.hub_rows import is_address, resolve_revision
from dsa.data.corpora.own import read_splits
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import (
    compare_row_keys,
    compare_rows,
    compute_row_keys,
    sample,
    sample_nested,
    take_rows,
)
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vector_reader import VectorReader
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig
from dsa.runs.run_folder import RunFolder
from dsa.seeds import derived_seed
from dsa.system.reading import fingerprint
from dsa.tasks.classification import Classification
from dsa.training.start_weights import find_source

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class TrainingFiles:
    """Files that are read in training.

    Args:
        config_paths: paths of the corpus files in the config, `{split: path}`. The
            splits are "train", "dev" and, with `data.mix`, "mix".
        paths: paths of the same files on this machine, `{split: path}`.
        vector_reader: reader of the vector file; `None` for random vectors and for a
            resumed run.
        test_path: path of the test file, which is compared with the other splits;
            `None` if the file is missing or the run is resumed.
        revisions: revision of each data set on a hub, `{split: revision}`.
        root: the data root, which may contain WordNet.
        source: run in `training.start_from`, whose weights are copied; `None` for
            random weights and for a resumed run.
    """

    config_paths: dict[str, str]
    paths: dict[str, Path]
    vector_reader: VectorReader | None
    test_path: Path | None
    revisions: dict[str, str]
    root: Path
    source: RunFolder | None = None


def find_training_files(
    experiment: Experiment, root: Path, is_new: bool = True
) -> TrainingFiles:
    """Finds the training files in the data root.

    The vector file may be missing if the config sets `training.start_from`.

    Args:
        experiment: the experiment of a training stage.
        root: the data root.
        is_new: whether training starts at the first step. A resumed run does not need
            the vector file, the test file and the run in `training.start_from`.

    Raises: `InputError` if a corpus file or the vector file is missing, or if the
        number of features of the vectors differs from `embedding.units`; also see
        `find_source`.
    """
    data = experiment.data
    embedding = experiment.embedding
    config_paths = data.training_files
    paths = {split: find_file(root, path) for split, path in config_paths.items()}
    revisions = {
        split: resolve_revision(path)
        for split, path in config_paths.items()
        if is_address(path)
    }
    vector_reader = None
    test_path = None
    source = None
    if is_new:
        source = find_source(
            experiment.training.start_from, experiment.model, embedding
        )
    if is_new and embedding.path and experiment.family.has_word_vectors:
        if source is None or is_present(root, embedding.path):
            path = find_file(root, embedding.path)
            vector_reader = VectorReader(
                path, embedding.units, embedding.lookup == "exact"
            )
            vector_reader.check_size()
    if is_new and data.test and is_present(root, data.test):
        test_path = find_file(root, data.test)
    return TrainingFiles(
        config_paths=config_paths,
        paths=paths,
        vector_reader=vector_reader,
        test_path=test_path,
        revisions=revisions,
        root=root,
        source=source,
    )


def check_corpora(data: DataConfig, tokenizer: Tokenizer, files: TrainingFiles) -> None:
    """Checks the training corpora, and caches them for `read_corpora`.

    Args:
        data: the `data` section.
        tokenizer: the tokenizer.
        files: training files, from `find_training_files`.

    Raises: `InputError` if a file is malformed or without labels, or if the training
        file has a single label.
    """
    for split in files.paths:
        _read_corpus(data, tokenizer, files, split)


def _read_corpus(data, tokenizer, files, split):
    """Returns the `PreparedCorpus` of a split.

    Raises: `InputError` if the file has no labels, or if the training file has a single
        label.
    """
    if split == "mix":
        corpus = get_corpus(data.mix.corpus)
    elif split == "train":
        corpus = data.training_corpus
    else:
        corpus = data.resolved_corpus
    prepared = prepare(files.paths[split], corpus, tokenizer)
    if not len(prepared.labelled):
        raise InputError(f"{files.config_paths[split]}: no row has a label")
    if split == "train":
        _check_labels_vary(
            files.config_paths[split], data.resolved_corpus.task, prepared
        )
    return prepared


def read_corpora(  # noqa: PLR0913
    data: DataConfig,
    tokenizer: Tokenizer,
    files: TrainingFiles,
    splits: dict[str, np.ndarray],
    mix_share: float,
    seed: int,
) -> tuple[dict[str, PreparedCorpus], dict[str, np.ndarray]]:
    """Reads and prepares the training corpora.

    Args:
        data: the `data` section.
        tokenizer: the tokenizer.
        files: training files, from `find_training_files`.
        splits: row indices by split, `{split: int array}`, if a resumed run has divided
            a file into several splits; otherwise empty.
        mix_share: share of the rows of `data.mix` to sample, in (0, 1].
        seed: seed of the run.

    Returns: the corpora `{split: PreparedCorpus}` with the splits "train", "dev" and,
        with `data.mix`, "mix"; and the row indices by split, in the format of `splits`.

    Raises: `InputError` if a file or a split of a divided file has no labels, if the
        training file or train has a single label, if dev has a single score, or if a
        file has fewer rows than `splits` or train fewer labelled rows than
        `data.train_rows`.
    """
    task = data.resolved_corpus.task

    def read(split):
        corpus = _read_corpus(data, tokenizer, files, split)
        log.info("%s: %s", files.config_paths[split], corpus.describe())
        return corpus

    train = read("train")
    divided = train  # corpus that is divided into several splits
    if data.divided_file not in (None, data.train):
        divided = read("dev")
    last_row = max((rows.max(initial=0) for rows in splits.values()), default=0)
    if last_row >= len(divided):
        raise InputError(
            f"{data.divided_file}: the file has fewer rows than at the start of the run"
        )
    if data.splits_of_divided_file and not splits:
        splits = _divide_rows(data, divided, files.paths["train"])
    corpora = {
        "train": take_rows(train, splits["train"]) if "train" in splits else train,
        "dev": take_rows(divided, splits["dev"]) if "dev" in splits else read("dev"),
    }
    for split, corpus in corpora.items():
        if split in splits:
            _check_divided_split(data, split, corpus)
        _warn_about_unused_labels(split, task, corpus)
    if task.compares_rows:
        _check_labels_vary(files.config_paths["dev"], task, corpora["dev"])
    train = select_training_rows(data, "train", corpora["train"])
    corpora["train"] = _sample_rows(data, train, seed)
    if data.mix:
        mix = read("mix")
        corpora["mix"] = sample(mix, mix_share, derived_seed(seed, "mix"))
        log.info("%s: %d labelled pairs for train", data.mix.path, len(corpora["mix"]))
    return corpora, splits


def _divide_rows(data, corpus, path):
    """Divides the rows of a corpus, and returns the row indices by split."""
    if data.split_column:
        return read_splits(path, data.split_column, data.where)
    from dsa.data.prepared.splits import split_rows

    return split_rows(data.split_plan, corpus.labels, corpus.sentence_indices[:, 0])


def _check_divided_split(data, split, corpus):
    """Raises `InputError` if a split of a divided file has no labels, or if train has a
    single label."""
    if not len(corpus.labelled):
        raise InputError(
            f"{data.divided_file}: no row of the split '{split}' has a label"
        )
    if split == "train":
        name = f"{data.train}, split '{split}'"
        _check_labels_vary(name, data.resolved_corpus.task, corpus)


def select_training_rows(
    data: DataConfig, split: str, corpus: PreparedCorpus
) -> PreparedCorpus:
    """Returns the rows of a split that the corpus options select for training."""
    if not data.training_options.selects_rows:
        return corpus
    rows = data.training_options.select_rows(
        corpus.labels, corpus.groups, data.resolved_corpus.task
    )
    log.info("%s: %d of %d rows, see 'data.options'", split, len(rows), len(corpus))
    return take_rows(corpus, rows)


def _sample_rows(data, corpus, seed: int):
    """Returns `data.train_rows` of the training rows."""
    if data.train_rows is None:
        return corpus
    num_labelled = len(corpus.labelled)
    if data.train_rows > num_labelled:
        raise InputError(
            f"'data.train_rows' must be at most {num_labelled}, the number of labelled "
            f"training rows. Received: {data.train_rows}"
        )
    corpus = sample_nested(corpus, data.train_rows, derived_seed(seed, "train_rows"))
    name = f"{data.train}, sample of train"
    _check_labels_vary(name, data.resolved_corpus.task, corpus)
    log.info("train: %d of %d labelled rows are drawn", len(corpus), num_labelled)
    return corpus


def _check_labels_vary(name, task, corpus):
    """Raises `InputError` if all rows of a corpus have the same label or score."""
    labels = corpus.labels[corpus.labelled]
    if (labels == labels[0]).all():
        raise InputError(
            f"{name}: every row has the {task.describe(labels[0])}. Rows with "
            "different values are required"
        )


def _warn_about_unused_labels(split, task, corpus):
    """Logs a warning if a label has no rows, for example because it is misspelled."""
    if not isinstance(task, Classification):
        return
    used_ids = set(corpus.labels[corpus.labelled].tolist())
    unused_labels = [
        label for label_id, label in enumerate(task.labels) if label_id not in used_ids
    ]
    if unused_labels:
        log.warning("%s: no row has the label %s", split, " or ".join(unused_labels))


def check_splits_differ(
    data: DataConfig, corpora: dict[str, PreparedCorpus], files: TrainingFiles
) -> None:
    """Raises `InputError` if two splits have the same content.

    Train and dev are compared by their rows, other splits by the fingerprints of their
    files.

    Args:
        data: the `data` section.
        corpora: corpora `{split: PreparedCorpus}`, see `read_corpora`.
        files: training files, from `find_training_files`.
    """
    paths = {
        "train": data.train,
        "dev": data.dev,
        "mix": files.config_paths.get("mix"),
    }
    paths = {split: path for split, path in paths.items() if path}
    fingerprints = {split: corpora[split].fingerprint for split in paths}
    if files.test_path:
        paths["test"] = data.test
        fingerprints["test"] = fingerprint(files.test_path)
    duplicates = []
    for split, other in (
        ("dev", "train"),
        ("dev", "mix"),
        ("test", "train"),
        ("test", "mix"),
        ("test", "dev"),
    ):
        both_exist = split in paths and other in paths
        if both_exist and fingerprints[split] == fingerprints[other]:
            duplicates.append((split, other))
    if data.dev and compare_rows(corpora["train"], corpora["dev"]).identical:
        duplicates.append(("dev", "train"))
    if duplicates:
        split, other = duplicates[0]
        raise InputError(
            f"'data.{split}' ({paths[split]}) has the same rows as 'data.{other}' "
            f"({paths[other]}), so its metrics would be meaningless. To choose the "
            "checkpoint on test rows: 'select_on_test: true', without 'dev'"
        )


def measure_shared_rows(
    corpora: dict[str, PreparedCorpus], dev_name: str
) -> dict[str, float]:
    """Measures the share of dev rows that are also training rows.

    The rows of `data.mix` count as training rows. A share above 5 % is logged as a
    warning.

    Args:
        corpora: corpora by split, see `read_corpora`.
        dev_name: name of the dev file, for the warning.

    Returns: `{"dev": share}`.
    """
    keys = {split: compute_row_keys(corpus) for split, corpus in corpora.items()}
    train = np.concatenate([keys["train"], keys.get("mix", keys["train"][:0])])
    shared = compare_row_keys(train, keys["dev"])
    shared.warn(f"dev ({dev_name})")
    return {"dev": round(shared.share, 6)}
