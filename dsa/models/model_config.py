"""Base classes of model settings, build arguments and training stages. Does not import
Keras."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from dsa.config_section import Section

if TYPE_CHECKING:
    from dsa.layers.word_embedding import WordEmbedding


@dataclasses.dataclass(frozen=True)
class Stage:
    """A training stage.

    The last stage trains the whole model in the run folder. Most families have one
    stage.

    Args:
        folder: subfolder of the run folder in which an earlier stage is trained; `None`
            for the last stage.
        changes: settings of an earlier stage that override the experiment of the run,
            `{"section.key": value}`.
        setting: config key that selects a finished run as an earlier stage.
        finished_run: value of `setting`, a run folder; `None` to train the stage.
        check_run: function `check_run(finished_experiment, experiment)` that raises
            `ValueError` if the experiment of the finished run does not match the stage.
        begin: function `begin(model, previous)` that initializes the weights of a new
            model from the selected model of the previous stage.
        before_evaluation: function
            `before_evaluation(model, outputs, labels, experiment)` that is called
            before each evaluation on dev. Its argument `outputs` is a function:
            `outputs(**options)` calls the model with these options on all training
            rows, without dropout, and returns a float32 array `(N, ...)`. `labels` is
            an array `(N,)`, the labels of the training rows.
    """

    folder: str | None = None
    changes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    setting: str | None = None
    finished_run: str | None = None
    check_run: Callable[[Any, Any], None] | None = None
    begin: Callable[[Any, Any], None] | None = None
    before_evaluation: Callable[..., None] | None = None


class ModelConfig(Section):
    """Base class of the config section `model`.

    Subclasses add `name: Literal["<name>"]` and their settings. The config of an
    encoder also defines `classifier`, a `ClassifierConfig`, and optionally
    `layer_norm`, which enables layer normalisation in the classifier's hidden layers.

    Attributes:
        published_units: number of features per word vector in the paper; `None` if the
            paper does not specify it.
    """

    if TYPE_CHECKING:
        name: Any  # each subclass defines a `Literal`

    published_units: ClassVar[int | None] = None

    def check_experiment(self, tokenizer: Any, embedding: Any, training: Any) -> None:
        """Raises `ValueError` if settings of other sections conflict with the model.

        Args:
            tokenizer: the `TokenizerConfig`.
            embedding: the `EmbeddingConfig`.
            training: the `TrainingConfig`.
        """

    def stages(self) -> list[Stage]:
        """Returns the stages in training order."""
        return [Stage()]


@dataclasses.dataclass(frozen=True)
class ModelParts:
    """Build arguments shared by all families.

    Args:
        task: the `Task`.
        embedding: the `EmbeddingConfig`.
        vocabulary_size: number of rows of the embedding table, including the rows for
            padding and unknown words.
        seed: seed of the run, from which layers derive seeds by `derived_seed`.
        dtype: Keras dtype policy, such as "float32".
        frozen_rows: number of frozen rows at the end of the table, see `WordEmbedding`.
        copies: tuples with the names of the token inputs. The first tuple contains the
            sentences of the task. Runs with `nonoverlap` have a second tuple, the
            sentences without the words that they share.
        features: F, number of additional features per row.
        max_tokens: maximum number of tokens of a sentence; `None` for no limit.
    """

    task: Any
    embedding: Any
    vocabulary_size: int
    seed: int
    dtype: str = "float32"
    frozen_rows: int = 0
    copies: tuple[tuple[str, ...], ...] = ()
    features: int = 0
    max_tokens: int | None = None

    def word_embedding(self) -> "WordEmbedding":
        """Builds a `WordEmbedding` whose table is zero."""
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
