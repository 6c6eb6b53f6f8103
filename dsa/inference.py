"""A trained model over whole corpora: each distinct sentence is encoded once."""

import keras
import numpy as np

from dsa.data.batches import batches_by_length
from dsa.data.feed import feed
from dsa.optimization import compiles_each_shape

SENTENCES_A_BATCH = 256
PAIRS_A_BATCH = 2048
SHAPES = 7  # padded lengths where each one is compiled
PAIRS_A_CHUNK = 50_000  # bounds the memory that sentence vectors take


class PairInference:
    """Sentence vectors and logits of a `SentencePairClassifier`, dropout off."""

    def __init__(self, model):
        ids = keras.Input((None,), dtype="int32")
        vector = model.encode(ids, training=False)
        self._encode = keras.Model(ids, vector)
        pair = [keras.Input(vector.shape[1:]), keras.Input(vector.shape[1:])]
        self._classify = keras.Model(pair, model.classify(*pair, training=False))
        self.units = vector.shape[-1]
        for each in (self._encode, self._classify):
            each.jit_compile = compiles_each_shape()

    def vectors(self, sentences):
        """Vectors of `Sentences`, float32 `(len(sentences), S)`."""
        vectors = np.empty((len(sentences), self.units), np.float32)
        if not len(sentences):
            return vectors
        batches = batches_by_length(
            sentences, SENTENCES_A_BATCH, SHAPES if compiles_each_shape() else None
        )
        order, ids = zip(*batches, strict=True)
        encoded = self._encode.predict(
            feed(lambda: ((each,) for each in ids)), steps=len(ids), verbose=0
        )
        vectors[np.concatenate(order)] = encoded
        return vectors

    def logits(self, sentences, premise, hypothesis):
        """Logits of pairs, float32 `(N, labels)`.

        Args:
            sentences: `Sentences`.
            premise, hypothesis: `(N,)` positions in `sentences`.
        """
        chunks = []
        for start in range(0, len(premise), PAIRS_A_CHUNK):
            pair = np.stack(
                [side[start : start + PAIRS_A_CHUNK] for side in (premise, hypothesis)]
            )
            which, pair = np.unique(pair, return_inverse=True)
            vectors = self.vectors(sentences.only(which))
            chunks.append(self._pairs(vectors, *pair.reshape(2, -1)))
        return np.concatenate(chunks)

    def _pairs(self, vectors, premise, hypothesis):
        count = -(-len(premise) // PAIRS_A_BATCH)
        size = -(-len(premise) // count)  # equal batches, filled up by the first pair
        rows = np.zeros(count * size, np.int64)
        rows[: len(premise)] = np.arange(len(premise))

        def batches():
            for which in rows.reshape(count, size):
                yield ((vectors[premise[which]], vectors[hypothesis[which]]),)

        logits = self._classify.predict(feed(batches), steps=count, verbose=0)
        return logits[: len(premise)]
