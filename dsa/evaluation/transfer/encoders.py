"""Evaluated encoders: the frozen encoder of a run, and averaged word vectors."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.config_section import MAX_UNITS
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vector_reader import VectorReader
from dsa.errors import InputError
from dsa.parsing import parse_integer, shorten

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel


class FrozenEncoder:
    """The sentence encoder of a trained run.

    Args:
        trained: the trained model.
    """

    def __init__(self, trained: "TrainedModel"):
        trained.check_encodes()
        self.trained: Any = trained  # `check_encodes` narrows the type of `inference`
        config = trained.experiment.tokenizer.model_dump()
        if config["name"] == "binary_parse":  # the corpora contain no parses
            config["name"] = "treebank"
        self.tokenizer = Tokenizer(**config)

    @property
    def units(self) -> int:
        """Number of features of a sentence vector."""
        return self.trained.inference.units

    @property
    def trained_on(self) -> str:
        """Description of the training data. It contains the share of the official
        training set if the run was trained on a part of it."""
        data = self.trained.experiment.data
        num_rows = self.trained.run.environment()["pairs"]
        num_train = num_rows["train"]
        num_official = data.resolved_corpus.training_pairs or num_train
        text = f"{num_train:,} rows of {data.corpus}"
        if num_train < num_official:
            text += f", {100 * num_train / num_official:.0f} %, partial"
        if data.mix:
            text += f" + {num_rows['mix']:,} of {data.mix.corpus}"
        return text

    def vectors(self, prepared: PreparedCorpus) -> np.ndarray:
        """Returns the vectors of the distinct sentences, float32 `(sentences, S)`."""
        model = self.trained.with_words_of(prepared)
        view = self.trained.experiment.view
        reordered = view.reorder(prepared.words, prepared.sentences)
        prepared = dataclasses.replace(prepared, sentences=reordered)
        return model.inference.vectors(model.vocabulary.sentences(prepared))

    def record(self, entry: dict) -> None:
        """Appends an evaluation to the run's `transfer.json`."""
        run = self.trained.run
        run.add_transfer({**entry, **run.describe_weights()})


class VectorAverage:
    """Baseline encoder that averages the word vectors of a sentence.

    Words without a vector are ignored. The vector of a sentence without known words is
    zero.

    Args:
        path: path of the vector file.
        units: number of features of a word vector.
    """

    trained_on = "-"

    def __init__(self, path: Path, units: int):
        self.path = path
        self.units = units
        self.tokenizer = Tokenizer("treebank", lowercase=True)

    def vectors(self, prepared: PreparedCorpus) -> np.ndarray:
        """Returns the vectors of distinct sentences, float64 `(sentences, units)`."""
        reader = VectorReader(self.path, self.units)
        word_vectors, _ = reader.look_up(prepared.words)
        # the last row, selected by the id -1 of unknown tokens, is a zero vector
        table = np.zeros((len(prepared.words) + 1, self.units), np.float32)
        has_vector = np.zeros(len(table), int)
        for row, word in enumerate(prepared.words):
            if word in word_vectors:
                table[row] = word_vectors[word]
                has_vector[row] = 1
        sentences = prepared.sentences
        starts = sentences.offsets[:-1]
        sums = np.add.reduceat(table[sentences.ids], starts, axis=0)
        counts = np.add.reduceat(has_vector[sentences.ids], starts)
        return sums / np.maximum(counts, 1)[:, None]

    def record(self, entry: dict) -> None:
        """Does nothing: an average has no run folder."""


def load_average(file: str, units: str, root: Path | str) -> VectorAverage:
    """Returns the baseline encoder for a vector file in the data root.

    Args:
        file: path of the vector file, relative to the data root.
        units: number of features of a word vector, as text from the command line.
        root: the data root.

    Raises: `InputError` if the file is missing, or if `units` is not a number from 1 to
        `MAX_UNITS`.
    """
    path = find_file(root, file)
    try:
        count = parse_integer(units)
    except ValueError as error:
        raise InputError(f"--average: UNITS: {error}") from error
    if not 0 < count <= MAX_UNITS:
        raise InputError(
            f"--average: UNITS must be a number from 1 to {MAX_UNITS}. Received: "
            f"{shorten(units)}"
        )
    VectorReader(path, count).check_size()
    return VectorAverage(path, count)
