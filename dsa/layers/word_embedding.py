"""Word vectors, frozen or trained, with an optional learned projection."""

import keras


@keras.saving.register_keras_serializable(package="dsa")
class WordEmbedding(keras.layers.Layer):
    """`E[id]`, or `E[id] W` with a projection: token ids to word vectors.

    Args:
        vocabulary_size: rows of E; row 0 is padding.
        units: features of E.
        train_vectors: whether E is trained; `False` freezes it.
        projection: features of the bias-free learned projection W; `None` for none.

    Call arguments:
        ids: int tensor `(B, L)`.

    Returns: tensor `(B, L, projection or units)`.

    Reference: Im & Cho 2017, section 4.2.1. The projection is not the paper's: it lets
    vectors of another size feed a 300-d model.
    """

    def __init__(
        self, vocabulary_size, units, train_vectors=False, projection=None, **kwargs
    ):
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.units = units
        self.train_vectors = train_vectors
        self.projection = projection

    def build(self, input_shape=None):
        self.table = keras.layers.Embedding(
            self.vocabulary_size,
            self.units,
            embeddings_initializer="zeros",
            trainable=self.train_vectors,
            dtype=self.dtype_policy,
            name="table",
        )
        self.table.build()
        self.project = None
        if self.projection:
            self.project = keras.layers.Dense(
                self.projection,
                use_bias=False,
                dtype=self.dtype_policy,
                name="project",
            )
            self.project.build((None, None, self.units))

    def set_vectors(self, vectors):
        """Fill E with `vectors`, an array `(vocabulary_size, units)`."""
        self.table.embeddings.assign(vectors)

    def call(self, ids):
        vectors = self.table(ids)
        return vectors if self.project is None else self.project(vectors)

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.projection or self.units)

    def get_config(self):
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "units": self.units,
            "train_vectors": self.train_vectors,
            "projection": self.projection,
        }
