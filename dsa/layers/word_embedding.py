"""Word embedding with an optional projection, and word dropout."""

from typing import Any

import keras
import numpy as np
from keras import ops

from dsa.layers.masks import Mask, MaskedLayer, Tensor


@keras.saving.register_keras_serializable(package="dsa")
class WordEmbedding(keras.layers.Layer):
    """Word embedding: `E[id]`, or `E[id] W` with a projection.

    Args:
        vocabulary_size: number of rows of E; row 0 is padding.
        units: integer, number of columns of E.
        train_vectors: whether E is trainable.
        projection: number of output features of W, a trainable projection without bias;
            `None` to disable the projection.
        frozen_rows: number of rows at the end of E that are never trainable.

    Call arguments:
        ids: int tensor `(B, L)`.

    Returns: tensor `(B, L, projection or units)`.

    Reference: Im & Cho 2017, section 4.2.1. The frozen rows are the vectors of words
    that do not occur in the training data, as in the code of Shen et al. 2018.

    Differs from the paper: an optional projection adapts word vectors of any size to a
    model with 300 features.

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
        self.first_frozen = self.vocabulary_size - self.frozen_rows
        self.table = keras.layers.Embedding(
            self.first_frozen,
            self.units,
            embeddings_initializer="zeros",
            trainable=self.train_vectors,
            dtype=self.dtype_policy,
            name="table",
        )
        self.table.build(None)
        self.frozen_table = None
        if self.frozen_rows:
            self.frozen_table = keras.layers.Embedding(
                self.frozen_rows,
                self.units,
                embeddings_initializer="zeros",
                trainable=False,
                dtype=self.dtype_policy,
                name="frozen_table",
            )
            self.frozen_table.build(None)
        self.project = None
        if self.projection:
            self.project = keras.layers.Dense(
                self.projection,
                use_bias=False,
                dtype=self.dtype_policy,
                name="project",
            )
            self.project.build((None, None, self.units))

    def set_vectors(self, vectors: np.ndarray) -> None:
        """Sets E to `vectors`, an array `(vocabulary_size, units)`."""
        self.table.embeddings.assign(vectors[: self.first_frozen])
        if self.frozen_table is not None:
            self.frozen_table.embeddings.assign(vectors[self.first_frozen :])

    def vectors(self) -> np.ndarray:
        """Returns E as a NumPy array `(vocabulary_size, units)`."""
        arrays: list[Any] = [ops.convert_to_numpy(self.table.embeddings)]
        if self.frozen_table is not None:
            arrays.append(ops.convert_to_numpy(self.frozen_table.embeddings))
        return np.concatenate(arrays)

    def call(self, ids: Tensor):
        if self.frozen_table is None:
            vectors = self.table(ids)
        else:
            # (B, L): True for ids of the trainable table
            in_table = ids < self.first_frozen
            # (B, L, units)
            vectors = ops.where(
                in_table[..., None],
                self.table(ops.where(in_table, ids, 0)),
                self.frozen_table(ops.where(in_table, 0, ids - self.first_frozen)),
            )
        return vectors if self.project is None else self.project(vectors)

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.projection or self.units)


@keras.saving.register_keras_serializable(package="dsa")
class WordDropout(MaskedLayer):
    """Dropout of single features of word vectors: `Dropout(x)`.

    Args:
        dropout: dropout rate.
        seed: seed of the dropout; `None` for an unseeded dropout.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor `(B, L, D)`.

    Returns: tensor `(B, L, D)`.

    Example:
        >>> x = ops.ones((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(WordDropout(0.5)(x).shape)
        (2, 5, 8)
    """

    def __init__(self, dropout: float, seed: int | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        self.dropout = dropout
        self.seed = seed

    def build(self, input_shape):
        self.drop = keras.layers.Dropout(
            self.dropout, seed=self.seed, dtype=self.dtype_policy
        )

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        x = self.drop(x, training=training)
        return (x, []) if return_attention else x

    def compute_output_shape(self, input_shape):
        return input_shape
