"""What is measured: a frozen encoder, or averaged word vectors."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.embeddings import look_up_vectors

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel


class FrozenEncoder:
    """The vectors of a trained run."""

    def __init__(self, trained: "TrainedModel"):
        trained.check_encodes()
        self.trained: Any = trained  # its inference encodes, as was checked
        config = trained.experiment.tokenizer.model_dump()
        if config["name"] == "binary_parse":
            config["name"] = "treebank"
        self.tokenizer = Tokenizer(**{**config, "max_tokens": None})

    @property
    def units(self) -> int:
        """Features of a vector."""
        return self.trained.inference.units

    @property
    def trained_on(self) -> str:
        """The training rows in words, with the share of the official corpus where they
        are a part of one."""
        data = self.trained.experiment.data
        counts = self.trained.run.environment()["pairs"]
        pairs = counts["train"]
        whole = data.described.training_pairs or pairs
        partial = f", {100 * pairs / whole:.0f} %, partial" if pairs < whole else ""
        mixed = f" + {counts['mix']:,} of {data.mix.corpus}" if data.mix else ""
        return f"{pairs:,} rows of {data.corpus}{partial}{mixed}"

    def vectors(self, prepared: PreparedCorpus) -> np.ndarray:
        """Returns vectors of the sentences, float32 `(sentences, S)`."""
        model = self.trained.with_words_of(prepared)
        sentences = model.vocabulary.sentences(self._reorder(prepared))
        return model.inference.vectors(sentences)

    def _reorder(self, prepared):
        """The words of each sentence in the order of the run's view."""
        view = self.trained.experiment.view
        sentences = view.reorder(prepared.words, prepared.sentences)
        return dataclasses.replace(prepared, sentences=sentences)

    def record(self, entry: dict) -> None:
        """Appends an entry to the run's `transfer.json`."""
        run = self.trained.run
        run.add_transfer({**entry, **run.describe_weights()})


class VectorAverage:
    """The mean of a sentence's word vectors: the baseline of the suite. Words that the
    file lacks do not count; a sentence with no other words is 0.

    Args:
        path: the vector file.
        units: its features.
    """

    trained_on = "-"

    def __init__(self, path: Path, units: int):
        self.path = path
        self.units = units
        self.tokenizer = Tokenizer("treebank", lowercase=True)

    def vectors(self, prepared: PreparedCorpus) -> np.ndarray:
        """Returns vectors of the sentences, float32 `(sentences, units)`."""
        word_vectors, _ = look_up_vectors(prepared.words, self.path, self.units)
        table = np.zeros((len(prepared.words) + 1, self.units), np.float32)
        known = np.zeros(len(table), bool)
        for row, word in enumerate(prepared.words):
            if word in word_vectors:
                table[row], known[row] = word_vectors[word], True
        sentences = prepared.sentences  # -1, the unknown token, is the last row
        starts = sentences.offsets[:-1]
        sums = np.add.reduceat(table[sentences.ids], starts, axis=0)
        counts = np.add.reduceat(known[sentences.ids].astype(int), starts)
        return sums / np.maximum(counts, 1)[:, None]

    def record(self, entry: dict) -> None:
        """An average has no run folder: nothing is recorded."""
