"""Training data of a run: corpora, vocabulary, word vectors and pair features."""

import dataclasses
import functools
import hashlib
import logging
from typing import Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.rows import add_swapped_pairs, compute_row_keys, concatenate
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.rows.model_rows import ModelRows
from dsa.data.rows.row_reader import EMPTY_TOKEN, RowReader
from dsa.data.words.embeddings import (
    EmbeddingSettings,
    KnownWords,
    build_embedding,
    extend_embedding,
)
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.inference.row_reading import (
    build_reader,
    load_reader,
    read_labelled_rows,
    save_reader,
)
from dsa.runs.run_files import TRAINING_ROWS
from dsa.runs.run_folder import RunFolder
from dsa.seeds import derived_seed
from dsa.system.arrays import write_arrays
from dsa.tasks.classification import Classification
from dsa.training.training_corpora import (
    TrainingFiles,
    check_splits_differ,
    measure_shared_rows,
    read_corpora,
    select_training_rows,
)
from dsa.training.words import Words, load_words

MAX_LABEL_SHARE = 0.8  # a hint is logged if a label has a larger share of the rows
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class TrainingData:
    """Corpora, vocabulary and row reader of a training run.

    Args:
        task: the task.
        corpora: corpora by split ("train", "dev" and, with `data.mix`, "mix"), with the
            view of the experiment applied.
        train_corpus: corpus of all training rows: the rows of train, followed by the
            rows of dev with `data.train_on_dev`, followed by the rows of mix.
        splits: row indices by split, `{split: int array}`, if a file is divided into
            several splits; otherwise empty.
        words: vocabulary and word vectors of the run.
        reader: the `RowReader` that converts rows of a corpus to model inputs.
        row_keys: keys of the labelled training rows without the rows of mix, see
            `compute_row_keys`.
        mix_sample_size: number of labelled rows of mix to sample in each epoch; `None`
            to train on all rows of mix.
        shared_with_train: share of dev rows that are also training rows,
            `{"dev": share}`.
        revisions: revision of each data set on a hub, `{split: revision}`.
    """

    task: Any
    corpora: dict[str, PreparedCorpus]
    train_corpus: PreparedCorpus
    splits: dict[str, np.ndarray]
    words: Words
    reader: RowReader
    row_keys: np.ndarray
    mix_sample_size: int | None = None
    shared_with_train: dict[str, float] = dataclasses.field(default_factory=dict)
    revisions: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.words.vocabulary

    @functools.cached_property
    def rows(self) -> ModelRows:
        """Model inputs of the N labelled training rows."""
        row_indices = self.train_corpus.labelled
        return self.reader.convert(
            self.train_corpus, self.vocabulary, row_indices, is_train=True
        )

    @functools.cached_property
    def dev_rows(self) -> ModelRows:
        """Model inputs of the labelled dev rows."""
        return read_labelled_rows(self.reader, self.vocabulary, self.corpora["dev"])

    @property
    def labels(self) -> np.ndarray:
        """Label ids or scores of the labelled training rows, `(N,)`."""
        return self.train_corpus.labels[self.train_corpus.labelled]

    @property
    def num_fixed_rows(self) -> int:
        """Number of leading rows that are used in every epoch."""
        if self.mix_sample_size is None:
            return len(self.labels)
        return len(self.labels) - len(self.corpora["mix"].labelled)

    def write(self, run: RunFolder) -> None:
        """Writes the vocabulary, the feature settings, the splits and the row keys to a
        run folder."""
        run.write("vocabulary.txt", self.vocabulary.to_text())
        save_reader(run, self.reader)
        if self.splits:
            row_indices = {split: rows.tolist() for split, rows in self.splits.items()}
            run.write_json("splits.json", row_indices)
        write_arrays(run.path / TRAINING_ROWS, {"keys": self.row_keys}, {})

    def describe(self) -> dict[str, Any]:
        """Returns the entries of `environment.json` that describe the data.

        The entries contain sizes, fingerprints and shares of unknown words.
        """
        sha256 = {}
        num_labelled = {}
        num_unlabelled = {}
        coverage = {}
        for split, corpus in self.corpora.items():
            sha256[split] = corpus.fingerprint
            num_labelled[split] = len(corpus.labelled)
            num_unlabelled[split] = len(corpus) - len(corpus.labelled)
            coverage[split] = self.vocabulary.count_unknown(corpus)
        if self.words.sha256:
            sha256["vectors"] = self.words.sha256
        if self.mix_sample_size is not None:
            num_labelled["mix"] = self.mix_sample_size
        description = {
            "vocabulary_size": len(self.vocabulary),
            "sha256": sha256,
            "pairs": num_labelled,  # the key is "pairs" for single sentences as well
            "unlabelled": num_unlabelled,
            "unknown": coverage,
            "shared_with_train": self.shared_with_train,
            **self._describe_wordnet(),
        }
        if self.revisions:
            description["data_revisions"] = self.revisions
        return description

    def _describe_wordnet(self):
        """Returns `{"wordnet": version}` if a feature uses WordNet, otherwise `{}`."""
        settings = self.reader.feature_settings
        statistics = self.reader.feature_statistics
        if settings is None or statistics is None or not settings.uses_wordnet:
            return {}
        return {"wordnet": statistics.wordnet}


def build_training_data(
    experiment: Experiment,
    files: TrainingFiles,
    started_run: RunFolder | None = None,
    known_words: KnownWords | None = None,
) -> TrainingData:
    """Builds the training data of a new or resumed run.

    Args:
        experiment: the experiment.
        files: training files, from `find_training_files`.
        started_run: folder of the run to resume, whose splits and vocabulary are
            reused; `None` for a new run.
        known_words: words of the run in `training.start_from`; `None` if the run is
            trained from random weights.

    Raises: `InputError` if a file is missing or malformed, has no labels or a single
        label, if two splits of a new run have the same rows, or if the files of a
        resumed run have changed.
    """
    config = experiment.data
    task = experiment.task
    view = experiment.view
    tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
    mix_read_share = 1.0
    mix_epoch_share = 1.0
    if config.mix and experiment.resamples_mix:
        mix_epoch_share = config.mix.share
    elif config.mix:
        mix_read_share = config.mix.share

    # corpora
    corpora, splits = read_corpora(
        config,
        tokenizer,
        files,
        started_run.splits() if started_run else {},
        mix_share=mix_read_share,
        seed=experiment.seed,
    )
    if not started_run:
        check_splits_differ(config, corpora, files)
    shared = measure_shared_rows(corpora, files.config_paths["dev"])
    train_corpus = corpora["train"]
    if config.train_on_dev:
        dev = select_training_rows(config, "dev", corpora["dev"])
        train_corpus = concatenate(train_corpus, dev)
    row_keys = compute_row_keys(train_corpus)
    if "mix" in corpora:
        train_corpus = concatenate(train_corpus, corpora["mix"])
    mix_sample_size = None
    if experiment.resamples_mix:
        num_mix_rows = len(corpora["mix"].labelled)
        mix_sample_size = max(1, round(mix_epoch_share * num_mix_rows))
        log.info(
            "%d labelled pairs of data.mix are sampled in each epoch", mix_sample_size
        )
    # applied after concatenation, so that the words of removed sentences are counted
    corpora = {split: view.apply(corpus) for split, corpus in corpora.items()}
    train_corpus = view.apply(train_corpus)

    # vocabulary, word vectors and pair features
    if started_run:
        fingerprints = {split: corpus.fingerprint for split, corpus in corpora.items()}
        check_unchanged(started_run, fingerprints)
        words = load_words(started_run)
        reader = load_reader(started_run, task.inputs, experiment.features, files.root)
    else:
        labels = train_corpus.labels[train_corpus.labelled]
        _log_label_imbalance(experiment.training, task, labels)
        if experiment.family.has_word_vectors:
            words = _build_words(
                experiment,
                files,
                tokenizer,
                train_corpus.words,
                corpora["dev"].words,
                known_words,
            )
        else:
            words = Words(Vocabulary(train_corpus.words))
        reader = build_reader(task.inputs, experiment.features, files.root)
        reader = reader.fit(train_corpus, task, words.find_vector)
    if config.both_orders:
        train_corpus = add_swapped_pairs(train_corpus)
    return TrainingData(
        task=task,
        corpora=corpora,
        train_corpus=train_corpus,
        splits=splits,
        words=words,
        reader=reader,
        row_keys=row_keys,
        mix_sample_size=mix_sample_size,
        shared_with_train=shared,
        revisions=files.revisions,
    )


def _log_label_imbalance(training, task, labels):
    """Suggests class weights or macro F1 if a label has most of the training rows.

    A hint is logged if the share of the label is above `MAX_LABEL_SHARE` and the
    config sets neither `training.class_weights` nor `training.metric`.

    Args:
        training: the `training` section.
        task: the task.
        labels: label ids of the N training rows, `(N,)`.
    """
    if not isinstance(task, Classification) or task.ranks:
        return
    if training.class_weights or training.metric:
        return
    counts = np.bincount(labels)
    share = counts.max() / len(labels)
    if share > MAX_LABEL_SHARE:
        log.info(
            "hint: %.0f %% of the training rows have the label '%s'; always predicting "
            "it gives the same accuracy. Consider 'training.class_weights: balanced' "
            "or 'training.metric: macro_f1'",
            100 * share,
            task.labels[counts.argmax()],
        )


def _build_words(experiment, files, tokenizer, train_words, dev_words, known_words):
    """Returns the vocabulary and the initial word vectors of a new run.

    Args:
        experiment: the experiment.
        files: the `TrainingFiles`, with the reader of the vector file.
        tokenizer: the `Tokenizer`.
        train_words, dev_words: see `build_embedding`.
        known_words: see `build_training_data`.
    """
    embedding = experiment.embedding
    if files.vector_reader is None and embedding.path:
        log.warning(
            "%s is missing: words outside the vocabulary of 'training.start_from' are "
            "unknown",
            embedding.path,
        )
    settings = EmbeddingSettings(
        units=embedding.units,
        trainable=embedding.trainable,
        frozen_outside=embedding.outside == "frozen",
        frequent_words=embedding.frequent_words,
        lowercase=tokenizer.lowercase,
        random=embedding.random,
        random_scale=embedding.random_scale,
    )
    special_words = _list_special_words(experiment.features, tokenizer)
    vector_seed: Any = derived_seed(experiment.seed, "vectors")
    if known_words is None:
        vocabulary, vectors, frozen_rows = build_embedding(
            settings,
            files.vector_reader,
            train_words,
            dev_words,
            vector_seed,
            special_words,
        )
    else:
        vocabulary, vectors, frozen_rows = extend_embedding(
            known_words,
            settings,
            files.vector_reader,
            train_words,
            dev_words,
            vector_seed,
            special_words,
        )
    sha256 = hashlib.sha256(vectors.tobytes()).hexdigest()
    return Words(vocabulary, vectors, frozen_rows, sha256)


def _list_special_words(features, tokenizer):
    """Returns the words that are added to sentences: the placeholder of empty sentences
    and the boundary words."""
    special_words = []
    if features.nonoverlap:
        special_words.append(EMPTY_TOKEN)
    for boundary in tokenizer.boundaries or []:
        if boundary:
            special_words.append(boundary)
    return special_words


def check_unchanged(run: RunFolder, fingerprints: dict[str, str]) -> None:
    """Raises `InputError` if a corpus file has changed since a run was started.

    Args:
        run: the run folder.
        fingerprints: current fingerprints of the corpora, `{split: fingerprint}`.
    """
    sha256 = run.environment()["sha256"]
    changed = [
        split for split, digest in fingerprints.items() if digest != sha256.get(split)
    ]
    if changed:
        raise InputError(
            f"{run.path} cannot be resumed, because the files of these splits have "
            f"changed since the run was started: {', '.join(changed)}"
        )
