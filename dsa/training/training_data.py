"""Prepares the training data: corpora, vocabulary, word vectors and pair features."""

import dataclasses
import functools
import logging
from typing import Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.rows import compute_row_keys, joined, with_both_orders
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.rows.model_rows import ModelRows
from dsa.data.rows.row_reader import EMPTY, RowReader
from dsa.data.words.embeddings import KnownWords
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.training_config import TrainingConfig
from dsa.inference.row_reading import (
    build_reader,
    load_reader,
    read_labelled_rows,
    save_reader,
)
from dsa.runs.run_files import TRAINING_ROWS
from dsa.runs.run_folder import RunFolder
from dsa.system.arrays import write_arrays
from dsa.tasks.classification import Classification
from dsa.training.training_corpora import (
    TrainingFiles,
    check_splits_differ,
    measure_shared_rows,
    read_corpora,
)
from dsa.training.words import Words, build_words, load_words

MAX_LABEL_SHARE = 0.8  # of the training rows, without a hint
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class TrainingData:
    """Training and dev rows of a run.

    Args:
        task: the task.
        corpora: corpora by split, in the view of the experiment: train, dev, and mix
            with `data.mix`.
        trained_on: corpus of all training rows: train, dev with `data.train_on_dev`,
            and mix.
        splits: row numbers of each split of a file that is divided into several splits,
            `{split: int array}`; empty if each split has a file.
        words: the `Words` of the run.
        reader: the `RowReader` that converts rows of a corpus to model inputs.
        row_keys: keys of the labelled rows of train, and of dev with
            `data.train_on_dev`, see `compute_row_keys`.
        mix_sample_size: number of rows of mix that are sampled in each epoch; `None`
            for all rows. The rows of mix are the last rows of `trained_on`.
        shared_with_train: share of dev rows that are also training rows,
            `{"dev": share}`.
        revisions: revision of each data set on a hub, `{split: revision}`.
    """

    task: Any
    corpora: dict[str, PreparedCorpus]
    trained_on: PreparedCorpus
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
        """Model inputs of the labelled training rows."""
        rows = self.trained_on.labelled
        return self.reader.convert(
            self.trained_on, self.vocabulary, rows, is_train=True
        )

    @functools.cached_property
    def dev_rows(self) -> ModelRows:
        """Model inputs of the labelled dev rows."""
        return read_labelled_rows(self.reader, self.vocabulary, self.corpora["dev"])

    @property
    def labels(self) -> np.ndarray:
        """Labels of `rows`, ids or scores."""
        return self.trained_on.labels[self.trained_on.labelled]

    @property
    def num_fixed_rows(self) -> int:
        """Number of rows that are part of every epoch: the first rows of `rows`."""
        if self.mix_sample_size is None:
            return len(self.labels)
        return len(self.labels) - len(self.corpora["mix"].labelled)

    def write(self, run: RunFolder) -> None:
        """Writes the vocabulary, the feature settings, the splits and the row keys."""
        run.write("vocabulary.txt", self.vocabulary.to_text())
        save_reader(run, self.reader)
        if self.splits:
            rows = {split: part.tolist() for split, part in self.splits.items()}
            run.write_json("splits.json", rows)
        write_arrays(run.path / TRAINING_ROWS, {"keys": self.row_keys}, {})

    def describe(self) -> dict[str, Any]:
        """Returns the entries of `environment.json` that describe the data."""
        sha256 = {}
        num_labelled = {}
        num_unlabelled = {}
        unknown = {}
        for split, corpus in self.corpora.items():
            sha256[split] = corpus.fingerprint
            num_labelled[split] = len(corpus.labelled)
            num_unlabelled[split] = len(corpus) - len(corpus.labelled)
            unknown[split] = self.vocabulary.coverage(corpus)
        if self.words.sha256:
            sha256["vectors"] = self.words.sha256
        if self.mix_sample_size is not None:
            num_labelled["mix"] = self.mix_sample_size
        description = {
            "vocabulary_size": len(self.vocabulary),
            "sha256": sha256,
            "pairs": num_labelled,
            "unlabelled": num_unlabelled,
            "unknown": unknown,
            "shared_with_train": self.shared_with_train,
            **self._describe_wordnet(),
        }
        if self.revisions:
            description["data_revisions"] = self.revisions
        return description

    def _describe_wordnet(self):
        """Returns the version of WordNet if the pair features use it."""
        settings = self.reader.feature_settings
        statistics = self.reader.feature_statistics
        if settings is None or statistics is None or not settings.without_wordnet:
            return {}
        return {"wordnet": statistics.wordnet}


def build_training_data(
    experiment: Experiment,
    files: TrainingFiles,
    started_run: RunFolder | None = None,
    known_words: KnownWords | None = None,
) -> TrainingData:
    """Reads and prepares the data of a training.

    Args:
        experiment: the `Experiment`.
        files: training files, from `find_training_files`.
        started_run: run folder of a resumed training, which contains splits and words;
            `None` for a new training.
        known_words: words of the run in `training.start_from`; `None` if the training
            starts without another run.

    Raises: `InputError` if a file is missing, malformed, without labels or with a
        single label. Also if two splits of a new training have the same rows, or if the
        files of a resumed training have changed.
    """
    config, task, view = experiment.data, experiment.task, experiment.view
    draws_mix = experiment.draws_mix_each_epoch
    mix_share = config.mix.share if config.mix else 1.0
    tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
    corpora, splits = read_corpora(
        config,
        tokenizer,
        files,
        started_run.splits() if started_run else {},
        mix_share=1.0 if draws_mix else mix_share,
        seed=experiment.seed,
    )
    if not started_run:
        check_splits_differ(config, corpora, files)
    shared = measure_shared_rows(corpora, files.names["dev"])
    trained_on = corpora["train"]
    if config.train_on_dev:
        trained_on = joined(trained_on, corpora["dev"])
    row_keys = compute_row_keys(trained_on)
    if "mix" in corpora:
        trained_on = joined(trained_on, corpora["mix"])
    mix_sample_size = None
    if draws_mix:
        mix_sample_size = max(1, round(mix_share * len(corpora["mix"].labelled)))
        log.info("%d of these pairs are drawn in each epoch", mix_sample_size)
    # applied after joining, so that the words of removed sentences are counted
    corpora = {split: view.apply(corpus) for split, corpus in corpora.items()}
    trained_on = view.apply(trained_on)
    if started_run:
        fingerprints = {split: corpus.fingerprint for split, corpus in corpora.items()}
        check_unchanged(started_run, fingerprints)
        words = load_words(started_run)
        reader = load_reader(
            started_run, experiment.task.inputs, experiment.features, files.root
        )
    else:
        hint_at_skewed_labels(
            experiment.training, task, trained_on.labels[trained_on.labelled]
        )
        if experiment.family.has_word_vectors:
            if files.vectors is None and experiment.embedding.path:
                log.warning(
                    "%s is missing: words outside the vocabulary of "
                    "'training.start_from' are unknown",
                    experiment.embedding.path,
                )
            words = build_words(
                experiment.embedding,
                files.vectors,
                tokenizer.lowercase,
                trained_on.words,
                corpora["dev"].words,
                _list_special_words(experiment, tokenizer),
                experiment.seed,
                known_words,
            )
        else:
            words = Words(Vocabulary(trained_on.words))
        reader = build_reader(experiment.task.inputs, experiment.features, files.root)
        reader = reader.fit(trained_on, task, words.find_vector)
    if config.both_orders:
        trained_on = with_both_orders(trained_on)
    return TrainingData(
        task=task,
        corpora=corpora,
        trained_on=trained_on,
        splits=splits,
        words=words,
        reader=reader,
        row_keys=row_keys,
        mix_sample_size=mix_sample_size,
        shared_with_train=shared,
        revisions=files.revisions,
    )


def _list_special_words(experiment, tokenizer):
    """Returns the tokens that are added to sentences and need a vector."""
    special_words = []
    if experiment.features.nonoverlap:
        special_words.append(EMPTY)
    for boundary in tokenizer.boundaries or []:
        if boundary:
            special_words.append(boundary)
    return special_words


def hint_at_skewed_labels(
    training: TrainingConfig, task: Any, labels: np.ndarray
) -> None:
    """Logs a hint if more than `MAX_LABEL_SHARE` of the training rows have one label.

    No hint is logged if the config sets `training.class_weights` or `training.metric`.

    Args:
        training: the `training` section.
        task: the task.
        labels: label ids of the N training rows, `(N,)`.
    """
    if not isinstance(task, Classification) or task.ranks:
        return
    counts = np.bincount(labels)
    share = counts.max() / len(labels)
    if share > MAX_LABEL_SHARE and not (training.class_weights or training.metric):
        log.info(
            "hint: %.0f %% of the training rows have the label '%s', and a model that "
            "always predicts it has this accuracy. 'training.class_weights: balanced' "
            "gives rare labels more weight, 'training.metric: macro_f1' selects by the "
            "mean over all labels",
            100 * share,
            task.labels[counts.argmax()],
        )


def check_unchanged(run: RunFolder, fingerprints: dict[str, str]) -> None:
    """Raises `InputError` if a corpus has changed since a run was started.

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
            f"{run.path} cannot be resumed: {' and '.join(changed)} data have changed "
            "since it was started"
        )
