"""What every family of models is made of: settings, what its model is built from, and
the stages of its training. No Keras."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from dsa.config_section import Section
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.layers.word_embedding import WordEmbedding


@dataclasses.dataclass(frozen=True)
class Stage:
    """One of the trainings that follow each other in a run. The last one trains the
    whole model into the run folder; most families have no other.

    Args:
        folder: the folder, below the run's, that an earlier stage is trained into;
            `None` for the last stage.
        changes: how the experiment of an earlier stage differs from the run's:
            `{"section.key": value}`.
        setting: the key of the run's config that can name a run folder to use in place
            of training an earlier stage.
        finished_run: what that key says: a run folder, or `None` to train the stage.
        check_run: a function of the experiments of `finished_run` and of the run;
            raises `ValueError` if the one is no stage of the other.
        begin: a function of the new model of this stage and of the selected model of
            the stage before, which gives the new one weights of the other.
        before_evaluation: a function of the model, of a function that gives the
            model's outputs, of the labels and of the experiment. It is called before
            each evaluation on dev. The function `outputs(**options)` calls the model
            with these options on all rows that it is trained on, dropout off, and
            returns float32 `(N, ...)`; the labels are `(N,)`.
    """

    folder: str | None = None
    changes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    setting: str | None = None
    finished_run: str | None = None
    check_run: Callable[[Any, Any], None] | None = None
    begin: Callable[[Any, Any], None] | None = None
    before_evaluation: Callable[..., None] | None = None


class ModelConfig(Section):
    """`model`. A family's config adds `name: Literal["<name>"]` and its settings. That
    of an encoder has a `classifier`, a `ClassifierConfig`, and may have `layer_norm`:
    whether the classifier's hidden layer is normalised, `False` without it.
    """

    if TYPE_CHECKING:
        name: Any  # each family has its own

    published_units: ClassVar[int | None] = None  # of word vectors, in its paper

    def check_experiment(self, experiment: Any) -> None:
        """Raises `ValueError` for other sections that do not fit, of an `Experiment`
        whose sections are each valid. Most models take any."""

    def stages(self) -> list[Stage]:
        """What is trained, in this order: the whole model by the last stage, which for
        most models is the only one."""
        return [Stage()]


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

    task: Any
    embedding: Any
    vocabulary_size: int
    seed: int
    dtype: str = "float32"
    frozen_rows: int = 0
    copies: tuple[tuple[str, ...], ...] = ()
    features: int = 0
    max_tokens: int | None = None

    def options(self, config: ModelConfig, name: str) -> dict[str, Any]:
        """The arguments of the layer of that name whose settings are a config's, but
        those of its classifier."""
        return {
            **config.model_dump(exclude={"name", "classifier"}),
            "seed": derived_seed(self.seed, name),
            "dtype": self.dtype,
            "name": name,
        }

    def word_embedding(self) -> "WordEmbedding":
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
