"""A trained model over whole corpora: each distinct sentence is encoded once."""

import keras
import numpy as np

from dsa.data.batches import batches_by_length
from dsa.data.feed import feed
from dsa.optimization import compiles_each_shape

SENTENCES_A_BATCH = 256
ROWS_A_BATCH = 2048
SHAPES = 7  # padded lengths where each one is compiled
ROWS_A_CHUNK = 50_000  # bounds the memory that sentence vectors take


class Inference:
    """Sentence vectors and logits of a `SentenceModel`, dropout off."""

    def __init__(self, model):
        ids = keras.Input((None,), dtype="int32")
        vector = model.encode(ids, training=False)
        self._encode = keras.Model(ids, vector)
        row = [keras.Input(vector.shape[1:]) for _ in model.sentences]
        self._classify = keras.Model(row, model.classify(*row, training=False))
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

    def logits(self, sentences, texts):
        """Logits of rows, float32 `(N, outputs)`.

        Args:
            sentences: `Sentences`.
            texts: `(N, T)` positions in `sentences`.
        """
        chunks = []
        for start in range(0, len(texts), ROWS_A_CHUNK):
            chunk = texts[start : start + ROWS_A_CHUNK]
            which, rows = np.unique(chunk, return_inverse=True)
            vectors = self.vectors(sentences.only(which))
            chunks.append(self._rows(vectors, rows.reshape(chunk.shape)))
        return np.concatenate(chunks)

    def _rows(self, vectors, texts):
        count = -(-len(texts) // ROWS_A_BATCH)
        size = -(-len(texts) // count)  # equal batches, filled up by the first row
        rows = np.zeros(count * size, np.int64)
        rows[: len(texts)] = np.arange(len(texts))

        def batches():
            for which in rows.reshape(count, size):
                yield (tuple(vectors[column] for column in texts[which].T),)

        logits = self._classify.predict(feed(batches), steps=count, verbose=0)
        return logits[: len(texts)]
