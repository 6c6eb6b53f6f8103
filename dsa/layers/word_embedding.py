"""Word vectors, frozen or trained, with an optional learned projection; and their
dropout."""

from typing import Any

import keras
import numpy as np
from keras import ops

from dsa.layers.composed_layer import ComposedLayer
from dsa.layers.masks import Mask, MaskedLayer, Tensor


@keras.saving.register_keras_serializable(package="dsa")
class WordEmbedding(ComposedLayer):
    """`E[id]`, or `E[id] W` with a projection: token ids to word vectors.

    Args:
        vocabulary_size: rows of E; row 0 is padding.
        units: features of E.
        train_vectors: whether E is trained; `False` freezes it.
        projection: features of the bias-free learned projection W; `None` for none.
        frozen_rows: number of rows at the end of E that are frozen although the others
            are trained.

    Call arguments:
        ids: int tensor `(B, L)`.

    Returns: tensor `(B, L, projection or units)`.

    Reference: Im & Cho 2017, section 4.2.1. The projection is not the paper's: it lets
    vectors of another size feed a 300-d model. Frozen rows after trained ones are for
    words that the training data lack, as in the code of Shen et al. 2018.

    Example:
        >>> embedding = WordEmbedding(4, 3)
        >>> embedding.build()
        >>> embedding.set_vectors(np.eye(4, 3))
        >>> ops.convert_to_numpy(embedding(ops.array([[1, 0]]))).tolist()
        [[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]]
    """

    def __init__(
        self,
        vocabulary_size: int,
        units: int,
        train_vectors: bool = False,
        projection: int | None = None,
        frozen_rows: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.units = units
        self.train_vectors = train_vectors
        self.projection = projection
        self.frozen_rows = frozen_rows

    def build(self, input_shape=None):
        def table(rows, trainable, name):
            options = {"embeddings_initializer": "zeros", "trainable": trainable}
            form = keras.layers.Embedding
            return self.build_part(form, name, None, rows, self.units, **options)

        self.first_frozen = self.vocabulary_size - self.frozen_rows
        self.table = table(self.first_frozen, self.train_vectors, "table")
        self.frozen_table = None
        if self.frozen_rows:
            self.frozen_table = table(self.frozen_rows, False, "frozen_table")
        self.project = None
        if self.projection:
            form, shape = keras.layers.Dense, (None, None, self.units)
            self.project = self.build_part(
                form, "project", shape, self.projection, use_bias=False
            )

    def set_vectors(self, vectors: np.ndarray) -> None:
        """Fill E with `vectors`, an array `(vocabulary_size, units)`."""
        self.table.embeddings.assign(vectors[: self.first_frozen])
        if self.frozen_table is not None:
            self.frozen_table.embeddings.assign(vectors[self.first_frozen :])

    def vectors(self) -> np.ndarray:
        """E as a NumPy array `(vocabulary_size, units)`."""
        tables = [self.table, self.frozen_table]
        rows: list[Any] = [
            ops.convert_to_numpy(t.embeddings) for t in tables if t is not None
        ]
        return np.concatenate(rows)

    def call(self, ids: Tensor):
        if self.frozen_table is None:
            vectors = self.table(ids)
        else:
            trained = ids < self.first_frozen
            vectors = ops.where(
                trained[..., None],
                self.table(ops.where(trained, ids, 0)),
                self.frozen_table(ops.where(trained, 0, ids - self.first_frozen)),
            )
        return vectors if self.project is None else self.project(vectors)

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.projection or self.units)


@keras.saving.register_keras_serializable(package="dsa")
class WordDropout(MaskedLayer):
    """`Dropout(x)`, each feature of each token by itself.

    Args:
        dropout: dropped share.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, L, D)`.

    Example:
        >>> x = keras.ops.ones((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(WordDropout(0.5)(x).shape)
        (2, 5, 8)
    """

    def __init__(self, dropout: float, seed: int | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = self.make_dropout()

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        x = self.drop(x, training=training)
        return (x, []) if return_attention else x

    def compute_output_shape(self, input_shape):
        return input_shape
