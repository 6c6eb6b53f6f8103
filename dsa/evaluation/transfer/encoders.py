"""What is measured: a frozen encoder, or averaged word vectors."""

import numpy as np

from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.embeddings import find_vectors


class FrozenEncoder:
    """The vectors of a trained run.

    Args:
        trained: a `TrainedModel`.
    """

    def __init__(self, trained):
        trained.refuse_pair_model()
        self.trained = trained
        config = trained.experiment.tokenizer
        name = "treebank" if config.name == "binary_parse" else config.name
        self.tokenizer = Tokenizer(name, config.lowercase)

    def vectors(self, prepared):
        """Vectors of a `PreparedCorpus`'s sentences, float32 `(sentences, S)`."""
        model = self.trained.with_words_of(prepared)
        return model.inference.vectors(model.vocabulary.sentences(prepared))


class VectorAverage:
    """The mean of a sentence's word vectors: the baseline of the suite. Words that the
    file lacks do not count; a sentence of them alone is 0.

    Args:
        path: the vector file.
        units: its features.
    """

    def __init__(self, path, units):
        self.path = path
        self.units = units
        self.tokenizer = Tokenizer("treebank", lowercase=True)

    def vectors(self, prepared):
        """Vectors of a `PreparedCorpus`'s sentences, float32 `(sentences, units)`."""
        found, _ = find_vectors(prepared.words, self.path, self.units)
        table = np.zeros((len(prepared.words) + 1, self.units), np.float32)
        known = np.zeros(len(table), bool)
        for row, word in enumerate(prepared.words):
            if word in found:
                table[row], known[row] = found[word], True
        sentences = prepared.sentences  # -1, the unknown token, is the last row
        starts = sentences.offsets[:-1]
        sums = np.add.reduceat(table[sentences.ids], starts, axis=0)
        counts = np.add.reduceat(known[sentences.ids].astype(int), starts)
        return sums / np.maximum(counts, 1)[:, None]
