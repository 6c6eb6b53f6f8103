"""Files and corpora of a training, its splits, and rows shared by two splits."""

import dataclasses
import logging
from pathlib import Path

import numpy as np

from dsa.data.corpora.catalogue import get_corpus
from dsa.data.corpora.files import find_file, is_present
from dsa.data.corpora.hub_rows import is_address, resolve_revision
from dsa.data.corpora.own import read_splits
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import compare_rows, joined, only_rows, sample
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

SELECT_ON_TEST = "To choose the checkpoint on test rows: 'select_on_test: true'"
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class TrainingFiles:
    """Files of a training.

    Args:
        names: paths of the corpus files as in the config, by split: train, dev, and mix
            with `data.mix`.
        corpora: the same files on this machine, by split.
        vectors: reader of the word vectors of a new training; `None` for random
            vectors.
        test: test file of a new training, whose content is compared with the other
            splits; `None` if it is missing.
        revisions: revision of each data set on a hub, by split.
        root: the data root, which may contain WordNet.
        source: run whose weights a new training starts from; `None` for initialized
            weights.
    """

    names: dict[str, str]
    corpora: dict[str, Path]
    vectors: VectorReader | None
    test: Path | None
    revisions: dict[str, str]
    root: Path
    source: RunFolder | None = None


def find_training_files(
    experiment: Experiment, root: Path, is_new: bool = True
) -> TrainingFiles:
    """Finds the files of a training below the data root.

    Args:
        experiment: the experiment of a training stage.
        root: the data root.
        is_new: whether the training starts at the first step. A resumed training does
            not read vectors, the test file and the run in `training.start_from`.

    Raises: `InputError` for a missing corpus or vector file, for vectors whose size
        differs from `embedding.units`, and in the cases of `find_source`. With a
        source, whose word vectors are copied, the vector file may be missing.
    """
    data, embedding = experiment.data, experiment.embedding
    names = data.training_files
    corpora = {split: find_file(root, name) for split, name in names.items()}
    revisions = {
        split: resolve_revision(name)
        for split, name in names.items()
        if is_address(name)
    }
    vectors = test = source = None
    if is_new:
        source = find_source(experiment)
    if is_new and embedding.path and experiment.family.has_word_vectors:
        if source is None or is_present(root, embedding.path):
            path = find_file(root, embedding.path)
            vectors = VectorReader(path, embedding.units, embedding.lookup == "exact")
            vectors.check_size()
    if is_new and data.test and is_present(root, data.test):
        test = find_file(root, data.test)
    return TrainingFiles(
        names=names,
        corpora=corpora,
        vectors=vectors,
        test=test,
        revisions=revisions,
        root=root,
        source=source,
    )


def check_corpora(data: DataConfig, tokenize: Tokenizer, files: TrainingFiles) -> None:
    """Reads the corpora of a training, to raise errors before the slow import of Keras.

    The prepared corpora are cached for `read_corpora`.

    Args:
        data: the `data` section.
        tokenize: the tokenizer.
        files: training files, from `find_training_files`.

    Raises: `InputError` for malformed files, and for files without labels or with a
        single label.
    """
    for split in files.corpora:
        _read_corpus(data, tokenize, files, split)


def _read_corpus(data, tokenize, files, split):
    """Returns the `PreparedCorpus` of a split.

    Raises: `InputError` for a file without labels, and for train with a single label.
    """
    if split == "mix":
        described = get_corpus(data.mix.corpus)
    else:
        described = data.training_corpus if split == "train" else data.resolved_corpus
    corpus = prepare(files.corpora[split], described, tokenize)
    if not len(corpus.labelled):
        raise InputError(f"{files.names[split]}: no row has a label")
    if split == "train":
        _check_labels_vary(files.names[split], data.resolved_corpus.task, corpus)
    return corpus


def read_corpora(  # noqa: PLR0913
    data: DataConfig,
    tokenize: Tokenizer,
    files: TrainingFiles,
    splits: dict[str, np.ndarray],
    mix_share: float,
    seed: int,
) -> tuple[dict[str, PreparedCorpus], dict[str, np.ndarray]]:
    """Reads and prepares train, dev, and the corpus `data.mix`, if there is one.

    Args:
        data: the `data` section.
        tokenize: the tokenizer.
        files: training files, from `find_training_files`.
        splits: rows by split of a file that is divided into several splits; empty to
            divide it now.
        mix_share: share of the rows of `data.mix` to keep.
        seed: seed of the run.

    Returns: the corpora "train", "dev" and, with `data.mix`, "mix", by name; and the
        rows by split.

    Raises: `InputError` for a file without labels or with a single label, and for a
        file with fewer rows than in `splits`.
    """
    task = data.resolved_corpus.task

    def read(split):
        corpus = _read_corpus(data, tokenize, files, split)
        log.info("%s: %s", files.names[split], corpus.describe())
        return corpus

    train = read("train")
    divided = train  # corpus that is divided into several splits
    if data.divided_file not in (None, data.train):
        divided = read("dev")
    last_row = max((rows.max(initial=0) for rows in splits.values()), default=0)
    if last_row >= len(divided):
        raise InputError(
            f"{data.divided_file}: fewer rows than at the start of the run"
        )
    if data.splits_of_divided_file and not splits:
        splits = _divide_rows(data, divided, files.corpora["train"])
    corpora = {
        "train": only_rows(train, splits["train"]) if "train" in splits else train,
        "dev": only_rows(divided, splits["dev"]) if "dev" in splits else read("dev"),
    }
    if task.compares_rows:
        _check_labels_vary(files.names["dev"], task, corpora["dev"])
    for split, corpus in corpora.items():
        _warn_of_labels_without_rows(split, task, corpus)
    if data.training_options.selects_rows:
        corpora["train"] = _select_rows(data, corpora["train"])
    if data.mix:
        mix = read("mix")
        corpora["mix"] = sample(mix, mix_share, derived_seed(seed, "mix"))
        log.info("%d pairs of %s mixed into train", len(corpora["mix"]), data.mix.path)
    return corpora, splits


def _divide_rows(data, corpus, path):
    """Divides the rows of a corpus, and returns the rows of each split."""
    if data.split_column:
        return read_splits(path, data.split_column, data.where)
    from dsa.data.prepared.splits import split_rows

    return split_rows(data.split_plan, corpus.labels, corpus.sentence_indices[:, 0])


def _select_rows(data, corpus):
    """Returns the training rows selected by the options of the corpus."""
    rows = data.training_options.select_rows(
        corpus.labels, corpus.groups, data.resolved_corpus.task
    )
    log.info("train: %d of %d rows, see 'data.options'", len(rows), len(corpus))
    return only_rows(corpus, rows)


def _check_labels_vary(name, task, corpus):
    labels = corpus.labels[corpus.labelled]
    if (labels == labels[0]).all():
        raise InputError(
            f"{name}: every row has the {task.describe(labels[0])}, expected rows with "
            "different values"
        )


def _warn_of_labels_without_rows(split, task, corpus):
    """Logs a warning about labels without rows. A misspelled label lowers macro F1."""
    if not isinstance(task, Classification):
        return
    used_ids = set(corpus.labels[corpus.labelled].tolist())
    unused = [label for n, label in enumerate(task.labels) if n not in used_ids]
    if unused:
        log.warning("%s: no row has the label %s", split, " or ".join(unused))


def check_splits_differ(
    data: DataConfig, corpora: dict[str, PreparedCorpus], files: TrainingFiles
) -> None:
    """Raises `InputError` if two splits have the same content.

    Args:
        data: the `data` section.
        corpora: corpora by split, see `read_corpora`.
        files: the training files. For the test file, only the fingerprints are
            compared.
    """
    names = {"train": data.train, "dev": data.dev, "mix": files.names.get("mix")}
    names = {split: name for split, name in names.items() if name}
    fingerprints = {split: corpora[split].fingerprint for split in names}
    if files.test:
        names["test"], fingerprints["test"] = data.test, fingerprint(files.test)
    pairs = [("dev", "train"), ("dev", "mix"), ("test", "train"), ("test", "mix")]
    equal = [
        (split, other)
        for split, other in [*pairs, ("test", "dev")]
        if {split, other} <= set(names) and fingerprints[split] == fingerprints[other]
    ]
    if data.dev and compare_rows(corpora["train"], corpora["dev"]).identical:
        equal.append(("dev", "train"))
    if equal:
        split, other = equal[0]
        raise InputError(
            f"'data.{split}' ({names[split]}) has the same rows as 'data.{other}' "
            f"({names[other]}), so its metrics would be meaningless. {SELECT_ON_TEST}, "
            "without 'dev'"
        )


def measure_shared_rows(
    corpora: dict[str, PreparedCorpus], dev_name: str
) -> dict[str, float]:
    """Measures the share of dev rows that are also training rows.

    The rows of `data.mix` count as training rows. A share above 5 % is logged as a
    warning.

    Args:
        corpora: corpora by split, see `read_corpora`.
        dev_name: file name of dev, for the warning.

    Returns: `{"dev": share}`.
    """
    train = corpora["train"]
    if "mix" in corpora:
        train = joined(train, corpora["mix"])
    shared = compare_rows(train, corpora["dev"])
    shared.warn(f"dev ({dev_name})")
    return {"dev": round(shared.share, 6)}
