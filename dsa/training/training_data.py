"""What a training learns from, built once: corpora, vocabulary and vectors."""

import dataclasses
import functools
import hashlib
import logging

import numpy as np

from dsa.data.corpora.catalogue import corpus_named
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import (
    joined,
    only_rows,
    sample,
    with_both_orders,
)
from dsa.data.prepared.splits import split_rows
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.rows.row_reader import EMPTY, RowReader
from dsa.data.words.embeddings import EmbeddingSettings, build_embedding
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.inference.row_reading import build_reader, load_reader, save_reader
from dsa.models.memory import check_size
from dsa.seeds import derived_seed
from dsa.training.leakage import measure_leakage
from dsa.training.needed_files import check_files_exist

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Words:
    """The words of a run.

    Args:
        vocabulary: the `Vocabulary`.
        vectors: float32 `(len(vocabulary), units)` that a new network begins with;
            `None` for a resumed one, whose state has them, and for a linear model.
        frozen_rows: rows at the end of `vectors` that are frozen.
        sha256: of the vectors that the run began with; `None` without any.
    """

    vocabulary: Vocabulary
    vectors: np.ndarray | None = None
    frozen_rows: int = 0
    sha256: str | None = None

    def find_vector(self, word):
        """The vector of a word that the run knows, else `None`."""
        if self.vectors is None or word not in self.vocabulary:
            return None
        return self.vectors[self.vocabulary.ids([word])[0]]


@dataclasses.dataclass(frozen=True)
class TrainingData:
    """What a training learns from.

    Args:
        task: the task object.
        corpora: `{"train", "dev", and "mix" where there is one: PreparedCorpus}`, as
            the experiment's view shows them.
        learned: the corpus that is learned from: train, with the mixed pairs.
        splits: `{split: rows}` of the file that is dealt to several splits; empty
            where every split is a file.
        words: the `Words`.
        reader: the `RowReader` that makes a model's rows of a corpus's.
        drawn: how many of the rows of "mix", which are the last ones of `learned`, an
            epoch has; `None` for all of them.
        shared_with_train: the share of dev's labelled rows that train has too.
    """

    task: object
    corpora: dict[str, PreparedCorpus]
    learned: PreparedCorpus
    splits: dict[str, np.ndarray]
    words: Words
    reader: RowReader
    drawn: int | None = None
    shared_with_train: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def vocabulary(self):
        return self.words.vocabulary

    @functools.cached_property
    def rows(self):
        """The labelled rows of `learned` as a model reads them, `ModelRows`."""
        rows = self.learned.labelled
        return self.reader.read(self.learned, self.vocabulary, rows, is_train=True)

    @property
    def labels(self):
        """The labels of `rows`."""
        return self.learned.labels[self.learned.labelled]

    @property
    def always_learned(self):
        """How many of `rows`, from the first on, every epoch has."""
        if self.drawn is None:
            return len(self.labels)
        return len(self.labels) - len(self.corpora["mix"].labelled)

    def write(self, run):
        """Write what a new run needs to be loaded: words, and rows by split."""
        run.write("vocabulary.txt", self.vocabulary.to_text())
        save_reader(run, self.reader)
        if self.splits:
            rows = {split: part.tolist() for split, part in self.splits.items()}
            run.write_json("splits.json", rows)

    def facts(self):
        """Sizes, fingerprints and unknown words, for `environment.json`."""
        corpora, vocabulary = self.corpora, self.vocabulary
        labelled = {split: len(corpus.labelled) for split, corpus in corpora.items()}
        sha256 = {split: corpus.fingerprint for split, corpus in corpora.items()}
        if self.words.sha256:
            sha256["vectors"] = self.words.sha256
        return {
            "vocabulary_size": len(vocabulary),
            "sha256": sha256,
            "pairs": labelled if self.drawn is None else labelled | {"mix": self.drawn},
            "unlabelled": {
                split: len(corpus) - labelled[split]
                for split, corpus in corpora.items()
            },
            "unknown": {
                split: vocabulary.coverage(corpus) for split, corpus in corpora.items()
            },
            "shared_with_train": self.shared_with_train,
        }

    def check_unchanged(self, run):
        """Raises an error if the data are not those that a run was started with.

        Raises: `InputError`.
        """
        sha256 = run.environment()["sha256"]
        changed = [
            split
            for split, corpus in self.corpora.items()
            if sha256.get(split) != corpus.fingerprint
        ]
        if changed:
            raise InputError(
                f"{run.path} cannot be resumed: {' and '.join(changed)} data are not "
                "what it was started with"
            )


def build_training_data(experiment, root, started_run=None):
    """Read and prepare the data of a training.

    Args:
        experiment: an `Experiment`.
        root: the data root.
        started_run: the `RunFolder` of a training that goes on: its splits and words
            are used again. `None` for a new one.

    Raises: `InputError` for files that are missing, malformed, without labels or with
        one label only; for a model that this machine cannot hold; for a new training
        also for two files with the same rows; and for other files than those that the
        run was started with.
    """
    check_size(experiment, training=True)
    if not started_run:
        check_files_exist(experiment, root)
    corpora, splits = _read_corpora(
        experiment, root, started_run.splits() if started_run else {}
    )
    shared = measure_leakage(experiment.data, root, corpora, not started_run)
    learned = corpora["train"]
    if experiment.data.train_on_dev:
        learned = joined(learned, corpora["dev"])
    if "mix" in corpora:
        learned = joined(learned, corpora["mix"])
    view = experiment.view  # after joining, which counts words: hidden ones too
    corpora = {split: view.apply(corpus) for split, corpus in corpora.items()}
    learned = view.apply(learned)
    if started_run:
        words = _stored_words(started_run)
        reader = load_reader(started_run, experiment, root)
    else:
        words = _build_words(experiment, root, learned, corpora["dev"])
        reader = build_reader(experiment, root)
        reader = reader.learn(learned, experiment.task, words.find_vector)
    if experiment.data.both_orders:
        learned = with_both_orders(learned)
    drawn = _count_drawn(experiment, corpora)
    data = TrainingData(
        experiment.task, corpora, learned, splits, words, reader, drawn, shared
    )
    if started_run:
        data.check_unchanged(started_run)
    return data


def _read_corpora(experiment, root, splits):
    """Train and dev, prepared, what is mixed into train, and the rows by split.

    `splits`: rows by split of the file that is dealt to several, empty to draw them.
    """
    tokenize = Tokenizer(**experiment.tokenizer.model_dump())
    data, task = experiment.data, experiment.task

    def read(described, path):
        corpus = prepare(find_file(root, path), described, tokenize)
        if not len(corpus.labelled):
            raise InputError(f"{path}: no row has a label")
        return corpus

    whole = read(data.training_corpus, data.train)
    _check_labels_vary(data.train, task, whole)
    dealt = whole
    if data.dealt not in (None, data.train):
        dealt = read(data.described, data.dealt)
    if max((part.max(initial=0) for part in splits.values()), default=0) >= len(dealt):
        raise InputError(f"{data.dealt}: fewer rows than the run was started with")
    if data.shared and not splits:
        splits = split_rows(data.split_plan, dealt.labels)
    corpora = {
        "train": only_rows(whole, splits["train"]) if "train" in splits else whole,
        "dev": only_rows(dealt, splits["dev"])
        if "dev" in splits
        else read(data.described, data.file("dev")),
    }
    if task.compares_rows:
        _check_labels_vary(data.file("dev"), task, corpora["dev"])
    if data.training_options.drops_rows:
        train = corpora["train"]
        kept = data.training_options.find_kept(train.labels, train.groups, task)
        corpora["train"] = only_rows(train, kept)
        log.info("train: %d of %d rows, by 'data.options'", len(kept), len(train))
    if data.mix:
        mixed = read(corpus_named(data.mix.corpus), data.mix.path)
        seed = derived_seed(experiment.seed, "mix")
        share = 1 if experiment.draws_mix_each_epoch else data.mix.share
        corpora["mix"] = sample(mixed, share, seed)
        log.info("%d pairs of %s mixed into train", len(corpora["mix"]), data.mix.path)
    return corpora, splits


def _count_drawn(experiment, corpora):
    """How many of the mixed rows an epoch draws; `None` for all of them."""
    if not experiment.draws_mix_each_epoch:
        return None
    share = experiment.data.mix.share
    drawn = max(1, round(share * len(corpora["mix"].labelled)))
    log.info("every epoch draws %d of them", drawn)
    return drawn


def _check_labels_vary(name, task, corpus):
    labels = corpus.labels[corpus.labelled]
    if (labels == labels[0]).all():
        raise InputError(
            f"{name}: every row has the {task.describe(labels[0])}: there is nothing "
            "to learn or to select by"
        )


def _build_words(experiment, root, learned, dev):
    """Vocabulary and vectors of a new run."""
    config = experiment.embedding
    if not experiment.family.is_network:
        return Words(Vocabulary(learned.words))
    settings = EmbeddingSettings(
        path=find_file(root, config.path) if config.path else None,
        units=config.units,
        trainable=config.trainable,
        frozen_outside=config.outside == "frozen",
        frequent_words=config.frequent_words,
        lowercase=experiment.tokenizer.lowercase,
        exact=config.lookup == "exact",
        random=config.random,
        random_scale=config.random_scale,
    )
    if config.trainable:
        check_size(experiment, len(learned.words), training=True)
    seed = derived_seed(experiment.seed, "vectors")
    extra = [EMPTY] if experiment.features.nonoverlap else []
    extra += filter(None, experiment.tokenizer.boundaries or [])
    vocabulary, vectors, frozen_rows = build_embedding(
        settings, learned.words, dev.words, seed, extra
    )
    sha256 = hashlib.sha256(vectors.tobytes()).hexdigest()
    return Words(vocabulary, vectors, frozen_rows, sha256)


def _stored_words(run):
    """The words of a run that was started before."""
    environment = run.environment()
    return Words(
        run.vocabulary(),
        frozen_rows=environment.get("frozen_rows", 0),
        sha256=environment["sha256"].get("vectors"),
    )
