"""Model families: the config class and the build function of each model.

The module of a family is imported on first use of its config. Only building a model
imports Keras.
"""

import dataclasses
import importlib
from typing import Any, ClassVar

from dsa.models.model_config import ModelConfig, ModelParts


@dataclasses.dataclass(frozen=True)
class Family:
    """A model family, selected by `model.name` in a config.

        Family(
            name="new",
            module="dsa.models.new.config",
            config_name="NewConfig",
            build_name="build_pair_model",
        )

    Args:
        name: value of `model.name`.
        module: name of the config module, which does not import Keras.
        config_name: name of the config class in `module`, a `ModelConfig` with
            `name: Literal["<name>"]`.
        build_name: name of the build function in `module`, which takes the config and
            `ModelParts`. For an encoder, it returns a layer that maps word vectors
            `(B, L, D)` and a mask `(B, L)` to sentence vectors `(B, S)`. For a pair
            model, it returns a model that maps a dictionary of token ids `(B, L)` to
            logits.
        paper: authors and year of the paper; "-" if there is no paper.
        encodes: whether the family is a sentence encoder. Encoders support all tasks;
            pair models only support the classification of pairs.
        reads_features: whether the model takes the additional features of a pair that
            the config section `features` selects.
        reads_nonoverlap: whether the model also reads the pair without shared words
            (`features.nonoverlap`).

    Attributes:
        trainer: "network" if Keras trains and loads the models, "linear" if
            scikit-learn trains them.
        weights_file: name of the file in a run folder that contains the selected
            weights.
        has_epochs: whether training consists of steps and epochs.
        has_word_vectors: whether the model has a word embedding.
        members: names of the attributes that a pair model must define.
    """

    trainer: ClassVar[str] = "network"
    weights_file: ClassVar[str] = "best.weights.h5"
    has_epochs: ClassVar[bool] = True
    has_word_vectors: ClassVar[bool] = True
    members: ClassVar[tuple[str, ...]] = ("embedding", "explain")

    name: str
    module: str
    config_name: str
    build_name: str
    paper: str = "-"
    encodes: bool = False
    reads_features: bool = False
    reads_nonoverlap: bool = False

    @property
    def config(self) -> type[ModelConfig]:
        """Config class of the family."""
        return self._import(self.config_name)

    def build(self, config: ModelConfig, parts: ModelParts) -> Any:
        """Builds the encoder or the pair model of a config, see `build_name`."""
        build_function = self._import(self.build_name)
        return build_function(config, parts)

    @property
    def is_network(self) -> bool:
        """Whether the models of the family are Keras networks."""
        return self.trainer == "network"

    def accepts(self, task: Any) -> bool:
        """Returns whether the family supports a task."""
        return self.encodes or task.classifies_pairs

    def _import(self, name: str) -> Any:
        """Imports an object from the module of the family."""
        return getattr(importlib.import_module(self.module), name)


class LinearFamily(Family):
    """A family of linear classifiers, fitted by scikit-learn."""

    trainer: ClassVar[str] = "linear"
    weights_file: ClassVar[str] = "features.npz"
    has_epochs: ClassVar[bool] = False
    has_word_vectors: ClassVar[bool] = False
    members: ClassVar[tuple[str, ...]] = ()
