"""What a model is built from besides its own settings."""

import dataclasses

from dsa.config_section import Section


@dataclasses.dataclass(frozen=True)
class ModelParts:
    """What every family's `build` gets besides its config.

    Args:
        task: the task object: inputs, outputs, head.
        embedding: the `EmbeddingConfig`.
        vocabulary_size: rows of the embedding table, padding and unknown included.
        seed: the run's seed; see `dsa.seeds.derived_seed`.
        dtype: Keras's policy, such as "float32".
        frozen_rows: rows at the table's end that are frozen, see `WordEmbedding`.
        copies: the names of the inputs of ids: those of the task, and of a second copy
            of the pair where the run has one.
        features: F, further features of a row, 0 for none.
        max_tokens: the longest sentence; `None` for no limit.
    """

    task: object
    embedding: Section
    vocabulary_size: int
    seed: int
    dtype: str = "float32"
    frozen_rows: int = 0
    copies: tuple[tuple[str, ...], ...] = ()
    features: int = 0
    max_tokens: int | None = None

    def word_embedding(self):
        """A `WordEmbedding`, its table all zeros."""
        from dsa.layers.word_embedding import WordEmbedding

        return WordEmbedding(
            self.vocabulary_size,
            self.embedding.units,
            train_vectors=self.embedding.trainable,
            projection=self.embedding.projection,
            frozen_rows=self.frozen_rows,
            dtype=self.dtype,
            name="embedding",
        )
