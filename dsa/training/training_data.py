"""What a model is trained on, built once: corpora, vocabulary and vectors."""

import dataclasses
import functools
import hashlib
import logging
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.rows import joined, with_both_orders
from dsa.data.rows.model_rows import ModelRows
from dsa.data.rows.row_reader import EMPTY, RowReader
from dsa.data.words.embeddings import EmbeddingSettings, build_embedding
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.inference.row_reading import build_reader, load_reader, save_reader
from dsa.runs.run_folder import RunFolder
from dsa.seeds import derived_seed
from dsa.training.training_corpora import (
    count_drawn,
    measure_shared_rows,
    read_corpora,
)

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Words:
    """The words of a run.

    Args:
        vectors: float32 `(len(vocabulary), units)` that a new network begins with;
            `None` for a resumed one, whose state has them, and for a linear model.
        frozen_rows: rows at the end of `vectors` that are frozen.
        sha256: of the vectors that the run began with; `None` without any.
    """

    vocabulary: Vocabulary
    vectors: np.ndarray | None = None
    frozen_rows: int = 0
    sha256: str | None = None

    def find_vector(self, word: str) -> np.ndarray | None:
        """The vector of a word that the run knows, else `None`."""
        if self.vectors is None or word not in self.vocabulary:
            return None
        return self.vectors[self.vocabulary.ids([word])[0]]


@dataclasses.dataclass(frozen=True)
class TrainingData:
    """What a model is trained on.

    Args:
        task: the task object.
        corpora: `{"train", "dev", and "mix" where there is one: PreparedCorpus}`, as
            the experiment's view shows them.
        trained_on: the corpus of all training rows: train, dev where the model is
            trained on it too, and the mixed pairs.
        splits: `{split: rows}` of the file that is dealt to several splits; empty
            where every split is a file.
        reader: the `RowReader` that makes a model's rows of a corpus's.
        drawn: how many of the rows of "mix", which are the last ones of `trained_on`,
            an epoch has; `None` for all of them.
        shared_with_train: the share of dev's labelled rows that train has too.
    """

    task: Any
    corpora: dict[str, PreparedCorpus]
    trained_on: PreparedCorpus
    splits: dict[str, np.ndarray]
    words: Words
    reader: RowReader
    drawn: int | None = None
    shared_with_train: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.words.vocabulary

    @functools.cached_property
    def rows(self) -> ModelRows:
        """The labelled rows of `trained_on` as a model reads them, `ModelRows`."""
        rows = self.trained_on.labelled
        return self.reader.read(self.trained_on, self.vocabulary, rows, is_train=True)

    @property
    def labels(self) -> np.ndarray:
        """The labels of `rows`."""
        return self.trained_on.labels[self.trained_on.labelled]

    @property
    def rows_in_every_epoch(self) -> int:
        """How many of `rows`, from the first on, every epoch has."""
        if self.drawn is None:
            return len(self.labels)
        return len(self.labels) - len(self.corpora["mix"].labelled)

    def write(self, run: RunFolder) -> None:
        """Write what a new run needs to be loaded: words, and rows by split."""
        run.write("vocabulary.txt", self.vocabulary.to_text())
        save_reader(run, self.reader)
        if self.splits:
            rows = {split: part.tolist() for split, part in self.splits.items()}
            run.write_json("splits.json", rows)

    def facts(self) -> dict[str, Any]:
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
            **self._describe_wordnet(),
        }

    def _describe_wordnet(self):
        """The version that the features know, `None` for none, where they need it."""
        settings, statistics = self.reader.settings, self.reader.statistics
        if settings is None or not settings.without_wordnet:
            return {}
        return {"wordnet": statistics.wordnet}

    def check_unchanged(self, run: RunFolder) -> None:
        """Raises `InputError` if the data are not those that a run was started with."""
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


def build_training_data(
    experiment: Experiment, root: Path, started_run: RunFolder | None = None
) -> TrainingData:
    """Read and prepare the data of a training.

    Args:
        started_run: the `RunFolder` of a training that is resumed: its splits and words
            are used again. `None` for a new one.

    Raises: `InputError` for files that are missing, malformed, without labels or with
        one label only; for a model that this machine cannot hold; for a new training
        also for two files with the same rows; and for other files than those that the
        run was started with.
    """
    corpora, splits = read_corpora(
        experiment, root, started_run.splits() if started_run else {}
    )
    shared = measure_shared_rows(experiment.data, root, corpora, not started_run)
    trained_on = corpora["train"]
    if experiment.data.train_on_dev:
        trained_on = joined(trained_on, corpora["dev"])
    if "mix" in corpora:
        trained_on = joined(trained_on, corpora["mix"])
    view = experiment.view  # after joining, which counts words: hidden ones too
    corpora = {split: view.apply(corpus) for split, corpus in corpora.items()}
    trained_on = view.apply(trained_on)
    if started_run:
        words = _stored_words(started_run)
        reader = load_reader(started_run, experiment, root)
    else:
        words = _build_words(experiment, root, trained_on, corpora["dev"])
        reader = build_reader(experiment, root)
        reader = reader.learn(trained_on, experiment.task, words.find_vector)
    if experiment.data.both_orders:
        trained_on = with_both_orders(trained_on)
    drawn = count_drawn(experiment, corpora)
    data = TrainingData(
        experiment.task, corpora, trained_on, splits, words, reader, drawn, shared
    )
    if started_run:
        data.check_unchanged(started_run)
    return data


def _build_words(experiment, root, trained_on, dev):
    """Vocabulary and vectors of a new run."""
    config = experiment.embedding
    if not experiment.family.has_word_vectors:
        return Words(Vocabulary(trained_on.words))
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
    seed = derived_seed(experiment.seed, "vectors")
    extra = [EMPTY] if experiment.features.nonoverlap else []
    extra += filter(None, experiment.tokenizer.boundaries or [])
    vocabulary, vectors, frozen_rows = build_embedding(
        settings, trained_on.words, dev.words, seed, extra
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
